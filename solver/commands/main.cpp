// The command line: one subcommand, one function call.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <malloc.h>
#include <new>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "io/files/interruption.hpp"
#include "io/files/library_crash.hpp"
#include "io/text/nearest_name.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/commands.hpp"
#include "solver/commands/compare.hpp"
#include "solver/commands/numbers.hpp"
#include "solver/program/build.hpp"
#include "solver/program/failure.hpp"
#include "solver/program/log.hpp"
#include "solver/ranks/ranks.hpp"

namespace {

using namespace onda;

/// Prints an application's footer, its examples, before everything else.
class ExamplesFirst : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        if (mode == CLI::AppFormatMode::Sub) return CLI::Formatter::make_help(app, name, mode);
        std::ostringstream out;
        out << "Examples:\n";
        std::istringstream examples(app->get_footer());
        for (std::string line; std::getline(examples, line);)
            if (const auto begin = line.find_first_not_of(" "); begin != std::string::npos)
                out << "  " << line.substr(begin) << '\n';
        out << '\n' << CLI::Formatter::make_help(app, name, mode);
        return out.str();
    }
    std::string make_footer(const CLI::App*) const override { return {}; }
};

/// Before any library starts, so that no allocation of theirs or of static objects can fail unreported.
__attribute__((section(".preinit_array"), used)) void (*const first_of_all)(int, char**, char**) =
    [](int, char**, char**) { report_what_nobody_catches(); };

void report_error(const std::string& message) {
    const std::string clean = printable_lines(message);
    const bool colour = stderr_is_terminal() && !colour_refused();
    std::cerr << (colour ? "\033[1;31merror:\033[0m " : "error: ") << rank_prefix() << clean << '\n';
}

/// \return the exit code of the exception that is being handled.
int report_failure() {
    try {
        const Failure failure = describe_failure(std::current_exception());
        report_error(failure.message);
        return static_cast<int>(failure.code);
    } catch (const std::bad_alloc&) {
        end_out_of_memory();
    }
}

