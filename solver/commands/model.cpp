#include "solver/model/model.hpp"

#include <cstdio>
#include <memory>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/commands.hpp"
#include "solver/commands/model_pictures.hpp"
#include "solver/model/stored_model.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/program/build.hpp"

namespace onda {
namespace {

struct Options {
    ConfigOptions config;
    std::filesystem::path output;
    bool no_pictures = false, overwrite = false;
};

void write_model(const Model& model, const std::string& title, const Options& options) {
    std::string provenance = fmt::format("{}: {}", version_line(), model.description);
    if (!title.empty()) provenance += fmt::format(" (model of '{}')", title);
    std::vector<std::span<const float>> parameters;
    for (const ParameterValues& parameter : model.parameters) parameters.emplace_back(parameter.values);
    store_model(options.output, model.grid, model.equation, parameters, provenance, options.overwrite);
}

void report(const Model& model, const Options& options) {
    fmt::print("Wrote {}\n  model    {}\n  nodes    {}\n", shown(options.output), printable(model.description),
               shape_text(model.grid));
    for (std::size_t i = 0; i < model.parameters.size(); ++i) {
        const MediumParameter& parameter = model.equation->parameters[i];
        fmt::print("  {:<8} {:.6g} to {:.6g}{}\n", parameter.name, model.parameters[i].min, model.parameters[i].max,
                   unit_after_number(parameter));
    }
    for (const std::string& warning : model.warnings) fmt::print("  warning  {}\n", printable_lines(warning));
}

int save_model(const Options& options) {
    check_extension(options.output, "--output", "model files", {".h5", ".hdf5"});
    const Config config = read_config(options.config);
    if (config.model.type == "file" && std::filesystem::exists(options.output) &&
        std::filesystem::equivalent(config.model.file, options.output))
        throw Error(ExitCode::usage, fmt::format("{} is the model.file of the configuration; name another output",
                                                 shown(options.output)));
    const Plan plan = make_plan(config);
    refuse_large_model(plan.config, plan.setup.scheme.equation, plan.domain.grid);
    const Model model = make_model(plan.config.model, plan.setup.scheme.equation, plan.domain.grid, plan.config.origin);
    write_model(model, plan.config.title, options);
    report(model, options);
    if (options.no_pictures) return 0;
    for (const auto& picture :
         write_model_pictures(plan, model, options.output.parent_path() / options.output.stem(), options.overwrite))
        fmt::print("  picture  {}\n", shown(picture));
    return 0;
}

}  // namespace

Command add_model(CLI::App& app) {
    CLI::App* command = add_command(app, "model", "Write the model that a run would use, and draw it",
                                    "onda model configs/quickstart.yaml -o model.h5\n"
                                    "onda model survey.yaml --set grid.spacing_m=20 -o coarse.h5 --no-pictures");
    auto options = std::make_shared<Options>();
    add_config_options(*command, options->config);
    command
        ->add_option("-o,--output", options->output,
                     "The model file to write (.h5); its pictures are written beside it")
        ->type_name("FILE")
        ->required();
    command->add_flag("--no-pictures", options->no_pictures, "Draw no sections of model and survey");
    command->add_flag("--force", options->overwrite, "Overwrite the files if they exist");
    return [options] { return save_model(*options); };
}

}  // namespace onda
