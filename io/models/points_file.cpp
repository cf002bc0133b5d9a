#include "io/models/points_file.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "io/files/input_file.hpp"
#include "io/hdf5/guarded_hdf5.hpp"
#include "io/text/error.hpp"
#include "io/text/nearest_name.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

using Path = std::filesystem::path;

/// A column of a CSV file; `other_name` is read as well. Columns are named by their place in the table of a kind.
struct Column {
    std::string_view name, other_name;
    bool required, whole;  ///< whole: a whole number from 1
};

enum PointColumn : std::size_t { x, y, z, shot, amplitude };
constexpr std::array source_columns{Column{"x", "x_m", true, false}, Column{"y", "y_m", false, false},
                                    Column{"z", "z_m", true, false}, Column{"shot", "shot_id", false, true},
                                    Column{"amplitude", "amplitude", false, false}};
constexpr std::span receiver_columns = std::span(source_columns).first<4>();

enum WaveletColumn : std::size_t { time, value };
constexpr std::array wavelet_columns{Column{"time_s", "time", true, false},
                                     Column{"amplitude", "amplitude", true, false}};

enum PickColumn : std::size_t { pick_offset, pick_time };
constexpr std::array pick_columns{Column{"offset_m", "offset", true, false}, Column{"time_s", "time", true, false}};

/// The columns that a file may have, and whether columns of other names are carried along.
struct TableKind {
    std::span<const Column> columns;
    bool carries = false;
};
constexpr TableKind source_table{source_columns}, receiver_table{receiver_columns, true},
    wavelet_table{wavelet_columns}, pick_table{pick_columns};

/// Values by column; absent columns are empty.
struct Table {
    explicit Table(const TableKind& kind) : columns(kind.columns.size()) {}
    std::vector<std::vector<double>> columns;
    std::vector<CarriedColumn> carried;
    std::vector<int> lines;  ///< of the rows; 0 of an HDF5 file
};

// CSV --------------------------------------------------------------------------------------------------------------

struct Field {
    std::string_view text;
    std::size_t column;  ///< in the line, from 1
};

/// Where an error is, and how to report it.
struct Line {
    const Path& file;
    int number;
    [[noreturn]] void fail(std::size_t column, const std::string& message) const {
        throw Error(ExitCode::bad_data,
                    shown(file) + ":" + std::to_string(number) + ":" + std::to_string(column) + ": " + message);
    }
};

std::vector<Field> split(std::string_view line) {
    constexpr std::string_view blanks = " \t\r";
    std::vector<Field> fields;
    for (std::size_t begin = 0; begin <= line.size();) {
        const auto comma = std::min(line.find(',', begin), line.size());
        auto text = line.substr(begin, comma - begin);
        const auto skipped = std::min(text.find_first_not_of(blanks), text.size());
        text = text.substr(skipped);
        text = text.substr(0, text.find_last_not_of(blanks) + 1);
        fields.push_back({text, begin + skipped + 1});
        begin = comma + 1;
    }
    return fields;
}

bool is_shot(double value) {
    return value >= 1. && value <= 0x1p53 && value == std::floor(value);
}

std::string names(std::span<const Column> columns) {
    std::string text;
    for (const auto& column : columns)
        text += (text.empty() ? "" : ", ") + std::string(column.name) + (column.required ? "" : " (may be absent)");
    return text;
}

/// A name that becomes that of a dataset of the results.
bool is_plain_name(std::string_view name) {
    constexpr std::size_t most = 64;
    constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    return !name.empty() && name.size() <= most && name.find_first_not_of(allowed) == std::string_view::npos;
}

/// A column that is none of the table's own must be one to carry along. A name close to one of the table's own is
/// taken for that one misspelt, which would otherwise be missed in silence.
/// \param carried how many columns are carried along already.
void check_carried(const Field& field, const TableKind& kind, std::size_t carried, const Line& line) {
    std::vector<std::string> known;
    for (const auto& column : kind.columns) known.emplace_back(column.name);
    const auto shown_name = "column '" + printable(field.text) + "'";
    if (const auto near = nearest_name(field.text, known))
        line.fail(field.column, "unknown " + shown_name + "; did you mean " + *near + "?");
    if (!kind.carries) line.fail(field.column, "unknown " + shown_name + "; there are " + names(kind.columns));
    if (std::ranges::any_of(source_columns, [&](const Column& column) { return column.name == field.text; }))
        line.fail(field.column, shown_name + " belongs to sources; receivers have " + names(kind.columns));
    if (!is_plain_name(field.text))
        line.fail(field.column, shown_name + ": a name has at most 64 letters, digits and underscores");
    constexpr std::size_t most_columns = 64;
    if (carried >= most_columns) line.fail(field.column, "more than 64 columns are carried along");
}

