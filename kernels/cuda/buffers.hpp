/// \file
/// Owned memory of a GPU and page-locked memory of the host, as a list of allocations plans them
/// (kernels/plan/allocations.hpp).
#pragma once

#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/runtime.hpp"
#include "kernels/plan/allocations.hpp"

namespace onda::cuda {

/// The row of an array on the device: the driver hands out 512 bytes at least, and 2 MiB from there on.
inline Allocation on_device(std::string name, Owner owner, std::int64_t elements, std::int64_t element_bytes) {
    const std::int64_t wanted = elements * element_bytes, unit = wanted >= (1 << 20) ? 2 << 20 : 512;
    return {std::move(name), Memory::device, owner, elements, element_bytes, (wanted + unit - 1) / unit * unit};
}

/// Device memory, uninitialised. \throws Error, with what was asked for and what is free.
template <typename T>
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    /// \param row of on_device().
    explicit DeviceBuffer(const Allocation& row) : size_(row.elements), bytes_(row.bytes) {
        check_element(row, sizeof(T));
        if (size_ > 0) data_ = static_cast<T*>(allocate_device(bytes_));
    }
    DeviceBuffer(DeviceBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          bytes_(std::exchange(other.bytes_, 0)) {}
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~DeviceBuffer() { cudaFree(data_); }

    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::int64_t size() const { return size_; }
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }

private:
    T* data_ = nullptr;
    std::int64_t size_ = 0, bytes_ = 0;
};

/// The row of an array in page-locked memory.
inline Allocation pinned(std::string name, Owner owner, std::int64_t elements, std::int64_t element_bytes,
                         std::int64_t count = 1) {
    return {std::move(name), Memory::pinned, owner, elements, element_bytes, elements * element_bytes, count};
}

/// Page-locked host memory, which the copy engines reach without a detour.
template <typename T>
class PinnedBuffer {
public:
    PinnedBuffer() = default;
    /// \param row of pinned().
    explicit PinnedBuffer(const Allocation& row)
        : data_(static_cast<T*>(allocate_pinned(row.bytes))), size_(row.elements), bytes_(row.bytes) {
        check_element(row, sizeof(T));
    }
    PinnedBuffer(PinnedBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          bytes_(std::exchange(other.bytes_, 0)) {}
    PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~PinnedBuffer() { free_pinned(data_, bytes_); }
    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::int64_t size() const { return size_; }

private:
    T* data_ = nullptr;
    std::int64_t size_ = 0, bytes_ = 0;
};

/// Makes a buffer one of this row, as it is if it has that size. Old memory goes before new is asked for.
template <typename Buffer>
void make_room(Buffer& buffer, const Allocation& row) {
    if (buffer.size() == row.elements) return;
    buffer = {};
    buffer = Buffer(row);
}

/// Copies host values to the device. When it returns they are there: cudaMemcpy alone returns while the last of them
/// are still on their way from its staging memory, and streams like ours do not wait for it.
template <typename T>
void copy_to_device(T* to, const T* from, std::int64_t count) {
    ONDA_CUDA_TRY(cudaMemcpy(to, from, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyHostToDevice));
    ONDA_CUDA_TRY(cudaStreamSynchronize(cudaStreamLegacy));
}

/// A copy of the values in device memory. \param row of on_device(), for as many elements.
template <typename T, typename Allocator>
DeviceBuffer<T> upload_vector(const Allocation& row, const std::vector<T, Allocator>& values) {
    if (row.elements != static_cast<std::int64_t>(values.size()))
        throw std::logic_error(row.name + " is planned with " + std::to_string(row.elements) + " elements, not " +
                               std::to_string(values.size()));
    DeviceBuffer<T> buffer(row);
    if (!values.empty()) copy_to_device(buffer.data(), values.data(), buffer.size());
    return buffer;
}
/// A copy of the values in device memory that is taken for a moment, and so stands in no list.
template <typename T>
DeviceBuffer<T> upload_for_a_moment(const std::vector<T>& values) {
    return upload_vector(on_device("for a moment", Owner::wavefield, std::ssize(values), sizeof(T)), values);
}

}  // namespace onda::cuda
