#include "solver/inversion/inversion_preparation.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "io/models/velocity_limits.hpp"
#include "kernels/equations/parameters.hpp"
#include "solver/inversion/gradient_shaping.hpp"
#include "solver/inversion/inversion_stage.hpp"
#include "solver/inversion/model_parameters.hpp"
#include "solver/model/step_mask.hpp"
#include "solver/outputs/iterations/wells.hpp"
#include "solver/plan/attenuation.hpp"
#include "solver/plan/plan.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/tasks/inversion_tasks.hpp"

namespace onda {
namespace {

/// Whether no problem of the start model can be left to find: all nodes lie within bounds, no mask can hold all of
/// them, and nothing is asked of densities.
bool start_is_known_to_fit(const InversionConfig& inversion, const VelocityRange& start) {
    if (!start.exact || !inversion.mask.empty() || inversion.density != "fixed" ||
        inversion.rho_kg_m3 != BoundsConfig{})
        return false;
    const auto lowest = static_cast<float>(inversion.vp_m_s.min.value());
    const auto highest = static_cast<float>(inversion.vp_m_s.max.value());
    return lowest < highest && lowest <= static_cast<float>(start.min_m_s) &&
           static_cast<float>(start.max_m_s) <= highest;
}

}  // namespace

void check_inversion_sections(const Config& config) {
    if (!config.inversion)
        config.origin.fault("inversion",
                            "an inversion needs to know what to fit: add a section `inversion` with `stages`");
    if (!config.imaging)
        config.origin.fault("imaging",
                            "an inversion fits seismograms to observed ones: add a section `imaging` with "
                            "`observed: FILE`, a seismograms.h5, SEG-Y or SU");
    // Before the gradient of densities is planned, which they need.
    if (config.inversion->density != "fixed" && !gives(config.model, kRho, config.origin))
        config.origin.value_fault("inversion.density", kNoDensity);
    if (config.inversion->anisotropy != "fixed" && !gives(config.model, kEpsilon, config.origin))
        config.origin.value_fault("inversion.anisotropy", kNoAnisotropy);
    if (config.imaging->parameters == "vp_and_q" || config.imaging->parameters == "vp_epsilon_and_delta")
        config.origin.value_fault(
            "imaging.parameters",
            "inversions hold Q, and inversion.density and inversion.anisotropy say what else they "
            "change: use vp");
}

Config with_inverted_parameters(Config config) {
    config.imaging->parameters = inverted_parameters(*config.inversion);
    return config;
}

void complete_bounds(InversionConfig& inversion, const StartModelFacts& start) {
    const auto complete = [](BoundsConfig& bounds, double lowest, double highest) {
        if (!bounds.min) bounds.min = lowest;
        if (!bounds.max) bounds.max = highest;
    };
    constexpr double room = 1.2;  // as a part of what the start model has
    complete(inversion.vp_m_s, std::max(lowest_vp_m_s, start.vp.min / room),
             std::min(highest_vp_m_s, start.vp.max * room));
    if (!inverts_anisotropy(inversion) || !start.anisotropy) return;
    constexpr double beyond = 0.1;
    complete(inversion.epsilon, std::max(kEpsilon.lowest, start.anisotropy->epsilon_min - beyond),
             std::min(kEpsilon.highest, start.anisotropy->epsilon_max + beyond));
    const double lowest = std::max(kDelta.lowest, start.anisotropy->delta_min - beyond);
    complete(inversion.delta, std::min(lowest, *inversion.epsilon.min),
             std::min(kDelta.highest, start.anisotropy->delta_max + beyond));
}

void check_start_model(const Config& config, const Model& start, std::span<const float> mask) {
    const InversionConfig& inversion = config.inversion.value();
    StageFaults faults(config.origin);
    for (const auto& [key, message] :
         problems(inversion, start.grid, values_of(start), held_nodes(start.grid, start.vp().values, inversion, mask)))
        faults.add(key, message);
    faults.raise_if_any();
}

std::vector<std::int64_t> shots_to_predict(const InversionStage& stage) {
    constexpr std::int64_t looked_at = 12;
    const InversionConfig& inversion = stage.with_start_model().inversion.value();
    const bool estimates = inversion.wavelet != "given";
    if (estimates && inversion.wavelet_of == "shot" && stage.redraws()) return stage.all_shots();
    const std::vector<std::int64_t> shots = stage.shots(0);
    return every_mth(shots, estimates ? 1 : (std::ssize(shots) + looked_at - 1) / looked_at);
}

PreparedInversion prepare_inversion(const Config& config, const RankPlace& ranks) {
    check_inversion_sections(config);
    const Plan draft = make_plan(with_inverted_parameters(config), ranks, &kInversionGradientTask);
    const Equation& equation = draft.setup.scheme.equation;
    const VelocityRange& told = draft.model.velocity;
    PreparedInversion prepared{config, {has_parameter(equation, "rho"), {told.min_m_s, told.max_m_s}}};
    prepared.config.grid = draft.config.grid;
    prepared.config.attenuation = settled_attenuation(draft);
    read_wells(config.inversion->wells, draft.domain.grid, config.origin);
    InversionConfig& inversion = prepared.config.inversion.value();
    if (told.exact) complete_bounds(inversion, prepared.start);
    const bool has_further_facts = draft.setup.absorbs() || has_parameter(equation, kEpsilon.name);
    if (told.exact && !has_further_facts && start_is_known_to_fit(inversion, told)) return prepared;
    const Model start = make_model(draft.config.model, equation, draft.domain.grid, config.origin);
    prepared.start = facts_of(start);
    complete_bounds(inversion, prepared.start);
    check_start_model(prepared.config, start, step_mask(prepared.config, start.grid));
    return prepared;
}

}  // namespace onda
