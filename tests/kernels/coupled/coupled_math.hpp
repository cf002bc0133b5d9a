/// \file
/// The one canonical order of operations of the coupled equation, on every device.
#pragma once

#include "kernels/equations/star/stencil.hpp"

namespace onda::test {

/// f+ = 2 f - f- + k L(f) - g (f - other)
template <typename T>
ONDA_HOST_DEVICE T advance_coupled(const T* f, T before, T k, T g, T other, T laplacian) {
    return fused(-g, *f - other, leapfrog(*f, before, k, laplacian));
}

}  // namespace onda::test
