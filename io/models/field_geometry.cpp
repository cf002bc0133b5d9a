#include "io/models/field_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <fstream>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "io/files/input_file.hpp"
#include "io/models/csv_table.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

using Place = std::array<double, 3>;
using GeometryFile = std::filesystem::path;

constexpr std::int64_t kMostTraces = 50'000'000;
constexpr std::array<std::string_view, 3> kSpsExtensions{".sps", ".rps", ".xps"};

std::string lower_text(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

/// Columns of a record, from 1, both included.
struct FieldColumns {
    std::size_t first, last;
    const char* what;
};

/// A line of a file.
struct FieldLine {
    const GeometryFile& file;
    int number;
    std::string text;

    [[nodiscard]] std::string_view field(const FieldColumns& columns) const {
        if (text.size() < columns.first) return {};
        std::string_view found = std::string_view(text).substr(columns.first - 1, columns.last - columns.first + 1);
        const std::size_t begin = found.find_first_not_of(" \t");
        if (begin == std::string_view::npos) return {};
        found.remove_prefix(begin);
        return found.substr(0, found.find_last_not_of(" \t") + 1);
    }
    [[noreturn]] void fail(const FieldColumns& columns, const std::string& message) const {
        TableLine{file, number}.fail(columns.first, message);
    }
    /// \throws Error(bad_data) for what is no finite number.
    [[nodiscard]] std::optional<double> number_or_none(const FieldColumns& columns) const {
        const std::string_view found = field(columns);
        if (found.empty()) return {};
        const std::optional<double> value = finite_number(found);
        if (!value)
            fail(columns, std::string(columns.what) + " '" + printable(found) + "' (columns " +
                              std::to_string(columns.first) + " to " + std::to_string(columns.last) +
                              ") is not a number");
        return value;
    }
    [[nodiscard]] double number_at(const FieldColumns& columns) const {
        const std::optional<double> value = number_or_none(columns);
        if (!value)
            fail(columns, "no " + std::string(columns.what) + " in columns " + std::to_string(columns.first) + " to " +
                              std::to_string(columns.last));
        return *value;
    }
};

std::vector<FieldLine> lines_of(const GeometryFile& file) {
    std::ifstream in = open_input_file(file);
    std::vector<FieldLine> lines;
    std::string text;
    for (int number = 1; std::getline(in, text); ++number) {
        if (text.ends_with('\r')) text.pop_back();
        if (text.find('\0') != std::string::npos) TableLine{file, number}.fail(1, "is a binary file, not a text");
        if (!text.empty()) lines.push_back({file, number, text});
    }
    return lines;
}

// ---- units of coordinates ------------------------------------------------------------------------------------------

bool is_letter_of_word(char c) {
    return c >= 'a' && c <= 'z';
}

/// The words of a text in small letters: "2US SURVEY FT" has us, survey, ft.
std::set<std::string> words_of(std::string_view text) {
    std::set<std::string> words;
    std::string word;
    for (const char c : lower_text(text) + " ") {
        if (is_letter_of_word(c)) {
            word += c;
        } else if (!word.empty()) {
            words.insert(std::exchange(word, {}));
        }
    }
    return words;
}

/// The last number with a decimal point in a text; nothing where there is none.
std::optional<double> decimal_of(std::string_view text) {
    std::optional<double> found;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find_first_of(" \t", begin), text.size());
        const std::string_view token = text.substr(begin, end - begin);
        if (token.find('.') != std::string_view::npos)
            if (const std::optional<double> number = finite_number(token)) found = number;
        begin = end + 1;
    }
    return found;
}

