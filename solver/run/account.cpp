#include "solver/run/account.hpp"

#include <algorithm>
#include <limits>
#include <spdlog/fmt/fmt.h>

#include "io/text/bytes_text.hpp"
#include "io/text/printable.hpp"
#include "solver/plan/plan.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/program/build.hpp"
#include "solver/program/hash.hpp"

namespace onda {
namespace {

std::string fingerprint_of(const Model& model) {
    Fingerprint hash;
    for (const ParameterValues& parameter : model.parameters) hash.add(std::span<const float>(parameter.values));
    return hash.hex();
}

/// Single precision takes what is below 1.2e-38 for zero while it computes, or loses its digits in files: without a
/// sign of it in the results.
void warn_of_faint_pressure(const Grid& grid, Precision precision, RunFacts& facts, Log& log) {
    // What the operator makes of p is of the order of p / h^2: below 1e-33 it errs by 1e-4 and more.
    double least = std::numeric_limits<float>::min();
    if (precision == Precision::float32)
        for (const double spacing_m : grid.derivative_spacings_m())
            least = std::max(least, 1e-33 * spacing_m * spacing_m);
    const double largest = facts.largest_observed_pressure;
    if (facts.shots.empty() || largest >= least) return;
    facts.warnings.push_back(
        largest == 0.
            ? "every pressure that was observed is zero: the sources radiate nothing, or less than the 1.2e-38 "
              "Pa below which single precision takes pressure for zero"
            : fmt::format("the largest |p| observed is {:.3g} Pa: single precision, in which results are "
                          "stored, loses digits of pressures below {:.2g} Pa; raise sources[].amplitude, "
                          "with which results scale",
                          largest, least));
    log.warn(facts.warnings.back());
}

}  // namespace

void note_model(const Plan& plan, const Model& model, RunFacts& facts) {
    const MemoryForecast memory = forecast_memory(plan);
    facts.predicted_memory_bytes = memory.peak_bytes();
    facts.predicted_device_bytes = memory.device_peak_bytes();
    facts.model = model.description;
    facts.model_fingerprint = fingerprint_of(model);
}

void announce(const Plan& plan, const RunFacts& facts, Log& log) {
    log.info(version_line());
    if (!plan.config.title.empty()) log.info(printable(plan.config.title));
    log.info("backend   " + facts.backend);
    for (const std::string& note : plan.notes) log.info("note      " + note);
    log.info("model     " + facts.model);
    log.info(describe(plan));
    for (const std::string& signal : plan.survey.signals) log.info("wavelet   " + signal);
    log.info("memory    about " + bytes_text(facts.predicted_memory_bytes) +
             (plan.placement.device->has_own_memory() ? ", and on the GPU " + bytes_text(facts.predicted_device_bytes)
                                                      : "") +
             "; results " + bytes_text(forecast_output_bytes(plan)));
    for (const std::string& warning : plan.warnings) log.warn(warning);
}

void account_for(const Experiment& experiment, const Computation& computation, std::int64_t nodes,
                 std::int64_t device_bytes, PhaseTimes& times, RunFacts& facts, Log& log) {
    const double work = static_cast<double>(nodes) * static_cast<double>(experiment.time.steps);
    const double stepping = times.of("time steps");
    facts.phase_s = times.all();
    facts.gpt_per_s = work / std::max(stepping, 1e-9) * 1e-9;
    facts.peak_memory_bytes = peak_memory_bytes();
    facts.device_bytes = device_bytes;
    facts.finished_utc = utc_now();
    for (const ShotRecord& shot : facts.shots)
        facts.largest_observed_pressure = std::max(facts.largest_observed_pressure, shot.largest_observed_pressure);
    warn_of_faint_pressure(experiment.domain.grid, computation.setup.precision, facts, log);
    log.info(fmt::format(
        "done      {:.3g} s of time steps at {:.3f} Gpt/s; largest |p| observed {:.3e}; peak memory {} ({} predicted)",
        stepping, facts.gpt_per_s, facts.largest_observed_pressure, bytes_text(facts.peak_memory_bytes),
        bytes_text(facts.predicted_memory_bytes)));
}

}  // namespace onda
