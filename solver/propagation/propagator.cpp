#include "solver/propagation/propagator.hpp"

namespace onda {

Propagator::Propagator(Backend& backend, const Sources& sources, const NodeWeights& receivers, const TimeAxis& time)
    : backend_(backend), dt_s_(time.dt_s) {
    backend_.reset();
    backend_.set_sources(sources);
    backend_.set_receivers(receivers, time.steps + 1);
    backend_.record(0);
}

void Propagator::advance(std::int64_t steps) {
    backend_.advance(step_, steps);
    step_ += steps;
}

}  // namespace onda
