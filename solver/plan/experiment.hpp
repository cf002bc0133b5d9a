/// \file
/// What is simulated, whatever computes it, and what is written of it.
#pragma once

#include <cstddef>
#include <optional>

#include "io/config/config.hpp"
#include "solver/discretisation/time_axis.hpp"
#include "solver/plan/domain.hpp"
#include "solver/plan/imaging_plan.hpp"
#include "solver/plan/model_plan.hpp"
#include "solver/plan/snapshot_plan.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

/// A seismic experiment: what the formats of results, and whoever needs no device, take of a plan.
struct Experiment {
    Config config;  ///< with what its grid has from the model's file
    Domain domain;
    ModelPlan model;
    Survey survey;
    TimeAxis time;
    SnapshotPlan snapshots;
    std::optional<ImagingPlan> imaging;  ///< present where gradients or scattered fields are computed
};

/// The part of the run's grid that a shot is computed on: all of it where there is no aperture.
Window part_of_shot(const Experiment& experiment, std::size_t shot);
/// The domain of one of the shots: that of the run, or, where there is an aperture, that of the shot's part.
Domain domain_of_shot(const Experiment& experiment, std::size_t shot);
/// The domain of a part of the grid: Domain::part of such a shot.
Domain domain_of_part(const Domain& domain, const Window& part);

}  // namespace onda
