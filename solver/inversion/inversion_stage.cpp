#include "solver/inversion/inversion_stage.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>
#include <utility>
#include <variant>

#include "io/text/number_text.hpp"
#include "kernels/companions/positioned_random.hpp"
#include "solver/discretisation/grid.hpp"
#include "solver/plan/plan.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/tasks/inversion_tasks.hpp"

namespace onda {
namespace {

NumberSelection selection_of(const std::vector<std::int64_t>& numbers) {
    std::string text;
    for (const std::int64_t number : numbers) text += fmt::format("{}{}", text.empty() ? "" : ",", number);
    return std::get<NumberSelection>(NumberSelection::parse(text));
}

/// A model of one velocity, with densities, and the lowest Q, where the run has some.
ModelConfig constant_model(double vp_m_s, const StartModelFacts& start) {
    ModelConfig model;
    model.vp_m_s = vp_m_s;
    model.q = start.lowest_q;
    if (start.has_density) model.rho = "gardner";
    return model;
}
/// The same of the slowest model between bounds, in every direction.
ModelConfig slowest_model(const InversionConfig& inversion, const StartModelFacts& start) {
    ModelConfig model = constant_model(std::min(inversion.vp_m_s.min.value(), start.vp.min), start);
    if (!start.anisotropy) return model;
    model.epsilon = std::min(inversion.epsilon.min.value_or(1.), start.anisotropy->epsilon_min);
    model.delta = std::min(inversion.delta.min.value_or(1.), start.anisotropy->delta_min);
    return model;
}
/// Of the fastest one, whose delta is up to epsilon, as it is around sources.
ModelConfig fastest_model(const InversionConfig& inversion, const StartModelFacts& start) {
    ModelConfig model = constant_model(std::max(inversion.vp_m_s.max.value(), start.vp.max), start);
    if (start.anisotropy)
        model.epsilon = model.delta = std::max(inversion.epsilon.max.value_or(-1.), start.anisotropy->epsilon_max);
    return model;
}

/// The nodes along an axis of another spacing; none where it does not divide the axis.
std::optional<std::int64_t> nodes_of(std::int64_t nodes, double spacing_m, double wanted_m) {
    if (nodes == 1) return 1;
    const double intervals = static_cast<double>(nodes - 1) * spacing_m / wanted_m;
    const double whole = std::round(intervals);
    if (whole < 1. || std::abs(intervals - whole) > 1e-6 * whole) return std::nullopt;
    return static_cast<std::int64_t>(whole) + 1;
}

}  // namespace

ModelConfig model_of_file(const std::filesystem::path& file, bool resample) {
    ModelConfig model;
    model.type = "file";
    model.file = file;
    model.resample = resample;
    return model;
}

ModelConfig model_of_file(const std::filesystem::path& file, const ModelConfig& like) {
    ModelConfig model = model_of_file(file);
    model.storage = like.storage;
    model.elliptical_radius = like.elliptical_radius;
    return model;
}

StartModelFacts facts_of(const Model& start) {
    StartModelFacts facts{start.find("rho") != nullptr, {start.vp().min, start.vp().max}};
    if (const ParameterValues* q = start.find("q")) facts.lowest_q = q->min;
    const ParameterValues *const epsilon = start.find("epsilon"), *const delta = start.find("delta");
    if (epsilon != nullptr && delta != nullptr) facts.anisotropy = {epsilon->min, epsilon->max, delta->min, delta->max};
    return facts;
}

std::string inverted_parameters(const InversionConfig& inversion) {
    if (inversion.anisotropy != "fixed") return "vp_epsilon_and_delta";
    return inversion.density == "fixed" ? "vp" : "vp_and_rho";
}

std::vector<std::int64_t> every_mth(const std::vector<std::int64_t>& numbers, std::int64_t m) {
    std::vector<std::int64_t> taken;
    for (std::size_t i = 0; i < numbers.size(); i += static_cast<std::size_t>(m)) taken.push_back(numbers[i]);
    return taken;
}

InversionStage::InversionStage(const Config& whole, std::int64_t number, const StartModelFacts& start, RankPlace ranks)
    : number_(number), ranks_(std::move(ranks)), base_(whole) {
    ranks_.slabs_of_first.clear();
    ranks_.ranks_per_grid = 1;
    const InversionStageConfig& stage = config();
    ImagingConfig& imaging = *base_.imaging;
    const auto take = [&](const auto& of_stage, auto& place, const std::string& name) {
        if (!of_stage) return;
        place = *of_stage;
        base_.origin.taken_from["imaging." + name] = key() + name;
    };
    take(stage.band_pass, imaging.band_pass, "band_pass");
    take(stage.offset_m, imaging.offset_m, "offset_m");
    take(stage.time_window_s, imaging.time_window_s, "time_window_s");
    imaging.illumination = true;
    imaging.adjoint_sources = false;
    imaging.parameters = inverted_parameters(*base_.inversion);
    base_.output.snapshots = {};
    set_grid(whole);
    set_sampling(start);
    shots_ = every_mth(shots_of_survey(), stage.every_shot.value_or(1));
    if (stage.random_shots && *stage.random_shots > std::ssize(shots_))
        base_.origin.value_fault(key() + "random_shots", fmt::format("there are {} shots to draw from", shots_.size()));
    const bool draws = stage.random_shots || (base_.survey.encoding == "random");
    if (stage.redraw_every && !draws)
        base_.origin.value_fault(key() + "redraw_every",
                                 "nothing is drawn: it needs random_shots, or survey.encoding: random");
}

const InversionStageConfig& InversionStage::config() const {
    return base_.inversion->stages.at(static_cast<std::size_t>(number_ - 1));
}

std::string InversionStage::key() const {
    return fmt::format("inversion.stages[{}].", number_ - 1);
}

void InversionStage::set_grid(const Config& whole) {
    grid_ = make_grid(whole.grid, whole.origin);
    const std::optional<double> spacing_m = config().spacing_m;
    if (!spacing_m) return;
    GridConfig& grid = base_.grid;
    std::vector<std::int64_t> shape;
    for (const int axis : {0, 1, 2}) {
        if (!grid_.has_axis(axis)) continue;
        const auto nodes = nodes_of(grid_.n[static_cast<std::size_t>(axis)],
                                    grid_.spacing_m[static_cast<std::size_t>(axis)], *spacing_m);
        if (!nodes)
            base_.origin.value_fault(
                key() + "spacing_m",
                fmt::format("does not divide the {} m of the grid along {}: the model could not be brought back",
                            number_text(static_cast<double>(grid_.n[static_cast<std::size_t>(axis)] - 1) *
                                        grid_.spacing_m[static_cast<std::size_t>(axis)]),
                            "xyz"[axis]));
        shape.push_back(*nodes);
    }
    grid.shape = shape;
    grid.spacing_m = {*spacing_m};
    base_.origin.taken_from["grid.spacing_m"] = key() + "spacing_m";
    if (base_.model.type == "file") base_.model.resample = true;
    grid_ = make_grid(grid, base_.origin);
}

/// One time step for all models that bounds allow: how misfits change with the model would otherwise be changed by the
/// step, too. And one interval of samples, whatever signal is estimated.
void InversionStage::set_sampling(const StartModelFacts& start) {
    Config slowest = base_, fastest = base_;
    slowest.model = slowest_model(*base_.inversion, start);
    fastest.model = fastest_model(*base_.inversion, start);
    const Plan plan = make_plan(fastest, ranks_, &kInversionGradientTask);
    base_.time.dt_s = slowest.time.dt_s = plan.time.dt_s;
    base_.output.seismograms.dt_s = plan.time.output_dt_s;
    make_plan(slowest, ranks_, &kInversionGradientTask);
    const auto& band = base_.imaging->band_pass;
    frequency_hz_ = band && band->high_hz ? *band->high_hz : plan.survey.lowest_peak_frequency_hz();
    check_signals(plan.survey);
}

/// An estimate takes the place of one signal.
void InversionStage::check_signals(const Survey& survey) const {
    const InversionConfig& inversion = *base_.inversion;
    if (inversion.wavelet == "given") return;
    if (inversion.wavelet_of == "survey") {
        if (survey.wavelets.size() != 1)
            base_.origin.value_fault("inversion.wavelet",
                                     fmt::format("the sources have {} different signals: one is estimated for all of "
                                                 "them, unless inversion.wavelet_of is shot",
                                                 survey.wavelets.size()));
        return;
    }
    if (survey.encoding)
        base_.origin.value_fault("inversion.wavelet_of",
                                 "all shots fire together in supershots (survey.encoding), whose traces tell of no "
                                 "shot alone: take survey, which estimates one signal for all of them");
    const Shots shots = survey.shots.all();
    for (std::size_t i = 0; i < shots.size(); ++i) {
        const std::span<const SourcePoint> sources = shots.sources(i);
        if (!std::ranges::all_of(sources,
                                 [&](const SourcePoint& source) { return source.wavelet == sources.front().wavelet; }))
            base_.origin.value_fault(
                "inversion.wavelet_of",
                fmt::format("sources of shot {} have different signals: one is estimated for each shot", shots.id(i)));
    }
}

std::vector<std::int64_t> InversionStage::shots_of_survey() const {
    Config any = base_;
    any.model = constant_model(base_.inversion->vp_m_s.max.value(), {});
    any.model.rho = "none";
    any.imaging->parameters = "vp";
    const Plan plan = make_plan(any, ranks_, &kMisfitTask);
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < plan.survey.shots.size(); ++i) numbers.push_back(plan.survey.shots.id(i));
    return numbers;
}

