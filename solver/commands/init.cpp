#include <filesystem>
#include <memory>
#include <spdlog/fmt/fmt.h>

#include "io/config/config_template.hpp"
#include "io/models/foreign_model.hpp"
#include "io/text/error.hpp"
#include "io/text/nearest_name.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/commands.hpp"
#include "solver/commands/init_templates.hpp"
#include "solver/plan/names.hpp"

namespace onda {

namespace {

constexpr const char* init_examples =
    "onda init -o first.yaml                     a file to edit, and a schema beside it for editors\n"
    "onda init --list                            the templates there are\n"
    "onda init --template streamer -o line.yaml  a marine line\n"
    "onda init --like marmousi.h5 -o shot.yaml   a first shot over a model of your own\n"
    "onda init --like old.yaml | less            another configuration, with comments and all other keys";

struct InitArguments {
    TextOutput output;
    std::string from_template, like;
    bool list = false;
};

/// The schema that the first line of the template names. One that is there already, such as that of another
/// configuration in the folder, is left as it is without --force.
void write_schema_beside(const TextOutput& configuration) {
    const auto schema = std::filesystem::path(configuration.file).replace_filename(kSchemaName);
    std::error_code unseen;
    if (!configuration.force && std::filesystem::exists(schema, unseen)) return;
    write_text(config_schema(vocabulary()), {schema.string(), configuration.force});
}

const InitTemplate& find_template(const std::string& name) {
    std::vector<std::string> names;
    for (const InitTemplate& row : init_templates()) {
        if (row.name == name) return row;
        names.emplace_back(row.name);
    }
    const auto nearest = nearest_name(name, names);
    throw Error(ExitCode::usage,
                fmt::format("--template {}: there is no such template; there are {}{}", printable(name),
                            fmt::join(names, ", "), nearest ? "; did you mean " + *nearest + "?" : std::string()));
}

std::string text_of_template(const InitTemplate& row, bool names_schema) {
    if (row.yaml.empty()) return config_template(vocabulary(), names_schema);
    const std::string name(row.name);
    return config_like(read_config_text(std::string(row.yaml), name, vocabulary()),
                       "Template " + name + ": " + std::string(row.help) + ".", vocabulary(), names_schema);
}

bool is_model(const std::filesystem::path& file) {
    const std::string extension = file.extension().string();
    return extension == ".h5" || extension == ".hdf5";
}

std::string text_like(const std::string& like, bool names_schema) {
    refuse_foreign_model(like);
    const Config config =
        is_model(like) ? config_for_model(like) : read_config(std::filesystem::path(like), vocabulary());
    return config_like(config, is_model(like) ? "A first shot over " + shown(like) + "." : "Like " + shown(like) + ".",
                       vocabulary(), names_schema);
}

std::string menu() {
    std::string text;
    for (const InitTemplate& row : init_templates()) text += fmt::format("{:<12}{}\n", row.name, row.help);
    return text;
}

int init(const InitArguments& arguments) {
    const bool names_schema = !arguments.output.file.empty() && !arguments.list;
    write_text(arguments.list            ? menu()
               : !arguments.like.empty() ? text_like(arguments.like, names_schema)
                                         : text_of_template(find_template(arguments.from_template), names_schema),
               arguments.output);
    if (names_schema) write_schema_beside(arguments.output);
    return static_cast<int>(ExitCode::ok);
}

}  // namespace

Command add_init(CLI::App& app) {
    auto* command = add_command(app, "init", "Write a commented configuration to start from", init_examples);
    const auto arguments = std::make_shared<InitArguments>();
    arguments->from_template = init_templates().front().name;
    auto* list = command->add_flag("--list", arguments->list, "List the templates");
    std::vector<std::string> templates;
    for (const InitTemplate& row : init_templates()) templates.emplace_back(row.name);
    auto* from_template = command->add_option("--template", arguments->from_template, "Template to begin with")
                              ->type_name("NAME")
                              ->check(offered(templates))
                              ->capture_default_str()
                              ->excludes(list);
    command
        ->add_option("--like", arguments->like, "Begin with this configuration, or with a shot over this model (.h5)")
        ->type_name("FILE")
        ->excludes(list)
        ->excludes(from_template);
    add_text_output(*command, arguments->output);
    return [arguments] { return init(*arguments); };
}

}  // namespace onda
