#include "solver/plan/stepping.hpp"

#include <algorithm>
#include <optional>
#include <spdlog/fmt/fmt.h>

#include "kernels/plan/shell.hpp"
#include "solver/plan/plan.hpp"

namespace onda {
namespace {

/// Samples 2 dt apart hold half the band that they could: correction and resampling of the traces are exact in it.
constexpr double kMostCyclesPerLeap = 0.25;

/// What rules leaps out: the key that says so, and the error message.
struct Obstacle {
    std::string key, fault;
};

/// What stands against leaps of slabs; empty if nothing does.
std::string fault_of_slabs(const Problem& problem, const std::vector<Slab>& slabs) {
    Problem leaping = problem;
    leaping.stepping = Stepping::leap;
    try {
        if (slabs.size() > 1) check_slabs(leaping, slabs);
        return {};
    } catch (const std::invalid_argument& fault) {
        return fault.what();
    }
}

std::optional<Obstacle> obstacle_to_leaps(const Plan& plan) {
    const Equation& equation = plan.setup.scheme.equation;
    if (equation != Equation::star)
        return Obstacle{"time.stepping",
                        fmt::format("leap is not available for the equation {}: use single", onda::name(equation))};
    if (plan.setup.scheme.time_order != 2)
        return Obstacle{"time.stepping", fmt::format("leap has order 2 in time: use single, or time.order: 2")};
    if (const std::string fault = fault_of_slabs(plan.setup, plan.placement.slabs); !fault.empty())
        return Obstacle{"time.stepping", fmt::format("leap: {}, or single", fault)};
    const double interval_s = 2. * plan.time.dt_s, frequency_hz = plan.survey.highest_frequency_hz();
    if (frequency_hz * interval_s > kMostCyclesPerLeap)
        return Obstacle{"time.stepping",
                        fmt::format("leap knows the wavefield every 2 dt = {:.4g} ms, and waves of {:.4g} Hz, the "
                                    "highest of the wavelets, need {:.4g} ms or less: use single, or a time.dt_s of "
                                    "{:.3g} or less",
                                    interval_s * 1e3, frequency_hz, kMostCyclesPerLeap / frequency_hz * 1e3,
                                    0.5 * kMostCyclesPerLeap / frequency_hz)};
    if (const auto every = plan.config.output.snapshots.every_steps; every && *every % 2 != 0)
        return Obstacle{"output.snapshots.every_steps",
                        fmt::format("{}: with time.stepping: leap the wavefield is known at every second step: use an "
                                    "even number, such as {}",
                                    *every, *every + 1)};
    return std::nullopt;
}

bool device_leaps(const Device& device, Setup setup) {
    setup.stepping = Stepping::leap;
    return has_kernel_for(device, setup);
}

/// How much faster a node leaps than it steps twice, as measured (docs/performance.md). GPUs have a fast kernel for
/// single precision in 3-D.
double speed_of_leaps(const Device& device, Setup setup) {
    const int order = setup.scheme.space_order;
    if (setup.grid.dimensions == 2) return 1.;
    if (!device.has_own_memory()) return order == 2 ? 1.2 : order == 4 ? 1.1 : 1.;
    setup.stepping = Stepping::leap;
    device.resolve(setup);
    if (setup.kernel != "leap" || order > 8) return 0.6;
    return order <= 4 ? 1.6 : 1.35;
}

/// Whether a leap takes less time than two single steps: what is saved inside against the nodes of the shell, which
/// step in boxes of their own, twice less fast.
bool is_faster(const Device& device, const Setup& setup) {
    constexpr double of_shell = 2., worth_it = 0.95;
    Problem problem = setup;
    problem.stepping = Stepping::leap;
    const Shell shell = shell_of(problem);
    const auto all = static_cast<double>(shell.grid.points()), leap = static_cast<double>(shell.leap.points()),
               no_odd = static_cast<double>(shell.no_odd.points());
    const double singly = 0.5 * ((all - leap) + (all - no_odd));
    return leap / speed_of_leaps(device, setup) + of_shell * singly < worth_it * all;
}

}  // namespace

void set_stepping(Plan& plan) {
    plan.setup.stepping = Stepping::single;
    if (plan.asked_stepping == "single") return;
    const std::optional<Obstacle> obstacle = obstacle_to_leaps(plan);
    if (plan.asked_stepping == "auto") {
        const Device* const device = plan.placement.device;
        if (obstacle || device == nullptr || !device_leaps(*device, plan.setup) || !is_faster(*device, plan.setup))
            return;
    } else if (obstacle) {
        plan.config.origin.fault(obstacle->key, obstacle->fault);
    }
    plan.setup.stepping = Stepping::leap;
    take_leaps(plan.time);
}

std::string describe_stepping(const Problem& problem) {
    if (problem.stepping == Stepping::single) return {};
    const Shell shell = shell_of(problem);
    return fmt::format("          leaps of two steps at {:.3g} % of the nodes; the others, near faces, step singly\n",
                       100. * static_cast<double>(shell.leap.points()) / static_cast<double>(shell.grid.points()));
}

}  // namespace onda
