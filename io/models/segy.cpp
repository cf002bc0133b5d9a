// SEG-Y (Barry, Cavers & Kneale 1975; SEG-Y rev 1, 2002): a trace is a column of the model, its samples go down.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "io/files/input_file.hpp"
#include "io/files/segy_format.hpp"
#include "io/models/foreign_model.hpp"
#include "io/models/plane_grid.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

constexpr double kEven = 0.01;        // of a spacing, by which coordinates may be off, however precise they are
constexpr double kWholeMetres = 1.;   // in which coordinates often are, whatever their scaler says
constexpr int kFeet = 2;              // of the measurement system
constexpr double kOfInterval = 1e-3;  // metres of what is a sampling in microseconds by the standard
constexpr const char* kGiveSpacing = "give --spacing-m";

/// How far a coordinate may lie from its place on a grid of this spacing, where coordinates have this resolution: one
/// rounded in x and y lies up to 0.71 of it away.
double allowance_m(double spacing_m, double resolution_m) {
    return std::max(kEven * spacing_m, resolution_m);
}

/// What the headers of the file say of all traces.
struct Volume {
    std::string file;
    std::uintmax_t trace0 = 0;  ///< where the first trace begins
    std::size_t samples = 0, traces = 0;
    int format = 0;
    int interval = 0;  ///< of the samples, as the binary header has it; 0: not told

    [[noreturn]] void fail(const std::string& message) const { throw Error(ExitCode::bad_data, file + ": " + message); }
    [[nodiscard]] std::size_t trace_bytes() const { return kTraceHeaderBytes + samples * sizeof(float); }
};

/// Intervals beyond 32767 are written, too, in 16 bits without a sign.
int interval_of(std::int64_t field) {
    return static_cast<std::uint16_t>(field);
}

void check_measures(const Volume& volume, const std::vector<char>& header, const ForeignOptions& options) {
    if (volume.format != kIbmFloats && volume.format != kIeeeFloats)
        volume.fail("has samples of format " + std::to_string(volume.format) +
                    " (bytes 3225-3226); Onda reads 1 (IBM floats) and 5 (IEEE floats)");
    if (number_in(header.data(), BinaryNumber::measurement_system) == kFeet &&
        (options.spacing_m.size() < 2 || options.units.empty()))
        volume.fail(
            "is in feet (bytes 3255-3256): bring its values to m/s, or give --units and --spacing-m, of every axis, if "
            "the header is wrong");
}

Volume read_headers(const std::filesystem::path& file, const ForeignOptions& options) {
    Volume volume;
    volume.file = shown(file);
    const auto size = input_file_size(file);
    constexpr std::uintmax_t before = kTextualHeaderBytes + kBinaryHeaderBytes;
    if (size < before) volume.fail("is not SEG-Y: shorter than the 3600 bytes of its headers");
    auto in = open_input_file(file);
    in.seekg(kTextualHeaderBytes);
    std::vector<char> header(kBinaryHeaderBytes);
    if (!in.read(header.data(), kBinaryHeaderBytes)) volume.fail("cannot read it: " + why_unread(in));
    volume.format = static_cast<int>(number_in(header.data(), BinaryNumber::format));
    volume.samples = static_cast<std::uint16_t>(number_in(header.data(), BinaryNumber::samples));
    volume.interval = interval_of(number_in(header.data(), BinaryNumber::interval));
    check_measures(volume, header, options);
    const std::int64_t texts = number_in(header.data(), BinaryNumber::textual_headers);
    volume.trace0 = before + static_cast<std::uintmax_t>(std::max<std::int64_t>(texts, 0)) * kTextualHeaderBytes;
    if (volume.samples == 0 || texts < 0 || volume.trace0 >= size)
        volume.fail("is not a SEG-Y model: it has no samples (bytes 3221-3222) or no traces");
    const std::uintmax_t rest = size - volume.trace0;
    if (rest % volume.trace_bytes() != 0)
        volume.fail("has " + std::to_string(rest) + " bytes of traces, which are not a whole number of traces of " +
                    std::to_string(volume.samples) + " samples (" + std::to_string(volume.trace_bytes()) + " bytes)");
    volume.traces = static_cast<std::size_t>(rest / volume.trace_bytes());
    return volume;
}