std::vector<std::int64_t> InversionStage::shots(std::int64_t drawing) const {
    const auto wanted = config().random_shots;
    if (!wanted) return shots_;
    // The first of a shuffle (Fisher and Yates; Durstenfeld 1964), by a sequence of the stage in which each drawing has
    // a stretch of its own.
    std::vector<std::int64_t> numbers = shots_;
    const auto seed = static_cast<std::uint64_t>(base_.survey.seed) + (static_cast<std::uint64_t>(number_) << 32U);
    RandomCursor random = PositionedRandom(seed).from(static_cast<std::uint64_t>(drawing * *wanted));
    for (std::size_t i = 0; i < static_cast<std::size_t>(*wanted); ++i) {
        const std::size_t left = numbers.size() - i;
        const auto among = static_cast<std::size_t>(random.next() * static_cast<double>(left));
        std::swap(numbers[i], numbers[i + std::min(left - 1, among)]);
    }
    numbers.resize(static_cast<std::size_t>(*wanted));
    std::ranges::sort(numbers);
    return numbers;
}

Config InversionStage::pass(const std::filesystem::path& model, std::int64_t drawing,
                            const std::vector<std::int64_t>& shots) const {
    Config config = base_;
    config.model = model_of_file(model, base_.model);
    config.imaging->shots = selection_of(shots);
    if (config.survey.encoding == "random") config.survey.seed += drawing;
    return config;
}

}  // namespace onda
