#include <memory>

#include "solver/commands/commands.hpp"
#include "solver/plan/names.hpp"

namespace onda {

Command add_schema(CLI::App& app) {
    auto* command = add_command(app, "schema", "Print the JSON Schema (draft-07) of configurations",
                                "onda schema -o onda.schema.json    completion and help for editors\n"
                                "onda schema --docs                 the reference of all parameters, as Markdown");
    const auto output = std::make_shared<TextOutput>();
    const auto docs = std::make_shared<bool>(false);
    command->add_flag("--docs", *docs, "Print the reference in Markdown instead of the schema");
    add_text_output(*command, *output);
    return [output, docs] {
        write_text(*docs ? config_reference_markdown(vocabulary()) : config_schema(vocabulary()), *output);
        return 0;
    };
}

}  // namespace onda
