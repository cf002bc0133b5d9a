#include "kernels/imaging/scattering.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "kernels/setup.hpp"
#include "kernels/shot/layer_sources.hpp"

namespace onda {
namespace {

double gain_of(const Problem& problem, const std::array<std::int64_t, 3>& node) {
    return filter_of_strips(problem, node).gain;
}

}  // namespace

bool has_gains(const Problem& problem) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::array<std::int64_t, 3> node{}; node[axis] < problem.grid.n[axis]; ++node[axis])
            if (gain_of(problem, node) != 1.) return true;
    return false;
}

std::vector<double> inverse_gains(const Problem& problem) {
    if (!has_gains(problem)) return {};
    std::vector<double> inverse(static_cast<std::size_t>(problem.grid.points()));
#pragma omp parallel for
    for (std::int64_t i = 0; i < problem.grid.points(); ++i)
        inverse[static_cast<std::size_t>(i)] = 1. / gain_of(problem, problem.grid.node(i));
    if (!std::ranges::all_of(inverse, [](double value) { return std::isfinite(value); }))
        throw std::invalid_argument("a strip that leaves nothing of p has no scattered field");
    return inverse;
}

}  // namespace onda
