/// \file
/// The sources and receivers of one shot as weighted nodes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace onda {

/// Weighted nodes of all sources or receivers of a shot. Row i owns entries [first[i], first[i+1]).
struct NodeWeights {
    std::vector<std::int64_t> first{0};
    std::vector<std::int64_t> node;  ///< Grid::at index
    std::vector<double> weight;

    [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(first.size()) - 1; }
};

/// Sources of one shot: p[n+1](node) += (vp dt)^2(node) / cell_volume * weight * signal[row][n].
struct Sources {
    NodeWeights nodes;
    std::vector<std::vector<double>> signal;  ///< one time series a row, sampled at n dt
    /// The density [kg/m3] that each row acts in; empty: that of the medium at its place (source_density.hpp), or 1
    /// where the equation has no density.
    std::vector<double> density = {};
    /// Where each row is, in nodes from node (0, 0, 0); empty: on the node with the largest weight of each.
    std::vector<std::array<double, 3>> place = {};
    /// Whether steps of order 4 in time add the signals to p[n+1] as they are, as those of order 2 do, without the
    /// share that keeps their order (kernels/shot/leap_sources.hpp): what adjoint fields are made of.
    bool plain = false;
};

/// The size of a shot: what it asks of a wavefield beside the grid.
struct ShotSize {
    std::int64_t source_nodes = 0, sources = 0, signal_samples = 0;
    std::int64_t receiver_nodes = 0, receivers = 0, trace_samples = 0;
    std::int64_t download_points = 0;  ///< largest window of start_download
};

}  // namespace onda
