#include "solver/tasks/shot_in_progress.hpp"

#include <algorithm>
#include <omp.h>

#include "io/text/saturating.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/program/host_memory.hpp"

namespace onda {
namespace {

std::shared_ptr<const Plan> shared_plan_of_shot(const Plan& plan, std::size_t index) {
    if (plan.domain.aperture) return std::make_shared<const Plan>(plan_of_shot(plan, index));
    return {std::shared_ptr<const Plan>(), &plan};
}

/// Whether a source may have nodes in the strips at the cuts of an aperture. Those at the faces of the grid are counted
/// with the survey.
bool may_reach_cuts(const Domain& domain) {
    if (!domain.aperture) return false;
    double widest_m = domain.grid.spacing_m[0];
    if (domain.grid.dimensions == 3) widest_m = std::max(widest_m, domain.grid.spacing_m[1]);
    return domain.aperture->limit_m() < kPointRadius * widest_m;
}

}  // namespace

void set_up(ShotInProgress& shot, const Plan& plan) {
    shot.shot = plan.survey.shots[shot.index];
    shot.plan = shared_plan_of_shot(plan, shot.index);
    const Grid& grid = shot.plan->setup.grid;
    const FaceHalos& halos = shot.plan->boundary.halos;
    shot.points.sources = make_sources(shot.shot, plan.survey, grid, halos, plan.time);
    shot.points.receivers = receiver_rows(shot.shot.receivers.list(), grid, halos, plan.survey.motion.axes);
}

ShotSize largest_shot(const Experiment& experiment, const Computation& computation) {
    const SurveySize& size = experiment.survey.size;
    ShotSize most;
    most.source_nodes = size.most_source_nodes;
    most.receiver_nodes = size.most_receiver_nodes;
    most.sources = may_reach_cuts(experiment.domain) ? size.most_source_nodes : size.most_source_rows;
    most.receivers = size.most_receiver_rows;
    most.signal_samples = experiment.time.signal_samples();
    most.trace_samples = experiment.time.recorded_samples();
    most.download_points = downloaded_points(experiment.snapshots, computation.setup.grid, computation.placement);
    return most;
}

std::int64_t bytes_of_points(const ShotSize& shot) {
    constexpr std::int64_t entry = sizeof(std::int64_t) + sizeof(double), row = sizeof(std::int64_t);
    return saturating_sum(saturating_product(saturating_sum(shot.receiver_nodes, shot.source_nodes), entry),
                          saturating_product(saturating_sum(shot.receivers, shot.sources), row),
                          saturating_product(shot.sources, shot.signal_samples, std::int64_t{sizeof(double)}));
}

void add_shot_memory(Allocations& list, const Experiment& experiment, const Computation& computation) {
    // One batch is there until the wavefield has it, and the next while it is computed.
    const std::int64_t points = bytes_of_points(largest_shot(experiment, computation)),
                       batch = shots_together(computation.placement);
    list.add(host_row("shots that are set up", held::set_up, points, 1, batch));
    list.add(host_row("sources and receivers", held::survey, points, 1,
                      is_pipelined(computation.placement, experiment.survey) ? batch : 0));
}

int finishing_threads(std::int64_t shots) {
    constexpr std::int64_t most = 8;
    return static_cast<int>(std::min({shots, most, std::int64_t{omp_get_max_threads()}}));
}

}  // namespace onda
