/// \file
/// One vector register of the instruction set a kernel source is compiled for.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#pragma GCC diagnostic push
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // GCC bug 105593, in its own header
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "kernels/equations/star/stencil.hpp"
#include "kernels/storage.hpp"

namespace onda::cpu {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif

typedef float VectorOfFloat __attribute__((vector_size(kVectorBytes)));
typedef double VectorOfDouble __attribute__((vector_size(kVectorBytes)));

template <typename T>
struct VectorOf;
template <>
struct VectorOf<float> {
    using type = VectorOfFloat;
};
template <>
struct VectorOf<double> {
    using type = VectorOfDouble;
};

template <typename T>
using Vector = typename VectorOf<T>::type;
template <typename T>
inline constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));

template <typename T>
ONDA_HOST_DEVICE Vector<T> load(const T* from) {
    Vector<T> v;
    __builtin_memcpy(&v, from, sizeof v);  // no alignment assumed
    return v;
}
/// k of neighbouring nodes: what decoded() of each gives.
ONDA_HOST_DEVICE Vector<float> load(const CodesOfK& from) {
    typedef std::uint16_t Codes __attribute__((vector_size(kVectorBytes / 2)));
    typedef std::uint32_t Bits __attribute__((vector_size(kVectorBytes)));
    Codes codes;
    __builtin_memcpy(&codes, from.at, sizeof codes);
    const Bits q = __builtin_convertvector(codes, Bits);
    return (Vector<float>)((Bits)(q != 0) & (from.code.base + from.code.step * q));
}
ONDA_HOST_DEVICE Vector<float> load(const IndicesOfK& from) {
    Vector<float> v{};
#if defined(__AVX512F__)
    const __m512i indices = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i_u*)from.at));
    v = (Vector<float>)_mm512_i32gather_ps(indices, from.table, 4);
#elif defined(__AVX2__)
    const __m256i indices = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i_u*)from.at));
    v = (Vector<float>)_mm256_i32gather_ps(from.table, indices, 4);
#else
    for (int i = 0; i < kLanes<float>; ++i) v[i] = from[i];
#endif
    return v;
}
template <typename T>
ONDA_HOST_DEVICE void store(T* to, Vector<T> v) {
    __builtin_memcpy(to, &v, sizeof v);
}
template <typename T>
ONDA_HOST_DEVICE Vector<T> splat(T value) {
    return value - Vector<T>{};
}

