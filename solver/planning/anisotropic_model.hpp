/// \file
/// What models with epsilon and delta need beyond their values: sources and free surfaces that suit the equation.
#pragma once

#include <string>
#include <vector>

#include "solver/model/model.hpp"
#include "solver/plan/plan.hpp"

namespace onda {

/// The model of a plan as the waves of its run feel it: that of the configuration, but where delta is less than epsilon
/// near a source of any shot. A point source there also sends a slow wave that no rock has (Duveneck et al. 2008, SEG
/// Expanded Abstracts 27; docs/theory.md), so delta rises to epsilon: all the way at the source, by cos^2 of the
/// distance to nothing at model.elliptical_radius. Where two sources are near the nearer counts. The notes of the model
/// tell of it; with a radius of 0 its warnings do.
/// \throws as make_model().
Model make_model_of_run(const Plan& draft);

/// Whether epsilon and delta of each node are not the model's alone to say: within model.elliptical_radius of a source,
/// where delta rises, and at a free surface and as near to it as the stencil reaches, where both are 0.
std::vector<bool> nodes_of_settled_anisotropy(const Plan& plan);

/// Refuses anisotropy at a free surface and as near to it as the stencil reaches, where the two stresses vanish
/// together, as they do in a fluid alone; and an axis that is tilted at a free surface or a rigid wall, where it has no
/// image, out of the plane of a 2-D run, or brought from other nodes where it is given at each: angles have no mean.
/// \param model of the plan. \throws Error(config) with a node of each such face.
void check_faces_of_anisotropy(const Plan& plan, const Model& model);

/// Warnings of anisotropy that rocks hardly have.
std::vector<std::string> doubts_of_anisotropy(const Plan& plan);

}  // namespace onda
