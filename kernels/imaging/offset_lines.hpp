/// \file
/// Lines of nodes at which pressures of two wavefields are multiplied that lie apart from each other.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace onda {

/// Lines along z, and how far from them along an axis both fields are taken: the forward field h nodes below, the
/// adjoint field h nodes above, h = -most … most (half of the subsurface offset, or space lag; Rickett and Sava 2002,
/// Geophysics 67, 883-889; Sava and Fomel 2006, Geophysics 71, S209-S217).
struct OffsetLines {
    int axis = 0;                                    ///< 0 x, 1 y
    std::int64_t most = 0;                           ///< nodes
    std::vector<std::array<std::int64_t, 2>> lines;  ///< x, y of each; none: nothing is summed

    [[nodiscard]] std::int64_t offsets() const { return 2 * most + 1; }
    /// The sums of a plane of nodes, [line][h].
    [[nodiscard]] std::int64_t sums_of_plane() const { return static_cast<std::int64_t>(lines.size()) * offsets(); }
    bool operator==(const OffsetLines&) const = default;
};

}  // namespace onda
