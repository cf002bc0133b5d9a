// What shells and manual pages are told of the command line, made of the very options that it is parsed with.
#include <memory>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>
#include <sstream>

#include "io/text/error.hpp"
#include "io/text/exit_codes.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/commands.hpp"
#include "solver/program/build.hpp"

namespace onda {
namespace {

/// A command of the program, with the words that lead to it: "bench cpu", and nothing for the program itself.
struct CommandPath {
    std::string words;
    const CLI::App* app;
};

void list_commands(const CLI::App& app, const std::string& words, std::vector<CommandPath>& list) {
    list.push_back({words, &app});
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        list_commands(*command, words + (words.empty() ? "" : " ") + command->get_name(), list);
}

std::vector<CommandPath> list_commands(const CLI::App& program) {
    std::vector<CommandPath> list;
    list_commands(program, "", list);
    return list;
}

std::vector<const CLI::App*> commands_below(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App*) { return true; });
}

/// "--output -o": the spellings of an option; nothing for an argument.
std::vector<std::string> spellings(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    return names;
}

/// What an option or argument takes, where it is one of a list: checks of names say so as "{taylor,optimised}".
std::vector<std::string> values_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const std::size_t begin = type.find('{'), end = type.find('}', std::min(begin, type.size()));
    std::vector<std::string> values;
    if (end == std::string::npos) return values;
    std::istringstream list(type.substr(begin + 1, end - begin - 1));
    for (std::string value; std::getline(list, value, ',');) values.push_back(value);
    return values;
}

std::string joined(const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, " "));
}

/// An option of a command that takes one of a list.
struct Chosen {
    std::string command;  ///< the words that lead to it
    std::string option;   ///< a spelling of it
    std::vector<std::string> values;
};

std::vector<Chosen> list_choices(const CLI::App& program) {
    std::vector<Chosen> list;
    for (const CommandPath& path : list_commands(program))
        for (const CLI::Option* option : path.app->get_options())
            for (const std::string& name : spellings(*option))
                if (auto values = values_of(*option); !values.empty())
                    list.push_back({path.words, name, std::move(values)});
    return list;
}

/// What may stand where a command takes no option: its commands, and the values of its arguments.
std::vector<std::string> arguments_of(const CLI::App& app) {
    std::vector<std::string> words;
    for (const CLI::Option* option : app.get_options())
        if (spellings(*option).empty())
            for (const std::string& value : values_of(*option)) words.push_back(value);
    return words;
}

/// A text in single quotes, for a shell.
std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

/// The first line of a text, without a full stop.
std::string summary(std::string text) {
    text.erase(std::min(text.find('\n'), text.size()));
    while (text.ends_with('.')) text.pop_back();
    return text;
}

/// Everything that may follow the words of a command: its commands and options.
std::string words_after(const CLI::App& app) {
    std::string words;
    for (const CLI::App* command : commands_below(app)) words += " " + command->get_name();
    for (const std::string& argument : arguments_of(app)) words += " " + argument;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : spellings(*option)) words += " " + name;
    return words;
}

/// Sets `command` to the words that lead to the command, of the words typed before.
std::string path_in_shell(const CLI::App& program, const char* typed) {
    std::string patterns;
    for (const CommandPath& path : list_commands(program))
        if (!path.words.empty()) patterns += (patterns.empty() ? "" : " | ") + quoted(path.words);
    return fmt::format(
        "    for typed in {}; do\n"
        "        case \"$command${{command:+ }}$typed\" in\n"
        "            {}) command=\"$command${{command:+ }}$typed\" ;;\n"
        "        esac\n"
        "    done\n",
        typed, patterns);
}

std::string bash_completion(const CLI::App& program) {
    std::string text =
        "# bash completion of onda: source this file, or put it into the completions folder as \"onda\".\n"
        "_onda() {\n"
        "    local command='' typed words values='' current=\"${COMP_WORDS[COMP_CWORD]}\"\n"
        "    local previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
        // Bash takes the = of --option=value for a word of its own.
        "    [[ $previous == = ]] && previous=\"${COMP_WORDS[COMP_CWORD-2]}\"\n"
        "    [[ $current == = ]] && current=''\n" +
        path_in_shell(program, "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\"") + "    case \"$command\" in\n";
    for (const CommandPath& path : list_commands(program))
        text += fmt::format("        {}) words={} ;;\n", quoted(path.words), quoted(words_after(*path.app)));
    text += "    esac\n    case \"$command $previous\" in\n";
    for (const Chosen& chosen : list_choices(program))
        text += fmt::format("        {}) values={} ;;\n", quoted(chosen.command + " " + chosen.option),
                            quoted(joined(chosen.values)));
    // Where nothing is offered, -o default offers files.
    return text +
           "    esac\n"
           "    case \"$current\" in\n"
           "        -*) ;;\n"
           "        *) words=$(printf '%s\\n' $words | sed '/^-/d') ;;\n"
           "    esac\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"${values:-$words}\" -- \"$current\")\n"
           "}\n"
           "complete -o default -F _onda onda\n";
}