/// What headers H20… say of the units of coordinates, in all files of a survey: SPS in H20 and, as the factor to metre,
/// in H201; P1/90 with a code, a name and the factor in one line, for the grid and perhaps for heights.
class CoordinateUnits {
public:
    void read(const FieldLine& line) {
        if (!lower_text(line.text).starts_with("h20")) return;
        constexpr FieldColumns value{6, 80, "unit"};
        const std::set<std::string> words = words_of(line.field(value));
        const auto has = [&words](std::initializer_list<const char*> any) {
            return std::ranges::any_of(any, [&](const char* word) { return words.contains(word); });
        };
        if (has({"angular", "angle", "degrees"})) return;
        Unit& unit = has({"height", "heights", "elevation", "depth", "vertical"}) ? height_ : grid_;
        if (!unit.foot && has({"feet", "foot", "ft", "usft", "ftus", "sft"})) unit.foot.emplace(line);
        const std::optional<double> factor = decimal_of(line.field(value));
        if (!factor) return;
        if (!(*factor >= 1e-3 && *factor <= 1e5))
            line.fail({1, 80, ""}, "a factor to metre of " + shortest(*factor) + ": must be from 0.001 to 100000");
        if (unit.factor && *unit.factor != *factor)
            line.fail({1, 80, ""}, "a factor to metre of " + shortest(*factor) + ", and of " + shortest(*unit.factor) +
                                       " before: must be one for all files");
        unit.factor = factor;
    }
    /// \throws Error(bad_data) for feet whose length in metres no header tells: there are several.
    void check() const {
        for (const Unit* unit : {&grid_, &height_})
            if (unit->foot && !unit->factor)
                unit->foot->fail({1, 80, ""},
                                 "coordinates in feet: '" + printable(unit->foot->text) +
                                     "'; convert them to metres, or give their factor to metre in a header "
                                     "(H201 of SPS)");
    }
    void to_metres(Place& place) const {
        for (const std::size_t axis : {0u, 1u}) place[axis] *= grid_.factor.value_or(1.);
        place[2] *= height_factor();
    }
    /// A line on what to_metres() does; empty where that is nothing.
    [[nodiscard]] std::string description() const {
        const double grid = grid_.factor.value_or(1.), height = height_factor();
        if (grid == 1. && height == 1.) return {};
        return "the header gives coordinates in units of " + shortest(grid) + " m" +
               (height == grid ? "" : ", heights and depths of " + shortest(height) + " m") + ": converted to metres";
    }

private:
    struct Unit {
        std::optional<FieldLine> foot{};  ///< the header that names feet
        std::optional<double> factor{};   ///< to metre
    };
    /// Of the heights that have no unit of their own, as in SPS, that of the grid.
    [[nodiscard]] double height_factor() const {
        return height_.factor ? *height_.factor : height_.foot ? 1. : grid_.factor.value_or(1.);
    }
    Unit grid_, height_;
};

void to_metres(FieldGeometry& geometry, const CoordinateUnits& units) {
    for (auto* places : {&geometry.sources_m, &geometry.receivers_m})
        for (Place& place : *places) units.to_metres(place);
    for (FieldShot& shot : geometry.shots) {
        units.to_metres(shot.source_m);
        for (Place& place : shot.receivers_m) units.to_metres(place);
    }
    geometry.units = units.description();
}

// ---- SPS -----------------------------------------------------------------------------------------------------------

struct PointLayout {
    FieldColumns line, point, index, depth;
};
struct RelationLayout {
    FieldColumns record, line, point, index, from_channel, to_channel, channel_increment, receiver_line, from, to,
        receiver_index;
};
struct SpsRevision {
    PointLayout point;
    RelationLayout relation;
};
constexpr SpsRevision kRevision0{
    {{2, 17, "line name"}, {18, 25, "point number"}, {26, 26, "point index"}, {33, 36, "point depth"}},
    {{8, 11, "field record number"},
     {14, 29, "line name"},
     {30, 37, "point number"},
     {38, 38, "point index"},
     {39, 42, "first channel"},
     {43, 46, "last channel"},
     {47, 47, "channel increment"},
     {48, 63, "receiver line"},
     {64, 71, "first receiver"},
     {72, 79, "last receiver"},
     {80, 80, "receiver index"}}},
    kRevision21{{{2, 11, "line name"}, {12, 21, "point number"}, {24, 24, "point index"}, {31, 34, "point depth"}},
                {{8, 15, "field record number"},
                 {18, 27, "line name"},
                 {28, 37, "point number"},
                 {38, 38, "point index"},
                 {39, 43, "first channel"},
                 {44, 48, "last channel"},
                 {49, 49, "channel increment"},
                 {50, 59, "receiver line"},
                 {60, 69, "first receiver"},
                 {70, 79, "last receiver"},
                 {80, 80, "receiver index"}}};
constexpr FieldColumns kEasting{47, 55, "easting"}, kNorthing{56, 65, "northing"}, kElevation{66, 71, "elevation"};

/// Whether the header H00 names version 2: "SPS format version num.     SPS 2.1,22.10.05" by its first number, which
/// the date is behind.
bool has_version_2(std::string_view header) {
    std::string words = lower_text(header.substr(3));
    for (const std::string_view title : {"version", "num.", "number"})
        if (const std::size_t at = words.find(title); at != std::string::npos) words.erase(0, at + title.size());
    words.erase(0, words.find_first_of("123456789"));
    const std::string version = words.substr(0, words.find_first_not_of("0123456789."));
    return version == "2" || (version.starts_with("2.") && version.find('.', 2) == std::string::npos);
}

