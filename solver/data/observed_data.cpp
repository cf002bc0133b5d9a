#include "solver/data/observed_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/results/recorded_data.hpp"
#include "io/results/result_reader.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/data/data_preparation.hpp"
#include "solver/data/trace_matching.hpp"

namespace onda {

class ObservedData::Kind {
public:
    virtual ~Kind() = default;
    /// The traces of a shot at the samples of the run, [receiver][sample].
    [[nodiscard]] virtual std::vector<float> traces(const Shot& shot) const = 0;
};

namespace {

/// What is wanted of files.
struct Wanted {
    Shots shots;
    WantedSamples samples;
    double tolerance_m;
    NumberSelection receivers;  ///< whose traces count; those of others are not looked at
    TraceBytes bytes;

    [[nodiscard]] bool counts(std::size_t receiver) const {
        return receivers.contains(static_cast<std::int64_t>(receiver) + 1);
    }
};

constexpr double kSamePlaceInNodes = 1e-3;
constexpr double kMostLost = 0.01;          // of the energy, by resampling
constexpr std::size_t kReadTogether = 256;  // traces

[[noreturn]] void refuse(const std::string& data, const std::string& fault) {
    throw Error(ExitCode::bad_data, data + ": " + fault);
}

std::string text_of(const Position& position) {
    return fmt::format("({:.8g}, {:.8g}, {:.8g}) m", position[0], position[1], position[2]);
}

/// The first place of a list that is not where the survey has it; empty where all are.
std::string difference(const char* what, const std::vector<std::array<double, 3>>& there,
                       std::span<const Position> here, double tolerance_m) {
    if (there.size() != here.size())
        return fmt::format("{} {}s there, {} in the survey", there.size(), what, here.size());
    for (std::size_t i = 0; i < here.size(); ++i)
        for (std::size_t a = 0; a < 3; ++a)
            if (!(std::abs(there[i][a] - here[i][a]) <= tolerance_m))
                return fmt::format("{} {} of {} is at {} there, at {} in the survey", what, i + 1, here.size(),
                                   text_of(there[i]), text_of(here[i]));
    return {};
}

/// What resampling records would lose of them, or why it cannot be told; empty where it does no harm.
std::string fault_of_resampling(std::span<const float> records, const RecordAxis& record, double dt_s) {
    if (std::abs(record.dt_s - dt_s) <= 1e-9 * dt_s) return {};
    if (!std::ranges::all_of(records, [](float x) { return std::isfinite(x); }))
        return "samples that are not finite cannot be resampled";
    if (record.dt_s >= dt_s) return {};
    const double kept_hz = highest_kept_hz(dt_s);
    const double lost = energy_above(records, record.samples, record.dt_s, kept_hz);
    if (lost <= kMostLost) return {};
    return fmt::format(
        "{:.2g} % of the energy lies above {:.6g} Hz, which samples every {:.6g} s do not hold (every {:.6g} s there): "
        "set output.seismograms.dt_s to less, or filter the data before",
        100. * lost, kept_hz, dt_s, record.dt_s);
}

/// One seismograms.h5.
class SeismogramsOfSurvey final : public ObservedData::Kind {
public:
    SeismogramsOfSurvey(const std::filesystem::path& file, const Wanted& wanted)
        : name_(shown(file)), wanted_(wanted), reader_(file) {
        const Shots& shots = wanted.shots;
        std::vector<std::int64_t> missing;
        for (std::size_t i = 0; i < shots.size(); ++i)
            if (!reader_.has(shots.id(i))) missing.push_back(shots.id(i));
        if (!missing.empty())
            refuse(name_,
                   fmt::format("has no shot {}{}; it has {} shots, {} to {}", missing.front(),
                               missing.size() > 1 ? fmt::format(" and {} more of the survey", missing.size() - 1) : "",
                               reader_.shots().size(), reader_.shots().front(), reader_.shots().back()));
    }
    [[nodiscard]] std::vector<float> traces(const Shot& shot) const override;

private:
    std::string name_;
    Wanted wanted_;
    SeismogramReader reader_;
};

std::vector<float> SeismogramsOfSurvey::traces(const Shot& shot) const {
    ShotGather gather = reader_.read(shot.id);
    const RecordAxis record{0., gather.dt_s, gather.samples};
    const auto refuse_if = [&](const std::string& fault) {
        if (!fault.empty()) refuse(name_, fmt::format("shot {}: {}", shot.id, fault));
    };
    refuse_if(difference("source", gather.sources_m, shot.source_positions(), wanted_.tolerance_m));
    refuse_if(difference("receiver", gather.receivers_m, shot.receivers.list(), wanted_.tolerance_m));
    const WantedSamples& samples = wanted_.samples;
    refuse_if(fault_of_record(record, samples));
    for (std::size_t i = 0; i < gather.receivers_m.size(); ++i)
        if (!wanted_.counts(i))
            std::fill_n(gather.pressure.begin() + static_cast<std::ptrdiff_t>(i) * gather.samples, gather.samples, 0.f);
    refuse_if(fault_of_resampling(gather.pressure, record, samples.dt_s));
    const bool is_as_wanted = gather.samples == samples.samples && gather.dt_s == samples.dt_s;
    return is_as_wanted ? std::move(gather.pressure) : at_wanted_samples(gather.pressure, record, samples);
}

/// Traces that are found by their places.
class TracesOfSurvey final : public ObservedData::Kind {
public:
    TracesOfSurvey(const std::vector<std::filesystem::path>& files, const Wanted& wanted)
        : wanted_(wanted),
          data_(files, wanted.bytes),
          matching_(data_.traces(), std::max(wanted.tolerance_m, data_.resolution_m())) {
        const Shots& shots = wanted.shots;
        for (std::size_t i = 0; i < shots.size(); ++i) {
            const Position source = shots.sources(i).front().position_m;
            if (matching_.shot_at(source).empty())
                refuse(data_.name(),
                       fmt::format("has no trace of shot {}, whose source is at {}; the first of its {} traces was "
                                   "shot at {}",
                                   shots.id(i), text_of(source), data_.traces().size(),
                                   text_of(data_.traces().front().source_m)));
        }
    }
    [[nodiscard]] std::vector<float> traces(const Shot& shot) const override;

private:
    struct Matched {
        std::size_t receiver, trace;
    };
    /// Traces that begin and end together, and the receivers that they are of.
    struct Group {
        RecordAxis record;
        std::vector<std::size_t> traces, receivers;
    };
    [[nodiscard]] std::vector<Matched> match(const Shot& shot, const std::vector<Position>& places) const;
    [[nodiscard]] std::vector<Group> grouped(const std::vector<Matched>& traces) const;
    [[nodiscard]] std::vector<float> read(const Group& group) const;

