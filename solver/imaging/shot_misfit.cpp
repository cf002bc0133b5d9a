#include "solver/imaging/shot_misfit.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>
#include <stdexcept>

#include "io/text/error.hpp"
#include "solver/imaging/data_weights.hpp"
#include "solver/program/loop_failure.hpp"

namespace onda {
namespace {

enum class Use : char { compared, excluded, dead };

bool is_zero(std::span<const double> trace) {
    return std::ranges::all_of(trace, [](double x) { return x == 0.; });
}

void check_finite(const TraceValues& traces, std::int64_t samples, ExitCode code, const char* name) {
    std::visit(
        [&](const auto& values) {
            const auto wrong = std::ranges::find_if(values, [](auto x) { return !std::isfinite(x); });
            if (wrong == values.end()) return;
            const std::int64_t at = wrong - values.begin();
            throw Error(code, fmt::format("the {} seismograms cannot be compared: sample {} of trace {} (both counted "
                                          "from 0) is {}; there must be finite numbers alone",
                                          name, at % samples, at / samples, *wrong));
        },
        traces);
}

void check(const ShotGeometry& shot, const TraceValues& synthetic, const TraceValues& observed) {
    const auto has_all = [wanted = shot.receivers_m.size() *
                                   static_cast<std::size_t>(shot.samples)](const TraceValues& traces) {
        return std::visit([wanted](const auto& values) { return values.size() == wanted; }, traces);
    };
    const bool has_weights = shot.trace_weights.empty() || shot.trace_weights.size() == shot.receivers_m.size();
    if (shot.samples < 1 || !(shot.dt_s > 0.) || !has_all(synthetic) || !has_all(observed) || !has_weights)
        throw std::invalid_argument("seismograms that do not have a trace for each receiver of their shot");
    check_finite(synthetic, shot.samples, ExitCode::unstable, "synthetic");
    check_finite(observed, shot.samples, ExitCode::bad_data, "observed");
}

/// A trace as doubles, weighted.
std::vector<double> weighted(const TraceValues& traces, std::size_t first, const DataWeights& weights) {
    std::vector<double> trace(weights.samples().size());
    std::visit(
        [&](const auto& values) { std::copy_n(values.begin() + std::ptrdiff_t(first), trace.size(), trace.begin()); },
        traces);
    weights.apply(trace);
    return trace;
}

/// One trace after another, each by itself.
class Comparison {
public:
    Comparison(const MisfitSettings& settings, const ShotGeometry& shot, const TraceValues& synthetic,
               const TraceValues& observed)
        : settings_(settings),
          shot_(shot),
          synthetic_(synthetic),
          observed_(observed),
          misfit_(settings.misfit->make(settings.config, static_cast<std::size_t>(shot.samples), shot.dt_s)) {}

    /// \param adjoint of the trace [sample], zero so far.
    Use compare(std::size_t trace, double& value, std::span<double> adjoint) const {
        const DataWeights weights(settings_.config, shot_.source_m, shot_.receivers_m[trace], shot_.samples, shot_.dt_s,
                                  shot_.trace_weights.empty() ? 1. : shot_.trace_weights[trace]);
        if (weights.excludes_all()) return Use::excluded;
        const std::size_t first = trace * adjoint.size();
        const std::vector<double> observed = weighted(observed_, first, weights);
        const std::vector<double> synthetic = weighted(synthetic_, first, weights);
        if (is_zero(observed) || (settings_.misfit->divides_by_synthetic && is_zero(synthetic))) return Use::dead;
        value = misfit_(synthetic, observed, adjoint);
        weights.apply(adjoint);
        return Use::compared;
    }

private:
    const MisfitSettings& settings_;
    const ShotGeometry& shot_;
    const TraceValues &synthetic_, &observed_;
    TraceMisfit misfit_;
};

/// In the order of the traces, whoever computed them.
void sum_up(MisfitOfShot& result, const std::vector<Use>& uses) {
    for (const double value : result.of_trace) result.value += value;
    result.excluded = std::ranges::count(uses, Use::excluded);
    result.dead = std::ranges::count(uses, Use::dead);
    const auto is_finite = [](double x) { return std::isfinite(x); };
    if (!is_finite(result.value) || !std::ranges::all_of(result.adjoint_source, is_finite))
        throw Error(ExitCode::bad_data,
                    "the misfit of synthetic and observed seismograms is not finite: their samples are so large or so "
                    "small that their squares leave the range of double precision");
}

}  // namespace

MisfitOfShot evaluate_misfit(const MisfitSettings& settings, const ShotGeometry& shot, const TraceValues& synthetic,
                             const TraceValues& observed) {
    check(shot, synthetic, observed);
    const auto traces = shot.receivers_m.size(), samples = static_cast<std::size_t>(shot.samples);
    MisfitOfShot result;
    result.of_trace.resize(traces);
    result.adjoint_source.resize(traces * samples);
    std::vector<Use> uses(traces);
    const Comparison comparison(settings, shot, synthetic, observed);
    LoopFailure failure;
#pragma omp parallel for schedule(dynamic, 4)
    for (std::size_t i = 0; i < traces; ++i)
        failure.guard([&] {
            const auto adjoint = std::span(result.adjoint_source).subspan(i * samples, samples);
            uses[i] = comparison.compare(i, result.of_trace[i], adjoint);
        });
    failure.rethrow();
    sum_up(result, uses);
    return result;
}

}  // namespace onda
