// SEG-Y (Barry, Cavers & Kneale 1975; SEG-Y rev 1, 2002): a trace is a column of the model, its samples go down.

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <segyio/segy.h>
#include <set>

#include "io/files/input_file.hpp"
#include "io/models/foreign_model.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

constexpr double kEven = 0.01;  // of a spacing, by which coordinates in whole numbers may be off
constexpr int kFeet = 2;        // of the measurement system

/// What the headers of the file say of all traces.
struct Volume {
    std::string file;
    std::uintmax_t trace0 = 0;  ///< where the first trace begins
    std::size_t samples = 0, traces = 0;
    int format = 0, interval = 0;

    [[noreturn]] void fail(const std::string& message) const { throw Error(ExitCode::bad_data, file + ": " + message); }
    [[nodiscard]] std::size_t trace_bytes() const { return SEGY_TRACE_HEADER_SIZE + samples * sizeof(float); }
};

int binary_field(const std::vector<char>& header, int field) {
    std::int32_t value = 0;
    segy_get_bfield(header.data(), field, &value);
    return value;
}

void check_measures(const Volume& volume, const std::vector<char>& header, const ForeignOptions& options) {
    if (volume.format != SEGY_IBM_FLOAT_4_BYTE && volume.format != SEGY_IEEE_FLOAT_4_BYTE)
        volume.fail("has samples of format " + std::to_string(volume.format) +
                    " (bytes 3225-3226); Onda reads 1 (IBM floats) and 5 (IEEE floats)");
    if (binary_field(header, SEGY_BIN_MEASUREMENT_SYSTEM) == kFeet &&
        (options.spacing_m.empty() || options.units.empty()))
        volume.fail(
            "is in feet (bytes 3255-3256): bring its values to m/s, or give --units and --spacing-m if they are "
            "metric after all");
}

Volume read_headers(const std::filesystem::path& file, const ForeignOptions& options) {
    Volume volume;
    volume.file = shown(file);
    const auto size = input_file_size(file);
    constexpr std::uintmax_t before = SEGY_TEXT_HEADER_SIZE + SEGY_BINARY_HEADER_SIZE;
    if (size < before) volume.fail("is no SEG-Y: shorter than the 3600 bytes of its headers");
    auto in = open_input_file(file);
    in.seekg(SEGY_TEXT_HEADER_SIZE);
    std::vector<char> header(SEGY_BINARY_HEADER_SIZE);
    if (!in.read(header.data(), SEGY_BINARY_HEADER_SIZE))
        volume.fail(std::string("cannot read it: ") + std::strerror(errno));
    volume.format = segy_format(header.data());
    volume.samples = static_cast<std::size_t>(std::max(segy_samples(header.data()), 0));
    volume.interval = binary_field(header, SEGY_BIN_INTERVAL);
    check_measures(volume, header, options);
    const long trace0 = segy_trace0(header.data());
    if (volume.samples == 0 || trace0 < static_cast<long>(before) || static_cast<std::uintmax_t>(trace0) >= size)
        volume.fail("is no SEG-Y of a model: it has no samples (bytes 3221-3222) or no traces");
    volume.trace0 = static_cast<std::uintmax_t>(trace0);
    const std::uintmax_t rest = size - volume.trace0;
    if (rest % volume.trace_bytes() != 0)
        volume.fail("has " + std::to_string(rest) + " bytes of traces, which are no whole number of traces of " +
                    std::to_string(volume.samples) + " samples (" + std::to_string(volume.trace_bytes()) + " bytes)");
    volume.traces = static_cast<std::size_t>(rest / volume.trace_bytes());
    return volume;
}

/// Where a trace stands, as its header says.
struct Station {
    std::int32_t inline_number = 0, crossline = 0;
    double x = 0., y = 0.;
};

Station station_of(const char* header) {
    const auto field = [&](int at) {
        std::int32_t value = 0;
        segy_get_field(header, at, &value);
        return value;
    };
    const int scaler = field(SEGY_TR_SOURCE_GROUP_SCALAR);
    const double factor = scaler > 0 ? scaler : scaler < 0 ? -1. / scaler : 1.;
    return {field(SEGY_TR_INLINE), field(SEGY_TR_CROSSLINE), factor * field(SEGY_TR_CDP_X),
            factor * field(SEGY_TR_CDP_Y)};
}

/// All samples, trace after trace, and where each trace stands.
std::vector<Station> read_traces(const Volume& volume, const std::filesystem::path& file, std::vector<float>& values) {
    auto in = open_input_file(file);
    in.seekg(static_cast<std::streamoff>(volume.trace0));
    values.resize(volume.traces * volume.samples);
    std::vector<Station> stations;
    stations.reserve(volume.traces);
    std::array<char, SEGY_TRACE_HEADER_SIZE> header{};
    for (std::size_t i = 0; i < volume.traces; ++i) {
        float* const trace = &values[i * volume.samples];
        in.read(header.data(), header.size());
        in.read(reinterpret_cast<char*>(trace), static_cast<std::streamsize>(volume.samples * sizeof(float)));
        if (!in) throw Error(ExitCode::io_error, volume.file + ": cannot read it: " + std::strerror(errno));
        segy_to_native(volume.format, static_cast<long long>(volume.samples), trace);
        stations.push_back(station_of(header.data()));
    }
    return stations;
}

