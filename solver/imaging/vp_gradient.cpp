#include "solver/imaging/vp_gradient.hpp"

#include <algorithm>
#include <array>

#include "kernels/imaging/scattering.hpp"
#include "solver/imaging/at_nodes.hpp"

namespace onda {
namespace {

/// Calls body(computed node, the inner node that gives it its parameters), as Grid::at indices, in the order of the
/// computed grid.
template <typename Body>
void for_nearest_inner(const ComputedGrid& computed, const Grid& inner, const Body& body) {
    const Grid& grid = computed.grid();
    const std::array<std::int64_t, 3> first = computed.inner_node(0);  // 0 or less
    const auto nearest = [&](std::int64_t i, std::size_t axis) {
        return std::clamp<std::int64_t>(i + first[axis], 0, inner.n[axis] - 1);
    };
    for (std::int64_t z = 0; z < grid.nz(); ++z)
        for (std::int64_t y = 0; y < grid.ny(); ++y) {
            const std::int64_t row = grid.at(0, y, z), inner_row = inner.at(0, nearest(y, 1), nearest(z, 2));
            for (std::int64_t x = 0; x < grid.nx(); ++x)
                body(static_cast<std::size_t>(row + x), static_cast<std::size_t>(inner_row + nearest(x, 0)));
        }
}

}  // namespace

std::vector<double> gradient_of_vp(std::span<const double> image, const Problem& problem, const MediumReaders& readers,
                                   double dt_s) {
    const MediumArray& array = problem.scheme.equation->arrays.front();
    const bool damps = has_gains(problem);
    return at_every_node(problem, readers, [&](const auto& node, const auto& parameters) {
        const double k = array.value(parameters.data(), dt_s), vp = parameters[0];
        const auto at = static_cast<std::size_t>(problem.grid.at(node[0], node[1], node[2]));
        return 2. * weight_of(problem, node, damps) / (vp * k) * image[at];
    });
}

std::vector<double> relative_change_of_k(std::span<const double> dvp, const Problem& problem,
                                         const MediumReaders& readers) {
    return at_every_node(problem, readers, [&](const auto& node, const auto& parameters) {
        const auto at = static_cast<std::size_t>(problem.grid.at(node[0], node[1], node[2]));
        return weight_of(problem, node, false) == 0. ? 0. : 2. * dvp[at] / parameters[0];
    });
}

std::vector<double> fold_to_inner(std::span<const double> gradient, const ComputedGrid& computed, const Grid& inner) {
    std::vector<double> folded(static_cast<std::size_t>(inner.points()));
    for_nearest_inner(computed, inner,
                      [&](std::size_t node, std::size_t nearest) { folded[nearest] += gradient[node]; });
    return folded;
}

std::vector<double> extend_from_inner(std::span<const double> values, const ComputedGrid& computed, const Grid& inner) {
    std::vector<double> extended(static_cast<std::size_t>(computed.grid().points()));
    for_nearest_inner(computed, inner,
                      [&](std::size_t node, std::size_t nearest) { extended[node] = values[nearest]; });
    return extended;
}

}  // namespace onda
