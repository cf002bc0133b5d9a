#include "solver/imaging/rebuilt_field.hpp"

#include <algorithm>
#include <utility>

namespace onda {
namespace {

/// What is injected on the way back: the step from p[n] to p[n-1] adds sample n, as the one from p[n] to p[n+1] did.
/// Nodes in layers, whose signals are others, are overwritten by rings.
Sources in_reverse(Sources sources, std::int64_t steps) {
    for (std::vector<double>& signal : sources.signal) {
        signal.resize(static_cast<std::size_t>(steps));
        std::ranges::reverse(signal);
    }
    return sources;
}

}  // namespace

RebuiltField::RebuiltField(Medium& medium, const Wavefield& forward, const TimeAxis& time, const HistoryPlan& plan)
    : forward_(forward),
      time_(time),
      plan_(plan),
      field_(medium.make_wavefield(forward.shots(), StripList{})),
      ring_(forward.fields().make_ring(plan.ring_size(time))) {}

void RebuiltField::keep(std::int64_t level) {
    const std::int64_t every = plan_.every;
    const RingLevels rings = plan_.ring_levels(time_);
    if (level >= every && level < time_.steps && rings.keeps(level - every))
        ring_->save(forward_.fields(), rings.slot_of(level - every));
    if (level % every == 0 && level > 0) ring_->keep(forward_.fields(), slot_of(level));
    if (plan_.ring_pressures && (level + 1) % every == 0 && level < time_.steps)
        ring_->keep_pressure(forward_.fields(), slot_of(level + 1));
}

void RebuiltField::turn_back(std::span<const ShotPoints> shots) {
    field_->reset();
    for (int shot = 0; const ShotPoints& points : shots)
        field_->set_sources(shot++, in_reverse(points.sources, time_.steps));
    ring_->turn_back(forward_.fields(), field_->fields());
    level_ = time_.steps;
}

void RebuiltField::step_back_to(std::int64_t level) {
    for (; level_ > level; --level_) {
        ring_->load(field_->fields(), plan_.ring_levels(time_).of(level_ - 1 - plan_.every));
        field_->enqueue(time_.steps - level_, 1);
    }
}

const FieldSet& RebuiltField::at(std::int64_t level) {
    step_back_to(level);
    ring_->place(field_->fields(), slot_of(level));
    return field_->fields();
}

FieldSet& RebuiltField::pressure_before(std::int64_t level) {
    ring_->place_pressure(field_->fields(), slot_of(level));
    return field_->fields();
}

}  // namespace onda
