/// \file
/// Arrays in the memory of a GPU as parts of a shot's state.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/buffers.hpp"
#include "kernels/fields/field_set.hpp"

namespace onda::cuda {

/// The arrays that the state of a shot is made of, in the order of its parts. Copies wait, and nothing else that is
/// queued may use the arrays.
template <typename T>
class StateArrays {
public:
    /// \param pitch elements from one row of values, [z][y][x], to the next. An array without values is no part.
    void add(std::string name, const std::array<std::int64_t, 3>& extents, std::int64_t pitch, T* values) {
        if (extents[0] * extents[1] * extents[2] > 0)
            arrays_.push_back({{std::move(name), extents, sizeof(T)}, pitch, values});
    }
    [[nodiscard]] std::vector<StatePart> parts() const {
        std::vector<StatePart> parts;
        for (const Array& array : arrays_) parts.push_back(array.part);
        return parts;
    }
    void read(const StatePart& wanted, const StateVisitor& take) const {
        for_planes(wanted, [&](const Array& array, std::int64_t z, std::vector<T>& rows, std::vector<T>& plane) {
            ONDA_CUDA_TRY(cudaMemcpy(rows.data(), array.plane(z), rows.size() * sizeof(T), cudaMemcpyDeviceToHost));
            for (std::int64_t y = 0; y < array.part.extents[1]; ++y)
                std::copy_n(rows.begin() + y * array.pitch, array.part.extents[0],
                            plane.begin() + y * array.part.extents[0]);
            take(array.part, z, std::as_writable_bytes(std::span<T>(plane)));
        });
    }
    void write(const StatePart& wanted, const StateVisitor& fill) const {
        for_planes(wanted, [&](const Array& array, std::int64_t z, std::vector<T>& rows, std::vector<T>& plane) {
            fill(array.part, z, std::as_writable_bytes(std::span<T>(plane)));
            for (std::int64_t y = 0; y < array.part.extents[1]; ++y)
                std::copy_n(plane.begin() + y * array.part.extents[0], array.part.extents[0],
                            rows.begin() + y * array.pitch);
            copy_to_device(array.plane(z), rows.data(), std::ssize(rows));
        });
    }

private:
    struct Array {
        StatePart part;
        std::int64_t pitch;
        T* values;
        [[nodiscard]] T* plane(std::int64_t z) const { return values + z * part.extents[1] * pitch; }
    };

    /// Calls body(array, z, rows as the device has them, values [y][x]) for every plane of a part.
    template <typename Body>
    void for_planes(const StatePart& wanted, const Body& body) const {
        for (const Array& array : arrays_) {
            if (array.part != wanted) continue;
            std::vector<T> rows(static_cast<std::size_t>(array.pitch * array.part.extents[1]));
            std::vector<T> plane(static_cast<std::size_t>(array.part.extents[0] * array.part.extents[1]));
            for (std::int64_t z = 0; z < array.part.extents[2]; ++z) body(array, z, rows, plane);
        }
    }

    std::vector<Array> arrays_;
};

}  // namespace onda::cuda
