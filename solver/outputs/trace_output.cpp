#include "solver/outputs/trace_output.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <spdlog/fmt/fmt.h>

#include "io/files/interruption.hpp"
#include "io/results/trace_file.hpp"
#include "io/text/saturating.hpp"
#include "solver/outputs/seismogram_output.hpp"
#include "solver/plan/forecast.hpp"
#include "solver/program/build.hpp"

namespace onda {
namespace {

TraceFormat segy_format(const Plan& plan) {
    return plan.config.output.seismograms.segy == "ibm" ? TraceFormat::segy_ibm : TraceFormat::segy_ieee;
}

/// The farthest that a place of the grid, and so a source or a receiver, is from zero along an axis.
double farthest_m(const Grid& grid) {
    double farthest = 0.;
    for (std::size_t a = 0; a < 3; ++a) {
        const double first = grid.origin_m[a], last = first + static_cast<double>(grid.n[a] - 1) * grid.spacing_m[a];
        farthest = std::max({farthest, std::abs(first), std::abs(last)});
    }
    return farthest;
}

TraceFileContents contents_of(const Plan& plan, TraceFormat format) {
    return {.format = format,
            .program = fmt::format("Onda {}", build().version),
            .title = plan.config.title,
            .dimensions = plan.grid.dimensions,
            .dt_s = plan.time.output_dt_s,
            .samples = plan.time.output_samples,
            .most_receivers = plan.survey.size.most_receivers,
            .parts = coordinate_parts(farthest_m(plan.grid))};
}

/// What a row needs beside what all formats have.
struct TraceRow {
    const OutputFormat& format;
    std::string_view name;
    TraceFormat (*samples)(const Plan& plan);
};

class TracesOfShot : public ShotOutput {
public:
    TracesOfShot(const ShotPlace& place, const TraceFileContents& contents, std::int64_t traces_before)
        : file_(place.file), contents_(contents), traces_before_(traces_before) {}

    void take_gather(const ShotGather& gather) override {
        TraceFileWriter writer(file_, contents_, true);
        writer.write(gather, traces_before_);
        written_ = writer.finish();
    }
    std::optional<AtomicFile> finish() override { return std::move(written_); }

private:
    std::filesystem::path file_;
    const TraceFileContents& contents_;
    std::int64_t traces_before_;
    std::optional<AtomicFile> written_;
};

/// A shot has a file of its own where that is what the survey leaves. The few small shots of other surveys are taken
/// from their HDF5 files in the end: written twice, every trace would be on disk four times meanwhile.
class Traces : public RunOutput {
public:
    Traces(const Plan& plan, const TraceRow& row)
        : row_(row),
          contents_(contents_of(plan, row.samples(plan))),
          of_shots_(plan.survey.shots.size() == 1 || keeps_shot_files(plan)) {
        std::int64_t traces = 0;
        for (const Shot& shot : plan.survey.shots) {
            traces_before_.push_back(traces);
            traces += std::ssize(shot.receivers);
        }
    }

    std::unique_ptr<ShotOutput> begin(const ShotPlace& place) override {
        if (!of_shots_ || place.shot.receivers.empty()) return nullptr;
        return std::make_unique<TracesOfShot>(place, contents_, traces_before_[place.index]);
    }
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey& survey) const override {
        std::vector<AtomicFile> files;
        if (survey.assembly == Assembly::only_shot) files.push_back(survey.second_name(row_.format, row_.name));
        if (survey.assembly == Assembly::copies) files.push_back(copied(survey));
        return files;
    }

private:
    [[nodiscard]] AtomicFile copied(const FinishedSurvey& survey) const {
        TraceFileWriter writer(survey.results / row_.name, contents_, survey.overwrite);
        for (std::size_t i = 0; i < survey.shots.size(); ++i) {
            throw_if_interrupted();
            const ShotRecord& shot = survey.shots[i];
            if (const FileRecord& file = file_of(shot, kSeismogramFormat); !file.name.empty())
                writer.write(read_gather(survey.folder / file.name, shot.shot), traces_before_[i]);
        }
        return writer.finish();
    }

    const TraceRow& row_;
    TraceFileContents contents_;
    bool of_shots_;
    std::vector<std::int64_t> traces_before_;  ///< each shot
};

std::int64_t predicted_bytes(const Plan& plan, TraceFormat format) {
    return trace_file_bytes(format, plan.survey.size.receivers, plan.time.output_samples);
}

constexpr std::string_view kSegyName = "seismograms.segy", kSuName = "seismograms.su";
constexpr TraceRow kSegyRow{kSegyFormat, kSegyName, segy_format};
constexpr TraceRow kSuRow{kSuFormat, kSuName, [](const Plan&) { return TraceFormat::su; }};

}  // namespace

constinit const OutputFormat kSegyFormat{
    .column = "segy",
    .shot_file = kSegyName,
    .is_result = [](std::string_view name) { return name == kSegyName; },
    .is_wanted =
        [](const Plan& plan) {
            return plan.config.output.seismograms.segy != "none" && plan.survey.size.most_receivers > 0;
        },
    .make = [](const Plan& plan, const Model&) -> std::unique_ptr<RunOutput> {
        return std::make_unique<Traces>(plan, kSegyRow);
    },
    .predicted_bytes = [](const Plan& plan, std::int64_t) { return predicted_bytes(plan, segy_format(plan)); },
    .own_file_bytes = [] { return trace_file_head_bytes(TraceFormat::segy_ieee); },
};

constinit const OutputFormat kSuFormat{
    .column = "su",
    .shot_file = kSuName,
    .is_result = [](std::string_view name) { return name == kSuName; },
    .is_wanted =
        [](const Plan& plan) { return plan.config.output.seismograms.su && plan.survey.size.most_receivers > 0; },
    .make = [](const Plan& plan, const Model&) -> std::unique_ptr<RunOutput> {
        return std::make_unique<Traces>(plan, kSuRow);
    },
    .predicted_bytes = [](const Plan& plan, std::int64_t) { return predicted_bytes(plan, TraceFormat::su); },
    .own_file_bytes = [] { return trace_file_head_bytes(TraceFormat::su); },
};

void check_trace_files(const Plan& plan) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const SeismogramConfig& wanted = plan.config.output.seismograms;
    if ((wanted.segy == "none" && !wanted.su) || plan.survey.size.most_receivers == 0) return;
    const auto refuse = [&](const std::string& what, const std::string& limit) {
        plan.config.origin.fault(wanted.su ? "output.seismograms.su" : "output.seismograms.segy",
                                 fmt::format("{}; the headers of its traces hold {}{}", what, most, limit));
    };
    if (coordinate_parts(farthest_m(plan.grid)) == 0)
        refuse(fmt::format("the grid reaches {:.6g} m from zero", farthest_m(plan.grid)),
               " m at most: choose a grid.origin_m nearer to zero");
    const std::int64_t last = plan.survey.shots.id(plan.survey.shots.size() - 1);
    if (last > most) refuse(fmt::format("there is a shot {}", last), " at most");
    if (plan.survey.size.receivers > most)
        refuse(fmt::format("the survey has {} traces", plan.survey.size.receivers), " at most");
}

}  // namespace onda