/// The revision that the header names; without one that of the records, whose names of lines and points are numbers
/// with two decimals in rev 2.1.
const SpsRevision& revision_of(const std::vector<FieldLine>& lines) {
    for (const FieldLine& line : lines) {
        if (!lower_text(line.text).starts_with("h00")) continue;
        return has_version_2(line.text) ? kRevision21 : kRevision0;
    }
    for (const FieldLine& line : lines) {
        const char kind = line.text.front();
        const auto has_point = [&](std::size_t column) {
            return line.text.size() >= column && line.text[column - 1] == '.';
        };
        if (kind == 'S' || kind == 'R') return has_point(9) && has_point(19) ? kRevision21 : kRevision0;
        if (kind == 'X') return has_point(25) && has_point(35) ? kRevision21 : kRevision0;
    }
    return kRevision0;
}

/// Line, point and index. Lines that are numbers are equal where these are: "101" and "101.00".
struct PointName {
    std::string line;
    double point = 0.;
    int index = 1;
    auto operator<=>(const PointName&) const = default;
};

PointName name_of(const FieldLine& line, const FieldColumns& of_line, const FieldColumns& of_point,
                  const FieldColumns& of_index) {
    const std::string_view words = line.field(of_line);
    const std::optional<double> number = finite_number(words);
    const double index = line.number_or_none(of_index).value_or(1.);
    return {number ? shortest(*number) : std::string(words), line.number_at(of_point), static_cast<int>(index)};
}

class SpsReader {
public:
    void read_points(const std::vector<FieldLine>& lines) {
        const SpsRevision& revision = revision_of(lines);
        for (const FieldLine& line : lines) {
            units_.read(line);
            const char kind = line.text.front();
            if (kind != 'S' && kind != 'R') continue;
            const PointName name = name_of(line, revision.point.line, revision.point.point, revision.point.index);
            const double z =
                line.number_or_none(revision.point.depth).value_or(0.) - line.number_or_none(kElevation).value_or(0.);
            const Place place{line.number_at(kEasting), line.number_at(kNorthing), z};
            (kind == 'S' ? geometry_.sources_m : geometry_.receivers_m).push_back(place);
            (kind == 'S' ? sources_ : receivers_)[name] = place;
        }
    }
    void read_relation(const std::vector<FieldLine>& lines) {
        const RelationLayout& layout = revision_of(lines).relation;
        for (const FieldLine& line : lines) {
            if (line.text.front() != 'X') continue;
            const double record = line.number_at(layout.record);
            const PointName source = name_of(line, layout.line, layout.point, layout.index);
            add_receivers(line, layout, shot_of(line, layout, record, source));
        }
    }
    [[nodiscard]] FieldGeometry finish() && {
        units_.check();
        to_metres(geometry_, units_);
        return std::move(geometry_);
    }

private:
    FieldShot& shot_of(const FieldLine& line, const RelationLayout& layout, double record, const PointName& source) {
        const auto [at, is_new] = shots_.try_emplace({record, source}, geometry_.shots.size());
        if (is_new) {
            const auto found = sources_.find(source);
            if (found == sources_.end())
                line.fail(layout.point, "no source record for line " + printable(source.line) + ", point " +
                                            shortest(source.point) + ", index " + std::to_string(source.index));
            geometry_.shots.push_back({is_ordinal(record) ? static_cast<std::int64_t>(record) : 0, found->second, {}});
        }
        return geometry_.shots[at->second];
    }
    /// The receivers of a line of the relation: as many as it has channels, in equal steps of point numbers.
    void add_receivers(const FieldLine& line, const RelationLayout& layout, FieldShot& shot) {
        const double first = line.number_at(layout.from_channel), last = line.number_at(layout.to_channel);
        const double increment = line.number_or_none(layout.channel_increment).value_or(1.);
        const double channels = increment > 0. ? std::floor((last - first) / increment) + 1. : 0.;
        if (!(channels >= 1. && channels <= 1e5))
            line.fail(layout.from_channel, "channels " + shortest(first) + " to " + shortest(last) + ", every " +
                                               shortest(increment) + ": must ascend");
        const PointName from = name_of(line, layout.receiver_line, layout.from, layout.receiver_index);
        const double to = line.number_at(layout.to);
        const double step = channels > 1. ? (to - from.point) / (channels - 1.) : 0.;
        for (double channel = 0.; channel < channels; channel += 1.) {
            // Point numbers have two decimals at most.
            const double point = std::round((from.point + channel * step) * 100.) / 100.;
            const auto found = receivers_.find({from.line, point, from.index});
            if (found == receivers_.end())
                line.fail(layout.from, "no receiver record for line " + printable(from.line) + ", point " +
                                           shortest(point) + ", index " + std::to_string(from.index));
            if (++traces_ > kMostTraces) line.fail(layout.from, "more than " + std::to_string(kMostTraces) + " traces");
            shot.receivers_m.push_back(found->second);
        }
    }

