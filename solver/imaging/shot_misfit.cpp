#include "solver/imaging/shot_misfit.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <stdexcept>

#include "io/text/error.hpp"
#include "solver/data/data_preparation.hpp"
#include "solver/data/data_weights.hpp"
#include "solver/program/loop_failure.hpp"

namespace onda {
namespace {

enum class Use : char { compared, excluded, dead };

bool is_zero(std::span<const double> trace) {
    return std::ranges::all_of(trace, [](double x) { return x == 0.; });
}

/// The first trace that has a sample that is not finite; their number if none has.
template <typename T>
std::int64_t first_wrong_trace(const TraceList<const T>& traces) {
    std::int64_t first = traces.count();
#pragma omp parallel for reduction(min : first)
    for (std::int64_t i = 0; i < traces.count(); ++i) {
        const T* const trace = traces.trace[static_cast<std::size_t>(i)];
        const bool is_right = std::all_of(trace, trace + traces.samples, [](T x) { return std::isfinite(x); });
        if (!is_right) first = std::min(first, i);
    }
    return first;
}

void check_finite(const TraceValues& values, ExitCode code, const char* name) {
    std::visit(
        [&](const auto& traces) {
            const std::int64_t at = first_wrong_trace(traces);
            if (at == traces.count()) return;
            const auto* const trace = traces.trace[static_cast<std::size_t>(at)];
            const auto* const wrong =
                std::find_if(trace, trace + traces.samples, [](auto x) { return !std::isfinite(x); });
            throw Error(code, fmt::format("the {} seismograms cannot be compared: sample {} of trace {} (both counted "
                                          "from 0) is {}; there must be finite numbers alone",
                                          name, wrong - trace, at, *wrong));
        },
        values);
}

void check(const ShotGeometry& shot, const TraceValues& synthetic, const TraceValues& observed) {
    const auto has_all = [&shot](const TraceValues& values) {
        return std::visit(
            [&shot](const auto& traces) {
                return traces.trace.size() == shot.receivers_m.size() && traces.samples == shot.samples;
            },
            values);
    };
    const bool has_weights = shot.trace_weights.empty() || shot.trace_weights.size() == shot.receivers_m.size();
    if (shot.samples < 1 || !(shot.dt_s > 0.) || !has_all(synthetic) || !has_all(observed) || !has_weights)
        throw std::invalid_argument("seismograms that do not have a trace for each receiver of their shot");
    check_finite(synthetic, ExitCode::unstable, "synthetic");
    check_finite(observed, ExitCode::bad_data, "observed");
}

/// The filter that both seismograms get before they are weighted.
std::optional<BandPass> filter_of(const ImagingConfig& config, const ShotGeometry& shot) {
    if (!config.band_pass) return std::nullopt;
    return BandPass(band_of(*config.band_pass), static_cast<std::size_t>(shot.samples), shot.dt_s);
}

/// Makes `trace` one of several traces, filtered and weighted. One of zeros stays what it is, without rounding.
void take(const TraceValues& values, std::size_t which, const std::optional<BandPass>& filter,
          const DataWeights& weights, std::vector<double>& trace) {
    std::visit(
        [&trace, which](const auto& traces) {
            const auto* const first = traces.trace[which];
            trace.assign(first, first + traces.samples);
        },
        values);
    if (filter) filter->apply(trace);
    weights.apply(trace);
}

/// What a thread compares by: memory that it keeps from trace to trace.
struct Workplace {
    DataWeights weights;
    std::vector<double> synthetic, observed;
};

/// One trace after another, each by itself.
class Comparison {
public:
    /// \param with_none whether those that are observed only tell which traces count, and are zeros else.
    Comparison(const MisfitSettings& settings, const ShotGeometry& shot, const TraceValues& synthetic,
               const TraceValues& observed, bool with_none)
        : settings_(settings),
          shot_(shot),
          synthetic_(synthetic),
          observed_(observed),
          with_none_(with_none),
          filter_(filter_of(settings.config, shot)),
          misfit_(settings.misfit->make(settings.config, static_cast<std::size_t>(shot.samples), shot.dt_s)) {}

    /// \param adjoint source of the trace.
    Use compare(std::size_t trace, Workplace& with, double& value, std::vector<double>& adjoint) const {
        auto& [weights, synthetic, observed] = with;
        adjoint.reserve(static_cast<std::size_t>(std::max(shot_.samples, shot_.room)));
        adjoint.assign(static_cast<std::size_t>(shot_.samples), 0.);
        const TracePlace place{shot_.source_m, shot_.receivers_m[trace], shot_.shot,
                               static_cast<std::int64_t>(trace) + 1};
        weights.set(settings_.config, place, shot_.samples, shot_.dt_s,
                    shot_.trace_weights.empty() ? 1. : shot_.trace_weights[trace]);
        if (weights.excludes_all()) return Use::excluded;
        take(observed_, trace, filter_, weights, observed);
        take(synthetic_, trace, filter_, weights, synthetic);
        if (is_zero(observed) || (settings_.misfit->divides_by_synthetic && is_zero(synthetic))) return Use::dead;
        if (with_none_) std::ranges::fill(observed, 0.);
        value = misfit_(synthetic, observed, adjoint);
        weights.apply(adjoint);
        if (filter_) filter_->apply_transposed(adjoint);
        return Use::compared;
    }

private:
    const MisfitSettings& settings_;
    const ShotGeometry& shot_;
    const TraceValues &synthetic_, &observed_;
    bool with_none_;
    std::optional<BandPass> filter_;
    TraceMisfit misfit_;
};

/// In the order of the traces, whoever computed them.
void sum_up(MisfitOfShot& result, const std::vector<Use>& uses, std::int64_t samples) {
    for (const double value : result.of_trace) result.value += value;
    result.excluded = std::ranges::count(uses, Use::excluded);
    result.dead = std::ranges::count(uses, Use::dead);
    const TraceList<const double> adjoint(result.adjoint_source, samples);
    if (!std::isfinite(result.value) || first_wrong_trace(adjoint) != adjoint.count())
        throw Error(ExitCode::bad_data,
                    "the misfit of synthetic and observed seismograms is not finite: their samples are so large or so "
                    "small that their squares leave the range of double precision");
}

MisfitOfShot compare_all(const MisfitSettings& settings, const ShotGeometry& shot, const TraceValues& synthetic,
                         const TraceValues& observed, bool with_none) {
    check(shot, synthetic, observed);
    const std::size_t traces = shot.receivers_m.size();
    MisfitOfShot result;
    result.of_trace.resize(traces);
    result.adjoint_source.resize(traces);
    std::vector<Use> uses(traces);
    const Comparison comparison(settings, shot, synthetic, observed, with_none);
    LoopFailure failure;
#pragma omp parallel
    {
        Workplace place;
#pragma omp for schedule(dynamic, 4)
        for (std::size_t i = 0; i < traces; ++i)
            failure.guard(
                [&] { uses[i] = comparison.compare(i, place, result.of_trace[i], result.adjoint_source[i]); });
    }
    failure.rethrow();
    sum_up(result, uses, shot.samples);
    return result;
}

}  // namespace

MisfitOfShot evaluate_misfit(const MisfitSettings& settings, const ShotGeometry& shot, const TraceValues& synthetic,
                             const TraceValues& observed) {
    return compare_all(settings, shot, synthetic, observed, false);
}

MisfitOfShot evaluate_prediction(const MisfitSettings& settings, const ShotGeometry& shot, const TraceValues& predicted,
                                 const TraceValues& observed) {
    return compare_all(settings, shot, predicted, observed, true);
}

}  // namespace onda
