/// \file
/// Shots that are being computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <span>
#include <vector>

#include "kernels/plan/allocations.hpp"
#include "solver/imaging/operand.hpp"
#include "solver/outputs/gather.hpp"
#include "solver/outputs/shot_files.hpp"
#include "solver/outputs/shot_images.hpp"
#include "solver/outputs/shot_record.hpp"
#include "solver/outputs/snapshot_parts.hpp"
#include "solver/propagation/propagator.hpp"

namespace onda {

struct Computation;
struct Experiment;
struct Plan;

/// A shot from when it is claimed from the queue until its record is in it.
struct ShotInProgress {
    std::size_t index = 0;             ///< in the survey
    std::shared_ptr<const Plan> plan;  ///< of the shot; the run's where there is no aperture
    Shot shot;
    ShotPoints points;
    std::vector<SnapshotPart> parts;  ///< of its snapshots, where several processes have them
    ShotOutputs outputs;
    RecordedBefore before;
    ShotGather gather;
    bool has_output_sampling = false;          ///< of the gather: at the user's sampling before it is finished
    std::future<std::vector<float>> observed;  ///< [receiver][sample] as written, where gradients are computed
    ShotImages images;                         ///< then, too
    ShotProduct product;                       ///< of a linear operator
    ShotRecord record;
};
using Batch = std::vector<ShotInProgress>;

/// Puts the plan of a claimed shot, its sources and its receivers in place. \param plan of the run; outlives the shot.
void set_up(ShotInProgress& shot, const Plan& plan);

/// What the shots ask of a device at most.
ShotSize largest_shot(const Experiment& experiment, const Computation& computation);
/// The bytes of the sources and receivers of a shot as weighted nodes, and of the sources' signals, until a device has
/// them.
std::int64_t bytes_of_points(const ShotSize& shot);
/// Adds the rows of shots that are set up.
void add_shot_memory(Allocations& list, const Experiment& experiment, const Computation& computation);

/// Threads that finish the shots of a batch at the same time. Only one of them at a time writes to its file; the others
/// wait for the disk, or hash what was written.
int finishing_threads(std::int64_t shots);

}  // namespace onda
