/// \file
/// Attenuation: the one canonical order of operations of a node that remembers.
///
/// With d = p[n] - p[n-1] a memory field R is a running mean of d, and e = d - R is what it has not followed:
///     p[n+1] = 2 p[n] - p[n-1] + k L(p[n]) - sum g e,    R += a e.
/// All that R reads is final; sources and layers are added to p[n+1] afterwards, with k. Where g is 0 these are the
/// numbers of the star. The recursion is exact for p[n+1] - 2 p[n] + p[n-1] and its mechanisms by the trapezoidal rule:
/// J of RelaxationFit with (2 / dt) tan(theta / 2) in the place of omega tau_l's omega. It is symmetric in time and
/// space: its adjoint is itself on signals that run backward. docs/theory.md proves that its energy never rises.
#pragma once

#include "kernels/equations/star/stencil.hpp"

namespace onda {

/// e of a node. \param memory R.
template <typename T>
ONDA_HOST_DEVICE T not_followed(T p, T p_prev, T memory) {
    return (p - p_prev) - memory;
}

/// A memory field acts on p[n+1]. \param next without it.
template <typename T>
ONDA_HOST_DEVICE T relaxed(T g, T not_followed, T next) {
    return fused(-g, not_followed, next);
}

/// Drag acts on p[n+1]: a memory that stays 0. \param next without it.
template <typename T>
ONDA_HOST_DEVICE T dragged(T g, T p, T p_prev, T next) {
    return relaxed(g, p - p_prev, next);
}

/// R after a step. \param a of the class of the node.
template <typename T>
ONDA_HOST_DEVICE T followed(T a, T not_followed, T memory) {
    return fused(a, not_followed, memory);
}

}  // namespace onda
