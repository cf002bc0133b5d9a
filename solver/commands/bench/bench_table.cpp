#include "solver/commands/bench/bench_table.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <spdlog/fmt/fmt.h>
#include <sstream>

#include "io/text/bytes_text.hpp"
#include "io/text/error.hpp"
#include "solver/discretisation/grid.hpp"
#include "solver/performance/measurement.hpp"
#include "solver/performance/roofline.hpp"
#include "solver/program/build.hpp"

namespace onda {
namespace {

struct Row {
    const BenchCase& timed;
    Match match;
};

std::string heading(const BenchPlan& plan) {
    std::string text = fmt::format("{:<19} {:>5}", "kernel", "order");
    for (const BenchColumn& column : plan.label_columns) text += fmt::format(" {:>{}}", column.heading, column.width);
    text += fmt::format(" {:>8} {:>9} … {:<9} {:>8} {:>7} {:>8}", "Gpt/s", "(min", "max)", plan.rival, "ratio", "GB/s");
    for (const BenchColumn& column : plan.remark_columns) text += fmt::format(" {:>{}}", column.heading, column.width);
    return text;
}

std::string text_of(const BenchPlan& plan, const Row& row) {
    std::string text = fmt::format("{:<19} {:>5}", row.timed.setup.kernel, row.timed.setup.scheme.space_order);
    for (std::size_t i = 0; i < plan.label_columns.size(); ++i)
        text += fmt::format(" {:>{}}", row.timed.labels[i], plan.label_columns[i].width);
    text += fmt::format(" {:8.3f} {:9.3f} … {:<9.3f} {:8.3f} {:7.3f} {:8.1f}", row.match.gpts.median(),
                        row.match.gpts.min(), row.match.gpts.max(), row.match.rival_gpts.median(),
                        row.match.ratio.median(), row.match.gpts.median() * bytes_per_point(row.timed.setup));
    for (std::size_t i = 0; i < plan.remark_columns.size(); ++i)
        text += fmt::format(" {:>{}}", row.timed.remarks[i], plan.remark_columns[i].width);
    return text;
}

std::string csv_of(const BenchPlan& plan, const std::vector<Row>& rows) {
    std::ostringstream text;
    text << "kernel,space_order";
    for (const BenchColumn& column : plan.label_columns) text << ',' << column.csv_name;
    text << ",gpts_median,gpts_min,gpts_max," << plan.rival << "_gpts_median,ratio_median";
    for (const BenchColumn& column : plan.remark_columns) text << ',' << column.csv_name;
    text << '\n';
    for (const Row& row : rows) {
        text << row.timed.setup.kernel << ',' << row.timed.setup.scheme.space_order;
        for (const std::string& cell : row.timed.labels) text << ',' << cell;
        text << ',' << row.match.gpts.median() << ',' << row.match.gpts.min() << ',' << row.match.gpts.max() << ','
             << row.match.rival_gpts.median() << ',' << row.match.ratio.median();
        for (const std::string& cell : row.timed.remarks) text << ',' << cell;
        text << '\n';
    }
    return text.str();
}

/// A case and its rival are on the device at a time; the field stays in the host's memory.
void refuse_if_too_large(const BenchPlan& plan) {
    std::int64_t on_device = 0;
    for (const BenchCase& timed : plan.cases)
        on_device = std::max(on_device, plan.device->predicted_bytes(timed.setup, 1) +
                                            plan.device->predicted_bytes(timed.bare.value_or(plan.twin), 1));
    const std::int64_t field = plan.twin.grid.points() * static_cast<std::int64_t>(sizeof(double));
    const auto refuse = [](const char* whose, std::int64_t needed, std::int64_t available) {
        if (needed > available)
            throw Error(ExitCode::out_of_memory,
                        fmt::format("the benchmark needs {} of {} memory and {} are available\n"
                                    "  take a smaller grid with --shape",
                                    bytes_text(needed), whose, bytes_text(available)));
    };
    if (plan.device->has_own_memory()) refuse("GPU", on_device, plan.device->available_bytes(plan.twin.ordinal));
    refuse("the host's", field + (plan.device->has_own_memory() ? 0 : on_device), available_memory_bytes());
}

std::string rival_text(const BenchPlan& plan, const Contender* twin) {
    if (twin == nullptr) return "the bare kernel in the same round";
    std::vector<std::string> read, written;
    const EquationRow& equation = *plan.twin.scheme.equation;
    for (const std::string_view field : equation.fields) {
        read.insert(read.end(), {fmt::format("{}[n]", field), fmt::format("{}[n-1]", field)});
        written.push_back(fmt::format("{}[n+1]", field));
    }
    for (const MediumArray& array : equation.arrays) read.emplace_back(array.name);
    for (auto* const list : {&read, &written})
        list->insert(list->end(), equation.memory.begin(), equation.memory.end());
    return fmt::format("{}; the twin reads {} and writes {}, without neighbours", twin->description(),
                       fmt::join(read, ", "), fmt::join(written, ", "));
}

BenchRow report_of(const BenchPlan& plan, const Row& row) {
    BenchRow result;
    result.problem = problem_json(row.timed.setup, plan.boundary);
    result.kernel = kernel_json(*plan.device, row.timed.setup);
    result.rounds = row.match.gpts;
    result.rival = plan.rival;
    result.rival_rounds = row.match.rival_gpts;
    result.facts = work_json(row.timed.setup);
    result.facts["steps_per_round"] = row.match.steps;
    for (std::size_t i = 0; i < plan.remark_columns.size(); ++i)
        result.facts[plan.remark_columns[i].csv_name] = std::stoll(row.timed.remarks[i]);
    return result;
}

}  // namespace

void run_bench(const BenchPlan& plan, const BenchOutput& output) {
    refuse_if_too_large(plan);
    check_writable(output);
    check_writable(plan.roofline, output.force);
    BenchReport report =
        begin_bench_report(plan.device->has_own_memory() ? "gpu" : "cpu", plan.device, plan.twin.ordinal);
    ConditionsWatch watch(*plan.device, plan.twin.ordinal);
    const std::vector<double> field = random_field(plan.twin.grid.points());
    const bool against_twin = std::ranges::any_of(plan.cases, [](const BenchCase& c) { return !c.bare; });
    const auto twin = against_twin ? std::make_unique<Contender>(*plan.device, plan.twin, field) : nullptr;
    std::ostream& out = output.table();
    out << circumstances(report) << '\n'
        << shape_text(plan.twin.grid) << " nodes, " << plan.rounds << " rounds, " << rival_text(plan, twin.get())
        << '\n'
        << heading(plan) << std::endl;
    std::vector<Row> rows;
    for (const BenchCase& timed : plan.cases) {
        const auto bare = timed.bare ? std::make_unique<Contender>(*plan.device, *timed.bare, field) : nullptr;
        Contender kernel(*plan.device, timed.setup, field);
        rows.push_back({timed, take_turns(kernel, bare ? *bare : *twin, plan.rounds, [&watch] { watch.look(); })});
        report.rows.push_back(report_of(plan, rows.back()));
        out << text_of(plan, rows.back()) << std::endl;
    }
    const Conditions conditions = watch.conditions();
    if (!output.json.empty() || !plan.roofline.empty())
        add_peak(report, *plan.device, plan.cases.front().setup, conditions);
    finish_bench(output, report, conditions, csv_of(plan, rows));
    if (!plan.roofline.empty()) write_picture(plan.roofline, roofline_picture(report), output.force);
}

}  // namespace onda