/// Which column of the table each field of the header is; those carried along are numbered after the kind's own.
std::vector<std::size_t> parse_header(const std::vector<Field>& fields, const TableKind& kind, const Line& line,
                                      Table& table) {
    const auto columns = kind.columns;
    std::vector<std::size_t> order;
    const auto add = [&](const Field& field, std::size_t index, std::string_view name) {
        if (std::ranges::find(order, index) != order.end())
            line.fail(field.column, "column " + std::string(name) + " is there twice");
        order.push_back(index);
    };
    for (const Field& field : fields) {
        const auto text = field.text;
        if (finite_number(text)) line.fail(field.column, "the first line must name the columns: " + names(columns));
        if (text.find_first_of(";\t ") != std::string_view::npos)
            line.fail(field.column, "'" + printable(text) + "': columns must be separated by commas");
        const auto own = std::ranges::find_if(
            columns, [&](const Column& column) { return column.name == text || column.other_name == text; });
        if (own != columns.end()) {
            add(field, static_cast<std::size_t>(own - columns.begin()), own->name);
            continue;
        }
        check_carried(field, kind, table.carried.size(), line);
        const auto same = std::ranges::find(table.carried, text, &CarriedColumn::name);
        add(field, columns.size() + static_cast<std::size_t>(same - table.carried.begin()), text);
        table.carried.push_back({std::string(text), false, {}});
    }
    for (std::size_t n = 0; n < columns.size(); ++n)
        if (columns[n].required && std::ranges::find(order, n) == order.end())
            line.fail(1, "no column " + std::string(columns[n].name));
    return order;
}

void parse_row(const std::vector<Field>& fields, const std::vector<std::size_t>& order, std::span<const Column> columns,
               const Line& line, Table& table) {
    if (fields.size() != order.size())
        line.fail(fields.back().column,
                  std::to_string(fields.size()) + " values for " + std::to_string(order.size()) + " columns");
    for (std::size_t n = 0; n < fields.size(); ++n) {
        if (order[n] >= columns.size()) {
            table.carried[order[n] - columns.size()].text.push_back(valid_utf8(fields[n].text));
            continue;
        }
        const auto& column = columns[order[n]];
        const auto parsed = finite_number(fields[n].text);
        if (!parsed || (column.whole && !is_shot(*parsed)))
            line.fail(fields[n].column, std::string(column.name) + " = '" + printable(fields[n].text) +
                                            "': must be a " + (column.whole ? "whole number from 1" : "finite number"));
        table.columns[order[n]].push_back(*parsed);
    }
    table.lines.push_back(line.number);
}

/// Names may look like numbers and are none.
bool holds_numbers(const CarriedColumn& column) {
    const auto empty = [](const std::string& text) { return text.empty(); };
    return column.name != "name" && !std::ranges::all_of(column.text, empty) &&
           std::ranges::all_of(column.text,
                               [&](const std::string& text) { return empty(text) || finite_number(text); });
}

Table read_csv(const Path& file, const TableKind& kind) {
    auto in = open_input_file(file);
    Table table(kind);
    std::vector<std::size_t> order;
    Line line{file, 0};
    for (std::string text; std::getline(in, text);) {
        ++line.number;
        if (line.number == 1 && text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);  // byte order mark
        const auto content = text.find_first_not_of(" \t\r");
        if (content == std::string::npos || text[content] == '#') continue;
        const auto fields = split(text);
        if (order.empty())
            order = parse_header(fields, kind, line, table);
        else
            parse_row(fields, order, kind.columns, line, table);
    }
    if (in.bad()) throw Error(ExitCode::io_error, shown(file) + ": cannot read it");
    if (table.lines.empty()) throw Error(ExitCode::bad_data, shown(file) + ": has no rows of " + names(kind.columns));
    for (CarriedColumn& column : table.carried) column.numbers = holds_numbers(column);
    return table;
}

// HDF5 -------------------------------------------------------------------------------------------------------------

bool is_hdf5(const Path& file) {
    const auto extension = file.extension();
    return extension == ".h5" || extension == ".hdf5" || extension == ".hdf";
}

void check_values(const guarded::Dataset& dataset, const std::vector<double>& values, std::size_t width, bool whole) {
    for (std::size_t n = 0; n < values.size(); ++n)
        if (!std::isfinite(values[n]) || (whole && !is_shot(values[n])))
            dataset.fail("[" + std::to_string(n / width) + "]" +
                         (width > 1 ? "[" + std::to_string(n % width) + "]" : "") + " = " + shortest(values[n]) +
                         ": must be " + (whole ? "a whole number from 1" : "finite"));
}

void check_units(const guarded::Dataset& dataset, const std::string& wanted) {
    const auto units = dataset.text("units");
    if (units && *units != wanted) dataset.fail("attribute units = '" + printable(*units) + "': must be " + wanted);
}

