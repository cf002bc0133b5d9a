/// \file
/// The arguments that all kernels of a time step share, from the arrays of a backend.
#pragma once

#include "kernels/cuda/arguments.hpp"
#include "kernels/cuda/stepper.hpp"

namespace onda::cuda {

/// Makes a the step that reads p[now], for any kernel: all but the planes of a block.
template <typename T>
void set_common(StepArguments<T>& a, const Fields<T>& f, int now) {
    a.p = f.p(now);
    a.q = f.p(1 - now);
    a.k = f.k().at;
    a.nx = static_cast<int>(f.grid.nx());
    a.ny = static_cast<int>(f.grid.ny());
    a.nz = static_cast<int>(f.grid.nz());
    a.y_halo = static_cast<int>(f.field.halo[1]);
    a.pitch = f.field.pitch;
    a.plane = f.field.plane;
    a.k_pitch = f.k().layout.pitch;
    a.k_plane = f.k().layout.plane;
    a.stencil = f.stencil;
}
/// Makes a the step that reads p[now], for kernels that read k as codes.
template <typename Arguments, typename K, typename T>
void set_common(WithCodes<Arguments, K>& a, const Fields<T>& f, int now) {
    set_common(static_cast<Arguments&>(a), f, now);
    a.coded_k = as<K>(f.coded_k);
}
/// Makes a the step that reads p[now], for kernels of variable density: all but the planes of a block.
template <typename T>
void set_common(DensityArguments<T>& a, const Fields<T>& f, int now) {
    set_common(static_cast<StepArguments<T>&>(a), f, now);
    a.half_rho = f.half_rho().at;
    a.rho_pitch = f.half_rho().layout.pitch;
    a.rho_plane = f.half_rho().layout.plane;
    a.x_halo = static_cast<int>(f.field.halo[0]);
    a.rho_x_halo = static_cast<int>(f.half_rho().layout.halo[0]);
    a.rho_y_halo = static_cast<int>(f.half_rho().layout.halo[1]);
}

/// Leaves out the first planes of a step.
template <typename T>
void skip_planes(StepArguments<T>& a, int planes) {
    a.p += a.plane * planes;
    a.q += a.plane * planes;
    a.k += a.k_plane * planes;
}
/// Leaves out the first planes of a step on codes of k.
template <typename T, typename K>
void skip_planes(WithCodes<StepArguments<T>, K>& a, int planes) {
    a.p += a.plane * planes;
    a.q += a.plane * planes;
    a.coded_k += a.k_plane * planes;
}
/// Leaves out the first planes of a step of variable density.
template <typename T>
void skip_planes(DensityArguments<T>& a, int planes) {
    skip_planes(static_cast<StepArguments<T>&>(a), planes);
    a.half_rho += a.rho_plane * planes;
}

}  // namespace onda::cuda
