#include "solver/survey/survey.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "io/text/saturating.hpp"
#include "solver/survey/encoding.hpp"
#include "solver/survey/firing.hpp"
#include "solver/survey/receiver_parts.hpp"
#include "solver/survey/shots_data.hpp"
#include "solver/survey/survey_entries.hpp"
#include "solver/survey/survey_wavelets.hpp"

namespace onda {
namespace {

std::vector<FaceLayer> free_surfaces(const Grid& grid, const Faces& faces) {
    std::array<double, 6> depth{};
    for (int face = 0; face < 6; ++face)
        if (faces.halos[face] == Halo::mirror_negative) depth[face] = kSamePlace;
    return face_layers(grid, depth);
}

std::vector<FaceLayer> strips(const Grid& grid, const Faces& faces) {
    std::array<double, 6> depth{};
    for (int face = 0; face < 6; ++face) depth[face] = static_cast<double>(faces.nodes_inside[face]) - kSamePlace;
    return face_layers(grid, depth);
}

std::vector<SourceGroup> read_source_entries(const std::vector<SourceConfig>& sources, const EntryReading& reading,
                                             const Faces& faces) {
    const auto surfaces = free_surfaces(reading.grid, faces);
    std::vector<SourceGroup> entries;
    std::int64_t room = kMostSources;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        entries.push_back(read_source_entry(reading, sources[i], i, room, surfaces));
        room -= entries.back().places.positions.size();
    }
    return entries;
}

std::vector<ReceiverGroup> read_receiver_entries(const std::vector<ReceiverConfig>& receivers,
                                                 const EntryReading& reading) {
    std::vector<ReceiverGroup> entries;
    for (std::size_t i = 0; i < receivers.size(); ++i) entries.push_back(read_receiver_entry(reading, receivers[i], i));
    return entries;
}

void add_sources(const std::vector<SourceGroup>& entries, const SurveySections& sections, const ConfigOrigin& origin,
                 SurveyWavelets& wavelets, Survey& survey, Shots::Data& data) {
    FreeShotNumbers free_numbers(entries);
    std::vector<std::int32_t> entry_of;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const SourceGroup& entry = entries[i];
        const std::size_t signal = wavelets.signal_of(sections.sources[i], i);
        const Positions& positions = entry.places.positions;
        if (positions.size() > 1) {
            data.id.reserve(data.id.size() + positions.size());
            data.sources.reserve(data.sources.size() + positions.size());
        }
        for (std::int64_t k = 0; k < positions.size(); ++k) {
            const std::int64_t shot = entry.shot.empty() ? free_numbers.next() : entry.shot[k];
            if (shot < 0)
                origin.fault(fmt::format("sources[{}]", i), fmt::format("shot {}: must not be negative", shot));
            data.id.push_back(shot);
            entry_of.push_back(static_cast<std::int32_t>(i));
            data.sources.push_back({positions[k], entry.amplitude.size() == 1 ? entry.amplitude[0] : entry.amplitude[k],
                                    wavelets.in_shot(signal, shot)});
        }
    }
    if (data.id.empty()) origin.fault("sources", "there is no source: a run needs at least one");
    if (!std::ranges::is_sorted(data.id)) {
        const auto order = ascending(data.id);
        permute(data.id, order);
        permute(data.sources, order);
        permute(entry_of, order);
    }
    data.first_source = group(data.id);
    survey.firing = describe_firing(entries, data, entry_of);
}

/// Where interpolation weights of a source reach into absorbing strips, beside a source on the nodes.
std::vector<FaceLayer> near_strips(const Grid& grid, const Faces& faces) {
    std::array<double, 6> depth{};
    for (int face = 0; face < 6; ++face) {
        const auto inside = static_cast<double>(faces.nodes_inside[face]);
        if (inside > 0. || faces.nodes_beyond[face] > 0) depth[face] = inside + kPointRadius;
    }
    return face_layers(grid, depth);
}

