#include "solver/inversion/full_waveform_inversion.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <utility>
#include <vector>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/inversion/descent.hpp"
#include "solver/inversion/gradient_shaping.hpp"
#include "solver/inversion/inversion_preparation.hpp"
#include "solver/inversion/inversion_records.hpp"
#include "solver/inversion/inversion_stage.hpp"
#include "solver/inversion/line_search.hpp"
#include "solver/inversion/model_parameters.hpp"
#include "solver/inversion/regularisation.hpp"
#include "solver/inversion/stage_check.hpp"
#include "solver/inversion/survey_passes.hpp"
#include "solver/model/stored_model.hpp"
#include "solver/outputs/gradient_output.hpp"
#include "solver/outputs/misfit_output.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/program/build.hpp"
#include "solver/program/hash.hpp"
#include "solver/program/progress.hpp"
#include "solver/run/account.hpp"
#include "solver/run/rank_talk.hpp"
#include "solver/run/run_folder.hpp"
#include "solver/tasks/inversion_tasks.hpp"

namespace onda {
namespace {

using Variables = HostVectors::Vector;

DescentMethod method_of(const InversionConfig& config) {
    if (config.method == "lbfgs") return DescentMethod::lbfgs;
    return config.method == "steepest_descent" ? DescentMethod::steepest_descent : DescentMethod::conjugate_gradients;
}

double sum_of(const std::vector<MisfitByShot>& shots) {
    double sum = 0.;
    for (const MisfitByShot& shot : shots) sum += shot.misfit;
    return sum;
}

std::vector<MisfitByShot> by_shot(const std::vector<ListedMisfit>& listed) {
    std::vector<MisfitByShot> shots;
    for (const ListedMisfit& shot : listed) shots.push_back({shot.shot, shot.value});
    return shots;
}

/// The sum over those shots that are among `numbers`, in their order.
double sum_over(const std::vector<MisfitByShot>& shots, const std::vector<std::int64_t>& numbers) {
    double sum = 0.;
    for (const MisfitByShot& shot : shots)
        if (std::ranges::binary_search(numbers, shot.shot)) sum += shot.misfit;
    return sum;
}

double largest_magnitude(const Variables& values) {
    double largest = 0.;
    for (const float value : values) largest = std::max(largest, std::abs(static_cast<double>(value)));
    return largest;
}

double largest_difference(const Variables& a, const Variables& b) {
    double largest = 0.;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    return largest;
}

/// Of a from b, as a part of b.
double largest_relative_difference(std::span<const float> a, std::span<const float> b) {
    double largest = 0.;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, std::abs(static_cast<double>(a[i]) / static_cast<double>(b[i]) - 1.));
    return largest;
}

/// The relative L2 difference of a model from another, at nodes that are not held [%].
double difference_percent(std::span<const float> model, std::span<const float> from, const std::vector<bool>& held) {
    double difference = 0., norm = 0.;
    for (std::size_t i = 0; i < model.size(); ++i) {
        if (!held.empty() && held[i]) continue;
        const double value = static_cast<double>(from[i]), apart = static_cast<double>(model[i]) - value;
        difference += apart * apart;
        norm += value * value;
    }
    return norm > 0. ? 100. * std::sqrt(difference / norm) : 0.;
}

/// The model of a file, or of a configuration, on the grid of that configuration.
ModelOf model_of(const Config& config, const Grid& grid, const Equation& equation) {
    Model model = make_model(config.model, equation, grid, config.origin);
    ModelOf values{{model.vp().values.begin(), model.vp().values.end()}, {}};
    if (const ParameterValues* rho = model.find("rho")) values.rho.assign(rho->values.begin(), rho->values.end());
    return values;
}

class FullWaveformInversion {
public:
    FullWaveformInversion(const Config& config, const RunOptions& options, Log& log, const Ranks& ranks)
        : config_(config),
          options_(options),
          log_(log),
          ranks_(ranks),
          records_(options.folder),
          passes_(options, log, ranks) {}

    RunFacts run();

private:
    class Stage;

    void prepare();
    void open_folder();
    void keep_arrays();
    std::filesystem::path iterate(Stage& stage);
    void publish_some(const Stage& stage);
    void tell(const Stage& stage);
    /// \param identity of a run whose results these are.
    void publish(const Stage& stage, const std::string& identity);
    [[nodiscard]] const InversionConfig& settings() const { return *config_.inversion; }
    /// The time that has passed, and what is left if all iterations are made and take as long as those of this process.
    [[nodiscard]] std::string clock() const;
    /// A prediction a stage, and a gradient and about a trial and a half an iteration.
    [[nodiscard]] std::int64_t expected_passes() const {
        std::int64_t passes = 0;
        for (const InversionStageConfig& stage : settings().stages) passes += 1 + (5 * stage.iterations + 1) / 2;
        return passes;
    }

