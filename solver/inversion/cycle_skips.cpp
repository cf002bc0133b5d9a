#include "solver/inversion/cycle_skips.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <spdlog/fmt/fmt.h>
#include <stdexcept>
#include <tuple>

#include "solver/signal/for_traces.hpp"

namespace onda {
namespace {

constexpr double kLeastCorrelation = 0.3;  // of traces that have a wave in common
constexpr double kWorthWarning = 0.05;     // of the traces

bool is_dead_trace(std::span<const float> trace) {
    return std::ranges::all_of(trace, [](float x) { return x == 0.F; });
}

double norm_of_trace(std::span<const double> trace) {
    double sum = 0.;
    for (const double x : trace) sum += x * x;
    return std::sqrt(sum);
}

/// The mean frequency of a power spectrum [n / 2 + 1], in parts of 1 / (n dt).
double spectral_centroid(std::span<const std::complex<double>> spectrum) {
    double sum = 0., moment = 0.;
    for (std::size_t k = 0; k < spectrum.size(); ++k) {
        const double power = std::norm(spectrum[k]);
        sum += power;
        moment += power * static_cast<double>(k);
    }
    return moment / sum;
}

struct CorrelationPeak {
    double lag = 0., height = 0.;
};

/// The peak of a correlation on a circle, at lags below `samples`; of equal ones that at the shortest lag.
CorrelationPeak correlation_peak(std::span<const double> correlation, std::int64_t samples) {
    const std::int64_t n = std::ssize(correlation);
    const auto at = [&](std::int64_t lag) { return correlation[static_cast<std::size_t>((lag + n) % n)]; };
    std::int64_t peak = 0;
    for (std::int64_t lag = 1; lag < samples; ++lag)
        for (const std::int64_t signed_lag : {lag, -lag})
            if (at(signed_lag) > at(peak)) peak = signed_lag;
    const double before = at(peak - 1), top = at(peak), after = at(peak + 1);
    const double curvature = before - 2. * top + after;
    const double aside = curvature < 0. ? std::clamp(0.5 * (before - after) / curvature, -0.5, 0.5) : 0.;
    return {static_cast<double>(peak) + aside, top - 0.25 * (before - after) * aside};
}

}  // namespace

CycleSkipCheck::CycleSkipCheck(std::size_t samples, double dt_s, const std::optional<ButterworthBand>& band)
    : samples_(samples), padded_(FourierTransform::length(2 * samples)), dt_s_(dt_s), fourier_(padded_) {
    if (samples == 0 || !(dt_s > 0.)) throw std::invalid_argument("CycleSkipCheck: no samples, or no interval");
    if (band) filter_.emplace(*band, samples, dt_s);
}

void CycleSkipCheck::add(std::int64_t shot, std::span<const float> synthetic, std::span<const float> observed,
                         std::span<const double> trace_weights) {
    const std::size_t traces = observed.size() / samples_;
    if (synthetic.size() != observed.size() || traces * samples_ != observed.size() ||
        (!trace_weights.empty() && trace_weights.size() != traces))
        throw std::invalid_argument("CycleSkipCheck: sizes of traces and weights differ");
    std::vector<Comparison> found(traces);
    std::vector<Kind> kinds(traces, Kind::dead);
    for_traces(static_cast<std::int64_t>(traces), [&](std::int64_t i) {
        const auto trace = static_cast<std::size_t>(i);
        if (!trace_weights.empty() && trace_weights[trace] == 0.) return;
        found[trace] = {.shot = shot, .receiver = i + 1};
        kinds[trace] = compare(synthetic.subspan(trace * samples_, samples_),
                               observed.subspan(trace * samples_, samples_), found[trace]);
    });
    for (std::size_t trace = 0; trace < traces; ++trace) {
        if (kinds[trace] == Kind::alike) alike_.push_back(found[trace]);
        if (kinds[trace] == Kind::unlike) ++unlike_;
    }
}

std::vector<double> CycleSkipCheck::filtered(std::span<const float> trace) const {
    std::vector<double> values(trace.begin(), trace.end());
    if (filter_) filter_->apply(values);
    return values;
}

CycleSkipCheck::Kind CycleSkipCheck::compare(std::span<const float> synthetic, std::span<const float> observed,
                                             Comparison& found) const {
    if (is_dead_trace(synthetic) || is_dead_trace(observed)) return Kind::dead;
    std::vector<double> d = filtered(synthetic), o = filtered(observed);
    const double norms = norm_of_trace(d) * norm_of_trace(o);
    if (norms == 0.) return Kind::dead;
    d.resize(padded_);
    o.resize(padded_);
    std::vector<std::complex<double>> spectrum(padded_ / 2 + 1), of_observed(padded_ / 2 + 1);
    fourier_.forward(d, spectrum);
    fourier_.forward(o, of_observed);
    found.centroid_hz = spectral_centroid(of_observed) / (static_cast<double>(padded_) * dt_s_);
    for (std::size_t k = 0; k < spectrum.size(); ++k) spectrum[k] = std::conj(spectrum[k]) * of_observed[k];
    fourier_.inverse(spectrum, d);
    const CorrelationPeak peak = correlation_peak(d, static_cast<std::int64_t>(samples_));
    found.shift_s = peak.lag * dt_s_;
    return peak.height / (static_cast<double>(padded_) * norms) < kLeastCorrelation ? Kind::unlike : Kind::alike;
}

CycleSkips CycleSkipCheck::result() const {
    std::vector<Comparison> sorted = alike_;
    std::ranges::sort(sorted, {}, [](const Comparison& c) { return std::tuple(c.shot, c.receiver); });
    CycleSkips skips{.traces = std::ssize(sorted), .unlike = unlike_};
    double sum_hz = 0.;
    for (const Comparison& c : sorted) sum_hz += c.centroid_hz;
    if (sum_hz > 0.) skips.period_s = static_cast<double>(sorted.size()) / sum_hz;
    for (const Comparison& c : sorted) {
        if (std::abs(c.shift_s) > 0.5 * skips.period_s) ++skips.skipped;
        if (skips.worst_shot > 0 && std::abs(c.shift_s) <= std::abs(skips.worst_shift_s)) continue;
        skips.worst_shift_s = c.shift_s;
        skips.worst_shot = c.shot;
        skips.worst_receiver = c.receiver;
    }
    return skips;
}

std::string warning_of(const CycleSkips& skips) {
    const auto part_of = [](std::int64_t some, std::int64_t all) {
        return static_cast<double>(some) / static_cast<double>(std::max<std::int64_t>(all, 1));
    };
    std::string text;
    const std::int64_t all = skips.traces + skips.unlike;
    if (part_of(skips.unlike, all) >= kWorthWarning)
        text = fmt::format(
            "{} of {} traces resemble the observed ones at no shift: look at the gathers, the wavelet and the geometry",
            skips.unlike, all);
    const double part = part_of(skips.skipped, skips.traces);
    if (part < kWorthWarning) return text;
    if (!text.empty()) text += "; ";
    return text + fmt::format(
                      "{} of {} traces ({:.0f} %) are more than half a period off the observed ones, whose period is "
                      "{:.3g} s (the "
                      "worst, receiver {} of shot {}, arrives {:.3g} s too {}): the inversion may fit the wrong cycle "
                      "and end in a "
                      "wrong model, so begin with a stage of lower frequencies or of shorter offsets, take a better "
                      "start model, or "
                      "compare envelopes (imaging.misfit: envelope)",
                      skips.skipped, skips.traces, 100. * part, skips.period_s, skips.worst_receiver, skips.worst_shot,
                      std::abs(skips.worst_shift_s), skips.worst_shift_s > 0. ? "early" : "late");
}

}  // namespace onda
