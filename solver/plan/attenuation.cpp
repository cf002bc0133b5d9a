#include "solver/plan/attenuation.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>
#include <spdlog/fmt/fmt.h>

#include "kernels/equations/attenuation/drag.hpp"
#include "kernels/equations/parameters.hpp"

namespace onda {
namespace {

constexpr double kLowOfPeak = 0.4, kHighOfPeak = 2.5;
constexpr double kStrongLoss = 10.;  ///< Q below which a wave is hardly one
/// Errors of 1/Q that are warned of, and those that are refused where the Q is to blame.
constexpr double kDoubtfulFit = 0.05, kWrongFit = 0.2;

bool absorbs(const Plan& plan) {
    return plan.setup.absorbs();
}

/// Whether nodes absorb without memory.
bool drags(const Plan& plan) {
    return absorbs(plan) && plan.setup.scheme.equation->memory.empty();
}

/// Q at the reference frequency beyond which nothing is absorbed.
double lossless_q(const Plan& plan) {
    return drags(plan) ? kLossless : kLossless / q_at_centre(plan.setup.scheme.relaxation, 1.);
}

/// The lowest and highest Q that are known and absorb; nothing where there are none.
std::optional<ParameterRange> absorbing_range(const Plan& plan) {
    const auto& parameters = plan.setup.scheme.equation->parameters;
    const double lossless = lossless_q(plan);
    for (std::size_t i = 0; i < plan.model.further.size(); ++i)
        if (const auto& range = plan.model.further[i];
            parameters[i + 1].name == kQ.name && range && range->min < lossless)
            return ParameterRange{range->min, std::min(range->max, lossless)};
    return std::nullopt;
}

/// The worst of the errors for the lowest and the highest Q.
FitError worst_error(const Plan& plan, const ParameterRange& range) {
    const Relaxation& relaxation = plan.setup.scheme.relaxation;
    const double dt_s = plan.time.dt_s;
    if (drags(plan)) return worse(drag_error(relaxation, range.min, dt_s), drag_error(relaxation, range.max, dt_s));
    const RelaxationFit fit(relaxation, dt_s);
    return worse(fit.error(range.min), fit.error(range.max));
}

/// Refuses a Q at which the largest c_U that there may be leaves a power of the frequency far off. Mechanisms that fit
/// no Q any better are another matter, of which the user is warned.
void check_fits(const Plan& plan) {
    const Relaxation& relaxation = plan.setup.scheme.relaxation;
    const auto range = absorbing_range(plan);
    if (!range || relaxation.power == 1. || drags(plan)) return;
    const RelaxationFit fit(relaxation, 0.);
    const auto fits = [&](double q) { return fit.error(q).loss <= kWrongFit; };
    double unfit = range->min, fitting = lossless_q(plan);
    if (fits(unfit) || !fits(fitting)) return;
    while (fitting > 1.001 * unfit) {
        const double between = std::sqrt(unfit * fitting);
        (fits(between) ? fitting : unfit) = between;
    }
    plan.config.origin.fault(
        "attenuation.frequency_power",
        fmt::format(
            "Q of {:.4g} at {:.4g} Hz is too low for an attenuation that grows with the power {:g} of the "
            "frequency: from {:.4g} to {:.4g} Hz 1/Q would be off by {:.2g} %; Q of {:.3g} and more can be had, "
            "a lower power, or a band (attenuation.band_hz) that ends lower",
            range->min, relaxation.reference_hz, relaxation.power, relaxation.low_hz, relaxation.high_hz,
            100. * fit.error(range->min).loss, fitting));
}

/// The lowest value of each parameter after vp: what is known, or else nothing that could matter.
std::vector<double> lowest_of_further(const Plan& plan) {
    std::vector<double> lowest;
    for (std::size_t i = 0; i < plan.model.further.size(); ++i)
        lowest.push_back(plan.model.further[i] ? plan.model.further[i]->min
                                               : plan.setup.scheme.equation->parameters[i + 1].highest);
    return lowest;
}

}  // namespace

void set_memory(Plan& plan) {
    if (const EquationRow* const with_drag = plan.setup.scheme.equation->with_drag;
        with_drag != nullptr && plan.config.attenuation.method == "drag")
        plan.setup.scheme.equation = *with_drag;
    // Nodes of a plane have two classes.
    const EquationRow* const with_more = plan.setup.scheme.equation->with_more_memory;
    if (with_more != nullptr && plan.domain.grid.dimensions == 2 && plan.config.attenuation.mechanisms > 2)
        plan.setup.scheme.equation = *with_more;
}

double reference_frequency_hz(const Plan& plan) {
    return plan.config.attenuation.reference_frequency_hz.value_or(plan.survey.lowest_peak_frequency_hz());
}

void set_relaxation(Plan& plan) {
    if (!absorbs(plan)) return;
    const AttenuationConfig& config = plan.config.attenuation;
    const double lowest_hz = plan.survey.lowest_peak_frequency_hz();
    const double highest_hz = plan.survey.highest_peak_frequency_hz();
    Relaxation relaxation;
    relaxation.reference_hz = reference_frequency_hz(plan);
    relaxation.low_hz = config.band_hz.empty() ? kLowOfPeak * lowest_hz : config.band_hz[0];
    relaxation.high_hz = config.band_hz.empty() ? kHighOfPeak * highest_hz : config.band_hz[1];
    relaxation.mechanisms = drags(plan) ? 0 : static_cast<int>(config.mechanisms);
    relaxation.power = config.frequency_power;
    if (!(relaxation.low_hz < relaxation.high_hz))
        plan.config.origin.value_fault("attenuation.band_hz", "the second frequency must be above the first");
    plan.setup.scheme.relaxation = relaxation;
    check_fits(plan);
}

AttenuationConfig settled_attenuation(const Plan& plan) {
    AttenuationConfig settled = plan.config.attenuation;
    if (!absorbs(plan)) return settled;
    const Relaxation& relaxation = plan.setup.scheme.relaxation;
    settled.reference_frequency_hz = relaxation.reference_hz;
    settled.band_hz = {relaxation.low_hz, relaxation.high_hz};
    return settled;
}

double stiffest_m_s(const Plan& plan, const std::function<double(double)>& limit_s) {
    const double fastest_m_s = plan.model.velocity.max_m_s;
    if (!absorbs(plan)) return fastest_m_s;
    const Scheme& scheme = plan.setup.scheme;
    const double resolved_hz = 1. / (std::numbers::pi * limit_s(fastest_m_s));
    if (!(scheme.relaxation.high_hz < resolved_hz)) {
        const std::string fault =
            fmt::format("the band reaches {:.4g} Hz, and time steps resolve {:.4g} Hz at most: end it lower",
                        scheme.relaxation.high_hz, resolved_hz);
        plan.config.origin.fault("attenuation.band_hz", fault);
    }
    if (drags(plan) && !(scheme.relaxation.reference_hz < resolved_hz))
        plan.config.origin.value_fault(
            "attenuation.reference_frequency_hz",
            fmt::format("drag is exact at this frequency, and time steps resolve {:.4g} Hz at most", resolved_hz));
    // Steps that are longer see another fit: by next to nothing, so that a few rounds settle it.
    const std::vector<double> lowest = lowest_of_further(plan);
    // Nodes without loss have the velocity vp, whatever the fit makes of those that absorb.
    double stiffest_m_s = std::max(fastest_m_s, scheme.stiffest_m_s(fastest_m_s, lowest, 0.));
    for (int round = 0; round < 3; ++round)
        stiffest_m_s = std::max(stiffest_m_s, scheme.stiffest_m_s(fastest_m_s, lowest, limit_s(stiffest_m_s)));
    return stiffest_m_s;
}

std::string describe_attenuation(const Plan& plan) {
    if (!absorbs(plan)) return {};
    const Relaxation& r = plan.setup.scheme.relaxation;
    std::string text =
        drags(plan)
            ? fmt::format("absorbs   by drag, exactly at {:.4g} Hz, where vp is the velocity; from {:.4g} to {:.4g} Hz",
                          r.reference_hz, r.low_hz, r.high_hz)
            : fmt::format("absorbs   by {} mechanism{} from {:.4g} to {:.4g} Hz; vp is the velocity at {:.4g} Hz",
                          r.mechanisms, r.mechanisms == 1 ? "" : "s", r.low_hz, r.high_hz, r.reference_hz);
    if (const auto range = absorbing_range(plan)) {
        const FitError error = worst_error(plan, *range);
        text += fmt::format("\n          1/Q within {:.2g} % of what is asked for, the velocity within {:.2g} %",
                            100. * error.loss, 100. * error.velocity);
    }
    return text + "\n";
}

nlohmann::ordered_json attenuation_json(const Plan& plan) {
    if (!absorbs(plan)) return {};
    const Relaxation& r = plan.setup.scheme.relaxation;
    nlohmann::ordered_json json{{"method", plan.config.attenuation.method},
                                {"mechanisms", r.mechanisms},
                                {"band_hz", {r.low_hz, r.high_hz}},
                                {"reference_frequency_hz", r.reference_hz},
                                {"frequency_power", r.power}};
    if (const auto range = absorbing_range(plan)) {
        const FitError error = worst_error(plan, *range);
        json["largest_error"] = {{"loss_percent", 100. * error.loss}, {"velocity_percent", 100. * error.velocity}};
    }
    return json;
}

namespace {

std::string band_of_fit(const Relaxation& r) {
    return fmt::format("{:.4g} to {:.4g} Hz", r.low_hz, r.high_hz);
}

void doubt_fit(const Plan& plan, const ParameterRange& range, std::vector<std::string>& doubts) {
    const Relaxation& r = plan.setup.scheme.relaxation;
    const FitError error = worst_error(plan, range);
    if (error.loss <= kDoubtfulFit) return;
    if (drags(plan)) {
        doubts.push_back(fmt::format(
            "of Q from {:.3g} to {:.3g} 1/Q is off by up to {:.2g} % within the band of {}: drag is exact at {:.4g} Hz "
            "alone; for the whole band take attenuation.method: relaxation",
            range.min, range.max, 100. * error.loss, band_of_fit(r), r.reference_hz));
        return;
    }
    doubts.push_back(fmt::format(
        "of Q from {:.3g} to {:.3g} 1/Q is off by up to {:.2g} % within the band of {}: take {}a narrower band "
        "(attenuation.band_hz){}",
        range.min, range.max, 100. * error.loss, band_of_fit(r),
        r.mechanisms < kMostMechanisms ? "more mechanisms (attenuation.mechanisms), or " : "",
        r.power > 1. ? ", or a lower attenuation.frequency_power" : ""));
}

void doubt_peaks(const Plan& plan, std::vector<std::string>& doubts) {
    const Relaxation& r = plan.setup.scheme.relaxation;
    const double lowest_hz = plan.survey.lowest_peak_frequency_hz();
    const double highest_hz = plan.survey.highest_peak_frequency_hz();
    for (const double peak_hz : {lowest_hz, highest_hz}) {
        if (peak_hz >= r.low_hz && peak_hz <= r.high_hz) continue;
        doubts.push_back(
            fmt::format("the peak frequency of {:.4g} Hz of a wavelet lies outside the band of {} in which "
                        "Q is held (attenuation.band_hz)",
                        peak_hz, band_of_fit(r)));
        if (highest_hz == lowest_hz) break;
    }
}

}  // namespace

std::vector<std::string> doubts_of_attenuation(const Plan& plan) {
    const auto range = absorbs(plan) ? absorbing_range(plan) : std::nullopt;
    if (!range) return {};
    std::vector<std::string> doubts;
    if (range->min < kStrongLoss)
        doubts.push_back(
            fmt::format("Q of {:.3g} and more: below {:g} a wave loses most of itself within a few wavelengths",
                        range->min, kStrongLoss));
    doubt_fit(plan, *range, doubts);
    doubt_peaks(plan, doubts);
    return doubts;
}

}  // namespace onda
