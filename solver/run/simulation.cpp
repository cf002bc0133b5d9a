#include "solver/run/simulation.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <thread>

#include "io/files/interruption.hpp"
#include "io/files/random_hex.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/outputs/shot_files.hpp"
#include "solver/plan/slab_balance.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/program/build.hpp"
#include "solver/program/failure.hpp"
#include "solver/program/hash.hpp"
#include "solver/ranks/remote_part.hpp"
#include "solver/ranks/sub_team.hpp"
#include "solver/run/account.hpp"
#include "solver/run/run_folder.hpp"
#include "solver/run/shot_check.hpp"
#include "solver/shots/shot_table.hpp"
#include "solver/shots/workers.hpp"

namespace onda {
namespace {

void say_where_the_survey_stands(const Plan& plan, const ShotTable& table, Log& log) {
    const std::size_t done = table.all_finished().size();
    if (done > 0)
        log.info(fmt::format("resuming  {} of {} shots are finished; {} are missing", done, plan.survey.shots.size(),
                             plan.survey.shots.size() - done));
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
    Provenance whole = make_provenance(plan, facts);
    if (plan.survey.shots.size() == 1) return whole;
    constexpr std::array<std::string_view, 7> kept{"onda_version",    "git_commit", "model",     "model_hash",
                                                   "time_dispersion", "units",      "axis_order"};
    std::erase_if(whole.entries, [&](const auto& entry) { return std::ranges::find(kept, entry.first) == kept.end(); });
    whole.entries.emplace_back("parameters", text_of(identity));
    return whole;
}

/// A survey whose shots are all there, and what becomes of it. \param provenance lives as long.
FinishedSurvey finished_survey(const Plan& plan, const RunFolder& folder, const RunFacts& facts,
                               const Provenance& provenance) {
    return {plan,
            facts.shots,
            folder.unfinished().folder(),
            folder.path(),
            provenance,
            folder.overwrite(),
            assembly_of(plan)};
}

/// The results of a survey whose shots are all there, ready for their names.
std::vector<AtomicFile> stage_results(const Plan& plan, const RunOutputs& outputs, const FinishedSurvey& survey) {
    std::vector<AtomicFile> files;
    files.push_back(stage_text_file(survey.results / "config.yaml", resolved_yaml(plan.config), survey.overwrite));
    for (AtomicFile& file : outputs.assemble(survey)) files.push_back(std::move(file));
    return files;
}

/// Publishes a survey whose shots are all there and removes what it grew in.
void close_survey(const Plan& plan, RunFolder& folder, const RunOutputs& outputs, const FinishedSurvey& survey,
                  std::vector<AtomicFile> files, RunFacts& facts, Log& log) {
    const bool keeps_shots = keeps_shot_files(plan);
    std::vector<FileRecord> kept;
    if (keeps_shots) kept.push_back(record_of(folder.unfinished().table(), kKeptTableName));
    facts.files = folder.publish(
        std::move(files), [&](const FileList& list) { return summary_json(plan, facts, list); }, kept,
        [&](const std::string& summary) { return outputs.tell(survey, summary); });
    folder.close_survey(keeps_shots);
    facts.complete = true;
    std::string names;
    for (const FileRecord& file : facts.files) names += (names.empty() ? "" : ", ") + file.name;
    log.info("files     " + names);
}

/// What there is to say when shots are left for another time or other processes.
std::string what_is_left(const Plan& plan, const RunFacts& facts) {
    return fmt::format("{} of {} shots are done", facts.shots.size(), plan.survey.shots.size());
}

/// What a rank has done of a run.
struct Computed {
    std::int64_t nodes = 0;
    bool ran_out_of_time = false;
};

/// What the ranks of a run that lead workers tell each other, of which the first one begins and ends the survey.
class LeadingRanks {
public:
    LeadingRanks(const Plan& plan, const Ranks& ranks) : ranks_(ranks), per_grid_(plan.ranks_per_grid) {}