/// Colons part a word from its help in zsh.
std::string zsh_entry(std::string word, const std::string& help) {
    for (std::size_t at = 0; (at = word.find(':', at)) != std::string::npos; at += 2) word.insert(at, "\\");
    return " " + quoted(word + ":" + summary(help));
}

std::string zsh_completion(const CLI::App& program) {
    std::string text =
        "#compdef onda\n"
        "# zsh completion of onda: put it into a folder of $fpath as \"_onda\".\n"
        "_onda() {\n"
        "    local command='' typed\n"
        "    local -a commands options\n" +
        path_in_shell(program, "\"${(@)words[2,CURRENT-1]}\"") + "    case \"$command\" in\n";
    for (const CommandPath& path : list_commands(program)) {
        text += fmt::format("        {})\n            commands=(", quoted(path.words));
        for (const CLI::App* command : commands_below(*path.app))
            text += zsh_entry(command->get_name(), command->get_description());
        for (const std::string& argument : arguments_of(*path.app)) text += zsh_entry(argument, "");
        text += ")\n            options=(";
        for (const CLI::Option* option : path.app->get_options())
            for (const std::string& name : spellings(*option)) text += zsh_entry(name, option->get_description());
        text += ") ;;\n";
    }
    text += "    esac\n    case \"$command $words[CURRENT-1]\" in\n";
    for (const Chosen& chosen : list_choices(program))
        text += fmt::format("        {}) compadd -- {}; return ;;\n", quoted(chosen.command + " " + chosen.option),
                            joined(chosen.values));
    return text +
           "    esac\n"
           "    if [[ $words[CURRENT] == -* ]]; then\n"
           "        _describe option options\n"
           "    elif (( $#commands )); then\n"
           "        _describe command commands\n"
           "    else\n"
           "        _files\n"
           "    fi\n"
           "}\n"
           "if [[ $funcstack[1] == _onda ]]; then _onda \"$@\"; else compdef _onda onda; fi\n";
}

/// Whether the words typed so far lead to a command, as a condition of fish.
std::string fish_condition(const CommandPath& path) {
    std::string condition;
    std::istringstream words(path.words);
    for (std::string word; words >> word;)
        condition += (condition.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + word);
    std::string further;
    for (const CLI::App* command : commands_below(*path.app)) further += " " + command->get_name();
    if (condition.empty()) return "__fish_use_subcommand";
    return further.empty() ? condition : condition + "; and not __fish_seen_subcommand_from" + further;
}

std::string fish_completion(const CLI::App& program) {
    std::string text = "# fish completion of onda: put it into ~/.config/fish/completions as \"onda.fish\".\n";
    for (const CommandPath& path : list_commands(program)) {
        const std::string begin = "complete -c onda -n " + quoted(fish_condition(path));
        for (const CLI::App* command : commands_below(*path.app))
            text += fmt::format("{} -f -a {} -d {}\n", begin, command->get_name(),
                                quoted(summary(command->get_description())));
        if (const auto arguments = arguments_of(*path.app); !arguments.empty())
            text += begin + " -f -a " + quoted(joined(arguments)) + "\n";
        for (const CLI::Option* option : path.app->get_options()) {
            std::string names;
            for (const std::string& name : option->get_lnames()) names += " -l " + name;
            for (const std::string& name : option->get_snames()) names += " -s " + name;
            if (names.empty()) continue;
            const std::string values = joined(values_of(*option));
            text += begin + names + (option->get_items_expected_max() > 0 ? " -r" : "") +
                    (values.empty() ? "" : " -f -a " + quoted(values)) + " -d " +
                    quoted(summary(option->get_description())) + "\n";
        }
    }
    return text;
}

