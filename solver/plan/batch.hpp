/// \file
/// How many shots of a run advance together.
#pragma once

#include "solver/plan/plan.hpp"

namespace onda {

/// The number of shots that advance together: backend.batch, or as many as make the run fast. It changes no result.
///
/// On a device with memory of its own, enough nodes to fill it, and two batches at least, so that the outputs of one
/// are made under the steps of the other. On the CPU, a shot for each thread where wavefields are small enough for the
/// caches of the cores: threads that share such a shot spend their time waiting for each other.
/// \param plan complete but for its batch. \throws Error(config) for more than the device takes together.
int choose_batch(const Plan& plan);

}  // namespace onda