std::vector<std::string> names_known_to(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

/// What other programs call options: a name, the option that it is here, and the whole of what to write.
struct ForeignOption {
    std::string_view name, option, written;
};
constexpr ForeignOption kForeignOptions[] = {
    {"--gpu", "--set", "--set backend.name=cuda"}, {"--cuda", "--set", "--set backend.name=cuda"},
    {"--cpu", "--set", "--set backend.name=cpu"},  {"-j", "--threads", "--threads"},
    {"--jobs", "--threads", "--threads"},          {"--nthreads", "--threads", "--threads"}};

/// What an unknown argument probably means: the option of other programs, the one name that it begins, the nearest one.
std::optional<std::string> meant_by(std::string argument, const std::vector<std::string>& names) {
    argument = argument.substr(0, argument.find('='));
    if (argument.starts_with("-j") && argument.find_first_not_of("0123456789", 2) == std::string::npos) argument = "-j";
    for (const ForeignOption& foreign : kForeignOptions)
        if (argument == foreign.name && std::ranges::find(names, foreign.option) != names.end())
            return std::string(foreign.written);
    const auto is_begun = [&](const std::string& name) { return argument.size() > 3 && name.starts_with(argument); };
    if (std::ranges::count_if(names, is_begun) == 1) return *std::ranges::find_if(names, is_begun);
    return nearest_name(argument, names);
}

/// CLI11's own words, or better ones if an argument nobody expected explains the error.
int report_usage(const CLI::App& app, const CLI::ParseError& error) {
    const CLI::App* command = &app;
    std::string path = app.get_name();
    while (!command->get_subcommands().empty()) {
        command = command->get_subcommands().front();
        path += " " + command->get_name();
    }
    std::string message = printable(error.what());
    const std::vector<std::string> unexpected = app.remaining(true);
    if (!unexpected.empty()) {
        const bool option = unexpected.front().starts_with('-');
        const bool wants_command = !command->get_subcommands([](const CLI::App*) { return true; }).empty();
        message = std::string(option          ? "unknown option '"
                              : wants_command ? "unknown command '"
                                              : "unexpected argument '") +
                  printable(unexpected.front()) + "'";
        if (const auto name = meant_by(unexpected.front(), names_known_to(*command)))
            message += "; did you mean '" + *name + "'?";
    }
    report_error(message + "\n  `" + path + " --help` lists what there is");
    return static_cast<int>(ExitCode::usage);
}

struct CommandRow {
    std::string_view name;
    AddCommand add;
    bool tells_of_all = false;  ///< whether its result has the options of the others
};

constexpr std::array<CommandRow, 23> kCommands{{{"run", add_run},
                                                {"gradient", add_gradient},
                                                {"rtm", add_rtm},
                                                {"lsrtm", add_lsrtm},
                                                {"fwi", add_fwi},
                                                {"check", add_check},
                                                {"tune", add_tune},
                                                {"predict", add_predict},
                                                {"model", add_model},
                                                {"init", add_init},
                                                {"schema", add_schema},
                                                {"convert", add_convert},
                                                {"plot", add_plot},
                                                {"data", add_data},
                                                {"export", add_export},
                                                {"report", add_report},
                                                {"verify", add_verify},
                                                {"compare", add_compare},
                                                {"dispersion", add_dispersion},
                                                {"bench", add_bench},
                                                {"info", add_info},
                                                {"completion", add_completion, true},
                                                {"man", add_man, true}}};

/// The commands that are added for a command line: the one that it begins with, since the options of all would take a
/// fifth of the time in which the program starts; all of them, for help and suggestions, where it begins with none.
std::vector<AddCommand> commands_for(int argc, char** argv) {
    std::vector<AddCommand> all;
    for (const CommandRow& row : kCommands) {
        if (argc > 1 && row.name == argv[1] && !row.tells_of_all) return {row.add};
        all.push_back(row.add);
    }
    return all;
}

int run(int argc, char** argv) {
    CLI::App app("Onda: acoustic wave-equation FDTD", "onda");
    app.formatter(std::make_shared<ExamplesFirst>());
    app.footer("onda init > first.yaml\nonda run first.yaml");
    app.set_version_flag("--version", version_line(), "Print the version and exit");

    const Command chosen = add_commands(app, commands_for(argc, argv));
    check_numbers(app);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {
        return app.exit(success);  // --help and --version: text on stdout
    } catch (const CLI::ParseError& error) {
        return report_usage(app, error);
    }
    return chosen();
}

}  // namespace

int main(int argc, char** argv) {
    // Large buffers go back to the system when they are freed: memory is what `onda check` says it is.
    mallopt(M_MMAP_THRESHOLD, 1 << 18);
    const ExitOfLibraries libraries;
    // A file size limit must come back as a failed write, which is reported, and not kill the program.
    std::signal(SIGXFSZ, SIG_IGN);
    // Inherited as ignored, it would hide how the process that reads a foreign file has ended.
    std::signal(SIGCHLD, SIG_DFL);
    watch_signals();
    watch_crashes_of_libraries();
    try {
        const int code = run(argc, argv);
        if (!std::cout.flush() || std::fflush(stdout) != 0 || std::ferror(stdout)) {
            throw_if_interrupted();  // SIGPIPE: nobody reads any more
            throw Error(ExitCode::io_error, "cannot write to standard output");
        }
        leave_ranks(code);
        return code;
    } catch (const Interrupted& interrupted) {
        // Launchers send signals to all ranks, and end all where one dies of a signal.
        if (!is_told_by_first_rank())
            report_error(std::string("interrupted (") + strsignal(interrupted.signal) +
                         "); nothing was left half written");
        die_of(interrupted.signal);
    } catch (const ToldByFirstRank& told) {
        leave_ranks(static_cast<int>(told.code));
        return static_cast<int>(told.code);
    } catch (...) {
        const int code = report_failure();
        leave_ranks(code);
        return code;
    }
}
