/// \file
/// Kernels that are bound by one thing: the memory, the L2 cache, shared memory, the issue of instructions, double
/// precision, or the latency of a load. What they compute serves nobody; it is stored where it could be, so that no
/// compiler leaves it out.
#pragma once

#include <cstdint>

#include "kernels/cuda/vectors.hpp"

namespace onda::cuda {

/// a = b + s c, the triad of STREAM (McCalpin 1995), vector by vector.
template <typename T>
__global__ void probe_triad(T* a, const T* b, const T* c, std::int64_t vectors) {
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < vectors; i += step) {
        const Vec<T> x = load_vector(b + i * Vec<T>::size), y = load_vector(c + i * Vec<T>::size);
        Vec<T> sum;
        ONDA_UNROLL
        for (int v = 0; v < Vec<T>::size; ++v) sum.v[v] = fused(T(3), y.v[v], x.v[v]);
        *reinterpret_cast<Vec<T>*>(a + i * Vec<T>::size) = sum;
    }
}

/// Reads an array that the L2 cache holds `rounds` times, past the L1 caches: four loads on their way at a time. The
/// number of vectors is a multiple of four times the threads.
template <typename T>
__global__ void probe_cache(T* sink, const T* from, std::int64_t vectors, int rounds) {
    const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    T sum = T(0);
    for (int round = 0; round < rounds; ++round)
        for (std::int64_t i = first; i < vectors; i += 4 * threads) {
            Vec<T> a[4];
            ONDA_UNROLL
            for (int j = 0; j < 4; ++j) a[j] = load_streaming(from + (i + j * threads) * Vec<T>::size);
            ONDA_UNROLL
            for (int j = 0; j < 4; ++j) sum = sum + (a[j].v[0] + a[j].v[Vec<T>::size - 1]);
        }
    if (sum == T(-1)) sink[first] = sum;
}

/// Every thread reads its vectors of a tile in shared memory, which change with the round.
template <typename T>
__global__ void probe_shared(T* sink, int rounds) {
    constexpr int vectors = 1024;
    T* const tile = reinterpret_cast<T*>(shared_memory());
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    for (int i = thread; i < vectors * Vec<T>::size; i += threads) tile[i] = static_cast<T>(i % 7);
    __syncthreads();
    T sum[4] = {};
    for (int round = 0; round < rounds; ++round) {
        ONDA_UNROLL
        for (int j = 0; j < 8; ++j) {
            const Vec<T> a = load_vector(tile + (thread + round + j * 64) % vectors * Vec<T>::size);
            ONDA_UNROLL
            for (int v = 0; v < Vec<T>::size; ++v) sum[v % 4] = sum[v % 4] + a.v[v];
        }
    }
    if (sum[0] + sum[1] + sum[2] + sum[3] == T(-1)) sink[thread] = sum[0];
}

/// Chains of fma, enough of them to hide each other.
template <typename T>
__global__ void probe_issue(T* sink, T w, int rounds) {
    constexpr int chains = 8, unrolled = 16;
    T a[chains];
    ONDA_UNROLL
    for (int i = 0; i < chains; ++i) a[i] = static_cast<T>(threadIdx.x + static_cast<unsigned>(i));
    for (int round = 0; round < rounds; ++round) {
        ONDA_UNROLL
        for (int u = 0; u < unrolled; ++u) ONDA_UNROLL
        for (int i = 0; i < chains; ++i) a[i] = fused(a[i], w, w);
    }
    T sum = T(0);
    ONDA_UNROLL
    for (int i = 0; i < chains; ++i) sum = sum + a[i];
    if (sum == T(-1)) sink[threadIdx.x] = sum;
}
/// fma of a thread of probe_issue() in a round.
inline constexpr int kProbeOperations = 8 * 16;

/// One thread goes from place to place, each of which names the next.
template <typename T>
__global__ void probe_latency(T* sink, const std::uint32_t* next, int loads) {
    std::uint32_t at = 0;
    for (int i = 0; i < loads; ++i) at = next[at];
    if (at == 0xffffffffu) sink[0] = T(1);
}

}  // namespace onda::cuda
