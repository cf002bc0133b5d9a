#include "solver/propagation/propagator.hpp"

namespace onda {

Propagator::Propagator(Wavefield& wavefield, const Sources& sources, const NodeWeights& receivers, const TimeAxis& time)
    : wavefield_(wavefield), dt_s_(time.dt_s) {
    wavefield_.reset();
    wavefield_.set_sources(0, sources);
    wavefield_.set_receivers(0, receivers, time.steps + 1);
    wavefield_.record(0);
}

void Propagator::advance(std::int64_t steps) {
    wavefield_.advance(step_, steps);
    step_ += steps;
}

}  // namespace onda
