/// \file
/// Classes of nodes, by the parities of their coordinates: apart from the description of a set-up, so that kernels may
/// know them.
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"

namespace onda {

/// The finest lattices whose members are told apart by parities of sums of two coordinates: neighbours along an axis
/// differ, an image in a mirror through a node is of the class of its node, and the waves that couple classes are
/// shorter than 2.83 spacings. With y = 0, in 2-D, only the parity of x + z has this property.
inline constexpr int kNodeClasses = 4;

/// The class of a node, 0 … 3. \param x, y, z in the whole grid.
ONDA_HOST_DEVICE constexpr int node_class(std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<int>((x + y) & 1) + 2 * static_cast<int>((y + z) & 1);
}

/// The class of a node of that class where z is counted from a plane, and the other way round.
ONDA_HOST_DEVICE constexpr int class_from_plane(int node_class, std::int64_t plane) {
    return plane % 2 == 0 ? node_class : node_class ^ 2;
}

/// Whether x + z is odd for the nodes of a class.
ONDA_HOST_DEVICE constexpr bool is_odd_in_plane(int node_class) {
    return node_class == 1 || node_class == 2;
}

}  // namespace onda
