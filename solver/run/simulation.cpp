#include "solver/run/simulation.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <thread>

#include "io/files/interruption.hpp"
#include "io/files/random_hex.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/outputs/shot_files.hpp"
#include "solver/plan/plan.hpp"
#include "solver/planning/anisotropic_model.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/program/build.hpp"
#include "solver/program/failure.hpp"
#include "solver/program/hash.hpp"
#include "solver/ranks/signs_of_life.hpp"
#include "solver/run/account.hpp"
#include "solver/run/rank_talk.hpp"
#include "solver/run/run_folder.hpp"
#include "solver/run/shot_check.hpp"
#include "solver/shots/shot_table.hpp"
#include "solver/shots/workers.hpp"
#include "solver/tasks/checkpoints.hpp"
#include "solver/tasks/task.hpp"

namespace onda {
namespace {

void say_where_the_survey_stands(const Shots& shots, const ShotTable& table, Log& log) {
    const std::size_t done = table.all_finished().size();
    if (done > 0)
        log.info(fmt::format("resuming  {} of {} shots are finished; {} are missing", done, shots.size(),
                             shots.size() - done));
}

/// The shots of a selection that no process has finished.
std::int64_t count_missing(const Shots& shots, const ShotSelection& selection, const ShotTable& table) {
    std::int64_t missing = 0;
    for (std::size_t i = 0; i < shots.size(); ++i) missing += selection.contains(shots.id(i));
    for (const ShotRecord& record : table.all_finished()) missing -= selection.contains(record.shot);
    return missing;
}

/// What a shot's file says of itself. The file of an only shot becomes seismograms.h5 and tells all; those of several
/// hold nothing that depends on who computes them, and when.
Provenance shot_provenance(const Plan& plan, const RunFacts& facts, const Identity& identity) {
    Provenance whole = make_provenance(plan.experiment(), plan.computation(), facts);
    if (plan.survey.shots.size() == 1) return whole;
    constexpr std::array<std::string_view, 8> kept{"onda_version",    "git_commit", "model",      "model_hash",
                                                   "time_dispersion", "units",      "axis_order", "imaging_condition"};
    std::erase_if(whole.entries, [&](const auto& entry) { return std::ranges::find(kept, entry.first) == kept.end(); });
    whole.entries.emplace_back("parameters", text_of(identity));
    return whole;
}

/// A survey whose shots are all there, and what becomes of it. \param provenance lives as long.
FinishedSurvey finished_survey(const Plan& plan, const RunFolder& folder, const RunFacts& facts,
                               const Provenance& provenance) {
    return {plan,       facts.shots,        folder.unfinished().folder(),     folder.path(),
            provenance, folder.overwrite(), assembly_of(plan, plan.placement)};
}

/// Does what reads files of this run, which were seen to be whole: what cannot be read of them is no fault of an input.
/// \throws Error(io_error) for Error(bad_data | missing_input); what the body throws.
template <typename Body>
auto reading_own_files(const Body& body) {
    try {
        return body();
    } catch (const Error& error) {
        if (error.code() != ExitCode::bad_data && error.code() != ExitCode::missing_input) throw;
        throw Error(ExitCode::io_error, error.what());
    }
}

/// The results of a survey whose shots are all there, ready for their names.
std::vector<AtomicFile> stage_results(const Config& config, const RunOutputs& outputs, const FinishedSurvey& survey) {
    std::vector<AtomicFile> files;
    files.push_back(stage_text_file(survey.results / "config.yaml", resolved_yaml(config), survey.overwrite));
    for (AtomicFile& file : reading_own_files([&] { return outputs.assemble(survey); }))
        files.push_back(std::move(file));
    return files;
}

/// Publishes a survey whose shots are all there and removes what it grew in.
void close_survey(const Plan& plan, RunFolder& folder, const RunOutputs& outputs, const FinishedSurvey& survey,
                  std::vector<AtomicFile> files, RunFacts& facts, Log& log) {
    const bool keeps_shots = keeps_shot_files(plan, plan.placement);
    std::vector<FileRecord> kept;
    if (keeps_shots) kept.push_back(record_of(folder.unfinished().table(), kKeptTableName));
    FinishedSurvey with_files = survey;
    for (const AtomicFile& file : files) with_files.staged.emplace(file.path().filename(), file.temporary());
    facts.files = folder.publish(
        std::move(files), [&](const FileList& list) { return summary_json(plan, facts, list); }, kept,
        [&](const std::string& summary) {
            return reading_own_files([&] { return outputs.tell(with_files, summary); });
        });
    folder.close_survey(keeps_shots);
    facts.complete = true;
    std::string names;
    for (const FileRecord& file : facts.files) names += (names.empty() ? "" : ", ") + file.name;
    log.info("files     " + names);
}

/// What there is to say when shots are left for another time or other processes.
std::string what_is_left(const Shots& shots, const RunFacts& facts) {
    return fmt::format("{} of {} shots are done", facts.shots.size(), shots.size());
}

/// What the stages of a run share from when its folder is there.
struct RunParts {
    const Plan& plan;
    const Identity& identity;
    const RunOptions& options;
    const RunOutputs& outputs;
    const LeadingRanks& ranks;
    PhaseTimes& times;
    RunFacts& facts;
    Log& log;
};

/// Whether this process may end the survey, whose shots are all there and as they were left: those that are not are
/// computed again. RunFacts::shots are what the shots left then. \throws Error(io_error) if the disk damages them again
/// and again.
template <typename ComputeAgain>
bool may_end(const RunParts& run, const RunFolder& folder, ShotTable& table, ShotCheck& check,
             const ComputeAgain& compute_again) {
    constexpr int most_rounds = 3;
    const bool copied = assembly_of(run.plan, run.plan.placement) == Assembly::copies;  // so that all are read anyway
    for (int round = 0; round < most_rounds; ++round) {
        run.facts.shots = table.all_finished();
        if (run.facts.shots.size() != run.plan.survey.shots.size() || !run.ranks.may_publish() || !table.claim_end() ||
            !folder.unfinished().is_there(run.facts.run_id))
            return false;
        if (run.times.measure("outputs", [&] { return check.forget_damaged(copied); }) == 0) return true;
        table.give_end_up();
        compute_again();
    }
    throw Error(ExitCode::io_error, shown(folder.unfinished().folder()) +
                                        ": files of shots are damaged again and again: the disk may be failing");
}

/// How the shots of a run are kept between two of their steps; none where they are not.
std::optional<CheckpointSettings> checkpoint_settings(const RunParts& run, const RunFolder& folder) {
    const std::optional<double> every_minutes = run.plan.config.checkpoint.every_minutes;
    if (!keeps_checkpoints(run.plan)) return std::nullopt;
    CheckpointSettings settings{folder.unfinished().folder(),
                                hash_of_steps(run.identity),
                                {},
                                &run.log,
                                run.ranks.are_connected(),
                                std::max<std::int64_t>(1, std::ssize(run.plan.placement.workers))};
    if (every_minutes) settings.every = std::chrono::duration<double>(60. * *every_minutes);
    return settings;
}

/// Computes shots until none is left to take, and ends the survey if it is this process that has the last one.
/// \returns whether the time was over before.
bool run_survey(const RunParts& run, Workers& workers, RunFolder& folder) {
    ShotTable table(folder.unfinished().table());
    table.check_against(run.plan.survey.shots);
    const ShotFiles shot_files(run.outputs, folder.unfinished().folder(),
                               shot_provenance(run.plan, run.facts, run.identity));
    ShotCheck check(table, shot_files, run.log);
    // Of processes that begin together one reads what an earlier run has left; the others would only be in its way.
    run.times.measure("outputs",
                      [&] { return folder.came_first() ? check.forget_damaged(false) : check.forget_lost(); });
    say_where_the_survey_stands(run.plan.survey.shots, table, run.log);
    run.outputs.expect([&](std::size_t i) {
        return run.options.shots.contains(run.plan.survey.shots.id(i)) && !table.is_finished(i);
    });
    run.ranks.begin();
    ProgressLine line(run.plan.domain.nodes_of_shots / std::ssize(run.plan.survey.shots), run.log);
    Progress& told = run.options.progress != nullptr ? *run.options.progress : line;
    SharedProgress progress(told, [&] { return count_missing(run.plan.survey.shots, run.options.shots, table); });
    const std::optional<CheckpointSettings> kept = checkpoint_settings(run, folder);
    const SharedRunParts shared{shot_files, table, run.times, progress, kept ? &*kept : nullptr};
    const bool out_of_time = workers.run(shared, run.options.shots, run.options.end_by);
    Computed computed = run.times.measure("other ranks", [&] {
        return run.ranks.end({workers.nodes_computed(), out_of_time, noticed_signal()});
    });
    const bool ends = may_end(run, folder, table, check, [&] {
        const std::int64_t nodes = workers.nodes_computed();
        computed.ran_out_of_time = workers.run(shared, run.options.shots, run.options.end_by);
        computed.nodes += workers.nodes_computed() - nodes;
    });
    if (ends) {
        const Provenance provenance = make_provenance(run.plan.experiment(), run.plan.computation(), run.facts);
        const FinishedSurvey survey = finished_survey(run.plan, folder, run.facts, provenance);
        std::vector<AtomicFile> files =
            run.times.measure("outputs", [&] { return stage_results(run.plan.config, run.outputs, survey); });
        account_for(run.plan.experiment(), run.plan.computation(), computed.nodes, workers.device_bytes(), run.times,
                    run.facts, run.log);
        close_survey(run.plan, folder, run.outputs, survey, std::move(files), run.facts, run.log);
        return false;
    }
    table.sync();
    account_for(run.plan.experiment(), run.plan.computation(), computed.nodes, workers.device_bytes(), run.times,
                run.facts, run.log);
    if (computed.ran_out_of_time && run.ranks.may_publish()) {
        hear_of_signals(computed.signal, 0);  // so that all end for the reason of the one that was sent it
        return true;
    }
    run.log.info(fmt::format("{}; {}", what_is_left(run.plan.survey.shots, run.facts),
                             run.facts.shots.size() == run.plan.survey.shots.size()
                                 ? "another process ends the survey"
                                 : "the others are for other processes or runs"));
    return false;
}

/// Whether the folder is to be left as it is if what it holds turns out to be the complete results of this run: it need
/// not be one that can be written.
bool may_be_complete(const RunOptions& options) {
    return !options.overwrite && EarlierRun(options.folder).has_identity();
}

std::string hash_of_change(const ModelValues& change) {
    Fingerprint hash;
    hash.add(std::span(change.vp));
    hash.add(std::span(change.rho));
    return hash.hex();
}

/// The plan without the model.
Plan plan_of_run(const Config& config, const RunOptions& options, const Ranks& ranks) {
    Plan plan = agree_on_plan(ranks, config.backend.name, [&](const RankPlace& place) {
        if (ranks.decides() && !may_be_complete(options)) refuse_taken_folder(options.folder, options.overwrite);
        Plan draft = make_plan(config, place, options.task);
        options.shots.check_against(draft.survey.shots);
        return draft;
    });
    ranks.all_or_none([&] {
        refuse_if_memory_is_short(plan);
        if (!may_be_complete(options)) refuse_if_disk_is_short(plan, options.folder);
    });
    return plan;
}

/// Whether the folder holds the complete results of this run. \throws Error(bad_data) if they are damaged.
bool is_complete(const RunOptions& options, const std::string& identity) {
    if (!may_be_complete(options) || !holds_complete_run(options.folder, identity)) return false;
    refuse_damaged_results(options.folder);
    return true;
}

/// Whether the results of a survey are complete, so that what this process met is no fault: when another one ends the
/// survey, files go that this one may be using. Waits for it if it has begun to give its files their names.
bool was_ended_by_another(const std::filesystem::path& folder, const RunFacts& facts) {
    for (int attempt = 0; attempt < 100 && !facts.run_id.empty() && EarlierRun(folder).run_id() == facts.run_id;
         ++attempt) {
        if (!UnfinishedSurvey(folder).beginning() && holds_complete_run(folder, facts.identity)) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
}

/// Whether an exception tells of a file that could not be read, made or written.
bool is_about_files(const std::exception_ptr& exception) {
    const ExitCode code = describe_failure(exception).code;
    return code == ExitCode::bad_data || code == ExitCode::missing_input || code == ExitCode::cannot_create ||
           code == ExitCode::io_error;
}

/// What a user may do after a failure of the machine, as a sentence.
std::string how_to_go_on(const UnfinishedSurvey& unfinished, const Failure& failure, bool is_pass) {
    std::string kept;
    try {
        kept = unfinished.what_is_kept();
    } catch (...) {
        return "the same command goes on from what is on disk";  // which cannot be read at present
    }
    const std::string again = failure.code == ExitCode::out_of_memory
                                  ? "once there is more memory, run the same command again, with any backend: "
                                  : "run the same command again, with any backend: ";
    if (is_pass) return again + "it goes on after the passes that are finished" + (kept.empty() ? "" : "; " + kept);
    return kept.empty() ? "nothing was finished or kept yet: the same command begins again" : again + kept;
}

constexpr const char* kEndedByAnother = "another process has ended the survey";

/// Begins or joins the survey in the folder of a run and computes what is left of it. \returns whether the time was
/// over before.
bool run_in_folder(const RunParts& run, Workers& workers, RunFolder& folder) {
    const Beginning beginning = folder.begin_or_join({random_hex(16), run.facts.command_line, run.facts.started_utc,
                                                      std::ssize(run.plan.survey.shots), run.identity},
                                                     run.plan.survey.shots);
    run.facts.run_id = beginning.run_id;
    run.facts.command_line = beginning.command_line;
    run.facts.started_utc = beginning.started_utc;
    announce(run.plan, run.facts, run.log);
    run.log.open_file(folder.path() / kLogName);
    if (!folder.lengthened().empty()) run.log.info("longer    " + folder.lengthened());
    if (folder.unfinished().is_there(run.facts.run_id)) return run_survey(run, workers, folder);
    run.log.info(kEndedByAnother);
    run.ranks.begin();
    static_cast<void>(run.ranks.end({}));
    return false;
}

}  // namespace

RunFacts run_simulation(const Config& config, const RunOptions& options, Log& log, const Ranks& ranks) {
    RunFacts facts;
    PhaseTimes times;
    facts.folder = options.folder;
    facts.command_line = options.command_line;
    facts.started_utc = utc_now();
    Plan draft = times.measure("plan", [&] { return plan_of_run(config, options, ranks); });

    Model model = times.measure("model", [&] { return ranks.all_or_none([&] { return make_model_of_run(draft); }); });
    Plan plan = ranks.all_or_none([&] { return refine(std::move(draft), model); });
    agree_on_history(plan, ranks);
    note_model(plan, model, facts);
    plan.operand = options.operand;
    Identity identity = identity_of(plan.config, std::string(build().version), facts.model_fingerprint,
                                    plan.setup.kernel, name_unless_first(plan.task));
    if (plan.operand) identity["change of velocity"] = hash_of_change(plan.operand->change);
    facts.identity = hash_of(identity);
    check_same_run(facts.identity, ranks);
    if (first_finds(ranks, [&] { return is_complete(options, facts.identity); })) {
        facts.complete = true;
        if (ranks.decides()) facts.files = EarlierRun(options.folder).records();
        log.info(shown(options.folder) + " holds the complete results of this run: nothing is left to do");
        return facts;
    }
    const bool overwrite = options.overwrite || options.replaces_others;
    ranks.all_or_none([&] {
        if (ranks.decides()) refuse_taken_folder(options.folder, overwrite);
        refuse_if_disk_is_short(plan, options.folder);
    });

    // Signals become what the ranks of a grid do after the same step, and all come to their ends together.
    std::optional<UnheardSignals> until_shots_are_kept;
    if (ranks.team() != nullptr && keeps_checkpoints(plan))
        until_shots_are_kept.emplace(UnheardSignals::Which::those_that_ask_to_end);
    std::optional<SignsOfLife> alive;
    if (ranks.team() != nullptr && config.backend.rank_timeout_s > 0.)
        alive.emplace(UnfinishedSurvey(options.folder).folder(), kSurveyName, ranks.place().rank, ranks.place().size,
                      std::chrono::duration<double>(config.backend.rank_timeout_s));
    GridRanks grid(plan, ranks);
    if (!grid.leads()) {
        grid.serve(plan, std::move(model));
        return facts;
    }
    const RunOutputs outputs(plan, model);
    auto workers = times.measure("backend", [&] {
        return std::make_unique<Workers>(plan, std::make_shared<const Model>(std::move(model)), grid.team());
    });
    facts.backend = workers->description();

    notice_signals();  // until now there was nothing to clean up
    const LeadingRanks leading(ranks, plan.placement.ranks_per_grid);
    leading.wait_for_begin();
    RunFolder folder(options.folder, overwrite);
    try {
        const bool out_of_time =
            run_in_folder({plan, identity, options, outputs, leading, times, facts, log}, *workers, folder);
        workers.reset();
        grid.dismiss();
        if (out_of_time) {
            ranks.end_together();
            if (const int signal = noticed_signal(); signal != 0) throw Interrupted{signal};
            throw Error(ExitCode::time_limit,
                        fmt::format("time limit reached: {}; run the same command again for the others",
                                    what_is_left(plan.survey.shots, facts)));
        }
    } catch (const Interrupted& interrupted) {
        log.note_error("interrupted");
        folder.give_up();
        if (!asks_to_end(interrupted.signal) || !keeps_checkpoints(plan) || !folder.unfinished().holds_work()) throw;
        throw Error(ExitCode::time_limit, fmt::format("interrupted ({}): run the same command again to go on",
                                                      strsignal(interrupted.signal)));
    } catch (...) {
        if (ranks.team() == nullptr && !folder.publishes() && is_about_files(std::current_exception()) &&
            was_ended_by_another(folder.path(), facts)) {
            log.info(kEndedByAnother);
            return facts;
        }
        const Failure failure = describe_failure(std::current_exception());
        folder.give_up();
        log.note_error(failure.message);
        if (!is_about_the_machine(failure.code)) throw;
        const std::string advice = how_to_go_on(folder.unfinished(), failure, options.is_pass);
        log.note(advice);
        throw Error(failure.code, failure.message + "\n  " + advice);
    }
    return facts;
}

}  // namespace onda
