// Vertical transverse isotropy: OpenMP over rows, SIMD along x, several planes at once, as the star is stepped
// (kernels/cpu/vectors/star_rows.hpp), with the neighbours along z from the second field.
#include "kernels/cpu/rows.hpp"
#include "kernels/equations/vti/vti.hpp"

namespace onda::cpu {
namespace {

/// The medium in a row of some planes.
template <typename T>
struct MediumOfRow {
    const T *k, *e, *d;
    std::int64_t plane;

    ONDA_HOST_DEVICE MediumOfRow(const StepArguments<T>& a, std::int64_t y, std::int64_t z) : plane(a.k_plane) {
        const std::int64_t row = y * a.k_pitch + z * a.k_plane;
        k = a.medium[0].at + row;
        e = a.medium[1].at + row;
        d = a.medium[2].at + row;
    }
    ONDA_HOST_DEVICE void prefetch(std::int64_t at) const {
        __builtin_prefetch(k + at);
        __builtin_prefetch(e + at);
        __builtin_prefetch(d + at);
    }
};

/// The z halves of q, nearest first, for l and v of all planes: each vector of q is loaded once a half.
template <typename T, int R, int Z>
ONDA_HOST_DEVICE void add_z_halves_twice(Rows<T, Z>& l, Rows<T, Z>& v, const EvenPlanes<T, R>& planes,
                                         const Vector<T>* w) {
    const auto add = [&](const Vector<T> value, auto k, auto j) __attribute__((always_inline)) {
        l.l[j.value] = fused(w[k.value], value, l.l[j.value]);
        v.l[j.value] = fused(w[k.value], value, v.l[j.value]);
    };
    const auto backward = planes.backward(v.p[0]);
    unroll<2 - Z, R + 1>([&](auto i) __attribute__((always_inline)) {  // plane -i
        const Vector<T> value = load(backward(Index<-i.value>{}));
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            constexpr int K = j.value + i.value;
            if constexpr (K >= 1 && K <= R) add(value, Index<K>{}, j);
        });
    });
    const auto forward = planes.forward(v.p[0]);
    unroll<1, Z + R>([&](auto i) __attribute__((always_inline)) {  // plane +i
        const Vector<T> value = load(forward(i));
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            constexpr int K = i.value - j.value;
            if constexpr (K >= 1 && K <= R) add(value, Index<K>{}, j);
        });
    });
}

/// \tparam HasStrain whether there is a third field, the strain.
template <typename T, int Dims, int R, int Z, bool HasStrain>
void advance_rows(const StepArguments<T>& a, const Weights<T>& w, std::int64_t x_begin, std::int64_t x_end,
                  std::int64_t y, std::int64_t z) {
    constexpr int lanes = kLanes<T>;
    const std::int64_t pitch = a.pitch, plane = a.plane, row = y * pitch + z * plane;
    const T *const p = a.p + row, *const q = a.further_p[0] + row;
    T* const __restrict p_next = a.q + row, * const __restrict q_next = a.further_q[0] + row;
    [[maybe_unused]] const T* const strain = HasStrain ? a.further_p[1] + row : nullptr;
    [[maybe_unused]] T* const __restrict strain_next = HasStrain ? a.further_q[1] + row : nullptr;
    const MediumOfRow<T> medium(a, y, z);
    const Vector<T> z_centre = splat(vertical_centre(a.stencil));
    constexpr std::int64_t ahead = kBytesAhead / sizeof(T);

    Rows<T, Z> horizontal, vertical;  // l of all neighbours from p, and v
    unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
        horizontal.before[j.value] = load(p + j.value * plane + x_begin - lanes);
        horizontal.at[j.value] = load(p + j.value * plane + x_begin);
    });
    const auto advance = [&](std::int64_t x, auto whole_vector) __attribute__((always_inline)) {
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            constexpr int J = j.value;
            const std::int64_t next = J * plane + x + ahead;
            __builtin_prefetch(q + next + R * plane);
            __builtin_prefetch(p + next);
            if constexpr (Dims == 3) __builtin_prefetch(p + next + R * pitch);
            __builtin_prefetch(p_next + next);
            __builtin_prefetch(q_next + next);
            medium.prefetch(J * medium.plane + x + ahead);
            horizontal.p[J] = opaque(p + J * plane + x);
            horizontal.after[J] = load(horizontal.p[J] + lanes);
            vertical.p[J] = opaque(q + J * plane + x);
            vertical.at[J] = load(vertical.p[J]);
            horizontal.l[J] = fused(z_centre, vertical.at[J] - horizontal.at[J], w.centre * horizontal.at[J]);
            vertical.l[J] = z_centre * vertical.at[J];
        });
        add_x_pairs<T, R, Z>(horizontal, w.x);
        if constexpr (Dims == 3) add_y_pairs<T, R, Z>(horizontal, pitch, w.y);
        add_z_halves_twice<T, R, Z>(horizontal, vertical, EvenPlanes<T, R>{plane}, w.z);
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            constexpr int J = j.value;
            const std::int64_t at = J * plane + x, of_medium = J * medium.plane + x;
            const Vector<T> k = load(medium.k + of_medium), e = load(medium.e + of_medium),
                            d = load(medium.d + of_medium), l = horizontal.l[J], v = vertical.l[J];
            const Vector<T> of_p = fused(splat(T(2)), horizontal.at[J], -load(p_next + at)),
                            of_q = fused(splat(T(2)), vertical.at[J], -load(q_next + at));
            keep<whole_vector.value>(p_next + at, fused(k, fused(d - e, v, e * l), of_p), x_end - x);
            keep<whole_vector.value>(q_next + at, fused(k, fused(splat(T(1)) - d, v, d * l), of_q), x_end - x);
            if constexpr (HasStrain) {
                const Vector<T> of_strain = fused(splat(T(2)), load(strain + at), -load(strain_next + at));
                keep<whole_vector.value>(strain_next + at, fused(k, l - v, of_strain), x_end - x);
            }
            horizontal.before[J] = horizontal.at[J];
            horizontal.at[J] = horizontal.after[J];
        });
    };
    for_vectors<T>(x_begin, x_end, advance);
}

template <typename T, int Dims, int R>
struct Vectorised {
    static void step(const StepArguments<T>& a) {
        a.further_q[1] == nullptr ? step_fields<false>(a) : step_fields<true>(a);
    }

private:
    template <bool HasStrain>
    static void step_fields(const StepArguments<T>& a) {
        const Block block = block_size(a, R, Dims == 3 ? R : 0);
#pragma omp parallel num_threads(a.threads)
        {
            const FlushDenormals<T> flush;
            const Weights<T> weights(a.stencil);
            for_blocks(a, block,
                       [&](auto planes, std::int64_t x_begin, std::int64_t x_end, std::int64_t y, std::int64_t z) {
                           advance_rows<T, Dims, R, planes.value, HasStrain>(a, weights, x_begin, x_end, y, z);
                       });
        }
    }
};

}  // namespace

template <>
void vti_vectorised_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step_of_order<Vectorised>(a);
}
template <>
void vti_vectorised_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step_of_order<Vectorised>(a);
}

}  // namespace onda::cpu
