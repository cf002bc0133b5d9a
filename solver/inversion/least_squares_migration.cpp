#include "solver/inversion/least_squares_migration.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <utility>
#include <vector>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "kernels/companions/conjugate_gradients.hpp"
#include "solver/data/observed_data.hpp"
#include "solver/imaging/finished_image.hpp"
#include "solver/inversion/crosstalk.hpp"
#include "solver/inversion/host_vectors.hpp"
#include "solver/inversion/survey_passes.hpp"
#include "solver/outputs/gradient_output.hpp"
#include "solver/outputs/iterations/least_squares_output.hpp"
#include "solver/outputs/report_output.hpp"
#include "solver/outputs/shot_sums.hpp"
#include "solver/plan/plan.hpp"
#include "solver/planning/anisotropic_model.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/program/build.hpp"
#include "solver/program/hash.hpp"
#include "solver/run/account.hpp"
#include "solver/run/rank_talk.hpp"
#include "solver/run/run_folder.hpp"
#include "solver/tasks/least_squares_task.hpp"

namespace onda {
namespace {

using Image = HostVectors::Vector;

/// What a pass over the survey has left.
struct Pass {
    Image gradient;  ///< of all nodes
    double misfit;   ///< of all shots
};

/// The sum over the shots, in their order.
double misfit_in(const std::filesystem::path& file) {
    double sum = 0.;
    for (const ListedMisfit& shot : image_contents(file).misfits) sum += shot.value;
    return sum;
}

/// (vp / its largest value)^6. A change dv scatters as a source 2 dv/vp^3 d^2p/dt^2 does in the wave equation, and the
/// gradient takes the same factor again, so that the diagonal of J'J is vp^-6 beside what fields and traces make of it.
Image sixth_powers(const ParameterValues& vp) {
    Image powers(vp.values.size());
#pragma omp parallel for
    for (std::size_t i = 0; i < powers.size(); ++i) {
        const double cubed = std::pow(static_cast<double>(vp.values[i]) / static_cast<double>(vp.max), 3.);
        powers[i] = static_cast<float>(cubed * cubed);
    }
    return powers;
}

void negate(Image& image) {
    for (float& value : image) value = -value;
}

class LeastSquaresMigration {
public:
    LeastSquaresMigration(const Config& config, const RunOptions& options, Log& log, const Ranks& ranks)
        : config_(config),
          coded_(config),
          options_(options),
          log_(log),
          ranks_(ranks),
          passes_run_(options, log, ranks) {}

    RunFacts run();

private:
    void prepare();
    void check_codes_can_change() const;
    void open_folder();
    /// Runs a pass, or takes what it has left before. \param number of the pass, from 0. \param change of velocity that
    /// it is applied to; null: none, its images are J' d.
    Pass pass(std::int64_t number, std::shared_ptr<const Operand> change);
    Pass pass_of(const Image& change);
    /// Takes what the first pass has left. \returns J' d.
    [[nodiscard]] Image take_data(Pass first);
    /// Draws the codes of the supershots again. \returns J'(d - J x) by these codes.
    [[nodiscard]] Image draw_again();
    /// Goes on from the change that there is, with the same codes.
    void iterate(Image right_side);
    void keep(const IterationState<Image>& state, const Image& before);
    /// Preconditioned.
    [[nodiscard]] Image weighted(Image image) const {
        for (std::size_t i = 0; i < image.size(); ++i) image[i] *= weights_[i];
        return image;
    }
    [[nodiscard]] bool has_iterations_left() const;
    [[nodiscard]] bool goes_on() const;
    [[nodiscard]] double relative_misfit() const { return data_misfit_ > 0. ? std::sqrt(misfit_ / data_misfit_) : 0.; }
    /// Each new drawing takes two passes more: the data, and what was found, by its codes.
    [[nodiscard]] std::int64_t passes_of_all() const {
        return limits().iterations + 1 + 2 * ((limits().iterations - 1) / iterations_of_codes());
    }
    /// Iterations that have the same codes.
    [[nodiscard]] std::int64_t iterations_of_codes() const {
        return limits().redraw_every.value_or(limits().iterations);
    }
    /// The change without its long waves, as imaging.image asks for it; empty where it does not.
    [[nodiscard]] Image filtered() const;
    /// \param identity of a run whose results these are.
    void publish(const std::string& identity);

