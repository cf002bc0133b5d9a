#include "solver/verify/verify.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>
#include <stdexcept>
#include <string_view>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/commands.hpp"
#include "solver/program/json_text.hpp"
#include "solver/program/threads.hpp"
#include "solver/propagation/devices.hpp"

namespace onda {
namespace {

constexpr const char* kExamples =
    "onda verify                        # every test, some minutes\n"
    "onda verify --quick --filter R3    # the fast rows whose name contains R3\n"
    "onda verify --group adjoint        # adjoint runs, gradients, Born fields\n"
    "onda verify --backend cuda         # the same tests, computed on the GPU";

struct Arguments {
    VerifyOptions options;
    std::string filter, group;
    bool quick = false, list = false, json = false, markdown = false;
};

/// A row that was chosen and, unless it was only to be listed, measured.
struct Row {
    const PromiseGroup& group;
    const Promise& promise;
    Verdict verdict;
};

std::string number(double value, const std::string& unit) {
    char text[32];
    std::snprintf(text, sizeof text, unit.empty() ? "%.3g" : "%.1f", value);
    return unit.empty() ? text : text + (" " + unit);
}

std::string limit(const Row& row) {
    return number(row.promise.limit, row.group.unit);
}

std::string measured(const Row& row) {
    return row.verdict.is_measured ? number(row.verdict.measured.value, row.group.unit) : "";
}

/// One way to print: before all rows, at the head of each group, and after each row.
struct Format {
    void (*begin)();
    void (*group)(const PromiseGroup&);
    void (*row)(const Row&);
    void (*end)(int rows, int broken);
};

const char* outcome_of(const Row& row) {
    if (!row.verdict.is_measured) return "skip";
    return row.verdict.kept ? "pass" : "FAIL";
}

const Format kTable{
    [] {},
    [](const PromiseGroup& group) {
        std::printf("\n%s  %s: %s\n", group.id.c_str(), group.title.c_str(), group.quantity.c_str());
        std::printf("    %-86s %10s %10s\n", "test", "measured", "limit");
    },
    [](const Row& row) {
        std::printf("    %-86s %10s %10s  %s%s%s\n", row.promise.name.c_str(), measured(row).c_str(),
                    limit(row).c_str(), outcome_of(row), row.verdict.measured.detail.empty() ? "" : "  ",
                    row.verdict.measured.detail.c_str());
    },
    [](int rows, int broken) {
        std::printf("\n%d of %d tests passed%s\n", rows - broken, rows, broken == 0 ? "" : ": VERIFICATION FAILED");
    },
};

const Format kList{
    [] {},
    [](const PromiseGroup& group) { std::printf("%s  %s\n", group.id.c_str(), group.title.c_str()); },
    [](const Row& row) {
        std::printf("    %-86s %10s%s\n", row.promise.name.c_str(), limit(row).c_str(),
                    row.promise.quick ? "  quick" : "");
    },
    [](int, int) {},
};

const Format kMarkdown{
    [] {
        std::printf(
            "# Validation\n\n"
            "The accuracy that Onda guarantees: its tests, how each is measured, and what was "
            "measured.\nThis page is the output of `onda verify --markdown`; the tests check the same rows.\n"
            "All kernels except thesis-… (CUDA), which agree to within rounding, give bit-identical results on every "
            "machine;\nonly the mathematical library of the system, which computes the wavelets and the exact "
            "solutions, can change the\nlast digits.\n");
    },
    [](const PromiseGroup& group) {
        std::printf("\n## %s. %s\n\n%s\n\n", group.id.c_str(), group.title.c_str(), group.method.c_str());
        std::printf("| test | %s | limit | |\n|---|---:|---:|---|\n", group.quantity.c_str());
    },
    [](const Row& row) {
        std::printf("| %s | %s | %s | %s |\n", row.promise.name.c_str(), measured(row).c_str(), limit(row).c_str(),
                    row.verdict.kept || !row.verdict.is_measured ? row.verdict.measured.detail.c_str() : "**failed**");
    },
    [](int, int) {},
};

/// Whether a group has this id ("R3"), or has the text, in upper or lower case, in its title.
bool is_called(const PromiseGroup& group, std::string_view name) {
    const auto alike = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
    const std::string& title = group.title;
    return std::ranges::equal(group.id, name, alike) ||
           std::search(title.begin(), title.end(), name.begin(), name.end(), alike) != title.end();
}

/// Visits every chosen row, and each group before the first of its rows.
template <typename GroupVisitor, typename RowVisitor>
void for_chosen(const Arguments& arguments, const std::vector<PromiseGroup>& table, GroupVisitor on_group,
                RowVisitor on_row) {
    for (const PromiseGroup& group : table) {
        if (!arguments.group.empty() && !is_called(group, arguments.group)) continue;
        bool first = true;
        for (const Promise& promise : group.promises) {
            const std::string full_name = group.id + " " + group.title + ": " + promise.name;
            if (arguments.quick && !promise.quick) continue;
            if (full_name.find(arguments.filter) == std::string::npos) continue;
            if (first) on_group(group);
            first = false;
            on_row(group, promise);
        }
    }
}

nlohmann::json to_json(const Row& row) {
    const Measurement& m = row.verdict.measured;
    return {{"group", row.group.id},
            {"title", row.group.title},
            {"promise", row.promise.name},
            {"quantity", row.group.quantity},
            {"unit", row.group.unit},
            {"measured", m.value},
            {"limit", row.promise.limit},
            {"kept", row.verdict.kept},
            {"detail", m.detail},
            {"skipped", !row.verdict.is_measured},
            {"seconds", row.verdict.seconds}};
}

int verify(const Arguments& arguments) {
    const auto table = verification_table();
    const Format& format = arguments.list ? kList : arguments.markdown ? kMarkdown : kTable;
    auto json = nlohmann::json::array();
    int rows = 0, broken = 0, skipped = 0;
    if (!arguments.json) format.begin();
    const auto on_group = [&](const PromiseGroup& group) {
        if (!arguments.json) format.group(group);
    };
    for_chosen(arguments, table, on_group, [&](const PromiseGroup& group, const Promise& promise) {
        Row row{group, promise, {}};
        if (!arguments.list) row.verdict = check_promise(promise, arguments.options);
        ++rows;
        if (!row.verdict.is_measured) ++skipped;
        if (!row.verdict.kept && row.verdict.is_measured) ++broken;
        arguments.json ? json.push_back(to_json(row)) : format.row(row);
        std::fflush(stdout);
    });
    if (rows == 0)
        throw Error(ExitCode::usage,
                    arguments.group.empty()
                        ? fmt::format("no test matches --filter '{}'; onda verify --list shows them all",
                                      printable(arguments.filter))
                        : fmt::format("no test matches --group '{}' and --filter '{}'; onda verify --list shows the "
                                      "groups and their tests",
                                      printable(arguments.group), printable(arguments.filter)));
    if (arguments.json)
        std::printf("%s\n", json_text(json).c_str());
    else
        format.end(rows - skipped, broken);
    return int(arguments.list || broken == 0 ? ExitCode::ok : ExitCode::verify_failed);
}

}  // namespace

Command add_verify(CLI::App& app) {
    CLI::App* command =
        add_command(app, "verify", "Measure the numerics against analytic solutions and print a table", kExamples);
    const auto arguments = std::make_shared<Arguments>();
    command->add_flag("--quick", arguments->quick, "Only the rows that take a few seconds in all");
    command->add_option("--filter", arguments->filter, "Only rows whose group or name contains this, e.g. R3 or float");
    command->add_option("--group", arguments->group,
                        "Only the groups of this id, or with this in their title, e.g. adjoint");
    auto* list = command->add_flag("--list", arguments->list, "Name the tests and their limits without measuring");
    std::vector<std::string> backends;
    for (const Device& device : devices()) backends.emplace_back(device.name);
    command->add_option("--backend", arguments->options.backend, "Device to verify (onda info lists them)")
        ->check(offered(backends))
        ->capture_default_str();
    command->add_option("--kernel", arguments->options.kernel, "Kernel to verify (onda info lists them)")
        ->capture_default_str();
    command->add_option("--isa", arguments->options.isa, "Instruction set to verify")->capture_default_str();
    command->add_option("--stepping", arguments->options.stepping, "Time steps to verify: single ones, or leaps")
        ->check(offered({"single", "leap"}))
        ->capture_default_str();
    command->add_option("--threads", arguments->options.threads, "Threads; 0 takes all")
        ->check(CLI::Range(0, kMostThreads))
        ->capture_default_str();
    auto* json = command->add_flag("--json", arguments->json, "Print the results as JSON")->excludes(list);
    command->add_flag("--markdown", arguments->markdown, "Print docs/validation.md")->excludes(json)->excludes(list);
    return [arguments] {
        try {
            // The messages of kernels/ quote these as they are.
            for (std::string* name : {&arguments->options.backend, &arguments->options.kernel, &arguments->options.isa})
                *name = printable(*name);
            check_options(arguments->options);
            if (!arguments->list) check_threads(arguments->options.threads, "--threads");
            return verify(*arguments);
        } catch (const std::invalid_argument& fault) {  // a device, kernel or instruction set that does not exist here
            throw Error(ExitCode::usage, fault.what());
        }
    };
}

}  // namespace onda
