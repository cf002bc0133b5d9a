/// \file
/// One shot's fields and the order of a time step.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/backend.hpp"
#include "solver/discretisation/time_axis.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

/// Advances one shot on a backend. Complete when constructed: fields at rest, sources and receivers in place.
class Propagator {
public:
    /// \param backend with its model uploaded; must outlive the propagator.
    Propagator(Backend& backend, const Sources& sources, const NodeWeights& receivers, const TimeAxis& time);

    /// Advances by `steps`, recording every sample on the way.
    void advance(std::int64_t steps);
    [[nodiscard]] std::int64_t step() const { return step_; }
    [[nodiscard]] double time_s() const { return static_cast<double>(step_) * dt_s_; }
    [[nodiscard]] Backend& backend() { return backend_; }
    [[nodiscard]] const Backend& backend() const { return backend_; }

private:
    Backend& backend_;
    double dt_s_;
    std::int64_t step_ = 0;
};

}  // namespace onda
