#include <filesystem>
#include <memory>

#include "solver/commands/commands.hpp"
#include "solver/program/names.hpp"

namespace onda {

namespace {

/// The schema that the first line of the template names. One that is there already, such as that of another
/// configuration in the folder, is left as it is without --force.
void write_schema_beside(const TextOutput& configuration) {
    const auto schema = std::filesystem::path(configuration.file).replace_filename(kSchemaName);
    std::error_code unseen;
    if (!configuration.force && std::filesystem::exists(schema, unseen)) return;
    write_text(config_schema(vocabulary()), {schema.string(), configuration.force});
}

}  // namespace

Command add_init(CLI::App& app) {
    auto* command = add_command(app, "init", "Write a commented configuration to start from",
                                "onda init -o first.yaml    a file to edit, and a schema beside it for editors\n"
                                "onda init | less           the same, to read");
    const auto output = std::make_shared<TextOutput>();
    add_text_output(*command, *output);
    return [output] {
        write_text(config_template(vocabulary(), !output->file.empty()), *output);
        if (!output->file.empty()) write_schema_beside(*output);
        return 0;
    };
}

}  // namespace onda
