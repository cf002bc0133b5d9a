/// \file
/// What shots that advance together leave, whatever is done with them: seismograms, a hash of the wavefield, files.
#pragma once

#include <functional>
#include <vector>

#include "solver/discretisation/time_axis.hpp"
#include "solver/outputs/shot_files.hpp"
#include "solver/tasks/shot_in_progress.hpp"

namespace onda {

/// Begins the outputs and the records of shots that have been set up. \returns their points, which they give up.
std::vector<ShotPoints> begin_batch(Batch& batch, const ShotFiles& files);

/// Takes from a wavefield that has done its last step the hash of each shot's pressure and what its receivers recorded.
/// \throws Error(unstable) for samples that single precision cannot hold.
void collect_recorded(Batch& batch, const Wavefield& wavefield);

/// Brings the gathers of a batch to the user's sampling, hands them to the outputs of their shots, and gives the files
/// their names. \param hand_over what else the outputs of a shot take, after its gather; may be empty. Several threads
/// call it. \throws Error; Interrupted.
void finish_batch(const TimeAxis& time, const ShotFiles& files, Batch& batch,
                  const std::function<void(ShotInProgress&)>& hand_over = {});

}  // namespace onda
