#include "kernels/imaging/layer_boxes.hpp"

#include <stdexcept>

namespace onda {
namespace {

/// The recursion of every coordinate along an axis, seen where no other axis is near a face.
LayerProfile profile_of(const Problem& problem, std::size_t axis) {
    LayerProfile profile;
    std::array<std::int64_t, 3> node{problem.grid.nx() / 2, problem.grid.ny() / 2, problem.grid.nz() / 2};
    for (node[axis] = 0; node[axis] < problem.grid.n[axis]; ++node[axis]) {
        NodeFilter filter;
        for (const auto& strip : problem.strips) strip->filter_source(problem.grid, node, filter);
        const auto [a, b] = filter.memory[axis];
        profile.a.push_back(a);
        profile.b.push_back(b);
        profile.c.push_back(1. / (1. + a));
    }
    return profile;
}

/// Where the layers of an axis end: 0, the first node of the middle, the first of the high layer, n.
std::array<std::int64_t, 4> bounds_of(const LayerProfile& profile) {
    const std::int64_t n = std::ssize(profile.a);
    std::int64_t low = 0, high = n;
    while (low < n && profile.a[static_cast<std::size_t>(low)] != 0.) ++low;
    if (low == n) throw std::invalid_argument("opposite absorbing layers leave no node between them");
    while (profile.a[static_cast<std::size_t>(high - 1)] != 0.) --high;
    return {0, low, high, n};
}

}  // namespace

LayerBoxes layer_boxes(const Problem& problem) {
    LayerBoxes layers;
    std::array<std::array<std::int64_t, 4>, 3> bounds;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        layers.axis[axis] = profile_of(problem, axis);
        bounds[axis] = bounds_of(layers.axis[axis]);
    }
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

}  // namespace onda