std::string trace_text(std::size_t index, const Station& at) {
    return "trace " + std::to_string(index + 1) + " (inline " + std::to_string(at.inline_number) + ", crossline " +
           std::to_string(at.crossline) + ", CDP x = " + shortest(at.x) + ", y = " + shortest(at.y) + ")";
}

/// Traces on a plan of rows and columns: nx columns along x, ny rows along y, and the place of each trace in it.
struct Layout {
    std::int64_t nx = 0, ny = 1;
    std::vector<std::size_t> place;  ///< of each trace: row * nx + column
    bool flat = false;               ///< a 2-D line
    std::array<double, 2> spacing_m{0., 0.}, origin_m{0., 0.};
    std::vector<std::string> notes;
};

/// Puts traces by two numbers each. \return nothing if they do not fill a rectangle, each place once.
template <typename Number>
std::optional<Layout> rectangle(const std::vector<std::array<Number, 2>>& column_row) {
    std::map<Number, std::size_t> columns, rows;
    for (const auto& [column, row] : column_row) {
        columns.emplace(column, 0);
        rows.emplace(row, 0);
    }
    if (columns.size() > column_row.size() / rows.size() || columns.size() * rows.size() != column_row.size())
        return {};
    std::size_t n = 0;
    for (auto& [number, index] : columns) index = n++;
    n = 0;
    for (auto& [number, index] : rows) index = n++;
    Layout layout{static_cast<std::int64_t>(columns.size()),
                  static_cast<std::int64_t>(rows.size()),
                  {},
                  rows.size() == 1,
                  {},
                  {},
                  {}};
    std::vector<bool> taken(column_row.size(), false);
    for (const auto& [column, row] : column_row) {
        const std::size_t place = rows[row] * columns.size() + columns[column];
        if (taken[place]) return {};
        taken[place] = true;
        layout.place.push_back(place);
    }
    return layout;
}

/// The places of the traces by inline and crossline numbers: crosslines count along x, inlines along y.
std::optional<Layout> by_numbers(const std::vector<Station>& stations) {
    std::vector<std::array<std::int32_t, 2>> numbers;
    for (const Station& at : stations) numbers.push_back({at.crossline, at.inline_number});
    auto layout = rectangle(numbers);
    if (layout && layout->nx == 1 && layout->ny > 1) {  // a line of crossline 0, or along an inline direction
        std::swap(layout->nx, layout->ny);
        layout->flat = true;
    }
    return layout && layout->nx > 1 ? layout : std::nullopt;
}

/// The places of the traces by their coordinates: a straight line, or a rectangle along x and y.
std::optional<Layout> by_coordinates(const std::vector<Station>& stations) {
    std::vector<std::array<double, 2>> places;
    for (const Station& at : stations) places.push_back({at.x, at.y});
    if (auto layout = rectangle(places); layout && layout->nx > 1) return layout;
    const Station &first = stations.front(), &last = stations.back();
    const double dx = last.x - first.x, dy = last.y - first.y;
    const double length = std::hypot(dx, dy);
    if (!(length > 0.)) return {};
    std::vector<std::array<double, 2>> along;
    for (const Station& at : stations) along.push_back({((at.x - first.x) * dx + (at.y - first.y) * dy) / length, 0.});
    return rectangle(along);
}

/// The layout that the user gives: traces in the order of the file, those along x one after the other, or along y.
Layout by_options(const Volume& volume, const ForeignOptions& options) {
    const std::vector<std::int64_t>& shape = options.shape;
    Layout layout{shape.front(), shape.size() == 3 ? shape[1] : 1, {}, shape.size() == 2, {}, {}, {}};
    std::uintmax_t traces = count_nodes({layout.nx, layout.ny}, "--shape", ExitCode::usage);
    if (traces != volume.traces || shape.back() != static_cast<std::int64_t>(volume.samples))
        throw Error(ExitCode::usage, "--shape: " + volume.file + " has " + std::to_string(volume.traces) +
                                         " traces of " + std::to_string(volume.samples) + " samples");
    if (!options.axes.empty()) check_axes(options.axes, static_cast<int>(shape.size()));
    if (!options.axes.empty() && options.axes.back() != 'z')
        throw Error(ExitCode::usage, "--axes " + options.axes + ": the samples of a trace go down: z comes last");
    const bool y_fastest = options.axes == "xyz";
    for (std::int64_t i = 0; i < layout.nx * layout.ny; ++i)
        layout.place.push_back(static_cast<std::size_t>(y_fastest ? i % layout.ny * layout.nx + i / layout.ny : i));
    return layout;
}

