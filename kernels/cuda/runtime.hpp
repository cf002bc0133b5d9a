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

/// \throws Error naming the call, its place, the GPU, CUDA's words, what they mean and what to do, unless `status` is
/// success.
void check_call(cudaError_t status, const char* call, const char* file, int line);

#define ONDA_CUDA_TRY(call) ::onda::cuda::check_call((call), #call, __FILE__, __LINE__)

struct Gpu;
/// A GPU of platform(), which is not asked for here; null before it is known.
const Gpu* known_gpu(int ordinal);

/// \throws Error, with what was asked for and what is free.
void* allocate_device(std::int64_t bytes);
/// \throws std::bad_alloc
void* allocate_pinned(std::int64_t bytes);
/// \param bytes as it was allocated with.
void free_pinned(void* data, std::int64_t bytes);

/// The device of the calling thread while an object that lives on a GPU works there: entered at the start of every
/// call, since threads and other GPUs take turns.
class DeviceScope {
public:
    explicit DeviceScope(int ordinal) : ordinal_(ordinal) { enter(); }
    /// From here on errors of this thread name the device. \throws Error.
    void enter() const;
    /// For destructors: a GPU that has failed has nothing to give back.
    void enter_to_free() const noexcept { static_cast<void>(cudaSetDevice(ordinal_)); }

private:
    int ordinal_;
};

class Stream {
public:
    Stream() { ONDA_CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    /// One whose work comes before that of others wherever both wait for a place on the device.
    static Stream urgent() {
        int least = 0, greatest = 0;
        ONDA_CUDA_TRY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
        cudaStream_t stream = nullptr;
        ONDA_CUDA_TRY(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
        return Stream(stream);
    }
    ~Stream() { cudaStreamDestroy(stream_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    [[nodiscard]] cudaStream_t get() const { return stream_; }
    void wait() const { ONDA_CUDA_TRY(cudaStreamSynchronize(stream_)); }

private:
    explicit Stream(cudaStream_t stream) : stream_(stream) {}

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
