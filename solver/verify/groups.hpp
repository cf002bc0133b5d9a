/// \file
/// The groups of the verification table, one source file each.
#pragma once

#include "solver/verify/verify.hpp"

namespace onda::verify {

PromiseGroup single_precision();
PromiseGroup attenuation();
PromiseGroup drag();
PromiseGroup vertical_transverse_isotropy();
PromiseGroup tilted_transverse_isotropy();
PromiseGroup discrete_modes();
PromiseGroup order_of_accuracy();
PromiseGroup greens_functions();
PromiseGroup particle_motion();
PromiseGroup wall_images();
PromiseGroup ghost_reflection();
PromiseGroup layered_media();
PromiseGroup interface_depth();
PromiseGroup head_waves();
PromiseGroup averaged_interfaces();
PromiseGroup source_strength();
PromiseGroup absorbing_strips();
PromiseGroup energy_conservation();
PromiseGroup reciprocity();
PromiseGroup isotropy();
PromiseGroup time_dispersion();
PromiseGroup time_order();
PromiseGroup leaps();
PromiseGroup adjoint();
PromiseGroup companions();

}  // namespace onda::verify
