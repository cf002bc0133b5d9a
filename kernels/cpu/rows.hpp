/// \file
/// The Laplacian of several planes at once, a vector of points at a time: what the vectorised kernels of the star
/// operator share.
///
/// x neighbours are cut out of registers. Planes that advance together share their z neighbours, and their sums, each
/// one long chain of fma, run side by side: a vector of results costs 15 loads at order 8 instead of 27.
#pragma once

#include "kernels/cpu/blocks.hpp"

namespace onda::cpu {
namespace {

/// Z planes of one vector of points on their way along x.
template <typename T, int Z>
struct Rows {
    const T* p[Z];                         ///< the centre vector in memory
    Vector<T> before[Z], at[Z], after[Z];  ///< its registers, and those on either side
    Vector<T> l[Z];                        ///< the Laplacians
};

/// l + sum_k w_k (p(x - k) + p(x + k)); the planes' chains interleave.
template <typename T, int R, int Z>
ONDA_HOST_DEVICE void add_x_pairs(Rows<T, Z>& rows, const Vector<T>* w) {
    unroll<1, R + 1>([&](auto k) __attribute__((always_inline)) {
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            constexpr int K = k.value, J = j.value;
            const Vector<T> left = window<kLanes<T> - K>(rows.p[J] - K, rows.before[J], rows.at[J]);
            const Vector<T> right = window<K>(rows.p[J] + K, rows.at[J], rows.after[J]);
            rows.l[J] = fused(w[K], left + right, rows.l[J]);
        });
    });
}

template <typename T, int R, int Z>
ONDA_HOST_DEVICE void add_y_pairs(Rows<T, Z>& rows, std::int64_t pitch, const Vector<T>* w) {
    unroll<1, R + 1>([&](auto k) __attribute__((always_inline)) {
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            constexpr int K = k.value, J = j.value;
            rows.l[J] = fused(w[K], load(rows.p[J] - K * pitch) + load(rows.p[J] + K * pitch), rows.l[J]);
        });
    });
}

/// Planes at equal distances, as those of a field.
template <typename T, int R>
struct EvenPlanes {
    std::int64_t plane;

    /// Where the planes before that of a vector have it. \param at the vector.
    ONDA_HOST_DEVICE auto backward(const T* at) const {
        return [ first = opaque(at - R * plane), step = plane ](auto i) __attribute__((always_inline)) {
            return first + (R + i.value) * step;
        };
    }
    /// Where the planes after that of a vector have it. \param at the vector.
    ONDA_HOST_DEVICE auto forward(const T* at) const {
        return [ here = opaque(at), step = plane ](auto i) __attribute__((always_inline)) {
            return here + i.value * step;
        };
    }
};

/// The z halves, nearest first; each plane is loaded once a half and serves all it reaches.
template <typename T, int R, int Z, typename Planes>
ONDA_HOST_DEVICE void add_z_halves(Rows<T, Z>& rows, const Planes& planes, const Vector<T>* w) {
    const auto backward = planes.backward(rows.p[0]);
    unroll<2 - Z, R + 1>([&](auto i) __attribute__((always_inline)) {  // plane -i
        const Vector<T> value = load(backward(Index<-i.value>{}));
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            constexpr int K = j.value + i.value;
            if constexpr (K >= 1 && K <= R) rows.l[j.value] = fused(w[K], value, rows.l[j.value]);
        });
    });
    const auto forward = planes.forward(rows.p[0]);
    unroll<1, Z + R>([&](auto i) __attribute__((always_inline)) {  // plane +i
        const Vector<T> value = load(forward(i));
        unroll<0, Z>([&](auto j) __attribute__((always_inline)) {
            constexpr int K = i.value - j.value;
            if constexpr (K >= 1 && K <= R) rows.l[j.value] = fused(w[K], value, rows.l[j.value]);
        });
    });
}

}  // namespace
}  // namespace onda::cpu
