#include "solver/survey/recorded_survey.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "io/models/field_geometry.hpp"
#include "io/results/recorded_data.hpp"
#include "io/results/result_reader.hpp"

namespace onda {
namespace {

using Place = std::array<double, 3>;

/// A shot as its traces tell it.
struct RecordedShot {
    std::int64_t number = 0;
    std::vector<Place> sources_m, receivers_m;
};

std::vector<RecordedShot> shots_of_seismograms(const std::filesystem::path& file) {
    const SeismogramReader reader(file);
    std::vector<RecordedShot> shots;
    for (const std::int64_t number : reader.shots()) {
        const ShotGather header = reader.header(number);
        shots.push_back({number, header.sources_m, header.receivers_m});
    }
    return shots;
}

/// The shots of traces, in the order of their first ones.
std::vector<RecordedShot> shots_of_traces(const std::vector<RecordedTrace>& traces) {
    std::vector<RecordedShot> shots;
    std::map<Place, std::size_t> index;
    std::map<std::int64_t, std::set<std::size_t>> of_record;
    std::vector<std::set<std::int64_t>> records;
    for (const RecordedTrace& trace : traces) {
        const auto [at, is_new] = index.try_emplace(trace.source_m, shots.size());
        if (is_new) {
            shots.push_back({0, {trace.source_m}, {}});
            records.emplace_back();
        }
        shots[at->second].receivers_m.push_back(trace.receiver_m);
        records[at->second].insert(trace.record);
        of_record[trace.record].insert(at->second);
    }
    const bool by_record = of_record.begin()->first >= 1 &&
                           std::ranges::all_of(of_record, [](const auto& row) { return row.second.size() == 1; }) &&
                           std::ranges::all_of(records, [](const auto& of) { return of.size() == 1; });
    for (std::size_t i = 0; i < shots.size(); ++i)
        shots[i].number = by_record ? *records[i].begin() : static_cast<std::int64_t>(i) + 1;
    return shots;
}

RecordedSurvey survey_of_shots(const std::vector<RecordedShot>& shots) {
    RecordedSurvey survey;
    const bool is_fixed = std::ranges::all_of(
        shots, [&](const RecordedShot& shot) { return shot.receivers_m == shots.front().receivers_m; });
    for (const RecordedShot& shot : shots) {
        auto& sources = survey.sources;
        sources.position_m.insert(sources.position_m.end(), shot.sources_m.begin(), shot.sources_m.end());
        sources.shot.insert(sources.shot.end(), shot.sources_m.size(), shot.number);
        if (is_fixed && &shot != &shots.front()) continue;
        auto& receivers_m = survey.receivers.position_m;
        receivers_m.insert(receivers_m.end(), shot.receivers_m.begin(), shot.receivers_m.end());
        if (!is_fixed) survey.receivers.shot.insert(survey.receivers.shot.end(), shot.receivers_m.size(), shot.number);
    }
    survey.sources.amplitude.assign(survey.sources.position_m.size(), 1.);
    return survey;
}

RecordedSurvey survey_of_field(const std::filesystem::path& file) {
    FieldGeometry geometry = read_field_geometry(file);
    RecordedSurvey survey;
    if (geometry.shots.empty()) {
        survey.sources.amplitude.assign(geometry.sources_m.size(), 1.);
        survey.sources.position_m = std::move(geometry.sources_m);
        survey.receivers.position_m = std::move(geometry.receivers_m);
    } else {
        std::vector<RecordedShot> shots;
        std::set<std::int64_t> numbers;
        for (FieldShot& shot : geometry.shots) {
            numbers.insert(shot.number);
            shots.push_back({shot.number, {shot.source_m}, std::move(shot.receivers_m)});
        }
        if (numbers.size() < shots.size() || *numbers.begin() < 1)
            for (std::size_t i = 0; i < shots.size(); ++i) shots[i].number = static_cast<std::int64_t>(i) + 1;
        survey = survey_of_shots(shots);
    }
    survey.has_source_depths = geometry.has_source_depths;
    survey.units = std::move(geometry.units);
    return survey;
}

}  // namespace

bool tells_survey(const std::filesystem::path& file) {
    return is_trace_file(file) || is_field_geometry(file) ||
           (file.extension() == ".h5" && kind_of_file(file) == FileKind::seismograms);
}

RecordedSurvey read_recorded_survey(const std::filesystem::path& file, const TraceBytes& bytes) {
    if (is_field_geometry(file)) return survey_of_field(file);
    return survey_of_shots(is_trace_file(file) ? shots_of_traces(RecordedData({file}, bytes).traces())
                                               : shots_of_seismograms(file));
}

}  // namespace onda
