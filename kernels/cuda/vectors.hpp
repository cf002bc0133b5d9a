/// \file
/// 16-byte vectors of neighbouring nodes along x.
#pragma once

#include "kernels/cuda/primitives.hpp"
#include "kernels/equations/star/stencil.hpp"

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

}  // namespace onda::cuda
