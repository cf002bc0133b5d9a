/// \file
/// The Born operator J: the derivative of the traces of some shots in the direction of a perturbation of the medium, as
/// a scattered field beside the background that makes it; and products with J'J.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/imaging/flux_scattering.hpp"
#include "kernels/imaging/scattering.hpp"
#include "kernels/medium.hpp"
#include "solver/imaging/gradient_run.hpp"
#include "solver/imaging/rho_gradient.hpp"
#include "solver/propagation/propagator.hpp"

namespace onda {

/// The scattered field of some shots, which follows a background on the same medium step by step.
class BornField {
public:
    /// \param medium of both fields, of order 4 in time one that keeps A p (Problem::keeps_applied); \param time with
    /// stride 1; they outlive this. \param of_density whether perturbations may be of density, too: with variable
    /// density. \throws std::bad_alloc; cuda::Error; std::invalid_argument for strips that leave nothing of p, and with
    /// `of_density` for another equation; std::logic_error for a medium that does not keep what it should.
    BornField(Medium& medium, int shots, const TimeAxis& time, bool of_density = false);

    /// Sets dk/k of every computed node (relative_change_of_k), for all shots. Until then nothing scatters.
    void set_perturbation(std::span<const double> ratio) { scattering_->set_perturbation(ratio); }
    /// Sets a perturbation of velocity, or of velocity and density (perturbation_of), for all shots that begin after
    /// it. \throws std::logic_error unless it is of what this is of.
    void set_perturbation(const MediumPerturbation& perturbation);
    /// Takes the field to rest, with the receivers of these shots. Its sources are what the density that theirs act in
    /// changes by: none unless it is of density.
    void begin(std::span<const ShotPoints> shots);
    /// What is queued after every step of the background: the same step of this field.
    [[nodiscard]] QueuedHook beside(Wavefield& background);
    /// The wavefield, with the traces of J dm once it has gone all steps.
    [[nodiscard]] Wavefield& field() { return *field_; }
    [[nodiscard]] const Wavefield& field() const { return *field_; }
    [[nodiscard]] std::int64_t allocated_bytes() const {
        return field_->allocated_bytes() + scattering_->allocated_bytes() + (fluxes_ ? fluxes_->allocated_bytes() : 0);
    }

private:
    [[nodiscard]] Sources scattered_sources(const Sources& sources) const;
    void step(Wavefield& background, std::int64_t n);

    Medium& medium_;
    const TimeAxis& time_;
    std::unique_ptr<Wavefield> field_;
    std::unique_ptr<Scattering> scattering_;
    std::unique_ptr<FluxScattering> fluxes_;  ///< null: not of density
    std::vector<double> drho_;                ///< of every node
};

/// J dm of some shots that advance together, batch after batch.
class BornRun {
public:
    /// As BornField.
    BornRun(Medium& medium, int shots, const TimeAxis& time, bool of_density = false);

    [[nodiscard]] int shots() const { return background_->shots(); }
    /// As BornField.
    void set_perturbation(std::span<const double> ratio) { born_.set_perturbation(ratio); }
    void set_perturbation(const MediumPerturbation& perturbation) { born_.set_perturbation(perturbation); }
    /// Runs the shots. The hooks of the support see the background. \param records_background whether its receivers
    /// record, too. \throws what the control, the hooks or the device throws.
    void run(std::span<const ShotPoints> shots, const RunSupport& support, bool records_background = false);

    /// With the traces J dm.
    [[nodiscard]] const Wavefield& scattered_field() const { return born_.field(); }
    /// With the traces F s, if it records.
    [[nodiscard]] const Wavefield& background_field() const { return *background_; }
    /// The run of the background, while it is stepped.
    [[nodiscard]] const Propagator& background() const { return propagator_.value(); }
    [[nodiscard]] std::int64_t allocated_bytes() const {
        return background_->allocated_bytes() + born_.allocated_bytes();
    }

private:
    const TimeAxis& time_;
    std::unique_ptr<Wavefield> background_;
    BornField born_;
    std::optional<Propagator> propagator_;
};

/// Gives the adjoint runs of all shots from a scattered field that has recorded J dm: for J'J adjoint_points() of its
/// traces.
using AdjointOfScattered = std::function<std::vector<AdjointPoints>(const Wavefield& scattered)>;

/// Products J'H J dm of some shots, batch after batch, with the background computed once, kept for the adjoint run.
class GaussNewtonRun {
public:
    /// As GradientRun and BornField.
    GaussNewtonRun(Medium& medium, int shots, const TimeAxis& time, const HistoryPlan& plan,
                   const ImageSums& sums = {});

    [[nodiscard]] int shots() const { return gradient_.shots(); }
    /// As BornField.
    void set_perturbation(std::span<const double> ratio) { born_.set_perturbation(ratio); }
    void set_perturbation(const MediumPerturbation& perturbation) { born_.set_perturbation(perturbation); }
    /// Runs the shots. \throws what the control, the hooks, the device or `adjoint_of` throws.
    void run(std::span<const ShotPoints> shots, const AdjointOfScattered& adjoint_of, const RunSupport& support);

    /// With the images of the products (gradient_of_vp).
    [[nodiscard]] const GradientRun& gradient() const { return gradient_; }
    [[nodiscard]] std::int64_t allocated_bytes() const { return gradient_.allocated_bytes() + born_.allocated_bytes(); }

private:
    GradientRun gradient_;
    BornField born_;
};

}  // namespace onda
