#include "solver/commands/compare.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <omp.h>
#include <optional>
#include <spdlog/fmt/fmt.h>

#include "io/files/atomic_stream.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "solver/comparison/alignment.hpp"
#include "solver/comparison/correlation.hpp"
#include "solver/comparison/template_search.hpp"
#include "solver/comparison/volume.hpp"
#include "solver/program/build.hpp"
#include "solver/program/json_text.hpp"
#include "solver/program/threads.hpp"

namespace onda {
namespace {

struct CompareArguments {
    std::vector<std::filesystem::path> files;
    VolumeSelection selection;
    std::optional<double> limit_m, limit_s;
    std::optional<std::int64_t> limit_samples;
    std::optional<double> tolerance;
    int peaks = 3, threads = 0, workers = 0;
    std::optional<int> rotations;  ///< absent: 36 in 3-D, none in 2-D
    std::int64_t apart = 4;
    bool keep_mean = false, quiet = false, force = false;
    std::filesystem::path difference, form, output;
    std::string backend = "auto", json;
};

// ---- Two volumes ----

/// The largest shift along an axis: what the options say, else a quarter of it, but none between receivers, whose
/// numbers are no distances.
std::int64_t limit_along(const VolumeAxis& axis, const CompareArguments& arguments) {
    const bool any = arguments.limit_m || arguments.limit_s || arguments.limit_samples;
    const auto refuse = [&](const std::string& option, double value) {
        throw Error(ExitCode::usage,
                    fmt::format("{} {}: {} has {} samples, {}{} apart: a shift must let some of them overlap", option,
                                shortest(value), axis.name, axis.count, shortest(axis.spacing),
                                axis.unit.empty() ? "" : " " + axis.unit));
    };
    if (axis.count == 1) return 0;
    if (!any) return axis.name == "receiver" ? 0 : axis.count / 4;
    const auto in_samples = [&](const std::optional<double>& limit, const char* option) -> std::int64_t {
        const double samples = std::floor(*limit / std::abs(axis.spacing) + 1e-6);
        if (samples >= static_cast<double>(axis.count)) refuse(option, *limit);
        return static_cast<std::int64_t>(samples);
    };
    if (arguments.limit_m && axis.unit == "m") return in_samples(arguments.limit_m, "--max-shift-m");
    if (arguments.limit_s && axis.unit == "s") return in_samples(arguments.limit_s, "--max-shift-s");
    if (!arguments.limit_samples) return 0;
    if (*arguments.limit_samples >= axis.count) refuse("--max-shift", static_cast<double>(*arguments.limit_samples));
    return *arguments.limit_samples;
}

/// Refuses a limit in a unit that no axis has.
void check_limits(const Volume& volume, const CompareArguments& arguments) {
    const auto has = [&](const char* unit) {
        return std::ranges::any_of(volume.axes, [&](const VolumeAxis& axis) { return axis.unit == unit; });
    };
    if (arguments.limit_m && !has("m"))
        throw Error(ExitCode::usage, "--max-shift-m: " + volume.name() + " has no axis in metres");
    if (arguments.limit_s && !has("s"))
        throw Error(ExitCode::usage, "--max-shift-s: " + volume.name() + " has no axis in seconds");
}

/// All that a comparison finds.
struct FileComparison {
    Volume a, b;
    Triple limit{};
    Difference whole;
    ShiftSearch search;
    std::optional<Aligned> aligned;           ///< b by the best shift
    std::optional<Difference> before, after;  ///< where both are known after the best shift
    std::string backend;
};

FileComparison compare_volumes(const CompareArguments& arguments) {
    const CorrelatorRow& row = choose_correlator(arguments.backend);
    FileComparison result;
    result.a = read_volume(arguments.files[0], arguments.selection);
    result.b = read_volume(arguments.files[1], arguments.selection);
    require_same_grid(result.a, result.b);
    check_limits(result.a, arguments);
    for (std::size_t axis = 0; axis < 3; ++axis) result.limit[axis] = limit_along(result.a.axes[axis], arguments);
    const Triple n = result.a.extents();
    result.whole = difference_of(result.a.values, result.b.values, n, {{0, 0, 0}, n});
    result.backend = row.name;
    result.search = find_shifts(result.a.values, result.b.values, n,
                                {.limit = result.limit,
                                 .peaks = arguments.peaks,
                                 .apart = arguments.apart,
                                 .remove_mean = !arguments.keep_mean},
                                row, arguments.threads);
    if (result.search.shifts.empty()) return result;
    result.aligned = align(result.b.values, n, result.search.shifts.front().samples);
    if (result.aligned->valid.empty()) return result;
    result.before = difference_of(result.a.values, result.b.values, n, result.aligned->valid);
    result.after = difference_of(result.a.values, result.aligned->values, n, result.aligned->valid);
    return result;
}

/// A - B, after the best shift where there is one: zero where the shifted B is not known.
void write_difference(const CompareArguments& arguments, const FileComparison& result) {
    Volume volume = result.a;
    const std::vector<float>& b = result.aligned ? result.aligned->values : result.b.values;
    const Triple n = volume.extents();
    const SampleBox valid = result.aligned ? result.aligned->valid : SampleBox{{0, 0, 0}, n};
    for (std::int64_t i = 0; i < product_of(n); ++i) {
        const Triple at{i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        bool known = true;
        for (std::size_t axis = 0; axis < 3; ++axis)
            known = known && at[axis] >= valid.first[axis] && at[axis] < valid.end[axis];
        float& value = volume.values[static_cast<std::size_t>(i)];
        value = known ? value - b[static_cast<std::size_t>(i)] : 0.f;
    }
    volume.what = fmt::format("{} minus {}{}", result.a.name(), result.b.name(), result.aligned ? ", aligned" : "");
    write_volume(arguments.difference, volume, "difference", version_line() + ": " + volume.what, arguments.force);
}

std::string grid_line(const Volume& volume) {
    std::string text;
    for (const VolumeAxis& axis : volume.axes)
        if (axis.count > 1)
            text += fmt::format("{}{}: {} samples {:.6g}{} apart", text.empty() ? "" : ", ", axis.name, axis.count,
                                axis.spacing, axis.unit.empty() ? "" : " " + axis.unit);
    return text.empty() ? "one sample" : text;
}

/// "x +1.50 (15 m), z 0"
std::string shift_text(const Volume& volume, const Shift& shift, const Triple& limit) {
    std::string text;
    for (std::size_t i = 0; i < 3; ++i) {
        const VolumeAxis& axis = volume.axes[i];
        if (limit[i] == 0) continue;
        const double samples = shift.samples[i];
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis.name,
                            samples == 0. ? std::string("0") : fmt::format("{:+.3f}", samples));
        if (!axis.unit.empty() && samples != 0.) text += fmt::format(" ({:.6g} {})", samples * axis.spacing, axis.unit);
    }
    return text.empty() ? "none looked for" : text;
}

void print_comparison(const FileComparison& result) {
    const Difference& whole = result.whole;
    const std::string unit = result.a.unit.empty() ? "" : " " + result.a.unit;
    fmt::print("A            {}\nB            {}\ngrid         {}\n", result.a.name(), result.b.name(),
               grid_line(result.a));
    fmt::print("relative L2  {:.6g}  |A - B| / |B|\n", whole.relative_l2);
    fmt::print("maximum      {:.6g}{} at {}\n", whole.maximum, unit, result.a.place(whole.at));
    fmt::print("NRMS         {:.4g} %\n", 100. * whole.nrms);
    if (!result.search.problem.empty()) {
        fmt::print("correlation  not defined: {}\n", result.search.problem);
        return;
    }
    fmt::print("correlation  {:.6f} without a shift\n", result.search.correlation);
    fmt::print("{:<12} {:>11}  {}\n", "shift", "correlation", "B lies so far behind A: samples (distance)");
    int rank = 0;
    for (const Shift& shift : result.search.shifts)
        fmt::print("{:<12} {:>11.6f}  {}{}\n", ++rank, shift.correlation, shift_text(result.a, shift, result.limit),
                   shift.at_limit ? "; at the limit of the search" : "");
    if (result.search.shifts.empty()) fmt::print("none         within the limits\n");
    if (result.after)
        fmt::print("aligned      NRMS {:.4g} % before, {:.4g} % after; relative L2 {:.6g}; maximum {:.6g}{} at {}\n",
                   100. * result.before->nrms, 100. * result.after->nrms, result.after->relative_l2,
                   result.after->maximum, unit, result.a.place(result.after->at));
}

nlohmann::ordered_json json_of(const Difference& difference, const Volume& volume) {
    nlohmann::ordered_json json{{"relative_l2", difference.relative_l2},
                                {"nrms", difference.nrms},
                                {"maximum", difference.maximum},
                                {"maximum_index", difference.at},
                                {"maximum_place", volume.place(difference.at)}};
    // JSON has no infinity.
    if (!std::isfinite(difference.relative_l2)) json["relative_l2"] = nullptr;
    return json;
}

nlohmann::ordered_json json_of(const FileComparison& result) {
    nlohmann::ordered_json json{{"a", result.a.name()}, {"b", result.b.name()}, {"backend", result.backend}};
    for (const VolumeAxis& axis : result.a.axes)
        json["axes"].push_back({{"name", axis.name},
                                {"unit", axis.unit},
                                {"count", axis.count},
                                {"spacing", axis.spacing},
                                {"origin", axis.origin}});
    json["difference"] = json_of(result.whole, result.a);
    json["shifts"] = nlohmann::ordered_json::array();
    if (!result.search.problem.empty()) {
        json["problem"] = result.search.problem;
        return json;
    }
    json["correlation"] = result.search.correlation;
    json["limit_samples"] = result.limit;
    json["transform"] = result.search.padded;
    for (const Shift& shift : result.search.shifts) {
        std::array<double, 3> distance{};
        for (std::size_t axis = 0; axis < 3; ++axis) distance[axis] = shift.samples[axis] * result.a.axes[axis].spacing;
        json["shifts"].push_back({{"samples", shift.samples},
                                  {"distance", distance},
                                  {"correlation", shift.correlation},
                                  {"at_limit", shift.at_limit}});
    }
    if (result.after) {
        json["before_alignment"] = json_of(*result.before, result.a);
        json["after_alignment"] = json_of(*result.after, result.a);
    }
    return json;
}

void write_json(const CompareArguments& arguments, const nlohmann::ordered_json& json) {
    if (arguments.json.empty()) return;
    write_text(json_text(json) + "\n", {arguments.json == "-" ? std::string() : arguments.json, arguments.force});
}

int compare_files(const CompareArguments& arguments) {
    const FileComparison result = compare_volumes(arguments);
    if (!arguments.difference.empty()) write_difference(arguments, result);
    if (!arguments.quiet && arguments.json != "-") print_comparison(result);
    write_json(arguments, json_of(result));
    const bool exceeds = arguments.tolerance && !(result.whole.relative_l2 <= *arguments.tolerance);
    if (exceeds)
        std::cerr << fmt::format("relative L2 {:.6g} exceeds --tolerance {}\n", result.whole.relative_l2,
                                 shortest(*arguments.tolerance));
    return static_cast<int>(exceeds ? ExitCode::verify_failed : ExitCode::ok);
}

// ---- A template ----

/// Workers of a search: GPUs, or as many threads of the CPU as have memory for the transforms.
int workers_of(const CompareArguments& arguments, const CorrelatorRow& row, const CorrelationShape& shape) {
    if (arguments.workers > 0) return arguments.workers;
    if (row.count() > 1 || row.name == "cuda") return std::max(1, row.count());
    const int threads = arguments.threads > 0 ? arguments.threads : omp_get_max_threads();
    // Two spectra in double precision, and half of the memory for everything else.
    const std::int64_t each = 2 * product_of(shape.padded) * std::int64_t{sizeof(double)};
    return static_cast<int>(std::clamp<std::int64_t>(available_memory_bytes() / 2 / each, 1, threads));
}

std::string place_line(const Volume& volume, const char* of, const FoundPlace& place) {
    std::string text = fmt::format("{},{},{},{}", of, place.rotation, shortest(place.angle_degrees), place.rank);
    for (std::size_t axis = 0; axis < 3; ++axis)
        text += "," + shortest(volume.axes[axis].origin + place.centre[axis] * volume.axes[axis].spacing);
    return text + fmt::format(",{},{}\n", shortest(place.score), shortest(place.amplitude));
}

void print_places(const Volume& volume, const std::vector<FoundPlace>& best) {
    fmt::print("{:>4} {:>10} {:>12} {:>12} {:>12} {:>13} {:>10}\n", "rank", "angle", volume.axes[0].name,
               volume.axes[1].name, volume.axes[2].name, "score", "amplitude");
    int rank = 0;
    for (const FoundPlace& place : best) {
        std::array<double, 3> at{};
        for (std::size_t axis = 0; axis < 3; ++axis)
            at[axis] = volume.axes[axis].origin + place.centre[axis] * volume.axes[axis].spacing;
        fmt::print("{:>4} {:>10.4g} {:>12.6g} {:>12.6g} {:>12.6g} {:>13.6g} {:>10.4g}\n", ++rank, place.angle_degrees,
                   at[0], at[1], at[2], place.score, place.amplitude);
    }
}

int find_in_file(const CompareArguments& arguments) {
    const CorrelatorRow& row = choose_correlator(arguments.backend);
    const Volume volume = read_volume(arguments.files[0], arguments.selection);
    const Volume form = read_volume(arguments.form, arguments.selection);
    const int rotations = arguments.rotations.value_or(volume.axes[1].count > 1 ? 36 : 1);
    require_fitting_template(form, volume, rotations);
    const SearchShape shape = search_shape(volume.extents(), form.extents(), rotations);
    const int workers = workers_of(arguments, row, shape.correlation);
    const int all = arguments.threads > 0 ? arguments.threads : omp_get_max_threads();
    const int gpus = std::max(1, row.count());
    AtomicStream table(arguments.output, arguments.force);
    table.put("of,rotation,angle_deg,rank,x,y,z,score,amplitude\n");
    const std::vector<FoundPlace> best = find_template(
        volume.values, form.values, shape,
        {.rotations = rotations,
         .peaks = arguments.peaks,
         .apart = arguments.apart,
         .remove_mean = !arguments.keep_mean},
        workers, [&](int worker) { return row.make(shape.correlation, std::max(1, all / workers), worker % gpus); },
        [&](std::span<const FoundPlace> places) {
            for (const FoundPlace& place : places) table.put(place_line(volume, "rotation", place));
        });
    for (const FoundPlace& place : best) table.put(place_line(volume, "all", place));
    table.finish().commit();
    if (!arguments.quiet) print_places(volume, best);
    return static_cast<int>(ExitCode::ok);
}

int compare(const CompareArguments& arguments) {
    check_threads(arguments.threads, "--threads");
    const bool finds = !arguments.form.empty();
    if (arguments.files.size() != (finds ? 1u : 2u))
        throw Error(ExitCode::usage, finds ? "--find TEMPLATE takes one VOLUME; see onda compare --help"
                                           : "two files are compared; see onda compare --help");
    if (finds && arguments.output.empty())
        throw Error(ExitCode::usage, "--find: name the table to write with --output peaks.csv");
    if (finds) {
        check_extension(arguments.output, "--output", "tables", {".csv"});
        return find_in_file(arguments);
    }
    if (!arguments.difference.empty())
        check_extension(arguments.difference, "--difference", "differences", {".h5", ".hdf5", ".npy"});
    return compare_files(arguments);
}

void add_selection(CLI::App& command, CompareArguments& arguments) {
    command
        .add_option("FILES", arguments.files,
                    "A and B: models, images or gradients, snapshots or gathers (HDF5), arrays (.npy), or folders of "
                    "runs; with --find one volume")
        ->required()
        ->expected(1, 2);
    command
        .add_option(
            "--dataset", arguments.selection.dataset,
            "Of models vp (default) or rho, of images change, migrated, gradient, rho, stack, source or receiver "
            "(default: the first of these that the file has)")
        ->type_name("NAME");
    command.add_option("--shot", arguments.selection.shot, "Shot of gathers and snapshots (default: the first)")
        ->type_name("N");
    command.add_option("--time-s", arguments.selection.time_s, "The snapshot nearest to this time (default: the last)")
        ->type_name("S");
}

void add_shift_options(CLI::App& command, CompareArguments& arguments) {
    command
        .add_option("--max-shift-m", arguments.limit_m,
                    "Largest shift along axes in metres (default of all axes: a quarter, none between receivers)")
        ->type_name("M")
        ->check(CLI::NonNegativeNumber);
    command.add_option("--max-shift-s", arguments.limit_s, "Largest shift along time in seconds")
        ->type_name("S")
        ->check(CLI::NonNegativeNumber);
    command.add_option("--max-shift", arguments.limit_samples, "Largest shift along the other axes in samples")
        ->type_name("N")
        ->check(CLI::NonNegativeNumber);
    command.add_option("--peaks", arguments.peaks, "Most peaks of the correlation, best first (with --find: an angle)")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command.add_option("--apart", arguments.apart, "Samples within which a peak is the only one")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command.add_flag("--keep-mean", arguments.keep_mean, "Correlate the values with their means");
}

void add_find_options(CLI::App& command, CompareArguments& arguments) {
    auto* const find = command.add_option("--find", arguments.form, "Find this volume in the other one")
                           ->type_name("FILE")
                           ->excludes("--tolerance")
                           ->excludes("--difference")
                           ->excludes("--max-shift")
                           ->excludes("--max-shift-m")
                           ->excludes("--max-shift-s")
                           ->excludes("--json");
    command
        .add_option("--rotations", arguments.rotations,
                    "Angles about the vertical that the template is turned by (default: 36 in 3-D)")
        ->needs(find)
        ->check(CLI::Range(1, 1'000'000));
    command.add_option("--output", arguments.output, "Table of the best places of each angle and, at its end, of all")
        ->type_name("FILE")
        ->needs(find);
    command.add_option("--workers", arguments.workers, "Workers that share the angles (default: GPUs or CPU threads)")
        ->needs(find)
        ->check(CLI::Range(1, 4096));
}

}  // namespace

Command add_compare(CLI::App& app) {
    CLI::App* const command = add_command(
        app, "compare",
        "How two models, images, snapshots or gathers differ, and the shift that aligns them; finds templates",
        "onda compare results/baseline/image.h5 results/monitor/image.h5 --max-shift-m 50 --difference 4d.h5\n"
        "onda compare a/seismograms.h5 b/seismograms.h5 --shot 3 --max-shift-s 0.02 --json -\n"
        "onda compare vp.h5 inverted.h5 --dataset vp --tolerance 0.05\n"
        "onda compare --find channel.h5 image.h5 --rotations 72 --peaks 5 --output peaks.csv");
    const auto arguments = std::make_shared<CompareArguments>();
    add_selection(*command, *arguments);
    add_shift_options(*command, *arguments);
    command->add_option("--difference", arguments->difference, "Write A - B after alignment by the best shift")
        ->type_name("FILE");
    command
        ->add_option("--tolerance", arguments->tolerance,
                     "Exit with code 1 if the relative L2 difference, without alignment, is larger")
        ->check(CLI::NonNegativeNumber);
    command->add_option("--backend", arguments->backend, "Where transforms are computed: auto, cuda or cpu")
        ->capture_default_str();
    command->add_option("--threads", arguments->threads, "CPU threads (default: all)")
        ->check(CLI::Range(1, kMostThreads));
    command
        ->add_option("--json", arguments->json, "Also write everything as JSON; - is standard output, without a table")
        ->type_name("FILE");
    command->add_flag("--quiet", arguments->quiet, "Print no table");
    command->add_flag("--force", arguments->force, "Overwrite files that exist");
    add_find_options(*command, *arguments);
    return [arguments] { return compare(*arguments); };
}

}  // namespace onda
