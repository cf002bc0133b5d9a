/// \file
/// Shots on a wavefield, from rest to their last step.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/wavefield.hpp"
#include "solver/discretisation/time_axis.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

/// What a wavefield needs of a shot.
struct ShotPoints {
    Sources sources;
    NodeWeights receivers;
};

/// The propagator of one shot or of several that advance together. Complete when constructed: fields at rest, sources
/// and receivers in place.
class Propagator {
public:
    /// \param wavefield of as many shots; must outlive the propagator.
    Propagator(Wavefield& wavefield, std::span<const ShotPoints> shots, const TimeAxis& time);
    /// The same of one shot.
    Propagator(Wavefield& wavefield, const Sources& sources, const NodeWeights& receivers, const TimeAxis& time);

    /// Advances by `steps`, recording every sample on the way.
    void advance(std::int64_t steps);
    [[nodiscard]] std::int64_t step() const { return step_; }
    [[nodiscard]] double time_s() const { return static_cast<double>(step_) * dt_s_; }
    [[nodiscard]] Wavefield& wavefield() { return wavefield_; }
    [[nodiscard]] const Wavefield& wavefield() const { return wavefield_; }

private:
    Wavefield& wavefield_;
    double dt_s_;
    std::int64_t step_ = 0;
};

}  // namespace onda
