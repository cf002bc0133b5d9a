/// \file
/// What a gradient run leaves of a shot on the nodes of its part of the grid.
#pragma once

#include <cstdint>
#include <span>

#include "solver/imaging/anisotropy_gradient.hpp"
#include "solver/imaging/gradient_run.hpp"
#include "solver/imaging/q_gradient.hpp"
#include "solver/imaging/rho_gradient.hpp"
#include "solver/imaging/vp_gradient.hpp"
#include "solver/plan/plan.hpp"
#include "solver/tasks/shot_media.hpp"

namespace onda {

/// Derivatives with respect to the parameters of every node, [z][y][x].
template <typename T>
struct ShotGradients {
    UnsetVector<T> vp, rho, q, epsilon, delta;  ///< those after vp where they were asked for
};

/// The image or an illumination of a shot of a run that has ended, plane by plane; no longer than the run.
inline ImagePlanes planes_of(const GradientRun& run, LevelSum sum, int slot) {
    return [&run, sum, slot](std::int64_t first, std::span<double> planes) {
        run.download_planes(sum, slot, first, planes);
    };
}

/// \param run that has ended. \param slot of the shot in it. \param of_shot of the shot's plan, as is `setup`.
template <typename T>
ShotGradients<T> gradients_of(const GradientRun& run, int slot, const Experiment& of_shot, const Setup& setup,
                              const ShotMedia& media) {
    const ComputedGrid& computed = of_shot.domain.computed;
    const MediumReaders readers = medium_readers(media.model(), computed, of_shot.domain.part);
    ShotGradients<T> gradients;
    gradients.vp = folded_gradient_of_vp<T>(planes_of(run, LevelSum::products, slot), setup, readers, of_shot.time.dt_s,
                                            computed, of_shot.domain.grid);
    if (of_shot.imaging->sums.density) {
        const NodeValues of_rho =
            gradient_of_rho(run.image(slot), run.density_images(slot), setup, readers, of_shot.time.dt_s);
        gradients.rho = fold_to_inner<T>(of_rho, computed, of_shot.domain.grid);
    }
    if (of_shot.imaging->of_q) {
        const NodeValues of_q =
            gradient_of_q(run.image(slot), run.memory_images(slot), setup, readers, of_shot.time.dt_s);
        gradients.q = fold_to_inner<T>(of_q, computed, of_shot.domain.grid);
    }
    if (of_shot.imaging->sums.anisotropy) {
        const AnisotropyGradient of =
            gradient_of_anisotropy(run.anisotropy_images(slot), setup, readers, of_shot.time.dt_s);
        gradients.epsilon = fold_to_inner<T>(of.epsilon, computed, of_shot.domain.grid);
        gradients.delta = fold_to_inner<T>(of.delta, computed, of_shot.domain.grid);
    }
    return gradients;
}

}  // namespace onda
