/// \file
/// 16-byte vectors of neighbouring nodes along x.
#pragma once

#include "kernels/cuda/primitives.hpp"
#include "kernels/equations/star/stencil.hpp"
#include "kernels/storage.hpp"

namespace onda::cuda {

template <typename T>
__device__ __forceinline__ Vec<T> load_vector(const T* from) {
    return *reinterpret_cast<const Vec<T>*>(from);
}

/// Stores the nodes that lie inside the grid: the first `inside`, or all.
template <typename T>
__device__ __forceinline__ void store_inside(T* to, Vec<T> a, int inside) {
    if (inside >= Vec<T>::size) {
        store_streaming(to, a);
        return;
    }
    ONDA_UNROLL
    for (int v = 0; v < Vec<T>::size; ++v)
        if (v < inside) to[v] = a.v[v];
}

/// a + w b, element by element.
template <typename T>
__device__ __forceinline__ Vec<T> add_weighted(T w, Vec<T> b, Vec<T> a) {
    ONDA_UNROLL
    for (int v = 0; v < Vec<T>::size; ++v) a.v[v] = fused(w, b.v[v], a.v[v]);
    return a;
}

// ---- k of the nodes of a vector as it is stored: kernels keep codes as they are until they need k ----

/// The codes of a vector of floats, in whole words: as numbers of their own compilers would take them apart where they
/// are loaded, and wait for them there.
template <typename Code>
struct alignas(4 * sizeof(Code)) CodeVec {
    std::uint32_t words[sizeof(Code)];

    [[nodiscard]] __device__ __forceinline__ std::uint32_t code(int i) const {
        constexpr int bits = 8 * static_cast<int>(sizeof(Code)), in_word = 32 / bits;
        return words[i / in_word] >> (bits * (i % in_word)) & ((1U << bits) - 1U);
    }
};

template <typename T>
__device__ __forceinline__ Vec<T> load_stored(const T* from) {
    return load_vector(from);
}
__device__ __forceinline__ CodeVec<CodesOfK::Code> load_stored(const CodesOfK::Code* from) {
    return *reinterpret_cast<const CodeVec<CodesOfK::Code>*>(from);
}
__device__ __forceinline__ CodeVec<IndicesOfK::Code> load_stored(const IndicesOfK::Code* from) {
    return *reinterpret_cast<const CodeVec<IndicesOfK::Code>*>(from);
}

template <typename T>
__device__ __forceinline__ void store_stored(T* to, Vec<T> stored) {
    *reinterpret_cast<Vec<T>*>(to) = stored;
}
template <typename Code>
__device__ __forceinline__ void store_stored(Code* to, CodeVec<Code> stored) {
    *reinterpret_cast<CodeVec<Code>*>(to) = stored;
}

/// From global memory, past the L1 cache.
template <typename T>
__device__ __forceinline__ Vec<T> load_streaming_stored(const T* k) {
    return load_streaming(k);
}
template <typename K>
__device__ __forceinline__ CodeVec<typename K::Code> load_streaming_stored(const K& k) {
    CodeVec<typename K::Code> stored;
    load_streaming_words(k.at, stored.words);
    return stored;
}

template <typename T>
__device__ __forceinline__ Vec<T> decoded(const T*, Vec<T> stored) {
    return stored;
}
template <typename K>
__device__ __forceinline__ Vec<float> decoded(const K& k, CodeVec<typename K::Code> stored) {
    Vec<float> values;
    ONDA_UNROLL
    for (int v = 0; v < 4; ++v) values.v[v] = k.decoded(stored.code(v));
    return values;
}

/// k of the nodes of a vector, from global memory.
template <typename T>
__device__ __forceinline__ Vec<T> load_k(const T* k) {
    return load_streaming(k);
}
__device__ __forceinline__ Vec<float> load_k(const CodedK& k) {
    if (k.storage == Storage::codes) return decoded(k.codes(), load_streaming_stored(k.codes()));
    return decoded(k.indices(), load_streaming_stored(k.indices()));
}

}  // namespace onda::cuda
