#include "solver/inversion/inversion_iterations.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/inversion/crosstalk.hpp"
#include "solver/inversion/inversion_preparation.hpp"
#include "solver/inversion/line_search.hpp"
#include "solver/inversion/regularisation.hpp"
#include "solver/model/step_mask.hpp"
#include "solver/model/stored_model.hpp"
#include "solver/outputs/gradient_output.hpp"
#include "solver/outputs/iterations/inversion_page.hpp"
#include "solver/outputs/misfit_output.hpp"
#include "solver/planning/anisotropic_model.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/program/build.hpp"
#include "solver/program/progress.hpp"
#include "solver/run/rank_talk.hpp"
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

/// Takes the values of some nodes of a parameter, if a model has it.
void take_where(const std::vector<bool>& these, std::span<const float> from, std::span<float> to) {
    for (std::size_t i = 0; i < std::min(these.size(), to.size()); ++i)
        if (these[i]) to[i] = from[i];
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

}  // namespace

ModelOf model_of(const Config& config, const Grid& grid, const Equation& equation) {
    return values_of(make_model(config.model, equation, grid, config.origin));
}

void store(const ModelOf& model, const std::filesystem::path& file, const Grid& grid, const Equation& equation,
           const std::string& made_by) {
    std::vector<std::span<const float>> parameters{model.vp};
    for (const std::vector<float>* further : {&model.rho, &model.q, &model.epsilon, &model.delta})
        if (!further->empty()) parameters.emplace_back(*further);
    store_model(file, grid, equation, parameters, version_line() + ": " + made_by, true);
}

std::string InversionParts::clock() const {
    const double passed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    std::int64_t left = -passed;
    for (const InversionStageConfig& stage : settings().stages) left += stage.iterations;
    const std::string left_s =
        made > 0 ? clock_text(passed_s / static_cast<double>(made) * static_cast<double>(left)) : "";
    return fmt::format("{:>9} {:>10}", clock_text(passed_s), left_s);
}

std::int64_t InversionParts::expected_passes() const {
    std::int64_t expected = 0;
    for (const InversionStageConfig& stage : settings().stages) expected += 1 + (5 * stage.iterations + 1) / 2;
    return expected;
}

StageIterations::StageIterations(InversionParts& run, std::int64_t number, std::optional<std::filesystem::path> before)
    : run_(run),
      stage_(run.config, number, run.start, run.plan.placement.ranks),
      directions_(method_of(run.settings()), run.settings().memory) {
    run_.ranks.all_or_none([&] { make_start(before); });
    const InversionConfig& settings = run_.settings();
    held_ = held_nodes(stage_.grid(), first_.vp, settings, mask_);
    std::vector<bool> held_anisotropy;
    if (inverts_anisotropy(settings))
        held_anisotropy = run_.ranks.all_or_none([&] {
            return nodes_of_settled_anisotropy(
                make_plan(stage_.with_start_model(), stage_.ranks(), &kInversionGradientTask));
        });
    start_.q = first_.q;
    take_where(held_, first_.vp, start_.vp);
    take_where(held_, first_.rho, start_.rho);
    for (const auto& [from, to] :
         {std::pair(&first_.epsilon, &start_.epsilon), std::pair(&first_.delta, &start_.delta)}) {
        if (!inverts_anisotropy(settings)) *to = *from;
        take_where(held_, *from, *to);
        take_where(held_anisotropy, *from, *to);
    }
    parameters_.emplace(settings, start_, held_, held_anisotropy);
    bounds_ = parameters_->box();
    // Densities that follow from velocities do so from the beginning.
    start_ = parameters_->to_model(parameters_->from_model(start_));
    set_drawing(0);
}