#if defined(__AVX512F__)
ONDA_HOST_DEVICE VectorOfFloat fused(VectorOfFloat a, VectorOfFloat b, VectorOfFloat c) {
    return (VectorOfFloat)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
ONDA_HOST_DEVICE VectorOfDouble fused(VectorOfDouble a, VectorOfDouble b, VectorOfDouble c) {
    return (VectorOfDouble)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
#elif defined(__AVX2__)
ONDA_HOST_DEVICE VectorOfFloat fused(VectorOfFloat a, VectorOfFloat b, VectorOfFloat c) {
    return (VectorOfFloat)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
ONDA_HOST_DEVICE VectorOfDouble fused(VectorOfDouble a, VectorOfDouble b, VectorOfDouble c) {
    return (VectorOfDouble)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
#elif defined(__aarch64__)
ONDA_HOST_DEVICE VectorOfFloat fused(VectorOfFloat a, VectorOfFloat b, VectorOfFloat c) {
    return (VectorOfFloat)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
ONDA_HOST_DEVICE VectorOfDouble fused(VectorOfDouble a, VectorOfDouble b, VectorOfDouble c) {
    return (VectorOfDouble)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}
#else
ONDA_HOST_DEVICE VectorOfFloat fused(VectorOfFloat a, VectorOfFloat b, VectorOfFloat c) {
    for (int i = 0; i < kLanes<float>; ++i) a[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return a;
}
ONDA_HOST_DEVICE VectorOfDouble fused(VectorOfDouble a, VectorOfDouble b, VectorOfDouble c) {
    for (int i = 0; i < kLanes<double>; ++i) a[i] = __builtin_fma(a[i], b[i], c[i]);
    return a;
}
#endif

/// fused() as an object, for templates that know no vectors.
struct VectorFma {
    template <typename V>
    ONDA_HOST_DEVICE V operator()(V a, V b, V c) const {
        return fused(a, b, c);
    }
};

/// Lanes First, First + 1, … of low followed by high. `from` is where lane `First` lies in memory: without a lane shift
/// across the whole register, an unaligned load is the faster way.
template <int First>
ONDA_HOST_DEVICE VectorOfFloat window([[maybe_unused]] const float* from, [[maybe_unused]] VectorOfFloat low,
                                      [[maybe_unused]] VectorOfFloat high) {
    if constexpr (First == kLanes<float>) return high;
#if defined(__AVX512F__)
    return (VectorOfFloat)_mm512_alignr_epi32((__m512i)high, (__m512i)low, First);
#else
    return load(from);
#endif
}
template <int First>
ONDA_HOST_DEVICE VectorOfDouble window([[maybe_unused]] const double* from, [[maybe_unused]] VectorOfDouble low,
                                       [[maybe_unused]] VectorOfDouble high) {
    if constexpr (First == kLanes<double>) return high;
#if defined(__AVX512F__)
    return (VectorOfDouble)_mm512_alignr_epi64((__m512i)high, (__m512i)low, First);
#else
    return load(from);
#endif
}

/// Stores the first `count` lanes only; with masks of the instruction set as many as there are, if it is more.
#if defined(__AVX512F__)
ONDA_HOST_DEVICE void store_first(float* to, VectorOfFloat v, std::int64_t count) {
    _mm512_mask_storeu_ps(to, __mmask16(count < kLanes<float> ? (1U << count) - 1U : ~0U), (__m512)v);
}
ONDA_HOST_DEVICE void store_first(double* to, VectorOfDouble v, std::int64_t count) {
    _mm512_mask_storeu_pd(to, __mmask8(count < kLanes<double> ? (1U << count) - 1U : ~0U), (__m512d)v);
}
#else
template <typename T>
ONDA_HOST_DEVICE void store_first(T* to, Vector<T> v, std::int64_t count) {
    __builtin_memcpy(to, &v, static_cast<std::size_t>(count) * sizeof(T));
}
#endif

/// Stores the first `count` lanes of a vector, all if it is whole.
template <bool IsWhole, typename T>
ONDA_HOST_DEVICE void keep(T* to, Vector<T> v, std::int64_t count) {
    if constexpr (IsWhole)
        store(to, v);
    else
        store_first(to, v, count);
}

/// p+ of the first `count` nodes of a vector, all if it is whole: leapfrog() of kernels/equations/star/stencil.hpp.
/// \param q p-, overwritten; \param l the Laplacian of p.
template <bool IsWhole, typename T, typename K>
ONDA_HOST_DEVICE void advance_vector(T* q, const K& k, Vector<T> p, Vector<T> l, std::int64_t count) {
    keep<IsWhole>(q, fused(load(k), l, fused(splat(T(2)), p, -load(q))), count);
}

/// Calls advance(x, Index<is whole>) for the vectors of [begin, end).
template <typename T, typename Advance>
ONDA_HOST_DEVICE void for_vectors(std::int64_t begin, std::int64_t end, const Advance& advance) {
#if defined(__AVX512F__)
    for (std::int64_t x = begin; x < end; x += kLanes<T>) advance(x, Index<false>{});
#else
    std::int64_t x = begin;
    for (; x + kLanes<T> <= end; x += kLanes<T>) advance(x, Index<true>{});
    if (x < end) advance(x, Index<false>{});
#endif
}

/// Premultiplied weights, one vector each.
template <typename T>
struct Weights {
    Vector<T> centre, x[kMaxRadius + 1], y[kMaxRadius + 1], z[kMaxRadius + 1];

    __attribute__((always_inline)) explicit Weights(const Stencil<T>& s) : centre(splat<T>(s.centre)) {
        for (int k = 1; k <= s.radius; ++k) {
            x[k] = splat<T>(s.axis[0][k]);
            y[k] = splat<T>(s.axis[1][k]);
            z[k] = splat<T>(s.axis[2][k]);
        }
    }
};

}  // namespace onda::cpu
