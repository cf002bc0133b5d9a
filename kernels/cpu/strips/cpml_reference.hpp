/// \file
/// Perfectly matched layers for the kernel `reference`: what those of all other kernels are compared with.
#pragma once

#include <cstdint>

#include "kernels/cpu/kernel.hpp"

namespace onda::cpu {

struct StripRow;

/// How the kernel `reference` computes perfectly matched layers. The state has the names, extents and order of all
/// others.
extern const StripRow kCpmlReference;

/// The layer of one face. The step has overwritten q with the plain operator's p[n+1].
template <typename T>
struct ReferenceLayer : Arrays<T> {
    int axis = 0, dimensions = 3, width = 0;
    bool high = false;             ///< the face at the end of the axis
    int first = 0, count = 0;      ///< g(t) = sum_j h_j p(t + first + j), j = 0 … count - 1
    const T* h = nullptr;          ///< h_j / spacing
    bool has_density = false;      ///< g is b D p, not D p
    bool is_smoothed = false;      ///< D p is that of the mean of p over the plane
    const T* smoothing = nullptr;  ///< the mean's weights of the node, its neighbours, and those across corners
    const T *a_psi = nullptr, *b_psi = nullptr, *a_zeta = nullptr, *b_zeta = nullptr;  ///< towards the face
    /// psi of t = 0 … width - 1 and zeta of t = 1 … width: [z][y][x], with t in the place of the coordinate across the
    /// face.
    T *psi = nullptr, *zeta = nullptr;
    /// Where fields share what a layer gives: p[n+1] of the other one, and what multiplies k for both; null: 1.
    T* also = nullptr;
    const T *own = nullptr, *other = nullptr;
    T* third = nullptr;  ///< p[n+1] of a third field, which takes it with k; null: none
};

/// Adds the layer to p[n+1].
template <typename Isa, typename T>
void add_reference_layer(const ReferenceLayer<T>& layer);

}  // namespace onda::cpu
