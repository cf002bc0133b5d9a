// onda data check: the errors in recorded traces, and what of a survey they have.
#include <iostream>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/data.hpp"
#include "solver/data/observed_data.hpp"
#include "solver/data/trace_matching.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/program/json_text.hpp"

namespace onda::data {
namespace {

constexpr std::size_t kMostRanges = 100;  // of numbers in a line
constexpr std::size_t kMostShots = 20;    // that are told one by one

/// Something that is well, worth a note, or a fault.
struct Finding {
    enum class Level { ok, note, bad } level = Level::ok;
    std::string what;  ///< "duplicates"
    std::string text;
    std::vector<std::size_t> traces = {};
    std::vector<std::int64_t> shots = {};
};
using Level = Finding::Level;

const char* name_of(Level level) {
    return level == Level::ok ? "ok" : level == Level::note ? "note" : "bad";
}

/// "1 trace", "3 traces".
std::string counted(std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

class Findings {
public:
    explicit Findings(const RecordedData& data) : data_(data) {}

    void add(Finding finding) { all_.push_back(std::move(finding)); }
    /// Traces with a property, or that there are none.
    void add_traces(Level level, const char* what, std::vector<std::size_t> traces, const std::string& have,
                    const std::string& none) {
        if (traces.empty()) return add({Level::ok, what, none});
        std::string text =
            fmt::format("{} {}: {}", counted(traces.size(), "trace"), have, listed(data_, traces, kMostRanges));
        add({level, what, std::move(text), std::move(traces)});
    }
    [[nodiscard]] std::size_t errors() const {
        return static_cast<std::size_t>(std::ranges::count(all_, Level::bad, &Finding::level));
    }
    [[nodiscard]] const std::vector<Finding>& all() const { return all_; }

private:
    const RecordedData& data_;
    std::vector<Finding> all_;
};

void check_traces(const RecordedData& data, const RecordedFacts& facts, Findings& findings) {
    findings.add({Level::ok, "headers",
                  fmt::format("{} of {} sampled every {:.9g} s, from {} and {}", counted(data.traces().size(), "trace"),
                              counted(data.files().size(), "file"), data.dt_s(),
                              counted(facts.shots.size(), "place") + " of sources",
                              counted(facts.receivers, "place") + " of receivers")});
    findings.add_traces(Level::bad, "not_finite", facts.not_finite, "with samples that are not finite",
                        "all samples are finite");
    if (facts.duplicates.empty()) {
        findings.add({Level::ok, "duplicates", "no two traces have the same source and receiver"});
    } else {
        Finding finding{Level::bad, "duplicates",
                        counted(facts.duplicates.size(), "trace") + " shot and received where an earlier one was: "};
        for (const auto& [trace, earlier] : facts.duplicates) {
            if (finding.traces.size() < kMostRanges)
                finding.text += fmt::format("{}{} (as {})", finding.traces.empty() ? "" : ", ",
                                            listed(data, {trace}, 1), listed(data, {earlier}, 1));
            finding.traces.push_back(trace);
        }
        if (finding.traces.size() > kMostRanges)
            finding.text += fmt::format(" and {} more", finding.traces.size() - kMostRanges);
        findings.add(std::move(finding));
    }
    findings.add_traces(Level::note, "dead", facts.dead, "marked as dead, which count for nothing",
                        "no trace is marked as dead");
    findings.add_traces(Level::note, "zero", facts.zero, "not marked as dead whose samples are all 0",
                        "no other trace has nothing but zeros");
}

/// Those that traces must be of: files have the shots that supershots encode, or the supershots.
Shots shots_of(const RecordedData& data, const Plan& plan) {
    std::vector<std::filesystem::path> files;
    for (const RecordedData::File& file : data.files()) files.push_back(file.path);
    if (has_supershots(files, plan.survey))
        throw Error(ExitCode::usage, data.name() +
                                         ": has supershots, whose traces lie where those of others do; the "
                                         "check is for single shots");
    const ImagingConfig imaging = plan.config.imaging.value_or(ImagingConfig{});
    return plan.survey.encoding ? plan.survey.observed_shots() : plan.survey.shots.only(imaging.shots);
}

/// The traces of a survey, and what it lacks.
class SurveyCheck {
public:
    SurveyCheck(const RecordedData& data, const TraceBytes& bytes, const Plan& plan)
        : data_(data),
          bytes_(bytes),
          plan_(plan),
          imaging_(plan.config.imaging.value_or(ImagingConfig{})),
          shots_(shots_of(data, plan)),
          sampling_(observed_sampling(plan.domain.grid, plan.time)),
          matching_(data.traces(), std::max(sampling_.tolerance_m, data.resolution_m())),
          is_used_(data.traces().size(), false) {}

    void run(Findings& findings) {
        const std::size_t before = findings.errors();
        check_sampling(findings);
        check_places(findings);
        check_unused(findings);
        if (findings.errors() == before) read_all(findings);
    }

private:
    void check_sampling(Findings& findings) const;
    void check_places(Findings& findings);
    void check_unused(Findings& findings) const;
    void read_all(Findings& findings) const;

    const RecordedData& data_;
    TraceBytes bytes_;
    const Plan& plan_;
    ImagingConfig imaging_;
    Shots shots_;  ///< that are compared
    ObservedSampling sampling_;
    TraceMatching matching_;
    std::vector<bool> is_used_;  ///< [trace]
};

void SurveyCheck::check_sampling(Findings& findings) const {
    const bool is_same = std::abs(data_.dt_s() - sampling_.dt_s) <= 1e-9 * sampling_.dt_s;
    findings.add({is_same ? Level::ok : Level::note, "sample_interval",
                  is_same ? "the sample interval is that of the run's seismograms"
                          : fmt::format("the run's seismograms are sampled every {:.9g} s: data will be resampled",
                                        sampling_.dt_s)});
}

/// The shots without traces, and of the others the receivers without, or with several.
void SurveyCheck::check_places(Findings& findings) {
    Finding missing{Level::bad, "shots_without_traces", ""};
    std::size_t incomplete = 0, receivers = 0;
    for (const Shot& shot : shots_) {
        const Position source = shot.sources.front().position_m;
        const auto found = matching_.of_receivers(source, shot.receivers.list());
        if (matching_.shot_at(source).empty()) {
            missing.shots.push_back(shot.id);
            continue;
        }
        std::vector<std::int64_t> none, several;
        for (std::size_t i = 0; i < found.size(); ++i) {
            const auto number = static_cast<std::int64_t>(i) + 1;
            if (!imaging_.receivers.contains(number)) continue;
            ++receivers;
            for (const std::size_t trace : found[i]) is_used_[trace] = true;
            if (found[i].size() != 1) (found[i].empty() ? none : several).push_back(number);
        }
        if (none.empty() && several.empty()) continue;
        if (++incomplete > kMostShots) continue;
        const auto add = [&](const char* what, const std::vector<std::int64_t>& numbers, const char* has) {
            if (!numbers.empty())
                findings.add({Level::bad,
                              what,
                              fmt::format("shot {}: {} {}: {}", shot.id, counted(numbers.size(), "receiver"), has,
                                          ranges_text(numbers, kMostRanges)),
                              {},
                              {shot.id}});
        };
        add("receivers_without_trace", none, "without a trace");
        add("receivers_with_several_traces", several, "with several traces");
    }
    if (incomplete > kMostShots)
        findings.add({Level::bad, "incomplete_shots",
                      fmt::format("{} more with such receivers", counted(incomplete - kMostShots, "shot"))});
    const std::size_t shots = shots_.size();
    if (!missing.shots.empty()) {
        missing.text = fmt::format("{} of {} without a trace within {:.6g} m of their source: {}",
                                   counted(missing.shots.size(), "shot"), shots, matching_.tolerance_m(),
                                   ranges_text(missing.shots, kMostRanges));
        findings.add(std::move(missing));
    } else if (incomplete == 0) {
        findings.add({Level::ok, "survey",
                      fmt::format("each of the {} of {} has one trace within {:.6g} m", counted(receivers, "receiver"),
                                  counted(shots, "shot"), matching_.tolerance_m())});
    }
}

void SurveyCheck::check_unused(Findings& findings) const {
    const Grid& grid = plan_.domain.grid;
    const auto is_outside = [&](const Position& at) {
        for (const std::size_t axis : {0u, 1u, 2u}) {
            if (axis == 1 && grid.dimensions == 2) continue;
            const double last = grid.origin_m[axis] + static_cast<double>(grid.n[axis] - 1) * grid.spacing_m[axis];
            if (at[axis] < grid.origin_m[axis] - matching_.tolerance_m() || at[axis] > last + matching_.tolerance_m())
                return true;
        }
        return false;
    };
    std::vector<std::size_t> unused, outside;
    for (std::size_t i = 0; i < data_.traces().size(); ++i) {
        const RecordedTrace& trace = data_.traces()[i];
        if (!is_used_[i]) unused.push_back(i);
        if (is_outside(trace.source_m) || is_outside(trace.receiver_m)) outside.push_back(i);
    }
    findings.add_traces(Level::note, "unused", std::move(unused), "of no shot and receiver of the survey",
                        "every trace belongs to a shot and a receiver of the survey");
    findings.add_traces(Level::note, "outside", std::move(outside), "with a source or receiver outside the grid",
                        "all sources and receivers lie in the grid");
}

/// As a run reads them: what headers do not show.
void SurveyCheck::read_all(Findings& findings) const {
    ImagingConfig config = imaging_;
    config.observed.clear();
    config.segy_bytes = bytes_;
    for (const RecordedData::File& file : data_.files()) config.observed.push_back(file.path);
    try {
        const ObservedData observed(config, shots_, sampling_);
        for (const Shot& shot : shots_) static_cast<void>(observed.traces(shot));
        findings.add({Level::ok, "as_read",
                      fmt::format("all shots can be read as the run's {} every {:.9g} s",
                                  counted(static_cast<std::size_t>(sampling_.samples), "sample"), sampling_.dt_s)});
    } catch (const Error& error) {
        if (error.code() != ExitCode::bad_data) throw;
        findings.add({Level::bad, "as_read", error.what()});
    }
}

void print_json(const RecordedData& data, const Findings& findings) {
    nlohmann::ordered_json json{{"files", files_json(data)}, {"errors", findings.errors()}};
    for (const Finding& finding : findings.all()) {
        nlohmann::ordered_json entry{{"level", name_of(finding.level)}, {"what", finding.what}, {"text", finding.text}};
        if (!finding.traces.empty()) entry["traces"] = traces_json(finding.traces);
        if (!finding.shots.empty()) entry["shots"] = finding.shots;
        json["findings"].push_back(std::move(entry));
    }
    std::cout << json_text(json) << '\n';
}

}  // namespace

Command add_check(CLI::App& app) {
    struct Options {
        Input input;
        std::string config;
        std::vector<std::string> overrides;
        bool json = false;
    };
    CLI::App* const command = add_command(
        app, "check", "Find what would spoil an inversion or migration; with --config, what of a survey is there",
        "onda data check line.sgy\nonda data check line_1.sgy line_2.sgy --config survey.yaml --json");
    const auto options = std::make_shared<Options>();
    add_input(*command, options->input);
    CLI::Option* const config = command
                                    ->add_option("--config", options->config,
                                                 "Configuration whose survey, grid and samples the data are to fit")
                                    ->type_name("CONFIG");
    command->add_option("--set", options->overrides, "Override a parameter of CONFIG; may be repeated")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->needs(config);
    command->add_flag("--json", options->json, "Print as JSON, with all numbers of traces");
    return [options] {
        std::optional<Plan> plan;
        if (!options->config.empty()) plan = make_plan(read_config({options->config, options->overrides}));
        const TraceBytes of_config =
            plan && plan->config.imaging ? plan->config.imaging->segy_bytes.value_or(TraceBytes{}) : TraceBytes{};
        const TraceBytes bytes = bytes_of(options->input.bytes, of_config);
        const RecordedData data = open(options->input, bytes);
        const RecordedFacts facts = facts_of(data);
        Findings findings(data);
        check_traces(data, facts, findings);
        if (plan) SurveyCheck(data, bytes, *plan).run(findings);
        if (options->json)
            print_json(data, findings);
        else
            for (const Finding& finding : findings.all())
                std::cout << fmt::format("{:<10}{}\n", name_of(finding.level), printable_lines(finding.text));
        if (findings.errors() > 0)
            throw Error(ExitCode::bad_data,
                        fmt::format("{}: {}, listed as bad", data.name(), counted(findings.errors(), "error")));
        return 0;
    };
}

}  // namespace onda::data
