// OpenMP over rows, SIMD along x, several planes at once.
//
// An order-8 point reads 25 values of p. Blocks of whole rows keep them near: marching along z, the planes a block
// needs stay in the caches, so that each value comes from memory once. kPlanes planes advance together
// (kernels/cpu/rows.hpp).
#include "kernels/cpu/rows.hpp"

namespace onda::cpu {
namespace {

/// Rows y of planes z … z + Z - 1, x in [x_begin, x_end); x_begin is a multiple of the vector length.
template <typename K, typename T, int Dims, int R, int Z>
void advance_rows(const StepArguments<T>& a, const Weights<T>& w, std::int64_t x_begin, std::int64_t x_end,
                  std::int64_t y, std::int64_t z) {
    constexpr int lanes = kLanes<T>;
    const std::int64_t pitch = a.pitch, plane = a.plane, k_plane = a.k_plane;
    const T* const p = a.p + y * pitch + z * plane;
    T* const __restrict q = a.q + y * pitch + z * plane;
    const K k = k_of<K>(a) + (y * a.k_pitch + z * k_plane);
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
            __builtin_prefetch(address_of(k, j.value * k_plane + x + ahead));
            rows.p[j.value] = opaque(p + j.value * plane + x);
            rows.after[j.value] = load(rows.p[j.value] + lanes);
            rows.l[j.value] = w.centre * rows.at[j.value];
        });
        add_x_pairs<T, R, Z>(rows, w.x);
        if constexpr (Dims == 3) add_y_pairs<T, R, Z>(rows, pitch, w.y);
        add_z_halves<T, R, Z>(rows, EvenPlanes<T, R>{plane}, w.z);
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            advance_vector<whole_vector.value>(q + j.value * plane + x, k + (j.value * k_plane + x), rows.at[j.value],
                                               rows.l[j.value], x_end - x);
            rows.before[j.value] = rows.at[j.value];
            rows.at[j.value] = rows.after[j.value];
        });
    };
    for_vectors<T>(x_begin, x_end, advance);
}

template <typename K, typename T, int Dims, int R>
void step(const StepArguments<T>& a) {
    const Block block = block_size(a, R, Dims == 3 ? R : 0);
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals<T> flush;
        const Weights<T> weights(a.stencil);
        for_blocks(a, block,
                   [&](auto planes, std::int64_t x_begin, std::int64_t x_end, std::int64_t y, std::int64_t z) {
                       advance_rows<K, T, Dims, R, planes.value>(a, weights, x_begin, x_end, y, z);
                   });
    }
}

template <typename K, typename T, int Dims, int R>
struct Vectorised {
    static void step(const StepArguments<T>& a) { cpu::step<K, T, Dims, R>(a); }
};

}  // namespace

template <>
void vectorised_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step_on_numbers<Vectorised>(a);
}
template <>
void vectorised_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step_on_numbers<Vectorised>(a);
}
template <>
void vectorised_coded_step<ONDA_ISA>(const StepArguments<float>& a) {
    step_on_codes<Vectorised>(a);
}

}  // namespace onda::cpu