    Config config_;  ///< with its grid and bounds complete
    const RunOptions& options_;
    Log& log_;
    const Ranks& ranks_;
    InversionRecords records_;
    SurveyPasses passes_;
    std::optional<Plan> plan_;  ///< of the first pass
    StartModelFacts start_facts_;
    Identity identity_;
    std::optional<RunFolder> folder_;
    std::vector<InversionIteration> rows_, earlier_;  ///< of all stages so far, and of those before this one
    CutModels cut_models_;
    std::optional<std::int64_t> shown_shot_;  ///< predicted as the first stage began; none where codes are drawn again
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now(), published_ = begun_;
    std::int64_t passed_ = 0, made_ = 0;  ///< iterations: all, and those that were not there
};

// ---- A stage

/// The iterations of a stage.
class FullWaveformInversion::Stage {
public:
    /// \param before the number of the stage whose last model this one begins with, and of its iteration; none: the
    /// model of the configuration.
    Stage(FullWaveformInversion& run, std::int64_t number, std::optional<std::filesystem::path> before);

    /// \returns the file of the model that it ends with.
    std::filesystem::path iterate();
    [[nodiscard]] const std::vector<IterationRecord>& records() const { return records_; }
    /// Predicts the shot that is shown in the model that there is now.
    void predict(std::int64_t shot);
    /// The files of what there is now. \param rows of the table, those of earlier stages among them.
    [[nodiscard]] std::vector<AtomicFile> results(const std::filesystem::path& folder,
                                                  const std::vector<InversionIteration>& rows, CutModels& known) const;

private:
    /// What a pass finds in a model.
    struct Evaluation {
        std::vector<MisfitByShot> shots;
        Variables gradient;  ///< of the objective, in x
        double penalty = 0.;
        std::int64_t compared = 0;  ///< traces
    };
    /// A model that is better.
    struct Found {
        ModelOf model;
        double step = 0.;
        std::vector<MisfitByShot> shots;  ///< of those that were tried
    };

    void make_start(const std::optional<std::filesystem::path>& before);
    void describe() const;
    void check_data();
    void begin();
    void keep_model(const std::filesystem::path& file, const ModelOf& model) const;
    [[nodiscard]] Config pass(const std::filesystem::path& model) const {
        Config config = stage_.pass(model, drawing_, shots_);
        if (wavelet_.empty()) return config;
        config.wavelet = {};
        config.wavelet.type = "file";
        config.wavelet.file = wavelet_;
        for (SourceConfig& source : config.sources) source.wavelet.reset();
        return config;
    }
    void set_drawing(std::int64_t drawing);
    [[nodiscard]] Evaluation evaluate();
    [[nodiscard]] Evaluation read_gradient(const std::filesystem::path& folder);
    [[nodiscard]] double add_penalties(const Variables& x, std::span<float> gradient) const;
    [[nodiscard]] double penalty_of(const Variables& x) const;
    [[nodiscard]] Variables direction(const Evaluation& there);
    [[nodiscard]] double first_step(const Variables& p) const;
    /// \param before trials that were made from here already.
    [[nodiscard]] std::optional<Found> search(const Evaluation& from, const Variables& p, std::int64_t before);
    [[nodiscard]] std::vector<MisfitByShot> try_model(const ModelOf& model, std::int64_t trial);
    [[nodiscard]] ModelOf model_at(double step, const Variables& p) const;
    [[nodiscard]] bool advance(const Evaluation& there);
    [[nodiscard]] Variables direction_anew(const Evaluation& there);
    void take(const IterationRecord& known);
    void move_to(ModelOf model, IterationRecord record);
    void note_misfit(std::vector<MisfitByShot> shots);
    void note(const Evaluation& there);
    /// What is on disk of an iteration.
    [[nodiscard]] std::optional<IterationRecord> known(std::int64_t iteration) const {
        return run_.ranks_.all_or_none([&] { return run_.records_.find(stage_.number(), iteration); });
    }
    void keep_record() const;
    void keep();
    [[nodiscard]] bool has_ended() const;
    [[nodiscard]] bool is_due_to_redraw(std::int64_t iteration) const {
        return stage_.redraws() && iteration > 0 && iteration < stage_.config().iterations &&
               iteration % *stage_.config().redraw_every == 0;
    }

