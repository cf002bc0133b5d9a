#include "solver/commands/commands.hpp"

namespace onda {

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& summary, const std::string& examples) {
    CLI::App* command = app.add_subcommand(name, summary);
    // The formatter that main installs prints the footer first: examples are what most readers of --help look for.
    command->footer(examples);
    return command;
}

}  // namespace onda
