#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>
#include <string>
#include <utility>
#include <vector>

#include "io/config/strict_yaml.hpp"
#include "io/files/plain_file.hpp"
#include "io/text/bytes_text.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "io/text/saturating.hpp"
#include "solver/commands/commands.hpp"
#include "solver/commands/model_pictures.hpp"
#include "solver/inversion/inversion_forecast.hpp"
#include "solver/plan/attenuation.hpp"
#include "solver/plan/machine_forecast.hpp"
#include "solver/plan/slab_balance.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/plan/storage.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/planning/run_time.hpp"
#include "solver/program/build.hpp"
#include "solver/program/json_text.hpp"
#include "solver/program/progress.hpp"
#include "solver/run/run_folder.hpp"
#include "solver/survey/survey_ranges.hpp"
#include "solver/tasks/checkpoints.hpp"
#include "solver/tasks/gradient_task.hpp"
#include "solver/tasks/least_squares_task.hpp"

namespace onda {
namespace {

/// The verdict of `onda check`: what the run is, and what it will need.
struct PlanVerdict {
    Plan plan;
    MemoryForecast memory;
    std::int64_t output_bytes = 0;
    std::optional<TimeForecast> time;  ///< none: nothing was to be tried out
    SurveyRanges ranges;
    std::vector<std::filesystem::path> pictures = {};  ///< of the model, if they were asked for
};

PlanVerdict verdict_of(Plan plan, bool with_trial, const std::filesystem::path& folder) {
    PlanVerdict verdict{std::move(plan), {}, 0, {}, {}, {}};
    verdict.ranges = ranges_of(verdict.plan.survey.observed_shots());
    balance_slabs(verdict.plan.config.backend, verdict.plan.setup, verdict.plan.placement);
    verdict.memory = forecast_memory(verdict.plan);
    verdict.output_bytes = forecast_output_bytes(verdict.plan);
    if (with_trial) verdict.time = forecast_time(verdict.plan, folder);
    return verdict;
}

/// Of a gradient of a stage.
PlanVerdict verdict_of(const StageForecast& stage) {
    return {stage.plan,
            forecast_memory(stage.plan),
            forecast_output_bytes(stage.plan),
            stage.run_time,
            ranges_of(stage.plan.survey.observed_shots()),
            {}};
}

/// Memory of a device that has its own: what is free, and what would fit.
struct DeviceRoom {
    explicit DeviceRoom(const Plan& plan)
        : available(available_device_bytes(plan.config.backend, plan.setup, plan.placement)),
          largest(largest_grid(plan, Memory::device, available)) {}
    std::int64_t available;
    std::optional<Grid> largest;
};

nlohmann::ordered_json device_memory_json(const PlanVerdict& v) {
    const DeviceRoom room(v.plan);
    nlohmann::ordered_json json{{"peak_bytes", v.memory.device_peak_bytes()}};
    for (const auto& item : v.memory.device_items) json["items"][item.what] = item.bytes;
    json["available_bytes"] = room.available;
    json["largest_grid"] = room.largest ? nlohmann::ordered_json(room.largest->n) : nlohmann::ordered_json();
    return json;
}

nlohmann::ordered_json run_time_json(const TimeForecast& time) {
    nlohmann::ordered_json json{{"seconds", time.seconds}, {"gpt_per_s", time.gpt_per_s}};
    for (const auto& item : time.items) json["items"][item.what] = item.seconds;
    json.update({{"basis", time.basis}, {"busy", time.load.is_busy()}, {"busy_processors", time.load.others}});
    return json;
}

nlohmann::ordered_json ranges_json(const SurveyRanges& ranges) {
    const auto box = [](const PositionBox& of) {
        return nlohmann::ordered_json{{"low_xyz", of.low}, {"high_xyz", of.high}};
    };
    nlohmann::ordered_json json{{"sources_m", box(ranges.sources_m)}};
    json["receivers_m"] = ranges.receivers_m ? box(*ranges.receivers_m) : nlohmann::ordered_json();
    json["offsets_m"] = ranges.offsets_m ? nlohmann::ordered_json(*ranges.offsets_m) : nlohmann::ordered_json();
    json.update({{"shots_looked_at", ranges.shots}, {"complete", ranges.is_complete}});
    return json;
}

nlohmann::ordered_json as_json(const PlanVerdict& v) {
    const Plan& plan = v.plan;
    nlohmann::ordered_json json;
    json["grid"] = {{"shape_xyz", plan.domain.grid.n},         {"spacing_m_xyz", plan.domain.grid.spacing_m},
                    {"points", plan.domain.grid.points()},     {"of_model_file", plan.domain.keys_of_file},
                    {"computed_shape_xyz", plan.setup.grid.n}, {"computed_points", plan.setup.grid.points()}};
    json.update(medium_json(plan.model, plan.setup.scheme.equation));
    json["velocity"]["exact"] = plan.model.velocity.exact;
    if (auto attenuation = attenuation_json(plan); !attenuation.is_null()) json["attenuation"] = std::move(attenuation);
    json["storage"] = storage_json(plan.experiment(), plan.computation());
    json["time"] = {{"dt_s", plan.time.dt_s},
                    {"stability_limit_s", plan.time.stability_limit_s},
                    {"cfl_fraction", plan.time.cfl_fraction()},
                    {"steps", plan.time.steps},
                    {"order", plan.time.order},
                    {"stepping", plan.time.stride == 1 ? "single" : "leap"},
                    {"seismogram_dt_s", plan.time.output_dt_s},
                    {"seismogram_samples", plan.time.output_samples}};
    json["sampling"] = {{"points_per_wavelength", plan.sampling.points_per_wavelength},
                        {"needed", plan.sampling.needed}};
    json["shots"] = plan.survey.shots.size();
    json["positions"] = ranges_json(v.ranges);
    json["batch"] = plan.placement.batch;
    json["memory"]["peak_bytes"] = v.memory.peak_bytes();
    for (const auto& item : v.memory.items) json["memory"]["items"][item.what] = item.bytes;
    json["memory"]["slabs_bytes"] = slab_bytes(plan.setup, plan.placement);
    if (plan.placement.device->has_own_memory()) json["memory"]["device"] = device_memory_json(v);
    json["output_bytes"] = v.output_bytes;
    json["checkpoint_bytes"] =
        keeps_checkpoints(plan) ? checkpoints_on_disk(plan.experiment(), plan.computation()) : std::int64_t{0};
    json["run_time"] = v.time ? run_time_json(*v.time) : nlohmann::ordered_json();
    json["backend"] = {{"name", plan.placement.device->name},
                       {"kernel", plan.setup.kernel},
                       {"chosen_by", plan.chosen_by},
                       {"hardware", plan.placement.device->hardware(plan.setup)},
                       {"instruction_set", plan.placement.device->instruction_set(plan.setup)},
                       {"threads", plan.setup.threads},
                       {"slabs", slabs_json(plan.placement)}};
    if (plan.placement.device->understands("tile"))
        json["backend"].update({{"device", plan.setup.ordinal}, {"tile", plan.setup.tile}, {"copy", plan.setup.copy}});
    for (const auto& picture : v.pictures) json["pictures"].push_back(shown(picture));
    json["notes"] = plan.notes;
    if (const std::string doubt = doubt_of_swapped_axes(v.ranges); !doubt.empty()) json["notes"].push_back(doubt);
    json["warnings"] = plan.warnings;
    return json;
}

void print_items(const std::vector<MemoryForecast::Item>& items) {
    for (const auto& item : items) std::cout << fmt::format("          {:>8}  {}\n", bytes_text(item.bytes), item.what);
}

/// "x 100 to 900 m, z 20 m".
std::string box_text(const PositionBox& box, int dimensions) {
    std::string text;
    for (const std::size_t axis : {0u, 1u, 2u}) {
        if (dimensions == 2 && axis == 1) continue;
        text += fmt::format("{}{} {:.8g}", text.empty() ? "" : ", ", "xyz"[axis], box.low[axis]);
        if (box.high[axis] != box.low[axis]) text += fmt::format(" to {:.8g}", box.high[axis]);
        text += " m";
    }
    return text;
}

void print_ranges(const SurveyRanges& ranges, int dimensions) {
    const std::string about = ranges.is_complete ? ""
                                                 : fmt::format(
                                                       " (of {} shots spread evenly, and some of their "
                                                       "receivers)",
                                                       ranges.shots);
    std::cout << fmt::format("sources   {}{}\n", box_text(ranges.sources_m, dimensions), about);
    if (ranges.receivers_m) std::cout << fmt::format("receivers {}\n", box_text(*ranges.receivers_m, dimensions));
    if (ranges.offsets_m)
        std::cout << fmt::format("offsets   {:.8g} to {:.8g} m\n", (*ranges.offsets_m)[0], (*ranges.offsets_m)[1]);
    if (const std::string doubt = doubt_of_swapped_axes(ranges); !doubt.empty())
        std::cout << "note      " << doubt << '\n';
}

/// What each slab takes of the memory of its device.
void print_slabs(const Setup& setup, const Placement& placement) {
    if (placement.slabs.size() <= 1) return;
    const std::vector<std::int64_t> bytes = slab_bytes(setup, placement);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        std::cout << fmt::format("{:<10}{:>8}  slab {}: planes {} to {}\n", i == 0 ? "slabs" : "", bytes_text(bytes[i]),
                                 i + 1, placement.slabs[i].first_plane,
                                 placement.slabs[i].first_plane + placement.slabs[i].planes - 1);
}

/// A machine that the run is priced on, as options tell it; what is missing is that of this machine.
struct MachineOptions {
    std::string devices;  ///< "8x8": hosts and devices of each; empty: not asked for
    double gpts = 0., memory_gb = 0., link_gb_s = 0., network_gb_s = 0.;
};

/// \throws Error(usage).
Machine machine_of(const MachineOptions& options, const PlanVerdict& v) {
    const auto extents = parse_extents(options.devices, 2);
    const bool is_number = options.devices.find_first_not_of("0123456789") == std::string::npos;
    if (!extents &&
        (!is_number || options.devices.empty() || options.devices.size() > 7 || std::stoi(options.devices) < 1))
        throw Error(ExitCode::usage, "--devices '" + printable(options.devices) +
                                         "': give hosts and devices of each, such as 8x8, or a number of devices of "
                                         "one host, such as 4");
    Machine machine;
    machine.hosts = extents ? (*extents)[0] : 1;
    machine.devices_per_host = extents ? (*extents)[1] : std::stoi(options.devices);
    const auto here = static_cast<double>(
        v.plan.placement.device->has_own_memory() ? devices_of(v.plan.setup, v.plan.placement).size() : 1);
    if (options.gpts <= 0. && !v.time)
        throw Error(ExitCode::usage, "--no-trial leaves open what a device does: give --device-gpts");
    machine.gpts = options.gpts > 0. ? options.gpts : v.time->gpt_per_s / here;
    const std::int64_t memory = v.plan.placement.device->has_own_memory()
                                    ? available_device_bytes(v.plan.config.backend, v.plan.setup, v.plan.placement)
                                    : available_memory_bytes();
    machine.memory_bytes = options.memory_gb > 0. ? static_cast<std::int64_t>(1e9 * options.memory_gb) : memory;
    if (options.link_gb_s > 0.) machine.link_bytes_s = 1e9 * options.link_gb_s;
    if (options.network_gb_s > 0.) machine.network_bytes_s = 1e9 * options.network_gb_s;
    return machine;
}

nlohmann::ordered_json machine_json(const Machine& machine, const std::vector<MachineForecast>& ways) {
    nlohmann::ordered_json json{{"hosts", machine.hosts},
                                {"devices_per_host", machine.devices_per_host},
                                {"gpt_per_s_of_device", machine.gpts},
                                {"memory_bytes_of_device", machine.memory_bytes},
                                {"link_bytes_per_s", machine.link_bytes_s},
                                {"network_bytes_per_s", machine.network_bytes_s}};
    const MachineForecast* const best = fastest(ways);
    for (const MachineForecast& way : ways)
        json["ways"].push_back({{"slabs", way.slabs},
                                {"shots_at_once", way.shots_at_once},
                                {"turns", way.turns},
                                {"bytes_of_device", way.bytes_of_device},
                                {"fits", way.fits},
                                {"step_s", way.step_s},
                                {"exposed_s", way.exposed_s},
                                {"seconds", way.seconds},
                                {"efficiency", way.efficiency},
                                {"fastest", &way == best}});
    return json;
}

/// "0.034 s", "12.3 s", "2:05".
std::string duration_text(double seconds) {
    return seconds < 60. ? fmt::format("{:.3g} s", seconds) : clock_text(seconds);
}

/// What a run leaves beside the results whose bytes are told.
std::string beside_results(const OutputConfig& output) {
    if (!output.pictures && !output.report) return "a few kB of notes";
    return fmt::format("a few MB of {}", !output.report     ? "pictures and notes"
                                         : !output.pictures ? "report and notes"
                                                            : "pictures, report and notes");
}

void print_run_time(const TimeForecast& time) {
    std::cout << fmt::format("run time  about {}, steps at {:.3f} Gpt/s; from {}\n", duration_text(time.seconds),
                             time.gpt_per_s, time.basis);
    for (const auto& item : time.items)
        std::cout << fmt::format("          {:>8}  {}\n", duration_text(item.seconds), item.what);
    if (time.load.is_busy())
        std::cout << fmt::format("          {}; the estimate holds while they do\n", time.load.text());
}

void print_checkpoints(const Plan& plan) {
    if (!keeps_checkpoints(plan)) return;
    const std::optional<double> every_minutes = plan.config.checkpoint.every_minutes;
    std::cout << fmt::format("restart   from checkpoints, up to {} on disk, {}\n",
                             bytes_text(checkpoints_on_disk(plan.experiment(), plan.computation())),
                             every_minutes
                                 ? fmt::format("every {:g} minutes", *every_minutes)
                                 : "every half an hour, or less often: steps wait for them 2 % of the time at most");
    constexpr double of_reference_disk = 1e9;  // bytes per second
    const std::int64_t bytes = copies_of_states(plan.experiment(), plan.computation());
    std::cout << fmt::format("          of {} each time, {} on a disk that takes 1 GB/s\n", bytes_text(bytes),
                             duration_text(static_cast<double>(bytes) / of_reference_disk));
    if (plan.placement.device->has_own_memory())
        std::cout << fmt::format("          which take another {} of the host's memory while they are written\n",
                                 bytes_text(bytes));
    if (plan.imaging && plan.imaging->reverses)
        std::cout << fmt::format(
            "          of adjoint fields; a shot that goes on computes its forward field again, {:.0f} % of its "
            "steps\n",
            100. * static_cast<double>(plan.time.steps) / static_cast<double>(steps_of_shot(plan)));
}

void print(const PlanVerdict& v) {
    const Plan& plan = v.plan;
    std::cout << describe(plan) << '\n';
    print_ranges(v.ranges, plan.domain.grid.dimensions);
    std::cout << fmt::format("backend   {}\n", describe(*plan.placement.device, plan.setup))
              << fmt::format("memory    {} at the peak\n", bytes_text(v.memory.peak_bytes()));
    print_items(v.memory.items);
    if (plan.placement.device->has_own_memory()) {
        const DeviceRoom room(plan);
        std::cout << fmt::format("GPU       {} of {} that are free; {} would fit\n",
                                 bytes_text(v.memory.device_peak_bytes()), bytes_text(room.available),
                                 room.largest ? shape_text(*room.largest) + " nodes" : "no grid of these proportions");
        print_items(v.memory.device_items);
    }
    print_slabs(plan.setup, plan.placement);
    std::cout << fmt::format("results   {}, and {}\n", bytes_text(v.output_bytes), beside_results(plan.config.output));
    print_checkpoints(plan);
    if (v.time) print_run_time(*v.time);
    for (const auto& picture : v.pictures) std::cout << "picture   " << shown(picture) << '\n';
    for (const std::string& note : plan.notes) std::cout << "note      " << printable_lines(note) << '\n';
    for (const std::string& warning : plan.warnings) std::cout << "warning   " << printable_lines(warning) << '\n';
}

void print_machine(const Setup& setup, const Machine& machine, const std::vector<MachineForecast>& ways) {
    std::cout << fmt::format(
        "machine   {} host{} with {} device{} each, of {:.4g} Gpt/s and {}; links of {:.3g} GB/s, network {:.3g} GB/s\n"
        "{:>10}{:>10} {:>8} {:>13} {:>12} {:>11} {:>12} {:>11}\n",
        machine.hosts, machine.hosts == 1 ? "" : "s", machine.devices_per_host,
        machine.devices_per_host == 1 ? "" : "s", machine.gpts, bytes_text(machine.memory_bytes),
        1e-9 * machine.link_bytes_s, 1e-9 * machine.network_bytes_s, "slabs", "at once", "turns", "of a device",
        "a step [ms]", "exposed [%]", "time steps", "efficiency");
    const MachineForecast* const best = fastest(ways);
    for (const MachineForecast& way : ways)
        std::cout << fmt::format("{:>10}{:>10} {:>8} {:>13} {:>12.4g} {:>11.1f} {:>12} {:>11.3f}{}\n", way.slabs,
                                 way.shots_at_once, way.turns, bytes_text(way.bytes_of_device), 1e3 * way.step_s,
                                 100. * way.exposed_s / way.step_s, duration_text(way.seconds), way.efficiency,
                                 !way.fits      ? "  more than a device has"
                                 : &way == best ? "  fastest"
                                                : "");
    if (best == nullptr)
        std::cout << fmt::format("          no number of slabs, up to {}, makes the parts small enough\n",
                                 most_slabs(setup));
}

// ---- An inversion

/// What all stages take together: of memory what the largest does.
struct InversionTotal {
    explicit InversionTotal(const std::vector<StageForecast>& stages) {
        for (const StageForecast& stage : stages) {
            iterations += stage.iterations;
            seconds += stage.seconds;
            host_bytes = std::max(host_bytes, stage.host_bytes);
            device_bytes = std::max(device_bytes, stage.device_bytes);
            disk_bytes = saturating_sum(disk_bytes, stage.disk_bytes);
        }
    }
    std::int64_t iterations = 0;
    double seconds = 0.;
    std::int64_t host_bytes = 0, device_bytes = 0, disk_bytes = 0;
};

nlohmann::ordered_json seconds_json(const StageForecast& stage, double seconds) {
    return stage.run_time ? nlohmann::ordered_json(seconds) : nlohmann::ordered_json();
}

nlohmann::ordered_json stage_json(const StageForecast& stage) {
    const auto corner = [&stage](std::optional<double> BandPassConfig::*hz) {
        const auto& band = stage.plan.config.imaging->band_pass;
        return band && (*band).*hz ? nlohmann::ordered_json(*((*band).*hz)) : nlohmann::ordered_json();
    };
    return {{"stage", stage.number},
            {"shots", stage.shots},
            {"iterations", stage.iterations},
            {"held_nodes", stage.held ? nlohmann::ordered_json(*stage.held) : nlohmann::ordered_json()},
            {"low_hz", corner(&BandPassConfig::low_hz)},
            {"high_hz", corner(&BandPassConfig::high_hz)},
            {"spacing_m_xyz", stage.plan.domain.grid.spacing_m},
            {"shape_xyz", stage.plan.domain.grid.n},
            {"gradient_s", seconds_json(stage, stage.gradient_s)},
            {"trial_s", seconds_json(stage, stage.trial_s)},
            {"seconds", seconds_json(stage, stage.seconds)},
            {"host_bytes", stage.host_bytes},
            {"device_bytes", stage.device_bytes},
            {"disk_bytes", stage.disk_bytes}};
}

nlohmann::ordered_json inversion_json(const std::vector<StageForecast>& stages) {
    const InversionTotal total(stages);
    nlohmann::ordered_json json;
    for (const StageForecast& stage : stages) json["stages"].push_back(stage_json(stage));
    json.update({{"iterations", total.iterations},
                 {"seconds", seconds_json(stages.front(), total.seconds)},
                 {"host_bytes", total.host_bytes},
                 {"device_bytes", total.device_bytes},
                 {"disk_bytes", total.disk_bytes}});
    return json;
}

/// "2 to 6 Hz", "to 6 Hz", "from 2 Hz", "all".
std::string band_text(const std::optional<BandPassConfig>& band) {
    if (!band || (!band->low_hz && !band->high_hz)) return "all";
    if (!band->high_hz) return fmt::format("from {:g} Hz", *band->low_hz);
    return fmt::format("{}to {:g} Hz", band->low_hz ? fmt::format("{:g} ", *band->low_hz) : "", *band->high_hz);
}

/// "25 m", "10 x 8 m".
std::string spacing_text(const Grid& grid) {
    const std::vector<double> spacings_m = grid.derivative_spacings_m();
    if (std::ranges::count(spacings_m, spacings_m.front()) == std::ssize(spacings_m))
        return fmt::format("{:g} m", spacings_m.front());
    return fmt::format("{:g} m", fmt::join(spacings_m, " x "));
}

/// A line of the table. \param on_device whether the device has memory of its own.
std::string stage_line(const std::array<std::string, 6>& what, const std::array<std::string, 3>& times,
                       const std::array<std::string, 3>& bytes, bool on_device) {
    std::string line =
        fmt::format("{:>15} {:>12} {:>12} {:>8} {:>6} {:>11}", what[0], what[1], what[2], what[3], what[4], what[5]);
    for (const std::string& time : times) line += fmt::format(" {:>11}", time);
    line += fmt::format(" {:>9}", bytes[0]);
    if (on_device) line += fmt::format(" {:>9}", bytes[1]);
    return line + fmt::format(" {:>9}\n", bytes[2]);
}

void print_inversion(const std::vector<StageForecast>& stages, const OutputConfig& output) {
    const InversionTotal total(stages);
    const bool on_device = stages.front().plan.placement.device->has_own_memory();
    const auto told = [](const StageForecast& stage, double seconds) {
        return stage.run_time ? duration_text(seconds) : std::string("-");
    };
    std::cout << fmt::format("inversion {} stage{} and {} iteration{}, if none ends earlier\n", stages.size(),
                             stages.size() == 1 ? "" : "s", total.iterations, total.iterations == 1 ? "" : "s")
              << stage_line({"stage", "band", "nodes", "spacing", "shots", "iterations"},
                            {"a gradient", "a trial", "in all"}, {"memory", "GPU", "disk"}, on_device);
    for (const StageForecast& stage : stages)
        std::cout << stage_line(
            {fmt::format("{}", stage.number), band_text(stage.plan.config.imaging->band_pass),
             shape_text(stage.plan.domain.grid), spacing_text(stage.plan.domain.grid), fmt::format("{}", stage.shots),
             fmt::format("{}", stage.iterations)},
            {told(stage, stage.gradient_s), told(stage, stage.trial_s), told(stage, stage.seconds)},
            {bytes_text(stage.host_bytes), bytes_text(stage.device_bytes), bytes_text(stage.disk_bytes)}, on_device);
    std::cout << stage_line(
                     {"total", "", "", "", "", fmt::format("{}", total.iterations)},
                     {"", "", told(stages.front(), total.seconds)},
                     {bytes_text(total.host_bytes), bytes_text(total.device_bytes), bytes_text(total.disk_bytes)},
                     on_device)
              << fmt::format("          and model.h5, and {}\n", beside_results(output));
    for (const StageForecast& stage : stages)
        if (stage.held.value_or(0) > 0)
            std::cout << fmt::format("          stage {} holds {} of {} nodes\n", stage.number, *stage.held,
                                     stage.plan.domain.grid.points());
}

/// \throws Error(out_of_memory | io_error) where a stage does not fit into memory, or all of them not on the disk.
void refuse_if_too_large(const std::vector<StageForecast>& stages, const std::filesystem::path& folder) {
    for (const StageForecast& stage : stages) {
        refuse_if_memory_is_short(stage.plan);
        if (const std::int64_t free = available_host_bytes(stage.plan.placement.ranks); stage.host_bytes > free)
            throw Error(ExitCode::out_of_memory,
                        fmt::format("stage {} needs {} of memory, with the vectors of the optimiser, and {} are "
                                    "available\n  take a coarser grid in this stage (spacing_m), or fewer pairs of "
                                    "L-BFGS (inversion.memory)",
                                    stage.number, bytes_text(stage.host_bytes), bytes_text(free)));
    }
    const std::filesystem::path existing = nearest_existing(folder);
    const auto disk = static_cast<double>(std::filesystem::space(existing).available);
    if (const std::int64_t needed = InversionTotal(stages).disk_bytes; static_cast<double>(needed) > disk)
        throw Error(ExitCode::io_error,
                    fmt::format("the iterations need {} on disk and {} has {} left\n  choose another folder with "
                                "--output, or ask for fewer iterations",
                                bytes_text(needed), shown(existing), bytes_text(static_cast<std::int64_t>(disk))));
}

// ---- The command

/// \param file whose name the pictures begin with, with the extension of pictures or without; empty: check.
std::vector<std::filesystem::path> draw(const Plan& plan, const std::string& file, bool overwrite) {
    std::filesystem::path stem = file.empty() ? "check" : file;
    if (stem.has_extension()) {
        check_extension(stem, "--plot", "pictures", {".png"});
        stem.replace_extension();
    }
    return write_model_pictures(plan, model_to_draw(plan.experiment(), plan.computation()), stem, overwrite);
}

}  // namespace

Command add_check(CLI::App& app) {
    struct Options {
        ConfigOptions config;
        bool json = false, overwrite = false, no_trial = false;
        bool gradient = false, rtm = false, lsrtm = false, fwi = false;
        std::string plot;  ///< empty: not asked for
        MachineOptions machine;
    };
    CLI::App* command = add_command(app, "check", "Report what a run would do and need, without running it",
                                    "onda check configs/quickstart.yaml\n"
                                    "onda check survey.yaml --set grid.spacing_m=5 --json\n"
                                    "onda check survey.yaml --plot before.png\n"
                                    "onda check survey.yaml --devices 8x8 --device-gpts 157 --device-memory 141");
    auto options = std::make_shared<Options>();
    add_config_options(*command, options->config);
    command->add_flag("--json", options->json, "Print as JSON");
    command->add_flag("--no-trial", options->no_trial,
                      "Try nothing out, which takes a second of all processors: the run time is not told");
    CLI::Option* const gradient =
        command->add_flag("--gradient", options->gradient, "What `onda gradient` would take, not `onda run`");
    CLI::Option* const rtm = command->add_flag("--rtm", options->rtm, "What `onda rtm` would take")->excludes(gradient);
    CLI::Option* const lsrtm =
        command->add_flag("--lsrtm", options->lsrtm, "What an iteration of `onda lsrtm` would take")
            ->excludes(gradient)
            ->excludes(rtm);
    command
        ->add_flag("--fwi", options->fwi,
                   "What `onda fwi` would take: the first gradient, then all stages with their iterations")
        ->excludes(gradient)
        ->excludes(rtm)
        ->excludes(lsrtm);
    CLI::Option* const plot = command
                                  ->add_option("--plot", options->plot,
                                               "Draw model and survey first, in sections through the first source: "
                                               "FILE_xz.png and so on; of several shots FILE_survey.png, too, a map of "
                                               "all sources and receivers (default: check)")
                                  ->type_name("FILE")
                                  ->expected(0, 1);
    command->add_flag("--force", options->overwrite, "Overwrite the pictures if they exist")->needs(plot);
    CLI::Option* const devices =
        command
            ->add_option("--devices", options->machine.devices,
                         "Also price the time steps on a machine with so many hosts and devices of each, such as 8x8")
            ->type_name("HxD");
    const auto add_rate = [&](const char* name, double& value, const char* help) {
        command->add_option(name, value, help)->check(CLI::PositiveNumber)->needs(devices);
    };
    add_rate("--device-gpts", options->machine.gpts,
             "Gpt/s of whole time steps on one of these devices (default: what the device of this machine does)");
    add_rate("--device-memory", options->machine.memory_gb, "GB of one of these devices (default: what is free here)");
    add_rate("--link", options->machine.link_gb_s,
             "GB/s from device to device of a host, each direction (default: 370, NVLink of an H200)");
    add_rate("--network", options->machine.network_gb_s,
             "GB/s from a device to one of another host, each direction (default: 50)");
    return [options, plot] {
        const Config config = read_config(options->config);
        const TaskRow* const task = options->gradient ? &kGradientTask
                                    : options->rtm    ? &kMigrationTask
                                    : options->lsrtm  ? &kNormalProductTask
                                                      : nullptr;
        const std::filesystem::path folder =
            options->fwi ? default_folder(config).concat("-fwi") : default_folder(config);
        const std::vector<StageForecast> stages =
            options->fwi ? forecast_inversion(config, {}, !options->no_trial, folder) : std::vector<StageForecast>{};
        PlanVerdict verdict = options->fwi ? verdict_of(stages.front())
                                           : verdict_of(make_plan(config, {}, task), !options->no_trial, folder);
        if (plot->count() > 0) verdict.pictures = draw(verdict.plan, options->plot, options->overwrite);
        const bool on_machine = !options->machine.devices.empty();
        const Machine machine = on_machine ? machine_of(options->machine, verdict) : Machine{};
        const std::vector<MachineForecast> ways =
            on_machine ? forecast_on_machine(verdict.plan.experiment(), verdict.plan.computation(), machine)
                       : std::vector<MachineForecast>{};
        if (options->json) {
            nlohmann::ordered_json json = as_json(verdict);
            if (options->fwi) json["inversion"] = inversion_json(stages);
            if (on_machine) json["machine"] = machine_json(machine, ways);
            std::cout << json_text(json) << '\n';
        } else {
            print(verdict);
            if (options->fwi) print_inversion(stages, config.output);
            if (on_machine) print_machine(verdict.plan.setup, machine, ways);
        }
        if (on_machine) return 0;  // which this machine need not hold
        if (options->fwi)
            refuse_if_too_large(stages, folder);
        else
            refuse_if_too_large(verdict.plan, folder);
        return 0;
    };
}

}  // namespace onda
