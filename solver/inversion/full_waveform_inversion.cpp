#include "solver/inversion/full_waveform_inversion.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <spdlog/fmt/fmt.h>
#include <utility>
#include <vector>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/inversion/inversion_iterations.hpp"
#include "solver/inversion/inversion_preparation.hpp"
#include "solver/model/step_mask.hpp"
#include "solver/plan/attenuation.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/program/build.hpp"
#include "solver/program/hash.hpp"
#include "solver/run/account.hpp"
#include "solver/run/rank_talk.hpp"
#include "solver/run/run_folder.hpp"
#include "solver/tasks/inversion_tasks.hpp"

namespace onda {
namespace {

std::string hash_of_values(std::span<const float> values) {
    Fingerprint hash;
    hash.add(values);
    return hash.hex();
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
    void prepare();
    void open_folder();
    void keep_arrays();
    std::filesystem::path iterate(StageIterations& stage);
    [[nodiscard]] std::string identity_of_results() const;
    void collect_rows(const StageIterations& stage);
    void publish_some(const StageIterations& stage);
    void tell(const StageIterations& stage);
    /// \param identity of a run whose results these are.
    void publish(const StageIterations& stage, const std::string& identity);
    [[nodiscard]] const InversionConfig& settings() const { return *config_.inversion; }

    Config config_;  ///< with its grid and bounds complete
    const RunOptions& options_;
    Log& log_;
    const Ranks& ranks_;
    InversionRecords records_;
    SurveyPasses passes_;
    std::optional<Plan> plan_;  ///< of the first pass
    StartModelFacts start_facts_;
    Identity identity_;  ///< of the iterations
    std::vector<Well> wells_;
    std::optional<RunFolder> folder_;
    std::vector<InversionIteration> rows_, earlier_;  ///< of all stages so far, and of those before this one
    CutModels cut_models_;
    std::chrono::steady_clock::time_point published_ = std::chrono::steady_clock::now();
};

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
    config_.attenuation = settled_attenuation(draft);
    config_.model.power_law = draft.config.model.power_law;
    const Model model = ranks_.all_or_none(
        [&] { return make_model(config_.model, draft.setup.scheme.equation, draft.domain.grid, config_.origin); });
    start_facts_ = facts_of(model);
    std::string mask_hash;
    wells_ = ranks_.all_or_none([&] { return read_wells(settings().wells, draft.domain.grid, config_.origin); });
    ranks_.all_or_none([&] {
        complete_bounds(*config_.inversion, start_facts_);
        const std::vector<float> mask = step_mask(config_, model.grid);
        check_start_model(config_, model, mask);
        mask_hash = hash_of_values(mask);
    });
    plan_ = ranks_.all_or_none([&] { return refine(std::move(draft), model); });
    note_model(*plan_, model, passes_.facts);
    identity_ =
        identity_of(config_, std::string(build().version), passes_.facts.model_fingerprint, plan_->setup.kernel, "fwi");
    for (const ResolvedParameter& parameter : resolved_parameters(config_))
        if (parameter.path.starts_with("inversion.") && parameter.path != "inversion.true_model" &&
            parameter.path != "inversion.mask" && !parameter.path.starts_with("inversion.wells"))
            identity_[parameter.path] = parameter.value;
    if (!settings().mask.empty()) identity_["inversion.mask"] = "hash " + mask_hash;
    // Errors of later stages are told before the first one begins.
    ranks_.all_or_none([&] {
        for (std::size_t i = 0; i < settings().stages.size(); ++i)
            InversionStage(config_, static_cast<std::int64_t>(i) + 1, start_facts_, plan_->placement.ranks);
    });
}

/// Wells change what is shown, and no iteration: with others the results are made again of what is on disk.
std::string FullWaveformInversion::identity_of_results() const {
    Identity identity = identity_;
    if (!wells_.empty()) identity["inversion.wells"] = hash_of(text_of(wells_));
    return hash_of(identity);
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
    // Absolute, as configurations have files: config.yaml names it.
    const std::filesystem::path file = std::filesystem::absolute(options_.folder) / kIterationsName / "start.h5";
    ranks_.all_or_none([&] {
        if (!ranks_.decides()) return;
        const Equation& equation = plan_->setup.scheme.equation;
        store(model_of(config_, plan_->domain.grid, equation), file, plan_->domain.grid, equation, "arrays");
    });
    config_.model = model_of_file(file, config_.model);
}

void FullWaveformInversion::collect_rows(const StageIterations& stage) {
    rows_ = earlier_;
    for (const IterationRecord& record : stage.records()) rows_.push_back(record.row);
}

/// What there is so far. Pictures and pages of small grids would take longer than iterations: they wait for each other.
void FullWaveformInversion::publish_some(const StageIterations& stage) {
    collect_rows(stage);
    if (!first_finds(ranks_, [&] { return std::chrono::steady_clock::now() - published_ >= options_.publish_pause; }))
        return;
    ranks_.all_or_none([&] { publish(stage, hash_of(identity_) + " so far"); });
    published_ = std::chrono::steady_clock::now();
}

/// Whoever wants to know of the last iteration. Where that ends the run, the results are those so far.
void FullWaveformInversion::tell(const StageIterations& stage) {
    if (!options_.after_iteration) return;
    try {
        options_.after_iteration(stage.records().back().row);
    } catch (...) {
        publish(stage, hash_of(identity_) + " so far");
        throw;
    }
}

void FullWaveformInversion::publish(const StageIterations& stage, const std::string& identity) {
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

/// When the time is over, the results are those so far.
std::filesystem::path FullWaveformInversion::iterate(StageIterations& stage) {
    try {
        const std::filesystem::path model = stage.iterate();
        stage.predict();
        return model;
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
    const std::string wanted = identity_of_results();
    if (first_finds(ranks_, [&] { return !options_.overwrite && holds_complete_run(options_.folder, wanted); })) {
        passes_.facts.complete = true;
        if (ranks_.decides()) passes_.facts.files = EarlierRun(options_.folder).records();
        log_.info(shown(options_.folder) + " holds the complete results of this run: nothing is left to do");
        return passes_.facts;
    }
    ranks_.all_or_none([&] { open_folder(); });
    if (config_.model.arrays) keep_arrays();
    InversionParts parts{
        config_, *plan_, start_facts_, ranks_, log_, records_, passes_, [&](const StageIterations& stage) {
            publish_some(stage);
            tell(stage);
        }};
    parts.wells = wells_;
    std::optional<std::filesystem::path> before;
    for (std::size_t i = 0; i < settings().stages.size(); ++i) {
        cut_models_.clear();  // they are of the grid of the stage before
        StageIterations stage(parts, static_cast<std::int64_t>(i) + 1, before);
        before = iterate(stage);
        collect_rows(stage);
        earlier_ = rows_;
        const bool is_last = i + 1 == settings().stages.size();
        ranks_.all_or_none([&] { publish(stage, is_last ? wanted : hash_of(identity_) + " so far"); });
        published_ = std::chrono::steady_clock::now();
    }
    passes_.facts.complete = true;
    return passes_.facts;
}

}  // namespace

RunFacts invert_waveforms(const Config& config, const RunOptions& options, Log& log, const Ranks& ranks) {
    return FullWaveformInversion(config, options, log, ranks).run();
}

}  // namespace onda
