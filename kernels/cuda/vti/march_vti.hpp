/// \file
/// Vertical transverse isotropy marching along z: a block owns a tile of the x-y plane. The horizontal stress is
/// differentiated in the plane alone, whose tile and halo a copy engine loads, and the vertical one along z alone: a
/// thread keeps its own nodes of 2 r + 1 planes of it in a queue of registers.
#pragma once

#include "kernels/cuda/inplane/inplane.hpp"
#include "kernels/cuda/vti/stresses.hpp"

namespace onda::cuda {

template <typename T>
using VtiTileArguments = WithStresses<T, InPlaneArguments<T>>;
template <typename T>
using StrainTileArguments = WithStrain<T, InPlaneArguments<T>>;

/// A thread's own nodes of the plane that is computed, Tile::rows rows of one vector, and of those around it along z.
/// \tparam Arguments VtiTileArguments, or StrainTileArguments.
template <typename Tile, typename Arguments>
class StressColumns {
public:
    using T = typename Tile::T;
    static constexpr int R = Tile::radius, N = Tile::rows, V = Tile::vector;
    static constexpr bool has_strain = kHasStrain<Arguments>;

    /// \param x, y of the first own node; \param z plane that is computed first.
    __device__ __forceinline__ StressColumns(const Arguments& a, int x, int y, int z)
        : a_(a), x_(x), y_(y), node_(z * a.plane + y * a.pitch + x), of_medium_(z * a.k_plane + y * a.k_pitch + x) {
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) {
            if (!is_inside(j)) continue;
            ONDA_UNROLL
            for (int i = 0; i < 2 * R; ++i)
                column_[j][i] = load_vector(a.vertical + node_ + j * a.pitch + (i - R) * a.plane);
        }
        ask();
    }
    /// Asks for what the plane needs beside what the queue holds: q of the plane R ahead, both stresses of the step
    /// before, the strain, and the medium.
    __device__ __forceinline__ void ask() {
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) {
            if (!is_inside(j)) continue;
            const std::int64_t node = node_ + j * a_.pitch, of_medium = of_medium_ + j * a_.k_pitch;
            newest_[j] = load_vector(a_.vertical + node + R * a_.plane);
            p_before_[j] = load_streaming(static_cast<const T*>(a_.q + node));
            q_before_[j] = load_streaming(static_cast<const T*>(a_.vertical_next + node));
            if constexpr (has_strain) {
                strain_[j] = load_streaming(a_.strain + node);
                strain_before_[j] = load_streaming(static_cast<const T*>(a_.strain_next + node));
            }
            k_[j] = load_streaming(a_.k + of_medium);
            e_[j] = load_streaming(a_.e + of_medium);
            d_[j] = load_streaming(a_.d + of_medium);
        }
    }
    /// q of row j of the plane.
    [[nodiscard]] __device__ __forceinline__ Vec<T> own(int j) const { return column_[j][R]; }
    /// Every field of the next step in row j. \param p of the plane, and l but for the neighbours along z.
    __device__ __forceinline__ void advance(int j, Vec<T> p, Vec<T> l) {
        const T* const w = a_.stencil.axis[2];
        Vec<T> p_next, q_next;
        [[maybe_unused]] Vec<T> strain_next;
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) {
            const T q = own(j).v[v];
            T sum = l.v[v], vertical = a_.vertical_centre * q;
            const auto add = [&](int k, T value) {
                sum = fused(w[k], value, sum);
                vertical = fused(w[k], value, vertical);
            };
            ONDA_UNROLL
            for (int k = 1; k <= R; ++k) add(k, column_[j][R - k].v[v]);
            ONDA_UNROLL
            for (int k = 1; k < R; ++k) add(k, column_[j][R + k].v[v]);
            add(R, newest_[j].v[v]);
            p_next.v[v] = next_horizontal(p.v[v], p_before_[j].v[v], k_[j].v[v], e_[j].v[v], d_[j].v[v], sum, vertical);
            q_next.v[v] = next_vertical(q, q_before_[j].v[v], k_[j].v[v], d_[j].v[v], sum, vertical);
            if constexpr (has_strain)
                strain_next.v[v] = next_strain(strain_[j].v[v], strain_before_[j].v[v], k_[j].v[v], sum, vertical);
        }
        if (y_ + j >= a_.ny) return;
        store_inside(a_.q + node_ + j * a_.pitch, p_next, a_.nx - x_);
        store_inside(a_.vertical_next + node_ + j * a_.pitch, q_next, a_.nx - x_);
        if constexpr (has_strain) store_inside(a_.strain_next + node_ + j * a_.pitch, strain_next, a_.nx - x_);
    }
    /// Moves on to the next plane.
    __device__ __forceinline__ void move() {
        node_ += a_.plane;
        of_medium_ += a_.k_plane;
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) {
            ONDA_UNROLL
            for (int i = 0; i < 2 * R - 1; ++i) column_[j][i] = column_[j][i + 1];
            column_[j][2 * R - 1] = newest_[j];
        }
    }

