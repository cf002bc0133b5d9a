#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>
#include <stdexcept>

#include "io/config/strict_yaml.hpp"
#include "io/files/atomic_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/predict.hpp"
#include "solver/performance/model/gpu_observations.hpp"
#include "solver/performance/step_model.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/program/json_text.hpp"

namespace onda {
namespace {

using Json = nlohmann::ordered_json;

struct CalibratedOptions {
    std::string config, equation = "star", precision = "float", boundary = "none", stepping = "single",
                        storage = "float";
    std::vector<std::string> kernels;
    int shots = 1;
};

/// A step, and the device that computes it.
struct Asked {
    const Device* device = nullptr;
    Setup setup;
    int shots = 1;
    std::string boundary = "none";
};

/// \throws Error(usage | no_device).
const Device& device_of(const std::string& name) {
    if (name.empty() || name == "auto") return *choose_device({}).device;
    if (name != "cpu" && name != "gpu" && name != "cuda")
        throw Error(ExitCode::usage, "--device '" + printable(name) +
                                         "': the calibrated model knows the devices of this machine: cpu, gpu or auto; "
                                         "--model tang knows others");
    return usable_device(name == "cpu" ? "cpu" : "cuda");
}

/// The nodes of --grid, of which 2-D grids have two.
void set_grid(KernelCase& what, const PredictOptions& options) {
    if (const auto plane = parse_extents(options.grid, 2)) {
        what.dimensions = 2;
        what.nx = (*plane)[0];
        what.nz = (*plane)[1];
        return;
    }
    const auto nodes = grid_of(options);
    what.nx = nodes[0];
    what.ny = nodes[1];
    what.nz = nodes[2];
}

std::vector<Asked> steps_of(const PredictOptions& options, const CalibratedOptions& own) {
    const Device& device = device_of(options.device);
    std::vector<std::string> kernels = own.kernels;
    if (kernels.empty()) kernels.emplace_back("auto");
    std::vector<Asked> steps;
    for (const std::string& kernel : kernels) {
        KernelCase what;
        what.kernel = printable(kernel);
        what.tile = what.copy = "auto";
        what.equation = own.equation;
        what.precision = own.precision;
        what.boundary = own.boundary;
        what.stepping = own.stepping;
        what.storage = own.storage;
        what.order = own.equation == "compact27" ? 2 : options.order;
        set_grid(what, options);
        Asked asked{&device, setup_of(what), own.shots, own.boundary};
        check_setup(device, asked.setup);
        device.resolve(asked.setup);
        if (own.shots > device.most_shots(asked.setup))
            throw Error(ExitCode::usage, fmt::format("--batch {}: kernel {} takes at most {} shots at a time",
                                                     own.shots, asked.setup.kernel, device.most_shots(asked.setup)));
        steps.push_back(std::move(asked));
    }
    return steps;
}

Asked step_of_config(const std::string& file) {
    const Plan plan = make_plan(read_config(ConfigOptions{file, {}, 0}));
    return {plan.placement.device, plan.setup, plan.placement.batch, plan.setup.strips.empty() ? "none" : "its own"};
}

Json prediction_of(const StepModel& model, const Asked& asked) {
    const StepTime time = model.step(asked.setup, asked.shots);
    const KernelCase what = case_of(asked.setup, asked.shots, asked.boundary);
    Json json{{"kernel", what.kernel},           {"tile", what.tile},         {"copy", what.copy},
              {"operator", what.equation},       {"space_order", what.order}, {"precision", what.precision},
              {"nodes_xyz", asked.setup.grid.n}, {"shots", asked.shots},      {"boundary", what.boundary},
              {"stepping", what.stepping},       {"storage", what.storage},   {"step_s", time.seconds}};
    json["gpts"] = 1e-9 * static_cast<double>(asked.setup.grid.points()) * asked.shots / time.seconds;
    json["bound"] = time.bound;
    return json;
}

std::string table_text(const Json& rows) {
    std::string text = fmt::format("{:<19} {:>5} {:>10} {:>6} {:>8} {:>13} {:>8}  {}\n", "kernel", "order", "tile",
                                   "copy", "shots", "a step [us]", "Gpt/s", "bound by");
    const auto word = [](const Json& value) { return value.get<std::string>(); };
    for (const Json& row : rows)
        text +=
            fmt::format("{:<19} {:>5} {:>10} {:>6} {:>8} {:>13.2f} {:>8.2f}  {}\n", word(row["kernel"]),
                        row["space_order"].get<int>(), word(row["tile"]), word(row["copy"]), row["shots"].get<int>(),
                        1e6 * row["step_s"].get<double>(), row["gpts"].get<double>(), word(row["bound"]));
    return text;
}

std::string csv_text(const Json& rows) {
    std::string text =
        "kernel,space_order,tile,copy,operator,precision,shots,boundary,stepping,storage,step_s,gpts,bound\n";
    for (const Json& row : rows)
        text += fmt::format(
            "{},{},{},{},{},{},{},{},{},{},{},{},{}\n", row["kernel"].get<std::string>(), row["space_order"].get<int>(),
            row["tile"].get<std::string>(), row["copy"].get<std::string>(), row["operator"].get<std::string>(),
            row["precision"].get<std::string>(), row["shots"].get<int>(), row["boundary"].get<std::string>(),
            row["stepping"].get<std::string>(), row["storage"].get<std::string>(), row["step_s"].get<double>(),
            row["gpts"].get<double>(), row["bound"].get<std::string>());
    return text;
}

int predict_calibrated(const PredictOptions& options, const CalibratedOptions& own) {
    if (!own.config.empty() && (options.grid_given || options.order_given || !options.device.empty()))
        throw Error(ExitCode::usage, "--config says grid, order and device: leave --grid, --order and --device out");
    std::vector<Asked> steps;
    try {
        if (own.config.empty())
            steps = steps_of(options, own);
        else
            steps.push_back(step_of_config(own.config));
    } catch (const std::invalid_argument& fault) {
        throw Error(ExitCode::usage, fault.what());
    }
    const Device& device = *steps.front().device;
    const auto model = calibrated_model(device, steps.front().setup.ordinal);
    if (model == nullptr)
        throw Error(ExitCode::missing_input,
                    fmt::format("{} is not calibrated: `onda bench calibrate {}` measures it, in about a minute",
                                device.hardware(steps.front().setup), device.has_own_memory() ? "gpu" : "cpu"));
    Json json{{"model", "calibrated"},
              {"device", device.hardware(steps.front().setup)},
              {"source", model->source()},
              {"steps", Json::array()}};
    for (const Asked& asked : steps) json["steps"].push_back(prediction_of(*model, asked));
    if (!options.csv.empty()) write_text_file(options.csv, csv_text(json["steps"]), options.force);
    if (options.json)
        std::cout << json_text(json) << "\n";
    else
        std::cout << json["device"].get<std::string>() << "; constants: " << model->source() << "\n"
                  << table_text(json["steps"]);
    return 0;
}

}  // namespace

Predict add_predict_calibrated(CLI::App& command) {
    const auto own = std::make_shared<CalibratedOptions>();
    command.add_option("--config", own->config, "calibrated: the step of a run: kernel, batch and boundaries too")
        ->type_name("CONFIG");
    command.add_option("--kernel", own->kernels, "calibrated: kernels (default: what a run would take)");
    std::vector<std::string> operators;
    for (const Equation& row : equations()) operators.emplace_back(row->name);
    command.add_option("--operator", own->equation, "calibrated: what is computed")
        ->check(CLI::IsMember(operators))
        ->capture_default_str();
    command.add_option("--precision", own->precision, "calibrated: float or double")
        ->check(CLI::IsMember({"float", "double"}))
        ->capture_default_str();
    command.add_option("--boundary", own->boundary, "calibrated: on every face: none, cpml, sponge, …")
        ->capture_default_str();
    command.add_option("--stepping", own->stepping, "calibrated: single steps, or leaps of two")
        ->check(CLI::IsMember({"single", "leap"}))
        ->capture_default_str();
    command.add_option("--storage", own->storage, "calibrated: of the model, as model.storage: float, 16bit or table")
        ->check(CLI::IsMember({"float", "16bit", "table"}))
        ->capture_default_str();
    command.add_option("--batch", own->shots, "calibrated: shots that one launch computes")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    return [own](const PredictOptions& options) { return predict_calibrated(options, *own); };
}

}  // namespace onda