/// Values beside held nodes may come from another grid; those are the configuration's own.
void StageIterations::make_start(const std::optional<std::filesystem::path>& before) {
    const Equation& equation = run_.plan.setup.scheme.equation;
    const Grid& grid = stage_.grid();
    first_ = model_of(stage_.with_start_model(), grid, equation);
    start_ = first_;
    mask_ = step_mask(run_.config, grid);
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

void StageIterations::set_drawing(std::int64_t drawing) {
    drawing_ = drawing;
    shots_ = stage_.shots(drawing);
    trial_shots_ = every_mth(shots_, run_.settings().every_trial_shot);
}

void StageIterations::keep_model(const std::filesystem::path& file, const ModelOf& model) const {
    run_.ranks.all_or_none([&] {
        if (!run_.ranks.decides()) return;
        std::filesystem::create_directories(file.parent_path());
        store(model, file, stage_.grid(), run_.plan.setup.scheme.equation, "full-waveform inversion");
    });
}

void StageIterations::describe() const {
    const InversionStageConfig& stage = stage_.config();
    std::string text =
        fmt::format("stage {} of {}: {} iteration{}, {} shot{}", stage_.number(), run_.settings().stages.size(),
                    stage.iterations, stage.iterations == 1 ? "" : "s", shots_.size(), shots_.size() == 1 ? "" : "s");
    if (const auto& band = stage_.imaging().band_pass) text += ", " + band_text(band);
    if (stage.spacing_m) text += fmt::format(", nodes every {:g} m", *stage.spacing_m);
    if (const auto held = std::ranges::count(held_, true); held > 0)
        text += fmt::format(", {} of {} nodes held", held, held_.size());
    run_.log.info(text);
    run_.log.info("iteration        misfit   of start        step     change  trials      time  time left");
}

/// The model that the stage begins with, and what its seismograms look like beside those observed.
void StageIterations::begin() {
    current_ = start_;
    x_ = parameters_->from_model(start_);
    const std::filesystem::path model = run_.records.model(stage_.number(), 0);
    if (!known(0)) keep_model(model, start_);
    plan_ = run_.ranks.all_or_none([&] { return make_plan(pass(model), stage_.ranks(), &kInversionGradientTask); });
    run_.ranks.all_or_none([&] { refuse_if_memory_is_short(plan_); });
    check_data();
    std::vector<Position> sources, receivers;
    collect_positions(stage_, run_.settings(), model, sources, receivers);
    shaping_.emplace(stage_.grid(), run_.settings(), start_.vp, stage_.frequency_hz(), sources, receivers, held_,
                     mask_);
    mask_ = {};
    describe();
}

/// Whether the data are within half a period of those of the model, and what signals would bring them nearest.
void StageIterations::check_data() {
    const std::filesystem::path place = run_.records.folder_of(stage_.number(), 0),
                                folder = run_.records.predicted(stage_.number());
    const std::vector<std::int64_t> some = shots_to_predict(stage_);
    const Config config = stage_.pass(run_.records.model(stage_.number(), 0), drawing_, some);
    run_.passes.run({config, kPredictionTask, folder, {}, true, run_.expected_passes()});
    const StageCheck check = run_.ranks.all_or_none(
        [&] { return check_stage(config, plan_, folder, run_.ranks.decides() ? place : std::filesystem::path()); });
    if (stage_.number() == 1 && run_.config.survey.encoding != "random") run_.shown_shot = some[some.size() / 2];
    if (!check.warning.empty()) run_.log.warn(fmt::format("stage {}: {}", stage_.number(), check.warning));
    if (check.wavelet_file.empty()) return;
    run_.log.info(fmt::format("wavelet   {}: {}", shown(place / check.wavelet_file), check.wavelet_told));
    if (run_.settings().wavelet == "estimated") wavelet_ = place / check.wavelet_file;
}

double StageIterations::add_penalties(const Variables& x, std::span<float> gradient) const {
    const double scale = records_.empty() ? 0. : records_.front().scale;
    double penalty = 0.;
    for (std::size_t block = 0; block < parameters_->blocks(); ++block) {
        const std::size_t first = block * parameters_->nodes();
        penalty += add_penalty(stage_.grid(), run_.settings(), std::span(x).subspan(first, parameters_->nodes()), scale,
                               gradient.subspan(first, parameters_->nodes()));
    }
    return penalty;
}

double StageIterations::penalty_of(const Variables& x) const {
    Variables unused(x.size());
    return add_penalties(x, unused);
}

StageIterations::Evaluation StageIterations::read_gradient(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / kGradientName;
    const std::array<std::int64_t, 3>& n = stage_.grid().n;
    const std::vector<ListedMisfit> listed = image_contents(file).misfits;
    Evaluation there;
    there.shots = by_shot(listed);
    for (const ListedMisfit& shot : listed) there.compared += shot.traces - shot.dead - shot.excluded;
    const auto read_if = [&](bool wanted, const StoredImageKind& kind) {
        return wanted ? read_image(file, kind, {}, n) : std::vector<float>();
    };
    const bool of_density = run_.settings().density != "fixed", of_anisotropy = inverts_anisotropy(run_.settings());
    const std::vector<float> of_vp = read_image(file, kVpGradient, {}, n), of_rho = read_if(of_density, kRhoGradient),
                             of_epsilon = read_if(of_anisotropy, kEpsilonGradient),
                             of_delta = read_if(of_anisotropy, kDeltaGradient);
    there.gradient = parameters_->gradient(x_, {of_vp, of_rho, of_epsilon, of_delta});
    there.illumination = read_image(file, kSourceIllumination, {}, n);
    parameters_->weigh_illumination(there.illumination, current_.vp);
    return there;
}

/// The gradient in the current model. The first one of the stage sets the scale of penalties.
StageIterations::Evaluation StageIterations::evaluate(const std::string& name) {
    const std::filesystem::path folder = run_.records.folder_of(stage_.number(), iteration_) / name;
    const std::filesystem::path model = run_.records.model(stage_.number(), iteration_);
    run_.passes.run({pass(model), kInversionGradientTask, folder, {}, true, run_.expected_passes()});
    Evaluation there = run_.ranks.all_or_none([&] { return read_gradient(folder); });
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
    shaping_->set_illumination(there.illumination, {});
    there.illumination = {};
    there.penalty = add_penalties(x_, there.gradient);
    for (std::size_t i = 0; i < there.gradient.size(); ++i)
        if (parameters_->holds(i)) there.gradient[i] = 0.f;
    return there;
}

void StageIterations::precondition(Variables& v) const {
    for (std::size_t block = 0; block < parameters_->blocks(); ++block)
        shaping_->apply(std::span(v).subspan(block * parameters_->nodes(), parameters_->nodes()));
}

Variables StageIterations::direction(const Evaluation& there) {
    const VariableBounds box{bounds_.lowest, bounds_.highest};
    return directions_.direction(x_, there.gradient, box, [&](Variables& v) { precondition(v); });
}

void StageIterations::tell_crosstalk(const Evaluation& first) {
    if (!stage_.redraws() || run_.config.survey.encoding != "random") return;
    const std::filesystem::path folder = run_.records.folder_of(stage_.number(), 0) / "other_codes";
    Config config = pass(run_.records.model(stage_.number(), 0));
    ++config.survey.seed;
    run_.passes.run({config, kInversionGradientTask, folder, {}, true, run_.expected_passes()});
    const Variables other = run_.ranks.all_or_none([&] { return read_gradient(folder).gradient; });
    Variables image = first.gradient, of_other = other;
    precondition(image);
    precondition(of_other);
    const double energy = HostVectors::dot(image, first.gradient) + HostVectors::dot(of_other, other);
    if (const auto crosstalk = crosstalk_of(energy, HostVectors::dot(image, other)))
        run_.log.info(
            fmt::format("codes     crosstalk of one set of codes: {:.3f} of the gradient of the shots", *crosstalk));
    else
        run_.log.info("codes     gradients by two sets of codes have nothing in common: take more supershots");
}

/// One of L-BFGS is the minimum of its model; along a gradient alone the last change of a variable is tried again.
double StageIterations::first_step(const Variables& p) const {
    if (directions_.pairs() > 0) return 1.;
    const double last = records_.back().last_change;
    return (last > 0. ? last : run_.settings().first_step) / largest_magnitude(p);
}

std::vector<MisfitByShot> StageIterations::try_model(const ModelOf& model, std::int64_t trial) {
    const std::filesystem::path folder =
        run_.records.folder_of(stage_.number(), iteration_) / fmt::format("trial-{}", trial);
    const std::filesystem::path file = std::filesystem::path(folder).concat(".h5");
    keep_model(file, model);
    Config config = pass(file);
    config.imaging->shots = stage_.pass(file, drawing_, trial_shots_).imaging->shots;
    run_.passes.run({config, kMisfitTask, folder, {}, true, run_.expected_passes()});
    std::vector<MisfitByShot> shots =
        run_.ranks.all_or_none([&] { return by_shot(read_misfits(folder / kMisfitTableName)); });
    run_.ranks.all_or_none([&] {
        if (run_.ranks.decides()) std::filesystem::remove(file);
    });
    return shots;
}

ModelOf StageIterations::model_at(double step, const Variables& p) const {
    return parameters_->to_model(moved(x_, step, p, {bounds_.lowest, bounds_.highest}));
}

/// Of trials on some of the shots the slope is taken for theirs by their part of the misfit.
std::optional<StageIterations::Found> StageIterations::search(const Evaluation& from, const Variables& p,
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
        Variables there = parameters_->from_model(model);
        const double misfit = sum_of(misfits.back()) + part * penalty_of(there);
        HostVectors::add(there, -1., x_);  // the displacement
        line.tell(misfit, part * HostVectors::dot(from.gradient, there));
    }
    trials_ = before + std::ssize(misfits);
    if (!line.step()) return std::nullopt;
    const auto best = std::ranges::find(line.trials(), *line.step(), &LineSearch::Trial::step) - line.trials().begin();
    return Found{model_at(*line.step(), p), *line.step(), std::move(misfits[static_cast<std::size_t>(best)])};
}

