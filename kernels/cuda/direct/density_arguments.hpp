/// \file
/// What the launchers of variable density share.
#pragma once

#include "kernels/cuda/direct/density.hpp"
#include "kernels/cuda/stepper.hpp"

namespace onda::cuda {

template <typename T>
DensityArguments<T> density_arguments(const Fields<T>& fields, int now) {
    DensityArguments<T> a;
    set_common(a.step, fields, now);
    a.half_rho = fields.half_rho;
    a.rho_pitch = fields.density.pitch;
    a.rho_plane = fields.density.plane;
    a.x_halo = static_cast<int>(fields.field.halo[0]);
    a.y_halo = static_cast<int>(fields.field.halo[1]);
    a.rho_x_halo = static_cast<int>(fields.density.halo[0]);
    a.rho_y_halo = static_cast<int>(fields.density.halo[1]);
    return a;
}

}  // namespace onda::cuda
