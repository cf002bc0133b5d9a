#include <cstdio>
#include <memory>
#include <spdlog/fmt/fmt.h>

#include "io/models/foreign_model.hpp"
#include "io/models/model_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/commands.hpp"
#include "solver/program/build.hpp"

namespace onda {
namespace {

constexpr const char* examples =
    "onda convert marmousi.f32 marmousi.h5 --shape 1601 401 --axes xz --spacing-m 7.5 --units km/s\n"
    "onda convert salt.rsf salt.h5";

struct ConvertArguments {
    std::filesystem::path input, output;
    std::string format;
    bool force = false;
    ForeignOptions options;
};

std::string names_of_formats() {
    std::string names;
    for (const auto& format : foreign_formats()) names += (names.empty() ? "" : ", ") + std::string(format.name);
    return names;
}

std::string help_of_formats() {
    std::string help = "Format of INPUT; absent: by its extension.";
    for (const auto& format : foreign_formats())
        help += fmt::format(" {} ({}): {}.", format.name, format.extensions.substr(0, format.extensions.size() - 1),
                            format.help);
    return help;
}

const ForeignFormat& choose_format(const ConvertArguments& arguments) {
    const auto extension = arguments.input.extension().string() + " ";
    for (const auto& format : foreign_formats()) {
        if (arguments.format == format.name) return format;
        const bool fits = extension.size() > 1 && format.extensions.find(extension) != std::string_view::npos;
        if (arguments.format.empty() && fits) return format;
    }
    throw Error(ExitCode::usage,
                arguments.format.empty()
                    ? fmt::format("{}: its extension tells no format; give --format: {}", shown(arguments.input),
                                  names_of_formats())
                    : fmt::format("--format {}: must be one of {}", printable(arguments.format), names_of_formats()));
}

/// Every option of the table's rows: refused where it would be ignored, asked for where it is needed.
void check_options(const CLI::App& command, const ForeignFormat& format) {
    for (const auto& row : foreign_formats())
        for (std::size_t at = 1, end; (end = row.options.find(' ', at)) != std::string_view::npos; at = end + 1) {
            const std::string option(row.options.substr(at, end - at)), word = ' ' + option + ' ';
            const bool given = command.count(option) > 0;
            if (given && format.options.find(word) == std::string_view::npos)
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

void report(const ConvertArguments& arguments, const FileGeometry& geometry, const std::array<double, 2>& range) {
    fmt::print(
        "Wrote {}\n  shape    {} nodes ({})\n  spacing  {} m\n  origin   {} m\n  vp       {:.6g} to {:.6g} m/s\n",
        shown(arguments.output), joined(geometry, geometry.shape, " x "), geometry.dimensions == 2 ? "x, z" : "x, y, z",
        joined(geometry, geometry.spacing_m, ", "), joined(geometry, geometry.origin_m, ", "), range[0], range[1]);
}

/// With --force the output would replace what is being read.
void refuse_same_file(const std::filesystem::path& input, const std::filesystem::path& output) {
    std::error_code unreadable;  // then reading or writing says what is wrong
    if (std::filesystem::equivalent(input, output, unreadable))
        throw Error(ExitCode::usage, fmt::format("{} would overwrite the input; name another output", shown(output)));
}

int convert(const CLI::App& command, const ConvertArguments& arguments) {
    const auto& format = choose_format(arguments);
    check_options(command, format);
    refuse_same_file(arguments.input, arguments.output);
    refuse_same_file(arguments.options.data_file, arguments.output);
    ForeignOptions foreign = arguments.options;
    foreign.available_bytes = static_cast<std::uintmax_t>(available_memory_bytes());
    const auto model = format.read(arguments.input, foreign);
    refuse_same_file(model.numbers, arguments.output);  // the one that a header names
    const auto range = write_model_file(
        arguments.output, model.geometry, [&](std::int64_t z, std::span<float> vp) { model.plane(z, vp); },
        fmt::format("{}: converted from {} ({}, axes {})", version_line(), shown(arguments.input), format.name,
                    model.axes),
        arguments.force);
    report(arguments, model.geometry, range);
    return static_cast<int>(ExitCode::ok);
}

}  // namespace

Command add_convert(CLI::App& app) {
    auto* command = add_command(app, "convert", "Make an HDF5 model file of another program's model", examples);
    const auto arguments = std::make_shared<ConvertArguments>();
    auto& options = arguments->options;
    const auto add = [command](const char* name, auto& value, const char* wanted, const std::string& help) {
        return command->add_option(name, value, help)->option_text(wanted);
    };
    add("INPUT", arguments->input, "", "The model to read")->required();
    add("OUTPUT", arguments->output, "", "The model file to write (.h5)")->required();
    add("--format", arguments->format, "NAME", help_of_formats());
    add("--shape", options.shape, "NX [NY] NZ", "Nodes")->expected(2, 3);
    add("--axes", options.axes, "LETTERS",
        "Order of the axes in the file, slowest first: xz is [x][z] with z fastest, zyx is [z][y][x] with x fastest");
    add("--spacing-m", options.spacing_m, "DX [DY] DZ", "Spacing in metres; one number serves all axes")
        ->expected(1, 3);
    add("--origin-m", options.origin_m, "X [Y] Z", "Position of the first node in metres; absent: zeros")
        ->expected(2, 3);
    add("--units", options.units, "UNIT", "Of the velocities: m/s (default) or km/s");
    add("--dtype", options.dtype, "TYPE", "Of the numbers: float32 (default) or float64");
    add("--endian", options.endian, "ORDER", "Of the numbers: little (default) or big");
    add("--header-bytes", options.header_bytes, "N", "Bytes before the first number");
    add("--data-file", options.data_file, "FILE", "Where the numbers are, instead of where the header says");
    command->add_flag("--force", arguments->force, "Overwrite OUTPUT");
    return [command, arguments] { return convert(*command, *arguments); };
}

}  // namespace onda
