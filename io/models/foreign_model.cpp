#include "io/models/foreign_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "io/files/input_file.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

constexpr std::array formats{
    ForeignFormat{"raw", ".bin .raw .dat .f32 .f64 ",
                  "numbers in a row after an optional header; you give shape, axes and spacing",
                  " --shape --axes --spacing-m --origin-m --units --dtype --endian --header-bytes ",
                  " --shape --axes --spacing-m ", "--shape NX NZ --axes xz --spacing-m DX", read_raw_model},
    ForeignFormat{"rsf", ".rsf ", "Madagascar RSF; axes, spacing, origin and units come from its header",
                  " --axes --spacing-m --origin-m --units --data-file ", "", "", read_rsf_model},
    ForeignFormat{"npy", ".npy ", "NumPy array; --axes names its indices in their order: zx is vp[z, x]",
                  " --axes --spacing-m --origin-m --units ", " --axes --spacing-m ", "--axes zx --spacing-m DX",
                  read_npy_model},
    ForeignFormat{
        "segy", ".sgy .segy .SGY .SEGY ",
        "SEG-Y, a trace a column; places from inline and crossline numbers or CDP X and Y, or by --shape; the "
        "sample interval is taken for thousandths of a metre",
        " --shape --axes --spacing-m --origin-m --units ", "", "", read_segy_model},
};

std::string shape_text(int dimensions) {
    return dimensions == 2 ? "2 (x, z)" : "3 (x, y, z)";
}

/// One number for all axes, or one each, put into (x, y, z).
std::array<double, 3> triple(const std::vector<double>& values, int dimensions, double absent, bool one_for_all,
                             const std::string& option) {
    const auto wanted = static_cast<std::size_t>(dimensions);
    if (values.size() != wanted && !(one_for_all && values.size() == 1))
        throw Error(ExitCode::usage, option + ": " + std::to_string(values.size()) + " numbers given; a model of " +
                                         shape_text(dimensions) + " axes needs " + (one_for_all ? "1 or " : "") +
                                         std::to_string(wanted));
    const auto at = [&](std::size_t n) { return values.size() == 1 ? values.front() : values[n]; };
    if (dimensions == 2) return {at(0), absent, at(1)};
    return {at(0), at(1), at(2)};
}

/// As configurations have them: grid.spacing_m and grid.origin_m of io/config/config_table.cpp.
/// \param of_file that they come from; empty: the options.
void check_numbers(std::span<const double> spacing_m, std::span<const double> origin_m, const std::string& of_file) {
    constexpr double least_spacing_m = 1e-9, most_spacing_m = 1e6, farthest_m = 1e9;
    const auto refuse = [&of_file](const std::string& what, double value, const char* wanted) {
        throw Error(of_file.empty() ? ExitCode::usage : ExitCode::bad_data,
                    (of_file.empty() ? "--" + what + "-m " : of_file + ": its " + what + " is ") + shortest(value) +
                        (of_file.empty() ? "" : " m") + ": must be " + wanted);
    };
    for (const double spacing : spacing_m)
        if (!(spacing >= least_spacing_m && spacing <= most_spacing_m))
            refuse("spacing", spacing, "positive, from 1e-9 to 1e6 m");
    for (const double origin : origin_m)
        if (!(std::abs(origin) <= farthest_m)) refuse("origin", origin, "finite, within 1e9 m from zero");
}

}  // namespace

std::span<const ForeignFormat> foreign_formats() {
    return formats;
}

std::uintmax_t count_nodes(const std::vector<std::int64_t>& shape, const std::string& place, ExitCode fault) {
    std::int64_t count = 1;
    for (const auto extent : shape) {
        if (extent < 1)
            throw Error(fault, place + ": " + std::to_string(extent) + " nodes along an axis: must be at least 1");
        if (__builtin_mul_overflow(count, extent, &count))
            throw Error(fault, place + ": the number of nodes overflows");
    }
    return static_cast<std::uintmax_t>(count);
}

std::vector<double> with_given(const std::vector<double>& given, std::vector<double> of_file) {
    if (given.size() > 1) return given;
    for (std::size_t i = 0; !given.empty() && i + 1 < of_file.size(); ++i) of_file[i] = given.front();
    return of_file;
}

bool is_usual_spacing(double spacing_m) {
    constexpr double least_m = 0.1, most_m = 10'000.;
    return spacing_m >= least_m && spacing_m <= most_m;
}

void check_given(const ForeignOptions& options) {
    check_numbers(options.spacing_m, options.origin_m, "");
}

