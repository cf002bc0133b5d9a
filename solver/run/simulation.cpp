#include "solver/run/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <spdlog/fmt/fmt.h>

#include "io/files/interruption.hpp"
#include "io/files/random_hex.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/outputs/outputs.hpp"
#include "solver/plan/forecast.hpp"
#include "solver/program/build.hpp"
#include "solver/program/failure.hpp"
#include "solver/program/hash.hpp"
#include "solver/program/progress.hpp"
#include "solver/propagation/propagator.hpp"
#include "solver/propagation/stability_watch.hpp"

namespace onda {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Adds up the seconds spent in each named phase, in order of first use.
class PhaseTimes {
public:
    template <typename Work>
    auto measure(const std::string& phase, Work&& work) {
        const auto entry = std::ranges::find(seconds_, phase, &std::pair<std::string, double>::first);
        const auto index = entry - seconds_.begin();
        if (entry == seconds_.end()) seconds_.emplace_back(phase, 0.);
        struct Adder {
            std::vector<std::pair<std::string, double>>& seconds;
            std::size_t index;
            Clock::time_point start = Clock::now();
            ~Adder() { seconds[index].second += seconds_since(start); }
        } const adder{seconds_, static_cast<std::size_t>(index)};
        return work();
    }
    [[nodiscard]] const std::vector<std::pair<std::string, double>>& all() const { return seconds_; }
    [[nodiscard]] double of(const std::string& phase) const {
        return std::ranges::find(seconds_, phase, &std::pair<std::string, double>::first)->second;
    }

private:
    std::vector<std::pair<std::string, double>> seconds_;
};

/// How many steps take about a fifth of a second: often enough for the progress line and for a signal.
class Pace {
public:
    [[nodiscard]] std::int64_t steps() const { return steps_; }
    void learn(std::int64_t steps, double seconds) {
        const double fitting = 0.2 * static_cast<double>(steps) / std::max(seconds, 1e-6);
        steps_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(fitting), 1, StabilityWatch::kInterval);
    }

private:
    std::int64_t steps_ = 1;
};

/// One run between its plan and its summary.
class Simulation {
public:
    Simulation(const Plan& plan, Wavefield& wavefield, Outputs& outputs, PhaseTimes& times, RunFacts& facts, Log& log)
        : plan_(plan),
          wavefield_(wavefield),
          outputs_(outputs),
          times_(times),
          facts_(facts),
          progress_(static_cast<std::int64_t>(plan.survey.shots.size()), plan.time.steps, plan.setup.grid.points(),
                    log) {}

    void run_shot(std::int64_t index) {
        const Shot shot = plan_.survey.shots[static_cast<std::size_t>(index)];
        const Sources sources = make_sources(shot, plan_.survey, plan_.setup.grid, plan_.boundary.halos, plan_.time);
        const NodeWeights receivers =
            point_weights(shot.receivers.list(), plan_.setup.grid, plan_.boundary.halos, PointKind::receiver);
        Propagator propagator =
            times_.measure("shot set-up", [&] { return Propagator(wavefield_, sources, receivers, plan_.time); });
        const StabilityWatch watch(
            plan_.computed, plan_.time, plan_.setup.precision,
            amplitude_bound(sources, plan_.grid, plan_.time, plan_.velocity.min_m_s, plan_.velocity.max_m_s) *
                std::sqrt(plan_.density.contrast()),
            plan_.density.contrast());
        outputs_.begin_shot(shot);
        propagate(propagator, watch, index);
        times_.measure("outputs", [&] { facts_.shots.emplace_back(shot.id, outputs_.end_shot(shot, propagator)); });
    }

private:
    void propagate(Propagator& propagator, const StabilityWatch& watch, std::int64_t shot) {
        const std::int64_t steps = plan_.time.steps;
        Extremum seen;
        std::int64_t next_check = StabilityWatch::kInterval, next_output = outputs_.next_step(-1);
        const auto take_what_is_due = [&] {
            if (propagator.step() != next_output) return;
            times_.measure("outputs", [&] { outputs_.take(propagator); });
            next_output = outputs_.next_step(next_output);
        };
        take_what_is_due();
        while (propagator.step() < steps) {
            throw_if_interrupted();
            const std::int64_t now = propagator.step();
            const std::int64_t stop = std::min({steps, next_check, next_output, now + pace_.steps()});
            times_.measure("time steps", [&] {
                const Clock::time_point start = Clock::now();
                propagator.advance(stop - now);
                pace_.learn(stop - now, seconds_since(start));
            });
            if (stop >= next_check || stop == steps) {
                seen = times_.measure("stability watch", [&] { return watch.check(propagator); });
                facts_.max_abs_pressure =
                    largest_pressure(propagator.wavefield(), plan_.computed, seen, facts_.max_abs_pressure);
                next_check = stop + StabilityWatch::kInterval;
            }
            take_what_is_due();
            progress_.update(shot, stop, propagator.time_s(), seen.max_abs);
        }
    }

