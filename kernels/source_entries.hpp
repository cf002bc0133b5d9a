/// \file
/// The order in which sources are added to nodes, the same on every backend.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/backend.hpp"

namespace onda {

/// One weighted node of one source.
struct SourceEntry {
    std::int64_t node;  ///< Grid::at index
    std::int64_t row;   ///< of Sources::signal
    double weight;
};

/// What a unit of source adds to p[n+1] at its node: (vp dt)^2 over the volume of a cell.
/// \param k as kernels have it; \param half_rho rho / 2 with variable density, whose k contains rho, else nullptr.
template <typename T>
double source_scale(const T& k, const T* half_rho, double cell_volume) {
    const auto value = static_cast<double>(k);
    return (half_rho == nullptr ? value : value / (2. * static_cast<double>(*half_rho))) / cell_volume;
}

/// All entries by node, and for one node in the order of the source rows: every node has one sum, in one order, however
/// the nodes are shared out.
inline std::vector<SourceEntry> source_entries(const NodeWeights& nodes) {
    std::vector<SourceEntry> entries;
    entries.reserve(nodes.node.size());
    for (std::int64_t row = 0; row < nodes.rows(); ++row)
        for (std::int64_t i = nodes.first[row]; i < nodes.first[row + 1]; ++i)
            entries.push_back({nodes.node[i], row, nodes.weight[i]});
    std::stable_sort(entries.begin(), entries.end(),
                     [](const SourceEntry& a, const SourceEntry& b) { return a.node < b.node; });
    return entries;
}

}  // namespace onda
