#include <algorithm>
#include <iostream>
#include <optional>
#include <spdlog/fmt/fmt.h>

#include "io/files/interruption.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/commands.hpp"
#include "solver/inversion/full_waveform_inversion.hpp"
#include "solver/inversion/least_squares_migration.hpp"
#include "solver/program/build.hpp"
#include "solver/program/threads.hpp"
#include "solver/run/simulation.hpp"
#include "solver/tasks/gradient_task.hpp"
#include "solver/tasks/inversion_tasks.hpp"
#include "solver/tasks/least_squares_task.hpp"

namespace onda {

namespace {

/// A command that does something with every shot of a survey.
struct SurveyCommand {
    const char *name, *summary, *examples;
    const TaskRow* task;        ///< null: the first of tasks()
    const char* folder_suffix;  ///< of the default folder
    /// Runs it; iterations over all shots leave no choice of some.
    RunFacts (*run)(const Config& config, const RunOptions& options, Log& log, const Ranks& ranks) = run_simulation;
    bool iterates = false;
};

Command add_survey_command(CLI::App& app, const SurveyCommand& of) {
    struct OptionsOfRun {
        ConfigOptions config;
        std::filesystem::path folder;
        bool overwrite = false;
        std::optional<std::string> shots;
        double max_hours = 0.;
    };
    CLI::App* command = add_command(app, of.name, of.summary, of.examples);
    auto options = std::make_shared<OptionsOfRun>();
    add_config_options(*command, options->config);
    command
        ->add_option("-o,--output", options->folder,
                     fmt::format("Folder for the results (default: results/<name of CONFIG>{})", of.folder_suffix))
        ->check([](const std::string& folder) { return folder.empty() ? "a folder needs a name" : ""; });
    command->add_flag("--force", options->overwrite, "Replace the results of an earlier run in the folder");
    if (!of.iterates)
        command->add_option(
            "--shots", options->shots,
            "Compute only these shots, such as 3-7,12; the survey is complete when all shots have been computed");
    command
        ->add_option("--max-hours", options->max_hours,
                     "Start no shot that would not finish within this many hours of the start of the program")
        ->check(CLI::PositiveNumber);
    return [options, of, start = std::chrono::steady_clock::now()] {
        const Ranks ranks = Ranks::join();
        share_processors(ranks.place().same_processors);
        const Config config = ranks.all_or_none([&] {
            if (options->config.file == "-" && ranks.place().size > 1)
                throw Error(ExitCode::usage,
                            "CONFIG -: standard input is that of the first process alone; give the "
                            "name of a file that all processes can read");
            return read_config(options->config);
        });
        if (config.checkpoint.every_minutes != 0.) take_requests_for_checkpoints();
        Log log = ranks.is_first() ? Log() : Log([](Log::Level, const std::string&) {});
        RunOptions run{options->folder.empty() ? default_folder(config).concat(of.folder_suffix) : options->folder,
                       options->overwrite, command_line()};
        run.task = of.task;
        run.shots =
            ranks.all_or_none([&] { return options->shots ? ShotSelection(*options->shots) : ShotSelection(); });
        constexpr double century_h = 876'600.;  // the clock counts ns in 64 bits, of which 292 years is the end
        if (options->max_hours > 0.)
            run.end_by =
                start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                            std::chrono::duration<double, std::ratio<3600>>(std::min(options->max_hours, century_h)));
        const RunFacts facts = of.run(config, run, log, ranks);
        if (!ranks.is_first()) return 0;
        std::cout << shown(facts.folder) << '\n';
        for (const FileRecord& file : facts.files) std::cout << "  " << file.name << '\n';
        return 0;
    };
}

}  // namespace

Command add_run(CLI::App& app) {
    return add_survey_command(app, {"run", "Run a simulation and write seismograms, snapshots and pictures",
                                    "onda run configs/quickstart.yaml\n"
                                    "onda run survey.yaml --set time.duration_s=2 --output results/long --force\n"
                                    "onda run survey.yaml --shots 1-50,73 --max-hours 11.5\n"
                                    "generate_survey | onda run - -o results/generated",
                                    nullptr, ""});
}

Command add_gradient(CLI::App& app) {
    return add_survey_command(
        app, {"gradient", "Compute the gradient of the misfit between synthetic and observed seismograms",
              "onda gradient survey.yaml --set imaging.observed=observed/seismograms.h5\n"
              "onda gradient survey.yaml --output results/iteration-1 --max-hours 11.5\n"
              "onda gradient survey.yaml --set imaging.misfit=envelope --shots 1-50",
              &kGradientTask, "-gradient"});
}

Command add_rtm(CLI::App& app) {
    return add_survey_command(
        app, {"rtm", "Image the subsurface by reverse-time migration of observed seismograms",
              "onda rtm survey.yaml --set imaging.observed=observed/seismograms.h5\n"
              "onda rtm line.yaml --set imaging.image.condition=cross_correlation --output results/image\n"
              "onda rtm survey.yaml --shots 1-50 --max-hours 11.5",
              &kMigrationTask, "-rtm"});
}

Command add_lsrtm(CLI::App& app) {
    return add_survey_command(app,
                              {"lsrtm", "Image the subsurface by least-squares migration of observed seismograms",
                               "onda lsrtm survey.yaml --set imaging.observed=observed/seismograms.h5\n"
                               "onda lsrtm line.yaml --set imaging.lsrtm.iterations=20 --max-hours 11.5\n"
                               "onda lsrtm survey.yaml --set imaging.image.direct_wave=subtract --output results/image",
                               &kLeastSquaresTask, "-lsrtm", migrate_by_least_squares, true});
}

Command add_fwi(CLI::App& app) {
    return add_survey_command(app,
                              {"fwi", "Invert observed seismograms for the velocities of the subsurface",
                               "onda fwi survey.yaml\n"
                               "onda fwi survey.yaml --output results/inversion --max-hours 11.5\n"
                               "onda fwi survey.yaml --set 'inversion.stages=[{iterations: 10, band_pass: {high_hz: "
                               "4}}, {iterations: 10}]'",
                               &kInversionGradientTask, "-fwi", invert_waveforms, true});
}

}  // namespace onda
