/// \file
/// What a gradient run leaves of a shot on the nodes of its part of the grid.
#pragma once

#include <utility>
#include <vector>

#include "solver/imaging/gradient_run.hpp"
#include "solver/imaging/rho_gradient.hpp"
#include "solver/imaging/vp_gradient.hpp"
#include "solver/plan/plan.hpp"
#include "solver/tasks/shot_media.hpp"

namespace onda {

/// Derivatives with respect to the parameters of every node, [z][y][x].
template <typename T>
struct ShotGradients {
    std::vector<T> vp, rho;  ///< the latter where it was asked for
};

/// \param run that has ended. \param slot of the shot in it. \param plan of the shot.
template <typename T>
ShotGradients<T> gradients_of(const GradientRun& run, int slot, const Plan& plan, const ShotMedia& media) {
    const ComputedGrid& computed = plan.domain.computed;
    const MediumReaders readers = medium_readers(media.model(), computed, plan.domain.part);
    const auto folded = [&](const NodeValues& gradient) {
        return fold_to_inner<T>(gradient, computed, plan.domain.grid);
    };
    NodeValues image = run.image(slot);
    ShotGradients<T> gradients;
    if (plan.imaging->density)
        gradients.rho = folded(gradient_of_rho(image, run.density_images(slot), plan.setup, readers, plan.time.dt_s));
    gradients.vp = folded(gradient_of_vp(std::move(image), plan.setup, readers, plan.time.dt_s));
    return gradients;
}

}  // namespace onda
