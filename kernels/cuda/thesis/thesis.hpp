/// \file
/// The kernel of Ribero Figueroa (2016) with the mapping it had there, for its tables: order and tile are run-time
/// numbers, both queues are in shared memory, and threadIdx.x runs along the slowest axis.
///
/// The thesis keeps v[x][y][z], z fastest, tiles the x-z plane and marches along y. Its x is our z and its z our x. It
/// sums in another order than the canonical one (y comes last), so its results agree with the others to rounding.
#pragma once

#include "kernels/cuda/arguments.hpp"
#include "kernels/cuda/inplane/tile.hpp"

namespace onda::cuda {

template <typename T>
struct ThesisArguments : StepArguments<T> {
    TileLayout layout;           ///< of the plane: x is the grid's x, y is the grid's z
    int tile_x = 0, tile_z = 0;  ///< nodes along the grid's x and z: threadIdx.z and threadIdx.x
};

/// What a node costs a thread for a plane: the tile, the queues that move in shared memory, and the loop over the
/// radius.
struct ThesisWork {
    int operations, instructions, shared_accesses;
};
constexpr ThesisWork thesis_work(int radius, int dimensions, int loaded_a_thread) {
    const int ry = dimensions == 3 ? radius : 0, operations = 4 * radius + 2 * ry + 3;
    constexpr int part_of_tile = 8, load = 25, loop = 40;  // finding an element's part, copying one, everything else
    const int shared = 1 + 4 * radius + 6 * ry + 2 + loaded_a_thread;
    return {operations, operations + shared + (1 + 4 * radius) * part_of_tile + loaded_a_thread * load + loop, shared};
}

/// Copies the rectangles of plane y, every thread a share of each.
template <typename T>
__device__ void thesis_load(const ThesisArguments<T>& a, T* tile, int x0, int y, int z0, int thread, int threads) {
    const int r = a.stencil.radius;
    for (int i = 0; i < a.layout.count; ++i) {
        const StoredRectangle rectangle = a.layout.rectangle[i];
        for (int e = thread; e < rectangle.width * rectangle.height; e += threads) {
            const int row = e % rectangle.height, column = e / rectangle.height;
            const int x = x0 + rectangle.x + column, z = z0 + rectangle.y + row;
            const bool inside = x < a.nx + r && z < a.nz + r;
            tile[rectangle.offset + row * rectangle.width + column] =
                inside ? a.p[z * a.plane + y * a.pitch + x] : T(0);
        }
    }
}

/// Element (x, z) of the tile frame, in the core or in one of the four halos.
template <typename T>
__device__ T thesis_element(const ThesisArguments<T>& a, const T* tile, int x, int z) {
    const Part part = x < 0           ? a.layout.left
                      : x >= a.tile_x ? a.layout.right
                      : z < 0         ? a.layout.top
                      : z >= a.tile_z ? a.layout.bottom
                                      : a.layout.core;
    return tile[part.offset + z * part.pitch + x];
}

/// Block: (tile_z, 1, tile_x). Grid: (tiles along z, 1, tiles along x). Shared memory: the layout and two queues of
/// radius * threads each. The largest tile of the thesis' tables, 32 x 32, bounds the registers.
template <typename T>
__global__ void __launch_bounds__(1024) thesis_step(const __grid_constant__ ThesisArguments<T> a) {
    const Stencil<T>& w = a.stencil;
    const int r = w.radius, ry = a.y_halo;  // 0 in 2-D
    const int threads = a.tile_x * a.tile_z;
    const int local_x = static_cast<int>(threadIdx.z), local_z = static_cast<int>(threadIdx.x);
    const int thread = local_z + local_x * a.tile_z;
    const int x0 = static_cast<int>(blockIdx.z) * a.tile_x, z0 = static_cast<int>(blockIdx.x) * a.tile_z;
    const int x = x0 + local_x, z = z0 + local_z;
    T* const tile = reinterpret_cast<T*>(shared_memory());
    T* const previous = tile + a.layout.size + thread;  // plane y - 1 - i at [i * threads]
    T* const pending = previous + ry * threads;         // of plane y - 1 - i
    for (int i = 0; i < 2 * ry; ++i) previous[i * threads] = T(0);
    for (int y = -ry; y < a.ny + ry; ++y) {
        thesis_load(a, tile, x0, y, z0, thread, threads);
        __syncthreads();
        const T centre = thesis_element(a, tile, local_x, local_z);
        T l = w.centre * centre;
        for (int k = 1; k <= r; ++k) {
            const T along_x =
                thesis_element(a, tile, local_x - k, local_z) + thesis_element(a, tile, local_x + k, local_z);
            const T along_z =
                thesis_element(a, tile, local_x, local_z - k) + thesis_element(a, tile, local_x, local_z + k);
            l = fused(w.axis[0][k], along_x, l);
            l = fused(w.axis[2][k], along_z, l);
        }
        for (int k = 1; k <= ry; ++k) {
            l = fused(w.axis[1][k], previous[(k - 1) * threads], l);
            pending[(k - 1) * threads] = fused(w.axis[1][k], centre, pending[(k - 1) * threads]);
        }
        const int done = y - ry;  // the plane that is complete now
        if (done >= 0 && x < a.nx && z < a.nz) {
            const T p = ry > 0 ? previous[(ry - 1) * threads] : centre;
            const T sum = ry > 0 ? pending[(ry - 1) * threads] : l;
            T* const q = a.q + z * a.plane + done * a.pitch + x;
            *q = leapfrog(p, *q, a.k[z * a.k_plane + done * a.k_pitch + x], sum);
        }
        for (int i = ry - 1; i > 0; --i) {
            previous[i * threads] = previous[(i - 1) * threads];
            pending[i * threads] = pending[(i - 1) * threads];
        }
        if (ry > 0) {
            previous[0] = centre;
            pending[0] = l;
        }
        __syncthreads();
    }
}

}  // namespace onda::cuda
