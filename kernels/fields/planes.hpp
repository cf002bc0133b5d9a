/// \file
/// The planes of p[n] that cross a cut of a grid: which they are, and how they lie in memory. What carries them, from
/// slab to slab of a process, through the host or from GPU to GPU, copies the blocks that PlaneShape enumerates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "kernels/grid/grid.hpp"
#include "kernels/setup.hpp"

namespace onda {

/// A time level of one of the fields.
struct FieldLevel {
    int field = 0;  ///< in the order of the equation
    /// Levels before p[n]: 0, or 1 for p[n-1], which a step overwrites with p[n+1]; 2 for kAppliedLevel.
    int before = 0;
    bool operator==(const FieldLevel&) const = default;
};
inline constexpr FieldLevel kPreviousLevel{0, 1};
/// u = A p[n-1] + f[n-1] that the last step of order 4 in time has made, where a problem keeps it.
inline constexpr FieldLevel kAppliedLevel{0, 2};

/// Where the planes of one level of a shot lie, in an array of a device or in a buffer.
struct PlaneBlock {
    std::byte* first;           ///< of the first plane's first row, halos along x and y included
    std::int64_t pitch, plane;  ///< bytes from row to row and from plane to plane

    /// Planes of an array from `z` on. \param halo of the operator, which that of the array may exceed along x.
    template <typename T>
    [[nodiscard]] static PlaneBlock in_array(T* array, const Layout& layout, std::int64_t halo, std::int64_t z) {
        constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
        return {reinterpret_cast<std::byte*>(array + layout.at(-halo, -layout.halo[1], z)), layout.pitch * bytes,
                layout.plane * bytes};
    }
};

/// What crosses a cut at once: so many planes of every shot and field, with the halos along x and y that the operator
/// reads, in the precision of the run.
struct PlaneShape {
    /// \param problem of a slab.
    PlaneShape(const Problem& problem, std::int64_t plane_count, int shot_count)
        : row_bytes((problem.grid.nx() + 2 * problem.scheme.halo()) * problem.element_bytes()),
          rows(problem.grid.ny() + (problem.grid.has_axis(1) ? 2 * problem.scheme.halo() : 0)),
          planes(plane_count),
          fields(static_cast<int>(problem.scheme.equation->fields.size())),
          shots(shot_count) {}

    std::int64_t row_bytes, rows, planes;
    int fields, shots;

    [[nodiscard]] std::int64_t block_bytes() const { return planes * rows * row_bytes; }
    [[nodiscard]] std::int64_t bytes() const { return shots * fields * block_bytes(); }
    /// Calls copy(to(shot, level), from(shot, level)) for every block, where `to` and `from` say where it lies.
    template <typename To, typename From, typename Copy>
    void for_blocks(const To& to, const From& from, const Copy& copy) const {
        for (int shot = 0; shot < shots; ++shot)
            for (FieldLevel level; level.field < fields; ++level.field) copy(to(shot, level), from(shot, level));
    }
};

/// Planes in memory of their own, packed: [shot][field][z][y][x] without padding, the same on every kind of device. A
/// copy of a buffer shares its memory.
class PlaneBuffer {
public:
    /// \param memory of shape.bytes() bytes, on the host or on a device.
    PlaneBuffer(const PlaneShape& shape, std::shared_ptr<std::byte> memory)
        : shape_(shape), memory_(std::move(memory)) {}

    [[nodiscard]] const PlaneShape& shape() const { return shape_; }
    [[nodiscard]] std::span<std::byte> bytes() const {
        return {memory_.get(), static_cast<std::size_t>(shape_.bytes())};
    }
    /// Where each block lies, for PlaneShape::for_blocks().
    [[nodiscard]] auto blocks() const {
        return [this](int shot, FieldLevel level) -> PlaneBlock {
            const std::int64_t before = (std::int64_t{shot} * shape_.fields + level.field) * shape_.block_bytes();
            return {memory_.get() + before, shape_.row_bytes, shape_.rows * shape_.row_bytes};
        };
    }

private:
    PlaneShape shape_;
    std::shared_ptr<std::byte> memory_;
};

}  // namespace onda