/// Where a trace stands, as its header says.
struct Station {
    std::int32_t inline_number = 0, crossline = 0;
    double x = 0., y = 0.;
    double unit_m = 1.;  ///< of its coordinates, by their scaler
    double step_m = 1.;  ///< the largest decimal multiple of unit_m that its coordinates are multiples of, up to 1 m
    int interval = 0;
};

double step_of(std::int64_t x, std::int64_t y, double unit_m) {
    double step_m = unit_m;
    for (std::int64_t tens = 10; step_m * 10. <= kWholeMetres * (1. + 1e-9) && x % tens == 0 && y % tens == 0;
         tens *= 10)
        step_m *= 10.;
    return step_m;
}

Station station_of(const char* header) {
    const auto field = [&](TraceNumber of) { return static_cast<std::int32_t>(number_in(header, of)); };
    const int scaler = field(TraceNumber::coordinate_scaler);
    const double factor = scaler > 0 ? scaler : scaler < 0 ? -1. / scaler : 1.;
    const std::int32_t x = field(TraceNumber::cdp_x), y = field(TraceNumber::cdp_y);
    return {field(TraceNumber::inline_number),
            field(TraceNumber::crossline_number),
            factor * x,
            factor * y,
            factor,
            step_of(x, y, factor),
            interval_of(field(TraceNumber::interval))};
}

/// In which all coordinates are: by the scaler, or coarser where all were rounded.
double resolution_m(const std::vector<Station>& stations) {
    double unit_m = 0., step_m = kWholeMetres;
    for (const Station& at : stations) {
        unit_m = std::max(unit_m, at.unit_m);
        step_m = std::min(step_m, at.step_m);
    }
    return std::max(unit_m, step_m);
}

