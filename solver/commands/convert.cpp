#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
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
#include "solver/model/model.hpp"
#include "solver/model/model_builders.hpp"
#include "solver/model/stored_parameter.hpp"
#include "solver/program/build.hpp"

namespace onda {
namespace {

constexpr double kSameNodes = 1e-3;  // of a spacing

constexpr const char* examples =
    "onda convert marmousi.f32 marmousi.h5 --shape 1601 401 --axes xz --spacing-m 7.5 --units km/s\n"
    "onda convert salt.rsf salt.h5\n"
    "onda convert vp.npy model.h5 --rho rho.npy --axes zx --spacing-m 10\n"
    "onda convert overthrust.sgy overthrust.h5 --spacing-m 25";

/// A parameter beside the velocity, and the file that it comes from.
struct FurtherInput {
    const MediumParameter* parameter;
    std::filesystem::path file;  ///< empty: none
    std::string units;
};

std::vector<FurtherInput> further_inputs() {
    std::vector<FurtherInput> inputs;
    for (const MediumParameter* const parameter : storable_parameters()) inputs.push_back({parameter, {}, {}});
    return inputs;
}

struct ConvertArguments {
    std::filesystem::path input, output;
    std::vector<FurtherInput> further = further_inputs();
    std::string format;
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
/// \param formats of the inputs, each of which may use options of its own.
void check_options(const CLI::App& command, std::span<const ForeignFormat* const> formats) {
    for (const auto& row : foreign_formats())
        for (std::size_t at = 1, end; (end = row.options.find(' ', at)) != std::string_view::npos; at = end + 1) {
            const std::string option(row.options.substr(at, end - at)), word = ' ' + option + ' ';
            const auto takes = [&](const ForeignFormat* format) { return format->options.find(word) != word.npos; };
            const auto needs = [&](const ForeignFormat* format) { return format->required.find(word) != word.npos; };
            const bool given = command.count(option) > 0;
            if (given && std::ranges::none_of(formats, takes))
                throw Error(ExitCode::usage,
                            fmt::format("{} says nothing about {} files", option, formats.front()->name));
            if (const auto one = std::ranges::find_if(formats, needs); !given && one != formats.end())
                throw Error(ExitCode::usage,
                            fmt::format("{} is needed for {} files; see onda convert --help", option, (*one)->name));
        }
}

std::string joined(const FileGeometry& geometry, const auto& triple, const char* between) {
    return geometry.dimensions == 2 ? fmt::format("{}{}{}", triple[0], between, triple[2])
                                    : fmt::format("{}{}{}{}{}", triple[0], between, triple[1], between, triple[2]);
}

using Range = std::array<double, 2>;

/// A parameter that comes from a file of its own.
struct FurtherModel {
    const FurtherInput* input;
    Quantity quantity;
    ForeignModel model{};
    Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
};

void report(const ConvertArguments& arguments, const ForeignModel& model, const Range& vp,
            const std::deque<FurtherModel>& further) {
    const FileGeometry& geometry = model.geometry;
    fmt::print(
        "Wrote {}\n  shape    {} nodes ({})\n  spacing  {} m\n  origin   {} m\n  vp       {:.6g} to {:.6g} m/s\n",
        shown(arguments.output), joined(geometry, geometry.shape, " x "), geometry.dimensions == 2 ? "x, z" : "x, y, z",
        joined(geometry, geometry.spacing_m, ", "), joined(geometry, geometry.origin_m, ", "), vp[0], vp[1]);
    for (const FurtherModel& one : further)
        fmt::print("  {:<8} {:.6g} to {:.6g}{}\n", one.quantity.name, one.range[0], one.range[1],
                   unit_after_number(*one.input->parameter));
    for (const std::string& note : model.notes) fmt::print("  note     {}\n", note);
}

/// With --force the output would replace what is being read.
void refuse_same_file(const std::filesystem::path& input, const std::filesystem::path& output) {
    std::error_code unreadable;  // then reading or writing says what is wrong
    if (std::filesystem::equivalent(input, output, unreadable))
        throw Error(ExitCode::usage, fmt::format("{} would overwrite the input; name another output", shown(output)));
}

/// The input, or the file of another parameter, after everything that can be refused before it is read.
ForeignModel read_model(const ConvertArguments& arguments, const std::filesystem::path& input,
                        const ForeignOptions& options) {
    ForeignOptions here = options;
    here.available_bytes = static_cast<std::uintmax_t>(available_memory_bytes());
    ForeignModel model = choose_format(arguments, input).read(input, here);
    refuse_same_file(model.numbers, arguments.output);  // the one that a header names
    return model;
}

void check_same_nodes(const ConvertArguments& arguments, const ForeignModel& vp, const FurtherModel& other) {
    const FileGeometry &a = vp.geometry, &b = other.model.geometry;
    bool same = a.dimensions == b.dimensions && a.shape == b.shape;
    for (std::size_t axis = 0; axis < 3; ++axis)
        same = same && std::abs(a.spacing_m[axis] - b.spacing_m[axis]) <= kSameNodes * a.spacing_m[axis] &&
               std::abs(a.origin_m[axis] - b.origin_m[axis]) <= kSameNodes * a.spacing_m[axis];
    if (same) return;
    throw Error(
        ExitCode::bad_data,
        fmt::format("{} has {} nodes, spacing {} m, origin {} m, but {} has {} nodes, spacing {} m, origin {} m: "
                    "vp and {} must lie on the same nodes",
                    shown(other.input->file), joined(b, b.shape, " x "), joined(b, b.spacing_m, ", "),
                    joined(b, b.origin_m, ", "), shown(arguments.input), joined(a, a.shape, " x "),
                    joined(a, a.spacing_m, ", "), joined(a, a.origin_m, ", "), other.quantity.name));
}

/// A parameter as a quantity to be written, whose range and sections are found on the way.
QuantityPlanes planes_of(FurtherModel& of, DrawnFile* drawn) {
    return {of.quantity, [&of, drawn](std::int64_t z, std::span<float> plane) {
                of.model.plane(z, plane);
                if (drawn != nullptr) drawn->take(*of.input->parameter, z, plane);
                const auto [low, high] = std::ranges::minmax(plane);
                of.range = {std::min<double>(of.range[0], low), std::max<double>(of.range[1], high)};
            }};
}

/// The parameters that the command line gives files of, on the nodes of `vp`.
std::deque<FurtherModel> read_further(const ConvertArguments& arguments, const ForeignModel& vp) {
    std::deque<FurtherModel> further;  // whose elements stay where they are
    for (const FurtherInput& input : arguments.further) {
        if (input.file.empty()) continue;
        FurtherModel& one = further.emplace_back(FurtherModel{&input, quantity_of(*input.parameter)});
        ForeignOptions options = arguments.options;
        options.units = input.units;
        options.quantity = &one.quantity;
        one.model = read_model(arguments, input.file, options);
        check_same_nodes(arguments, vp, one);
    }
    return further;
}

/// Options that say nothing about any of the inputs, and those that one of them lacks.
void check_options_of_inputs(const CLI::App& command, const ConvertArguments& arguments) {
    std::vector<const ForeignFormat*> formats{&choose_format(arguments, arguments.input)};
    for (const FurtherInput& input : arguments.further)
        if (!input.file.empty()) formats.push_back(&choose_format(arguments, input.file));
    check_options(command, formats);
}

int convert(const CLI::App& command, const ConvertArguments& arguments) {
    check_options_of_inputs(command, arguments);
    for (const auto& input : {arguments.input, arguments.options.data_file}) refuse_same_file(input, arguments.output);
    for (const FurtherInput& input : arguments.further) refuse_same_file(input.file, arguments.output);
    check_extension(arguments.output, "OUTPUT", "model files", {".h5", ".hdf5"});
    check_given(arguments.options);
    const auto model = read_model(arguments, arguments.input, arguments.options);
    std::optional<DrawnFile> drawn;
    if (!arguments.no_pictures) drawn.emplace(model.geometry);
    if (drawn) drawn->refuse_existing(arguments.output, arguments.force);
    std::deque<FurtherModel> further = read_further(arguments, model);
    std::vector<QuantityPlanes> planes;
    std::string sources;
    for (FurtherModel& one : further) {
        planes.push_back(planes_of(one, drawn ? &*drawn : nullptr));
        sources += fmt::format(", {} from {}", one.input->parameter->quantity, shown(one.input->file));
    }
    const auto range = write_model_file(
        arguments.output, model.geometry,
        [&](std::int64_t z, std::span<float> vp) {
            model.plane(z, vp);
            if (drawn) drawn->take(kVp, z, vp);
        },
        fmt::format("{}: converted from {} ({}, axes {}){}", version_line(), shown(arguments.input),
                    choose_format(arguments, arguments.input).name, model.axes, sources),
        arguments.force, planes);
    report(arguments, model, range, further);
    if (drawn)
        for (const auto& picture : drawn->write(arguments.output, arguments.force))
            fmt::print("  picture  {}\n", shown(picture));
    return static_cast<int>(ExitCode::ok);
}

/// The option of a parameter beside the velocity, and that of its unit where files have it in another, too.
void add_further(CLI::App& command, FurtherInput& input, CLI::Option& data_file) {
    const MediumParameter& parameter = *input.parameter;
    const std::string option = "--" + std::string(parameter.name);
    auto* const file =
        command
            .add_option(option, input.file, fmt::format("A file like INPUT with {} on the same nodes", parameter.help))
            ->option_text("FILE")
            ->excludes(&data_file);
    if (parameter.other_unit.name.empty()) return;
    command
        .add_option(
            option + "-units", input.units,
            fmt::format("Unit of {}: {} (default) or {}", parameter.help, parameter.unit, parameter.other_unit.name))
        ->option_text("UNIT")
        ->needs(file);
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
    auto* const data_file =
        add("--data-file", options.data_file, "FILE", "Where the numbers are, instead of where the header says");
    for (FurtherInput& input : arguments->further) add_further(*command, input, *data_file);
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
    command->add_flag("--no-pictures", arguments->no_pictures, "Draw no sections of the model beside OUTPUT");
    command->add_flag("--force", arguments->force, "Overwrite OUTPUT and its pictures");
    return [command, arguments] { return convert(*command, *arguments); };
}

}  // namespace onda
