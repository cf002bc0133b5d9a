#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <spdlog/fmt/fmt.h>

#include "io/models/foreign_model.hpp"
#include "io/models/model_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "kernels/equations/parameters.hpp"
#include "solver/commands/commands.hpp"
#include "solver/commands/model_pictures.hpp"
#include "solver/model/model_builders.hpp"
#include "solver/program/build.hpp"

namespace onda {
namespace {

constexpr double kSameNodes = 1e-3;  // of a spacing

constexpr const char* examples =
    "onda convert marmousi.f32 marmousi.h5 --shape 1601 401 --axes xz --spacing-m 7.5 --units km/s\n"
    "onda convert salt.rsf salt.h5\n"
    "onda convert vp.npy model.h5 --rho rho.npy --axes zx --spacing-m 10\n"
    "onda convert overthrust.sgy overthrust.h5 --spacing-m 25";

struct ConvertArguments {
    std::filesystem::path input, output, rho;  ///< rho: empty if there is none
    std::string format, rho_units;
    bool force = false, no_pictures = false;
    ForeignOptions options;
};

std::string names_of_formats() {
    std::string names;
    for (const auto& format : foreign_formats()) names += (names.empty() ? "" : ", ") + std::string(format.name);
    return names;
}

std::string help_of_formats() {
    std::string help = "Format of INPUT (default: from its extension).";
    for (const auto& format : foreign_formats())
        help += fmt::format(" {} ({}): {}.", format.name, format.extensions.substr(0, format.extensions.size() - 1),
                            format.help);
    return help;
}

const ForeignFormat& choose_format(const ConvertArguments& arguments, const std::filesystem::path& input) {
    const auto extension = input.extension().string() + " ";
    for (const auto& format : foreign_formats()) {
        if (arguments.format == format.name) return format;
        const bool fits = extension.size() > 1 && format.extensions.find(extension) != std::string_view::npos;
        if (arguments.format.empty() && fits) return format;
    }
    throw Error(ExitCode::usage,
                arguments.format.empty()
                    ? fmt::format("{}: its extension does not identify the format; give --format: {}", shown(input),
                                  names_of_formats())
                    : fmt::format("--format {}: must be one of {}", printable(arguments.format), names_of_formats()));
}

/// Every option of the table's rows: refused where it would be ignored, asked for where it is needed.
/// \param other the format of a second input, which may use options of its own.
void check_options(const CLI::App& command, const ForeignFormat& format, const ForeignFormat& other) {
    for (const auto& row : foreign_formats())
        for (std::size_t at = 1, end; (end = row.options.find(' ', at)) != std::string_view::npos; at = end + 1) {
            const std::string option(row.options.substr(at, end - at)), word = ' ' + option + ' ';
            const bool given = command.count(option) > 0;
            if (given && format.options.find(word) == std::string_view::npos &&
                other.options.find(word) == std::string_view::npos)
                throw Error(ExitCode::usage, fmt::format("{} says nothing about {} files", option, format.name));
            if (!given && format.required.find(word) != std::string_view::npos)
                throw Error(ExitCode::usage,
                            fmt::format("{} is needed for {} files; see onda convert --help", option, format.name));
        }
}

std::string joined(const FileGeometry& geometry, const auto& triple, const char* between) {
    return geometry.dimensions == 2 ? fmt::format("{}{}{}", triple[0], between, triple[2])
                                    : fmt::format("{}{}{}{}{}", triple[0], between, triple[1], between, triple[2]);
}

using Range = std::array<double, 2>;

void report(const ConvertArguments& arguments, const ForeignModel& model, const Range& vp, const Range& rho) {
    const FileGeometry& geometry = model.geometry;
    fmt::print(
        "Wrote {}\n  shape    {} nodes ({})\n  spacing  {} m\n  origin   {} m\n  vp       {:.6g} to {:.6g} m/s\n",
        shown(arguments.output), joined(geometry, geometry.shape, " x "), geometry.dimensions == 2 ? "x, z" : "x, y, z",
        joined(geometry, geometry.spacing_m, ", "), joined(geometry, geometry.origin_m, ", "), vp[0], vp[1]);
    if (!arguments.rho.empty()) fmt::print("  rho      {:.6g} to {:.6g} kg/m3\n", rho[0], rho[1]);
    for (const std::string& note : model.notes) fmt::print("  note     {}\n", note);
}

/// With --force the output would replace what is being read.
void refuse_same_file(const std::filesystem::path& input, const std::filesystem::path& output) {
    std::error_code unreadable;  // then reading or writing says what is wrong
    if (std::filesystem::equivalent(input, output, unreadable))
        throw Error(ExitCode::usage, fmt::format("{} would overwrite the input; name another output", shown(output)));
}

/// The input, or the file with the density, after everything that can be refused before it is read.
ForeignModel read_model(const ConvertArguments& arguments, const std::filesystem::path& input,
                        const ForeignOptions& options) {
    ForeignOptions here = options;
    here.available_bytes = static_cast<std::uintmax_t>(available_memory_bytes());
    ForeignModel model = choose_format(arguments, input).read(input, here);
    refuse_same_file(model.numbers, arguments.output);  // the one that a header names
    return model;
}

void check_same_nodes(const ConvertArguments& arguments, const ForeignModel& vp, const ForeignModel& rho) {
    const FileGeometry &a = vp.geometry, &b = rho.geometry;
    bool same = a.dimensions == b.dimensions && a.shape == b.shape;
    for (std::size_t axis = 0; axis < 3; ++axis)
        same = same && std::abs(a.spacing_m[axis] - b.spacing_m[axis]) <= kSameNodes * a.spacing_m[axis] &&
               std::abs(a.origin_m[axis] - b.origin_m[axis]) <= kSameNodes * a.spacing_m[axis];
    if (same) return;
    throw Error(
        ExitCode::bad_data,
        fmt::format("{} has {} nodes, spacing {} m, origin {} m, but {} has {} nodes, spacing {} m, origin {} m: "
                    "velocities and densities must lie on the same nodes",
                    shown(arguments.rho), joined(b, b.shape, " x "), joined(b, b.spacing_m, ", "),
                    joined(b, b.origin_m, ", "), shown(arguments.input), joined(a, a.shape, " x "),
                    joined(a, a.spacing_m, ", "), joined(a, a.origin_m, ", ")));
}

/// The density as a quantity to be written, whose range and sections are found on the way.
QuantityPlanes planes_of(const ForeignModel& rho, const Quantity& quantity, Range& range, DrawnFile* drawn) {
    return {quantity, [&rho, &range, drawn](std::int64_t z, std::span<float> plane) {
                rho.plane(z, plane);
                if (drawn != nullptr) drawn->take_rho(z, plane);
                const auto [low, high] = std::ranges::minmax(plane);
                range = {std::min<double>(range[0], low), std::max<double>(range[1], high)};
            }};
}

int convert(const CLI::App& command, const ConvertArguments& arguments) {
    const bool has_rho = !arguments.rho.empty();
    const auto& format = choose_format(arguments, arguments.input);
    const auto& rho_format = has_rho ? choose_format(arguments, arguments.rho) : format;
    check_options(command, format, rho_format);
    check_options(command, rho_format, format);
    for (const auto& input : {arguments.input, arguments.rho, arguments.options.data_file})
        refuse_same_file(input, arguments.output);
    check_extension(arguments.output, "OUTPUT", "model files", {".h5", ".hdf5"});
    check_given(arguments.options);
    const auto model = read_model(arguments, arguments.input, arguments.options);
    std::optional<DrawnFile> drawn;
    if (!arguments.no_pictures) drawn.emplace(model.geometry);
    if (drawn) drawn->refuse_existing(arguments.output, arguments.force);
    const Quantity quantity = quantity_of(kRho);
    ForeignModel rho;
    Range rho_range{std::numeric_limits<double>::infinity(), 0.};
    std::vector<QuantityPlanes> further;
    if (has_rho) {
        ForeignOptions options = arguments.options;
        options.units = arguments.rho_units;
        options.quantity = &quantity;
        rho = read_model(arguments, arguments.rho, options);
        check_same_nodes(arguments, model, rho);
        further.push_back(planes_of(rho, quantity, rho_range, drawn ? &*drawn : nullptr));
    }
    const auto range = write_model_file(
        arguments.output, model.geometry,
        [&](std::int64_t z, std::span<float> vp) {
            model.plane(z, vp);
            if (drawn) drawn->take_vp(z, vp);
        },
        fmt::format("{}: converted from {} ({}, axes {}){}", version_line(), shown(arguments.input), format.name,
                    model.axes, has_rho ? ", density from " + shown(arguments.rho) : ""),
        arguments.force, further);
    report(arguments, model, range, rho_range);
    if (drawn)
        for (const auto& picture : drawn->write(arguments.output, arguments.force))
            fmt::print("  picture  {}\n", shown(picture));
    return static_cast<int>(ExitCode::ok);
}

}  // namespace

Command add_convert(CLI::App& app) {
    auto* command = add_command(app, "convert", "Convert a model of another program to an HDF5 model file", examples);
    const auto arguments = std::make_shared<ConvertArguments>();
    auto& options = arguments->options;
    const auto add = [command](const char* name, auto& value, const char* wanted, const std::string& help) {
        return command->add_option(name, value, help)->option_text(wanted);
    };
    add("INPUT", arguments->input, "", "The model to read")->required();
    add("OUTPUT", arguments->output, "", "The model file to write (.h5)")->required();
    auto* const rho = add("--rho", arguments->rho, "FILE", "Densities on the same nodes, in a file like INPUT")
                          ->excludes(add("--data-file", options.data_file, "FILE",
                                         "Where the numbers are, instead of where the header says"));
    add("--format", arguments->format, "NAME", help_of_formats());
    add("--shape", options.shape, "NX [NY] NZ", "Nodes")->expected(2, 3);
    add("--axes", options.axes, "LETTERS",
        "Order of the axes in the file, slowest first: xz is [x][z] with z fastest, zyx is [z][y][x] with x fastest");
    add("--spacing-m", options.spacing_m, "DX [DY] DZ",
        "Spacing in metres; one number is of x and y, and of z where the file does not tell the spacing along z (raw, "
        "npy)")
        ->expected(1, 3);
    add("--origin-m", options.origin_m, "X [Y] Z", "Position of the first node in metres (default: zeros)")
        ->expected(2, 3);
    add("--units", options.units, "UNIT", "Of the velocities: m/s (default) or km/s");
    add("--dtype", options.dtype, "TYPE", "Of the numbers: float32 (default) or float64");
    add("--endian", options.endian, "ORDER", "Of the numbers: little (default) or big");
    add("--header-bytes", options.header_bytes, "N", "Bytes before the first number");
    add("--rho-units", arguments->rho_units, "UNIT", "Of the densities: kg/m3 (default) or g/cm3")->needs(rho);
    command->add_flag("--no-pictures", arguments->no_pictures, "Draw no sections of the model beside OUTPUT");
    command->add_flag("--force", arguments->force, "Overwrite OUTPUT and its pictures");
    return [command, arguments] { return convert(*command, *arguments); };
}

}  // namespace onda