    FieldGeometry geometry_;
    CoordinateUnits units_;
    std::map<PointName, Place> sources_, receivers_;
    std::map<std::pair<double, PointName>, std::size_t> shots_;
    std::int64_t traces_ = 0;
};

FieldGeometry read_sps(const GeometryFile& file) {
    std::vector<std::vector<FieldLine>> all;
    const std::vector<GeometryFile> files = files_of_geometry(file);
    for (const GeometryFile& each : files) all.push_back(lines_of(each));
    SpsReader reader;
    for (const auto& lines : all) reader.read_points(lines);
    for (const auto& lines : all) reader.read_relation(lines);
    return std::move(reader).finish();
}

// ---- P1/90 ---------------------------------------------------------------------------------------------------------

constexpr FieldColumns kP1Point{20, 25, "point number"}, kP1Easting{47, 55, "easting"}, kP1Northing{56, 64, "northing"},
    kP1Height{65, 70, "elevation"};
constexpr std::size_t kGroupsOfRecord = 3, kGroupColumns = 26;

Place place_of_point(const FieldLine& line, double z) {
    return {line.number_at(kP1Easting), line.number_at(kP1Northing), z};
}

/// The receiver groups of a record: up to three.
void add_groups(const FieldLine& line, std::vector<Place>& receivers_m) {
    for (std::size_t group = 0; group < kGroupsOfRecord; ++group) {
        const std::size_t before = 1 + group * kGroupColumns;
        const FieldColumns number{before + 1, before + 4, "group number"}, easting{before + 5, before + 13, "easting"},
            northing{before + 14, before + 22, "northing"}, depth{before + 23, before + 26, "cable depth"};
        if (line.field(number).empty() && line.field(easting).empty()) continue;
        receivers_m.push_back({line.number_at(easting), line.number_at(northing), line.number_at(depth)});
    }
}

FieldGeometry read_p190(const GeometryFile& file) {
    FieldGeometry geometry;
    CoordinateUnits units;
    geometry.has_source_depths = false;
    for (const FieldLine& line : lines_of(file)) {
        units.read(line);
        switch (line.text.front()) {
            case 'S': {
                const Place source_m = place_of_point(line, 0.);
                geometry.sources_m.push_back(source_m);
                const double number = line.number_or_none(kP1Point).value_or(0.);
                geometry.shots.push_back({is_ordinal(number) ? static_cast<std::int64_t>(number) : 0, source_m, {}});
                break;
            }
            case 'R':
                if (geometry.shots.empty()) line.fail({1, 1, ""}, "receivers before the first source (S)");
                add_groups(line, geometry.shots.back().receivers_m);
                break;
            case 'G':
                geometry.receivers_m.push_back(place_of_point(line, -line.number_or_none(kP1Height).value_or(0.)));
                break;
            case 'X':
                line.fail({1, 1, ""}, "relation records of P1/90 are not read; write the survey as SPS, or as tables");
            default: break;
        }
    }
    const auto has_none = [](const FieldShot& shot) { return shot.receivers_m.empty(); };
    if (std::ranges::all_of(geometry.shots, has_none)) geometry.shots.clear();
    for (const FieldShot& shot : geometry.shots)
        if (has_none(shot))
            throw Error(ExitCode::bad_data, shown(file) + ": the shot at point " + std::to_string(shot.number) +
                                                " has no receivers (R), others have");
    units.check();
    to_metres(geometry, units);
    return geometry;
}

}  // namespace

bool is_field_geometry(const std::filesystem::path& file) {
    const std::string extension = lower_text(file.extension().string());
    return extension == ".p190" || std::ranges::find(kSpsExtensions, extension) != kSpsExtensions.end();
}

std::vector<std::filesystem::path> files_of_geometry(const std::filesystem::path& file) {
    const std::string extension = file.extension().string();
    if (lower_text(extension) == ".p190") return {file};
    const bool is_upper = extension != lower_text(extension);
    std::vector<std::filesystem::path> files;
    for (const std::string_view wanted : kSpsExtensions) {
        std::string as_written(wanted);
        if (is_upper)
            std::ranges::transform(as_written, as_written.begin(),
                                   [](char c) { return c == '.' ? c : static_cast<char>(c - 'a' + 'A'); });
        std::filesystem::path each = file;
        if (lower_text(extension) != wanted) each.replace_extension(as_written);
        if (each == file || std::filesystem::exists(each)) files.push_back(each);
    }
    return files;
}

FieldGeometry read_field_geometry(const std::filesystem::path& file) {
    return lower_text(file.extension().string()) == ".p190" ? read_p190(file) : read_sps(file);
}

}  // namespace onda
