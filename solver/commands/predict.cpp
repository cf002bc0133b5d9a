#include "solver/commands/predict.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <spdlog/fmt/fmt.h>
#include <vector>

#include "io/config/strict_yaml.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/performance/device_description.hpp"

namespace onda {
namespace {

constexpr PredictionModel kModels[] = {
    {"tang", "the analytic model of in-plane kernels by Tang et al. (2013), as the thesis applied it",
     add_predict_tang},
    {"calibrated", "of every kernel, with constants that `onda bench calibrate` measured on this machine's device",
     add_predict_calibrated},
};

/// A model with its options of the command line.
struct ModelOptions {
    const PredictionModel* model;
    Predict predict;
    std::vector<const CLI::Option*> own;
};

/// Refuses options that another model has.
void check_options(const std::vector<ModelOptions>& all, const ModelOptions& chosen) {
    for (const ModelOptions& other : all)
        for (const CLI::Option* option : other.own)
            if (&other != &chosen && option->count() > 0)
                throw Error(ExitCode::usage, fmt::format("{} is an option of --model {}, not of {}", option->get_name(),
                                                         other.model->name, chosen.model->name));
}

void print_devices() {
    std::cout << fmt::format("{:<10} {:<26} {:>15} {:>11} {:>13} {:>14}\n", "--device", "name", "multiprocessors",
                             "clock [MHz]", "memory [GB/s]", "fp32 [Tflop/s]");
    for (const std::string& name : described_devices()) {
        const DeviceDescription device = device_description(name);
        const double flops = 2e6 * device.clock_mhz * static_cast<double>(device.multiprocessors * device.fp32_lanes);
        std::cout << fmt::format("{:<10} {:<26} {:>15} {:>11} {:>13} {:>14.1f}\n", name, device.name,
                                 device.multiprocessors, device.clock_mhz, device.memory_bandwidth_gb_s, 1e-12 * flops);
    }
}

void add_shared_options(CLI::App& command, PredictOptions& options) {
    std::string help = "Which model:";
    std::vector<std::string> names;
    for (const PredictionModel& model : kModels) {
        help += fmt::format("{} {}, {}", names.empty() ? "" : ";", model.name, model.help);
        names.emplace_back(model.name);
    }
    command.add_option("--model", options.model, help)->check(CLI::IsMember(names))->capture_default_str();
    command.add_option("--device", options.device,
                       "A device that is described (--list names them), or a description of your own: FILE.yaml");
    command.add_option("--grid", options.grid, "Nodes along x, y and z")->capture_default_str();
    command.add_option("--order", options.order, "Order in space, even, 2 to 16")
        ->check(CLI::IsMember({2, 4, 6, 8, 10, 12, 14, 16}).description(""))
        ->capture_default_str();
    command.add_flag("--list", options.list, "Print the devices that are described, and their peak rates");
    command.add_flag("--json", options.json, "Print JSON");
    command.add_option("--csv", options.csv, "Also write the table to this file")->type_name("FILE");
    command.add_flag("--force", options.force, "Overwrite the CSV file if it exists");
}

}  // namespace

std::array<std::int64_t, 3> grid_of(const PredictOptions& options) {
    const auto nodes = parse_extents(options.grid, 3);
    if (!nodes)
        throw Error(ExitCode::usage,
                    "--grid '" + printable(options.grid) +
                        "': give the nodes along x, y and z, 1 to 1,000,000 each, such as 512x256x512");
    return {(*nodes)[0], (*nodes)[1], (*nodes)[2]};
}

Command add_predict(CLI::App& app) {
    CLI::App* command =
        add_command(app, "predict", "Predict the time per step of a device",
                    "onda predict --model tang --device k40 --tile 8x8\n"
                    "onda predict --model tang --device h200 --tile 8x8 16x16 --strategy classic --json\n"
                    "onda predict --model tang --measured k40        # how far off the model is\n"
                    "onda predict --model calibrated --grid 512x512x512 --order 8 --kernel auto direct");
    const auto options = std::make_shared<PredictOptions>();
    add_shared_options(*command, *options);
    const auto models = std::make_shared<std::vector<ModelOptions>>();
    for (const PredictionModel& model : kModels) {
        const auto before = command->get_options();
        ModelOptions entry{&model, model.add(*command), {}};
        for (const CLI::Option* option : command->get_options())
            if (std::ranges::find(before, option) == before.end()) entry.own.push_back(option);
        models->push_back(std::move(entry));
    }
    return [command, options, models] {
        if (options->list) {
            print_devices();
            return static_cast<int>(ExitCode::ok);
        }
        options->grid_given = command->count("--grid") > 0;
        options->order_given = command->count("--order") > 0;
        const auto chosen =
            std::ranges::find(*models, options->model, [](const ModelOptions& each) { return each.model->name; });
        check_options(*models, *chosen);
        return chosen->predict(*options);
    };
}

}  // namespace onda