void StageIterations::predict() {
    if (!run_.shown_shot) return;
    const std::int64_t shot = *run_.shown_shot;
    const std::filesystem::path folder = run_.records.shown_shot(stage_.number(), iteration_);
    Config config = pass(run_.records.model(stage_.number(), iteration_));
    config.imaging->shots = stage_.pass({}, 0, {shot}).imaging->shots;
    run_.passes.run({config, kPredictionTask, folder, {}, true, run_.expected_passes()});
    run_.gathers = run_.ranks.all_or_none([&] {
        return gathers_of_shot(config, plan_, shot, run_.records.predicted(1), folder, name_of(records_.back().row));
    });
}

std::vector<AtomicFile> StageIterations::results(const std::filesystem::path& folder,
                                                 const std::vector<InversionIteration>& rows, CutModels& known) const {
    InversionResults results;
    results.start = first_.vp;
    results.current = current_.vp;
    results.iterations = rows;
    results.model_of = [&](std::size_t line) {
        Config config = stage_.with_start_model();
        config.model = model_of_file(run_.records.model(rows[line].stage, rows[line].iteration), true);
        return model_of(config, stage_.grid(), run_.plan.setup.scheme.equation).vp;
    };
    const std::vector<ShotMisfits> shots = misfits_since(records_.front(), records_.back());
    results.shots = shots;
    results.model_file = run_.records.model(stage_.number(), iteration_);
    results.known = &known;
    if (run_.gathers) results.gathers = &run_.gathers->compared;
    results.truth = true_vp_;
    results.wells = run_.wells;
    std::vector<std::optional<BandPassConfig>> bands;
    for (const InversionStageConfig& stage : run_.settings().stages)
        bands.push_back(stage.band_pass ? stage.band_pass : run_.config.imaging->band_pass);
    results.bands = bands;
    return stage_inversion(plan_, folder, results);
}

