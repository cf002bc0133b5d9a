#include "kernels/imaging/layer_boxes.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "kernels/shot/layer_sources.hpp"

namespace onda {
namespace {

void add_recursion(LayerProfile& profile, double a, double b) {
    profile.a.push_back(a);
    profile.b.push_back(b);
    profile.c.push_back(1. / (1. + a));
}

/// What undoes a recursion z <- b z + a x, y = x + z is of the form of LayerProfile. So is the recursion itself: with
/// -a / (1 + a) and b / (1 + a) it undoes its own inverse.
void add_inverse(LayerProfile& profile, double a, double b) {
    add_recursion(profile, -a / (1. + a), b / (1. + a));
}

/// a and b of every coordinate along an axis, seen where no other axis is near a face.
std::vector<std::array<double, 2>> memory_of_nodes(const Problem& problem, std::size_t axis) {
    std::vector<std::array<double, 2>> memory;
    std::array<std::int64_t, 3> node{problem.grid.nx() / 2, problem.grid.ny() / 2, problem.grid.nz() / 2};
    for (node[axis] = 0; node[axis] < problem.grid.n[axis]; ++node[axis])
        memory.push_back(filter_of_strips(problem, node).memory[axis]);
    return memory;
}

/// Takes nodes out of the coordinates of layers along an axis.
LayerProfile profile_of(const Problem& problem, std::size_t axis) {
    LayerProfile profile;
    for (const auto& [a, b] : memory_of_nodes(problem, axis)) add_recursion(profile, a, b);
    return profile;
}

/// Takes nodes into them.
LayerProfile stretched_profile_of(const Problem& problem, std::size_t axis) {
    LayerProfile profile;
    for (const auto& [a, b] : memory_of_nodes(problem, axis)) add_inverse(profile, a, b);
    return profile;
}

/// Stretches derivatives along an axis.
LayerProfile profile_of_flux(const Problem& problem, const FluxAxis& flux) {
    LayerProfile profile;
    for (std::int64_t i = 0; i < flux.n[static_cast<std::size_t>(flux.axis)]; ++i) {
        std::array<double, 2> memory{};
        for (const auto& strip : problem.strips) {
            const auto its = strip->filter_of_flux(problem.grid, flux.axis, flux.first + i);
            for (const std::size_t j : {0U, 1U}) memory[j] += its[j];
        }
        add_inverse(profile, memory[0], memory[1]);
    }
    return profile;
}

/// Does nothing anywhere.
LayerProfile without_layers(std::int64_t n) {
    LayerProfile profile;
    for (std::int64_t i = 0; i < n; ++i) add_recursion(profile, 0., 0.);
    return profile;
}

/// Where the layers of an axis end: 0, the first place of the middle, the first of the high layer, n. A layer has the
/// places beyond its face, too. \param beyond how many there are beyond low and high face.
std::array<std::int64_t, 4> bounds_of(const LayerProfile& profile, const std::array<std::int64_t, 2>& beyond) {
    const std::int64_t n = std::ssize(profile.a);
    const auto has_layer = [&](std::int64_t i) { return profile.a[static_cast<std::size_t>(i)] != 0.; };
    std::int64_t low = std::min(beyond[0], n), high = std::max(n - beyond[1], low);
    if (low == n || !has_layer(low)) low = 0;
    while (low < n && low >= beyond[0] && has_layer(low)) ++low;
    if (low == n) throw std::invalid_argument("opposite absorbing layers leave no node between them");
    if (high == 0 || !has_layer(high - 1)) high = n;
    while (high > low && high <= n - beyond[1] && has_layer(high - 1)) --high;
    return {0, low, high, n};
}

using Bounds = std::array<std::array<std::int64_t, 4>, 3>;

/// The boxes between bounds.
LayerBoxes boxes_between(std::array<LayerProfile, 3> profiles, const Bounds& bounds) {
    LayerBoxes layers;
    layers.axis = std::move(profiles);
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t i = 0; i < 3; ++i) {
                const Box nodes{{bounds[0][i], bounds[1][j], bounds[2][k]},
                                {bounds[0][i + 1], bounds[1][j + 1], bounds[2][k + 1]}};
                if (i == 1 && j == 1 && k == 1) {
                    layers.inner = nodes;
                } else if (!nodes.empty()) {
                    LayerBox box{nodes, layers.nodes};
                    const std::array part{i, j, k};
                    for (std::size_t axis = 0; axis < 3; ++axis) {
                        if (part[axis] == 1) continue;
                        box.memory[axis] = layers.memory;
                        layers.memory += nodes.points();
                    }
                    layers.nodes += nodes.points();
                    layers.boxes.push_back(box);
                }
            }
    return layers;
}

LayerBoxes boxes_of_flux(std::array<LayerProfile, 3> profiles, const Problem& problem, const FluxAxis& flux) {
    const auto along = static_cast<std::size_t>(flux.axis);
    Bounds bounds;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::array<std::int64_t, 2> beyond{};
        if (axis == along) beyond = {-flux.first, flux.n[axis] + flux.first - (problem.grid.n[axis] - 1)};
        bounds[axis] = bounds_of(profiles[axis], beyond);
    }
    return boxes_between(std::move(profiles), bounds);
}

}  // namespace

LayerBoxes layer_boxes(const Problem& problem) {
    std::array<LayerProfile, 3> profiles;
    Bounds bounds;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        profiles[axis] = profile_of(problem, axis);
        bounds[axis] = bounds_of(profiles[axis], {});
    }
    return boxes_between(std::move(profiles), bounds);
}

LayerBoxes adjoint_flux_boxes(const Problem& problem, const FluxAxis& flux) {
    std::array<LayerProfile, 3> profiles;
    for (std::size_t axis = 0; axis < 3; ++axis) profiles[axis] = profile_of(problem, axis);
    profiles[static_cast<std::size_t>(flux.axis)] = profile_of_flux(problem, flux);
    return boxes_of_flux(std::move(profiles), problem, flux);
}

LayerBoxes stretched_flux_boxes(const Problem& problem, const FluxAxis& flux) {
    std::array<LayerProfile, 3> profiles;
    for (std::size_t axis = 0; axis < 3; ++axis) profiles[axis] = without_layers(flux.n[axis]);
    profiles[static_cast<std::size_t>(flux.axis)] = profile_of_flux(problem, flux);
    return boxes_of_flux(std::move(profiles), problem, flux);
}

LayerBoxes stretched_node_boxes(const Problem& problem, int axis) {
    std::array<LayerProfile, 3> profiles;
    Bounds bounds;
    for (std::size_t a = 0; a < 3; ++a) {
        profiles[a] =
            a == static_cast<std::size_t>(axis) ? stretched_profile_of(problem, a) : without_layers(problem.grid.n[a]);
        bounds[a] = bounds_of(profiles[a], {});
    }
    return boxes_between(std::move(profiles), bounds);
}

}  // namespace onda
