// Cost counts of a time step of a set-up: those of its kernel, and of what is launched around it.
#include "kernels/cuda/step_facts.hpp"

#include <algorithm>

#include "kernels/boundaries/cpml.hpp"
#include "kernels/cuda/choice.hpp"
#include "kernels/cuda/leap/shell_steps.hpp"
#include "kernels/cuda/memory.hpp"
#include "kernels/cuda/runtime.hpp"

namespace onda::cuda {
namespace {

/// Planes that threads walk through from the inner edge of perfectly matched layers to their faces, as far beyond as
/// the derivatives reach: of the widest layer across each axis.
double planes_of_walks(const Cpml& layers, const Setup& setup) {
    double planes = 0.;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto width = std::max(layers.face[2 * axis].width(), layers.face[2 * axis + 1].width());
        if (width > 0) planes += static_cast<double>(width + 2 * setup.scheme.radius());
    }
    return planes;
}

/// Adds the launches that a step has beside its kernel: images beyond mirrors, and strips.
void add_sides(StepFacts& facts, const Setup& setup, const Grid& grid, int volumes, bool whole_steps) {
    const int last_axis = whole_steps ? 1 : 2;  // the fused kernel looks through mirrors across z itself
    for (int axis = 0; axis <= last_axis; ++axis) {
        const auto copies = static_cast<double>(halo_copies_of(setup, grid, axis).size());
        if (copies == 0.) continue;
        facts.side_launches += volumes;
        facts.side_planes += volumes;
        facts.side_bytes += 2. * copies * static_cast<double>(grid.points() / grid.n[static_cast<std::size_t>(axis)]) *
                            facts.element_bytes * volumes;
    }
    for (const auto& strip : setup.strips) {
        const auto* const layers = dynamic_cast<const Cpml*>(strip.get());
        if (strip->empty() || (whole_steps && layers != nullptr)) continue;
        facts.side_launches += volumes * grid.dimensions;
        facts.side_planes += volumes * (layers != nullptr ? planes_of_walks(*layers, setup) : grid.dimensions);
        // A node of work reads and writes p[n+1] and p[n].
        facts.side_bytes += 4. * strip->work(grid) * facts.element_bytes * volumes;
    }
}

/// Adds the launches over a shell, and what it has twice: images and strips, at both levels.
void add_shell(StepFacts& facts, const Setup& setup, const Grid& grid, int volumes) {
    if (!has_odd_level(setup)) return;
    facts.side_launches = 2 * facts.side_launches + 2 * volumes;
    facts.side_bytes *= 2.;
    const Shell shell = shell_of(setup);
    for (const Box& inside : {shell.no_odd, shell.leap})
        facts.side_bytes += static_cast<double>(
            shell_bytes(boxes_around(grid.n, box_of_volume(inside, grid)), facts.element_bytes) * volumes);
}

/// Takes away what codes of k are smaller than numbers, wherever k is read once a node.
void count_codes(StepFacts& facts, const Setup& setup, const Grid& grid, int volumes) {
    const std::int64_t saved = facts.element_bytes - setup.medium.element_bytes(facts.element_bytes);
    const auto nodes = static_cast<double>(setup.grid.points());
    facts.footprint_bytes -= static_cast<double>(saved) * nodes;
    facts.stream_bytes -= static_cast<double>(saved) * nodes * volumes;
    facts.l2_bytes -= static_cast<double>(saved * grid.points()) * volumes;
}

/// Adds what threads keep in local memory for want of registers, or because they index it: written and read once for
/// each plane, through the L1 cache, which hands on what is written.
void add_spills(StepFacts& facts) {
    const double bytes = static_cast<double>(facts.compiled.spilled_bytes) * facts.compiled.threads *
                         facts.planes_of_blocks() * facts.launches;
    facts.l2_bytes += bytes;
    facts.shared_bytes += 2. * bytes;
}

template <typename T>
StepFacts facts_of(const Setup& setup, int shots) {
    const Instance<T>& instance = choose<T>(setup);
    const Grid grid = batched(setup.grid, shots);
    const int volumes = volumes_of(setup.grid, shots);
    const bool whole_steps = takes_whole_steps<T>(setup, shots);
    const Cpml& layers = setup.strips.get<Cpml>();
    const auto stencil = make_stencil<T>(setup.scheme, grid.spacing_m, grid.dimensions);
    StepFacts facts =
        instance.facts(instance, {grid, volumes, stencil, whole_steps && !layers.empty() ? &layers : nullptr,
                                  box_of_volume(shell_of(setup).leap, grid)});
    count_codes(facts, setup, grid, volumes);
    add_spills(facts);
    add_sides(facts, setup, grid, volumes, whole_steps);
    if (setup.applications() == Applications::twice) {
        add_shell(facts, setup, grid, volumes);
        facts.steps = static_cast<int>(setup.stride());
    }
    return facts;
}

}  // namespace

StepFacts step_facts(const Setup& setup, int shots) {
    check_setup(setup);
    const DeviceScope scope(setup.ordinal);
    return setup.precision == Precision::float32 ? facts_of<float>(setup, shots) : facts_of<double>(setup, shots);
}

}  // namespace onda::cuda
