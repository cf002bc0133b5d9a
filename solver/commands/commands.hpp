/// \file
/// The subcommands of `onda`: each adds its options to the command line and returns what to do when it is chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "io/config/config.hpp"

namespace onda {

/// The work of a command, which returns the exit code. Errors are thrown as Error and reported by main.
using Command = std::function<int()>;

/// A subcommand whose `--help` begins with its examples (at least two lines, each a complete command).
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& summary, const std::string& examples);

/// Adds a command with its options.
using AddCommand = Command (*)(CLI::App& app);

/// Adds commands to an app, which asks for one of them. \returns the work of the one that was chosen.
Command add_commands(CLI::App& app, const std::vector<AddCommand>& commands);

/// For help and shells: the values that an option may have. It refuses none, which is for the command, with more to
/// say.
CLI::Validator offered(const std::vector<std::string>& values);

/// --quantity: the name of what receivers recorded (gather_quantity()).
void add_quantity(CLI::App& command, std::string& quantity);

/// The options CONFIG, --set and --threads, which `run` and `check` share.
struct ConfigOptions {
    std::string file;
    std::vector<std::string> overrides;
    int threads = 0;
};
void add_config_options(CLI::App& command, ConfigOptions& options);
/// Reads the file with the overrides and gives every parallel loop of the program the threads asked for.
Config read_config(const ConfigOptions& options);

/// Refuses a name for what is written that would mislead: its extension is none of these. \throws Error(usage).
/// \param option as the message names it; \param what in the plural: "model files".
void check_extension(const std::filesystem::path& file, const std::string& option, const std::string& what,
                     const std::vector<std::string>& extensions);

/// The options -o FILE and --force of commands whose result is a text.
struct TextOutput {
    std::string file;  ///< empty: standard output
    bool force = false;
};
void add_text_output(CLI::App& command, TextOutput& output);
/// Writes the result of a command. \throws Error(cannot_create) if the file exists and --force was not given.
void write_text(const std::string& text, const TextOutput& output);

Command add_run(CLI::App& app);
Command add_gradient(CLI::App& app);
Command add_rtm(CLI::App& app);
Command add_lsrtm(CLI::App& app);
Command add_fwi(CLI::App& app);
Command add_check(CLI::App& app);
Command add_tune(CLI::App& app);
Command add_model(CLI::App& app);
Command add_init(CLI::App& app);
Command add_schema(CLI::App& app);
Command add_convert(CLI::App& app);
Command add_plot(CLI::App& app);
Command add_data(CLI::App& app);
Command add_report(CLI::App& app);
Command add_export(CLI::App& app);
Command add_verify(CLI::App& app);
Command add_dispersion(CLI::App& app);
Command add_bench(CLI::App& app);
Command add_predict(CLI::App& app);
Command add_info(CLI::App& app);
Command add_completion(CLI::App& app);
Command add_man(CLI::App& app);

}  // namespace onda