FileGeometry make_geometry(const std::vector<std::int64_t>& shape, const std::vector<double>& spacing_m,
                           const std::vector<double>& origin_m, const std::string& of_file) {
    if (shape.size() != 2 && shape.size() != 3)
        throw Error(ExitCode::usage,
                    "--shape: " + std::to_string(shape.size()) + " numbers given; give nx nz or nx ny nz");
    count_nodes(shape, "--shape", ExitCode::usage);
    FileGeometry geometry;
    geometry.dimensions = static_cast<int>(shape.size());
    geometry.shape = {shape.front(), shape.size() == 3 ? shape[1] : 1, shape.back()};
    geometry.spacing_m = triple(spacing_m, geometry.dimensions, 1., true, "--spacing-m");
    if (!origin_m.empty()) geometry.origin_m = triple(origin_m, geometry.dimensions, 0., false, "--origin-m");
    check_numbers(geometry.spacing_m, geometry.origin_m, of_file);
    return geometry;
}

void check_room(const std::filesystem::path& file, std::uintmax_t count, const ForeignOptions& options) {
    if (count <= options.available_bytes / sizeof(float)) return;
    throw Error(ExitCode::out_of_memory, shown(file) + ": its " + std::to_string(count) + " nodes take " +
                                             std::to_string(count * sizeof(float)) + " bytes of memory, and " +
                                             std::to_string(options.available_bytes) +
                                             " are free; convert a part of it, or on a machine with more memory");
}

void check_axes(const std::string& axes, int dimensions) {
    const std::string wanted = dimensions == 2 ? "xz" : "xyz";
    if (!std::is_permutation(axes.begin(), axes.end(), wanted.begin(), wanted.end()))
        throw Error(ExitCode::usage, "--axes " + printable(axes) + ": must be a permutation of " + wanted +
                                         ", slowest axis first: " +
                                         (dimensions == 2 ? "xz is [x][z], each column of z in a row"
                                                          : "yxz is [y][x][z], each column of z in a row"));
}

std::string conversion_hint(const std::filesystem::path& file) {
    const auto extension = file.extension().string() + " ";
    for (const ForeignFormat& format : formats) {
        if (extension.size() == 1 || format.extensions.find(extension) == std::string_view::npos) continue;
        const auto output = std::filesystem::path(file).replace_extension(".h5");
        return "is not an HDF5 file; convert it with `onda convert " + shown(file) + " " + shown(output) +
               (format.example.empty() ? "" : " " + std::string(format.example)) + "`, and name that one";
    }
    return "";
}

void refuse_foreign_model(const std::filesystem::path& file) {
    const std::string hint = conversion_hint(file);
    if (!hint.empty() && !is_hdf5_file(file)) throw Error(ExitCode::bad_data, shown(file) + ": " + hint);
}

VelocityUnit stored_unit(const ForeignOptions& options, const std::string& stored, const std::string& place) {
    const bool given = !options.units.empty();
    const std::string from =
        given ? (options.quantity == nullptr ? "--units" : "--" + std::string(options.quantity->name) + "-units")
              : place;
    const ExitCode fault = given ? ExitCode::usage : ExitCode::bad_data;
    const std::string name = given ? options.units : stored;
    if (options.quantity == nullptr) return velocity_unit(name.empty() ? "m/s" : name, from, fault);
    const Quantity::Unit& unit = unit_of(*options.quantity, name, from, fault);
    return {unit.name, unit.factor};
}

void ForeignModel::plane(std::int64_t z, std::span<float> vp) const {
    const auto [nx, ny, nz] = geometry.shape;
    std::array<std::int64_t, 3> strides{0, 0, 0};
    std::int64_t stride = 1;
    for (auto letter = axes.rbegin(); letter != axes.rend(); ++letter) {
        const auto axis = static_cast<std::size_t>(*letter - 'x');
        strides[axis] = stride;
        stride *= geometry.shape[axis];
    }
    std::size_t n = 0;
    for (std::int64_t y = 0; y < ny; ++y)
        for (std::int64_t x = 0; x < nx; ++x)
            vp[n++] = values[static_cast<std::size_t>(x * strides[0] + y * strides[1] + z * strides[2])];
    if (quantity != nullptr)
        to_first_unit(vp, *quantity, unit.m_s, geometry, {0, 0, z}, {nx, ny, 1}, place);
    else
        to_metres_per_second(vp, unit, geometry, {0, 0, z}, {nx, ny, 1}, place, "if so, give --units");
}

}  // namespace onda
