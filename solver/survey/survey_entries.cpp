#include "solver/survey/survey_entries.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>
#include <utility>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/program/find_row.hpp"
#include "solver/survey/recorded_survey.hpp"
#include "solver/survey/survey.hpp"

namespace onda {
namespace {

WrittenPosition written_at(const EntryReading& reading, const std::string& key, const std::vector<double>& values) {
    const int dimensions = reading.grid.dimensions;
    if (static_cast<int>(values.size()) != dimensions)
        reading.origin.fault(key, fmt::format("has {} numbers: a {}-D grid needs {}", values.size(), dimensions,
                                              dimensions == 2 ? "two, [x, z]" : "three, [x, y, z]"));
    return {key, dimensions == 2 ? Position{values[0], 0., values[1]} : Position{values[0], values[1], values[2]}};
}

std::int64_t check_count(const EntryReading& reading, const std::string& key, std::int64_t count) {
    if (count < 1) reading.origin.fault(key, fmt::format("{}: must be at least 1", count));
    return count;
}

/// The error of position `i` of a file that has a y in 2-D.
void add_off_plane(const EntryReading& reading, const Places& places, std::int64_t i) {
    reading.faults.add(places.key, fmt::format("{}: y = {:.8g} m in a 2-D run: must be 0 or absent", places.listed(i),
                                               places.positions[i][1]));
}

/// The error of the first position in a file that lies outside the grid. \return whether there is none.
bool check_listed(const EntryReading& reading, const Places& places) {
    const Grid& grid = reading.grid;
    for (std::int64_t i = 0; i < places.positions.size(); ++i) {
        const Position p = places.positions[i];
        const int outside = axis_outside(grid, p);
        const bool off_plane = grid.dimensions == 2 && p[1] != 0.;
        if (outside < 0 && !off_plane) continue;
        if (off_plane && outside != 0)
            add_off_plane(reading, places, i);
        else
            reading.faults.add(places.key, fmt::format("{}: {} lies outside the grid: {}{}", places.listed(i),
                                                       describe(grid, p), extent(grid), outside_hint(grid, p)));
        return false;
    }
    return true;
}

/// Offsets of a file in a 2-D run have no y. Where they lead is checked when the sources are known.
void check_offsets_in_plane(const EntryReading& reading, const Places& places) {
    if (reading.grid.dimensions == 3 || !places.written.empty()) return;
    for (std::int64_t i = 0; i < places.positions.size(); ++i)
        if (places.positions[i][1] != 0.) return add_off_plane(reading, places, i);
}

/// Inside the grid, with their ends all positions between them; what lies outside by rounding is brought to the face.
/// \return whether there is no error.
bool check_inside(const EntryReading& reading, Places& places) {
    bool inside = true;
    for (const WrittenPosition& point : places.written)
        inside = check_inside(reading.grid, point.position_m, point.key, reading.faults) && inside;
    if (places.written.empty()) inside = check_listed(reading, places);
    clamp_to_grid(reading.grid, places.positions);
    return inside;
}

Places point_at(const EntryReading& reading, const std::string& key, const std::vector<double>& position_m) {
    const WrittenPosition point = written_at(reading, key + ".position_m", position_m);
    return {point.key, "", Positions(std::vector{point.position_m}), {point}};
}

/// A line or a grid: all positions lie between its ends.
template <typename Config>
std::vector<WrittenPosition> ends_of(const EntryReading& reading, const std::string& key, const Config& entry) {
    return {written_at(reading, key + ".first_m", entry.first_m), written_at(reading, key + ".last_m", entry.last_m)};
}

// ---- lines and grids by their spacing ----

/// An invalid spacing: no positions, and an error has been added.
constexpr std::int64_t kFaulty = 0;

/// How many positions lie on `length_m`, one at its beginning and one after each spacing. Its end counts if rounding
/// alone puts the last position beyond it. \param what "line", "grid along x".
std::int64_t count_along(const EntryReading& reading, const std::string& key, const std::string& what, double length_m,
                         double spacing_m) {
    constexpr double rounding = 1e-6;  // of the spacing
    const auto fault = [&](const std::string& message) {
        reading.faults.add_of_value(key, message);
        return kFaulty;
    };
    if (!(spacing_m > 0.)) return fault(fmt::format("{:.8g} m: must be more than 0 m", spacing_m));
    const double spacings = std::floor(length_m / spacing_m + rounding);
    if (!(spacings >= 1.))
        return fault(fmt::format("{:.8g} m is more than the {}, which is {:.8g} m long: {}", spacing_m, what, length_m,
                                 length_m > 0. ? "use at most that" : "for one position use type point"));
    if (!(spacings < static_cast<double>(kMostAlongAxis)))
        return fault(
            fmt::format("{:.8g} m makes {:.8g} positions on the {} of {:.8g} m; the most is {}: use {:.4g} m or "
                        "more",
                        spacing_m, spacings + 1., what, length_m, kMostAlongAxis,
                        1.001 * length_m / static_cast<double>(kMostAlongAxis)));
    return static_cast<std::int64_t>(spacings) + 1;
}

Positions line_by_spacing(const EntryReading& reading, const std::string& key, std::span<const WrittenPosition> ends,
                          double spacing_m) {
    const Position &first = ends[0].position_m, &last = ends[1].position_m;
    const double length_m = std::hypot(last[0] - first[0], last[1] - first[1], last[2] - first[2]);
    const std::int64_t count = count_along(reading, key, "line", length_m, spacing_m);
    if (count == kFaulty) return {};
    Position step{};
    for (int a = 0; a < 3; ++a) step[a] = spacing_m * ((last[a] - first[a]) / length_m);
    return Positions::stepped_line(first, step, count);
}

/// Axes along which both ends lie at the same place have one position, whatever their spacing.
Positions grid_by_spacing(const EntryReading& reading, const std::string& key, std::span<const WrittenPosition> ends,
                          const std::vector<double>& spacing_m) {
    const Position &first = ends[0].position_m, &last = ends[1].position_m;
    std::array<std::int64_t, 3> count{1, 1, 1};
    Position step{};
    for (int a = 0, i = 0; a < 3; ++a) {
        if (!reading.grid.has_axis(a)) continue;
        const double spacing = spacing_m[i++], length_m = std::abs(last[a] - first[a]);
        if (spacing > 0. && length_m == 0.) continue;
        count[a] = count_along(reading, key, fmt::format("grid along {}", "xyz"[a]), length_m, spacing);
        if (count[a] == kFaulty) return {};
        step[a] = std::copysign(spacing, last[a] - first[a]);
    }
    return Positions::stepped_grid(first, step, count);
}

/// Along a line, or an axis of a grid, of one position, the end is not used.
void doubt_count(const EntryReading& reading, const std::string& key, const std::string& count,
                 std::span<const WrittenPosition> ends, const std::string& along) {
    reading.warnings.push_back(
        fmt::format("{} = {}: the only position{} is that of first_m, {}: last_m, {}, is not used", key, count, along,
                    describe(reading.grid, ends[0].position_m), describe(reading.grid, ends[1].position_m)));
}

/// A line by its count.
Positions line_by_count(const EntryReading& reading, const std::string& key, std::span<const WrittenPosition> ends,
                        std::int64_t count) {
    check_count(reading, key, count);
    if (count == 1 && ends[0].position_m != ends[1].position_m) doubt_count(reading, key, "1", ends, "");
    return Positions::line(ends[0].position_m, ends[1].position_m, count);
}

/// Whether the positions are told by their spacing, not by their count.
bool is_by_spacing(const EntryReading& reading, const std::string& key, bool has_count, bool has_spacing) {
    if (has_count == has_spacing)
        reading.origin.fault(key, has_count ? "has count and spacing_m: give one of them" : "needs count or spacing_m");
    return has_spacing;
}

Positions grid_by_count(const EntryReading& reading, const std::string& key, std::span<const WrittenPosition> ends,
                        const std::vector<std::int64_t>& count_along_axes) {
    std::array<std::int64_t, 3> count{1, 1, 1};
    for (int a = 0, i = 0; a < 3; ++a)
        if (reading.grid.has_axis(a)) count[a] = check_count(reading, key, count_along_axes[i++]);
    for (int a = 0; a < 3; ++a)
        if (count[a] == 1 && ends[0].position_m[a] != ends[1].position_m[a])
            doubt_count(reading, key, fmt::format("[{}]", fmt::join(count_along_axes, ", ")), ends,
                        fmt::format(" along {}", "xyz"[a]));
    return Positions::grid(ends[0].position_m, ends[1].position_m, count);
}

/// Whether there are as many numbers, counts or spacings, as the type takes; an error has been added if not.
bool has_numbers(const EntryReading& reading, std::size_t given, const std::string& key, int wanted,
                 const std::string& message) {
    if (static_cast<int>(given) == wanted) return true;
    reading.faults.add_of_value(key, message);
    return false;
}

template <typename Config>
Places line_of(const EntryReading& reading, const Config& entry, const std::string& key) {
    auto ends = ends_of(reading, key, entry);
    const bool by_spacing = is_by_spacing(reading, key, !entry.count.empty(), !entry.spacing_m.empty());
    const std::string number_key = key + (by_spacing ? ".spacing_m" : ".count");
    Positions line;
    if (has_numbers(reading, by_spacing ? entry.spacing_m.size() : entry.count.size(), number_key, 1,
                    "a line takes one number; type grid takes one per axis"))
        line = by_spacing ? line_by_spacing(reading, number_key, ends, entry.spacing_m[0])
                          : line_by_count(reading, number_key, ends, entry.count[0]);
    return {number_key, "", line, std::move(ends)};
}

template <typename Config>
Places grid_of(const EntryReading& reading, const Config& entry, const std::string& key) {
    auto ends = ends_of(reading, key, entry);
    const bool by_spacing = is_by_spacing(reading, key, !entry.count.empty(), !entry.spacing_m.empty());
    const std::string number_key = key + (by_spacing ? ".spacing_m" : ".count");
    const int dimensions = reading.grid.dimensions;
    Positions positions;
    if (has_numbers(reading, by_spacing ? entry.spacing_m.size() : entry.count.size(), number_key, dimensions,
                    fmt::format("a grid takes one number per axis, {} in all", dimensions)))
        positions = by_spacing ? grid_by_spacing(reading, number_key, ends, entry.spacing_m)
                               : grid_by_count(reading, number_key, ends, entry.count);
    return {number_key, "", positions, std::move(ends)};
}

// ---- sources -------------------------------------------------------------------------------------------------------

struct SourceType {
    std::string_view name;
    SourceGroup (*read)(const EntryReading&, const SourceConfig&, const std::string& key);
};

SourceGroup read_point(const EntryReading& reading, const SourceConfig& source, const std::string& key) {
    return {point_at(reading, key, source.position_m),
            source.shot ? std::vector{*source.shot} : std::vector<std::int64_t>{},
            {source.amplitude}};
}

SourceGroup read_line(const EntryReading& reading, const SourceConfig& source, const std::string& key) {
    return {line_of(reading, source, key), {}, {source.amplitude}};
}

SourceGroup read_grid(const EntryReading& reading, const SourceConfig& source, const std::string& key) {
    return {grid_of(reading, source, key), {}, {source.amplitude}};
}

/// A survey that a file tells; a file for both sources and receivers is spoken of once.
RecordedSurvey recorded_survey(const EntryReading& reading, const std::filesystem::path& file) {
    RecordedSurvey survey = read_recorded_survey(file, reading.bytes);
    if (survey.units.empty()) return survey;
    std::string told = shown(file) + ": " + survey.units;
    if (std::ranges::find(reading.warnings, told) == reading.warnings.end())
        reading.warnings.push_back(std::move(told));
    return survey;
}

/// The sources of a survey that a file tells. \param has_depths whether it tells their depth, as P1/90 does not.
SourceTable recorded_sources(const EntryReading& reading, const SourceConfig& source, const std::string& key,
                             bool& has_depths) {
    RecordedSurvey survey = recorded_survey(reading, source.file);
    SourceTable& sources = survey.sources;
    if (sources.position_m.empty()) throw Error(ExitCode::bad_data, shown(source.file) + ": has no sources");
    has_depths = survey.has_source_depths;
    if (has_depths) return std::move(sources);
    if (!source.depth_m)
        reading.origin.fault(key + ".file", "does not tell how deep sources are, as no P1/90 file does: give depth_m");
    for (Position& at : sources.position_m) at[2] = *source.depth_m;
    return std::move(sources);
}

SourceGroup read_file(const EntryReading& reading, const SourceConfig& source, const std::string& key) {
    bool has_depths = true;
    SourceTable table =
        tells_survey(source.file) ? recorded_sources(reading, source, key, has_depths) : read_sources(source.file);
    if (source.depth_m && has_depths)
        reading.faults.add_of_value(key + ".depth_m", "is of P1/90; this file tells how deep its sources are");
    for (double& amplitude : table.amplitude) amplitude *= source.amplitude;
    return {{key + ".file", shown(source.file), Positions(std::move(table.position_m)), {}, std::move(table.line)},
            std::move(table.shot),
            std::move(table.amplitude)};
}

constexpr std::array<SourceType, 4> kSourceTypes{
    {{"point", read_point}, {"line", read_line}, {"grid", read_grid}, {"file", read_file}}};

/// "z_min".
std::string face_name(const FaceLayer& layer) {
    return "xyz"[layer.axis] + std::string(layer.high ? "_max" : "_min");
}

/// A source on a free surface, where the pressure is zero, would radiate nothing.
void check_radiates(const EntryReading& reading, const Places& places, std::span<const FaceLayer> free_surfaces) {
    for (const auto& [key, position_m] : places.written)
        if (const FaceLayer* surface = layer_with(free_surfaces, position_m);
            surface != nullptr && axis_outside(reading.grid, position_m) < 0)
            reading.faults.add_of_value(key, "lies on the free surface " + face_name(*surface) +
                                                 ", where pressure is zero: it would radiate nothing; move it inwards");
    if (!places.written.empty()) return;
    for (std::int64_t i = 0; i < places.positions.size(); ++i)
        if (const Position p = places.positions[i]; layer_with(free_surfaces, p) != nullptr)
            return reading.faults.add(places.key,
                                      fmt::format("{}: {} lies on the free surface, where the pressure is zero: it "
                                                  "would radiate nothing; place the source below it",
                                                  places.listed(i), describe(reading.grid, p)));
}

// ---- receivers -----------------------------------------------------------------------------------------------------

struct ReceiverType {
    std::string_view name;
    ReceiverGroup (*read)(const EntryReading&, const ReceiverConfig&, const std::string& key);
};

ReceiverGroup read_point(const EntryReading& reading, const ReceiverConfig& receiver, const std::string& key) {
    return {point_at(reading, key, receiver.position_m), {}, {}};
}

ReceiverGroup read_line(const EntryReading& reading, const ReceiverConfig& receiver, const std::string& key) {
    return {line_of(reading, receiver, key), {}, {}};
}

ReceiverGroup read_grid(const EntryReading& reading, const ReceiverConfig& receiver, const std::string& key) {
    return {grid_of(reading, receiver, key), {}, {}};
}

ReceiverGroup read_file(const EntryReading& reading, const ReceiverConfig& receiver, const std::string& key) {
    ReceiverTable table =
        tells_survey(receiver.file) ? recorded_survey(reading, receiver.file).receivers : read_receivers(receiver.file);
    if (table.position_m.empty()) throw Error(ExitCode::bad_data, shown(receiver.file) + ": has no receivers");
    return {{key + ".file", shown(receiver.file), Positions(std::move(table.position_m)), {}, std::move(table.line)},
            std::move(table.shot),
            key + ".file",
            false,
            false,
            std::move(table.carried)};
}

/// What positions may be relative to.
struct Reference {
    std::string_view name;
    bool is_source;
};
constexpr std::array<Reference, 2> kReferences{{{"grid", false}, {"source", true}}};

constexpr std::array<ReceiverType, 4> kReceiverTypes{
    {{"point", read_point}, {"line", read_line}, {"grid", read_grid}, {"file", read_file}}};

}  // namespace

std::string Places::listed(std::int64_t index) const {
    return line.empty() ? fmt::format("{}, position {}", name, index + 1)
                        : fmt::format("{}:{} (position {})", name, line[static_cast<std::size_t>(index)], index + 1);
}

std::string extent(const Grid& grid) {
    std::string text;
    for (int a = 0; a < 3; ++a)
        if (grid.has_axis(a))
            text += fmt::format("{}{} {:.8g} to {:.8g} m", text.empty() ? "" : ", ", "xyz"[a], grid.origin_m[a],
                                last_m(grid, a));
    return text;
}

void clamp_to_grid(const Grid& grid, Positions& positions) {
    Position low{}, high{};
    for (int a = 0; a < 3; ++a)
        if (grid.has_axis(a)) {
            low[a] = grid.origin_m[a];
            high[a] = last_m(grid, a);
        }
    positions.clamp_to(low, high);
}

std::string describe(const Grid& grid, const Position& p) {
    return grid.dimensions == 2 ? fmt::format("({:.8g}, {:.8g}) m", p[0], p[2])
                                : fmt::format("({:.8g}, {:.8g}, {:.8g}) m", p[0], p[1], p[2]);
}

SourceGroup read_source_entry(const EntryReading& reading, const SourceConfig& source, std::size_t index,
                              std::int64_t room, std::span<const FaceLayer> free_surfaces) {
    const std::string key = fmt::format("sources[{}]", index);
    const auto& type = find_row(reading.origin, key + ".type", std::span<const SourceType>(kSourceTypes), source.type);
    SourceGroup entry = type.read(reading, source, key);
    if (const std::int64_t count = entry.places.positions.size(); count > room)
        reading.origin.fault(
            entry.places.key,
            fmt::format("{} sources{}: a run takes {} at most; make several runs of it", count,
                        room < kMostSources ? fmt::format(" beside {} others", kMostSources - room) : "",
                        kMostSources));
    const bool inside = check_inside(reading, entry.places);
    if (inside || !entry.places.written.empty()) check_radiates(reading, entry.places, free_surfaces);
    if (source.amplitude == 0.)
        reading.faults.add_of_value(key + ".amplitude",
                                    "would radiate nothing: delete the source, or give it another amplitude");
    return entry;
}

ReceiverGroup read_receiver_entry(const EntryReading& reading, const ReceiverConfig& receiver, std::size_t index) {
    const std::string key = fmt::format("receivers[{}]", index);
    const auto& type =
        find_row(reading.origin, key + ".type", std::span<const ReceiverType>(kReceiverTypes), receiver.type);
    ReceiverGroup entry = type.read(reading, receiver, key);
    entry.relative =
        find_row(reading.origin, key + ".relative_to", std::span<const Reference>(kReferences), receiver.relative_to)
            .is_source;
    if (entry.relative)
        check_offsets_in_plane(reading, entry.places);
    else
        check_inside(reading, entry.places);
    if (receiver.shot && !entry.shot.empty())
        reading.origin.fault(key + ".shot", "the file names the shots itself: use one or the other");
    if (receiver.shot) {
        entry.shot = {*receiver.shot};
        entry.shot_key = key + ".shot";
        entry.shot_is_written = true;
    }
    return entry;
}

}  // namespace onda
