#include "io/models/points_file.hpp"

#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "io/hdf5/guarded_hdf5.hpp"
#include "io/models/velocity_limits.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

using Path = std::filesystem::path;

enum PointColumn : std::size_t { x, y, z, shot, amplitude };
constexpr std::array source_columns{TableColumn{"x", "x_m", true, false}, TableColumn{"y", "y_m", false, false},
                                    TableColumn{"z", "z_m", true, false}, TableColumn{"shot", "shot_id", false, true},
                                    TableColumn{"amplitude", "amplitude", false, false}};
constexpr std::span receiver_columns = std::span(source_columns).first<4>();

enum WaveletColumn : std::size_t { time, value };
constexpr std::array wavelet_columns{TableColumn{"time_s", "time", true, false},
                                     TableColumn{"amplitude", "amplitude", true, false}};

enum PickColumn : std::size_t { pick_offset, pick_time, pick_shot, pick_receiver };
constexpr std::array pick_columns{
    TableColumn{"offset_m", "offset", false, false}, TableColumn{"time_s", "time", true, false},
    TableColumn{"shot", "shot_id", false, true}, TableColumn{"receiver", "receiver", false, true}};

enum LogColumn : std::size_t { log_depth, log_vp };
constexpr std::array log_columns{TableColumn{"depth_m", "depth", true, false},
                                 TableColumn{"vp_m_s", "vp", true, false}};

enum CodeColumn : std::size_t { code_supershot, code_shot, code_value };
constexpr std::array code_columns{TableColumn{"supershot", "supershot", true, true},
                                  TableColumn{"shot", "shot_id", true, true}, TableColumn{"code", "code", true, false}};

enum TraceColumn : std::size_t {
    source_x,
    source_y,
    source_z,
    receiver_x,
    receiver_y,
    receiver_z,
    trace_shot,
    trace_dt,
    trace_start
};
constexpr std::array trace_columns{TableColumn{"source_x_m", "source_x", true, false},
                                   TableColumn{"source_y_m", "source_y", false, false},
                                   TableColumn{"source_z_m", "source_z", true, false},
                                   TableColumn{"receiver_x_m", "receiver_x", true, false},
                                   TableColumn{"receiver_y_m", "receiver_y", false, false},
                                   TableColumn{"receiver_z_m", "receiver_z", true, false},
                                   TableColumn{"shot", "shot_id", false, true},
                                   TableColumn{"dt_s", "dt", true, false},
                                   TableColumn{"start_s", "start", false, false}};

constexpr TableKind source_table{source_columns},
    receiver_table{receiver_columns, OtherColumns::carried, source_columns}, wavelet_table{wavelet_columns},
    pick_table{pick_columns, OtherColumns::refused, {}, "offset_m, time_s or of shot, receiver, time_s"},
    log_table{log_columns}, code_table{code_columns}, trace_table{trace_columns, OtherColumns::ignored};

// HDF5 -------------------------------------------------------------------------------------------------------------

bool is_hdf5(const Path& file) {
    const auto extension = file.extension();
    return extension == ".h5" || extension == ".hdf5" || extension == ".hdf";
}

void check_values(const guarded::Dataset& dataset, const std::vector<double>& values, std::size_t width, bool whole) {
    for (std::size_t n = 0; n < values.size(); ++n)
        if (!std::isfinite(values[n]) || (whole && !is_ordinal(values[n])))
            dataset.fail("[" + std::to_string(n / width) + "]" +
                         (width > 1 ? "[" + std::to_string(n % width) + "]" : "") + " = " + shortest(values[n]) +
                         ": must be " + (whole ? "a whole number from 1" : "finite"));
}

void check_units(const guarded::Dataset& dataset, const std::string& wanted) {
    const auto units = dataset.text("units");
    if (units && *units != wanted) dataset.fail("attribute units = '" + printable(*units) + "': must be " + wanted);
}

/// /coordinates [n][x, z] or [n][x, y, z], and columns of length n where they are there.
CsvTable read_hdf5_points(const Path& path, const TableKind& kind) {
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
    CsvTable table(kind);
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

CsvTable read_points(const Path& file, const TableKind& kind) {
    return is_hdf5(file) ? read_hdf5_points(file, kind) : read_csv(file, kind);
}

/// The places in three columns from this one on; 0 in those that are absent.
std::vector<std::array<double, 3>> positions(const CsvTable& table, std::size_t first = x) {
    std::vector<std::array<double, 3>> points(table.lines.size());
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (const std::vector<double>& column = table.columns[first + axis]; !column.empty())
            for (std::size_t n = 0; n < points.size(); ++n) points[n][axis] = column[n];
    return points;
}

std::vector<std::int64_t> shots(const CsvTable& table) {
    return {table.columns[shot].begin(), table.columns[shot].end()};
}

std::vector<int> lines(const CsvTable& table) {
    return table.lines.front() > 0 ? table.lines : std::vector<int>{};
}

WaveletSeries read_csv_wavelet(const Path& file) {
    const auto table = read_csv(file, wavelet_table);
    const auto& times = table.columns[time];
    const auto samples = times.size();
    if (samples < 2) throw Error(ExitCode::bad_data, shown(file) + ": has 1 sample; a wavelet has at least 2");
    const double dt = times.back() / static_cast<double>(samples - 1);
    if (!(dt > 0.)) TableLine{file, table.lines.back()}.fail(1, "time_s must increase from 0");
    // Times are often printed with few digits: a hundredth of a step is no unevenness.
    for (std::size_t n = 0; n < samples; ++n)
        if (!(std::abs(times[n] - static_cast<double>(n) * dt) <= 0.01 * dt))
            TableLine{file, table.lines[n]}.fail(1, n == 0 ? "time_s must begin at 0"
                                                           : "time_s is not even: sample " + std::to_string(n) +
                                                                 " of step " + shortest(dt) + " s should be at " +
                                                                 shortest(static_cast<double>(n) * dt) + " s");
    return {dt, table.columns[value]};
}

MutePicks picks_at_offsets(const Path& file, const CsvTable& table) {
    const auto& offsets = table.columns[pick_offset];
    MutePicks picks;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        if (offsets[i] < 0. || (i > 0 && offsets[i] <= offsets[i - 1]))
            TableLine{file, table.lines[i]}.fail(
                1, "offset_m = " + shortest(offsets[i]) + ": offsets must " +
                       (i == 0 || offsets[i] < 0. ? "be 0 or more" : "increase from line to line"));
        picks.at_offsets.push_back({offsets[i], table.columns[pick_time][i]});
    }
    return picks;
}

