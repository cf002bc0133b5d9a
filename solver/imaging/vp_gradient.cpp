#include "solver/imaging/vp_gradient.hpp"

#include <algorithm>
#include <array>

namespace onda {
namespace {

/// W / G of a node; 0 where p is held at zero.
double weight_of(const Problem& problem, const std::array<std::int64_t, 3>& node) {
    double weight = 1.;
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::size_t side = 0; side < 2; ++side) {
            if (node[axis] != (side == 0 ? 0 : problem.grid.n[axis] - 1)) continue;
            const Halo halo = problem.halos[2 * axis + side];
            if (halo == Halo::mirror_negative) return 0.;
            if (halo == Halo::mirror_positive && problem.grid.has_axis(static_cast<int>(axis))) weight *= 0.5;
        }
    NodeFilter filter;
    for (const auto& strip : problem.strips) strip->filter_source(problem.grid, node, filter);
    return weight / filter.gain;
}

}  // namespace

std::vector<double> gradient_of_vp(std::span<const double> image, const Problem& problem, const MediumReaders& readers,
                                   double dt_s) {
    check_readers(problem, readers);
    const Grid& grid = problem.grid;
    const MediumArray& array = problem.scheme.equation->arrays.front();
    std::vector<double> gradient(image.size());
#pragma omp parallel
    {
        std::vector<std::vector<float>> rows(readers.size(), std::vector<float>(static_cast<std::size_t>(grid.nx())));
#pragma omp for
        for (std::int64_t row = 0; row < grid.ny() * grid.nz(); ++row) {
            const std::int64_t y = row % grid.ny(), z = row / grid.ny();
            for (std::size_t i = 0; i < readers.size(); ++i) readers[i](y, z, rows[i]);
            for (std::int64_t x = 0; x < grid.nx(); ++x) {
                std::array<double, kMaxParameters> parameters{};
                for (std::size_t i = 0; i < readers.size(); ++i) parameters[i] = rows[i][static_cast<std::size_t>(x)];
                const auto at = static_cast<std::size_t>(grid.at(x, y, z));
                const double k = array.value(parameters.data(), dt_s), vp = parameters[0];
                gradient[at] = 2. * weight_of(problem, {x, y, z}) / (vp * k) * image[at];
            }
        }
    }
    return gradient;
}

std::vector<double> fold_to_inner(std::span<const double> gradient, const ComputedGrid& computed, const Grid& inner) {
    std::vector<double> folded(static_cast<std::size_t>(inner.points()));
    for (std::int64_t i = 0; i < computed.grid().points(); ++i) {
        std::array<std::int64_t, 3> node = computed.inner_node(i);
        for (std::size_t axis = 0; axis < 3; ++axis)
            node[axis] = std::clamp<std::int64_t>(node[axis], 0, inner.n[axis] - 1);
        folded[static_cast<std::size_t>(inner.at(node[0], node[1], node[2]))] += gradient[static_cast<std::size_t>(i)];
    }
    return folded;
}

}  // namespace onda
