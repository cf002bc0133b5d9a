#include "solver/performance/model/gpu_step_model.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <span>
#include <vector>

namespace onda {
namespace {

/// A time that bounds a step, and its name.
struct Bound {
    std::string_view name;
    double seconds;
};

/// What things that run side by side take together: the longest, and more where others are nearly as long.
double together(double sharpness, std::initializer_list<double> seconds) {
    const double longest = std::max(seconds);
    if (longest <= 0.) return 0.;
    double sum = 0.;
    for (const double each : seconds) sum += std::pow(std::max(0., each) / longest, sharpness);
    return longest * std::pow(sum, 1. / sharpness);
}

/// The part of some bytes, read again and again, that a cache of `kept` bytes still has.
double share_kept(double bytes, double kept, double forgetting) {
    return 1. / (1. + std::pow(bytes / kept, forgetting));
}

/// What a block asks of its multiprocessor for a plane, in seconds that no other block can have.
struct PlaneOfBlock {
    double issue, shared, doubles, engine, work;
    double alone;  ///< that it takes if no other block is there
};

PlaneOfBlock plane_of_block(const cuda::StepFacts& facts, int multiprocessors, const GpuRates& rates,
                            const KernelConstants& kernel, double near) {
    const double planes = facts.launches * facts.planes_of_blocks() / multiprocessors;
    const bool by_engine = facts.engine_lines > 0.;
    PlaneOfBlock of{};
    of.issue = (by_engine ? 1. : kernel.work) * facts.instructions / planes / rates.instructions_s;
    of.shared = facts.shared_bytes / planes / rates.shared_bytes_s;
    of.doubles =
        facts.element_bytes == 8 ? kernel.double_work * facts.operations / planes / rates.double_operations_s : 0.;
    of.engine = kernel.work * facts.engine_lines / planes / multiprocessors * rates.engine_line_s;
    of.work = together(rates.sharpness_of_work, {of.issue, of.shared, of.doubles});
    const double of_thread = facts.instructions / (planes * multiprocessors * std::max(1, facts.compiled.threads));
    of.alone = kernel.latency_s + (1. - near) * kernel.far_latency_s +
               std::max(of.work, of_thread * rates.thread_instruction_s);
    return of;
}

/// So many places for a block have walked through so many planes when no more blocks are left for them.
struct Places {
    double planes;
    std::int64_t count;
    bool operator>(const Places& other) const { return planes > other.planes; }
};

/// When the places of a GPU are done with the blocks of a launch, in planes, the first first. Blocks begin in their
/// order, each where a place comes free first, the short ones last.
std::vector<Places> ends_of_places(const cuda::StepFacts& facts, std::int64_t places) {
    const std::int64_t longer = facts.blocks - facts.short_blocks, late = longer % places;
    const auto rounds = static_cast<double>(longer / places);
    std::vector<Places> done;
    std::priority_queue<Places, std::vector<Places>, std::greater<>> free;
    free.push({rounds * facts.planes, places - late});
    if (late > 0) free.push({(rounds + 1.) * facts.planes, late});
    for (std::int64_t left = facts.short_blocks; left > 0;) {
        const Places first = free.top();
        free.pop();
        const std::int64_t taken = std::min(first.count, left);
        if (taken < first.count) done.push_back({first.planes, first.count - taken});
        free.push({first.planes + facts.short_planes, taken});
        left -= taken;
    }
    for (; !free.empty(); free.pop()) done.push_back(free.top());
    std::ranges::sort(done, {}, &Places::planes);
    return done;
}

/// A multiprocessor has places for some blocks, which take turns while others wait: a plane of all of them takes their
/// work, or what one of them takes alone if that is longer.
double blocks_time(const cuda::StepFacts& facts, int multiprocessors, const GpuRates& rates, const PlaneOfBlock& of) {
    const auto plane = [&](double resident) {
        return together(rates.sharpness_of_blocks, {resident * of.work, of.alone, resident * of.engine});
    };
    const std::int64_t resident = std::max(1, facts.compiled.blocks_per_multiprocessor);
    std::int64_t busy = resident * multiprocessors;
    constexpr std::int64_t many = 8;  // for each place: so many that the end does not show
    if (facts.blocks > many * busy)
        return facts.launches * facts.planes_of_blocks() / static_cast<double>(busy) *
               plane(static_cast<double>(resident));
    double seconds = 0., walked = 0.;
    for (const Places& places : ends_of_places(facts, busy)) {
        if (places.planes > walked)
            seconds +=
                (places.planes - walked) * plane(static_cast<double>((busy + multiprocessors - 1) / multiprocessors));
        walked = places.planes;
        busy -= places.count;
    }
    return facts.launches * seconds;
}

std::string_view longest(std::span<const Bound> bounds) {
    return std::ranges::max_element(bounds, {}, &Bound::seconds)->name;
}

/// What of the work of blocks it is that bounds them.
std::string_view bound_of_blocks(const cuda::StepFacts& facts, const PlaneOfBlock& of) {
    const double resident = std::max(1, facts.compiled.blocks_per_multiprocessor);
    const std::array bounds{Bound{"issue", resident * of.issue}, Bound{"shared memory", resident * of.shared},
                            Bound{"double precision", resident * of.doubles},
                            Bound{"copy engine", resident * of.engine}, Bound{"latency", of.alone}};
    return longest(bounds);
}

std::string family_of(std::string_view name, std::string_view equation, int dimensions) {
    std::string family = std::string(name) + (dimensions == 2 ? ", 2-D" : ", 3-D");
    return equation == "star" ? family : family + ", " + std::string(equation);
}

}  // namespace

std::string kernel_family(std::string_view kernel, std::string_view copy, std::string_view equation, int dimensions,
                          std::string_view storage) {
    std::string family = family_of(kernel, equation, dimensions);
    if (copy == "async") family += ", async";
    if (storage != "float") family += ", " + std::string(storage);
    return family;
}

std::string strip_family(std::string_view kind, std::string_view equation, int dimensions, std::string_view stepping) {
    if (kind == "none") return {};
    if (kind == "sponge") equation = "star";  // it tapers p, whatever made it
    std::string family = family_of(std::string(kind) + " strips", equation, dimensions);
    if (stepping != "single") family += ", " + std::string(stepping);
    return family;
}

KernelConstants GpuCalibration::of(std::string_view family, const KernelConstants& usual) const {
    return of_nearest(kernels, family, usual);
}

GpuStepTime gpu_step_time(const cuda::StepFacts& facts, int multiprocessors, const GpuRates& rates,
                          const KernelConstants& kernel, const KernelConstants& strips) {
    const double near = share_kept(facts.footprint_bytes, rates.kept_bytes, rates.forgetting);
    const double again = 1. - share_kept(facts.window_bytes, rates.window_bytes, rates.forgetting);
    const PlaneOfBlock of = plane_of_block(facts, multiprocessors, rates, kernel, near);
    GpuStepTime time;
    time.dram_s = (facts.stream_bytes * (1. - near) + facts.refetch_bytes * again) / rates.dram_bytes_s;
    time.l2_s = facts.l2_bytes / rates.l2_bytes_s;
    time.blocks_s = blocks_time(facts, multiprocessors, rates, of);
    time.launch_s = facts.launches * (facts.overlaps ? rates.overlapped_launch_s : rates.launch_s);
    time.sides_s = facts.side_launches * rates.launch_s +
                   facts.side_planes * (strips.latency_s + (1. - near) * strips.far_latency_s) +
                   strips.work * facts.side_bytes * ((1. - near) / rates.sides_bytes_s + near / rates.l2_bytes_s);
    const double grid_s = together(rates.sharpness_of_memory, {time.dram_s, time.l2_s, time.blocks_s});
    // A launch that overlaps the one before it is late only where its blocks are sooner done than it comes.
    time.seconds = time.sides_s + (facts.overlaps ? together(rates.sharpness_of_memory, {grid_s, time.launch_s})
                                                  : grid_s + time.launch_s);
    const std::array bounds{Bound{"DRAM", time.dram_s}, Bound{"L2", time.l2_s},
                            Bound{bound_of_blocks(facts, of), time.blocks_s}, Bound{"launch", time.launch_s},
                            Bound{"absorbing zones and mirrors", time.sides_s}};
    time.bound = longest(bounds);
    return time;
}

}  // namespace onda
