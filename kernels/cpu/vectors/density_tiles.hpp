/// \file
/// How the vectorised kernels of variable density step: OpenMP over tiles, SIMD along x, every flux computed once a
/// tile. What becomes of a node's divergence is the equation's (kernels/cpu/vectors/updates.hpp).
///
/// A tile marches along z. Its fluxes along z wait in a ring of 2r planes, those along y in the rows of one plane,
/// those along x in one row; a plane of the tile then costs one new plane of each, and the sum over 6r of them. Weights
/// are d_1 … d_r an axis.
#pragma once

#include "kernels/cpu/simd.hpp"
#include "kernels/cpu/tiles.hpp"

namespace onda::cpu {
namespace {

/// Tile and scratch of one thread: order 8 in float takes 150 kB, and the planes of p it reads 200 kB of the L2.
template <typename T, int Dims, int R>
struct Scratch {
    static constexpr std::int64_t line = 64 / sizeof(T);
    static constexpr std::int64_t tile_nx = Dims == 3 ? 512 / sizeof(T) : 4096 / sizeof(T);
    static constexpr std::int64_t tile_ny = Dims == 3 ? (R > 4 ? 16 : 32) : 1;

    /// Planes a power of two apart would compete for the same lines of the L1.
    alignas(64) T along_z[2 * R][tile_ny * tile_nx + 5 * line];
    alignas(64) T along_y[(Dims == 3 ? tile_ny + 2 * R - 1 : 1) * tile_nx];
    alignas(64) T along_x[line + tile_nx + 2 * line];
};

template <typename T>
ONDA_HOST_DEVICE Vector<T> buoyancy(const T* s, std::int64_t stride) {
    return splat(T(1)) / (load(s) + load(s + stride));
}

/// The flux between p and p + stride, nearest pairs first.
template <typename T, int R>
ONDA_HOST_DEVICE Vector<T> flux(const T* p, std::int64_t stride, const T* s, std::int64_t s_stride,
                                const Vector<T>* d) {
    Vector<T> sum = d[1] * (load(p + stride) - load(p));
    unroll<2, R + 1>([&](auto k) __attribute__((always_inline)) {
        sum = fused(d[k.value], load(p + k.value * stride) - load(p + (1 - k.value) * stride), sum);
    });
    return buoyancy<T>(s, s_stride) * sum;
}

/// The flux between p and p + stride, planes in their order of arrival: along z.
template <typename T, int R>
ONDA_HOST_DEVICE Vector<T> flux_in_order(const T* p, std::int64_t stride, const T* s, std::int64_t s_stride,
                                         const Vector<T>* d) {
    Vector<T> sum = -d[R] * load(p + (1 - R) * stride);
    unroll<1, R>([&](auto j) __attribute__((always_inline)) {
        sum = fused(-d[R - j.value], load(p + (1 - R + j.value) * stride), sum);
    });
    unroll<1, R + 1>([&](auto k)
                         __attribute__((always_inline)) { sum = fused(d[k.value], load(p + k.value * stride), sum); });
    return buoyancy<T>(s, s_stride) * sum;
}

/// What a tile reads of one row (y, z), at its first node.
template <typename T>
struct Row {
    const T* p;
    const T* s;
};
template <typename T>
Row<T> row_of(const StepArguments<T>& a, const Tile& tile, std::int64_t y, std::int64_t z) {
    return {a.p + tile.x + (tile.y + y) * a.pitch + z * a.plane,
            a.half_rho + tile.x + (tile.y + y) * a.rho_pitch + z * a.rho_plane};
}

/// Fluxes of a whole row along one axis. Rows of scratch end with whole vectors.
template <typename T, int R>
void fill_along_z(const StepArguments<T>& a, const Weights<T>& w, const Tile& tile, const Row<T>& row, T* to) {
    for (std::int64_t x = 0; x < tile.nx; x += kLanes<T>)
        store(to + x, flux_in_order<T, R>(row.p + x, a.plane, row.s + x, a.rho_plane, w.z));
}
template <typename T, int R>
void fill_along_y(const StepArguments<T>& a, const Weights<T>& w, const Tile& tile, const Row<T>& row, T* to) {
    for (std::int64_t x = 0; x < tile.nx; x += kLanes<T>)
        store(to + x, flux<T, R>(row.p + x, a.pitch, row.s + x, a.rho_pitch, w.y));
}
/// \param to the flux between nodes 0 and 1.
template <typename T, int R>
void fill_along_x(const Weights<T>& w, const Tile& tile, const Row<T>& row, T* to) {
    for (std::int64_t x = -R; x < tile.nx + R - 1; x += kLanes<T>)
        store(to + x, flux<T, R>(row.p + x, 1, row.s + x, 1, w.x));
}

/// Asks for a row of a tile before it is needed: rows are too short for the hardware to see them coming.
template <typename T>
void prefetch(const T* from, const Tile& tile) {
    for (std::int64_t x = 0; x < tile.nx; x += 64 / static_cast<std::int64_t>(sizeof(T))) __builtin_prefetch(from + x);
}

/// Updates one row from its fluxes. \param z[j] is the row of the flux between planes z + j - R and z + j - R + 1.
template <typename Update, typename T, int Dims, int R>
void advance_row(const StepArguments<T>& a, const Weights<T>& w, const Tile& tile, std::int64_t y, std::int64_t z,
                 const T* along_x, const T* along_y, const T* const (&along_z)[2 * R]) {
    constexpr std::int64_t y_stride = Scratch<T, Dims, R>::tile_nx;
    const T* const __restrict p = row_of(a, tile, y, z).p;
    T* const __restrict q = a.q + tile.x + (tile.y + y) * a.pitch + z * a.plane;
    const Update update(a, tile.y + y, z);
    const auto advance = [&](std::int64_t x, auto whole_vector) __attribute__((always_inline)) {
        Vector<T> l = w.x[1] * (load(along_x + x) - load(along_x + x - 1));
        unroll<2, R + 1>([&](auto k) __attribute__((always_inline)) {
            l = fused(w.x[k.value], load(along_x + x + k.value - 1) - load(along_x + x - k.value), l);
        });
        if constexpr (Dims == 3)
            unroll<1, R + 1>([&](auto k) __attribute__((always_inline)) {
                const Vector<T> ahead = load(along_y + x + (k.value - 1) * y_stride);
                l = fused(w.y[k.value], ahead - load(along_y + x - k.value * y_stride), l);
            });
        unroll<0, R>([&](auto j) __attribute__((always_inline)) {
            l = fused(-w.z[R - j.value], load(along_z[j.value] + x), l);
        });
        unroll<0, R>([&](auto j) __attribute__((always_inline)) {
            l = fused(w.z[j.value + 1], load(along_z[R + j.value] + x), l);
        });
        update.template advance<whole_vector.value>(q + x, 0, tile.x + x, load(p + x), l, tile.nx - x);
    };
    for_vectors<T>(0, tile.nx, advance);
}

/// The plane of the ring that holds the fluxes between planes h and h + 1; h >= -R.
template <int R>
ONDA_HOST_DEVICE std::int64_t slot(std::int64_t h) {
    return (h + 2 * R) % (2 * R);
}

template <typename Update, typename T, int Dims, int R>
void advance_plane(const StepArguments<T>& a, const Weights<T>& w, const Tile& tile, std::int64_t z,
                   Scratch<T, Dims, R>& scratch) {
    constexpr std::int64_t nx = Scratch<T, Dims, R>::tile_nx, line = Scratch<T, Dims, R>::line;
    T* const along_x = scratch.along_x + Scratch<T, Dims, R>::line;
    T* const along_y = scratch.along_y + R * nx;  // the flux between rows 0 and 1
    if constexpr (Dims == 3)
        for (std::int64_t y = -R; y < R - 1; ++y)
            fill_along_y<T, R>(a, w, tile, row_of(a, tile, y, z), along_y + y * nx);
    for (std::int64_t y = 0; y < tile.ny; ++y) {
        const T* along_z[2 * R];
        for (int j = 0; j < 2 * R; ++j) along_z[j] = scratch.along_z[slot<R>(z + j - R)] + y * nx;
        const std::int64_t last = z + R - 1;
        // two rows on: what no earlier plane has brought into the cache
        prefetch(row_of(a, tile, y + 2, z + 2 * R - 1).p, tile);
        prefetch(row_of(a, tile, y + 2, z + R).s, tile);
        prefetch(a.q + tile.x + (tile.y + y + 2) * a.pitch + z * a.plane, tile);
        const Update ahead(a, tile.y + y + 2, z);
        for (std::int64_t x = 0; x < tile.nx; x += line) ahead.prefetch(0, tile.x + x);
        fill_along_z<T, R>(a, w, tile, row_of(a, tile, y, last), scratch.along_z[slot<R>(last)] + y * nx);
        if constexpr (Dims == 3)
            fill_along_y<T, R>(a, w, tile, row_of(a, tile, y + R - 1, z), along_y + (y + R - 1) * nx);
        fill_along_x<T, R>(w, tile, row_of(a, tile, y, z), along_x);
        advance_row<Update, T, Dims, R>(a, w, tile, y, z, along_x, along_y + y * nx, along_z);
    }
}

template <typename Update, typename T, int Dims, int R>
void walk(const StepArguments<T>& a, const Weights<T>& w, const Tile& tile, Scratch<T, Dims, R>& scratch) {
    for (std::int64_t h = tile.z_begin - R; h < tile.z_begin + R - 1; ++h)
        for (std::int64_t y = 0; y < tile.ny; ++y)
            fill_along_z<T, R>(a, w, tile, row_of(a, tile, y, h),
                               scratch.along_z[slot<R>(h)] + y * Scratch<T, Dims, R>::tile_nx);
    for (std::int64_t z = tile.z_begin; z < tile.z_end; ++z) advance_plane<Update, T, Dims, R>(a, w, tile, z, scratch);
}

/// A step of the grid.
template <typename Update, typename T, int Dims, int R>
void step_by_tiles(const StepArguments<T>& a) {
    using S = Scratch<T, Dims, R>;
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals<T> flush;
        const Weights<T> weights(a.stencil);
        S scratch;
        // Both sides of a chunk's edge compute 2 R planes of fluxes.
        for_tiles(a, S::tile_nx, S::tile_ny, 4 * R,
                  [&](const Tile& tile) { walk<Update, T, Dims, R>(a, weights, tile, scratch); });
    }
}

}  // namespace
}  // namespace onda::cpu
