#include "solver/run/report_of_run.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <thread>

#include "io/files/input_file.hpp"
#include "io/files/interruption.hpp"
#include "io/files/plain_file.hpp"
#include "io/results/result_reader.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/outputs/gather.hpp"
#include "solver/outputs/report_output.hpp"
#include "solver/plan/names.hpp"
#include "solver/plan/plan.hpp"
#include "solver/planning/anisotropic_model.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/program/build.hpp"
#include "solver/program/json_text.hpp"
#include "solver/report/survey_map.hpp"
#include "solver/run/run_files.hpp"
#include "solver/run/unfinished.hpp"

namespace onda {
namespace {

using Path = std::filesystem::path;
using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostModelNodes = 500'000'000;              ///< of a model that is made again
constexpr std::size_t kMostPressureBytes = std::size_t{64} << 20;  ///< that is read at once

std::string text_of(const Path& path) {
    std::ifstream file = open_input_file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

Json read_summary(const Path& folder, std::string& text) {
    const Path path = folder / kSummaryName;
    if (!std::filesystem::exists(path))
        throw Error(ExitCode::missing_input,
                    shown(folder) + " holds no " + kSummaryName +
                        (std::filesystem::exists(folder / kUnfinishedName)
                             ? kUnfinishedRun
                             : ": name the folder that onda run wrote, such as results/quickstart"));
    text = text_of(path);
    const Json summary = Json::parse(text, nullptr, false);
    if (!summary.is_object() || summary.value("format", "") != kSummaryFormat)
        throw Error(ExitCode::bad_data, shown(path) + " is not the summary of an Onda run");
    if (summary.value("state", "") != "complete") throw Error(ExitCode::missing_input, shown(folder) + kUnfinishedRun);
    return summary;
}

/// A finished run as far as its configuration can be followed.
struct Remade {
    std::optional<Plan> plan;
    std::optional<Model> model;
};

std::int64_t model_bytes(const Experiment& experiment, const Computation& computation) {
    return experiment.domain.grid.points() * std::ssize(computation.setup.scheme.equation->parameters) *
               static_cast<std::int64_t>(sizeof(float)) +
           experiment.model.extra_bytes;
}

/// The plan and the model of the configuration, or notes why they cannot be had.
Remade remake(const Path& folder, Report& report) {
    Remade made;
    const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
    try {
        Config config = read_config(folder / "config.yaml", vocabulary());
        // On whatever device it ran: here nothing is computed but the model.
        config.backend = {};
        config.backend.name = "cpu";
        made.plan = make_plan(config);
        if (made.plan->domain.grid.points() > kMostModelNodes ||
            model_bytes(made.plan->experiment(), made.plan->computation()) > available_memory_bytes() / 2) {
            report.notes.push_back("the model is not shown: it is too large to be made again for the page");
            return made;
        }
        Model model = make_model_of_run(*made.plan);
        made.model = std::move(model);
    } catch (const Error& fault) {
        report.notes.push_back("the model is not shown: it could not be made again from config.yaml: " +
                               first_line(fault.what()));
    }
    return made;
}

/// A file of the run, opened for reading; nothing where the run has none.
template <typename Reader>
std::optional<Reader> open_if_there(const Path& file) {
    if (!std::filesystem::exists(file)) return {};
    return Reader(file);
}

ReportGather read_thinned(const SeismogramReader& file, const ShotGather& header, const ReportChoice& choice,
                          double highest_frequency_hz) {
    ReportGather kept = begin_gather(header, choice.gather_bytes, highest_frequency_hz);
    if (kept.peaks.empty()) return kept;
    const std::size_t receivers = header.receivers_m.size();
    const std::size_t at_once =
        std::max<std::size_t>(1, kMostPressureBytes / (sizeof(float) * static_cast<std::size_t>(header.samples)));
    for (std::size_t first = 0; first < receivers; first += at_once) {
        throw_if_interrupted();
        const ShotGather part = file.read(header.shot, first, std::min(at_once, receivers - first));
        add_traces(kept, first, part.pressure, part.samples);
    }
    return kept;
}

Grid grid_of(const FileGeometry& geometry) {
    return {geometry.dimensions, geometry.shape, geometry.spacing_m, geometry.origin_m};
}

/// The section's values of one frame, thinned.
std::vector<float> read_section(const ShotSnapshots& snapshots, std::size_t frame, const Window& window,
                                const Grid& grid) {
    std::array<std::int64_t, 3> first = window.first, count{1, 1, 1};
    for (std::size_t a = 0; a < 3; ++a)
        if (window.count[a] > 1) count[a] = grid.n[a];
    const std::vector<float> plane = snapshots.read(frame, first, count);
    std::vector<float> values;
    values.reserve(static_cast<std::size_t>(window.points()));
    for (std::int64_t z = 0; z < window.count[2]; ++z)
        for (std::int64_t y = 0; y < window.count[1]; ++y)
            for (std::int64_t x = 0; x < window.count[0]; ++x)
                values.push_back(plane[static_cast<std::size_t>(
                    x * window.step[0] + count[0] * (y * window.step[1] + count[1] * z * window.step[2]))]);
    return values;
}

/// A section of snapshots as one of the model's grid, of whose nodes snapshots are some.
ReportSection on_grid(const ReportSection& of_snapshots, const Grid& snapshots, const Grid& grid) {
    ReportSection section = of_snapshots;
    for (std::size_t a = 0; a < 3; ++a) {
        if (!grid.has_axis(static_cast<int>(a))) continue;
        const auto nodes = [&](double distance_m) {
            return static_cast<std::int64_t>(std::llround(distance_m / grid.spacing_m[a]));
        };
        const std::int64_t ratio = std::max<std::int64_t>(1, nodes(snapshots.spacing_m[a]));
        section.window.first[a] =
            nodes(snapshots.origin_m[a] - grid.origin_m[a]) + of_snapshots.window.first[a] * ratio;
        section.window.step[a] = of_snapshots.window.step[a] * ratio;
    }
    return section;
}

bool fits(const Window& window, const Grid& grid) {
    for (std::size_t a = 0; a < 3; ++a)
        if (window.first[a] < 0 || window.first[a] + (window.count[a] - 1) * window.step[a] >= grid.n[a]) return false;
    return true;
}

std::vector<ReportMovie> read_movies(const ShotSnapshots& snapshots, const Position& through, const Remade& made,
                                     const ReportChoice& choice) {
    const Grid grid = grid_of(snapshots.geometry());
    const std::vector<ReportSection> sections = report_sections(grid, through, Fineness::wavefield);
    const auto frames = spread_over(snapshots.times_s().size(), static_cast<std::size_t>(frames_of(sections, choice)));
    std::vector<ReportMovie> movies;
    for (const ReportSection& section : sections) {
        ReportMovie& movie = movies.emplace_back();
        movie.plane = section.plane;
        if (made.model)
            if (const ReportSection there = on_grid(section, grid, made.model->grid);
                fits(there.window, made.model->grid))
                movie.plane.parameters = parameters_on(there, *made.model, {0, 0, 0});
        for (const std::size_t frame : frames) {
            throw_if_interrupted();
            movie.add(snapshots.times_s()[frame], read_section(snapshots, frame, section.window, grid));
        }
    }
    return movies;
}

/// What is injected, as seismograms would say it.
std::vector<ReportWavelet> wavelets_of(const Survey& survey, const TimeAxis& time, const Shot& shot) {
    ShotGather gather;
    gather.wavelets.dt_s = time.dt_s;
    std::vector<std::size_t> used;
    for (const SourcePoint& source : shot.sources)
        if (std::ranges::find(used, source.wavelet) == used.end()) used.push_back(source.wavelet);
    std::vector<ReportWavelet> wavelets;
    for (const std::size_t w : used) {
        const Wavelet& wavelet = survey.wavelets[w];
        gather.wavelets.type = {wavelet.type};
        gather.wavelets.peak_frequency_hz = {wavelet.peak_frequency_hz};
        gather.wavelets.signal = sample_signature(wavelet, time);
        for (ReportWavelet& one : wavelets_of(gather)) wavelets.push_back(std::move(one));
    }
    return wavelets;
}

/// What the files of a run hold, and how it came about.
struct FinishedRun {
    std::optional<SeismogramReader> seismograms;
    std::optional<SnapshotReader> snapshots;
    Remade made;
    ReportChoice choice;
    std::vector<std::int64_t> shots;
    double highest_frequency_hz = 0.;
};

ReportShot read_shot(const FinishedRun& run, std::size_t index) {
    ReportShot shot;
    shot.shot = run.shots[index];
    if (run.made.plan)
        for (const Shot of_plan = run.made.plan->survey.shots[run.made.plan->survey.shots.index_of(shot.shot)];
             const SourcePoint& source : of_plan.sources)
            shot.sources_m.push_back(source.position_m);
    if (run.seismograms && run.seismograms->has(shot.shot)) {
        const ShotGather header = run.seismograms->header(shot.shot);
        shot.sources_m = header.sources_m;
        shot.gather = read_thinned(*run.seismograms, header, run.choice, run.highest_frequency_hz);
        shot.gather.by_offset = run.made.plan && are_towed(run.made.plan->experiment());
    }
    if (run.made.plan) {
        const Survey& survey = run.made.plan->survey;
        shot.wavelets = wavelets_of(survey, run.made.plan->time, survey.shots[survey.shots.index_of(shot.shot)]);
    }
    if (run.snapshots && run.choice.shows_wavefield(index) && run.snapshots->has(shot.shot)) {
        const Position through = shot.sources_m.empty() ? Position{} : shot.sources_m.front();
        shot.movies = read_movies(run.snapshots->open(shot.shot), through, run.made, run.choice);
    }
    return shot;
}

FinishedRun open_run(const Path& folder, const Json& summary, Report& report) {
    FinishedRun run;
    run.made = remake(folder, report);
    run.seismograms = open_if_there<SeismogramReader>(folder / "seismograms.h5");
    run.snapshots = open_if_there<SnapshotReader>(folder / "snapshots.h5");
    if (run.seismograms)
        run.shots = run.seismograms->shots();
    else if (run.snapshots)
        run.shots = run.snapshots->shots();
    const Json survey = summary.value("survey", Json::object()), time = summary.value("time", Json::object());
    run.highest_frequency_hz = summary.value("sampling", Json::object()).value("highest_frequency_hz", 0.);
    run.choice = choose_for_report(run.shots.size(), survey.value("most_receivers", std::int64_t{1}),
                                   time.value("seismogram_samples", std::int64_t{1}));
    report.survey_shots = run.shots.size();
    note_choice(run.choice, run.shots.size(), report);
    if (!run.made.plan) return run;
    const Plan& plan = *run.made.plan;
    map_survey(plan.survey.shots, report);
    const Model* model = run.made.model ? &*run.made.model : nullptr;
    for (const ReportSection& section :
         sections_of_shot(plan.domain, plan.config.boundary, plan.survey.shots.front(), Fineness::model, model))
        report.planes.push_back(section.plane);
    return run;
}

}  // namespace

AtomicFile stage_report_of_run(const Path& folder, const Path& page, bool overwrite) try {
    Report report;
    const Json summary = read_summary(folder, report.summary);
    if (std::filesystem::exists(folder / "config.yaml"))
        report.config_yaml = valid_utf8(text_of(folder / "config.yaml"));
    const FinishedRun run = open_run(folder, summary, report);
    std::vector<PutShot> shots;
    for (const std::size_t index : run.choice.shots)
        shots.emplace_back([&run, index](const PutText& put) {
            throw_if_interrupted();
            ReportShot shot = read_shot(run, index);
            put_report_shot(shot, run.choice, put);
        });
    const TextSource text = [&](const auto& put) { put_report(report, shots, put); };
    return stage_text_file(page, text, overwrite);
} catch (const Json::exception& fault) {
    // Its own words follow "[json.exception.type_error.302] ".
    const std::string_view what = fault.what();
    throw Error(ExitCode::bad_data, shown(folder / kSummaryName) +
                                        ": is not as Onda wrote it: " + printable(what.substr(what.find("] ") + 2)));
}

namespace {

/// Whether a run may leave this file in the folder.
bool belongs_to(const Path& folder, const Path& file) {
    std::error_code unseen;
    const Path beside = file.has_parent_path() ? file.parent_path() : ".";
    return is_result_name(file.filename().string()) && std::filesystem::equivalent(folder, beside, unseen) &&
           std::filesystem::is_regular_file(folder / kSummaryName);
}

/// The summary of a folder without its seal, if it is Onda's own.
std::optional<Json> own_summary(const Path& folder) {
    const std::string text = text_of(folder / kSummaryName);
    if (!seal_holds(text)) return {};
    Json summary = Json::parse(text);
    summary.erase("summary_hash");
    return summary;
}

/// Takes what has the name out of a list of files. \returns the list, made if there is none.
Json& without(Json& summary, const char* list, const std::string& name) {
    Json& files = summary[list];
    if (files.is_null()) files = Json::array();
    std::erase_if(files.get_ref<Json::array_t&>(), [&](const Json& listed) { return listed.at("name") == name; });
    return files;
}

/// Keeps other processes from listing files in a summary at the same time, of which one would be lost, as long as it
/// lives. The lock is one of the log, the only file of a run that is never replaced; where there is none, or there are
/// no locks, or a process holds it and does not go on, nothing is kept.
Descriptor lock_listing(const Path& folder) {
    constexpr int most_attempts = 1000;
    Descriptor log(::open((folder / kLogName).c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    for (int attempt = 0; log.id() >= 0 && attempt < most_attempts; ++attempt) {
        if (::fcntl(log.id(), F_OFD_SETLK, &whole) == 0 || (errno != EAGAIN && errno != EACCES)) break;
        throw_if_interrupted();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return log;
}

}  // namespace

void commit_listed(const Path& run_folder, AtomicFile file) {
    const Path folder = run_folder.empty() ? "." : run_folder;
    if (!belongs_to(folder, file.path())) return file.commit();
    const Descriptor turn = lock_listing(folder);
    std::optional<Json> summary;
    try {
        summary = own_summary(folder);
    } catch (...) {
        file.commit();  // what was made is not lost with a summary that cannot be read
        throw;
    }
    if (!summary) return file.commit();
    const auto write = [&] { write_text_file(folder / kSummaryName, sealed(json_text(*summary) + "\n"), true); };
    const FileRecord record = record_of(file.temporary(), file.path().filename().string());
    const Json listed{{"name", record.name}, {"bytes", record.bytes}, {"hash", record.hash}};
    // Others may be there, of a process that was killed: they are all that proves its file.
    without(*summary, kComingFiles, record.name).push_back(listed);
    write();
    file.commit();
    Json& files = without(*summary, "files", record.name);
    files.insert(files.begin(), listed);
    if (without(*summary, kComingFiles, record.name).empty()) summary->erase(kComingFiles);
    write();
}

}  // namespace onda
