#include "solver/performance/thesis/sweep_measurement.hpp"

#include <algorithm>
#include <set>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/text/bytes_text.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/performance/measurement.hpp"
#include "solver/program/build.hpp"

namespace onda {
namespace {

/// A step on the slowest tiles takes a second: no more rounds of it than these seconds hold, but three.
constexpr double kLongEnough_s = 1.;

/// Times kernels on one grid, and keeps every round.
class Stopwatch {
public:
    Stopwatch(const Device& device, const SweepTask& task, const std::function<void()>& between_rounds)
        : device_(device),
          field_(random_field(task.setup.grid.points())),
          rounds_(task.rounds),
          between_rounds_(between_rounds) {}

    /// Median seconds of a step. \param setup resolved.
    double seconds(const Setup& setup) {
        Contender contender(device_, setup, field_);
        std::vector<double> seconds, gpts;
        double spent = 0.;
        while (static_cast<int>(seconds.size()) < rounds_ &&
               (spent < kLongEnough_s || static_cast<int>(seconds.size()) < kFewestSweepRounds)) {
            seconds.push_back(contender.seconds_per_step());
            gpts.push_back(contender.gpts(seconds.back()));
            spent += seconds.back() * static_cast<double>(contender.steps());
            between_rounds_();
        }
        BenchRow row;
        row.problem = problem_json(setup, "");
        row.kernel = kernel_json(device_, setup);
        row.rounds = Sample(gpts);
        row.facts = work_json(setup);
        rows_.push_back(std::move(row));
        return Sample(seconds).median();
    }
    [[nodiscard]] std::vector<BenchRow>& rows() { return rows_; }

private:
    const Device& device_;
    std::vector<double> field_;
    int rounds_;
    const std::function<void()>& between_rounds_;
    std::vector<BenchRow> rows_;
};

void refuse_if_too_large(const Device& device, Setup setup) {
    setup.kernel = "direct";
    setup.tile = setup.copy = "auto";
    device.resolve(setup);
    const std::int64_t on_gpu = device.predicted_bytes(setup, 1);
    const std::int64_t on_host = setup.grid.points() * static_cast<std::int64_t>(sizeof(double));
    const auto refuse = [](const char* whose, std::int64_t needed, std::int64_t available) {
        if (needed > available)
            throw Error(ExitCode::out_of_memory,
                        fmt::format("the benchmark needs {} of {} memory and {} are available\n"
                                    "  take a smaller grid with --grid",
                                    bytes_text(needed), whose, bytes_text(available)));
    };
    refuse("GPU", on_gpu, device.available_bytes(setup.ordinal));
    refuse("the host's", on_host, available_memory_bytes());
}

/// The kernels beside those of the thesis, resolved, and first the twin: no step can be faster.
std::vector<Setup> other_setups(const Device& device, const SweepTask& task) {
    std::vector<Setup> setups{twin_of(device, task.setup).setup};
    for (const std::string& kernel : task.kernels) {
        Setup other = task.setup;
        other.kernel = printable(kernel);
        check_setup(device, other);
        device.resolve(other);
        setups.push_back(std::move(other));
    }
    return setups;
}

/// Kernels of the thesis with the tiles that the GPU can compute the task with.
using Able = std::set<std::pair<std::string, std::string>>;
Able able_kernels(const SweepTask& task) {
    Able able;
    for (const cuda::Variant& variant : cuda::variants(task.setup))
        if (variant.kernel.starts_with("thesis-")) able.emplace(variant.kernel, variant.tile);
    return able;
}

SweptTile measure_tile(SweptTile tile, const Setup& setup, Stopwatch& stopwatch, const Able& able) {
    for (const std::size_t strategy : kThesisColumns) {
        Setup one = setup;
        one.kernel = "thesis-" + std::string(kLoadStrategies[strategy].name);
        one.tile = fmt::format("{}x{}", tile.tx, tile.tz);
        one.copy = "";
        if (able.contains({one.kernel, one.tile})) tile.seconds[strategy] = stopwatch.seconds(one);
    }
    return tile;
}

/// A sweep without times.
TileSweep begun(const Device& device, const SweepTask& task) {
    TileSweep sweep;
    sweep.device = device.hardware(task.setup);
    sweep.nodes = task.setup.grid.n;
    sweep.order = task.setup.scheme.space_order;
    sweep.notes = {fmt::format("Kernel time in seconds of one time step, fp32, median of up to {} rounds: "
                               "onda bench thesis",
                               task.rounds),
                   version_line()};
    Setup any = task.setup;
    any.kernel = "thesis-full";
    device.resolve(any);
    sweep.registers = cuda::resources(any).registers;
    return sweep;
}

}  // namespace

MeasuredSweep measure_sweep(const Device& device, const SweepTask& task,
                            const std::function<void(const TileSweep& so_far)>& tell,
                            const std::function<void()>& between_rounds) {
    check_setup(device, task.setup);
    refuse_if_too_large(device, task.setup);
    const std::vector<Setup> others = other_setups(device, task);
    const Able able = able_kernels(task);
    TileSweep sweep = begun(device, task);
    Stopwatch stopwatch(device, task, between_rounds);
    for (const Setup& other : others)
        sweep.others.push_back(
            {other.kernel, other.kernel == "twin" ? "-" : other.tile, other.copy, stopwatch.seconds(other)});
    tell(sweep);
    for (const std::int64_t tz : task.tz)
        for (const std::int64_t tx : task.tx) {
            sweep.tiles.push_back(measure_tile({tx, tz, {}}, task.setup, stopwatch, able));
            tell(sweep);
        }
    return {std::move(sweep), std::move(stopwatch.rows())};
}

}  // namespace onda
