#include "kernels/cpu/memory.hpp"

#include <omp.h>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/leap_tiles.hpp"
#include "kernels/cpu/strips/strip.hpp"
#include "kernels/plan/shell.hpp"
#include "kernels/plan/strip_turns.hpp"
#include "kernels/shot/leap_sources.hpp"
#include "kernels/shot/source_entries.hpp"

namespace onda::cpu {

int threads_of(const Setup& setup) {
    return setup.threads > 0 ? setup.threads : omp_get_max_threads();
}

void add_sources(Allocations& list, const ShotSize& size, std::int64_t element_bytes, int shots, std::int64_t fields) {
    if (size.source_nodes == 0) return;
    const auto add = [&](const char* name, std::int64_t elements, std::int64_t bytes) {
        list.add(table(std::string("sources.") + name, Owner::shots, elements, bytes, shots));
    };
    add("element", size.source_nodes, sizeof(std::int64_t));
    add("row", size.source_nodes, sizeof(std::int32_t));
    add("amplitude", fields * size.source_nodes, element_bytes);
    add("samples", size.sources + 1, sizeof(std::int64_t));
    add("signal", size.sources * size.signal_samples, element_bytes);
}

void add_receivers(Allocations& list, const ShotSize& size, std::int64_t element_bytes, int shots) {
    if (size.receivers == 0) return;
    const auto add = [&](const char* name, std::int64_t elements, std::int64_t bytes) {
        list.add(table(std::string("receivers.") + name, Owner::shots, elements, bytes, shots));
    };
    add("first", size.receivers + 1, sizeof(std::int64_t));
    add("element", size.receiver_nodes, sizeof(std::int64_t));
    add("weight", size.receiver_nodes, element_bytes);
    list.add(table("traces", Owner::shots, size.receivers * size.trace_samples, element_bytes, shots));
}

namespace {

/// Elements of a thread's scratch memory for the tiles of leaps.
std::int64_t leap_tile_elements(const Setup& setup) {
    const Grid& grid = setup.grid;
    const auto elements = [&]<typename T>(T) {
        return LeapTile<T>::of(setup.scheme.radius(), grid.dimensions, grid.nx(), grid.ny()).elements();
    };
    return setup.precision == Precision::float32 ? elements(float{}) : elements(double{});
}

}  // namespace

Allocations allocations(const Setup& setup, int shots, const ShotSize& shot) {
    const EquationRow& equation = *setup.scheme.equation;
    const LayoutRules rules = layout_rules(setup);
    Allocations list;
    for (const MediumArray& array : equation.arrays)
        list.add(paged(medium_row(array), Owner::medium, medium_layout(setup, array, rules).size,
                       setup.medium.element_bytes(rules.element_bytes)));
    const std::int64_t level = field_layout(setup, setup.grid, rules).size;
    for (const std::string_view field : equation.fields)
        for (const std::string& name : {std::string(field), previous_row(field)})
            list.add(paged(name, Owner::wavefield, level, rules.element_bytes, shots));
    for (const std::string_view field : equation.memory)
        list.add(
            paged(std::string(field), Owner::wavefield, memory_layout(setup, rules).size, rules.element_bytes, shots));
    for (const std::string_view field : equation.scratch)
        list.add(paged(std::string(field), Owner::wavefield, level, rules.element_bytes, shots));
    const int threads = shots == 1 ? threads_of(setup) : 1;
    if (setup.applications() == Applications::twice) {
        if (has_odd_level(setup)) list.add(paged("p_odd", Owner::wavefield, level, rules.element_bytes, shots));
        list.add(
            paged("leap.tiles", Owner::wavefield, threads * leap_tile_elements(setup), rules.element_bytes, shots));
    }
    for (const auto& strip : setup.strips)
        if (!strip->empty()) row_for(*strip, setup).add_rows(list, *strip, setup, threads, shots);
    add_rows_again(list, setup, [&](Allocations& again, const Strip& strip) {
        row_for(strip, setup).add_rows(again, strip, setup, threads, shots);
    });
    add_sources(list, setup.applications() == Applications::twice ? most_of_leaps(setup, shot) : shot,
                rules.element_bytes, shots, static_cast<std::int64_t>(fields_of_sources(setup.scheme.equation)));
    add_receivers(list, shot, rules.element_bytes, shots);
    return list;
}

}  // namespace onda::cpu