    [[nodiscard]] std::filesystem::path folder_of(std::int64_t number) const {
        return options_.folder / kIterationsName / fmt::format("{:03}", number);
    }
    [[nodiscard]] std::filesystem::path sums_of(std::int64_t number) const { return folder_of(number) / kGradientName; }
    [[nodiscard]] std::string identity_after(std::int64_t iterations, double residual) const;
    [[nodiscard]] const LeastSquaresConfig& limits() const { return config_.imaging->lsrtm; }

    const Config& config_;
    Config coded_;  ///< the same with the codes of now
    const RunOptions& options_;
    Log& log_;
    const Ranks& ranks_;

    std::optional<Plan> plan_;
    Identity identity_;
    std::vector<bool> water_;
    Image weights_;  ///< of the preconditioner
    std::optional<MigrationPicture> picture_;
    std::unique_ptr<RunOutput> report_;
    std::optional<RunFolder> folder_;
    SurveyPasses passes_run_;
    RunFacts& facts_ = passes_run_.facts;

    Image source_, receiver_;  ///< illuminations
    std::vector<ShotMisfit> shots_;
    std::int64_t passes_ = 0;                ///< after the first
    double data_misfit_ = 0., misfit_ = 0.;  ///< of the data, and of what is left of them
    Image migrated_;                         ///< J' d by the codes of now, where they are drawn again
    std::optional<double> crosstalk_;
    std::vector<Residual> residuals_;
    Image change_;  ///< of velocity, as it is now
};

void LeastSquaresMigration::prepare() {
    if (ranks_.place().size > 1 && ranks_.team() == nullptr)
        throw Error(ExitCode::usage,
                    "least-squares migration by several processes needs them connected by MPI: build with it, or start "
                    "one process");
    Plan draft = agree_on_plan(ranks_, config_.backend.name,
                               [&](const RankPlace& place) { return make_plan(config_, place, &kNormalProductTask); });
    ranks_.all_or_none([&] { refuse_if_memory_is_short(draft); });
    const Model model = ranks_.all_or_none([&] { return make_model_of_run(draft); });
    plan_ = ranks_.all_or_none([&] { return refine(std::move(draft), model); });
    plan_->task = &kLeastSquaresTask;
    ranks_.all_or_none([&] { check_codes_can_change(); });
    note_model(*plan_, model, facts_);
    identity_ = identity_of(config_, std::string(build().version), facts_.model_fingerprint, plan_->setup.kernel,
                            kLeastSquaresTask.name);
    weights_ = sixth_powers(model.vp());
    water_ = nodes_in_water(model.vp().values, config_.imaging->image.water_m_s);
    if (!ranks_.decides()) return;
    if (config_.output.pictures) picture_.emplace(*plan_, model);
    if (config_.output.report) report_ = kReportFormat.make(*plan_, model);
}

void LeastSquaresMigration::check_codes_can_change() const {
    const Plan& plan = *plan_;
    if (!limits().redraw_every || !plan.survey.encoding) return;
    const auto refuse_supershots = [&](const std::vector<std::filesystem::path>& files, const char* key) {
        if (has_supershots(files, plan.survey))
            config_.origin.fault("imaging.lsrtm.redraw_every",
                                 fmt::format("codes can only be drawn again where the data are of single shots; those "
                                             "of {} are of supershots",
                                             key));
    };
    refuse_supershots(config_.imaging->observed, "imaging.observed");
    refuse_supershots(config_.imaging->subtract, "imaging.subtract");
}

/// Results after fewer iterations are those of a run that asks for them.
std::string LeastSquaresMigration::identity_after(std::int64_t iterations, double residual) const {
    Identity identity = identity_;
    identity["imaging.lsrtm.iterations"] = fmt::format("{}", iterations);
    identity["imaging.lsrtm.residual"] = fmt::format("{}", residual);
    if (limits().redraw_every) identity["imaging.lsrtm.redraw_every"] = fmt::format("{}", *limits().redraw_every);
    return hash_of(identity);
}

void LeastSquaresMigration::open_folder() {
    if (!ranks_.decides()) return;
    refuse_taken_folder(options_.folder, options_.overwrite);
    if (!options_.overwrite) refuse_another_run(options_.folder, identity_);
    folder_.emplace(options_.folder, true);
    log_.open_file(folder_->path() / kLogName);
}

Pass LeastSquaresMigration::pass(std::int64_t number, std::shared_ptr<const Operand> change) {
    const TaskRow& task = change ? kNormalProductTask : kLeastSquaresTask;
    passes_run_.run({coded_, task, folder_of(number), std::move(change), number > 0, passes_of_all()});
    return ranks_.all_or_none([&] {
        const std::filesystem::path file = sums_of(number);
        return Pass{read_image(file, kVpGradient, {}, plan_->domain.grid.n), misfit_in(file)};
    });
}

Pass LeastSquaresMigration::pass_of(const Image& change) {
    auto operand = std::make_shared<Operand>();
    operand->change.vp.assign(change.begin(), change.end());
    return pass(++passes_, std::move(operand));
}

Image LeastSquaresMigration::take_data(Pass first) {
    const std::filesystem::path file = sums_of(0);
    const Grid& grid = plan_->domain.grid;
    source_ = read_image(file, kSourceIllumination, {}, grid.n);
    receiver_ = read_image(file, kReceiverIllumination, {}, grid.n);
    for (std::size_t i = 0; i < plan_->survey.shots.size(); ++i)
        if (!plan_->survey.shots[i].receivers.empty()) shots_.push_back(read_misfit(file, plan_->survey.shots.id(i)));
    const ImageConfig& image = config_.imaging->image;
    divide_by_illumination(weights_, source_, receiver_, image.normalise, image.floor);
    mute_nodes(weights_, water_);
    mute_top(weights_, grid, image.mute_depth_m, image.mute_taper_m);
    facts_.run_id = EarlierRun(folder_of(0)).run_id();
    data_misfit_ = misfit_ = first.misfit;
    negate(first.gradient);  // that of the misfit of nothing
    if (limits().redraw_every) migrated_ = first.gradient;
    change_.assign(first.gradient.size(), 0.f);
    return std::move(first.gradient);
}

Image LeastSquaresMigration::draw_again() {
    ++coded_.survey.seed;
    Pass data = pass(++passes_, nullptr);
    const Pass of_change = pass_of(change_);
    Image right_side = std::move(data.gradient);
    negate(right_side);
    const Image image = weighted(right_side);
    const double common = HostVectors::dot(image, migrated_);
    const double energy = HostVectors::dot(image, right_side) + HostVectors::dot(weighted(migrated_), migrated_);
    crosstalk_ = crosstalk_of(energy, common);
    migrated_ = right_side;
    data_misfit_ = data.misfit;
    misfit_ = std::max(0., data.misfit - HostVectors::dot(change_, right_side) + of_change.misfit);
    HostVectors::add(right_side, -1., of_change.gradient);
    log_.info(fmt::format("new codes: what is left is {:.4f} of the data{}", relative_misfit(),
                          crosstalk_ ? fmt::format("; crosstalk of one set of codes {:.3f}", *crosstalk_) : ""));
    return right_side;
}

void LeastSquaresMigration::keep(const IterationState<Image>& state, const Image& before) {
    misfit_ = std::max(0., misfit_ - 0.5 * state.gain);
    residuals_.push_back({.iteration = residuals_.empty() ? 0 : residuals_.back().iteration + 1,
                          .relative = relative_misfit(),
                          .misfit = misfit_,
                          .step = state.step,
                          .gradient = std::sqrt(std::max(0., state.slope)),
                          .crosstalk = crosstalk_});
    facts_.residuals.push_back(residuals_.back().relative);
    change_ = before;
    HostVectors::add(change_, 1., state.solution);
    log_.info(fmt::format("iteration {} of {}: what is left is {:.4f} of the data", residuals_.back().iteration,
                          limits().iterations, residuals_.back().relative));
}

bool LeastSquaresMigration::has_iterations_left() const {
    return residuals_.back().iteration < limits().iterations && residuals_.back().gradient > 0.;
}

// Codes that have just been fitted tell less of the data than new ones do, which may end the iterations, too.
bool LeastSquaresMigration::goes_on() const {
    return has_iterations_left() && (limits().redraw_every || residuals_.back().relative > limits().residual);
}

Image LeastSquaresMigration::filtered() const {
    const ImageConfig& image = config_.imaging->image;
    if (!image.laplacian && !image.longest_wavelength_m) return {};
    Image change = change_;
    filter_image(change, plan_->domain.grid, image, water_);
    return change;
}

void LeastSquaresMigration::iterate(Image right_side) {
    const Image before = change_;
    const auto apply = [&](const Image& direction, Image& product) {
        Pass made = pass_of(direction);
        product = std::move(made.gradient);
        return 2. * made.misfit;
    };
    const auto precondition = [&](const Image& r) { return weighted(r); };
    const auto watch = [&](const IterationState<Image>& state) {
        const bool is_known = state.iteration == 0 && !residuals_.empty();  // by the codes before
        if (!is_known) keep(state, before);
        if (!is_known && goes_on())
            ranks_.all_or_none([&] { publish(identity_after(residuals_.back().iteration, 0.)); });
        return goes_on() && state.iteration < iterations_of_codes();
    };
    solve_by_conjugate_gradients(HostVectors{}, std::move(right_side), apply, precondition, watch);
}

/// The results as they are now.
void LeastSquaresMigration::publish(const std::string& identity) {
    if (!folder_) return;
    RunFacts& facts = facts_;
    facts.identity = identity;
    facts.finished_utc = utc_now();
    const Provenance provenance = make_provenance(plan_->experiment(), plan_->computation(), facts);
    const Image without_long_waves = filtered();
    std::vector<AtomicFile> files = stage_least_squares(*plan_, folder_->path(), provenance,
                                                        {change_, without_long_waves, source_, receiver_, residuals_},
                                                        shots_, picture_ ? &*picture_ : nullptr);
    files.push_back(stage_text_file(folder_->path() / "config.yaml", resolved_yaml(config_), true));
    FinishedSurvey survey{*plan_, facts.shots,     folder_->unfinished().folder(), folder_->path(), provenance,
                          true,   Assembly::copies};
    for (const AtomicFile& file : files) survey.staged.emplace(file.path().filename(), file.temporary());
    facts.files = folder_->publish(
        std::move(files), [&](const FileList& list) { return summary_json(*plan_, facts, list); }, {},
        [&](const std::string& summary) {
            return report_ ? report_->tell(survey, summary) : std::vector<AtomicFile>();
        });
}

RunFacts LeastSquaresMigration::run() {
    facts_.folder = options_.folder;
    facts_.command_line = options_.command_line;
    facts_.started_utc = utc_now();
    prepare();
    const std::string wanted = identity_after(limits().iterations, limits().residual);
    if (first_finds(ranks_, [&] { return !options_.overwrite && holds_complete_run(options_.folder, wanted); })) {
        facts_.complete = true;
        if (ranks_.decides()) facts_.files = EarlierRun(options_.folder).records();
        log_.info(shown(options_.folder) + " holds the complete results of this run: nothing is left to do");
        return facts_;
    }
    ranks_.all_or_none([&] { open_folder(); });
    iterate(take_data(pass(0, nullptr)));
    for (std::size_t found = 0; limits().redraw_every && has_iterations_left() && found < residuals_.size();) {
        found = residuals_.size();
        Image right_side = draw_again();
        if (relative_misfit() > limits().residual) iterate(std::move(right_side));
    }
    ranks_.all_or_none([&] { publish(wanted); });
    facts_.complete = true;
    return facts_;
}

}  // namespace

RunFacts migrate_by_least_squares(const Config& config, const RunOptions& options, Log& log, const Ranks& ranks) {
    return LeastSquaresMigration(config, options, log, ranks).run();
}

}  // namespace onda
