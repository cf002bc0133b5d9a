/// \file
/// The twins: the array streams of a time step without neighbours, the ceiling of any one-step kernel. No wave
/// equations.
#pragma once

#include "kernels/cuda/vectors.hpp"

namespace onda::cuda {

/// An array that a twin reads, or reads and writes: at node (0, 0, 0); strides in elements.
template <typename T>
struct Streamed {
    T* at = nullptr;
    std::int64_t pitch = 0, plane = 0;

    [[nodiscard]] __device__ __forceinline__ T* node(int x, int y, int z) const {
        return at + z * plane + y * pitch + x;
    }
};

/// The arrays of an equation: those that a step reads, and those that it overwrites.
template <typename T, int Reads, int Updates>
struct TwinArguments {
    int nx = 0, ny = 0, nz = 0;
    Streamed<const T> read[Reads];
    Streamed<T> update[Updates];
};

/// Adds next to nothing of all that is read to what is overwritten. The grid covers the vectors of a row; along y and z
/// it goes round as often as needed.
template <typename T, int Reads, int Updates>
__global__ void twin_step(const __grid_constant__ TwinArguments<T, Reads, Updates> a) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * Vec<T>::size;
    if (x >= a.nx) return;
    for (auto z = static_cast<int>(blockIdx.z); z < a.nz; z += static_cast<int>(gridDim.z))
        for (auto y = static_cast<int>(blockIdx.y); y < a.ny; y += static_cast<int>(gridDim.y)) {
            Vec<T> read[Reads], update[Updates];
            ONDA_UNROLL
            for (int i = 0; i < Reads; ++i) read[i] = load_vector(a.read[i].node(x, y, z));
            ONDA_UNROLL
            for (int i = 0; i < Updates; ++i) update[i] = load_vector(static_cast<const T*>(a.update[i].node(x, y, z)));
            ONDA_UNROLL
            for (int i = 1; i < Reads; ++i) read[0] = add_weighted(T(1), read[i], read[0]);
            ONDA_UNROLL
            for (int i = 0; i < Updates; ++i)
                *reinterpret_cast<Vec<T>*>(a.update[i].node(x, y, z)) = add_weighted(T(1e-12), read[0], update[i]);
        }
}

}  // namespace onda::cuda
