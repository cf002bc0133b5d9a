#include <CLI/Version.hpp>
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/text/printable.hpp"
#include "kernels/cpu/cpu.hpp"
#include "kernels/cuda/cuda.hpp"
#include "solver/commands/commands.hpp"
#include "solver/program/build.hpp"
#include "solver/program/json_text.hpp"
#include "solver/propagation/devices.hpp"

namespace onda {
namespace {

nlohmann::ordered_json describe_cuda() {
    const cuda::Platform& platform = cuda::platform();
    nlohmann::ordered_json json{{"compiled_in", platform.compiled_in}};
    if (!platform.runtime_version.empty()) json["runtime_version"] = platform.runtime_version;
    if (!platform.driver_version.empty()) json["driver_version"] = platform.driver_version;
    if (platform.compiled_in) {
        const cuda::LinkLibrary& links = cuda::link_library();
        json["between_processes"] = links.name.empty() ? "through the host: " + links.problem : links.name;
    }
    json["gpus"] = nlohmann::ordered_json::array();
    for (const cuda::Gpu& gpu : platform.gpus) {
        const auto ordinal = static_cast<int>(json["gpus"].size());
        const cuda::GpuState& state = cuda::gpu_state(ordinal);
        json["gpus"].push_back({{"name", gpu.name},
                                {"device", ordinal},
                                {"architecture", gpu.architecture},
                                {"multiprocessors", gpu.multiprocessors},
                                {"memory_bytes", gpu.memory_bytes},
                                {"free_bytes", state.free_bytes}});
        if (!state.problem.empty()) json["gpus"].back()["problem"] = state.problem;
    }
    if (!platform.problem.empty()) json["problem"] = platform.problem;
    return json;
}

nlohmann::ordered_json describe() {
    const Build& b = build();
    const Host machine = host();
    nlohmann::ordered_json info;
    info["version"] = b.version;
    info["git_commit"] = b.git_commit;
    info["compiler"] = b.compiler;
    info["build_type"] = b.build_type;
    info["flags"] = b.flags;
    auto libraries = library_versions();
    libraries.emplace_back("CLI11", CLI11_VERSION);
    std::ranges::sort(libraries);
    for (const auto& [name, version] : libraries) info["libraries"][name] = version;
    info["host"] = {
        {"name", machine.name},          {"system", machine.system},         {"cpu", machine.cpu},
        {"threads", machine.processors}, {"numa_nodes", machine.numa_nodes}, {"memory_bytes", machine.memory_bytes}};
    info["cpu_instruction_sets"] = {{"usable", cpu::isa_names()}, {"chosen", cpu::best_isa()}};
    info["cuda"] = describe_cuda();
    for (const Device& device : devices()) {
        info["backends"][std::string(device.name)] = device.help;
        for (const KernelInfo& kernel : device.kernel_names())
            info["kernels"][std::string(device.name)][std::string(kernel.name)] = kernel.help;
    }
    return info;
}

/// A text of several lines, such as what is wrong with a GPU and what to do: each in the column of values.
void print_lines(const std::string& text, int column) {
    std::istringstream lines(text);
    std::string line;
    for (bool first = true; std::getline(lines, line); first = false) {
        line.erase(0, line.find_first_not_of(' '));
        std::cout << (first ? "" : "\n" + std::string(static_cast<std::size_t>(column), ' ')) << printable_whole(line);
    }
}

void print_value(const nlohmann::ordered_json& value, int column) {
    if (value.is_array() && value.empty()) {
        std::cout << "none";
    } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (i > 0) std::cout << ", ";
            print_value(value[i], column);
        }
    } else if (value.is_string()) {
        print_lines(value.get<std::string>(), column);
    } else {
        std::cout << value.dump();
    }
}

void print_text(const nlohmann::ordered_json& info, int indent = 0) {
    const int column = 24;
    for (const auto& [name, value] : info.items()) {
        std::cout << std::string(static_cast<std::size_t>(indent), ' ') << std::left << std::setw(column - indent)
                  << name;
        const bool list = value.is_array() && !value.empty() && value.front().is_object();
        if (!value.is_object() && !list) print_value(value, column);
        std::cout << '\n';
        if (value.is_object()) print_text(value, indent + 2);
        if (list)
            for (const auto& entry : value) print_text(entry, indent + 2);
    }
}

}  // namespace

Command add_info(CLI::App& app) {
    CLI::App* command = add_command(
        app, "info", "Print version, compiler, libraries, processor, GPUs and kernels, as a bug report needs them",
        "onda info\nonda info --json");
    auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "Print as JSON");
    return [json] {
        const auto info = describe();
        if (*json)
            std::cout << json_text(info) << '\n';
        else
            print_text(info);
        return 0;
    };
}

}  // namespace onda