private:
    [[nodiscard]] __device__ __forceinline__ bool is_inside(int j) const { return x_ < a_.nx && y_ + j < a_.ny; }

    const Arguments& a_;
    int x_, y_;
    std::int64_t node_, of_medium_;
    /// q of planes z - R … z + R - 1 while plane z is computed; that of plane z + R is the newest.
    Vec<T> column_[N][2 * R] = {};
    Vec<T> newest_[N] = {}, p_before_[N] = {}, q_before_[N] = {}, k_[N] = {}, e_[N] = {}, d_[N] = {};
    /// Without a strain nobody reads them, and they take no registers.
    [[maybe_unused]] Vec<T> strain_[N] = {}, strain_before_[N] = {};
};

/// One step on one tile of a chunk of planes. Block: (block_x, block_y). Grid: tiles along x, tiles along y, chunks
/// along z. \tparam Given VtiTileArguments, or StrainTileArguments.
template <typename Tile, template <typename> class Copies, typename Given>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks) vti_march_step(const __grid_constant__ Given a) {
    using T = typename Tile::T;
    constexpr int N = Tile::rows, V = Tile::vector;
    const int thread = static_cast<int>(threadIdx.y * Tile::block_x + threadIdx.x);
    const int tile_x = static_cast<int>(blockIdx.x) * Tile::width, tile_y = static_cast<int>(blockIdx.y) * Tile::height;
    const int local_x = static_cast<int>(threadIdx.x) * V, local_y = static_cast<int>(threadIdx.y) * N;
    const auto [z_begin, z_end] = chunk_of_block(a.chunks, 0, a.nz);
    const int planes = z_end - z_begin;

    Copies<Tile> copies(a, March{tile_x, tile_y, z_begin, planes}, thread);
    StressColumns<Tile, Given> own(a, tile_x + local_x, tile_y + local_y, z_begin);
    for (int step = 0; step < planes; ++step) {
        const T* const tile = copies.begin(step);
        Vec<T> p[N], l[N];
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) {
            p[j] = load_vector(tile_element<Tile>(tile, local_x, local_y + j));
            ONDA_UNROLL
            for (int v = 0; v < V; ++v)
                l[j].v[v] = centre_of_sum(a.stencil.centre, a.vertical_centre, p[j].v[v], own.own(j).v[v]);
        }
        add_x_pairs<Tile>(tile, local_x, local_y, p, a.stencil, l);
        if (a.stencil.dimensions == 3) add_y_pairs<Tile>(tile, local_x, local_y, p, a.stencil, l);
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) own.advance(j, p[j], l[j]);
        own.move();
        if (step + 1 < planes) own.ask();
        copies.end(step);
    }
    copies.finish();
}

/// What a plane costs: per node the operations of kernels/equations/vti/vti.hpp and 2 r moves of the queue; per row of
/// a thread's vectors the row with its halo, and columns of 2 r + rows.
template <typename Tile, template <typename> class Copies, typename Given>
constexpr MarchWork vti_march_work() {
    constexpr bool has_strain = kHasStrain<Given>;
    constexpr int R = Tile::radius, N = Tile::rows, V = Tile::vector, in_space = Tile::height > 1 ? 1 : 0;
    constexpr int row = 1 + 2 * Tile::x_halo / V, column = in_space * 2 * R, vectors = N * row + column;
    constexpr int element = sizeof(typename Tile::T),
                  operations = N * V * (21 + 3 * R * (1 + in_space) + 8 * R + (has_strain ? 5 : 0));
    constexpr int barriers_and_loop = 24;
    constexpr MarchWork work{
        .p = {in_sectors(R, element), in_space * R, 0, Tile::layout.count == 1},
        .rho = {},
        .shared_bytes = 16 * vectors,
        .instructions = operations + N * V * 2 * R + vectors + (has_strain ? 11 : 8) * N + barriers_and_loop,
        .operations = operations,
        .arrays = {.medium = 3, .fields = has_strain ? 3 : 2},
    };
    return with_frames<Tile, Copies>(work, in_space == 0);
}

}  // namespace onda::cuda
