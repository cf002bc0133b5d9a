#include "solver/run/summary.hpp"

#include <nlohmann/json.hpp>

#include "io/text/printable.hpp"
#include "solver/imaging/imaging_condition.hpp"
#include "solver/outputs/shot_files.hpp"
#include "solver/plan/attenuation.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/plan/storage.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/program/build.hpp"
#include "solver/program/hash.hpp"
#include "solver/program/json_text.hpp"
#include "solver/signal/time_dispersion.hpp"
#include "solver/tasks/task.hpp"

namespace onda {
namespace {

using Json = nlohmann::ordered_json;

Json describe_program() {
    const Build& b = build();
    Json program{{"version", b.version},
                 {"git_commit", b.git_commit},
                 {"compiler", b.compiler},
                 {"build_type", b.build_type},
                 {"flags", b.flags}};
    for (const auto& [name, version] : library_versions()) program["libraries"][name] = version;
    return program;
}

Json describe_host() {
    const Host machine = host();
    return {{"name", machine.name},
            {"system", machine.system},
            {"cpu", machine.cpu},
            {"processors", machine.processors},
            {"numa_nodes", machine.numa_nodes},
            {"memory_bytes", machine.memory_bytes}};
}

Json describe_numbers(const Plan& plan) {
    const TimeAxis& time = plan.time;
    Json numbers;
    numbers["grid"] = {{"dimensions", plan.domain.grid.dimensions},   {"shape_xyz", plan.domain.grid.n},
                       {"spacing_m_xyz", plan.domain.grid.spacing_m}, {"origin_m_xyz", plan.domain.grid.origin_m},
                       {"points", plan.domain.grid.points()},         {"computed_shape_xyz", plan.setup.grid.n},
                       {"computed_points", plan.setup.grid.points()}};
    numbers.update(medium_json(plan.model, plan.setup.scheme.equation));
    if (auto attenuation = attenuation_json(plan); !attenuation.is_null())
        numbers["attenuation"] = std::move(attenuation);
    numbers["storage"] = storage_json(plan.experiment(), plan.computation());
    numbers["time"] = {{"dt_s", time.dt_s},
                       {"steps", time.steps},
                       {"order", time.order},
                       {"stepping", time.stride == 1 ? "single" : "leap"},
                       {"stability_limit_s", time.stability_limit_s},
                       {"cfl_fraction", time.cfl_fraction()},
                       {"seismogram_dt_s", time.output_dt_s},
                       {"seismogram_samples", time.output_samples}};
    numbers["time"]["dispersion_corrected"] = time.correction.has_value();
    if (time.correction)
        numbers["time"].update(
            {{"dispersion_corrected_to_hz", time.correction->pass_hz}, {"extra_steps", time.extra_steps}});
    numbers["sampling"] = {{"points_per_wavelength", plan.sampling.points_per_wavelength},
                           {"needed", plan.sampling.needed},
                           {"highest_frequency_hz", plan.survey.highest_frequency_hz()}};
    numbers["survey"] = {{"shots", plan.survey.shots.size()},
                         {"batch", plan.placement.batch},
                         {"most_sources", plan.survey.size.most_sources},
                         {"most_receivers", plan.survey.size.most_receivers},
                         {"snapshots_per_shot", plan.snapshots.steps.size()}};
    if (plan.domain.aperture)
        numbers["survey"].update(
            {{"limit_m", plan.domain.aperture->limit_m()}, {"computed_points", plan.domain.nodes_of_shots}});
    numbers["backend"] = {{"name", plan.placement.device->name},
                          {"kernel", plan.setup.kernel},
                          {"chosen_by", plan.chosen_by},
                          {"hardware", plan.placement.device->hardware(plan.setup)},
                          {"instruction_set", plan.placement.device->instruction_set(plan.setup)},
                          {"threads", plan.setup.threads},
                          {"slabs", slabs_json(plan.placement)},
                          {"precision", plan.config.scheme.precision},
                          {"operator", name(plan.setup.scheme.equation)},
                          {"space_order", plan.setup.scheme.space_order},
                          {"coefficients", plan.config.scheme.coefficients}};
    if (plan.placement.device->understands("tile"))
        numbers["backend"].update(
            {{"device", plan.setup.ordinal}, {"tile", plan.setup.tile}, {"copy", plan.setup.copy}});
    return numbers;
}

/// One name, or a list of several.
Json files_as_json(const std::vector<std::filesystem::path>& files) {
    if (files.size() == 1) return shown(files.front());
    Json names = Json::array();
    for (const std::filesystem::path& file : files) names.push_back(shown(file));
    return names;
}

Json describe_imaging(const Experiment& experiment) {
    const ImagingPlan& imaging = *experiment.imaging;
    Json described{{"misfit", imaging.misfit.misfit->name},
                   {"observed", files_as_json(imaging.misfit.config.observed)},
                   {"parameters", imaging.sums.density      ? Json{"vp", "rho"}
                                  : imaging.of_q            ? Json{"vp", "q"}
                                  : imaging.sums.anisotropy ? Json{"vp", "epsilon", "delta"}
                                                            : Json::array({"vp"})},
                   {"storage", imaging.history.storage(experiment.time)},
                   {"every_steps", imaging.history.every},
                   {"levels", imaging.history.levels(experiment.time)},
                   {"levels_together", imaging.history.slots},
                   {"states", imaging.history.checkpoints},
                   {"forward_steps", imaging.history.forward_steps(experiment.time)}};
    const ImagingConfig& config = imaging.misfit.config;
    if (!config.shots.is_all()) described["shots"] = config.shots.text();
    if (!config.receivers.is_all()) described["receivers"] = config.receivers.text();
    if (imaging.history.ring) described["ring_every_steps"] = imaging.history.ring_every;
    return described;
}

/// The nodes that the hash of a wavefield is of.
Json describe_part(const Window& part) {
    return {{"first_node_xyz", part.first}, {"shape_xyz", part.count}};
}

Json describe_hashes(const Experiment& experiment, const Computation& computation, const RunFacts& facts) {
    Json hashes{{"algorithm", Fingerprint::kAlgorithm}, {"model", facts.model_fingerprint}};
    // The table of surveys that keep it says the same, and may be long.
    if (keeps_shot_files(experiment, computation.placement)) return hashes;
    const Shots& shots = experiment.survey.shots;
    for (const ShotRecord& shot : facts.shots) {
        Json& entry = hashes["shots"][std::to_string(shot.shot)];
        if (!shot.seismograms.empty()) entry["seismograms"] = shot.seismograms;
        entry["final_wavefield"] = shot.wavefield;
        if (const auto& aperture = experiment.domain.aperture)
            entry["part"] = describe_part(aperture->part(shots.spread(shots.index_of(shot.shot))));
    }
    return hashes;
}

Json describe_files(std::span<const FileRecord> files) {
    Json list = Json::array();
    for (const FileRecord& file : files) {
        Json& entry = list.emplace_back(Json{{"name", file.name}});
        if (!file.hash.empty()) entry.update({{"bytes", file.bytes}, {"hash", file.hash}});
    }
    return list;
}

std::vector<std::string> all_warnings(std::vector<std::string> warnings, const RunFacts& facts) {
    warnings.insert(warnings.end(), facts.warnings.begin(), facts.warnings.end());
    return warnings;
}

}  // namespace

std::string summary_json(const Plan& plan, const RunFacts& facts, const FileList& files) {
    Json summary{{"format", kSummaryFormat},
                 {"format_version", kSummaryFormatVersion},
                 {"run_id", facts.run_id},
                 {"identity", facts.identity},
                 {"state", files.complete ? "complete" : "incomplete"},
                 {"title", plan.config.title},
                 {"command_line", facts.command_line},
                 {"started_utc", facts.started_utc},
                 {"finished_utc", facts.finished_utc},
                 {"onda", describe_program()},
                 {"host", describe_host()}};
    if (const std::string_view task = name_unless_first(plan.task); !task.empty()) summary["task"] = task;
    summary.update(describe_numbers(plan));
    if (plan.imaging) summary["imaging"] = describe_imaging(plan);
    if (!facts.residuals.empty()) summary["imaging"]["residuals"] = facts.residuals;
    summary["backend"]["description"] = facts.backend;
    summary["model"] = facts.model;
    Json& performance = summary["performance"];
    for (const auto& [phase, seconds] : facts.phase_s) performance["phase_s"][phase] = seconds;
    performance["gpt_per_s"] = facts.gpt_per_s;
    summary["memory"] = {{"predicted_bytes", facts.predicted_memory_bytes}, {"peak_bytes", facts.peak_memory_bytes}};
    if (plan.placement.device->has_own_memory())
        summary["memory"]["device"] = {{"predicted_bytes", facts.predicted_device_bytes},
                                       {"allocated_bytes", facts.device_bytes}};
    summary["largest_observed_pressure_pa"] = facts.largest_observed_pressure;
    summary["hashes"] = describe_hashes(plan.experiment(), plan.computation(), facts);
    summary["notes"] = plan.notes;
    summary["warnings"] = all_warnings(plan.warnings, facts);
    summary["files"] = describe_files(files.files);
    if (!files.replaced.empty()) summary["files_replaced"] = describe_files(files.replaced);
    return json_text(summary) + "\n";
}

Provenance make_provenance(const Experiment& experiment, const Computation& computation, const RunFacts& facts) {
    const Build& b = build();
    const Host machine = host();
    Provenance told{
        {{"onda_version", b.version},
         {"git_commit", b.git_commit},
         {"run_id", facts.run_id},
         {"compiler", b.compiler},
         {"flags", b.flags},
         {"command_line", facts.command_line},
         {"host", machine.name},
         {"system", machine.system},
         {"cpu", machine.cpu},
         {"created_utc", facts.started_utc},
         {"config_yaml", experiment.config.origin.text},
         {"config_resolved_yaml", resolved_yaml(experiment.config)},
         {"model", facts.model},
         {"model_hash", facts.model_fingerprint},
         {"backend", facts.backend},
         {"kernel", computation.setup.kernel},
         {"instruction_set", computation.placement.device->instruction_set(computation.setup)},
         {"threads", std::to_string(computation.setup.threads)},
         {"time_dispersion", describe_correction(experiment.time)},
         {"units",
          "m, s, m/s, Pa; source signatures in Pa m: in 3-D s(t) gives s(t - r/vp) / (4 pi r) at distance r; in Pa "
          "in 2-D, where sources are line sources"},
         {"axis_order", "[z][y][x], x fastest, z down; coordinates are (x, y, z)"}}};
    if (experiment.imaging && experiment.imaging->condition != nullptr)
        told.entries.emplace_back("imaging_condition", experiment.imaging->condition->name);
    return told;
}

}  // namespace onda
