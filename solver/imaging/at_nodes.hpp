/// \file
/// Values at every computed node, from the parameters of the medium there.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/medium.hpp"
#include "kernels/setup.hpp"
#include "kernels/shot/layer_sources.hpp"

namespace onda {

/// W / G of a node; 0 where p is held at zero. \param damps whether strips do: has_gains().
inline double weight_of(const Problem& problem, const std::array<std::int64_t, 3>& node, bool damps) {
    double weight = 1.;
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::size_t side = 0; side < 2; ++side) {
            if (node[axis] != (side == 0 ? 0 : problem.grid.n[axis] - 1)) continue;
            const Halo halo = problem.halos[2 * axis + side];
            if (halo == Halo::mirror_negative) return 0.;
            if (halo == Halo::mirror_positive && problem.grid.has_axis(static_cast<int>(axis))) weight *= 0.5;
        }
    return damps ? weight / filter_of_strips(problem, node).gain : weight;
}

/// The weights of the nodes of a row, of which those between its ends differ only where strips damp.
class WeightsOfRow {
public:
    /// As weight_of().
    WeightsOfRow(const Problem& problem, std::int64_t y, std::int64_t z, bool damps)
        : problem_(problem), y_(y), z_(z), damps_(damps), between_ends_(weight_of(problem, {1, y, z}, false)) {}
    double operator()(std::int64_t x) const {
        if (damps_ || x == 0 || x >= problem_.grid.nx() - 1) return weight_of(problem_, {x, y_, z_}, damps_);
        return between_ends_;
    }

private:
    const Problem& problem_;
    std::int64_t y_, z_;
    bool damps_;
    double between_ends_;
};

/// Calls make_row(y, z) for the rows of planes [begin, end) along z, and what it returns with x and the parameters of
/// the medium there for every node of the row.
template <typename MakeRow>
void for_nodes_of_planes(std::int64_t begin, std::int64_t end, const Problem& problem, const MediumReaders& readers,
                         const MakeRow& make_row) {
    check_readers(problem, readers);
    const Grid& grid = problem.grid;
#pragma omp parallel
    {
        std::vector<std::vector<float>> rows(readers.size(), std::vector<float>(static_cast<std::size_t>(grid.nx())));
#pragma omp for
        for (std::int64_t row = begin * grid.ny(); row < end * grid.ny(); ++row) {
            const std::int64_t y = row % grid.ny(), z = row / grid.ny();
            for (std::size_t i = 0; i < readers.size(); ++i) readers[i](y, z, rows[i]);
            const auto body = make_row(y, z);
            for (std::int64_t x = 0; x < grid.nx(); ++x) {
                std::array<double, kMaxParameters> parameters{};
                for (std::size_t i = 0; i < readers.size(); ++i) parameters[i] = rows[i][static_cast<std::size_t>(x)];
                body(x, parameters);
            }
        }
    }
}

/// Sets every node, [z][y][x], to value(node, its Grid::at index, the parameters of the medium there), by rows.
template <typename Value>
void set_every_node(std::span<double> values, const Problem& problem, const MediumReaders& readers,
                    const Value& value) {
    for_nodes_of_planes(0, problem.grid.nz(), problem, readers, [&](std::int64_t y, std::int64_t z) {
        return [&, y, z](std::int64_t x, const auto& parameters) {
            const auto at = static_cast<std::size_t>(problem.grid.at(x, y, z));
            values[at] = value(std::array{x, y, z}, at, parameters);
        };
    });
}

/// value(node, the parameters of the medium there) of every node, [z][y][x].
template <typename Value>
std::vector<double> at_every_node(const Problem& problem, const MediumReaders& readers, const Value& value) {
    std::vector<double> values(static_cast<std::size_t>(problem.grid.points()));
    set_every_node(values, problem, readers,
                   [&value](const auto& node, std::size_t, const auto& parameters) { return value(node, parameters); });
    return values;
}

}  // namespace onda