    Wanted wanted_;
    RecordedData data_;
    TraceMatching matching_;
};

/// The trace of each receiver that counts.
std::vector<TracesOfSurvey::Matched> TracesOfSurvey::match(const Shot& shot,
                                                           const std::vector<Position>& places) const {
    const auto found = matching_.of_receivers(shot.sources.front().position_m, places);
    std::vector<Matched> traces;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (!wanted_.counts(i)) continue;
        const auto refuse_receiver = [&](const std::string& fault) {
            refuse(data_.name(), fmt::format("shot {}: receiver {} of {} at {} {}", shot.id, i + 1, places.size(),
                                             text_of(places[i]), fault));
        };
        if (found[i].empty()) refuse_receiver(fmt::format("has no trace within {:.6g} m", matching_.tolerance_m()));
        if (found[i].size() > 1)
            refuse_receiver(fmt::format("has {} traces, {} and {} among them: leave one of them there", found[i].size(),
                                        data_.name(found[i][0]), data_.name(found[i][1])));
        traces.push_back({i, found[i].front()});
    }
    return traces;
}

/// Dead traces are in none.
std::vector<TracesOfSurvey::Group> TracesOfSurvey::grouped(const std::vector<Matched>& traces) const {
    std::map<std::pair<std::int64_t, double>, std::vector<Group>> groups;
    for (const Matched& matched : traces) {
        const RecordedTrace& header = data_.traces()[matched.trace];
        if (header.is_dead) continue;
        const RecordAxis record{header.start_s, data_.dt_s(), data_.file_of(matched.trace).samples};
        if (const auto fault = fault_of_record(record, wanted_.samples); !fault.empty())
            refuse(data_.name(), fmt::format("{} {}", data_.name(matched.trace), fault));
        std::vector<Group>& alike = groups[{record.samples, record.start_s}];
        if (alike.empty() || alike.back().traces.size() == kReadTogether) alike.push_back({record, {}, {}});
        alike.back().traces.push_back(matched.trace);
        alike.back().receivers.push_back(matched.receiver);
    }
    std::vector<Group> all;
    for (auto& [key, alike] : groups) std::ranges::move(alike, std::back_inserter(all));
    return all;
}

/// Runs of neighbouring traces are read together.
std::vector<float> TracesOfSurvey::read(const Group& group) const {
    std::vector<float> records;
    for (std::size_t first = 0, end = 0; first < group.traces.size(); first = end) {
        const std::size_t trace = group.traces[first];
        const RecordedData::File& file = data_.file_of(trace);
        for (end = first + 1; end < group.traces.size() && group.traces[end] == trace + (end - first) &&
                              group.traces[end] < file.first + file.count;)
            ++end;
        const std::vector<float> together = data_.read(trace, end - first);
        records.insert(records.end(), together.begin(), together.end());
    }
    return records;
}

std::vector<float> TracesOfSurvey::traces(const Shot& shot) const {
    const std::vector<Position> places = shot.receivers.list();
    const auto length = static_cast<std::ptrdiff_t>(wanted_.samples.samples);
    std::vector<float> values(places.size() * static_cast<std::size_t>(length), 0.f);
    for (const Group& group : grouped(match(shot, places))) {
        const std::vector<float> records = read(group);
        if (const auto fault = fault_of_resampling(records, group.record, wanted_.samples.dt_s); !fault.empty())
            refuse(data_.name(), fmt::format("shot {}: {}", shot.id, fault));
        const std::vector<float> wanted = at_wanted_samples(records, group.record, wanted_.samples);
        for (std::size_t i = 0; i < group.receivers.size(); ++i)
            std::copy_n(wanted.begin() + static_cast<std::ptrdiff_t>(i) * length, length,
                        values.begin() + static_cast<std::ptrdiff_t>(group.receivers[i]) * length);
    }
    return values;
}

std::unique_ptr<ObservedData::Kind> open_kind(const std::vector<std::filesystem::path>& files, const Wanted& wanted) {
    if (files.size() > 1 || is_trace_file(files.front())) return std::make_unique<TracesOfSurvey>(files, wanted);
    return std::make_unique<SeismogramsOfSurvey>(files.front(), wanted);
}

/// What a filter spreads must not come from where nothing was recorded.
double first_needed_s(const ImagingConfig& config) {
    return config.band_pass ? 0. : config.time_window_s.min.value_or(0.);
}

}  // namespace

