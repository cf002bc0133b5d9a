#include "solver/performance/model/cpu_step_model.hpp"

#include <algorithm>
#include <cmath>
#include <omp.h>

#include "kernels/cpu/cpu.hpp"
#include "kernels/plan/shell.hpp"
#include "solver/performance/model/log_fit.hpp"

namespace onda {
namespace {

/// What absorbing layers that follow the kernel take of the time of those that come after it: 0.31 to 0.48, measured in
/// turns on grids of 256³ to 1000³ nodes (docs/performance.md).
constexpr double kFollowingShare = 0.4;

/// What two things that run side by side take together.
double together(double sharpness, double a, double b) {
    const double longest = std::max(a, b);
    if (longest <= 0.) return 0.;
    return longest * std::pow(std::pow(a / longest, sharpness) + std::pow(b / longest, sharpness), 1. / sharpness);
}

/// Bytes a second that so many threads take from memory: as many times what one takes, up to what there is.
double memory_rate(const CpuRates& rates, int threads) {
    constexpr double sharpness = 4.;
    const double asked = threads * rates.thread_bytes_s;
    return asked / std::pow(1. + std::pow(asked / rates.memory_bytes_s, sharpness), 1. / sharpness);
}

std::string family_of(const Setup& setup) {
    std::string family = setup.kernel + (setup.grid.dimensions == 2 ? ", 2-D" : ", 3-D");
    if (setup.scheme.equation != Equation::star) family += ", " + std::string(name(setup.scheme.equation));
    family += ", " + setup.isa;
    if (setup.applications() == Applications::twice) family += ", leap";
    if (setup.medium.storage != Storage::full) family += ", " + std::string(name(setup.medium.storage));
    return family;
}

/// Calls body(value, spread) for the constants of a calibration in the order of a fit.
template <typename Body>
void for_each_constant(CpuCalibration& calibration, const Body& body) {
    for (const auto& rate : kCpuRates) body(calibration.rates.*rate.value, rate.spread);
    for (auto& [family, constants] : calibration.kernels)
        for (const auto& constant : kCpuKernelConstants) body(constants.*constant.value, constant.spread);
}

}  // namespace

CpuKernelConstants CpuCalibration::of(std::string_view family) const {
    return of_nearest(kernels, family, CpuKernelConstants{});
}

CpuStepFacts cpu_step_facts(const Setup& setup, int shots) {
    CpuStepFacts facts;
    const auto element = static_cast<double>(setup.element_bytes());
    const auto points = static_cast<double>(setup.grid.points());
    const auto arrays = static_cast<double>(setup.scheme.equation->arrays.size());
    const auto memory = static_cast<double>(setup.scheme.equation->memory.size());
    facts.family = family_of(setup);
    facts.points = shots * points;
    facts.radius = setup.scheme.radius();
    facts.threads = setup.threads > 0 ? setup.threads : omp_get_max_threads();
    facts.element_bytes = static_cast<int>(element);
    facts.stream_bytes = element * (3. + arrays + 2. * memory) * facts.points;
    facts.footprint_bytes = element * ((2. + memory) * facts.points + arrays * points);
    const double saved = element - static_cast<double>(setup.medium.element_bytes(setup.element_bytes()));
    facts.stream_bytes -= saved * facts.points;
    facts.footprint_bytes -= saved * points;
    if (setup.applications() == Applications::twice) {
        // Two steps for the traffic of one; the nodes of the shell step singly, with a level of their own.
        const Shell shell = shell_of(setup);
        facts.stream_bytes *= 1. - 0.5 * static_cast<double>(shell.leap.points()) / points;
        if (!shell.empty()) facts.footprint_bytes += element * facts.points;
    }
    const double of_layers = cpu::layers_follow_kernel(setup) ? kFollowingShare : 1.;
    for (const auto& strip : setup.strips)
        facts.side_bytes += (strip->in_operator() ? of_layers : 1.) * 4. * element * strip->work(setup.grid) * shots;
    if (setup.scheme.time_order == 4) {
        // A step does what a leap does.
        facts.points *= 2.;
        facts.stream_bytes *= 2.;
        facts.side_bytes *= 2.;
    }
    facts.shots_a_thread = std::max(1., static_cast<double>(shots) / facts.threads);
    return facts;
}

StepTime cpu_step_time(const CpuStepFacts& facts, const CpuRates& rates, const CpuKernelConstants& kernel) {
    const double near = 1. / (1. + std::pow(facts.footprint_bytes / rates.kept_bytes, rates.forgetting));
    const double far_rate = memory_rate(rates, facts.threads), near_rate = facts.threads * rates.cached_bytes_s;
    const double second_a_byte = (1. - near) / far_rate + near / near_rate;
    const double memory = facts.stream_bytes * kernel.traffic * second_a_byte;
    const double work = facts.points * (kernel.node_s + std::pow(facts.radius, kernel.growth) * kernel.radius_s) *
                        (facts.element_bytes == 8 ? kernel.doubles : 1.) / facts.threads;
    const double wait = facts.threads > 1 ? rates.wait_s * facts.shots_a_thread : 0.;
    const double sides = facts.side_bytes * second_a_byte;
    StepTime time{together(rates.sharpness, memory, work) + wait + sides, {}};
    time.bound = wait > std::max(memory, work) ? "threads"
                 : memory < work               ? "arithmetic"
                 : near > 0.5                  ? "caches"
                                               : "DRAM";
    return time;
}

CpuCalibration fit_cpu(CpuCalibration before, std::span<const CpuObservation> observations) {
    CpuCalibration fitted = std::move(before);
    std::vector<double> measured;
    for (const CpuObservation& observation : observations) {
        fitted.kernels.try_emplace(observation.facts.family);
        measured.push_back(observation.seconds);
    }
    std::vector<LogPrior> priors;
    for_each_constant(fitted, [&](double value, double spread) { priors.push_back({value, spread}); });
    const auto set = [&fitted](std::span<const double> values) {
        std::size_t i = 0;
        for_each_constant(fitted, [&](double& value, double) { value = values[i++]; });
    };
    const auto model = [&](std::span<const double> values, std::span<double> predicted) {
        set(values);
        for (std::size_t i = 0; i < observations.size(); ++i) {
            const CpuStepFacts& facts = observations[i].facts;
            predicted[i] = cpu_step_time(facts, fitted.rates, fitted.of(facts.family)).seconds;
        }
    };
    set(fit_logs(priors, measured, model));
    return fitted;
}

}  // namespace onda
