/// \file
/// What vectorised kernels make of a vector of pressures and what the operator gives there: an update is made for the
/// row y of some planes from z on, and advances their vectors. It is told where these are of p[n-1], of which the
/// caller has a restricted pointer.
#pragma once

#include "kernels/cpu/kernel.hpp"
#include "kernels/cpu/simd.hpp"

namespace onda::cpu {
namespace {

/// p[n+1] over p[n-1] in the rows of some planes.
template <typename K, typename T>
struct Leapfrog {
    const K k;
    const std::int64_t k_plane;

    ONDA_HOST_DEVICE Leapfrog(const StepArguments<T>& a, std::int64_t y, std::int64_t z)
        : k(k_of<K>(a) + (y * a.k_pitch + z * a.k_plane)), k_plane(a.k_plane) {}
    ONDA_HOST_DEVICE void prefetch(std::int64_t j, std::int64_t x) const {
        __builtin_prefetch(address_of(k, j * k_plane + x));
    }
    template <bool IsWhole>
    ONDA_HOST_DEVICE void advance(T* q, std::int64_t j, std::int64_t x, Vector<T> p, Vector<T> l,
                                  std::int64_t count) const {
        advance_vector<IsWhole>(q, k + (j * k_plane + x), p, l, count);
    }
};

/// p[n+1] over p[n-1] where nodes drag, likewise. \tparam FirstG the place of g among the arrays of the equation.
template <typename T, int FirstG>
struct Dragging {
    const T *const k, *const g;
    const std::int64_t k_plane;

    ONDA_HOST_DEVICE Dragging(const StepArguments<T>& a, std::int64_t y, std::int64_t z)
        : k(a.k + y * a.k_pitch + z * a.k_plane),
          g(a.medium[FirstG].at + y * a.medium[FirstG].pitch + z * a.medium[FirstG].plane),
          k_plane(a.k_plane) {}
    ONDA_HOST_DEVICE void prefetch(std::int64_t j, std::int64_t x) const {
        __builtin_prefetch(k + j * k_plane + x);
        __builtin_prefetch(g + j * k_plane + x);
    }
    template <bool IsWhole>
    ONDA_HOST_DEVICE void advance(T* q, std::int64_t j, std::int64_t x, Vector<T> p, Vector<T> l,
                                  std::int64_t count) const {
        const std::int64_t at = j * k_plane + x;
        const Vector<T> before = load(q), next = fused(load(k + at), l, fused(splat(T(2)), p, -before));
        keep<IsWhole>(q, fused(-load(g + at), p - before, next), count);
    }
};

/// p[n+1] over p[n-1] and R in place, in the rows of some planes:
/// kernels/equations/attenuation/memory.hpp, a vector at a time. \tparam FirstG the place of the first g among the
/// arrays of the equation.
template <typename T, int Fields, int FirstG>
struct Relaxing {
    const T* const k;
    const T* g[Fields];
    T* r[Fields];
    /// a of the classes that take turns along x, from an even node on: with x + y even and odd, y + z even and odd.
    Vector<T> a_of[Fields][2];
    const std::int64_t k_plane;

    ONDA_HOST_DEVICE Relaxing(const StepArguments<T>& a, std::int64_t y, std::int64_t z)
        : k(a.k + y * a.k_pitch + z * a.k_plane), k_plane(a.k_plane) {
        for (int field = 0; field < Fields; ++field) {
            const MediumView<T>& of_field = a.medium[FirstG + field];
            g[field] = of_field.at + y * of_field.pitch + z * of_field.plane;
            r[field] = a.memory[field] + y * a.k_pitch + z * a.k_plane;
            for (int odd = 0; odd < 2; ++odd)
                a_of[field][odd] = taking_turns(a.of_class[field][node_class(0, y, z + odd)],
                                                a.of_class[field][node_class(1, y, z + odd)]);
        }
    }
    ONDA_HOST_DEVICE void prefetch(std::int64_t j, std::int64_t x) const {
        __builtin_prefetch(k + j * k_plane + x);
        for (int field = 0; field < Fields; ++field) {
            __builtin_prefetch(g[field] + j * k_plane + x);
            __builtin_prefetch(r[field] + j * k_plane + x);
        }
    }
    template <bool IsWhole>
    ONDA_HOST_DEVICE void advance(T* q, std::int64_t j, std::int64_t x, Vector<T> p, Vector<T> l,
                                  std::int64_t count) const {
        const std::int64_t at = j * k_plane + x;
        const Vector<T> before = load(q);
        Vector<T> next = fused(load(k + at), l, fused(splat(T(2)), p, -before));
        for (int field = 0; field < Fields; ++field) {
            const Vector<T> memory = load(r[field] + at), e = (p - before) - memory;
            next = fused(-load(g[field] + at), e, next);
            keep<IsWhole>(r[field] + at, fused(a_of[field][j % 2], e, memory), count);
        }
        keep<IsWhole>(q, next, count);
    }

private:
    /// These values, one lane after the other.
    static ONDA_HOST_DEVICE Vector<T> taking_turns(T even, T odd) {
        using Bits = decltype(Vector<T>{} == Vector<T>{});
        Bits odd_lanes;
        for (int lane = 0; lane < kLanes<T>; ++lane) odd_lanes[lane] = -(lane & 1);
        return (Vector<T>)(((Bits)splat(even) & ~odd_lanes) | ((Bits)splat(odd) & odd_lanes));
    }
};

}  // namespace
}  // namespace onda::cpu