/// /coordinates [n][x, z] or [n][x, y, z], and columns of length n where they are there.
Table read_hdf5_points(const Path& path, const TableKind& kind) {
    const auto columns = kind.columns;
    const auto file = guarded::File::open(path);
    const auto coordinates = file.open_dataset("coordinates");
    const auto& extents = coordinates.extents();
    if (extents.size() != 2 || (extents[1] != 2 && extents[1] != 3) || extents[0] == 0)
        coordinates.fail("must be [n][2] (x, z) or [n][3] (x, y, z), with n from 1");
    check_units(coordinates, "m");
    const auto values = coordinates.read_all();
    const std::size_t rows = extents[0], width = extents[1];
    check_values(coordinates, values, width, false);
    Table table(kind);
    table.lines.resize(rows);
    const std::array<std::size_t, 3> order{x, width == 3 ? y : z, z};
    for (std::size_t n = 0; n < values.size(); ++n) table.columns[order[n % width]].push_back(values[n]);
    for (std::size_t n = shot; n < columns.size(); ++n) {
        const std::string name(columns[n].other_name);
        if (!file.contains(name)) continue;
        const auto column = file.open_dataset(name);
        if (column.extents() != guarded::Extents{rows})
            column.fail("must have one value for each of the " + std::to_string(rows) + " coordinates");
        table.columns[n] = column.read_all();
        check_values(column, table.columns[n], 1, columns[n].whole);
    }
    return table;
}

WaveletSeries read_hdf5_wavelet(const Path& path) {
    const auto file = guarded::File::open(path);
    const auto dataset = file.open_dataset("wavelet");
    if (dataset.rank() != 1 || dataset.size() < 2) dataset.fail("must be [samples], at least 2");
    const auto dt = dataset.number("dt_s");
    if (!dt) dataset.fail("has no attribute dt_s, the seconds between samples");
    if (!(*dt > 0.) || !std::isfinite(*dt)) dataset.fail("attribute dt_s = " + shortest(*dt) + ": must be positive");
    WaveletSeries series{*dt, dataset.read_all()};
    check_values(dataset, series.amplitude, 1, false);
    return series;
}

// Both -------------------------------------------------------------------------------------------------------------

Table read_points(const Path& file, const TableKind& kind) {
    return is_hdf5(file) ? read_hdf5_points(file, kind) : read_csv(file, kind);
}

std::vector<std::array<double, 3>> positions(const Table& table) {
    std::vector<std::array<double, 3>> points(table.lines.size());
    for (std::size_t n = 0; n < points.size(); ++n)
        points[n] = {table.columns[x][n], table.columns[y].empty() ? 0. : table.columns[y][n], table.columns[z][n]};
    return points;
}

std::vector<std::int64_t> shots(const Table& table) {
    return {table.columns[shot].begin(), table.columns[shot].end()};
}

std::vector<int> lines(const Table& table) {
    return table.lines.front() > 0 ? table.lines : std::vector<int>{};
}

WaveletSeries read_csv_wavelet(const Path& file) {
    const auto table = read_csv(file, wavelet_table);
    const auto& times = table.columns[time];
    const auto samples = times.size();
    if (samples < 2) throw Error(ExitCode::bad_data, shown(file) + ": has 1 sample; a wavelet has at least 2");
    const double dt = times.back() / static_cast<double>(samples - 1);
    if (!(dt > 0.)) Line{file, table.lines.back()}.fail(1, "time_s must increase from 0");
    // Times are often printed with few digits: a hundredth of a step is no unevenness.
    for (std::size_t n = 0; n < samples; ++n)
        if (!(std::abs(times[n] - static_cast<double>(n) * dt) <= 0.01 * dt))
            Line{file, table.lines[n]}.fail(1, n == 0 ? "time_s must begin at 0"
                                                      : "time_s is not even: sample " + std::to_string(n) +
                                                            " of step " + shortest(dt) + " s should be at " +
                                                            shortest(static_cast<double>(n) * dt) + " s");
    return {dt, table.columns[value]};
}

}  // namespace

SourceTable read_sources(const Path& file) {
    const auto table = read_points(file, source_table);
    SourceTable sources{positions(table), shots(table), table.columns[amplitude], lines(table)};
    if (sources.amplitude.empty()) sources.amplitude.assign(sources.position_m.size(), 1.);
    return sources;
}

ReceiverTable read_receivers(const Path& file) {
    auto table = read_points(file, receiver_table);
    return {positions(table), shots(table), std::move(table.carried), lines(table)};
}

WaveletSeries read_wavelet(const Path& file) {
    return is_hdf5(file) ? read_hdf5_wavelet(file) : read_csv_wavelet(file);
}

MutePicks read_mute_picks(const Path& file) {
    const auto table = read_csv(file, pick_table);
    const auto& offsets = table.columns[pick_offset];
    MutePicks picks;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        if (offsets[i] < 0. || (i > 0 && offsets[i] <= offsets[i - 1]))
            Line{file, table.lines[i]}.fail(
                1, "offset_m = " + shortest(offsets[i]) + ": offsets must " +
                       (i == 0 || offsets[i] < 0. ? "be 0 or more" : "increase from line to line"));
        picks.picks.push_back({offsets[i], table.columns[pick_time][i]});
    }
    return picks;
}

}  // namespace onda