/// The rows that a source becomes at most: one for each of its nodes along axes where it is near strips.
std::int64_t rows_of(const Grid& grid, std::span<const FaceLayer> near, const Position& position_m) {
    std::array<bool, 3> split{};
    for (const FaceLayer& layer : near)
        if (layer.holds(position_m[static_cast<std::size_t>(layer.axis)]))
            split[static_cast<std::size_t>(layer.axis)] = true;
    Position on_nodes = position_m;
    for (std::size_t a = 0; a < 3; ++a)
        if (!split[a]) on_nodes[a] = grid.origin_m[a];
    return weighted_nodes(grid, on_nodes);
}

/// The size of the survey of the shots that are selected.
SurveySize size_of(const Grid& grid, const Faces& faces, const Shots::Data& data, const ReceiverCounts& receivers,
                   const NumberSelection& selection) {
    const std::vector<FaceLayer> near = near_strips(grid, faces);
    SurveySize size;
    for (std::size_t shot = 0; shot < data.id.size(); ++shot) {
        if (!selection.contains(data.id[shot])) continue;
        std::int64_t nodes = 0, rows = 0;
        for (std::int64_t s = data.first_source[shot]; s < data.first_source[shot + 1]; ++s) {
            nodes += weighted_nodes(grid, data.sources[s].position_m);
            rows += rows_of(grid, near, data.sources[s].position_m);
        }
        const std::int64_t sources = data.first_source[shot + 1] - data.first_source[shot];
        size.sources += sources;
        size.most_source_rows = std::max(size.most_source_rows, rows);
        size.most_source_nodes = std::max(size.most_source_nodes, nodes);
        size.most_sources = std::max(size.most_sources, sources);
        size.most_receivers = std::max(size.most_receivers, receivers.of(shot));
        size.most_receiver_rows = size.most_receivers;
        size.most_receiver_nodes = std::max(size.most_receiver_nodes, receivers.nodes_of(shot));
        size.receivers = saturating_sum(size.receivers, receivers.of(shot));
        ++size.shots_of_receivers[receivers.of(shot)];
    }
    return size;
}

void check_something_is_left(const SurveySections& sections, const Shots::Data& data, const ReceiverCounts& receivers,
                             const ConfigOrigin& origin) {
    if (sections.output.snapshots.enabled()) return;
    if (sections.receivers.empty()) origin.fault("", "nothing would be recorded: give receivers or output.snapshots");
    for (std::size_t shot = 0; shot < data.id.size(); ++shot)
        if (receivers.of(shot) == 0)
            origin.fault(
                "receivers",
                fmt::format("shot {} has no receivers, and no snapshots are requested: the run would record nothing",
                            data.id[shot]));
}

/// What runs, but probably not as meant.
void add_warnings(const SurveyWavelets& wavelets, double duration_s, const Grid& grid, const Faces& faces,
                  const Shots::Data& data, Survey& survey) {
    const auto absorbing = strips(grid, faces);
    const std::int64_t sources = std::ranges::count_if(
        data.sources, [&](const SourcePoint& source) { return layer_with(absorbing, source.position_m) != nullptr; });
    const auto warn = [&](const LayerCount& in_layers, std::int64_t of, std::string_view what) {
        if (in_layers.count > 0)
            survey.warnings.push_back(
                fmt::format("{}{} of {} {}", in_layers.exact ? "" : "about ", in_layers.count, of, what));
    };
    for (const auto& doubts : {doubts_of_sources(grid, data), doubts_of_receivers(grid, data)})
        survey.warnings.insert(survey.warnings.end(), doubts.begin(), doubts.end());
    warn({sources}, survey.size.sources, "sources lie in an absorbing zone, which damps the waves they radiate");
    warn(count_receivers_in(data, absorbing), survey.size.receivers,
         "receivers lie in an absorbing zone, which damps the waves they record");
    warn(count_receivers_in(data, free_surfaces(grid, faces)), survey.size.receivers,
         "receivers lie on the free surface, where the pressure is zero: they record nothing");
    const std::vector<std::string> of_wavelets = wavelets.warnings(duration_s);
    survey.warnings.insert(survey.warnings.end(), of_wavelets.begin(), of_wavelets.end());
}

}  // namespace

