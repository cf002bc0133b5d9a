/// \file
/// How the vectorised kernels of the star operator step a row of several planes: OpenMP over rows, SIMD along x. What
/// becomes of a node's Laplacian is the equation's.
///
/// An order-8 point reads 25 values of p. Blocks of whole rows keep them near: marching along z, the planes a block
/// needs stay in the caches, so that each value comes from memory once. kPlanes planes advance together
/// (kernels/cpu/rows.hpp).
#pragma once

#include "kernels/cpu/rows.hpp"

namespace onda::cpu {
namespace {

/// Rows y of planes z … z + Z - 1, x in [x_begin, x_end); x_begin is a multiple of the vector length.
/// \tparam Update made from the arguments, y and z. It has prefetch(j, x), for the node x of plane z + j, and
/// advance<is whole>(q, j, x, p, l, count), which advances the vector there from its pressures and their Laplacians.
template <typename Update, typename T, int Dims, int R, int Z>
void advance_rows(const StepArguments<T>& a, const Weights<T>& w, std::int64_t x_begin, std::int64_t x_end,
                  std::int64_t y, std::int64_t z) {
    constexpr int lanes = kLanes<T>;
    const std::int64_t pitch = a.pitch, plane = a.plane;
    const T* const p = a.p + y * pitch + z * plane;
    T* const __restrict q = a.q + y * pitch + z * plane;
    const Update update(a, y, z);
    constexpr std::int64_t ahead = kBytesAhead / sizeof(T);

    Rows<T, Z> rows;
    unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
        rows.before[j.value] = load(p + j.value * plane + x_begin - lanes);
        rows.at[j.value] = load(p + j.value * plane + x_begin);
    });
    const auto advance = [&](std::int64_t x, auto whole_vector) __attribute__((always_inline)) {
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            // What no row before this one has touched.
            const std::int64_t next = j.value * plane + x + ahead;
            __builtin_prefetch(p + next + R * plane);
            __builtin_prefetch(p + next - R * plane);
            if constexpr (Dims == 3) __builtin_prefetch(p + next + R * pitch);
            __builtin_prefetch(q + next);
            update.prefetch(j.value, x + ahead);
            rows.p[j.value] = opaque(p + j.value * plane + x);
            rows.after[j.value] = load(rows.p[j.value] + lanes);
            rows.l[j.value] = w.centre * rows.at[j.value];
        });
        add_x_pairs<T, R, Z>(rows, w.x);
        if constexpr (Dims == 3) add_y_pairs<T, R, Z>(rows, pitch, w.y);
        add_z_halves<T, R, Z>(rows, EvenPlanes<T, R>{plane}, w.z);
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            update.template advance<whole_vector.value>(q + j.value * plane + x, j.value, x, rows.at[j.value],
                                                        rows.l[j.value], x_end - x);
            rows.before[j.value] = rows.at[j.value];
            rows.at[j.value] = rows.after[j.value];
        });
    };
    for_vectors<T>(x_begin, x_end, advance);
}

/// A step of the grid. \tparam Update of advance_rows().
template <typename Update, typename T, int Dims, int R>
void step_by_rows(const StepArguments<T>& a) {
    const Block block = block_size(a, R, Dims == 3 ? R : 0);
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals<T> flush;
        const Weights<T> weights(a.stencil);
        for_blocks(a, block,
                   [&](auto planes, std::int64_t x_begin, std::int64_t x_end, std::int64_t y, std::int64_t z) {
                       advance_rows<Update, T, Dims, R, planes.value>(a, weights, x_begin, x_end, y, z);
                   });
    }
}

}  // namespace
}  // namespace onda::cpu