ObservedSampling observed_sampling(const Grid& grid, const TimeAxis& time) {
    double finest_m = grid.spacing_m[0];
    for (const double spacing_m : grid.derivative_spacings_m()) finest_m = std::min(finest_m, spacing_m);
    return {time.output_dt_s, time.output_samples, kSamePlaceInNodes * finest_m};
}

ObservedData::ObservedData(const ImagingConfig& config, const Shots& shots, const ObservedSampling& sampling,
                           ObservedUse use)
    : sampling_(sampling), gain_(config.gain) {
    const Wanted wanted{shots,
                        {sampling.dt_s, sampling.samples, first_needed_s(config)},
                        sampling.tolerance_m,
                        config.receivers,
                        config.segy_bytes.value_or(TraceBytes{})};
    observed_ = open_kind(config.observed, wanted);
    if (!config.subtract.empty()) subtracted_ = open_kind(config.subtract, wanted);
    if (use == ObservedUse::imaged) band_pass_ = config.band_pass;
}
ObservedData::~ObservedData() = default;
ObservedData::ObservedData(ObservedData&&) noexcept = default;

std::vector<float> ObservedData::traces(const Shot& shot) const {
    std::vector<float> traces = observed_->traces(shot);
    if (subtracted_) {
        const std::vector<float> others = subtracted_->traces(shot);
        for (std::size_t i = 0; i < traces.size(); ++i) traces[i] -= others[i];
    }
    if (gain_) apply_gain(*gain_, traces, sampling_.samples, sampling_.dt_s);
    if (band_pass_) apply_band_pass(*band_pass_, traces, sampling_.samples, sampling_.dt_s);
    return traces;
}

}  // namespace onda
