/// \file
/// The plain leap: every node of the inner result from global memory and caches, on every GPU, at every order.
#pragma once

#include "kernels/cuda/chunks.hpp"
#include "kernels/cuda/leap/leap_arguments.hpp"
#include "kernels/cuda/leap/leap_work.hpp"
#include "kernels/equations/star/leap.hpp"

namespace onda::cuda {

/// The tile of a block: a thread a node.
template <typename T_, int Dims, int R>
struct LeapDirectTile {
    using T = T_;
    static constexpr int width = Dims == 3 ? 32 : 128, height = Dims == 3 ? 8 : 1, threads = width * height;
    static constexpr int reach_y = Dims == 3 ? R : 0;
    static constexpr int inner_width = width + 2 * R, inner_height = height + 2 * reach_y;
    static constexpr int shared_bytes = inner_width * inner_height * static_cast<int>(sizeof(T));
};

/// u = k L(p) on one plane of the tile and r nodes around it; zero beyond the grid.
template <typename Tile, int Dims, int R, typename Arguments>
__device__ __forceinline__ void compute_inner_plane(const Arguments& a, int x, int y, int z, typename Tile::T* u) {
    using T = typename Tile::T;
    const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
    for (int i = thread; i < Tile::inner_width * Tile::inner_height; i += Tile::threads) {
        const int node_x = x - R + i % Tile::inner_width, node_y = y - Tile::reach_y + i / Tile::inner_width;
        T value = 0;
        if (node_x >= 0 && node_x < a.nx && node_y >= 0 && node_y < a.ny && z >= 0 && z < a.nz)
            value = leap_inner(
                k_of(a)[z * a.k_plane + node_y * a.k_pitch + node_x],
                laplacian<T, Dims, R>(a.p + z * a.plane + node_y * a.pitch + node_x, a.pitch, a.plane, a.stencil));
        u[i] = value;
    }
}

/// p[n+2] on one tile of a chunk of planes, with the in-plane method on u, of which one plane is there at a time. Grid:
/// tiles along x, tiles along y, chunks along z.
template <typename T, int Dims, int R, typename Arguments = LeapArguments<T>>
__global__ void __launch_bounds__(LeapDirectTile<T, Dims, R>::threads)
    leap_direct_step(const __grid_constant__ Arguments a) {
    using Tile = LeapDirectTile<T, Dims, R>;
    T* const plane_of_u = reinterpret_cast<T*>(shared_memory());
    const int tile_x = a.begin[0] + static_cast<int>(blockIdx.x) * Tile::width;
    const int tile_y = a.begin[1] + static_cast<int>(blockIdx.y) * Tile::height;
    const int x = tile_x + static_cast<int>(threadIdx.x), y = tile_y + static_cast<int>(threadIdx.y);
    const ChunkOfPlanes planes = chunk_of_block(a.chunks, a.begin[2], a.end[2]);
    const T* const mine =
        plane_of_u + (static_cast<int>(threadIdx.y) + Tile::reach_y) * Tile::inner_width + threadIdx.x + R;
    T previous[R] = {}, pending[R] = {};
    for (int z = planes.begin - R; z < planes.end + R; ++z) {
        compute_inner_plane<Tile, Dims, R>(a, tile_x, tile_y, z, plane_of_u);
        __syncthreads();
        const T u = *mine;
        if (z >= planes.begin + R && x < a.end[0] && y < a.end[1]) {  // the plane R behind is complete
            const std::int64_t node = (z - R) * a.plane + y * a.pitch + x;
            a.q[node] =
                leap(a.weights, a.p[node], a.q[node], previous[R - 1], k_of(a)[(z - R) * a.k_plane + y * a.k_pitch + x],
                     fused(a.stencil.axis[2][R], u, pending[R - 1]));
        }
        T l = in_plane_laplacian<T, Dims, R>(mine, Tile::inner_width, a.stencil);
        ONDA_UNROLL
        for (int i = 0; i < R; ++i) l = fused(a.stencil.axis[2][i + 1], previous[i], l);
        ONDA_UNROLL
        for (int i = R - 1; i > 0; --i) {
            pending[i] = fused(a.stencil.axis[2][i], u, pending[i - 1]);
            previous[i] = previous[i - 1];
        }
        pending[0] = l;
        previous[0] = u;
        __syncthreads();
    }
}

/// What a plane costs a tile: the inner result on the nodes around it too, each node of which reads its star from the
/// L1 cache; 6 r + 3 operations for either application in 3-D.
template <typename T, int Dims, int R>
constexpr LeapWork leap_direct_work() {
    using Tile = LeapDirectTile<T, Dims, R>;
    constexpr double inner = Tile::inner_width * Tile::inner_height, nodes = Tile::threads;
    constexpr int neighbours = 2 * Dims * R, star = (Dims == 3 ? 6 : 4) * R + 1;
    constexpr double line = kWavefrontBytes / 32.;
    constexpr int index_of_inner = 40, index = 20;
    LeapWork work;
    work.p_values = inner * (1. + 2. * R / Tile::inner_height);
    work.k_values = inner;
    work.shared_bytes =
        inner * ((neighbours + 3) * sizeof(T) + 2 * R * line) + nodes * (neighbours - 2 * R + 5) * sizeof(T);
    work.operations = inner * (star + 1) + nodes * (star + 4);
    work.instructions = work.operations + inner * (2 * neighbours + index_of_inner) + nodes * (neighbours + index);
    return work;
}

}  // namespace onda::cuda
