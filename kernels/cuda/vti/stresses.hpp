/// \file
/// Transverse isotropy on a GPU: what its kernels are given.
#pragma once

#include "kernels/cuda/common_arguments.hpp"
#include "kernels/cuda/direct/direct.hpp"
#include "kernels/equations/vti/vti.hpp"

namespace onda::cuda {

/// What a kernel of one field is given, which is the horizontal stress p, and the arrays of a second one: the vertical
/// stress q. e and d lie as k does.
template <typename T, typename Base>
struct WithStresses : Base {
    const T* vertical = nullptr;  ///< q[n]
    T* vertical_next = nullptr;   ///< q[n-1], overwritten with q[n+1]
    const T *e = nullptr, *d = nullptr;
    T vertical_centre = 0;  ///< see there in kernels/equations/vti/vti.hpp
};

/// Makes a the step that reads p[now] and q[now]: all but the planes of a block.
template <typename T, typename Base>
void set_common(WithStresses<T, Base>& a, const Fields<T>& f, int now) {
    set_common(static_cast<Base&>(a), f, now);
    a.vertical = f.levels[1][static_cast<std::size_t>(now)];
    a.vertical_next = f.levels[1][static_cast<std::size_t>(1 - now)];
    a.e = f.medium[1].at;
    a.d = f.medium[2].at;
    a.vertical_centre = vertical_centre(f.stencil);
}

/// Leaves out the first planes of a step.
template <typename T, typename Base>
void skip_planes(WithStresses<T, Base>& a, int planes) {
    skip_planes(static_cast<Base&>(a), planes);
    a.vertical += a.plane * planes;
    a.vertical_next += a.plane * planes;
    a.e += a.k_plane * planes;
    a.d += a.k_plane * planes;
}

/// p[n+1] and q[n+1] of a node. \param node in the fields; \param of_medium in k, e and d.
template <typename T, typename Base>
__device__ __forceinline__ void advance_stresses(const WithStresses<T, Base>& a, std::int64_t node,
                                                 std::int64_t of_medium, T l, T v) {
    const T k = a.k[of_medium], e = a.e[of_medium], d = a.d[of_medium];
    a.q[node] = next_horizontal(a.p[node], a.q[node], k, e, d, l, v);
    a.vertical_next[node] = next_vertical(a.vertical[node], a.vertical_next[node], k, d, l, v);
}

}  // namespace onda::cuda