// ---- From one iteration to the next

/// A model that is better, or the one that was found before.
bool StageIterations::advance(const Evaluation& there) {
    Variables p = direction(there);
    if (largest_magnitude(p) == 0.) {
        run_.log.info("the gradient is zero wherever the model may change: the stage ends");
        return false;
    }
    if (const auto next = known(iteration_ + 1)) {
        if (next->redrawn)
            p = direction(draw_again());
        else if (next->restarted)
            p = direction_anew(there);
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
    if (!found && stage_.redraws()) {
        run_.log.info("no smaller misfit was found along the gradient: shots or codes are drawn again");
        record.redrawn = true;
        const Evaluation redrawn = draw_again();
        p = direction(redrawn);
        if (largest_magnitude(p) > 0.) found = search(redrawn, p, trials_);
    }
    if (!found) {
        run_.log.info("no smaller misfit was found along the gradient: the stage ends");
        return false;
    }
    ++run_.made;
    keep_model(run_.records.model(stage_.number(), iteration_ + 1), found->model);
    record.row = {.stage = stage_.number(), .iteration = iteration_ + 1, .step = found->step, .trials = trials_};
    record.row.change = largest_relative_difference(found->model.vp, current_.vp);
    if (trial_shots_.size() == shots_.size()) record.by_shot = std::move(found->shots);
    const Variables next = parameters_->from_model(found->model);
    record.last_change = largest_difference(next, x_);
    move_to(std::move(found->model), std::move(record));
    return true;
}

/// The gradient in the current model by the next drawing, beside the one that led nowhere.
StageIterations::Evaluation StageIterations::draw_again() {
    set_drawing(drawing_ + 1);
    directions_.forget();
    return evaluate("gradient_redrawn");
}

Variables StageIterations::direction_anew(const Evaluation& there) {
    directions_.forget();
    return direction(there);
}

void StageIterations::take(const IterationRecord& known) {
    Config config = stage_.pass(run_.records.model(stage_.number(), iteration_ + 1), 0, shots_);
    ModelOf model =
        run_.ranks.all_or_none([&] { return model_of(config, stage_.grid(), run_.plan.setup.scheme.equation); });
    move_to(std::move(model), known);
}

void StageIterations::move_to(ModelOf model, IterationRecord record) {
    current_ = std::move(model);
    x_ = parameters_->from_model(current_);
    ++iteration_;
    ++run_.passed;
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
void StageIterations::note_misfit(std::vector<MisfitByShot> shots) {
    IterationRecord& record = records_.back();
    record.by_shot = std::move(shots);
    record.row.misfit = sum_of(record.by_shot);
    record.row.relative = record.scale > 0. ? record.row.misfit / record.scale : 0.;
    record.row.penalty = penalty_of(x_);
    record.row.shots = std::ssize(record.by_shot);
    if (!true_vp_.empty()) record.row.model_error_percent = difference_percent(current_.vp, true_vp_, held_);
}

void StageIterations::note(const Evaluation& there) {
    note_misfit(there.shots);
    records_.back().row.gradient = projected_gradient_norm(x_, there.gradient, {bounds_.lowest, bounds_.highest});
}

void StageIterations::keep_record() const {
    run_.ranks.all_or_none([&] {
        if (run_.ranks.decides()) run_.records.keep(records_.back());
    });
}

void StageIterations::keep() {
    keep_record();
    const InversionIteration& row = records_.back().row;
    const auto error = row.model_error_percent
                           ? fmt::format("   {:.3f} % from the true model", *row.model_error_percent)
                           : std::string();
    run_.log.info(fmt::format("{:>4} {:>18.6g} {:>10.4f} {:>11.4g} {:>9.3f} % {:>6} {}{}", row.iteration, row.misfit,
                              row.relative, row.step, 100. * row.change, row.trials, run_.clock(), error));
    run_.kept(*this);
}

bool StageIterations::has_ended() const {
    const InversionStageConfig& stage = stage_.config();
    const IterationRecord& now = records_.back();
    if (iteration_ >= stage.iterations || now.stuck || now.row.misfit == 0.) return true;
    if (now.row.relative <= stage.misfit) return true;
    if (iteration_ == 0 || stage.misfit_change == 0.) return false;
    const IterationRecord& before = records_[records_.size() - 2];
    return before.drawing == now.drawing &&
           before.row.misfit - now.row.misfit < stage.misfit_change * before.row.misfit;
}

std::filesystem::path StageIterations::iterate() {
    begin();
    Evaluation there = evaluate();
    note(there);
    keep();
    if (!has_ended()) tell_crosstalk(there);
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
    return run_.records.model(stage_.number(), iteration_);
}

}  // namespace onda
