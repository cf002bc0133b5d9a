/// \file
/// The plane sums of kernels/equations/compact/compact.hpp for a vector of nodes.
#pragma once

#include "kernels/cpu/simd.hpp"
#include "kernels/equations/compact/compact.hpp"

namespace onda::cpu {
namespace {

/// The sums of the plane around the vector at p. \param w A, B, C, D over h^2.
template <typename T, int Dims>
ONDA_HOST_DEVICE PlaneSums<Vector<T>> vector_sums(const T* p, std::int64_t pitch, const Vector<T>* w) {
    const auto x_pair = [](const T* row) __attribute__((always_inline)) {
        return load(row - 1) + load(row + 1);
    };
    const Vector<T> c = load(p);
    if constexpr (Dims == 2) {
        return plane_sums<2>(c, x_pair(p), c, w, VectorFma{});
    } else {
        const T* const low = p - pitch;
        const T* const high = p + pitch;
        const Vector<T> e = x_pair(p) + (load(low) + load(high));
        return plane_sums<3>(c, e, x_pair(low) + x_pair(high), w, VectorFma{});
    }
}

}  // namespace
}  // namespace onda::cpu
