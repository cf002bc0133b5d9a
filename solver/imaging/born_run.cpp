#include "solver/imaging/born_run.hpp"

#include <stdexcept>
#include <utility>

namespace onda {
namespace {

/// Shots without receivers.
std::vector<ShotPoints> unrecorded(std::span<const ShotPoints> shots) {
    std::vector<ShotPoints> points;
    for (const ShotPoints& shot : shots) points.push_back({shot.sources, {}});
    return points;
}

/// Steps whose operations are those of a wavefield, with something after that which applies A to p.
struct SteppingWithApplied {
    Wavefield& field;
    std::function<void()> scatter;

    [[nodiscard]] const Problem& problem() const { return field.problem(); }
    void perform(Operation operation, std::int64_t index) const {
        field.perform(operation, index);
        if (operation == Operation::step_twice) scatter();
    }
};

/// With a hook after those of a support.
RunSupport with_hook(const RunSupport& support, QueuedHook hook) {
    RunSupport with = support;
    with.queued = both(support.queued, std::move(hook));
    return with;
}

}  // namespace

BornField::BornField(Medium& medium, int shots, const TimeAxis& time, bool of_density)
    : medium_(medium),
      time_(time),
      field_(medium.make_wavefield(shots)),
      scattering_(field_->fields().make_scattering()),
      fluxes_(of_density ? field_->fields().make_flux_scattering() : nullptr) {
    check_keeps_applied(medium.setup());
}

void BornField::set_perturbation(const MediumPerturbation& perturbation) {
    if ((fluxes_ != nullptr) == perturbation.drho.empty())
        throw std::logic_error("a perturbation of other parameters than the operator's");
    scattering_->set_perturbation(perturbation.ratio);
    if (fluxes_) fluxes_->set_perturbation(perturbation.flux);
    drho_ = perturbation.drho;
}

/// f is k w s / (rho V): a change of the density that a source acts in scatters -f times its relative change.
Sources BornField::scattered_sources(const Sources& sources) const {
    if (drho_.empty()) return {};
    const std::vector<double> changes = relative_changes_of_source_density(medium_, sources, drho_);
    Sources scattered = sources;
    for (std::size_t row = 0; row < changes.size(); ++row)
        for (double& value : scattered.signal[row]) value *= -changes[row];
    return scattered;
}

void BornField::begin(std::span<const ShotPoints> shots) {
    std::vector<ShotPoints> points;
    for (const ShotPoints& shot : shots) points.push_back({scattered_sources(shot.sources), shot.receivers});
    const Propagator at_rest(*field_, std::move(points), time_);
    scattering_->reset();
    if (fluxes_) fluxes_->reset();
}

QueuedHook BornField::beside(Wavefield& background) {
    return {[](std::int64_t step) { return step + 1; },
            [this, &background](std::int64_t step) { this->step(background, step - 1); }};
}

void BornField::step(Wavefield& background, std::int64_t n) {
    scattering_->scatter(background.fields(), field_->fields());
    if (fluxes_) fluxes_->scatter(background.fields(), field_->fields());
    if (!field_->problem().keeps_applied) return field_->enqueue(n, 1);
    SteppingWithApplied stepping{*field_, [&] { scattering_->scatter_applied(background.fields(), field_->fields()); }};
    advance_in_order(stepping, n, 1);
}

BornRun::BornRun(Medium& medium, int shots, const TimeAxis& time, bool of_density)
    : time_(time), background_(medium.make_wavefield(shots)), born_(medium, shots, time, of_density) {}

void BornRun::run(std::span<const ShotPoints> shots, const RunSupport& support, bool records_background) {
    born_.begin(shots);
    propagator_.emplace(*background_, records_background ? std::vector(shots.begin(), shots.end()) : unrecorded(shots),
                        time_);
    propagator_->set_hook(both(support.queued, born_.beside(*background_)));
    TimeLoop loop(time_, support.times, support.control);
    for (const StepHook& hook : support.forward_hooks) loop.add(hook);
    const double unknown = 0.;
    loop.run(*propagator_, support.max_abs != nullptr ? *support.max_abs : unknown);
    born_.field().wait();
    propagator_.reset();
}

GaussNewtonRun::GaussNewtonRun(Medium& medium, int shots, const TimeAxis& time, const HistoryPlan& plan,
                               const ImageSums& sums)
    : gradient_(medium, shots, time, plan, sums), born_(medium, shots, time, sums.density) {}

void GaussNewtonRun::run(std::span<const ShotPoints> shots, const AdjointOfScattered& adjoint_of,
                         const RunSupport& support) {
    born_.begin(shots);
    gradient_.run(
        unrecorded(shots),
        [&](const Wavefield&) {
            born_.field().wait();
            return adjoint_of(born_.field());
        },
        with_hook(support, born_.beside(gradient_.forward_field())));
}

}  // namespace onda
