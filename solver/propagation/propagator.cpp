#include "solver/propagation/propagator.hpp"

#include "kernels/shot/layer_sources.hpp"

namespace onda {

Propagator::Propagator(Wavefield& wavefield, std::span<const ShotPoints> shots, const TimeAxis& time)
    : wavefield_(wavefield), dt_s_(time.dt_s) {
    wavefield_.reset();
    for (int shot = 0; const ShotPoints& points : shots) {
        wavefield_.set_sources(shot, with_filters_of_strips(wavefield_.medium(), points.sources, time.steps + 1));
        wavefield_.set_receivers(shot++, points.receivers, time.recorded_samples());
    }
    wavefield_.record(0);
}

Propagator::Propagator(Wavefield& wavefield, const Sources& sources, const NodeWeights& receivers, const TimeAxis& time)
    : Propagator(wavefield, std::array{ShotPoints{sources, receivers}}, time) {}

void Propagator::advance(std::int64_t steps) {
    wavefield_.advance(step_, steps);
    step_ += steps;
}

}  // namespace onda
