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

/// The same and a third field, which no kernel reads at other nodes: the strain s.
template <typename T, typename Base>
struct WithStrain : WithStresses<T, Base> {
    const T* strain = nullptr;  ///< s[n]
    T* strain_next = nullptr;   ///< s[n-1], overwritten with s[n+1]
};
/// Whether a kernel that is given these steps a strain.
template <typename Arguments>
inline constexpr bool kHasStrain = requires(const Arguments& a) {
    a.strain;
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
template <typename T, typename Base>
void set_common(WithStrain<T, Base>& a, const Fields<T>& f, int now) {
    set_common(static_cast<WithStresses<T, Base>&>(a), f, now);
    a.strain = f.levels[2][static_cast<std::size_t>(now)];
    a.strain_next = f.levels[2][static_cast<std::size_t>(1 - now)];
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
template <typename T, typename Base>
void skip_planes(WithStrain<T, Base>& a, int planes) {
    skip_planes(static_cast<WithStresses<T, Base>&>(a), planes);
    a.strain += a.plane * planes;
    a.strain_next += a.plane * planes;
}

/// p[n+1] and q[n+1] of a node, and s[n+1] where there is a strain. \param node in the fields; \param of_medium in k, e
/// and d.
template <typename T, typename Arguments>
__device__ __forceinline__ void advance_stresses(const Arguments& a, std::int64_t node, std::int64_t of_medium, T l,
                                                 T v) {
    const T k = a.k[of_medium], e = a.e[of_medium], d = a.d[of_medium];
    a.q[node] = next_horizontal(a.p[node], a.q[node], k, e, d, l, v);
    a.vertical_next[node] = next_vertical(a.vertical[node], a.vertical_next[node], k, d, l, v);
    if constexpr (kHasStrain<Arguments>)
        a.strain_next[node] = next_strain(a.strain[node], a.strain_next[node], k, l, v);
}

}  // namespace onda::cuda
