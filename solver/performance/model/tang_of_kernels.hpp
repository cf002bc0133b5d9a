/// \file
/// What the model of Tang et al. (solver/performance/thesis/tang_model.hpp) says of Onda's own in-plane kernels.
#pragma once

#include <optional>

#include "solver/performance/device_description.hpp"
#include "solver/performance/model/gpu_observations.hpp"

namespace onda {

/// Seconds of a step. Threads of these kernels compute several nodes, as Tang's do: Rx Rz of the model, which are 1 in
/// the thesis. As many blocks are resident as the driver says. No value for kernels that the model does not know: all
/// but the in-plane ones in 3-D at constant density and in single precision.
std::optional<double> tang_seconds(const DeviceDescription& device, const KernelCase& what,
                                   const cuda::StepFacts& facts);

}  // namespace onda