/// Spacings and origin of a layout from the coordinates of its traces, which must lie evenly.
/// \throws Error(bad_data) naming a trace that does not.
void measure(const Volume& volume, const std::vector<Station>& stations, Layout& layout) {
    std::vector<std::size_t> trace_at(layout.place.size());
    for (std::size_t i = 0; i < layout.place.size(); ++i) trace_at[layout.place[i]] = i;
    const Station& first = stations[trace_at[0]];
    const auto step_to = [&](std::size_t place, std::int64_t count) {
        const Station& to = stations[trace_at[place]];
        const double n = static_cast<double>(std::max<std::int64_t>(count - 1, 1));
        return std::array{(to.x - first.x) / n, (to.y - first.y) / n};
    };
    const auto u = step_to(static_cast<std::size_t>(layout.nx - 1), layout.nx);
    const auto v = step_to(static_cast<std::size_t>((layout.ny - 1) * layout.nx), layout.ny);
    layout.spacing_m = {std::hypot(u[0], u[1]), std::hypot(v[0], v[1])};
    const double least = layout.ny > 1 ? std::min(layout.spacing_m[0], layout.spacing_m[1]) : layout.spacing_m[0];
    if (!(least > 0.))
        volume.fail(
            "its traces have no coordinates (CDP X and Y, bytes 181-188) to tell a spacing by: give --spacing-m");
    if (layout.ny > 1 && std::abs(u[0] * v[0] + u[1] * v[1]) > kEven * layout.spacing_m[0] * layout.spacing_m[1])
        volume.fail("its inlines and crosslines do not meet at right angles: give --spacing-m if they should");
    for (std::size_t place = 0; place < trace_at.size(); ++place) {
        const auto column = static_cast<double>(place % static_cast<std::size_t>(layout.nx));
        const auto row = static_cast<double>(place / static_cast<std::size_t>(layout.nx));
        const Station& at = stations[trace_at[place]];
        const double off =
            std::hypot(at.x - first.x - column * u[0] - row * v[0], at.y - first.y - column * u[1] - row * v[1]);
        if (off > std::max(kEven * least, 1.))  // whole metres are common
            volume.fail(trace_text(trace_at[place], at) + " lies " + number_text(std::round(off * 100.) / 100.) +
                        " m from its place on an even grid: give --spacing-m if the coordinates do not matter");
    }
    const bool along_axes = u[0] > 0. && std::abs(u[1]) <= kEven * layout.spacing_m[0] && (layout.ny == 1 || v[1] > 0.);
    if (along_axes)
        layout.origin_m = {first.x, first.y};
    else
        layout.notes.push_back(
            "its lines do not run along x and y: the model has coordinates of its own, from its first trace");
}

Layout layout_of(const Volume& volume, const std::vector<Station>& stations, const ForeignOptions& options) {
    if (!options.shape.empty()) return by_options(volume, options);
    auto layout = by_numbers(stations);
    if (!layout) layout = by_coordinates(stations);
    if (!layout)
        volume.fail(
            "its " + std::to_string(volume.traces) +
            " traces fill no line and no rectangle of inlines and crosslines (bytes 189-196), nor of coordinates "
            "(bytes 181-188): give --shape and --spacing-m");
    return *layout;
}

/// The depth of a sample is not in the standard: programs write it where the sampling in microseconds is, in
/// thousandths of a metre.
double depth_step_m(const Volume& volume) {
    if (volume.interval <= 0) volume.fail("tells no distance of samples (bytes 3217-3218): give --spacing-m");
    return static_cast<double>(volume.interval) * 1e-3;
}

FileGeometry geometry_of(const Volume& volume, const Layout& layout, const ForeignOptions& options) {
    const auto nz = static_cast<std::int64_t>(volume.samples);
    std::vector<std::int64_t> shape{layout.nx, layout.ny, nz};
    std::vector<double> spacing_m = options.spacing_m, origin_m = options.origin_m;
    if (spacing_m.empty()) spacing_m = {layout.spacing_m[0], layout.spacing_m[1], depth_step_m(volume)};
    if (origin_m.empty()) origin_m = {layout.origin_m[0], layout.origin_m[1], 0.};
    if (layout.flat) {
        shape.erase(shape.begin() + 1);
        if (options.spacing_m.empty()) spacing_m.erase(spacing_m.begin() + 1);
        if (options.origin_m.empty()) origin_m = {0., 0.};  // along the line
    }
    return make_geometry(shape, spacing_m, origin_m);
}

}  // namespace

ForeignModel read_segy_model(const std::filesystem::path& file, const ForeignOptions& options) {
    const Volume volume = read_headers(file, options);
    check_room(file, 2 * volume.traces * volume.samples, options);  // as they come, and in their places
    std::vector<float> traces;
    const std::vector<Station> stations = read_traces(volume, file, traces);
    Layout layout = layout_of(volume, stations, options);
    if (options.spacing_m.empty()) measure(volume, stations, layout);
    ForeignModel model;
    model.geometry = geometry_of(volume, layout, options);
    model.axes = layout.flat ? "xz" : "yxz";
    model.quantity = options.quantity;
    model.unit = stored_unit(options, "", "");
    model.place = volume.file;
    model.numbers = file;
    model.notes = layout.notes;
    model.values.resize(traces.size());
    for (std::size_t i = 0; i < volume.traces; ++i)
        std::copy_n(&traces[i * volume.samples], volume.samples, &model.values[layout.place[i] * volume.samples]);
    return model;
}

}  // namespace onda
