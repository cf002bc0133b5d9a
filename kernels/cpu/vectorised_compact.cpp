// The compact stencil, OpenMP over rows, SIMD along x, several planes at once.
//
// kPlanes planes advance together, so that the sums of a plane serve up to three of them: 6 planes are summed for every
// 4, or 4 for every 2. A plane's sums take 9 loads of a vector.
#include "kernels/cpu/blocks.hpp"
#include "kernels/cpu/compact_sums.hpp"

namespace onda::cpu {
namespace {

/// Rows y of planes z … z + Z - 1, x in [x_begin, x_end).
template <typename T, int Dims, int Z>
void advance_rows(const StepArguments<T>& a, const Vector<T>* w, std::int64_t x_begin, std::int64_t x_end,
                  std::int64_t y, std::int64_t z) {
    const std::int64_t pitch = a.pitch, plane = a.plane, k_plane = a.k_plane;
    const T* const p = a.p + y * pitch + z * plane;
    T* const __restrict q = a.q + y * pitch + z * plane;
    const T* const __restrict k = a.k + y * a.k_pitch + z * k_plane;
    // What the next rows will need first.
    const std::int64_t ahead = Dims == 3 ? pitch : Z * plane, k_ahead = Dims == 3 ? a.k_pitch : Z * k_plane;

    const auto advance = [&](std::int64_t x, auto whole_vector) __attribute__((always_inline)) {
        Vector<T> l[Z];
        unroll<0, Z + 2>([&](auto i) __attribute__((always_inline)) {  // plane z + i - 1
            constexpr int J = i.value - 1;
            const T* const here = opaque(p + J * plane + x);
            __builtin_prefetch(here + ahead + (Dims == 3 ? pitch : 0));
            const auto sums = vector_sums<T, Dims>(here, pitch, w);
            if constexpr (J >= 1) l[J - 1] = l[J - 1] + sums.side;
            if constexpr (J >= 0 && J < Z) l[J] = l[J] + sums.own;
            if constexpr (J + 1 < Z) l[J + 1] = sums.side;
        });
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            __builtin_prefetch(q + j.value * plane + x + ahead);
            __builtin_prefetch(k + j.value * k_plane + x + k_ahead);
            advance_vector<whole_vector.value>(q + j.value * plane + x, k + j.value * k_plane + x,
                                               load(p + j.value * plane + x), l[j.value], x_end - x);
        });
    };
    for_vectors<T>(x_begin, x_end, advance);
}

template <typename T, int Dims>
void step(const StepArguments<T>& a) {
    const Block block = block_size(a, 1, Dims == 3 ? 1 : 0);
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals<T> flush;
        Vector<T> weights[4];
        for (int i = 0; i < 4; ++i) weights[i] = splat(a.stencil.compact[i]);
        for_blocks(a, block,
                   [&](auto planes, std::int64_t x_begin, std::int64_t x_end, std::int64_t y, std::int64_t z) {
                       advance_rows<T, Dims, planes.value>(a, weights, x_begin, x_end, y, z);
                   });
    }
}

}  // namespace

template <>
void vectorised_compact_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    a.stencil.dimensions == 3 ? step<float, 3>(a) : step<float, 2>(a);
}
template <>
void vectorised_compact_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    a.stencil.dimensions == 3 ? step<double, 3>(a) : step<double, 2>(a);
}

}  // namespace onda::cpu