    const Plan& plan_;
    Wavefield& wavefield_;
    Outputs& outputs_;
    PhaseTimes& times_;
    RunFacts& facts_;
    Progress progress_;
    Pace pace_;
};

std::string fingerprint_of(const Model& model) {
    Fingerprint hash;
    hash.add(std::span<const float>(model.vp));
    if (!model.rho.empty()) hash.add(std::span<const float>(model.rho));
    return hash.hex();
}

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
    for (const Wavelet& wavelet : plan.survey.wavelets) log.info("wavelet   " + wavelet.description);
    log.info("memory    about " + bytes_text(facts.predicted_memory_bytes) +
             (plan.device->has_own_memory() ? ", and on the GPU " + bytes_text(facts.predicted_device_bytes) : "") +
             "; results " + bytes_text(forecast_output_bytes(plan)));
    for (const std::string& warning : plan.warnings) log.warn(warning);
}

void run_shots(const Plan& plan, Wavefield& wavefield, Outputs& outputs, PhaseTimes& times, RunFacts& facts, Log& log) {
    Simulation simulation(plan, wavefield, outputs, times, facts, log);
    for (std::size_t shot = 0; shot < plan.survey.shots.size(); ++shot)
        simulation.run_shot(static_cast<std::int64_t>(shot));
}

/// Single precision loses digits below 1.2e-38 and everything below 1.4e-45, without a sign of it in the results.
void warn_of_faint_pressure(RunFacts& facts, Log& log) {
    if (facts.max_abs_pressure == 0. || facts.max_abs_pressure >= std::numeric_limits<float>::min()) return;
    facts.warnings.push_back(
        fmt::format("the largest |p| is {:.3g} Pa: results are stored in single precision, which loses digits below "
                    "1.2e-38 Pa; raise sources[].amplitude, with which they scale",
                    facts.max_abs_pressure));
    log.warn(facts.warnings.back());
}

void finish(const Plan& plan, const Wavefield& wavefield, const PhaseTimes& times, RunFacts& facts, Log& log) {
    const double work = static_cast<double>(plan.survey.shots.size()) * static_cast<double>(plan.time.steps) *
                        static_cast<double>(plan.setup.grid.points());
    const double stepping = times.of("time steps");
    facts.phase_s = times.all();
    facts.gpt_per_s = work / std::max(stepping, 1e-9) * 1e-9;
    facts.peak_memory_bytes = peak_memory_bytes();
    facts.device_bytes = wavefield.medium().allocated_bytes() + wavefield.allocated_bytes();
    facts.finished_utc = utc_now();
    warn_of_faint_pressure(facts, log);
    log.info(
        fmt::format("done      {:.3g} s of time steps at {:.3f} Gpt/s; max |p| {:.3e}; peak memory {} ({} predicted)",
                    stepping, facts.gpt_per_s, facts.max_abs_pressure, bytes_text(facts.peak_memory_bytes),
                    bytes_text(facts.predicted_memory_bytes)));
}

}  // namespace

RunFacts run_simulation(const Config& config, const RunOptions& options, Log& log) {
    RunFacts facts;
    PhaseTimes times;
    facts.folder = options.folder;
    facts.command_line = options.command_line;
    facts.started_utc = utc_now();
    facts.run_id = random_hex(16);
    refuse_taken_folder(options.folder, options.overwrite);
    Plan draft = times.measure("plan", [&] { return make_plan(config); });
    refuse_if_too_large(draft, options.folder);

    std::optional<Model> model =
        times.measure("model", [&] { return make_model(config.model, draft.grid, config.origin); });
    const Plan plan = refine(std::move(draft), *model);
    note_model(plan, *model, facts);
    const auto medium = times.measure("backend", [&] {
        return plan.device->make_medium(plan.setup, medium_readers(*model, plan.computed), plan.time.dt_s);
    });
    facts.backend = medium->description();
    RunPictures pictures(plan, *model);
    model.reset();  // first: model and fields need not share the memory
    const auto wavefield = times.measure("backend", [&] { return medium->make_wavefield(); });

    notice_signals();  // until now there was nothing to clean up
    const RunFolder folder(options.folder, options.overwrite);
    announce(plan, facts, log);
    log.open_file(folder.path() / kLogName);
    try {
        Outputs outputs(plan, folder, make_provenance(plan, facts), std::move(pictures));
        run_shots(plan, *wavefield, outputs, times, facts, log);
        std::vector<AtomicFile> files = times.measure("outputs", [&] { return outputs.prepare(); });
        finish(plan, *wavefield, times, facts, log);
        facts.files =
            folder.publish(std::move(files), [&](const FileList& list) { return summary_json(plan, facts, list); });
    } catch (const Interrupted&) {
        log.note_error("interrupted");
        throw;
    } catch (...) {
        log.note_error(describe_failure(std::current_exception()).message);
        throw;
    }
    return facts;
}

}  // namespace onda
