#include <memory>

#include "solver/commands/commands.hpp"
#include "solver/program/names.hpp"

namespace onda {

Command add_init(CLI::App& app) {
    auto* command = add_command(app, "init", "Write a commented configuration to start from",
                                "onda init -o first.yaml    a file to edit; `onda run first.yaml` runs it\n"
                                "onda init | less           the same, to read");
    const auto output = std::make_shared<TextOutput>();
    add_text_output(*command, *output);
    return [output] {
        write_text(config_template(vocabulary()), *output);
        return 0;
    };
}

}  // namespace onda
