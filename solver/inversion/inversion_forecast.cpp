#include "solver/inversion/inversion_forecast.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/text/saturating.hpp"
#include "kernels/companions/positioned_random.hpp"
#include "solver/inversion/gradient_shaping.hpp"
#include "solver/inversion/inversion_preparation.hpp"
#include "solver/inversion/inversion_stage.hpp"
#include "solver/inversion/model_parameters.hpp"
#include "solver/model/model.hpp"
#include "solver/model/step_mask.hpp"
#include "solver/plan/slab_balance.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/tasks/inversion_tasks.hpp"

namespace onda {
namespace {

constexpr double kTrialsOfIteration = 1.5;

/// The passes of a stage, and how many there are.
struct PassesOfStage {
    Plan gradient, trial, prediction;
    std::optional<Plan> shown;  ///< of the shot whose gathers the results show, predicted as the stage ends
    std::int64_t iterations = 0, gradients = 0;
    [[nodiscard]] double trials() const { return kTrialsOfIteration * static_cast<double>(iterations); }
};

/// A pass in the start model, whose file is not there yet.
Plan plan_of_pass(const InversionStage& stage, const std::vector<std::int64_t>& shots, const RankPlace& ranks,
                  const TaskRow& task) {
    Config config = stage.pass({}, 0, shots);
    config.model = stage.with_start_model().model;
    config.output.pictures = config.output.report = false;
    Plan plan = make_plan(config, ranks, &task);
    balance_slabs(plan.config.backend, plan.setup, plan.placement);
    return plan;
}

/// Trials of all shots tell the misfit of the last model, whose gradient is then not computed, unless it is due to be
/// of other shots.
bool ends_with_gradient(const InversionStage& stage, std::size_t shots, std::size_t trial_shots) {
    const std::int64_t iterations = stage.config().iterations;
    return trial_shots < shots || (stage.redraws() && iterations % *stage.config().redraw_every == 0);
}

PassesOfStage passes_of(const InversionStage& stage, const RankPlace& ranks) {
    const InversionConfig& inversion = stage.with_start_model().inversion.value();
    const std::vector<std::int64_t> shots = stage.shots(0), tried = every_mth(shots, inversion.every_trial_shot);
    const std::int64_t iterations = stage.config().iterations;
    const std::vector<std::int64_t> predicted = shots_to_predict(stage);
    PassesOfStage passes{plan_of_pass(stage, shots, ranks, kInversionGradientTask),
                         plan_of_pass(stage, tried, ranks, kMisfitTask),
                         plan_of_pass(stage, predicted, ranks, kPredictionTask),
                         {},
                         iterations,
                         iterations + (ends_with_gradient(stage, shots.size(), tried.size()) ? 1 : 0)};
    if (stage.with_start_model().survey.encoding != "random")
        passes.shown = plan_of_pass(stage, {predicted[predicted.size() / 2]}, ranks, kPredictionTask);
    return passes;
}

/// Models, gradients, directions, bounds and what shapes gradients are 12 floats a variable, and a pair of L-BFGS two.
std::int64_t bytes_of_optimiser(const InversionConfig& inversion, std::int64_t nodes) {
    const std::int64_t vectors = 12 + (inversion.method == "lbfgs" ? 2 * inversion.memory : 0);
    return saturating_product(nodes, blocks_of(inversion), vectors, std::int64_t{sizeof(float)});
}

/// Of the shot that is shown, as observed and as predicted by two models.
std::int64_t bytes_of_gathers(const PassesOfStage& passes) {
    if (!passes.shown) return 0;
    const Plan& plan = *passes.shown;
    return saturating_product(std::ssize(plan.survey.shots[0].receivers), plan.time.output_samples, std::int64_t{3},
                              std::int64_t{sizeof(float)});
}

/// What is drawn of an iteration, as of a pass that draws.
MemoryForecast memory_to_draw(const PassesOfStage& passes, const OutputConfig& output) {
    Plan drawing = passes.trial;
    drawing.config.output.pictures = output.pictures;
    drawing.config.output.report = output.report;
    return forecast_memory(drawing);
}

/// Files of a pass, with its log, its summary and its configuration.
std::int64_t bytes_of_pass(const Plan& plan) {
    constexpr std::int64_t log_and_summary = 9000;
    return saturating_sum(forecast_output_bytes(plan), log_and_summary,
                          static_cast<std::int64_t>(resolved_yaml(plan.config).size()));
}

/// Tables of the signals that are estimated of each shot: time and amplitude take 30 characters.
std::int64_t bytes_of_wavelets(const Plan& prediction) {
    const InversionConfig& inversion = *prediction.config.inversion;
    if (inversion.wavelet == "given" || inversion.wavelet_of != "shot") return 0;
    return saturating_product(std::ssize(prediction.survey.shots.all()), prediction.time.output_samples,
                              std::int64_t{30});
}

std::int64_t bytes_of_folders(const PassesOfStage& passes) {
    constexpr std::int64_t head_of_model = 6200, record = 400, of_shot = 50;
    const auto parameters = std::ssize(passes.gradient.setup.scheme.equation->parameters);
    const std::int64_t model = saturating_product(passes.gradient.domain.grid.points(), parameters, std::int64_t{4});
    const std::int64_t iteration =
        saturating_sum(model, head_of_model + record, of_shot * std::ssize(passes.gradient.survey.shots));
    const double trials = std::round(passes.trials() * static_cast<double>(bytes_of_pass(passes.trial)));
    return saturating_sum(saturating_product(passes.iterations + 1, iteration),
                          saturating_product(passes.gradients, bytes_of_pass(passes.gradient)),
                          bytes_of_pass(passes.prediction), bytes_of_wavelets(passes.prediction),
                          passes.shown ? bytes_of_pass(*passes.shown) : 0, static_cast<std::int64_t>(trials));
}

/// Of a pass of an inversion, whose program has begun.
double seconds_of_pass(const TimeForecast& run) {
    double seconds = run.seconds;
    for (const auto& [what, of_item] : run.items)
        if (what == kProgramItem) seconds -= of_item;
    return seconds;
}

/// A part of a grid on which smoothing is tried out: a tenth of a second.
Grid part_to_smooth(Grid grid) {
    const std::int64_t longest = grid.dimensions == 3 ? 50 : 350;
    for (std::int64_t& nodes : grid.n) nodes = std::min(nodes, longest);
    return grid;
}

/// What smoothing takes of an iteration: L-BFGS shapes a gradient and the last difference of two, the others a gradient
/// alone. It takes as long for each node as on a part of the grid, since its iterations follow from the lengths.
double smoothing_seconds(const InversionStage& stage, const Plan& plan) {
    InversionConfig inversion = stage.with_start_model().inversion.value();
    if (!(inversion.smooth_wavelengths > 0.)) return 0.;
    inversion.source_taper_m = inversion.receiver_taper_m = 0.;
    const Grid part = part_to_smooth(stage.grid());
    const auto nodes = static_cast<std::size_t>(part.points());
    const std::vector<float> vp(nodes, static_cast<float>(plan.model.velocity.max_m_s));
    std::vector<float> noise(nodes);
    RandomCursor random = PositionedRandom(1).from(0);
    for (float& value : noise) value = static_cast<float>(random.next() - 0.5);
    const GradientShaping shaping(part, inversion, vp, stage.frequency_hz(), {}, {}, {}, {});
    std::chrono::duration<double> taken = std::chrono::hours(1);
    for (int attempt = 0; attempt < 3; ++attempt) {  // the first of which touches memory for the first time
        std::vector<float> gradient = noise;
        const auto start = std::chrono::steady_clock::now();
        shaping.apply(gradient);
        taken = std::min<std::chrono::duration<double>>(taken, std::chrono::steady_clock::now() - start);
    }
    const double times = (inversion.method == "lbfgs" ? 2. : 1.) * static_cast<double>(blocks_of(inversion));
    return times * taken.count() * static_cast<double>(stage.grid().points()) / static_cast<double>(nodes);
}

/// Passes over as many shots on the same grid take as long: bands and offsets, by which stages differ otherwise, are
/// nothing beside the steps.
void set_times(StageForecast& stage, const PassesOfStage& passes, double smoothing_s,
               const std::vector<StageForecast>& earlier, const std::filesystem::path& folder) {
    const auto same = std::ranges::find_if(earlier, [&](const StageForecast& other) {
        return other.plan.domain.grid.n == stage.plan.domain.grid.n && other.shots == stage.shots;
    });
    if (same != earlier.end()) {
        stage.run_time = same->run_time;
        stage.gradient_s = same->gradient_s;
        stage.trial_s = same->trial_s;
    } else {
        stage.run_time = forecast_time(passes.gradient, folder);
        stage.gradient_s = seconds_of_pass(*stage.run_time);
        stage.trial_s = seconds_of_pass(forecast_time(passes.trial, folder));
    }
    const auto shots_predicted = static_cast<double>(passes.prediction.survey.shots.size() + (passes.shown ? 1 : 0));
    const double predicted = shots_predicted / static_cast<double>(passes.trial.survey.shots.size());
    stage.seconds = static_cast<double>(passes.gradients) * stage.gradient_s +
                    (passes.trials() + predicted) * stage.trial_s +
                    static_cast<double>(passes.iterations) * smoothing_s;
}

/// Nodes that stay as they are, on the grid of a stage.
std::int64_t count_held(const Config& config, const InversionStage& stage) {
    const InversionConfig& inversion = config.inversion.value();
    if (!inversion.water_m_s && inversion.hold_depth_m == 0. && inversion.mask.empty()) return 0;
    const Grid& grid = stage.grid();
    std::vector<float> vp(static_cast<std::size_t>(grid.points()));
    if (inversion.water_m_s) {
        const Config& start = stage.with_start_model();
        const Model model = make_model(start.model, Equation::star, grid, start.origin);
        std::ranges::copy(model.vp().values, vp.begin());
    }
    return std::ranges::count(held_nodes(grid, vp, inversion, step_mask(config, grid)), true);
}

StageForecast forecast_of(const InversionStage& stage, const PassesOfStage& passes) {
    const Config& config = stage.with_start_model();
    const MemoryForecast of_gradient = forecast_memory(passes.gradient), of_trial = forecast_memory(passes.trial);
    StageForecast forecast;
    forecast.number = stage.number();
    forecast.shots = std::ssize(passes.gradient.survey.shots);
    forecast.iterations = passes.iterations;
    forecast.frequency_hz = stage.frequency_hz();
    forecast.plan = passes.gradient;
    const std::int64_t largest =
        std::max({of_gradient.peak_bytes(), of_trial.peak_bytes(), memory_to_draw(passes, config.output).peak_bytes()});
    forecast.host_bytes = saturating_sum(largest, bytes_of_optimiser(config.inversion.value(), stage.grid().points()),
                                         bytes_of_gathers(passes));
    forecast.device_bytes = std::max(of_gradient.device_peak_bytes(), of_trial.device_peak_bytes());
    forecast.disk_bytes = bytes_of_folders(passes);
    return forecast;
}

}  // namespace

std::vector<StageForecast> forecast_inversion(const Config& config, const RankPlace& ranks, bool with_trial,
                                              const std::filesystem::path& folder) {
    const PreparedInversion prepared = prepare_inversion(config, ranks);
    std::vector<StageForecast> stages;
    for (std::size_t i = 0; i < prepared.config.inversion->stages.size(); ++i) {
        const InversionStage stage(prepared.config, static_cast<std::int64_t>(i) + 1, prepared.start, ranks);
        const PassesOfStage passes = passes_of(stage, ranks);
        StageForecast forecast = forecast_of(stage, passes);
        if (forecast.host_bytes <= available_host_bytes(ranks)) forecast.held = count_held(prepared.config, stage);
        if (with_trial) set_times(forecast, passes, smoothing_seconds(stage, passes.gradient), stages, folder);
        stages.push_back(std::move(forecast));
    }
    return stages;
}

}  // namespace onda
