/// \file
/// Values at every computed node, from the parameters of the medium there.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
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

/// The parameters of the medium in a row, a row each, and a row of numbers for whatever is made of them.
struct ParameterRows {
    std::vector<std::vector<float>> parameters;
    std::vector<double> values;
};

/// Calls body(y, z, rows) for the rows of planes [begin, end) along z.
template <typename Body>
void for_rows_of_planes(std::int64_t begin, std::int64_t end, const Problem& problem, const MediumReaders& readers,
                        const Body& body) {
    check_readers(problem, readers);
    const Grid& grid = problem.grid;
#pragma omp parallel
    {
        const auto nx = static_cast<std::size_t>(grid.nx());
        ParameterRows rows{std::vector(readers.size(), std::vector<float>(nx)), std::vector<double>(nx)};
#pragma omp for
        for (std::int64_t row = begin * grid.ny(); row < end * grid.ny(); ++row) {
            const std::int64_t y = row % grid.ny(), z = row / grid.ny();
            for (std::size_t i = 0; i < readers.size(); ++i) readers[i](y, z, rows.parameters[i]);
            body(y, z, rows);
        }
    }
}

/// What kernels multiply the operator by at the nodes of a row, as it is without walls.
class KOfRows {
public:
    KOfRows(const Problem& problem, double dt_s) : problem_(problem), dt_s_(dt_s), fit_(fit_of(problem, dt_s)) {}
    /// Writes them to rows.values.
    void write(std::int64_t y, std::int64_t z, ParameterRows& rows) const {
        write_array_row(problem_, 0, fit_.get(), rows.parameters, dt_s_, y, z, rows.values);
    }

private:
    const Problem& problem_;
    double dt_s_;
    std::shared_ptr<const MediumFit> fit_;
};

/// The same of every node, [z][y][x].
inline std::vector<double> k_of_every_node(const Problem& problem, const MediumReaders& readers, double dt_s) {
    std::vector<double> k(static_cast<std::size_t>(problem.grid.points()));
    const KOfRows k_of(problem, dt_s);
    for_rows_of_planes(0, problem.grid.nz(), problem, readers, [&](std::int64_t y, std::int64_t z, auto& rows) {
        k_of.write(y, z, rows);
        std::ranges::copy(rows.values, k.begin() + problem.grid.at(0, y, z));
    });
    return k;
}

/// Sets every node, [z][y][x], to value(node, its Grid::at index, the parameters of the medium there), by rows.
template <typename Value>
void set_every_node(std::span<double> values, const Problem& problem, const MediumReaders& readers,
                    const Value& value) {
    for_rows_of_planes(0, problem.grid.nz(), problem, readers, [&](std::int64_t y, std::int64_t z, auto& rows) {
        for (std::int64_t x = 0; x < problem.grid.nx(); ++x) {
            std::array<double, kMaxParameters> parameters{};
            for (std::size_t i = 0; i < readers.size(); ++i)
                parameters[i] = rows.parameters[i][static_cast<std::size_t>(x)];
            const auto at = static_cast<std::size_t>(problem.grid.at(x, y, z));
            values[at] = value(std::array{x, y, z}, at, parameters);
        }
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