std::int64_t bytes_of_survey(const Survey& survey) {
    constexpr std::int64_t of_source = 56, of_sample = sizeof(double);
    std::int64_t bytes = saturating_product(survey.size.sources, of_source);
    for (const Wavelet& wavelet : survey.wavelets)
        if (wavelet.series)
            bytes = saturating_sum(bytes, saturating_product(std::ssize(wavelet.series->amplitude), of_sample));
    return bytes;
}

const Shots& Survey::observed_shots() const {
    return encoding ? encoding->shots : shots;
}

double Survey::highest_frequency_hz() const {
    double highest = 0.;
    for (const Wavelet& wavelet : wavelets) highest = std::max(highest, wavelet.highest_frequency_hz);
    return highest;
}

HighestFrequency Survey::highest_frequency() const {
    const Wavelet& highest = *std::ranges::max_element(wavelets, {}, &Wavelet::highest_frequency_hz);
    return {highest.highest_frequency_hz, highest.given_peak_hz};
}

namespace {

/// A Gaussian has its peak at 0: there, the frequency of which it has as much as a Ricker wavelet of its peak.
double peak_or_alike_hz(const Wavelet& wavelet) {
    constexpr double band_edge_over_peak = 2.7;
    return wavelet.peak_frequency_hz > 0. ? wavelet.peak_frequency_hz
                                          : wavelet.highest_frequency_hz / band_edge_over_peak;
}

}  // namespace

double Survey::lowest_peak_frequency_hz() const {
    return wavelets.empty() ? 0. : peak_or_alike_hz(*std::ranges::min_element(wavelets, {}, peak_or_alike_hz));
}

double Survey::highest_peak_frequency_hz() const {
    return wavelets.empty() ? 0. : peak_or_alike_hz(*std::ranges::max_element(wavelets, {}, peak_or_alike_hz));
}

Survey make_survey(const SurveySections& sections, const Grid& grid, const Faces& faces, const ConfigOrigin& origin) {
    StageFaults faults(origin);
    std::vector<std::string> of_entries;
    const EntryReading reading{grid, origin, faults, of_entries, sections.bytes};
    const auto sources = read_source_entries(sections.sources, reading, faces);
    const auto receivers = read_receiver_entries(sections.receivers, reading);
    faults.raise_if_any();

    Survey survey;
    Shots::Data data;
    SurveyWavelets wavelets(sections.wavelet, origin);
    add_sources(sources, sections, origin, wavelets, survey, data);
    wavelets.check_centres(sections.time.duration_s);
    ReceiverParts parts(grid, data, faults);
    for (const ReceiverGroup& entry : receivers) parts.add(entry);
    parts.flush();
    faults.raise_if_any();
    survey.encoding = encode(sections.survey, data, origin);
    if (survey.encoding) survey.firing = describe_encoding(sections.survey, *survey.encoding);
    const ReceiverCounts counts = count_receivers(grid, data);
    check_something_is_left(sections, data, counts, origin);
    survey.size = size_of(grid, faces, data, counts, {});
    survey.warnings = std::move(of_entries);
    add_warnings(wavelets, sections.time.duration_s, grid, faces, data, survey);
    survey.signals = wavelets.descriptions();
    survey.wavelets = std::move(wavelets).take();
    if (!sections.shots.is_all()) survey.size = size_of(grid, faces, data, counts, sections.shots);
    survey.shots = Shots(std::make_shared<const Shots::Data>(std::move(data)));
    check_are_shots(sections.shots, survey.shots, origin);
    survey.shots = survey.shots.only(sections.shots);
    return survey;
}

void check_are_shots(const NumberSelection& selection, const Shots& shots, const ConfigOrigin& origin) {
    if (const auto missing = selection.missing_from(shots.size(), [&shots](std::size_t i) { return shots.id(i); }))
        origin.value_fault(
            "imaging.shots",
            fmt::format("there is no shot {}: the survey has {} shot{}, numbered {} to {}", *missing, shots.size(),
                        shots.size() == 1 ? "" : "s", shots.id(0), shots.id(shots.size() - 1)));
}

}  // namespace onda
