#include "io/results/image_export.hpp"

#include <algorithm>
#include <cmath>

#include "io/files/atomic_stream.hpp"
#include "io/files/npy_header.hpp"
#include "io/results/segy_headers.hpp"
#include "io/results/trace_file.hpp"

namespace onda {
namespace {

constexpr std::int64_t kLargest16 = std::numeric_limits<std::int16_t>::max();

/// The interval of depths in 16 bits.
struct DepthInterval {
    std::int64_t number;
    const char* unit;
};
DepthInterval depth_interval(double spacing_m) {
    constexpr double mm_per_m = 1000.;
    if (spacing_m * mm_per_m <= static_cast<double>(kLargest16)) return {std::llround(spacing_m * mm_per_m), "mm"};
    return {std::min<std::int64_t>(kLargest16, std::llround(spacing_m)), "m"};
}

double farthest_m(const FileGeometry& geometry) {
    double farthest = 0.;
    for (const std::size_t axis : {std::size_t{0}, std::size_t{1}})
        farthest = std::max({farthest, std::abs(geometry.origin_m[axis]),
                             std::abs(geometry.origin_m[axis] +
                                      static_cast<double>(geometry.shape[axis] - 1) * geometry.spacing_m[axis])});
    return farthest;
}

std::string words_of(const ImageToExport& image, std::int64_t parts) {
    const FileGeometry& geometry = image.geometry;
    const DepthInterval interval = depth_interval(geometry.spacing_m[2]);
    TextualHeader header;
    header.add_foreign("", image.program + ": acoustic wave-equation FDTD");
    header.add_foreign("Title: ", image.title);
    header.add_foreign("Contents: ", image.what);
    header.add("Depth: " + std::to_string(geometry.shape[2]) + " samples, one every " +
               shortest(geometry.spacing_m[2]) + " m, the first at z = " + shortest(geometry.origin_m[2]) + " m;");
    header.add(std::string("  intervals in the headers (bytes 117-118, 3217-3218) are in ") + interval.unit);
    header.add("Samples: IEEE floats of 4 bytes (format 5), big endian");
    header.add("CDP x and y: bytes 181-188, in 1/" + std::to_string(parts) + " m (scaler in bytes 71-72)");
    header.add("Inline number: bytes 189-192, along y; crossline number: bytes 193-196,");
    header.add("  along x; both from 1. CDP number: bytes 21-24");
    header.add("Polarity: positive where a thin layer is faster, or its impedance larger,");
    header.add("  than what is around it");
    return header.text();
}

BinaryHeader binary_header_of(const FileGeometry& geometry) {
    constexpr int stacked = 4;  // table 2: byte 3229
    BinaryHeader set =
        begin_binary_header(depth_interval(geometry.spacing_m[2]).number, geometry.shape[2], kIeeeFloats);
    set(BinaryNumber::traces, 1);
    set(BinaryNumber::sorting, stacked);
    return set;
}

/// The header of the column at node (x, y).
TraceHeader header_of_column(const FileGeometry& geometry, std::int64_t parts, std::int64_t x, std::int64_t y) {
    constexpr int seismic_data = 1, metres = 1;
    const auto scaled = [&](std::size_t axis, std::int64_t node) {
        const double place_m = geometry.origin_m[axis] + static_cast<double>(node) * geometry.spacing_m[axis];
        return fitting(place_m * static_cast<double>(parts), "place");
    };
    const std::int64_t number = fitting(static_cast<double>(y * geometry.shape[0] + x + 1), "trace");
    TraceHeader set;
    for (const TraceNumber field :
         {TraceNumber::sequence_in_line, TraceNumber::sequence_in_file, TraceNumber::ensemble})
        set(field, number);
    set(TraceNumber::number_in_ensemble, 1);
    set(TraceNumber::identification, seismic_data);
    set(TraceNumber::data_use, 1);
    set(TraceNumber::coordinate_scaler, parts == 1 ? 1 : -parts);
    set(TraceNumber::coordinate_units, metres);
    set(TraceNumber::delay, std::clamp<std::int64_t>(std::llround(geometry.origin_m[2]), -kLargest16, kLargest16));
    set(TraceNumber::samples, geometry.shape[2]);
    set(TraceNumber::interval, depth_interval(geometry.spacing_m[2]).number);
    set(TraceNumber::cdp_x, scaled(0, x));
    set(TraceNumber::cdp_y, geometry.dimensions == 3 ? scaled(1, y) : 0);
    set(TraceNumber::inline_number, y + 1);
    set(TraceNumber::crossline_number, x + 1);
    return set;
}

AtomicFile write_segy(const ImageToExport& image, const std::filesystem::path& file, bool overwrite) {
    const FileGeometry& geometry = image.geometry;
    const auto [nx, ny, nz] = geometry.shape;
    const std::int64_t parts = coordinate_parts(farthest_m(geometry));
    if (const std::string fault = kSegyLimits.unfit_samples(nz); !fault.empty()) throw Error(ExitCode::usage, fault);
    if (parts == 0) throw Error(ExitCode::usage, unfit_places(farthest_m(geometry)));
    TracesInProgress traces(file, overwrite);
    traces.write_heads(words_of(image, parts), binary_header_of(geometry));
    std::vector<float> column(static_cast<std::size_t>(nz));
    for (std::int64_t y = 0; y < ny; ++y) {
        const std::vector<float> line = image.read({0, y, 0}, {nx, 1, nz});
        for (std::int64_t x = 0; x < nx; ++x) {
            for (std::int64_t z = 0; z < nz; ++z)
                column[static_cast<std::size_t>(z)] = line[static_cast<std::size_t>(z * nx + x)];
            encode_samples(kIeeeFloats, column);
            traces.write(header_of_column(geometry, parts, x, y).data, column);
        }
    }
    return traces.finish();
}

AtomicFile write_npy(const ImageToExport& image, const std::filesystem::path& file, bool overwrite) {
    const auto [nx, ny, nz] = image.geometry.shape;
    AtomicStream stream(file, overwrite);
    stream.put(image.geometry.dimensions == 2 ? npy_header({nz, nx}) : npy_header({nz, ny, nx}));
    for (std::int64_t z = 0; z < nz; ++z) {
        const std::vector<float> plane = image.read({0, 0, z}, {nx, ny, 1});
        stream.put({reinterpret_cast<const char*>(plane.data()), plane.size() * sizeof(float)});
    }
    return stream.finish();
}

}  // namespace

const std::vector<ImageFormat>& image_formats() {
    static const std::vector<ImageFormat> formats{{"segy", {".segy", ".sgy"}, write_segy},
                                                  {"npy", {".npy"}, write_npy}};
    return formats;
}

}  // namespace onda
