/// \file
/// A change of the model as scattered fields take it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/imaging/rho_gradient.hpp"
#include "solver/imaging/vp_gradient.hpp"
#include "solver/plan/plan.hpp"
#include "solver/tasks/shot_media.hpp"

namespace onda {

/// Lets a run scatter by the change of the model that is the operand of its task, on the nodes that a shot is computed
/// on, scaled so that its largest value is one.
/// \param born a BornRun or GaussNewtonRun. \param of_shot the plan of the shot.
/// \returns what the scattered seismograms are to be multiplied by.
template <typename Run>
double perturb(Run& born, const Plan& plan, const Plan& of_shot, const ShotMedia& media) {
    const ComputedGrid& computed = of_shot.domain.computed;
    const MediumReaders readers = medium_readers(media.model(), computed, of_shot.domain.part);
    const auto on_computed = [&](std::span<const double> change) {
        const Grid& grid = plan.domain.grid;
        return extend_from_inner(values_in<double>(of_shot.domain.part, planes_of(change, grid), grid), computed,
                                 of_shot.domain.grid);
    };
    const ModelValues& change = plan.operand->change;
    const std::vector<double> drho = plan.imaging->sums.density ? on_computed(change.rho) : std::vector<double>();
    MediumPerturbation perturbation =
        perturbation_of(on_computed(change.vp), drho, of_shot.setup, readers, plan.time.dt_s);
    const double factor = scale_to_one(perturbation.largest);
    perturbation.scale(factor);
    born.set_perturbation(perturbation);
    return 1. / factor;
}

}  // namespace onda