/// All samples, trace after trace, and where each trace stands.
std::vector<Station> read_traces(const Volume& volume, const std::filesystem::path& file, std::vector<float>& values) {
    auto in = open_input_file(file);
    in.seekg(static_cast<std::streamoff>(volume.trace0));
    values.resize(volume.traces * volume.samples);
    std::vector<Station> stations;
    stations.reserve(volume.traces);
    std::array<char, kTraceHeaderBytes> header{};
    for (std::size_t i = 0; i < volume.traces; ++i) {
        float* const trace = &values[i * volume.samples];
        in.read(header.data(), header.size());
        in.read(reinterpret_cast<char*>(trace), static_cast<std::streamsize>(volume.samples * sizeof(float)));
        if (!in) throw Error(ExitCode::io_error, volume.file + ": cannot read it: " + why_unread(in));
        decode_samples(volume.format, {trace, volume.samples});
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
    const double apart = length / static_cast<double>(stations.size() - 1);
    std::vector<std::array<double, 2>> along;
    for (const Station& at : stations) {
        if (std::abs((at.y - first.y) * dx - (at.x - first.x) * dy) >
            allowance_m(apart, resolution_m(stations)) * length)
            return {};
        along.push_back({((at.x - first.x) * dx + (at.y - first.y) * dy) / length, 0.});
    }
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

std::string text_of(const PlanePoint& point) {
    return "x = " + number_text(std::round(point[0] * 1e3) / 1e3) +
           " m, y = " + number_text(std::round(point[1] * 1e3) / 1e3) + " m";
}

/// What the user should know of a grid that was fitted.
void tell_fit(const PlaneGrid& grid, double resolution_m, bool along_axes, Layout& layout) {
    const auto azimuth = [](double degrees) { return number_text(std::round(degrees * 1e3) / 1e3); };
    const auto [of_x, of_y] = grid.azimuths_deg();
    if (grid.farthest_m > 1e-6 * std::max(layout.spacing_m[0], layout.spacing_m[1]))
        layout.notes.push_back("its coordinates, in steps of " + shortest(resolution_m) + " m, lie up to " +
                               number_text(std::ceil(grid.farthest_m * 1e3) / 1e3) +
                               " m from the grid that was fitted to them");
    if (along_axes) return;
    layout.notes.push_back(
        "its lines do not run along x and y: the x axis of the model has an azimuth of " + azimuth(of_x) +
        " degrees (clockwise from CDP Y)" + (layout.ny > 1 ? ", its y axis of " + azimuth(of_y) + " degrees" : "") +
        "; the model has coordinates of its own, from its first trace, which lies at CDP " + text_of(grid.first_m));
}

/// Spacings and origin of a layout from the coordinates of its traces, which must lie on a regular grid of any
/// direction. \return why they do not; empty if they do.
std::string measure(const std::vector<Station>& stations, Layout& layout) {
    std::vector<std::size_t> trace_at(layout.place.size());
    for (std::size_t i = 0; i < layout.place.size(); ++i) trace_at[layout.place[i]] = i;
    std::vector<PlanePoint> coordinates;
    for (const std::size_t trace : trace_at) coordinates.push_back({stations[trace].x, stations[trace].y});
    const double resolution = resolution_m(stations);
    const PlaneGrid grid = fit_plane_grid(coordinates, layout.nx, layout.ny, resolution);
    const PlanePoint spacing_m = grid.spacing_m();
    const double least = layout.ny > 1 ? std::min(spacing_m[0], spacing_m[1]) : spacing_m[0];
    if (!(least > 0.)) return "its traces have no coordinates (CDP X and Y, bytes 181-188), so the spacing is unknown";
    if (grid.farthest_m > allowance_m(least, resolution)) {
        const std::size_t trace = trace_at[grid.farthest];
        return trace_text(trace, stations[trace]) + " lies " + number_text(std::round(grid.farthest_m * 100.) / 100.) +
               " m from its place on the regular grid that fits best, more than coordinates in steps of " +
               shortest(resolution) + " m allow";
    }
    if (!grid.is_rectangular()) return "its inlines and crosslines do not meet at right angles";
    layout.spacing_m = spacing_m;
    // The lines run along x and y if they leave them, up to their ends, by no more than coordinates may be off.
    const PlanePoint &u = grid.along_columns_m, &v = grid.along_rows_m;
    const double drift_m = std::max(std::abs(u[1]) * static_cast<double>(layout.nx - 1),
                                    std::abs(v[0]) * static_cast<double>(layout.ny - 1));
    const bool along_axes =
        u[0] > 0. && (layout.ny == 1 || v[1] > 0.) && drift_m <= 2. * allowance_m(least, resolution);
    if (along_axes)
        for (std::size_t axis = 0; axis < 2; ++axis)
            layout.origin_m[axis] = std::abs(grid.first_m[axis] - coordinates.front()[axis]) <= 0.5 * resolution
                                        ? coordinates.front()[axis]
                                        : std::round(grid.first_m[axis] / resolution) * resolution;
    tell_fit(grid, resolution, along_axes, layout);
    return "";
}

/// Spacings and origin by the coordinates, unless the user gives them or the coordinates make no grid.
/// \throws Error(bad_data) where neither tells the spacing.
void measure_unless_given(const Volume& volume, const std::vector<Station>& stations, const ForeignOptions& options,
                          Layout& layout) {
    const std::string objection = measure(stations, layout);
    if (options.spacing_m.empty() && !objection.empty())
        volume.fail(objection + ": " + kGiveSpacing +
                    " if it should not matter; one number is of x and y alone, and the depth stays as it is");
    if (options.spacing_m.empty()) return;
    if (!objection.empty()) {
        if (options.origin_m.empty()) layout.notes.push_back("the model begins at x = 0 and y = 0: " + objection);
        return;
    }
    const auto differs = [&](std::size_t axis) {
        const double given = options.spacing_m[std::min(axis, options.spacing_m.size() - 1)];
        return std::abs(layout.spacing_m[axis] - given) > kEven * given;
    };
    if (differs(0) || (layout.ny > 1 && differs(1)))
        layout.notes.push_back(
            "its coordinates would make the spacing " + shortest(layout.spacing_m[0]) +
            (layout.ny > 1 ? " m along x and " + shortest(layout.spacing_m[1]) + " m along y" : " m") +
            ", not what --spacing-m says");
}

Layout layout_of(const Volume& volume, const std::vector<Station>& stations, const ForeignOptions& options) {
    if (!options.shape.empty()) return by_options(volume, options);
    auto layout = by_numbers(stations);
    if (!layout) layout = by_coordinates(stations);
    if (!layout)
        volume.fail(
            "its " + std::to_string(volume.traces) +
            " traces do not form a regular line or grid, neither by inlines and crosslines (bytes 189-196) nor by "
            "coordinates (bytes 181-188): give --shape and --spacing-m");
    return *layout;
}

/// The interval of the samples that all headers agree on. \throws Error(bad_data).
int interval_of_all(const Volume& volume, const std::vector<Station>& stations) {
    int interval = volume.interval;
    std::string where = "bytes 3217-3218";
    const char* const remedy = ": give --spacing-m of every axis";
    for (std::size_t i = 0; i < stations.size(); ++i) {
        const int of_trace = stations[i].interval;
        if (of_trace == 0 || of_trace == interval) continue;
        const std::string here = "bytes 117-118 of trace " + std::to_string(i + 1);
        if (interval != 0)
            volume.fail("has two sample intervals, " + std::to_string(interval) + " (" + where + ") and " +
                        std::to_string(of_trace) + " (" + here + ")" + remedy);
        interval = of_trace;
        where = here;
    }
    if (interval == 0) volume.fail(std::string("tells no distance of samples (bytes 3217-3218 and 117-118)") + remedy);
    return interval;
}

/// The depth of a sample is not in the standard: programs write it where the sampling in microseconds is, in
/// thousandths of a metre.
double depth_step_m(const Volume& volume, const std::vector<Station>& stations, Layout& layout) {
    const int interval = interval_of_all(volume, stations);
    const double step_m = static_cast<double>(interval) * kOfInterval;
    const std::string reading =
        "its sample interval of " + std::to_string(interval) +
        " (bytes 3217-3218 or 117-118) is taken for thousandths of a metre, dz = " + shortest(step_m) + " m";
    const std::string remedy = std::string("--spacing-m DX ") + (layout.flat ? "" : "DY ") + "DZ";
    if (!is_usual_spacing(step_m)) volume.fail(reading + ", which no model has: give " + remedy);
    layout.notes.push_back(reading + "; if it is anything else, such as a time in microseconds, give " + remedy);
    return step_m;
}

/// \throws Error(bad_data) for spacings by coordinates that are probably in another unit.
void refuse_unusual(const Volume& volume, const Layout& layout) {
    for (std::size_t axis = 0; axis < (layout.ny > 1 ? 2u : 1u); ++axis)
        if (!is_usual_spacing(layout.spacing_m[axis]))
            volume.fail("its traces lie " + shortest(layout.spacing_m[axis]) + " m apart along " + "xy"[axis] +
                        " by their coordinates (CDP X and Y, bytes 181-188): " + kGiveSpacing +
                        " if these are in another unit");
}

FileGeometry geometry_of(const Volume& volume, const std::vector<Station>& stations, Layout& layout,
                         const ForeignOptions& options) {
    const auto nz = static_cast<std::int64_t>(volume.samples);
    std::vector<std::int64_t> shape{layout.nx, layout.ny, nz};
    std::vector<double> spacing_m{layout.spacing_m[0], layout.spacing_m[1], 0.}, origin_m = options.origin_m;
    if (options.spacing_m.empty()) refuse_unusual(volume, layout);
    if (options.spacing_m.size() < 2) spacing_m.back() = depth_step_m(volume, stations, layout);
    if (origin_m.empty()) origin_m = {layout.origin_m[0], layout.origin_m[1], 0.};
    if (layout.flat) {
        shape.erase(shape.begin() + 1);
        spacing_m.erase(spacing_m.begin() + 1);
        if (options.origin_m.empty()) origin_m = {0., 0.};  // along the line
    }
    return make_geometry(shape, with_given(options.spacing_m, spacing_m), origin_m, volume.file);
}

}  // namespace

ForeignModel read_segy_model(const std::filesystem::path& file, const ForeignOptions& options) {
    const Volume volume = read_headers(file, options);
    check_room(file, 2 * volume.traces * volume.samples, options);  // as they come, and in their places
    std::vector<float> traces;
    const std::vector<Station> stations = read_traces(volume, file, traces);
    Layout layout = layout_of(volume, stations, options);
    measure_unless_given(volume, stations, options, layout);
    ForeignModel model;
    model.geometry = geometry_of(volume, stations, layout, options);
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
