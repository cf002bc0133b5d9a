/// \file
/// The Laplacian of any order, as plain loops: of the reference, and of sets that are compiled plain.
#pragma once

#include "kernels/cpu/kernel.hpp"

namespace onda::cpu {
namespace {

/// L(p) at *p, in the canonical order of kernels/equations/star/stencil.hpp.
template <typename T>
inline T laplacian_of(const T* p, const StepArguments<T>& a) {
    const Stencil<T>& s = a.stencil;
    T l = s.centre * p[0];
    for (int k = 1; k <= s.radius; ++k) l = fused(s.axis[0][k], p[-k] + p[k], l);
    if (s.dimensions == 3)
        for (int k = 1; k <= s.radius; ++k) l = fused(s.axis[1][k], p[-k * a.pitch] + p[k * a.pitch], l);
    for (int k = 1; k <= s.radius; ++k) l = fused(s.axis[2][k], p[-k * a.plane], l);
    for (int k = 1; k <= s.radius; ++k) l = fused(s.axis[2][k], p[k * a.plane], l);
    return l;
}

}  // namespace
}  // namespace onda::cpu