/// A text for roff: no hyphen where a minus is meant, no line that begins with a command, and lists without spaces,
/// such as those of names that an option takes, broken after a comma.
std::string roff(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) result += "\\&";
        if (c != ' ' && result.ends_with(',')) result += "\\:";
        if (c == '-') result += '\\';
        result += c == '\\' ? std::string("\\e") : c == '`' ? std::string() : std::string(1, c);
    }
    return result;
}

std::string manual_of_options(const CLI::App& app) {
    std::string text;
    for (const CLI::Option* option : app.get_options()) {
        std::string names;
        for (const std::string& name : spellings(*option)) names += (names.empty() ? "" : ", ") + name;
        const bool value = option->get_items_expected_max() > 0 && !names.empty();
        const std::string shown = names.empty() ? option->get_name() : names;
        text += ".TP\n\\fB" + roff(shown) + "\\fR" + (value ? " \\fI" + roff(option->get_type_name()) + "\\fR" : "") +
                "\n" + roff(option->get_description()) + "\n";
    }
    return text;
}

std::string manual_of_examples(const CLI::App& app) {
    if (app.get_footer().empty()) return "";
    return ".PP\nExamples:\n.PP\n.nf\n.RS\n" + roff(app.get_footer()) + "\n.RE\n.fi\n";
}

std::string manual(const CLI::App& program) {
    std::string text =
        // Left-adjusted: a line that breaks within a list has no space to widen.
        ".TH ONDA 1 \"\" \"Onda " + build().version + "\" \"User Commands\"\n.ad l\n" +
        ".SH NAME\nonda \\- acoustic wave\\-equation FDTD: seismic forward modelling in 2\\-D and 3\\-D\n"
        ".SH SYNOPSIS\n.B onda\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n"
        ".SH DESCRIPTION\n"
        "Onda simulates acoustic waves over a velocity model with finite differences: shots, recorded as seismograms "
        "and\n"
        "snapshots of the wavefield. A run is one YAML file; models and results are HDF5 files. Results go to "
        "standard\n"
        "output, messages to standard error.\n" +
        manual_of_examples(program) + ".SH OPTIONS\n" + manual_of_options(program) + ".SH COMMANDS\n";
    for (const CommandPath& path : list_commands(program))
        if (!path.words.empty())
            text += ".SS \"onda " + roff(path.words) + "\"\n" + roff(path.app->get_description()) + "\n" +
                    manual_of_options(*path.app) + manual_of_examples(*path.app);
    text += ".SH EXIT STATUS\n";
    for (const ExitCodeRow& row : kExitCodes)
        text += fmt::format(".TP\n.B {}\n{}\n", static_cast<int>(row.code), roff(std::string(row.meaning)));
    return text +
           ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nTurns colour off.\n.TP\n.B OMP_NUM_THREADS\n"
           "Threads of the processor, where neither \\-\\-threads nor the configuration says how many.\n";
}

struct Shell {
    const char* name;
    std::string (*completion)(const CLI::App& program);
};

constexpr Shell kShells[] = {{"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};

}  // namespace

Command add_completion(CLI::App& app) {
    auto* command = add_command(app, "completion", "Print the completion script of a shell",
                                "source <(onda completion bash)\n"
                                "onda completion zsh > ~/.zfunc/_onda\n"
                                "onda completion fish > ~/.config/fish/completions/onda.fish");
    const auto name = std::make_shared<std::string>();
    const auto output = std::make_shared<TextOutput>();
    std::vector<std::string> shells;
    for (const Shell& shell : kShells) shells.emplace_back(shell.name);
    command->add_option("SHELL", *name, "bash, zsh or fish")->required()->check(offered(shells));
    add_text_output(*command, *output);
    return [&app, name, output] {
        for (const Shell& shell : kShells)
            if (*name == shell.name) {
                write_text(shell.completion(app), *output);
                return static_cast<int>(ExitCode::ok);
            }
        throw Error(ExitCode::usage, "SHELL " + printable(*name) + ": must be bash, zsh or fish");
    };
}

Command add_man(CLI::App& app) {
    auto* command = add_command(app, "man", "Print the manual page",
                                "onda man | man -l -\n"
                                "onda man -o ~/.local/share/man/man1/onda.1");
    const auto output = std::make_shared<TextOutput>();
    add_text_output(*command, *output);
    return [&app, output] {
        write_text(manual(app), *output);
        return static_cast<int>(ExitCode::ok);
    };
}

}  // namespace onda
