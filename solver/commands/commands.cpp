#include "solver/commands/commands.hpp"

#include <algorithm>
#include <iostream>
#include <omp.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "io/files/atomic_file.hpp"
#include "io/results/seismograms.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/plan/names.hpp"
#include "solver/program/threads.hpp"

namespace onda {

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& summary, const std::string& examples) {
    CLI::App* command = app.add_subcommand(name, summary);
    // The formatter that main installs prints the footer first: examples are what most readers of --help look for.
    command->footer(examples);
    return command;
}

Command add_commands(CLI::App& app, const std::vector<AddCommand>& commands) {
    app.require_subcommand(1);
    std::vector<std::pair<const CLI::App*, Command>> actions;
    for (const AddCommand add : commands) {
        Command action = add(app);
        actions.emplace_back(app.get_subcommands([](const CLI::App*) { return true; }).back(), std::move(action));
    }
    return [actions = std::move(actions)] {
        for (const auto& [command, action] : actions)
            if (command->parsed()) return action();
        return static_cast<int>(ExitCode::internal);
    };
}

CLI::Validator offered(const std::vector<std::string>& values) {
    return {[](const std::string&) { return std::string(); }, fmt::format("{{{}}}", fmt::join(values, ","))};
}

void add_quantity(CLI::App& command, std::string& quantity) {
    std::vector<std::string> names{std::string(kPressure.name)};
    for (const GatherQuantity& motion : particle_motions()) names.emplace_back(motion.name);
    command
        .add_option("--quantity", quantity,
                    "What receivers recorded: pressure (default), or particle motion that the run was asked for")
        ->type_name("NAME")
        ->check(offered(names));
}

void add_config_options(CLI::App& command, ConfigOptions& options) {
    command.add_option("CONFIG", options.file, "Configuration of the run (YAML); - is standard input")->required();
    command.add_option("--set", options.overrides, "Override a parameter, such as time.duration_s=2; may be repeated")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command.add_option("--threads", options.threads, "Threads of the processor (default: as many as are fastest)")
        ->check(CLI::Range(1, kMostThreads));
}

Config read_config(const ConfigOptions& options) {
    std::vector<std::string> overrides = options.overrides;
    if (options.threads > 0) overrides.push_back("backend.threads=" + std::to_string(options.threads));
    Config config = read_config(std::filesystem::path(options.file), vocabulary(), overrides);
    check_threads(config.backend, config.origin);
    if (config.backend.threads > 0) omp_set_num_threads(static_cast<int>(config.backend.threads));
    return config;
}

void check_extension(const std::filesystem::path& file, const std::string& option, const std::string& what,
                     const std::vector<std::string>& extensions) {
    if (std::ranges::find(extensions, file.extension().string()) != extensions.end()) return;
    throw Error(ExitCode::usage,
                fmt::format("{} {}: {} are {}", option, shown(file), what, fmt::join(extensions, " or ")));
}

void add_text_output(CLI::App& command, TextOutput& output) {
    command.add_option("-o,--output", output.file, "File to write (default: standard output)")->type_name("FILE");
    command.add_flag("--force", output.force, "Overwrite the file if it exists");
}

void write_text(const std::string& text, const TextOutput& output) {
    if (!output.file.empty()) return write_text_file(output.file, text, output.force);
    std::cout << text << std::flush;
    if (!std::cout) throw Error(ExitCode::io_error, "cannot write to standard output");
}

}  // namespace onda
