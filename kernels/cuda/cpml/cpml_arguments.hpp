/// \file
/// What the kernels of perfectly matched layers are given.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/boundaries/cpml_math.hpp"

namespace onda::cuda {

/// Across x a warp takes one end of kCpmlRows rows, a lane one value of each.
inline constexpr int kCpmlLanes = 32, kCpmlRows = 4;

/// Neighbours along x that a walk across y or z takes side by side: as many as leave room in registers for three
/// windows of `count` values.
constexpr int cpml_columns(int count, std::size_t element_bytes) {
    return static_cast<int>((count <= kMaxRadius + 1 ? 16 : 8) / element_bytes);
}

/// The strip of one face. Offsets and steps in elements.
template <typename T>
struct CpmlSide {
    T *psi = nullptr, *zeta = nullptr;                ///< of t = 0 and t = 1 at the first row
    const T* profile = nullptr;                       ///< a_psi, b_psi, a_zeta, b_zeta
    int width = 0, first_node = 0;                    ///< see first_strip_node()
    std::int64_t edge = 0, k_edge = 0, rho_edge = 0;  ///< node t = 0 from node 0 of the axis
    std::int64_t step = 0, k_step = 0, rho_step = 0;  ///< from t to t + 1
    std::int64_t memory_step = 0, memory_row = 0;     ///< psi and zeta across y and z: from t to t + 1, and as `row`
};

/// The strips of one axis that one launch computes. Arrays point at node (0, 0, 0).
template <typename T>
struct CpmlArguments {
    const T* p = nullptr;                                ///< p[n]
    T* q = nullptr;                                      ///< p[n+1]
    const T* k = nullptr;                                ///< (vp dt)^2
    const T* half_rho = nullptr;                         ///< rho / 2, with variable density
    int inner = 0, outer = 0;                            ///< nodes along the two axes of a face, x before y before z
    std::int64_t row = 0, k_row = 0, rho_row = 0;        ///< to the next node of the outer axis; across x: of the inner
    std::int64_t slice = 0, k_slice = 0, rho_slice = 0;  ///< across x: of the outer axis
    std::int64_t memory_row = 0;                         ///< psi and zeta across x: as `row`
    PlaneStrides across;                                 ///< of p
    T h[kMaxFactorWeights] = {};                         ///< the factor's weights over the spacing
    T smoothing[3] = {};                                 ///< compact operator: see smoothed()
    CpmlSide<T> side[2];
    int sides = 0;
    int tiles = 0;                 ///< across x: of kCpmlLanes values in the widest strip
    bool reaches_further = false;  ///< across x: whether a tile needs p of the next one, or zeros beyond the face
};

}  // namespace onda::cuda
