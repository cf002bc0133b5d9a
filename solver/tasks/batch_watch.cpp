#include "solver/tasks/batch_watch.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"
#include "solver/model/density.hpp"
#include "solver/outputs/gather.hpp"

namespace onda {
namespace {

/// Lets errors say which shot they are about, where there are several.
template <typename Work>
auto of_shot(const Experiment& experiment, const Shot& shot, const Work& work) {
    try {
        return work();
    } catch (const Error& error) {
        if (experiment.survey.shots.size() == 1) throw;
        throw Error(error.code(), fmt::format("shot {}: {}", shot.id, error.what()));
    }
}

/// The larger of a pressure and of what files, which are in single precision, hold of it.
double with_rounding(double pressure) {
    const auto stored = static_cast<double>(static_cast<float>(pressure));
    return std::isfinite(stored) ? std::max(pressure, stored) : pressure;
}

StabilityWatch watch_over(const Experiment& experiment, const Computation& computation, const Sources& sources) {
    const VelocityRange& velocity = experiment.model.velocity;
    const double contrast = density_contrast(computation.setup.scheme.equation, experiment.model.further);
    const double bound =
        amplitude_bound(sources, experiment.domain.grid, experiment.time, velocity.min_m_s, velocity.max_m_s) *
        std::sqrt(contrast);
    return {experiment.domain.computed, experiment.time, computation.setup.precision, bound, contrast};
}

}  // namespace

BatchWatch::BatchWatch(const Plan& plan, Batch& batch) : plan_(plan), batch_(batch) {
    for (const ShotInProgress& shot : batch)
        watches_.push_back(watch_over(shot.plan->experiment(), shot.plan->computation(), shot.points.sources));
}

std::int64_t BatchWatch::next(std::int64_t step) const {
    const std::int64_t steps = plan_.time.steps, from = std::max(step, std::int64_t{0});
    if (from >= steps) return steps + 1;
    const std::int64_t next = (from / StabilityWatch::kInterval + 1) * StabilityWatch::kInterval;
    return std::min({steps, next, plan_.snapshots.steps.after(from).value_or(steps)});
}

void BatchWatch::look(const Propagator& propagator) {
    largest_ = 0.;
    const std::vector<Extremum> all_seen = propagator.wavefield().extrema();
    for (int slot = 0; ShotInProgress & shot : batch_) {
        const auto which = static_cast<std::size_t>(slot);
        const Extremum& seen = all_seen[which];
        of_shot(plan_, shot.shot, [&] { watches_[which].check(seen, propagator); });
        double& observed = shot.record.largest_observed_pressure;
        observed =
            with_rounding(largest_pressure(propagator.wavefield(), shot.plan->domain.computed, seen, observed, slot++));
        largest_ = std::max(largest_, seen.max_abs);
    }
}

void BatchWatch::check(const Propagator& propagator) const {
    const std::vector<Extremum> all_seen = propagator.wavefield().extrema();
    for (std::size_t i = 0; i < batch_.size(); ++i)
        of_shot(plan_, batch_[i].shot, [&] { watches_[i].check(all_seen[i], propagator); });
}

void observe(ShotRecord& record, std::span<const float> pressure) {
    record.largest_observed_pressure = std::max(record.largest_observed_pressure, largest_magnitude(pressure));
}

}  // namespace onda
