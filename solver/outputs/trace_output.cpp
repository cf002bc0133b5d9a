#include "solver/outputs/trace_output.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "io/files/interruption.hpp"
#include "io/results/gather_file.hpp"
#include "io/results/trace_file.hpp"
#include "io/text/saturating.hpp"
#include "solver/outputs/seismogram_output.hpp"
#include "solver/plan/experiment.hpp"
#include "solver/program/build.hpp"

namespace onda {
namespace {

/// The farthest that a place of the grid, and so a source or a receiver, is from zero along an axis.
double farthest_m(const Grid& grid) {
    double farthest = 0.;
    for (std::size_t a = 0; a < 3; ++a) {
        const double first = grid.origin_m[a], last = first + static_cast<double>(grid.n[a] - 1) * grid.spacing_m[a];
        farthest = std::max({farthest, std::abs(first), std::abs(last)});
    }
    return farthest;
}

GatherContents contents_of(const Experiment& experiment) {
    GatherContents contents;
    contents.program = fmt::format("Onda {}", build().version);
    contents.title = experiment.config.title;
    const Grid& grid = experiment.domain.grid;
    contents.dimensions = grid.dimensions;
    contents.grid = {grid.dimensions, grid.n, grid.spacing_m, grid.origin_m};
    contents.farthest_m = farthest_m(grid);
    contents.dt_s = experiment.time.output_dt_s;
    contents.samples = experiment.time.output_samples;
    for (const auto& [receivers, shots] : experiment.survey.size.shots_of_receivers)
        if (receivers > 0) contents.shots += shots;
    contents.traces = experiment.survey.size.receivers;
    contents.most_receivers = experiment.survey.size.most_receivers;
    contents.last_shot = experiment.survey.shots.id(experiment.survey.shots.size() - 1);
    return contents;
}

/// What a row needs beside what all formats have.
struct TraceRow {
    std::string_view format;  ///< of gather_formats()
    std::string_view name;
    std::string (*samples)(const SeismogramConfig& config);
};

/// "seismograms.segy", "seismograms.velocity_z.segy".
std::string name_of(const TraceRow& row, const GatherQuantity& quantity) {
    std::string name(row.name);
    if (&quantity != &kPressure) name.insert(name.rfind('.'), "." + std::string(quantity.name));
    return name;
}

/// All shots in one file, in the end, from their HDF5 files: whatever a survey keeps of its shots, other programs get
/// it as one line, and no trace is on disk twice meanwhile.
class Traces : public RunOutput {
public:
    Traces(const Experiment& experiment, const TraceRow& row)
        : row_(row), samples_(row.samples(experiment.config.output.seismograms)), contents_(contents_of(experiment)) {
        const std::vector<const GatherQuantity*>& motion = experiment.survey.motion.written;
        quantities_.insert(quantities_.end(), motion.begin(), motion.end());
    }

    std::unique_ptr<ShotOutput> begin(const ShotPlace& /*place*/) override { return nullptr; }
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey& survey) const override {
        std::vector<std::unique_ptr<GatherFile>> files;
        for (const GatherQuantity* const quantity : quantities_) {
            GatherContents contents = contents_;
            contents.quantity = quantity;
            files.push_back(
                gather_format(row_.format)
                    .open({survey.results / name_of(row_, *quantity), samples_, survey.overwrite}, contents));
        }
        for (const ShotRecord& shot : survey.shots) {
            throw_if_interrupted();
            const FileRecord& kept = file_of(shot, kSeismogramFormat);
            if (kept.name.empty()) continue;
            const ShotGather gather = read_gather(survey.folder / kept.name, shot.shot);
            for (std::size_t i = 0; i < files.size(); ++i) {
                files[i]->begin_shot(gather);
                files[i]->put(i == 0 ? gather.pressure : gather.motion.at(i - 1).values);
            }
        }
        std::vector<AtomicFile> all;
        for (const auto& file : files)
            for (AtomicFile& each : file->finish()) all.push_back(std::move(each));
        return all;
    }

private:
    const TraceRow& row_;
    std::string samples_;
    GatherContents contents_;
    std::vector<const GatherQuantity*> quantities_{
        &kPressure};  ///< a file for each, in the order of ShotGather::motion
};

std::int64_t predicted_bytes(const Experiment& experiment, std::string_view format) {
    return saturating_product(gather_format(format).bytes(contents_of(experiment)),
                              1 + std::ssize(experiment.survey.motion.written));
}

bool is_trace_result(const TraceRow& row, std::string_view name) {
    return name == row.name || std::ranges::any_of(particle_motions(), [&](const GatherQuantity& quantity) {
               return name == name_of(row, quantity);
           });
}

constexpr std::string_view kSegyName = "seismograms.segy", kSuName = "seismograms.su";
constexpr TraceRow kSegyRow{"segy", kSegyName, [](const SeismogramConfig& config) { return config.segy; }};
constexpr TraceRow kSuRow{"su", kSuName, [](const SeismogramConfig&) { return std::string(); }};

}  // namespace

constinit const OutputFormat kSegyFormat{
    .column = "",
    .shot_file = "",
    .is_result = [](std::string_view name) { return is_trace_result(kSegyRow, name); },
    .is_wanted =
        [](const Experiment& experiment) {
            return experiment.config.output.seismograms.segy != "none" && writes_seismograms(experiment);
        },
    .make = [](const Experiment& experiment, const Model&) -> std::unique_ptr<RunOutput> {
        return std::make_unique<Traces>(experiment, kSegyRow);
    },
    .predicted_bytes = [](const Experiment& experiment, const Placement&,
                          std::int64_t) { return predicted_bytes(experiment, kSegyRow.format); },
};

constinit const OutputFormat kSuFormat{
    .column = "",
    .shot_file = "",
    .is_result = [](std::string_view name) { return is_trace_result(kSuRow, name); },
    .is_wanted =
        [](const Experiment& experiment) {
            return experiment.config.output.seismograms.su && writes_seismograms(experiment);
        },
    .make = [](const Experiment& experiment, const Model&) -> std::unique_ptr<RunOutput> {
        return std::make_unique<Traces>(experiment, kSuRow);
    },
    .predicted_bytes = [](const Experiment& experiment, const Placement&,
                          std::int64_t) { return predicted_bytes(experiment, kSuRow.format); },
};

void check_trace_files(const Experiment& experiment) {
    const SeismogramConfig& wanted = experiment.config.output.seismograms;
    if ((wanted.segy == "none" && !wanted.su) || experiment.survey.size.most_receivers == 0) return;
    const GatherContents contents = contents_of(experiment);
    const auto refuse = [&](const std::string& unfit, const char* advice) {
        if (unfit.empty()) return;
        experiment.config.origin.fault(wanted.su ? "output.seismograms.su" : "output.seismograms.segy", unfit + advice);
    };
    refuse(unfit_places(contents.farthest_m), ": choose a grid.origin_m nearer to zero");
    refuse(unfit_shot(contents.last_shot), "");
    refuse(unfit_traces(contents.traces), "");
}

}  // namespace onda
