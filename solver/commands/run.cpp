#include <iostream>

#include "io/text/printable.hpp"
#include "solver/commands/commands.hpp"
#include "solver/outputs/outputs.hpp"
#include "solver/program/build.hpp"
#include "solver/run/simulation.hpp"

namespace onda {

Command add_run(CLI::App& app) {
    struct Options {
        ConfigOptions config;
        std::filesystem::path folder;
        bool overwrite = false;
    };
    CLI::App* command = add_command(app, "run", "Run a simulation and write seismograms, snapshots and pictures",
                                    "onda run configs/quickstart.yaml\n"
                                    "onda run survey.yaml --set time.duration_s=2 --output results/long --force");
    auto options = std::make_shared<Options>();
    add_config_options(*command, options->config);
    command->add_option("--output", options->folder, "Folder for the results (default: results/<name of CONFIG>)")
        ->check([](const std::string& folder) { return folder.empty() ? "a folder needs a name" : ""; });
    command->add_flag("--force", options->overwrite, "Replace the results of an earlier run in the folder");
    return [options] {
        const Config config = read_config(options->config);
        Log log;
        const RunFacts facts = run_simulation(
            config,
            {options->folder.empty() ? default_folder(config) : options->folder, options->overwrite, command_line()},
            log);
        std::cout << shown(facts.folder) << '\n';
        for (const FileRecord& file : facts.files) std::cout << "  " << file.name << '\n';
        return 0;
    };
}

}  // namespace onda