MutePicks picks_of_traces(const Path& file, const CsvTable& table) {
    using Place = std::pair<std::int64_t, std::int64_t>;
    std::map<Place, std::size_t> rows;
    for (std::size_t i = 0; i < table.lines.size(); ++i) {
        const Place place(table.columns[pick_shot][i], table.columns[pick_receiver][i]);
        if (const auto [other, is_new] = rows.try_emplace(place, i); !is_new)
            TableLine{file, table.lines[i]}.fail(1, "shot " + std::to_string(place.first) + ", receiver " +
                                                        std::to_string(place.second) + ": has a pick in line " +
                                                        std::to_string(table.lines[other->second]) + " already");
    }
    MutePicks picks;
    for (const auto& [place, row] : rows)
        picks.of_traces.push_back({place.first, place.second, table.columns[pick_time][row]});
    return picks;
}

/// Refuses values of a column that lie beyond what there is. \param columns of the table's kind.
void check_within(const Path& file, const CsvTable& table, std::span<const TableColumn> columns, std::size_t column,
                  double least, double most) {
    const std::vector<double>& values = table.columns[column];
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] < least || values[i] > most)
            TableLine{file, table.lines[i]}.fail(1, std::string(columns[column].name) + " = " + shortest(values[i]) +
                                                        ": must be from " + shortest(least) + " to " + shortest(most));
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
    const CsvTable table = read_csv(file, pick_table);
    const bool has_shots = !table.columns[pick_shot].empty(), has_receivers = !table.columns[pick_receiver].empty();
    if (has_shots != has_receivers || has_shots == !table.columns[pick_offset].empty())
        throw Error(ExitCode::bad_data, shown(file) + ": picks have columns of " + pick_table.names());
    return has_shots ? picks_of_traces(file, table) : picks_at_offsets(file, table);
}

WellLog read_well_log(const Path& file) {
    CsvTable table = read_csv(file, log_table);
    check_within(file, table, log_columns, log_vp, lowest_vp_m_s, highest_vp_m_s);
    std::vector<double>& depths = table.columns[log_depth];
    for (std::size_t i = 1; i < depths.size(); ++i)
        if (depths[i] <= depths[i - 1])
            TableLine{file, table.lines[i]}.fail(
                1, "depth_m = " + shortest(depths[i]) + ": depths must increase from line to line");
    return {std::move(depths), std::move(table.columns[log_vp])};
}

CodeTable read_codes(const Path& file) {
    CsvTable table = read_csv(file, code_table);
    CodeTable codes{{table.columns[code_supershot].begin(), table.columns[code_supershot].end()},
                    {table.columns[code_shot].begin(), table.columns[code_shot].end()},
                    {},
                    std::move(table.lines)};
    for (const double value : table.columns[code_value]) {
        if (value != 1. && value != -1.)
            TableLine{file, codes.line[codes.code.size()]}.fail(1, "code = " + shortest(value) + ": must be 1 or -1");
        codes.code.push_back(static_cast<int>(value));
    }
    return codes;
}

TraceTable read_trace_table(const Path& file) {
    const CsvTable table = read_csv(file, trace_table);
    constexpr double most_m = 1e9, most_s = 1e6, least_s = 1e-9;
    check_within(file, table, trace_columns, trace_dt, least_s, most_s);
    check_within(file, table, trace_columns, trace_start, -most_s, most_s);
    for (std::size_t column = source_x; column <= receiver_z; ++column)
        check_within(file, table, trace_columns, column, -most_m, most_m);
    const std::vector<double>& intervals = table.columns[trace_dt];
    for (std::size_t i = 0; i < intervals.size(); ++i)
        if (intervals[i] != intervals.front())
            TableLine{file, table.lines[i]}.fail(1, "dt_s = " + shortest(intervals[i]) + ": the first trace has " +
                                                        shortest(intervals.front()) +
                                                        ", and all traces of an array are sampled alike");
    return {intervals.front(),
            positions(table, source_x),
            positions(table, receiver_x),
            {table.columns[trace_shot].begin(), table.columns[trace_shot].end()},
            table.columns[trace_start]};
}

std::filesystem::path table_beside(const Path& file) {
    return file.parent_path() / (file.stem().string() + "_traces.csv");
}

}  // namespace onda
