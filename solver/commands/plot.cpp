#include "solver/commands/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "io/files/input_file.hpp"
#include "io/results/recorded_data.hpp"
#include "io/text/error.hpp"
#include "io/text/nearest_name.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "solver/run/run_files.hpp"
#include "solver/run/unfinished.hpp"

namespace onda {
namespace plot {

void add_common(CLI::App& command, Options& options, const std::string& what, bool several) {
    auto* const files = command.add_option("FILE", options.files, what)->required();
    if (!several) files->expected(1);
    command.add_option("-o,--output", options.output, "File to write (default: beside FILE)");
    command.add_flag("--force", options.force, "Overwrite the file if it exists");
    command.add_option("--title", options.title, "Title (default: that of the configuration)");
    auto* const pixels = command.add_option("--width", options.width_px, "Width in pixels (default: about 1300)")
                             ->check(CLI::Range(200, 20'000));
    command
        .add_option("--width-mm", options.width_mm,
                    "Width in print, with letters of 8 pt: about 84 for a column of a journal, 174 for two")
        ->type_name("MM")
        ->check(CLI::Range(50., 1000.))
        ->excludes(pixels);
    command.add_option("--dpi", options.dpi, "Dots per inch of a PNG (default: 96, with --width-mm 300)")
        ->check(CLI::Range(50, 1200));
}

void add_map(CLI::App& command, Options& options, const ColourMap& fallback) {
    std::vector<std::string> names;
    std::string help = fmt::format("Colours (default: {}).", fallback.name);
    for (const ColourMap& map : colour_maps()) {
        if (fallback.diverging && !map.diverging) continue;
        names.emplace_back(map.name);
        help += fmt::format(" {}: {}.", map.name, map.help);
    }
    const auto objection = [names](const std::string& name) {
        if (std::ranges::find(names, name) != names.end()) return std::string();
        const auto nearest = nearest_name(name, names);
        return "'" + printable(name) + "': " +
               (find_colour_map(name) != nullptr ? std::string("is for values of one sign, and pressure has both; ")
                                                 : (nearest ? "did you mean '" + *nearest + "'? " : std::string())) +
               fmt::format("there are {}", fmt::join(names, ", "));
    };
    command.add_option("--map", options.map, help)
        ->check(CLI::Validator(objection, fmt::format("{{{}}}", fmt::join(names, ","))));
}

void add_clip(CLI::App& command, Options& options, const std::string& percentile) {
    auto* const clip = command.add_option("--clip", options.clip_pa, "Clip the scale at this |pressure|")
                           ->type_name("PA")
                           ->check(CLI::PositiveNumber);
    command
        .add_option("--clip-percentile", options.percentile,
                    "Clip the scale at this percentile of all |values| (default: " + percentile + ")")
        ->type_name("P")
        ->check(CLI::Range(1., 100.))
        ->excludes(clip);
    command
        .add_option(
            "--gain", options.gain,
            "Multiply by (t / last t)^N: 0.5 compensates for geometrical spreading in 2-D, 1 in 3-D (default: 0)")
        ->type_name("POWER")
        ->check(CLI::Range(-10., 10.));
}

void add_shot(CLI::App& command, Options& options) {
    command.add_option("--shot", options.shots, "Shot (default: the first)")->type_name("N")->expected(1);
}

void add_shots(CLI::App& command, Options& options) {
    command.add_option("--shot", options.shots, "Shots, side by side, such as 1,5,9 (default: the first)")
        ->type_name("N,...")
        ->delimiter(',')
        ->allow_extra_args(false);
}

void add_section(CLI::App& command, Options& options) {
    command.add_option("--plane", options.plane, "Plane of the section: xz, yz or xy (default: xz)")
        ->check(CLI::IsMember({"xz", "yz", "xy"}));
    command
        .add_option("--at", options.at_m,
                    "Where the plane is, along the third axis (default: through the first source, where the survey is "
                    "known, else in the middle)")
        ->type_name("M");
}

namespace {

struct Kind {
    FileKind kind;
    const char *name, *commands;
    std::array<const char*, 2> files;  ///< what a run calls it: the first that is there; null: there is no second
    const char* absent;                ///< what it means that a finished run has no such file
};

constexpr std::array<Kind, 4> kKinds{{{FileKind::seismograms,
                                       "seismograms",
                                       "onda plot gather, wiggle, offset, cmp, spectrum and fk draw them",
                                       {"seismograms.h5"},
                                       ": this run recorded no seismograms; receivers ask for them"},
                                      {FileKind::snapshots,
                                       "snapshots",
                                       "onda plot slice and movie draw them",
                                       {"snapshots.h5"},
                                       ": this run has no snapshots; request them with output.snapshots"},
                                      {FileKind::gradient,
                                       "a gradient or an image",
                                       "onda plot gradient and image draw it",
                                       {"gradient.h5", "image.h5"},
                                       ": this run computed no gradient and no image; onda gradient and onda rtm do"},
                                      {FileKind::model, "a model", "onda plot model draws it", {"model.h5"}, ""}}};

/// Why a folder has no file of this kind, as far as the folder tells.
std::string why_absent(const std::filesystem::path& folder, const Kind& kind) {
    const bool is_result = kind.kind != FileKind::model;
    if (is_result && std::filesystem::exists(folder / kUnfinishedName)) return kUnfinishedRun;
    return std::filesystem::exists(folder / kSummaryName) ? kind.absent : "";
}

/// \throws Error(bad_data | usage) for a file that is not HDF5, with what is read in its place.
void refuse_other_formats(const std::filesystem::path& file, const Kind& wanted) {
    if (is_hdf5_file(file)) return;
    const Kind& traces = *std::ranges::find(kKinds, FileKind::seismograms, &Kind::kind);
    if (is_trace_file(file))
        throw Error(ExitCode::usage,
                    fmt::format("{}: holds seismograms, not {}; {}", shown(file), wanted.name, traces.commands));
    throw Error(ExitCode::bad_data, fmt::format("{}: is not an HDF5 file; expected one like {}, or the folder of a run",
                                                shown(file), wanted.files.front()));
}

}  // namespace

std::filesystem::path input_of(const std::filesystem::path& file, FileKind wanted) {
    const Kind& row = *std::ranges::find(kKinds, wanted, &Kind::kind);
    if (std::filesystem::is_directory(file)) {
        std::string names;
        for (const char* name : row.files) {
            if (name == nullptr) continue;
            if (std::filesystem::exists(file / name)) return file / name;
            names += (names.empty() ? "" : " or ") + std::string(name);
        }
        throw Error(ExitCode::missing_input, fmt::format("{}: has no {}{}", shown(file), names, why_absent(file, row)));
    }
    if (wanted == FileKind::seismograms && is_trace_file(file) && std::filesystem::exists(file))
        throw Error(ExitCode::usage,
                    fmt::format("{}: is not {}; onda plot and onda data read SEG-Y, SU and NumPy files", shown(file),
                                row.files.front()));
    refuse_other_formats(file, row);
    const FileKind found = kind_of_file(file);
    if (found == wanted) return file;
    const auto other = std::ranges::find(kKinds, found, &Kind::kind);
    throw Error(ExitCode::usage,
                other == kKinds.end()
                    ? fmt::format("{}: holds neither results of a run nor a model", shown(file))
                    : fmt::format("{}: holds {}, not {}; {}", shown(file), other->name, row.name, other->commands));
}

std::string listed(const std::vector<std::int64_t>& numbers) {
    constexpr std::size_t most = 12;
    std::string text;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers.size() > most && i == most - 2) text += ", \xe2\x80\xa6";
        if (numbers.size() > most && i >= most - 2 && i + 1 < numbers.size()) continue;
        text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
    }
    return text;
}

void refuse_shot(std::int64_t shot, const std::filesystem::path& file, const std::vector<std::int64_t>& there) {
    throw Error(ExitCode::usage, fmt::format("--shot {}: there is no such shot in {}; there {} {}", shot, shown(file),
                                             there.size() == 1 ? "is" : "are", listed(there)));
}

std::vector<std::int64_t> shots_of(const ResultReader& reader, const Options& options,
                                   const std::filesystem::path& file) {
    if (options.shots.empty()) return {reader.shots().front()};
    for (const std::int64_t shot : options.shots)
        if (!reader.has(shot)) refuse_shot(shot, file, reader.shots());
    return options.shots;
}

const ColourMap& map_of(const Options& options, const ColourMap& fallback) {
    const ColourMap* const map = find_colour_map(options.map);
    return map == nullptr ? fallback : *map;
}

Grid grid_of(const FileGeometry& geometry) {
    return {geometry.dimensions, geometry.shape, geometry.spacing_m, geometry.origin_m};
}

Section section_of(const Grid& grid, const Options& options, double fallback_m) {
    const SectionPlane& plane = *std::ranges::find(section_planes(), options.plane, &SectionPlane::name);
    std::string there;
    for (const SectionPlane& other : section_planes())
        if (grid.n[other.horizontal] > 1 && grid.n[other.vertical] > 1)
            there += (there.empty() ? "" : ", ") + std::string(other.name);
    if (!there.empty() && (grid.n[plane.horizontal] == 1 || grid.n[plane.vertical] == 1))
        throw Error(ExitCode::usage,
                    "--plane " + options.plane + ": the grid has one node along " +
                        (grid.n[plane.horizontal] == 1 ? "xyz"[plane.horizontal] : "xyz"[plane.vertical]) +
                        "; there is " + there);
    const double h = grid.spacing_m[plane.normal], first = grid.origin_m[plane.normal];
    const double last = first + static_cast<double>(grid.n[plane.normal] - 1) * h;
    const double at = options.at_m.value_or(std::clamp(fallback_m, first, last));
    if (at < first - 0.5 * h || at > last + 0.5 * h)
        throw Error(ExitCode::usage, fmt::format("--at {}: the grid reaches from {} = {} to {} m", shortest(at),
                                                 "xyz"[plane.normal], shortest(first), shortest(last)));
    const auto node = std::clamp<std::int64_t>(std::llround((at - first) / h), 0, grid.n[plane.normal] - 1);
    constexpr std::int64_t unthinned = std::int64_t{1} << 40;
    return make_section(grid, plane, node, unthinned);
}

std::filesystem::path output_of(const Options& options, const std::string& suffix, const std::string& extension) {
    if (!options.output.empty()) return options.output;
    const std::filesystem::path& file = options.files.front();
    if (std::filesystem::is_directory(file)) return file / ("plot" + suffix + extension);
    return file.parent_path() / (file.stem().string() + suffix + extension);
}

void say(const std::filesystem::path& file) {
    std::cout << shown(file) << '\n';
}

void finish(Picture picture, const Options& options, const std::string& input_title, const std::string& suffix) {
    const std::filesystem::path file = output_of(options, suffix, ".png");
    check_extension(file, "--output", "pictures", picture_extensions());
    picture.title = options.title.value_or(input_title);
    picture.width_px = options.width_px;
    picture.width_mm = options.width_mm;
    picture.dpi = options.dpi;
    write_picture(file, picture, options.force);
    say(file);
}

}  // namespace plot

Command add_plot(CLI::App& app) {
    CLI::App* const command = add_command(
        app, "plot",
        "Draw gathers, wavefields, spectra, models, gradients, images and inversions as PNG, PDF, SVG or movies",
        "onda plot gather results/quickstart/seismograms.h5\n"
        "onda plot slice results/quickstart/snapshots.h5 --model configs/quickstart.yaml\n"
        "onda plot model configs/quickstart.yaml -o model.pdf");
    return add_commands(*command, {plot::add_gather, plot::add_wiggle, plot::add_offset, plot::add_midpoint,
                                   plot::add_spectrum, plot::add_wavenumber, plot::add_slice, plot::add_movie,
                                   plot::add_model, plot::add_gradient, plot::add_image, plot::add_inversion});
}

}  // namespace onda
