#include "solver/commands/bench_table.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <spdlog/fmt/fmt.h>
#include <sstream>

#include "io/text/error.hpp"
#include "solver/discretisation/boundary.hpp"
#include "solver/model/random_numbers.hpp"
#include "solver/plan/forecast.hpp"
#include "solver/program/build.hpp"

namespace onda {
namespace {

/// Gpt/s of every round, sorted: half are faster than the middle one.
struct Rates {
    std::vector<double> sorted;
    explicit Rates(std::vector<double> rates) : sorted(std::move(rates)) { std::sort(sorted.begin(), sorted.end()); }
    [[nodiscard]] double median() const { return sorted[sorted.size() / 2]; }
};

struct Row {
    const BenchCase& timed;
    Rates gpts, twin_gpts, ratio;
};

/// A wavefield with a random medium (1500 m/s to kBenchFastest_m_s, 1500 to 2500 kg/m3) and a random field, warm, and
/// the number of steps that make a round. The values matter: constant data draws less power, and a denormal costs more.
class Contender {
public:
    Contender(const Device& device, const Setup& setup, std::span<const double> field)
        : points_(static_cast<double>(setup.grid.points())) {
        const Grid& grid = setup.grid;
        const auto random = [&](double mean, double spread) -> RowReader {
            return [&grid, field, mean, spread](std::int64_t y, std::int64_t z, std::span<float> row) {
                for (std::int64_t x = 0; x < grid.nx(); ++x)
                    row[x] = static_cast<float>(mean + spread * field[grid.at(x, y, z)]);
            };
        };
        MediumReaders readers{random(0.75 * kBenchFastest_m_s, 0.5 * kBenchFastest_m_s)};
        while (readers.size() < setup.scheme.equation->parameters.size()) readers.push_back(random(2000., 1000.));
        wavefield_ = make_wavefield(device, setup, readers, bench_time_step_s(setup));
        wavefield_->upload(field, field);
        wavefield_->advance(0, 1);
        constexpr double least_s = 0.01;
        for (double seconds = round_s(); seconds < least_s; seconds = round_s())
            steps_ *= std::clamp<std::int64_t>(static_cast<std::int64_t>(1.2 * least_s / seconds) + 1, 2, 1000);
    }

    /// One round: Gpt/s.
    double measure() { return 1e-9 * points_ * static_cast<double>(steps_) / round_s(); }
    [[nodiscard]] std::string description() const { return wavefield_->medium().description(); }

private:
    double round_s() {
        const auto start = std::chrono::steady_clock::now();
        wavefield_->advance(0, steps_);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    std::unique_ptr<Wavefield> wavefield_;
    double points_;
    std::int64_t steps_ = 1;
};

/// A case and its rival take turns, so that whatever else the machine does meets both.
Row measure(const BenchPlan& plan, const BenchCase& timed, Contender& twin, std::span<const double> field) {
    Contender kernel(*plan.device, timed.setup, field);
    std::vector<double> gpts, twin_gpts, ratio;
    for (int round = 0; round < plan.rounds; ++round) {
        twin_gpts.push_back(twin.measure());
        gpts.push_back(kernel.measure());
        ratio.push_back(gpts.back() / twin_gpts.back());
    }
    return {timed, Rates(gpts), Rates(twin_gpts), Rates(ratio)};
}

/// The traffic that no kernel of one step at a time can avoid: both levels and the arrays of the medium are read, one
/// level is written.
double bytes_per_point(const BenchPlan& plan) {
    return static_cast<double>((3 + plan.twin.scheme.equation->arrays.size()) * plan.twin.element_bytes());
}

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
    text += fmt::format(" {:8.3f} {:9.3f} … {:<9.3f} {:8.3f} {:7.3f} {:8.1f}", row.gpts.median(),
                        row.gpts.sorted.front(), row.gpts.sorted.back(), row.twin_gpts.median(), row.ratio.median(),
                        row.gpts.median() * bytes_per_point(plan));
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
        text << ',' << row.gpts.median() << ',' << row.gpts.sorted.front() << ',' << row.gpts.sorted.back() << ','
             << row.twin_gpts.median() << ',' << row.ratio.median();
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

}  // namespace

double bench_time_step_s(const Setup& setup) {
    if (setup.kernel == "twin") return 1e-4 / kBenchFastest_m_s;
    return 0.5 * setup.scheme.stability_limit_s(setup.grid.derivative_spacings_m(), kBenchFastest_m_s);
}

void put_on_every_face(Setup& setup, const std::string& boundary) {
    BoundaryConfig b;
    b.x_min = b.x_max = b.y_min = b.y_max = b.z_min = b.z_max = boundary;
    const Boundary made =
        make_boundary(b, setup.grid, {setup.scheme, kBenchFastest_m_s, bench_time_step_s(setup), 20.}, {});
    setup.halos = made.halos;
    setup.strips = made.strips;
}

std::string run_bench(const BenchPlan& plan) {
    refuse_if_too_large(plan);
    const Grid& grid = plan.twin.grid;
    std::vector<double> field(grid.points());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < grid.points(); ++i)
        field[i] = RandomStream(1, static_cast<std::uint64_t>(i)).uniform(-0.5, 0.5);
    const bool against_twin = std::ranges::any_of(plan.cases, [](const BenchCase& c) { return !c.bare; });
    const auto twin = against_twin ? std::make_unique<Contender>(*plan.device, plan.twin, field) : nullptr;
    const std::string rival =
        !against_twin
            ? "the bare kernel in the same round"
            : fmt::format("{}; the twin reads p[n], p[n-1], k{} and writes p[n+1], without neighbours",
                          twin->description(), has_parameter(plan.twin.scheme.equation, "rho") ? ", rho" : "");
    std::cout << shape_text(grid) << " nodes, " << plan.rounds << " rounds, " << rival << "\n"
              << heading(plan) << std::endl;
    std::vector<Row> rows;
    for (const BenchCase& timed : plan.cases) {
        if (timed.bare) {
            Contender bare(*plan.device, *timed.bare, field);
            rows.push_back(measure(plan, timed, bare, field));
        } else {
            rows.push_back(measure(plan, timed, *twin, field));
        }
        std::cout << text_of(plan, rows.back()) << std::endl;
    }
    return csv_of(plan, rows);
}

}  // namespace onda
