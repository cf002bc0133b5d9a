/// \file
/// Ownership and errors of the CUDA runtime, done once.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/reports.hpp"

namespace onda::cuda {

/// \throws Error naming the call, its place, CUDA's words and the likely remedy, unless `status` is success.
void check_call(cudaError_t status, const char* call, const char* file, int line);

#define ONDA_CUDA_TRY(call) ::onda::cuda::check_call((call), #call, __FILE__, __LINE__)

/// \throws Error, with what was asked for and what is free.
void* allocate_device(std::int64_t bytes);
/// \throws std::bad_alloc
void* allocate_pinned(std::int64_t bytes);

/// Device memory of `size` elements, uninitialised. \throws Error, with what was asked for and what is free.
template <typename T>
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    explicit DeviceBuffer(std::int64_t size) : size_(size) {
        if (size > 0) data_ = static_cast<T*>(allocate_device(bytes_for(size)));
    }
    DeviceBuffer(DeviceBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~DeviceBuffer() { cudaFree(data_); }

    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::int64_t size() const { return size_; }
    [[nodiscard]] std::int64_t bytes() const { return bytes_for(size_); }
    /// What `size` elements take: the driver hands out 512 bytes at least, and 2 MiB from there on.
    [[nodiscard]] static std::int64_t bytes_for(std::int64_t size) {
        const auto wanted = size * static_cast<std::int64_t>(sizeof(T));
        const std::int64_t unit = wanted >= (1 << 20) ? 2 << 20 : 512;
        return (wanted + unit - 1) / unit * unit;
    }

private:
    T* data_ = nullptr;
    std::int64_t size_ = 0;
};

/// Page-locked host memory, which the copy engines reach without a detour.
template <typename T>
class PinnedBuffer {
public:
    PinnedBuffer() = default;
    explicit PinnedBuffer(std::int64_t size)
        : data_(static_cast<T*>(allocate_pinned(size * static_cast<std::int64_t>(sizeof(T))))), size_(size) {}
    PinnedBuffer(PinnedBuffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~PinnedBuffer() { cudaFreeHost(data_); }
    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::int64_t size() const { return size_; }

private:
    T* data_ = nullptr;
    std::int64_t size_ = 0;
};

/// Copies host values to the device. When it returns they are there: cudaMemcpy alone returns while the last of them
/// are still on their way from its staging memory, and streams like ours do not wait for it.
template <typename T>
void copy_to_device(T* to, const T* from, std::int64_t count) {
    ONDA_CUDA_TRY(cudaMemcpy(to, from, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyHostToDevice));
    ONDA_CUDA_TRY(cudaStreamSynchronize(cudaStreamLegacy));
}

/// A copy of the values in device memory.
template <typename T>
DeviceBuffer<T> upload_vector(const std::vector<T>& values) {
    DeviceBuffer<T> buffer(static_cast<std::int64_t>(values.size()));
    if (!values.empty()) copy_to_device(buffer.data(), values.data(), buffer.size());
    return buffer;
}

/// The device of the calling thread while an object that lives on a GPU works there: entered at the start of every
/// call, since threads and other GPUs take turns.
class DeviceScope {
public:
    explicit DeviceScope(int ordinal) : ordinal_(ordinal) { enter(); }
    void enter() const { ONDA_CUDA_TRY(cudaSetDevice(ordinal_)); }

private:
    int ordinal_;
};

class Stream {
public:
    Stream() { ONDA_CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    ~Stream() { cudaStreamDestroy(stream_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    [[nodiscard]] cudaStream_t get() const { return stream_; }
    void wait() const { ONDA_CUDA_TRY(cudaStreamSynchronize(stream_)); }

private:
    cudaStream_t stream_ = nullptr;
};

/// A point in a stream that other streams and the host can wait for.
class Event {
public:
    Event() { ONDA_CUDA_TRY(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
    ~Event() { cudaEventDestroy(event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    void record(const Stream& stream) const { ONDA_CUDA_TRY(cudaEventRecord(event_, stream.get())); }
    void hold(const Stream& stream) const { ONDA_CUDA_TRY(cudaStreamWaitEvent(stream.get(), event_, 0)); }
    void wait() const { ONDA_CUDA_TRY(cudaEventSynchronize(event_)); }
    [[nodiscard]] cudaEvent_t get() const { return event_; }

private:
    cudaEvent_t event_ = nullptr;
};

}  // namespace onda::cuda
