/// \file
/// All that the CUDA kernels use of the device: vectors, copies, barriers. Their sources include nothing else of CUDA,
/// so that the tests can compile them for the host, where cuda_on_host.hpp stands in for the second half of this file.
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"

namespace onda::cuda {

/// Before a loop that must be unrolled: the arrays indexed in it live in registers.
#if defined(__CUDACC__)
#define ONDA_PRAGMA(text) _Pragma(#text)
#define ONDA_UNROLL _Pragma("unroll")
/// Before a loop of unknown length: that many rounds become one.
#define ONDA_UNROLL_BY(rounds) ONDA_PRAGMA(unroll rounds)
#else
#define ONDA_UNROLL
#define ONDA_UNROLL_BY(rounds)
#endif

/// 16 bytes: the unit in which kernels read and write global and shared memory.
template <typename T>
struct alignas(16) Vec {
    static constexpr int size = 16 / sizeof(T);
    T v[size];
};

/// Where a copy engine finds a field, and the size of the box it copies.
struct TensorMap;

}  // namespace onda::cuda

#if !defined(__CUDACC__)
#include "cuda_on_host.hpp"
#else

namespace onda::cuda {

/// CUtensorMap, without its header.
struct alignas(64) TensorMap {
    std::uint64_t opaque[16];
};

__device__ __forceinline__ unsigned shared_address(const void* shared) {
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

/// This block's dynamic shared memory.
__device__ __forceinline__ unsigned char* shared_memory() {
    extern __shared__ __align__(1024) unsigned char onda_shared_memory[];
    return onda_shared_memory;
}

/// Waits for the other threads of this warp, and makes what they wrote to shared memory visible.
__device__ __forceinline__ void warp_sync() {
    __syncwarp();
}

// ---- Launches that overlap (LaunchShape::overlaps), of sm_90 and newer: elsewhere each waits for the one before. ----

/// Lets the blocks of the next launch come to the multiprocessors, once all of this one have.
__device__ __forceinline__ void let_next_launch_begin() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
/// Waits until the launch before is done and what it wrote can be read. Every thread calls it, whatever it does.
__device__ __forceinline__ void wait_for_launch_before() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// ---- Global memory that a kernel touches once: past the L1 cache. ----

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
/// Without a hint, or with evict_first, in-plane kernels are 2 to 5 % slower on an H200: docs/performance.md.
__device__ __forceinline__ std::uint64_t evict_normal() {
    std::uint64_t policy;
    asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}
__device__ __forceinline__ Vec<float> load_streaming(const float* from) {
    Vec<float> a;
    asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=f"(a.v[0]), "=f"(a.v[1]), "=f"(a.v[2]), "=f"(a.v[3])
                 : "l"(from), "l"(evict_normal()));
    return a;
}
__device__ __forceinline__ Vec<double> load_streaming(const double* from) {
    Vec<double> a;
    asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v2.f64 {%0, %1}, [%2], %3;"
                 : "=d"(a.v[0]), "=d"(a.v[1])
                 : "l"(from), "l"(evict_normal()));
    return a;
}
/// 8 or 4 bytes, aligned to as many.
__device__ __forceinline__ void load_streaming_words(const void* from, std::uint32_t (&words)[2]) {
    asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v2.u32 {%0, %1}, [%2], %3;"
                 : "=r"(words[0]), "=r"(words[1])
                 : "l"(from), "l"(evict_normal()));
}
__device__ __forceinline__ void load_streaming_words(const void* from, std::uint32_t (&words)[1]) {
    asm volatile("ld.global.L1::no_allocate.L2::cache_hint.u32 %0, [%1], %2;"
                 : "=r"(words[0])
                 : "l"(from), "l"(evict_normal()));
}
__device__ __forceinline__ void store_streaming(float* to, Vec<float> a) {
    asm volatile("st.global.L1::no_allocate.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(to), "f"(a.v[0]),
                 "f"(a.v[1]), "f"(a.v[2]), "f"(a.v[3]), "l"(evict_normal())
                 : "memory");
}
__device__ __forceinline__ void store_streaming(double* to, Vec<double> a) {
    asm volatile("st.global.L1::no_allocate.L2::cache_hint.v2.f64 [%0], {%1, %2}, %3;" ::"l"(to), "d"(a.v[0]),
                 "d"(a.v[1]), "l"(evict_normal())
                 : "memory");
}
#else
template <typename T>
__device__ __forceinline__ Vec<T> load_streaming(const T* from) {
    return *reinterpret_cast<const Vec<T>*>(from);
}
template <int Words>
__device__ __forceinline__ void load_streaming_words(const void* from, std::uint32_t (&words)[Words]) {
    ONDA_UNROLL
    for (int i = 0; i < Words; ++i) words[i] = static_cast<const std::uint32_t*>(from)[i];
}
template <typename T>
__device__ __forceinline__ void store_streaming(T* to, Vec<T> a) {
    *reinterpret_cast<Vec<T>*>(to) = a;
}
#endif

