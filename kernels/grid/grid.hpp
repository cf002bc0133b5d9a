/// \file
/// Extents, halo, padding and index order: decided only here.
///
/// Every volume in Onda is [z][y][x] with x fastest and z pointing down. A 2-D grid is the x-z plane: ny = 1.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace onda {

/// A regular grid of nodes. Triples are (x, y, z).
struct Grid {
    int dimensions = 3;                           ///< 2 or 3; in 2-D the y axis has one node and no derivative
    std::array<std::int64_t, 3> n{1, 1, 1};       ///< nodes along x, y, z
    std::array<double, 3> spacing_m{1., 1., 1.};  ///< node distance along x, y, z
    std::array<double, 3> origin_m{0., 0., 0.};   ///< position of node (0, 0, 0)

    [[nodiscard]] std::int64_t nx() const { return n[0]; }
    [[nodiscard]] std::int64_t ny() const { return n[1]; }
    [[nodiscard]] std::int64_t nz() const { return n[2]; }
    [[nodiscard]] std::int64_t points() const { return n[0] * n[1] * n[2]; }
    [[nodiscard]] bool has_axis(int axis) const { return dimensions == 3 || axis != 1; }
    /// Spacings of the axes that have a derivative: what symbols and stability limits are asked with.
    [[nodiscard]] std::vector<double> derivative_spacings_m() const {
        if (dimensions == 3) return {spacing_m[0], spacing_m[1], spacing_m[2]};
        return {spacing_m[0], spacing_m[2]};
    }

    /// hx hy hz in 3-D [m^3], hx hz in 2-D [m^2]: what one node stands for in the source term.
    [[nodiscard]] double cell_volume() const {
        return spacing_m[0] * (dimensions == 3 ? spacing_m[1] : 1.) * spacing_m[2];
    }

    /// Index of node (x, y, z) in a compact [z][y][x] array without halo.
    [[nodiscard]] std::int64_t at(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return x + n[0] * (y + n[1] * z);
    }

    /// Triple (x, y, z) of the node that at() gives `index`.
    [[nodiscard]] std::array<std::int64_t, 3> node(std::int64_t index) const {
        return {index % n[0], index / n[0] % n[1], index / (n[0] * n[1])};
    }

    /// Position of node (x, y, z) in metres.
    [[nodiscard]] std::array<double, 3> position_m(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return {origin_m[0] + double(x) * spacing_m[0], origin_m[1] + double(y) * spacing_m[1],
                origin_m[2] + double(z) * spacing_m[2]};
    }
};

/// How one padded array lies in memory: [z][y][x], every interior row starting on 128 bytes.
///
/// The left halo of a row shares its padding with the right halo of the row before it, so the pitch is
/// nx + 2 halo rounded up to 128 bytes and not more.
struct Layout {
    std::array<std::int64_t, 3> n{1, 1, 1};     ///< interior nodes
    std::array<std::int64_t, 3> halo{0, 0, 0};  ///< halo width on either side of each axis
    std::int64_t pitch = 0;                     ///< elements from one row to the next
    std::int64_t plane = 0;                     ///< elements from one plane to the next
    std::int64_t origin = 0;                    ///< element of node (0, 0, 0)
    std::int64_t size = 0;                      ///< elements to allocate

    Layout() = default;
    /// \param element_bytes 1, 2, 4 or 8.
    Layout(const Grid& grid, std::array<std::int64_t, 3> halo_width, int element_bytes) : n(grid.n), halo(halo_width) {
        const std::int64_t line = 128 / element_bytes;
        const auto round_up = [line](std::int64_t count) { return (count + line - 1) / line * line; };
        pitch = round_up(n[0] + 2 * halo[0]);
        plane = pitch * (n[1] + 2 * halo[1]);
        // Planes whose distance is a large power of two compete for the same cache sets: order 16 at 512^3 lost half
        // its speed. 640 bytes beyond a multiple of 4096 spreads 2 r + 1 of them; small planes are not worth the
        // padding.
        if (plane * element_bytes >= 256 * 1024)
            while (plane * element_bytes % 4096 != 640) plane += line;
        origin = round_up(halo[0]) + pitch * halo[1] + plane * halo[2];
        // A line more: vectors read on from the last node.
        size = round_up(origin + at_offset(n[0] - 1 + halo[0], n[1] - 1 + halo[1], n[2] - 1 + halo[2]) + 1) + line;
    }

    /// Element of node (x, y, z); halo nodes have indices below 0 or at and above n.
    [[nodiscard]] std::int64_t at(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return origin + at_offset(x, y, z);
    }

private:
    [[nodiscard]] std::int64_t at_offset(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return x + pitch * y + plane * z;
    }
};

/// A regular subset of nodes: first + i * step, i = 0 … count - 1, along x, y, z.
struct Window {
    std::array<std::int64_t, 3> first{0, 0, 0}, count{1, 1, 1}, step{1, 1, 1};

    [[nodiscard]] std::int64_t points() const { return count[0] * count[1] * count[2]; }
    [[nodiscard]] static Window whole(const Grid& grid) { return {{0, 0, 0}, grid.n, {1, 1, 1}}; }
    bool operator==(const Window&) const = default;
};

/// The rule that fills the halo beyond a face before each step. A mirror has its plane on the first or last node of the
/// axis; a neighbour is another slab of the same grid, whose planes an exchange brings.
enum class Halo { zero, mirror_negative, mirror_positive, neighbour };

/// Whether the wavefield beyond a face is an image of that before it.
constexpr bool is_mirror(Halo halo) {
    return halo == Halo::mirror_negative || halo == Halo::mirror_positive;
}

/// The halo rules of the six faces; `face` indices are 2 * axis + (0 low, 1 high).
using FaceHalos = std::array<Halo, 6>;

}  // namespace onda
