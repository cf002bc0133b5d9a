#include "solver/propagator.hpp"

namespace onda {

Propagator::Propagator(Backend& backend, const Sources& sources, const NodeWeights& receivers, const TimeAxis& time)
    : backend_(backend), dt_s_(time.dt_s) {
    backend_.reset();
    backend_.set_sources(sources);
    backend_.set_receivers(receivers, time.steps + 1);
    backend_.record(0);
}

void Propagator::advance(std::int64_t steps) {
    for (const std::int64_t end = step_ + steps; step_ < end; ++step_) {
        backend_.fill_halos();
        backend_.step();
        backend_.absorb();
        backend_.inject(step_);
        backend_.swap();
        backend_.record(step_ + 1);
    }
}

}  // namespace onda
