#include <iostream>
#include <memory>

#include "io/files/interruption.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/commands.hpp"
#include "solver/outputs/report_output.hpp"
#include "solver/run/report_of_run.hpp"

namespace onda {
namespace {

struct ReportArguments {
    std::filesystem::path folder, page;
    bool force = false;
};

int report(const ReportArguments& arguments) {
    if (!std::filesystem::is_directory(arguments.folder))
        throw Error(ExitCode::missing_input,
                    shown(arguments.folder) + (std::filesystem::exists(arguments.folder)
                                                   ? " is not a folder: name the one that onda run wrote"
                                                   : ": no such folder: name the one that onda run wrote"));
    const auto page = arguments.page.empty() ? arguments.folder / kReportName : arguments.page;
    if (!arguments.force && std::filesystem::exists(page))
        throw Error(ExitCode::cannot_create,
                    shown(page) + " exists already; write elsewhere with --output, or replace it with --force");
    check_extension(page, "--output", "reports", {".html", ".htm"});
    notice_signals();
    commit_listed(arguments.folder, stage_report_of_run(arguments.folder, page, arguments.force));
    std::cout << shown(page) << '\n';
    return static_cast<int>(ExitCode::ok);
}

}  // namespace

Command add_report(CLI::App& app) {
    CLI::App* command = add_command(app, "report", "Write one HTML page that shows a finished run",
                                    "onda report results/quickstart\n"
                                    "onda report results/survey -o survey.html --force");
    const auto arguments = std::make_shared<ReportArguments>();
    command->add_option("RUN_DIR", arguments->folder, "The folder of the run")->required();
    command->add_option("-o,--output", arguments->page, "The page to write (default: RUN_DIR/report.html)")
        ->type_name("FILE");
    command->add_flag("--force", arguments->force, "Replace the page if it exists");
    return [arguments] { return report(*arguments); };
}

}  // namespace onda