// ---- Global memory that nothing soon asks for again: the first that the L2 cache gives up. ----

__device__ __forceinline__ Vec<float> load_once(const float* from) {
    const float4 a = __ldcs(reinterpret_cast<const float4*>(from));
    return {{a.x, a.y, a.z, a.w}};
}
__device__ __forceinline__ Vec<double> load_once(const double* from) {
    const double2 a = __ldcs(reinterpret_cast<const double2*>(from));
    return {{a.x, a.y}};
}
__device__ __forceinline__ void store_once(float* to, Vec<float> a) {
    __stcs(reinterpret_cast<float4*>(to), make_float4(a.v[0], a.v[1], a.v[2], a.v[3]));
}
__device__ __forceinline__ void store_once(double* to, Vec<double> a) {
    __stcs(reinterpret_cast<double2*>(to), make_double2(a.v[0], a.v[1]));
}

// ---- 16-byte copies to shared memory: asynchronous from sm_80 on, through registers before. ----

/// Zeros if `inside` is false; `global` is not read then.
__device__ __forceinline__ void copy_async16(void* shared, const void* global, bool inside) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)), "l"(global),
                 "r"(inside ? 16 : 0)
                 : "memory");
#else
    *static_cast<float4*>(shared) = inside ? *static_cast<const float4*>(global) : make_float4(0.f, 0.f, 0.f, 0.f);
#endif
}
/// Ends a group of copies of this thread.
__device__ __forceinline__ void copies_commit() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/// Waits until at most `Pending` of this thread's groups are under way.
template <int Pending>
__device__ __forceinline__ void copies_wait() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

// ---- Bulk-tensor copies (TMA) and barriers, of sm_90 and newer. ----

/// An mbarrier in shared memory.
struct Barrier {
    std::uint64_t opaque;
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/// Keeps lines in the L2 cache: the neighbours of a tile read its halo again.
__device__ __forceinline__ std::uint64_t evict_last() {
    std::uint64_t policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}
__device__ __forceinline__ void barrier_init(Barrier* barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
/// Makes the barriers this thread has initialised visible to the copy engine.
__device__ __forceinline__ void barrier_init_fence() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
/// One arrival, and `bytes` of copies still to come in this phase.
__device__ __forceinline__ void barrier_expect(Barrier* barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}
/// One arrival: what this thread has read and written comes before. Arrivals of all threads cost no more than one of
/// each warp behind __syncwarp(), which compute-sanitizer takes for a race.
__device__ __forceinline__ void barrier_arrive(Barrier* barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
/// Returns once the phase of this parity (0 for the first, then 1, 0, …) has completed.
__device__ __forceinline__ void barrier_wait(Barrier* barrier, int parity) {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@done bra finished;\n"
        "bra again;\n"
        "finished:\n"
        "}" ::"r"(shared_address(barrier)),
        "r"(parity)
        : "memory");
}
/// Copies the box whose first element has tensor coordinates (x, y, z) densely to `shared` (128-byte aligned), zeros
/// where it lies outside, and completes its bytes on the barrier. Kept in the L2 cache: neighbours read the halo again.
__device__ __forceinline__ void copy_box(void* shared, const TensorMap* map, int x, int y, int z, Barrier* barrier) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
        "[%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(shared_address(shared)),
        "l"(map), "r"(shared_address(barrier)), "r"(x), "r"(y), "r"(z), "l"(evict_last())
        : "memory");
}
#else
// Compiled for older GPUs, too, and never run there: instances with bulk-tensor copies ask for sm_90.
__device__ __forceinline__ void barrier_init(Barrier*, int) {
    __trap();
}
__device__ __forceinline__ void barrier_init_fence() {}
__device__ __forceinline__ void barrier_expect(Barrier*, int) {}
__device__ __forceinline__ void barrier_arrive(Barrier*) {}
__device__ __forceinline__ void barrier_wait(Barrier*, int) {}
__device__ __forceinline__ void copy_box(void*, const TensorMap*, int, int, int, Barrier*) {}
#endif

}  // namespace onda::cuda
#endif
