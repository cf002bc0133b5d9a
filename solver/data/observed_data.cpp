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
#include "solver/survey/encoding.hpp"

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

using KindPointer = std::unique_ptr<ObservedData::Kind>;

/// Whether files are one seismograms.h5.
bool is_one_survey(const std::vector<std::filesystem::path>& files) {
    return files.size() == 1 && !is_trace_file(files.front());
}

KindPointer open_of_shots(const std::vector<std::filesystem::path>& files, const Wanted& wanted) {
    if (is_one_survey(files)) return std::make_unique<SeismogramsOfSurvey>(files.front(), wanted);
    return std::make_unique<TracesOfSurvey>(files, wanted);
}

/// Supershots of what files have of the shots that fire in them.
class SupershotsOfShots final : public ObservedData::Kind {
public:
    SupershotsOfShots(KindPointer shots, std::shared_ptr<const Encoding> encoding, std::int64_t samples)
        : shots_(std::move(shots)), encoding_(std::move(encoding)), samples_(static_cast<std::size_t>(samples)) {}
    [[nodiscard]] std::vector<float> traces(const Shot& shot) const override;

private:
    [[nodiscard]] auto trace_of(auto values, std::size_t receiver) const {
        return values.subspan(receiver * samples_, samples_);
    }
    void mark_dead(std::span<const float> gather, std::vector<bool>& is_dead) const;

    KindPointer shots_;
    std::shared_ptr<const Encoding> encoding_;
    std::size_t samples_;
};

void SupershotsOfShots::mark_dead(std::span<const float> gather, std::vector<bool>& is_dead) const {
    is_dead.resize(gather.size() / samples_, false);
    for (std::size_t receiver = 0; receiver < is_dead.size(); ++receiver)
        if (std::ranges::all_of(trace_of(gather, receiver), [](float value) { return value == 0.f; }))
            is_dead[receiver] = true;
}

void add_encoded(std::span<const float> gather, int code, std::span<float> sum) {
    for (std::size_t i = 0; i < gather.size(); ++i) sum[i] = code > 0 ? sum[i] + gather[i] : sum[i] - gather[i];
}

/// The sum of the gathers with their codes, in the order of the shots. A receiver without a signal in one of them has
/// none in the sum: what is missing there cannot be encoded.
std::vector<float> SupershotsOfShots::traces(const Shot& shot) const {
    const PackedCodes& codes = encoding_->codes;
    std::vector<float> sum;
    std::vector<bool> is_dead;
    for (std::int64_t column = 0; column < codes.columns(); ++column) {
        const std::vector<float> gather = shots_->traces(encoding_->shots[static_cast<std::size_t>(column)]);
        sum.resize(gather.size(), 0.f);
        add_encoded(gather, codes.at(shot.id - 1, column), sum);
        mark_dead(gather, is_dead);
    }
    for (std::size_t receiver = 0; receiver < is_dead.size(); ++receiver)
        if (is_dead[receiver]) std::ranges::fill(trace_of(std::span(sum), receiver), 0.f);
    return sum;
}

/// Whether a seismograms.h5 has the supershots of a survey, and not the shots that fire in them.
/// \throws Error(bad_data) where they are of other codes.
bool has_supershots(const std::filesystem::path& file, const Shots& supershots, const Shots& shots) {
    const SeismogramReader reader(file);
    const std::size_t sources = supershots.sources(0).size();
    const auto of_file = [&](std::int64_t shot) { return reader.open(shot).header.source_amplitude; };
    if (of_file(reader.shots().front()).size() != sources || sources == shots.sources(0).size()) return false;
    for (std::size_t i = 0; i < supershots.size(); ++i) {
        const std::int64_t shot = supershots.id(i);
        if (!reader.has(shot)) continue;  // which is told where shots are looked for
        const std::vector<double> there = of_file(shot);
        const std::span<const SourcePoint> here = supershots.sources(i);
        for (std::size_t s = 0; s < std::min(there.size(), here.size()); ++s)
            if (there[s] * here[s].amplitude < 0.)
                refuse(shown(file), fmt::format("supershot {}: source {} of {} has the opposite sign in the file: it "
                                                "was encoded with other codes (survey.encoding)",
                                                shot, s + 1, here.size()));
    }
    return true;
}

KindPointer open_kind(const std::vector<std::filesystem::path>& files, const Wanted& wanted,
                      const std::shared_ptr<const Encoding>& encoding) {
    if (!encoding) return open_of_shots(files, wanted);
    if (is_one_survey(files) && has_supershots(files.front(), wanted.shots, encoding->shots))
        return open_of_shots(files, wanted);
    Wanted of_shots = wanted;
    of_shots.shots = encoding->shots;
    return std::make_unique<SupershotsOfShots>(open_of_shots(files, of_shots), encoding, wanted.samples.samples);
}

/// What a filter spreads must not come from where nothing was recorded.
double first_needed_s(const ImagingConfig& config) {
    return config.band_pass ? 0. : config.time_window_s.min.value_or(0.);
}

}  // namespace

bool has_supershots(const std::vector<std::filesystem::path>& files, const Survey& survey) {
    return survey.encoding && is_one_survey(files) &&
           has_supershots(files.front(), survey.shots, survey.encoding->shots);
}

ObservedSampling observed_sampling(const Grid& grid, const TimeAxis& time) {
    double finest_m = grid.spacing_m[0];
    for (const double spacing_m : grid.derivative_spacings_m()) finest_m = std::min(finest_m, spacing_m);
    return {time.output_dt_s, time.output_samples, kSamePlaceInNodes * finest_m};
}

ObservedData::ObservedData(const ImagingConfig& config, const Shots& shots, const ObservedSampling& sampling,
                           ObservedUse use, std::shared_ptr<const Encoding> encoding)
    : sampling_(sampling), gain_(config.gain) {
    const Wanted wanted{shots,
                        {sampling.dt_s, sampling.samples, first_needed_s(config)},
                        sampling.tolerance_m,
                        config.receivers,
                        config.segy_bytes.value_or(TraceBytes{})};
    observed_ = open_kind(config.observed, wanted, encoding);
    if (!config.subtract.empty()) subtracted_ = open_kind(config.subtract, wanted, encoding);
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