    /// Lets the others join the survey that the first one has begun.
    void begin() const {
        for_others([&](int other) { ranks_.team()->send(other, Topic::agreement, {}); });
    }
    void wait_for_begin() const {
        if (!may_publish()) static_cast<void>(ranks_.team()->receive(0, Topic::agreement));
    }
    /// Returns, on the first one, when all have computed what they could. \param own what this one has.
    /// \returns that of all, on the first one.
    [[nodiscard]] Computed end(Computed own) const {
        if (!may_publish()) ranks_.team()->send(0, Topic::agreement, Outgoing().put(own).bytes());
        for_others([&](int other) {
            const auto computed = Incoming(ranks_.team()->receive(other, Topic::agreement)).get<Computed>();
            own.nodes += computed.nodes;
            own.ran_out_of_time = own.ran_out_of_time || computed.ran_out_of_time;
        });
        return own;
    }
    /// Whether this process may publish the survey.
    [[nodiscard]] bool may_publish() const { return ranks_.decides(); }

private:
    template <typename Body>
    void for_others(const Body& body) const {
        if (ranks_.team() == nullptr || !ranks_.is_first()) return;
        for (int other = per_grid_; other + per_grid_ <= ranks_.place().size; other += per_grid_) body(other);
    }

    const Ranks& ranks_;
    int per_grid_;
};

/// Whether it is for this process to end the survey, whose shots are all there and as they were left: those that are
/// not are computed again. \param facts get what the shots left. \throws Error(io_error) if the disk damages them again
/// and again.
template <typename ComputeAgain>
bool may_end(const Plan& plan, const RunFolder& folder, const LeadingRanks& ranks, ShotTable& table, ShotCheck& check,
             PhaseTimes& times, RunFacts& facts, const ComputeAgain& compute_again) {
    constexpr int most_rounds = 3;
    const bool copied = assembly_of(plan) == Assembly::copies;  // so that all are read anyway
    for (int round = 0; round < most_rounds; ++round) {
        facts.shots = table.all_finished();
        if (facts.shots.size() != plan.survey.shots.size() || !ranks.may_publish() || !table.claim_end() ||
            !folder.unfinished().is_there(facts.run_id))
            return false;
        if (times.measure("outputs", [&] { return check.forget_damaged(copied); }) == 0) return true;
        table.give_end_up();
        compute_again();
    }
    throw Error(ExitCode::io_error, shown(folder.unfinished().folder()) +
                                        ": files of shots are damaged again and again: the disk is at fault");
}

/// Computes shots until none is left to take, and ends the survey if it is this process that has the last one.
/// \returns whether the time was over before.
bool run_survey(const Plan& plan, Workers& workers, RunFolder& folder, const RunOutputs& outputs,
                const Identity& identity, const RunOptions& options, const LeadingRanks& ranks, PhaseTimes& times,
                RunFacts& facts, Log& log) {
    ShotTable table(folder.unfinished().table());
    table.check_against(plan.survey.shots);
    const ShotFiles shot_files(outputs, folder.unfinished().folder(), shot_provenance(plan, facts, identity));
    ShotCheck check(table, shot_files, log);
    // Of processes that begin together one reads what an earlier run has left; the others would only be in its way.
    times.measure("outputs", [&] { return folder.came_first() ? check.forget_damaged(false) : check.forget_lost(); });
    say_where_the_survey_stands(plan, table, log);
    ranks.begin();
    ProgressLine line(plan.nodes_of_shots / std::ssize(plan.survey.shots), log);
    SharedProgress progress(line, [&] { return count_missing(plan.survey.shots, options.shots, table); });
    const bool out_of_time = workers.run({shot_files, table, times, progress}, options.shots, options.end_by);
    Computed computed = times.measure("other ranks", [&] {
        return ranks.end({workers.nodes_computed(), out_of_time});
    });
    const bool ends = may_end(plan, folder, ranks, table, check, times, facts, [&] {
        const std::int64_t nodes = workers.nodes_computed();
        computed.ran_out_of_time = workers.run({shot_files, table, times, progress}, options.shots, options.end_by);
        computed.nodes += workers.nodes_computed() - nodes;
    });
    if (ends) {
        const Provenance provenance = make_provenance(plan, facts);
        const FinishedSurvey survey = finished_survey(plan, folder, facts, provenance);
        std::vector<AtomicFile> files = times.measure("outputs", [&] { return stage_results(plan, outputs, survey); });
        account_for(plan, computed.nodes, workers.device_bytes(), times, facts, log);
        close_survey(plan, folder, outputs, survey, std::move(files), facts, log);
        return false;
    }
    account_for(plan, computed.nodes, workers.device_bytes(), times, facts, log);
    if (computed.ran_out_of_time && ranks.may_publish()) return true;
    log.info(fmt::format("{}; {}", what_is_left(plan, facts),
                         facts.shots.size() == plan.survey.shots.size()
                             ? "another process ends the survey"
                             : "the others are for other processes or runs"));
    return false;
}

/// Takes the slabs of the first rank. \param plan that all ranks have made, each by what it sees.
void take_slabs_of_first(Plan& plan, const Ranks& ranks) {
    Incoming of_first = ranks.from_first(Outgoing().put(plan.slabs).put(plan.ranks_per_grid));
    std::vector<Slab> slabs = of_first.get_all<Slab>();
    take_slabs(plan, std::move(slabs), of_first.get<int>());
}

/// Cuts the grid by what the ranks of the first group measure on their devices, each of its own.
void balance_over_ranks(Plan& plan, const Ranks& ranks) {
    Team& team = *ranks.team();
    if (team.rank() < plan.ranks_per_grid) {
        std::vector<SlabCost> costs = measure_own_slabs(plan);
        if (!team.leads()) team.send(0, Topic::agreement, Outgoing().put(costs).bytes());
        for (int member = 1; team.leads() && member < plan.ranks_per_grid; ++member) {
            const auto others = Incoming(team.receive(member, Topic::agreement)).get_all<SlabCost>();
            costs.insert(costs.end(), others.begin(), others.end());
        }
        if (team.leads()) balance_slabs(plan, costs);
    }
    take_slabs_of_first(plan, ranks);
}

/// Whether the folder is to be left as it is if what it holds turns out to be the complete results of this run: it need
/// not be one that can be written.
bool may_be_complete(const RunOptions& options) {
    return !options.overwrite && EarlierRun(options.folder).has_identity();
}

/// The plan without the model, on the slabs that the first rank has chosen.
Plan plan_of_run(const Config& config, const RunOptions& options, const Ranks& ranks) {
    RankPlace place = ranks.place_among_devices(devices_seen(config.backend.name));
    std::optional<Plan> draft;
    const auto make_draft = [&] {
        if (ranks.decides() && !may_be_complete(options)) refuse_taken_folder(options.folder, options.overwrite);
        draft = make_plan(config, place);
        options.shots.check_against(draft->survey.shots);
        return true;
    };
    ranks.all_or_none([&] { return !ranks.decides() || make_draft(); });
    if (ranks.team() != nullptr) {
        Outgoing choice;
        if (draft) choice.put(draft->slabs).put(draft->ranks_per_grid);
        Incoming of_first = ranks.from_first(choice);
        place.slabs_of_first = of_first.get_all<Slab>();
        place.ranks_per_grid = of_first.get<int>();
        ranks.all_or_none([&] { return ranks.decides() || make_draft(); });
    }
    Plan plan = std::move(*draft);
    if (!ranks.note().empty()) plan.device_notes.push_back(ranks.note());
    if (plan.ranks_per_grid == 1)
        balance_slabs(plan);
    else if (wants_balance(plan))
        balance_over_ranks(plan, ranks);
    ranks.all_or_none([&] {
        refuse_if_memory_is_short(plan);
        if (!may_be_complete(options)) refuse_if_disk_is_short(plan, options.folder);
        return true;
    });
    return plan;
}

/// \throws Error(config), on the first rank, if another rank computes another run.
void check_same_run(const std::string& identity, const Ranks& ranks) {
    const std::string expected = ranks.from_first(Outgoing().put(identity)).get_text();
    ranks.all_or_none([&] {
        if (identity != expected)
            throw Error(ExitCode::config,
                        "it computes another run than the first rank does: configuration, model and Onda itself must "
                        "be the same on all hosts");
        return true;
    });
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

constexpr const char* kEndedByAnother = "another process has ended the survey";

/// Computes slabs of grids whose other slabs other processes have, for as long as these need them. \param model goes
/// when its medium has been made, unless each shot has a part of its own.
void serve_slabs(const Plan& plan, std::optional<Model> model, Team& team) {
    serve_part(team, [&](const PartRequest& request) {
        const Plan of_part = plan_of_part(plan, request.part);
        auto medium = make_own_medium(of_part, request.slab, medium_readers(*model, of_part.computed, of_part.part));
        if (!plan.aperture) model.reset();
        return medium;
    });
}

}  // namespace

RunFacts run_simulation(const Config& config, const RunOptions& options, Log& log, const Ranks& ranks) {
    RunFacts facts;
    PhaseTimes times;
    facts.folder = options.folder;
    facts.command_line = options.command_line;
    facts.started_utc = utc_now();
    Plan draft = times.measure("plan", [&] { return plan_of_run(config, options, ranks); });

    Model model = times.measure("model", [&] {
        return ranks.all_or_none(
            [&] { return make_model(config.model, draft.setup.scheme.equation, draft.grid, config.origin); });
    });
    const Plan plan = ranks.all_or_none([&] { return refine(std::move(draft), model); });
    note_model(plan, model, facts);
    const Identity identity =
        identity_of(plan.config, std::string(build().version), facts.model_fingerprint, plan.setup.kernel);
    facts.identity = hash_of(identity);
    check_same_run(facts.identity, ranks);
    const bool is_done = ranks.all_or_none([&] {
        if (!ranks.decides() || !may_be_complete(options) || !holds_complete_run(options.folder, facts.identity))
            return false;
        refuse_damaged_results(options.folder);
        return true;
    });
    if (ranks.from_first(Outgoing().put(is_done)).get<bool>()) {
        facts.complete = true;
        if (is_done) facts.files = EarlierRun(options.folder).records();
        log.info(shown(options.folder) + " holds the complete results of this run: nothing is left to do");
        return facts;
    }
    ranks.all_or_none([&] {
        if (ranks.decides()) refuse_taken_folder(options.folder, options.overwrite);
        refuse_if_disk_is_short(plan, options.folder);
        return true;
    });
    const int per_grid = plan.ranks_per_grid, first_of_grid = plan.ranks.rank / per_grid * per_grid;
    std::optional<SubTeam> team;
    if (per_grid > 1) {
        if (first_of_grid + per_grid > plan.ranks.size) return facts;  // too few are left for another grid
        team.emplace(*ranks.team(), first_of_grid, per_grid, plan.config.backend.exchange != "host");
        if (!team->leads()) {
            serve_slabs(plan, std::move(model), *team);
            return facts;
        }
    }
    const LeadingRanks leading(plan, ranks);
    const RunOutputs outputs(plan, model);
    auto workers = times.measure(
        "backend", [&] { return std::make_unique<Workers>(plan, std::move(model), team ? &*team : nullptr); });
    facts.backend = workers->description();

    notice_signals();  // until now there was nothing to clean up
    leading.wait_for_begin();
    RunFolder folder(options.folder, options.overwrite);
    try {
        const Beginning beginning = folder.begin_or_join(
            {random_hex(16), facts.command_line, facts.started_utc, std::ssize(plan.survey.shots), identity},
            plan.survey.shots);
        facts.run_id = beginning.run_id;
        facts.command_line = beginning.command_line;
        facts.started_utc = beginning.started_utc;
        announce(plan, facts, log);
        log.open_file(folder.path() / kLogName);
        bool out_of_time = false;
        if (folder.unfinished().is_there(facts.run_id)) {
            out_of_time = run_survey(plan, *workers, folder, outputs, identity, options, leading, times, facts, log);
        } else {
            log.info(kEndedByAnother);
            leading.begin();
            static_cast<void>(leading.end({}));
        }
        workers.reset();
        if (team) dismiss(*team);
        if (out_of_time) {
            ranks.end_together();
            throw Error(ExitCode::time_limit,
                        fmt::format("time limit reached: {}; run the same command again for the others",
                                    what_is_left(plan, facts)));
        }
    } catch (const Interrupted&) {
        log.note_error("interrupted");
        folder.give_up();
        throw;
    } catch (...) {
        if (ranks.team() == nullptr && !folder.publishes() && is_about_files(std::current_exception()) &&
            was_ended_by_another(folder.path(), facts)) {
            log.info(kEndedByAnother);
            return facts;
        }
        log.note_error(describe_failure(std::current_exception()).message);
        folder.give_up();
        throw;
    }
    return facts;
}

}  // namespace onda
