/// \file
/// Which kernel computes a run, and how many of its shots advance together.
#pragma once

#include "io/config/config.hpp"
#include "kernels/setup.hpp"
#include "solver/performance/tuning.hpp"

namespace onda {

struct Plan;

/// The kernel and its settings as a configuration asks for them, "auto" where it leaves them open.
KernelChoice kernel_choice(const BackendConfig& wanted);

/// What `backend` leaves to be chosen for the grid, the faces and the shots of a plan that is complete, or complete but
/// for its kernel and its batch.
TuningCase tuning_case(const Plan& plan);

/// What is taken where nothing was measured and no model knows better. The kernel is the device's own choice. Batches:
/// on a device with memory of its own, enough nodes to fill it, and two batches at least, so that the outputs of one
/// are made under the steps of the other. On the CPU, a shot for each thread where wavefields are small enough for the
/// caches of the cores: threads that share such a shot spend their time waiting for each other.
Candidate rule_of(const Plan& plan);

/// Names in place of "auto" in plan.setup, the batch, and what chose them. They change no result.
/// \param plan complete but for these. \param use_kept whether what `onda tune` found counts. \throws Error(config) for
/// a batch of more shots than the device takes together.
void choose_kernel_and_batch(Plan& plan, bool use_kept);

/// Whether the memory that is free holds the run with so many shots at a time. \param plan is given that batch.
bool fits(Plan& plan, int batch);

}  // namespace onda
