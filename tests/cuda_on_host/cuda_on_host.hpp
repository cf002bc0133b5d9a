/// \file
/// Stands in for the device: CUDA kernels compiled for the host, one fibre per thread, so that a machine without a GPU
/// can run their very sources. Takes the place of the device half of kernels/cuda/primitives.hpp; see there for what
/// each function promises.
///
/// A thread runs until it must wait, then the next one does: the same order in every run. Copies that hardware performs
/// at a time of its own are performed as early or as late as the rules allow, so that a missing wait reads poison and a
/// missing "buffer is free" destroys what is still being read. What hardware answers with silence or a fault, such as a
/// misaligned copy, a barrier nobody initialised or a deadlock, is a DeviceFault here.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>

#include "dim3.hpp"

#define __global__
#define __device__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__

inline dim3 threadIdx, blockIdx, blockDim, gridDim;

void __syncthreads();

namespace onda::cuda {

/// An error of the kernel that ran; what() names block and thread.
struct DeviceFault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// When asynchronous copies happen: as soon as they are issued, or when no thread can go on without them.
enum class Copies { early, late };
/// Which threads have the first turn.
enum class Turns { forward, backward };

struct HostLaunch {
    dim3 grid, block;
    std::int64_t shared_bytes = 0;
    Copies copies = Copies::late;
    Turns turns = Turns::forward;
    bool flush_denormals = true;  ///< as -ftz=true does, in float only: false for kernels in double
};

/// Runs `thread` once for every thread of the grid. \throws DeviceFault.
void run_on_host(const HostLaunch& launch, const std::function<void()>& thread);

/// As kernel<<<grid, block, shared_bytes>>>(arguments...), done when it returns.
template <typename... Parameters, typename... Arguments>
void launch_on_host(const HostLaunch& launch, void (*kernel)(Parameters...), const Arguments&... arguments) {
    run_on_host(launch, [&] { kernel(arguments...); });
}

/// A 3-D array in global memory, x fastest, and the box that is copied from it: what cuTensorMapEncodeTiled is told.
struct TensorMap {
    const void* base = nullptr;
    int element_bytes = 4;
    std::int64_t extent[3] = {0, 0, 0};
    std::int64_t stride_bytes[2] = {0, 0};  ///< from one row and one plane to the next
    int box_width = 0, box_height = 0;
};

/// An mbarrier: 8 bytes, as on the device.
struct Barrier {
    std::uint16_t arrivals, arrivals_left;
    std::int32_t bytes_left;  ///< 2 * bytes of copies still to come + parity of the phase under way
};
static_assert(sizeof(Barrier) == 8);

unsigned char* shared_memory();

/// Waits for the whole block: kernels call it at the same places in all warps.
inline void warp_sync() {
    __syncthreads();
}

// Launches follow each other here.
inline void let_next_launch_begin() {}
inline void wait_for_launch_before() {}

void barrier_init(Barrier* barrier, int arrivals);
inline void barrier_init_fence() {}
void barrier_expect(Barrier* barrier, int bytes);
inline void barrier_arrive(Barrier* barrier) {
    barrier_expect(barrier, 0);
}
void barrier_wait(Barrier* barrier, int parity);
void copy_box(void* shared, const TensorMap* map, int x, int y, int z, Barrier* barrier);

void copy_async16(void* shared, const void* global, bool inside);
void copies_commit();
void wait_for_copies(int pending_groups);
template <int Pending>
void copies_wait() {
    wait_for_copies(Pending);
}

/// \throws DeviceFault unless `address` is a multiple of `alignment`.
void check_alignment(const void* address, int alignment, const char* what);

template <typename T>
Vec<T> load_streaming(const T* from) {
    check_alignment(from, 16, "load_streaming");
    Vec<T> a;
    std::memcpy(a.v, from, sizeof a.v);
    return a;
}
template <int Words>
void load_streaming_words(const void* from, std::uint32_t (&words)[Words]) {
    check_alignment(from, 4 * Words, "load_streaming_words");
    std::memcpy(words, from, sizeof words);
}
template <typename T>
void store_streaming(T* to, Vec<T> a) {
    check_alignment(to, 16, "store_streaming");
    std::memcpy(to, a.v, sizeof a.v);
}
template <typename T>
Vec<T> load_once(const T* from) {
    return load_streaming(from);
}
template <typename T>
void store_once(T* to, Vec<T> a) {
    store_streaming(to, a);
}

}  // namespace onda::cuda
