#include "kernels/imaging/flux_axes.hpp"

#include <stdexcept>

#include "kernels/grid/halo.hpp"

namespace onda {
namespace {

/// Of nodes first + 1 - r … that D takes.
std::vector<AxisImage> images_of_nodes(const FluxAxis& flux, std::int64_t n, Halo low, Halo high) {
    const std::int64_t r = flux.radius(), halves = flux.n[static_cast<std::size_t>(flux.axis)];
    std::vector<AxisImage> images(static_cast<std::size_t>(halves + 2 * r - 1));
    const std::int64_t before = flux.first + 1 - r;
    for (std::int64_t i = -flux.beyond[0]; i < n + flux.beyond[1]; ++i)
        images[static_cast<std::size_t>(i - before)] = {i, 1};
    for (const HaloCopy& copy : halo_copies(n, 2 * r - 1, low, high)) {
        const std::int64_t at = copy.to - before;
        if (at >= 0 && at < std::ssize(images)) images[static_cast<std::size_t>(at)] = {copy.from, copy.sign};
    }
    return images;
}

/// The half node that lies after node `lower`, or of which one beyond mirrors is an image: where p is mirrored with a
/// sign, its derivative is with the other.
AxisImage image_of_half(std::int64_t lower, const FluxAxis& flux, std::int64_t n, Halo low, Halo high) {
    int sign = 1;
    for (int fold = 0; fold < 16; ++fold) {
        const bool is_below = lower < 0 && is_mirror(low), is_above = lower > n - 2 && is_mirror(high);
        if (!is_below && !is_above) {
            const std::int64_t at = lower - flux.first;
            return at >= 0 && at < flux.n[static_cast<std::size_t>(flux.axis)] ? AxisImage{at, sign} : AxisImage{};
        }
        lower = is_below ? -1 - lower : 2 * (n - 1) - 1 - lower;
        if ((is_below ? low : high) == Halo::mirror_positive) sign = -sign;
    }
    return {};
}

FluxAxis flux_axis(const Problem& problem, int axis, HalfNodes which) {
    const auto a = static_cast<std::size_t>(axis);
    const std::int64_t r = problem.scheme.radius(), n = problem.grid.n[a];
    const Halo low = problem.halos[2 * a], high = problem.halos[2 * a + 1];
    const bool are_owned = which == HalfNodes::owned;
    FluxAxis flux;
    flux.axis = axis;
    flux.first = is_mirror(low) || (are_owned && low == Halo::neighbour) ? 0 : -r;
    const std::int64_t end = is_mirror(high) ? n - 1 : are_owned && high == Halo::neighbour ? n : n - 1 + r;
    flux.n = problem.grid.n;
    flux.n[a] = end - flux.first;
    if (low == Halo::neighbour) flux.beyond[0] = r - 1 - flux.first;
    if (high == Halo::neighbour) flux.beyond[1] = end + r - n;
    for (std::size_t k = 1; k < problem.scheme.weights.size(); ++k)
        flux.weights.push_back(problem.scheme.weights[k] / problem.grid.spacing_m[a]);
    flux.nodes = images_of_nodes(flux, n, low, high);
    for (std::int64_t lower = -r; lower < n - 1 + r; ++lower)
        flux.halves.push_back(image_of_half(lower, flux, n, low, high));
    return flux;
}

}  // namespace

std::vector<FluxAxis> flux_axes(const Problem& problem, HalfNodes which) {
    if (!has_parameter(problem.scheme.equation, "rho"))
        throw std::invalid_argument("fluxes are those of variable density");
    std::vector<FluxAxis> axes;
    for (const int axis : {0, 1, 2})
        if (problem.grid.has_axis(axis)) axes.push_back(flux_axis(problem, axis, which));
    return axes;
}

Box nodes_of_fluxes(const Problem& problem, HalfNodes which) {
    Box nodes{{}, problem.grid.n};
    for (const FluxAxis& flux : flux_axes(problem, which)) {
        nodes.low[static_cast<std::size_t>(flux.axis)] -= flux.beyond[0];
        nodes.high[static_cast<std::size_t>(flux.axis)] += flux.beyond[1];
    }
    return nodes;
}

}  // namespace onda
