/// \file
/// Where arrays of nodes and fields lie in the memory of a GPU.
#pragma once

#include <cstdint>

#include "kernels/cuda/fields/cuda_fields.hpp"
#include "kernels/cuda/imaging/node_arrays.hpp"
#include "kernels/plan/shell.hpp"

namespace onda::cuda {

/// The elements of a row of so many values that takes whole sectors.
inline std::int64_t sector_pitch(std::int64_t nx, std::int64_t element_bytes) {
    constexpr std::int64_t sector = 32;
    const std::int64_t values = sector / element_bytes;
    return (nx + values - 1) / values * values;
}
/// The elements of a row of a NodeArray.
inline std::int64_t node_pitch(const Setup& setup) {
    return sector_pitch(setup.grid.nx(), setup.element_bytes());
}
/// The elements of a shot of a NodeArray.
inline std::int64_t node_elements(const Setup& setup) {
    return node_pitch(setup) * setup.grid.ny() * setup.grid.nz();
}
/// \param data of node_elements() for each shot.
template <typename T>
NodeArray<T> node_array(const Setup& setup, T* data) {
    const std::int64_t pitch = node_pitch(setup);
    return {data, pitch, pitch * setup.grid.ny(), node_elements(setup)};
}

inline NodeRange range_of(const Box& box) {
    NodeRange range{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        range.low[axis] = static_cast<int>(box.low[axis]);
        range.count[axis] = static_cast<int>(box.high[axis] - box.low[axis]);
    }
    return range;
}

/// A field, the first one unless another is asked for.
template <typename T>
ShotLevels<T> levels_of(const CudaFields<T>& fields, std::size_t field = 0) {
    ShotLevels<T> levels;
    levels.now = fields.now(field);
    levels.before = fields.before(field);
    if (fields.problem().keeps_applied) levels.applied = fields.odd();
    levels.pitch = fields.layout().pitch;
    levels.plane = fields.layout().plane;
    levels.shot = fields.shots() > 1 ? fields.element(0, 1) - fields.element(0, 0) : 0;
    levels.shots = fields.shots();
    return levels;
}

}  // namespace onda::cuda
