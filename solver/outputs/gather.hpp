/// \file
/// Gathers: from what a backend recorded to what files hold.
#pragma once

#include <span>
#include <vector>

#include "io/results/seismograms.hpp"
#include "kernels/plan/allocations.hpp"
#include "kernels/wavefield.hpp"
#include "solver/discretisation/time_axis.hpp"
#include "solver/plan/domain.hpp"
#include "solver/plan/placement.hpp"
#include "solver/propagation/recorded_before.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

struct Computation;
struct Experiment;

/// The gather of a shot as it was recorded, a sample for every step of the run. \param slot which of the wavefield's
/// shots it is.
/// \param domain of the shot's plan. \param before of the samples that the wavefield was not asked to record: whatever
/// a device has in their place. \throws Error(unstable) naming the first sample that single precision cannot hold: a
/// correction would spread it over its trace. Of particle motion it has the accelerations that Survey::motion needs.
ShotGather recorded_gather(const Shot& shot, const Survey& survey, const TimeAxis& time, const Domain& domain,
                           const Wavefield& wavefield, int slot = 0, const RecordedBefore<float>& before = {});
/// Brings recorded gathers to the user's sampling, with the dispersion in time removed where the axis says so, by
/// sample_output(), whose transpose is adjoint_of_output_sampling(). Together they take less time than one by one: the
/// weights of a sample serve all traces.
void bring_to_output_sampling(const TimeAxis& time, std::span<ShotGather> gathers);

/// Makes the particle motion that is written of the accelerations of a gather, at whatever sampling: velocities are
/// their integrals over time. Nothing is done where none is asked for.
void write_motion(const ParticleMotion& motion, ShotGather& gather);
/// Whether receivers keep their offsets from shot to shot, as those of a streamer do.
bool are_towed(const Experiment& experiment);

/// The largest |p|.
double largest_magnitude(std::span<const float> pressure);

/// The bytes of the gathers of all shots that advance together, as they are written.
std::int64_t bytes_of_gathers(const Survey& survey, const TimeAxis& time, const Placement& placement);
/// Adds the rows of the gathers of all shots that advance together, and of what bring_to_output_sampling() takes.
void add_gather_memory(Allocations& list, const Experiment& experiment, const Computation& computation);

}  // namespace onda