    FullWaveformInversion& run_;
    InversionStage stage_;
    Plan plan_;
    ModelOf first_;               ///< the model of the configuration, on the grid of the stage
    ModelOf start_;               ///< of the stage
    std::vector<float> true_vp_;  ///< empty: not known
    ModelOf current_;
    std::vector<bool> held_;
    std::optional<ModelParameters> parameters_;
    Bounds bounds_;
    std::optional<GradientShaping> shaping_;
    DescentDirections directions_;
    std::filesystem::path wavelet_;  ///< that was estimated; empty: that of the configuration
    std::int64_t drawing_ = 0;
    std::vector<std::int64_t> shots_, trial_shots_;

    std::unique_ptr<GathersOfShot> gathers_;  ///< null: not predicted yet

    Variables x_;
    std::int64_t iteration_ = 0, trials_ = 0;  ///< trials from the current model
    std::vector<IterationRecord> records_;
};

FullWaveformInversion::Stage::Stage(FullWaveformInversion& run, std::int64_t number,
                                    std::optional<std::filesystem::path> before)
    : run_(run),
      stage_(run.config_, number, run.start_facts_, run.plan_->placement.ranks),
      directions_(method_of(run.settings()), run.settings().memory) {
    run_.ranks_.all_or_none([&] { make_start(before); });
    const InversionConfig& settings = run_.settings();
    held_ = held_nodes(stage_.grid(), first_.vp, settings);
    for (std::size_t i = 0; i < held_.size(); ++i) {
        if (!held_[i]) continue;
        start_.vp[i] = first_.vp[i];
        if (!first_.rho.empty()) start_.rho[i] = first_.rho[i];
    }
    parameters_.emplace(settings, start_.vp, start_.rho, held_);
    bounds_ = parameters_->box();
    // Densities that follow from velocities do so from the beginning.
    start_ = parameters_->to_model(parameters_->from_model(start_.vp, start_.rho));
    set_drawing(0);
}

/// Values beside held nodes may come from another grid; those are the configuration's own.
void FullWaveformInversion::Stage::make_start(const std::optional<std::filesystem::path>& before) {
    const Equation& equation = run_.plan_->setup.scheme.equation;
    const Grid& grid = stage_.grid();
    first_ = model_of(stage_.with_start_model(), grid, equation);
    start_ = first_;
    Config other = stage_.with_start_model();
    if (before) {
        other.model = model_of_file(*before, true);
        start_ = model_of(other, grid, equation);
    }
    if (const auto& file = run_.settings().true_model; !file.empty()) {
        other.model = model_of_file(file, true);
        true_vp_ = model_of(other, grid, Equation::star).vp;
    }
}

void FullWaveformInversion::Stage::set_drawing(std::int64_t drawing) {
    drawing_ = drawing;
    shots_ = stage_.shots(drawing);
    trial_shots_ = every_mth(shots_, run_.settings().every_trial_shot);
}

void FullWaveformInversion::Stage::keep_model(const std::filesystem::path& file, const ModelOf& model) const {
    run_.ranks_.all_or_none([&] {
        if (!run_.ranks_.decides()) return;
        std::filesystem::create_directories(file.parent_path());
        std::vector<std::span<const float>> parameters{model.vp};
        if (!model.rho.empty()) parameters.emplace_back(model.rho);
        store_model(file, stage_.grid(), run_.plan_->setup.scheme.equation, parameters,
                    version_line() + ": full-waveform inversion", true);
    });
}

void FullWaveformInversion::Stage::describe() const {
    const InversionStageConfig& stage = stage_.config();
    std::string text =
        fmt::format("stage {} of {}: {} iteration{}, {} shot{}", stage_.number(), run_.settings().stages.size(),
                    stage.iterations, stage.iterations == 1 ? "" : "s", shots_.size(), shots_.size() == 1 ? "" : "s");
    if (const auto& band = stage_.imaging().band_pass) {
        text += ", ";
        if (band->low_hz) text += fmt::format("{:g} to ", *band->low_hz);
        text += band->high_hz ? fmt::format("{:g} Hz", *band->high_hz) : std::string("the highest frequency");
    }
    if (stage.spacing_m) text += fmt::format(", nodes every {:g} m", *stage.spacing_m);
    run_.log_.info(text);
    run_.log_.info("iteration        misfit   of start        step     change  trials      time  time left");
}

/// The model that the stage begins with, and what its seismograms look like beside those observed.
void FullWaveformInversion::Stage::begin() {
    current_ = start_;
    x_ = parameters_->from_model(start_.vp, start_.rho);
    const std::filesystem::path model = run_.records_.model(stage_.number(), 0);
    if (!known(0)) keep_model(model, start_);
    plan_ = run_.ranks_.all_or_none([&] { return make_plan(pass(model), stage_.ranks(), &kInversionGradientTask); });
    run_.ranks_.all_or_none([&] { refuse_if_memory_is_short(plan_); });
    check_data();
    std::vector<Position> sources, receivers;
    collect_positions(stage_, run_.settings(), model, sources, receivers);
    shaping_.emplace(stage_.grid(), run_.settings(), start_.vp, stage_.frequency_hz(), sources, receivers, held_);
    describe();
}

/// Whether the data are within half a period of those of the model, and what signal would bring them nearest.
void FullWaveformInversion::Stage::check_data() {
    const std::filesystem::path folder = run_.records_.folder_of(stage_.number(), 0) / "predicted";
    const bool estimates = run_.settings().wavelet != "given";
    const std::vector<std::int64_t> some = shots_to_predict(run_.settings(), shots_);
    const Config config = stage_.pass(run_.records_.model(stage_.number(), 0), drawing_, some);
    run_.passes_.run({config, kPredictionTask, folder, {}, true, run_.expected_passes()});
    StageCheck check = run_.ranks_.all_or_none([&] { return check_stage(config, plan_, folder, estimates); });
    if (stage_.number() == 1 && run_.config_.survey.encoding != "random") run_.shown_shot_ = some[some.size() / 2];
    if (!check.warning.empty()) run_.log_.warn(fmt::format("stage {}: {}", stage_.number(), check.warning));
    if (!estimates) return;
    const std::filesystem::path file = run_.records_.folder_of(stage_.number(), 0) / "wavelet.csv";
    run_.ranks_.all_or_none([&] {
        if (run_.ranks_.decides()) check.write_wavelet(file.parent_path());
    });
    run_.log_.info(fmt::format("wavelet   {}: {}", shown(file), check.wavelet_told));
    if (run_.settings().wavelet == "estimated") wavelet_ = file;
}

double FullWaveformInversion::Stage::add_penalties(const Variables& x, std::span<float> gradient) const {
    const double scale = records_.empty() ? 0. : records_.front().scale;
    double penalty = 0.;
    for (std::size_t block = 0; block < parameters_->blocks(); ++block) {
        const std::size_t first = block * parameters_->nodes();
        penalty += add_penalty(stage_.grid(), run_.settings(), std::span(x).subspan(first, parameters_->nodes()), scale,
                               gradient.subspan(first, parameters_->nodes()));
    }
    return penalty;
}

double FullWaveformInversion::Stage::penalty_of(const Variables& x) const {
    Variables unused(x.size());
    return add_penalties(x, unused);
}

FullWaveformInversion::Stage::Evaluation FullWaveformInversion::Stage::read_gradient(
    const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / kGradientName;
    const std::array<std::int64_t, 3>& n = stage_.grid().n;
    const std::vector<ListedMisfit> listed = image_contents(file).misfits;
    Evaluation there;
    there.shots = by_shot(listed);
    for (const ListedMisfit& shot : listed) there.compared += shot.traces - shot.dead - shot.excluded;
    const bool of_density = run_.settings().density != "fixed";
    const std::vector<float> of_rho = of_density ? read_image(file, kRhoGradient, {}, n) : std::vector<float>();
    there.gradient = parameters_->gradient(x_, read_image(file, kVpGradient, {}, n), of_rho);
    std::vector<float> illumination = read_image(file, kSourceIllumination, {}, n);
    parameters_->weigh_illumination(illumination, current_.vp);
    shaping_->set_illumination(illumination, {});
    return there;
}

/// The gradient in the current model. The first one of the stage sets the scale of penalties.
FullWaveformInversion::Stage::Evaluation FullWaveformInversion::Stage::evaluate() {
    const std::filesystem::path folder = run_.records_.folder_of(stage_.number(), iteration_) / "gradient";
    const std::filesystem::path model = run_.records_.model(stage_.number(), iteration_);
    run_.passes_.run({pass(model), kInversionGradientTask, folder, {}, true, run_.expected_passes()});
    Evaluation there = run_.ranks_.all_or_none([&] { return read_gradient(folder); });
    if (records_.empty()) {
        if (there.compared == 0)
            throw Error(ExitCode::bad_data,
                        fmt::format("stage {}: none of the observed traces counts: all are dead, or excluded by the "
                                    "stage's offsets, times, receivers and mutes",
                                    stage_.number()));
        IterationRecord first;
        first.row = {.stage = stage_.number(), .iteration = 0};
        first.scale = sum_of(there.shots);
        if (const auto before = known(0)) first.stuck = before->stuck;
        records_.push_back(std::move(first));
    }
    there.penalty = add_penalties(x_, there.gradient);
    for (std::size_t i = 0; i < there.gradient.size(); ++i)
        if (!held_.empty() && held_[i % held_.size()]) there.gradient[i] = 0.f;
    return there;
}

Variables FullWaveformInversion::Stage::direction(const Evaluation& there) {
    const VariableBounds box{bounds_.lowest, bounds_.highest};
    return directions_.direction(x_, there.gradient, box, [&](Variables& v) {
        for (std::size_t block = 0; block < parameters_->blocks(); ++block)
            shaping_->apply(std::span(v).subspan(block * parameters_->nodes(), parameters_->nodes()));
    });
}

/// One of L-BFGS is the minimum of its model; along a gradient alone the last change of a variable is tried again.
double FullWaveformInversion::Stage::first_step(const Variables& p) const {
    if (directions_.pairs() > 0) return 1.;
    const double last = records_.back().last_change;
    return (last > 0. ? last : run_.settings().first_step) / largest_magnitude(p);
}

std::vector<MisfitByShot> FullWaveformInversion::Stage::try_model(const ModelOf& model, std::int64_t trial) {
    const std::filesystem::path folder =
        run_.records_.folder_of(stage_.number(), iteration_) / fmt::format("trial-{}", trial);
    const std::filesystem::path file = std::filesystem::path(folder).concat(".h5");
    keep_model(file, model);
    Config config = pass(file);
    config.imaging->shots = stage_.pass(file, drawing_, trial_shots_).imaging->shots;
    run_.passes_.run({config, kMisfitTask, folder, {}, true, run_.expected_passes()});
    std::vector<MisfitByShot> shots =
        run_.ranks_.all_or_none([&] { return by_shot(read_misfits(folder / kMisfitTableName)); });
    run_.ranks_.all_or_none([&] {
        if (run_.ranks_.decides()) std::filesystem::remove(file);
    });
    return shots;
}

ModelOf FullWaveformInversion::Stage::model_at(double step, const Variables& p) const {
    return parameters_->to_model(moved(x_, step, p, {bounds_.lowest, bounds_.highest}));
}

/// Of trials on some of the shots the slope is taken for theirs by their part of the misfit.
std::optional<FullWaveformInversion::Stage::Found> FullWaveformInversion::Stage::search(const Evaluation& from,
                                                                                        const Variables& p,
                                                                                        std::int64_t before) {
    const double all = sum_of(from.shots), tried = sum_over(from.shots, trial_shots_);
    const double part = all > 0. ? tried / all : 1.;
    LineSearchLimits limits;
    limits.trials = run_.settings().trials;
    LineSearch line(tried + part * from.penalty, first_step(p), limits);
    std::vector<std::vector<MisfitByShot>> misfits;
    while (const std::optional<double> step = line.next()) {
        const ModelOf model = model_at(*step, p);
        misfits.push_back(try_model(model, before + std::ssize(misfits) + 1));
        Variables there = parameters_->from_model(model.vp, model.rho);
        const double misfit = sum_of(misfits.back()) + part * penalty_of(there);
        HostVectors::add(there, -1., x_);  // the displacement
        line.tell(misfit, part * HostVectors::dot(from.gradient, there));
    }
    trials_ = before + std::ssize(misfits);
    if (!line.step()) return std::nullopt;
    const auto best = std::ranges::find(line.trials(), *line.step(), &LineSearch::Trial::step) - line.trials().begin();
    return Found{model_at(*line.step(), p), *line.step(), std::move(misfits[static_cast<std::size_t>(best)])};
}

void FullWaveformInversion::Stage::predict(std::int64_t shot) {
    const std::filesystem::path folder = run_.records_.folder_of(stage_.number(), iteration_) / "shown";
    Config config = pass(run_.records_.model(stage_.number(), iteration_));
    config.imaging->shots = stage_.pass({}, 0, {shot}).imaging->shots;
    run_.passes_.run({config, kPredictionTask, folder, {}, true, run_.expected_passes()});
    gathers_ = run_.ranks_.all_or_none(
        [&] { return gathers_of_shot(config, plan_, shot, run_.records_.folder_of(1, 0) / "predicted", folder); });
}

std::vector<AtomicFile> FullWaveformInversion::Stage::results(const std::filesystem::path& folder,
                                                              const std::vector<InversionIteration>& rows,
                                                              CutModels& known) const {
    InversionResults results;
    results.start = first_.vp;
    results.current = current_.vp;
    results.iterations = rows;
    results.model_of = [&](std::size_t line) {
        Config config = stage_.with_start_model();
        config.model = model_of_file(run_.records_.model(rows[line].stage, rows[line].iteration), true);
        return model_of(config, stage_.grid(), run_.plan_->setup.scheme.equation).vp;
    };
    std::vector<ShotMisfits> shots;
    for (const MisfitByShot& now : records_.back().by_shot)
        for (const MisfitByShot& first : records_.front().by_shot)
            if (first.shot == now.shot) shots.push_back({now.shot, first.misfit, now.misfit});
    results.shots = shots;
    results.model_file = run_.records_.model(stage_.number(), iteration_);
    results.known = &known;
    if (gathers_) results.gathers = &gathers_->compared;
    return stage_inversion(plan_, folder, results);
}

// ---- From one iteration to the next

/// A model that is better, or the one that was found before.
bool FullWaveformInversion::Stage::advance(const Evaluation& there) {
    Variables p = direction(there);
    if (largest_magnitude(p) == 0.) {
        run_.log_.info("the gradient is zero wherever the model may change: the stage ends");
        return false;
    }
    if (const auto next = known(iteration_ + 1)) {
        if (next->restarted) p = direction_anew(there);
        take(*next);
        return true;
    }
    std::optional<Found> found = search(there, p, 0);
    IterationRecord record;
    if (!found && !directions_.was_steepest()) {
        record.restarted = true;
        p = direction_anew(there);
        found = search(there, p, trials_);
    }
    if (!found) {
        run_.log_.info("no smaller misfit was found along the gradient: the stage ends");
        return false;
    }
    ++run_.made_;
    keep_model(run_.records_.model(stage_.number(), iteration_ + 1), found->model);
    record.row = {.stage = stage_.number(), .iteration = iteration_ + 1, .step = found->step, .trials = trials_};
    record.row.change = largest_relative_difference(found->model.vp, current_.vp);
    if (trial_shots_.size() == shots_.size()) record.by_shot = std::move(found->shots);
    const Variables next = parameters_->from_model(found->model.vp, found->model.rho);
    record.last_change = largest_difference(next, x_);
    move_to(std::move(found->model), std::move(record));
    return true;
}

Variables FullWaveformInversion::Stage::direction_anew(const Evaluation& there) {
    directions_.forget();
    return direction(there);
}

void FullWaveformInversion::Stage::take(const IterationRecord& known) {
    Config config = stage_.pass(run_.records_.model(stage_.number(), iteration_ + 1), 0, shots_);
    ModelOf model =
        run_.ranks_.all_or_none([&] { return model_of(config, stage_.grid(), run_.plan_->setup.scheme.equation); });
    move_to(std::move(model), known);
}

void FullWaveformInversion::Stage::move_to(ModelOf model, IterationRecord record) {
    current_ = std::move(model);
    x_ = parameters_->from_model(current_.vp, current_.rho);
    ++iteration_;
    ++run_.passed_;
    record.scale = records_.front().scale;
    if (is_due_to_redraw(iteration_)) {
        set_drawing(drawing_ + 1);
        directions_.forget();
        record.by_shot.clear();
    }
    record.drawing = drawing_;
    records_.push_back(std::move(record));
    if (!records_.back().by_shot.empty()) note_misfit(records_.back().by_shot);
}

/// What the table says of the misfit of the current model.
void FullWaveformInversion::Stage::note_misfit(std::vector<MisfitByShot> shots) {
    IterationRecord& record = records_.back();
    record.by_shot = std::move(shots);
    record.row.misfit = sum_of(record.by_shot);
    record.row.relative = record.scale > 0. ? record.row.misfit / record.scale : 0.;
    record.row.penalty = penalty_of(x_);
    record.row.shots = std::ssize(record.by_shot);
    if (!true_vp_.empty()) record.row.model_error_percent = difference_percent(current_.vp, true_vp_, held_);
}

void FullWaveformInversion::Stage::note(const Evaluation& there) {
    note_misfit(there.shots);
    records_.back().row.gradient = projected_gradient_norm(x_, there.gradient, {bounds_.lowest, bounds_.highest});
}

void FullWaveformInversion::Stage::keep_record() const {
    run_.ranks_.all_or_none([&] {
        if (run_.ranks_.decides()) run_.records_.keep(records_.back());
    });
}

void FullWaveformInversion::Stage::keep() {
    keep_record();
    const InversionIteration& row = records_.back().row;
    const auto error = row.model_error_percent
                           ? fmt::format("   {:.3f} % from the true model", *row.model_error_percent)
                           : std::string();
    run_.log_.info(fmt::format("{:>4} {:>18.6g} {:>10.4f} {:>11.4g} {:>9.3f} % {:>6} {}{}", row.iteration, row.misfit,
                               row.relative, row.step, 100. * row.change, row.trials, run_.clock(), error));
    run_.publish_some(*this);
    run_.tell(*this);
}

bool FullWaveformInversion::Stage::has_ended() const {
    const InversionStageConfig& stage = stage_.config();
    const IterationRecord& now = records_.back();
    if (iteration_ >= stage.iterations || now.stuck || now.row.misfit == 0.) return true;
    if (now.row.relative <= stage.misfit) return true;
    if (iteration_ == 0 || stage.misfit_change == 0.) return false;
    const IterationRecord& before = records_[records_.size() - 2];
    return before.drawing == now.drawing &&
           before.row.misfit - now.row.misfit < stage.misfit_change * before.row.misfit;
}

std::filesystem::path FullWaveformInversion::Stage::iterate() {
    begin();
    Evaluation there = evaluate();
    note(there);
    keep();
    while (!has_ended()) {
        if (!advance(there)) {
            records_.back().stuck = true;
            keep_record();
            break;
        }
        // Where the trial steps have told the misfit, the last gradient of a stage is nobody's.
        if (records_.back().by_shot.empty() || !has_ended()) {
            there = evaluate();
            note(there);
        }
        keep();
    }
    return run_.records_.model(stage_.number(), iteration_);
}

// ---- The run

void FullWaveformInversion::prepare() {
    if (ranks_.place().size > 1 && ranks_.team() == nullptr)
        throw Error(ExitCode::usage,
                    "full-waveform inversion by several processes needs them connected by MPI: build with it, or start "
                    "one process");
    check_inversion_sections(config_);
    Plan draft = agree_on_plan(ranks_, config_.backend.name, [&](const RankPlace& place) {
        return make_plan(with_inverted_parameters(config_), place, &kInversionGradientTask);
    });
    config_.grid = draft.config.grid;
    const Model model = ranks_.all_or_none(
        [&] { return make_model(config_.model, draft.setup.scheme.equation, draft.domain.grid, config_.origin); });
    ranks_.all_or_none([&] {
        complete_bounds(*config_.inversion, {model.vp().min, model.vp().max});
        check_start_model(config_, model);
    });
    start_facts_ = {draft.setup.scheme.equation == Equation::variable_density, {model.vp().min, model.vp().max}};
    plan_ = ranks_.all_or_none([&] { return refine(std::move(draft), model); });
    note_model(*plan_, model, passes_.facts);
    identity_ =
        identity_of(config_, std::string(build().version), passes_.facts.model_fingerprint, plan_->setup.kernel, "fwi");
    for (const ResolvedParameter& parameter : resolved_parameters(config_))
        if (parameter.path.starts_with("inversion.") && parameter.path != "inversion.true_model")
            identity_[parameter.path] = parameter.value;
    // Errors of later stages are told before the first one begins.
    ranks_.all_or_none([&] {
        for (std::size_t i = 0; i < settings().stages.size(); ++i)
            InversionStage(config_, static_cast<std::int64_t>(i) + 1, start_facts_, plan_->placement.ranks);
    });
}

void FullWaveformInversion::open_folder() {
    if (!ranks_.decides()) return;
    refuse_taken_folder(options_.folder, options_.overwrite);
    if (!options_.overwrite && !records_.exist()) refuse_another_run(options_.folder, identity_);
    folder_.emplace(options_.folder, true);
    if (options_.overwrite) records_.forget();
    records_.begin_or_join(identity_);
    log_.open_file(folder_->path() / kLogName);
}

/// Arrays have one grid, stages may have others: from here on the start model is a file.
void FullWaveformInversion::keep_arrays() {
    const std::filesystem::path file = options_.folder / kIterationsName / "start.h5";
    ranks_.all_or_none([&] {
        if (!ranks_.decides()) return;
        const Equation& equation = plan_->setup.scheme.equation;
        const ModelOf start = model_of(config_, plan_->domain.grid, equation);
        std::vector<std::span<const float>> parameters{start.vp};
        if (!start.rho.empty()) parameters.emplace_back(start.rho);
        store_model(file, plan_->domain.grid, equation, parameters, version_line() + ": arrays", true);
    });
    const std::string storage = config_.model.storage;
    config_.model = model_of_file(file);
    config_.model.storage = storage;
}

/// What there is so far. Pictures and pages of small grids would take longer than iterations: they wait for each other.
void FullWaveformInversion::publish_some(const Stage& stage) {
    rows_ = earlier_;
    for (const IterationRecord& record : stage.records()) rows_.push_back(record.row);
    if (!first_finds(ranks_, [&] { return std::chrono::steady_clock::now() - published_ >= options_.publish_pause; }))
        return;
    ranks_.all_or_none([&] { publish(stage, hash_of(identity_) + " so far"); });
    published_ = std::chrono::steady_clock::now();
}

/// Whoever wants to know of the last iteration. Where that ends the run, the results are those so far.
void FullWaveformInversion::tell(const Stage& stage) {
    if (!options_.after_iteration) return;
    try {
        options_.after_iteration(stage.records().back().row);
    } catch (...) {
        publish(stage, hash_of(identity_) + " so far");
        throw;
    }
}

void FullWaveformInversion::publish(const Stage& stage, const std::string& identity) {
    if (!folder_) return;
    RunFacts& facts = passes_.facts;
    facts.identity = identity;
    facts.finished_utc = utc_now();
    if (facts.run_id.empty()) facts.run_id = EarlierRun(records_.folder_of(1, 0) / "gradient").run_id();
    std::vector<AtomicFile> files = stage.results(folder_->path(), rows_, cut_models_);
    files.push_back(stage_text_file(folder_->path() / "config.yaml", resolved_yaml(config_), true));
    facts.files =
        folder_->publish(std::move(files), [&](const FileList& list) { return summary_json(*plan_, facts, list); });
}

std::string FullWaveformInversion::clock() const {
    const double passed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
    std::int64_t left = -passed_;
    for (const InversionStageConfig& stage : settings().stages) left += stage.iterations;
    const std::string left_s =
        made_ > 0 ? clock_text(passed_s / static_cast<double>(made_) * static_cast<double>(left)) : "";
    return fmt::format("{:>9} {:>10}", clock_text(passed_s), left_s);
}

/// When the time is over, the results are those so far.
std::filesystem::path FullWaveformInversion::iterate(Stage& stage) {
    try {
        return stage.iterate();
    } catch (const Error& error) {
        if (error.code() != ExitCode::time_limit || stage.records().empty()) throw;
        const InversionIteration& row = stage.records().back().row;
        publish(stage, hash_of(identity_) + " so far");
        throw Error(
            ExitCode::time_limit,
            fmt::format("time limit reached after iteration {} of stage {}: run the same command again to go on",
                        row.iteration, row.stage));
    }
}

RunFacts FullWaveformInversion::run() {
    passes_.facts.folder = options_.folder;
    passes_.facts.command_line = options_.command_line;
    passes_.facts.started_utc = utc_now();
    prepare();
    const std::string wanted = hash_of(identity_);
    if (first_finds(ranks_, [&] { return !options_.overwrite && holds_complete_run(options_.folder, wanted); })) {
        passes_.facts.complete = true;
        if (ranks_.decides()) passes_.facts.files = EarlierRun(options_.folder).records();
        log_.info(shown(options_.folder) + " holds the complete results of this run: nothing is left to do");
        return passes_.facts;
    }
    ranks_.all_or_none([&] { open_folder(); });
    if (config_.model.arrays) keep_arrays();
    std::optional<std::filesystem::path> before;
    for (std::size_t i = 0; i < settings().stages.size(); ++i) {
        cut_models_.clear();  // they are of the grid of the stage before
        Stage stage(*this, static_cast<std::int64_t>(i) + 1, before);
        before = iterate(stage);
        publish_some(stage);
        earlier_ = rows_;
        if (i + 1 < settings().stages.size()) continue;
        if (shown_shot_) stage.predict(*shown_shot_);
        ranks_.all_or_none([&] { publish(stage, wanted); });
    }
    passes_.facts.complete = true;
    return passes_.facts;
}

}  // namespace

RunFacts invert_waveforms(const Config& config, const RunOptions& options, Log& log, const Ranks& ranks) {
    return FullWaveformInversion(config, options, log, ranks).run();
}

}  // namespace onda
