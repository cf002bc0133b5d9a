/// \file
/// A run whose results stay in memory: the steps, sources, receivers and bits of run_simulation(), and no file.
#pragma once

#include <memory>
#include <vector>

#include "io/config/config.hpp"
#include "io/results/image_file.hpp"
#include "io/results/seismograms.hpp"
#include "io/results/snapshots.hpp"
#include "solver/imaging/finished_image.hpp"
#include "solver/imaging/operand.hpp"
#include "solver/outputs/shot_images.hpp"
#include "solver/program/log.hpp"
#include "solver/program/progress.hpp"
#include "solver/run/summary.hpp"
#include "solver/shots/shot_selection.hpp"

namespace onda {

struct TaskRow;

struct ShotInMemory {
    ShotGather gather;  ///< of a shot with receivers; otherwise it has no samples
    ShotFrames frames;  ///< empty without snapshots
    ShotImages images;  ///< where gradients are computed
    ShotRows rows;      ///< what a linear operator makes of a shot, where these are rows
};

struct SurveyInMemory {
    std::shared_ptr<const Plan> plan;
    RunFacts facts;                   ///< with the shots that were computed, by number
    std::vector<ShotInMemory> shots;  ///< of facts.shots, in the same order
    ModelValues product;              ///< what the transpose of the Born operator makes of all shots
};

/// The misfit of all shots of a survey, and its derivative with respect to the parameters of every node of its grid:
/// sums in double, in the order of the shots.
struct MisfitInMemory {
    double value = 0.;
    std::vector<double> gradient_vp;                       ///< [misfit per m/s], [z][y][x], x fastest
    std::vector<double> gradient_rho;                      ///< [misfit per kg/m3]; empty: not asked
    std::vector<double> gradient_q;                        ///< [misfit]; empty: not asked
    std::vector<double> gradient_epsilon, gradient_delta;  ///< likewise
};
MisfitInMemory misfit_of(const SurveyInMemory& survey);

/// An image of the subsurface, with the bits of image.h5.
struct ImageInMemory {
    SurveyInMemory survey;           ///< without anything of its shots
    FinishedImage of_all;            ///< [z][y][x] on all nodes, x fastest
    OffsetGathers offset_gathers;    ///< without values: not asked
    std::vector<ShotMisfit> misfit;  ///< of each shot with receivers, by number: half the energy of what was migrated
};

/// What a linear operator is applied to, as a program has it: one of these, or neither.
struct GivenOperand {
    ModelValues change;           ///< of the model
    std::vector<ShotRows> shots;  ///< of the selected shots, ascending by number
};

/// Computes the shots of a survey. What the configuration says of files and pictures has no effect, but for the
/// sampling of the seismograms, which are those that files would hold, bit for bit.
/// \param selection the shots to compute. \param task what is done with them; null: the first of tasks().
/// \param progress may throw Interrupted to end the run.
/// \throws Error; std::bad_alloc; what `progress` and `log` throw.
SurveyInMemory run_in_memory(const Config& config, const ShotSelection& selection, Progress& progress, Log& log,
                             const TaskRow* task = nullptr);

/// The same of reverse-time migration, of which sums over the shots are kept, and of each shot no more than until those
/// before it are there.
ImageInMemory migrate_in_memory(const Config& config, const ShotSelection& selection, Progress& progress, Log& log);

/// The same of one of the linear operators (solver/tasks/linear_tasks.hpp), of which ShotInMemory::rows or
/// SurveyInMemory::product is all that is kept. The latter is summed in the order of the shots, whoever computes
/// them, and holds no more of them than those that have come too early.
/// \throws Error(usage), too, where the operand does not fit the survey: another number of shots, rows, samples or
/// nodes.
SurveyInMemory apply_in_memory(const Config& config, const ShotSelection& selection, Progress& progress, Log& log,
                               const TaskRow& task, GivenOperand operand);

/// The plan by which a task would run, without its steps. \throws as run_in_memory().
std::shared_ptr<const Plan> plan_in_memory(const Config& config, const ShotSelection& selection, const TaskRow& task);

}  // namespace onda
