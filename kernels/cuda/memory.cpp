#include "kernels/cuda/memory.hpp"

#include <algorithm>
#include <climits>

#include "kernels/boundaries/cpml.hpp"
#include "kernels/cuda/buffers.hpp"
#include "kernels/cuda/fields/cuda_fields.hpp"
#include "kernels/cuda/fused/fused_steps.hpp"
#include "kernels/cuda/strips/strip.hpp"
#include "kernels/shot/leap_sources.hpp"
#include "kernels/shot/source_entries.hpp"

namespace onda::cuda {
namespace {

/// All arrays of the medium are one allocation. The last ends where its layout does.
std::int64_t medium_elements(const Setup& setup) {
    const auto arrays = setup.scheme.equation->arrays;
    std::int64_t elements = 0;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const Layout layout = medium_layout(setup, arrays[i], layout_rules(setup));
        elements += i + 1 < arrays.size() ? array_elements(layout) : layout.size;
    }
    return elements;
}

SourceTables tables_of(const Problem& problem, const ShotSize& shot, int shots) {
    const std::int64_t entries = shots * shot.source_nodes;
    return {entries, entries, shots * shot.sources, shots * shot.sources * shot.signal_samples,
            entries * static_cast<std::int64_t>(fields_of_sources(problem.scheme.equation))};
}

/// Adds the tables of sources; for leaps as much as they take at most, wherever the sources are:
/// kernels/shot/leap_sources.hpp.
void add_sources_of(Allocations& list, const Problem& problem, ShotSize shot, std::int64_t element_bytes, int shots) {
    if (problem.applications() == Applications::twice) {
        const auto every = problem.stride();
        const auto added = [every](std::int64_t samples) { return (samples + every - 1) / every; };
        ShotSize odd = shot;
        odd.signal_samples = added(shot.signal_samples);
        if (has_odd_level(problem)) add_sources(list, tables_of(problem, odd, shots), element_bytes, "odd sources");
        shot = most_of_leaps(problem, shot);
        shot.signal_samples = added(shot.signal_samples);
    }
    add_sources(list, tables_of(problem, shot, shots), element_bytes);
}

void add_shots(Allocations& list, const Setup& setup, const ShotSize& shot, std::int64_t element_bytes, int shots) {
    add_sources_of(list, setup, shot, element_bytes, shots);
    add_receivers(list, {shots * shot.receivers, shots * shot.receiver_nodes, shot.trace_samples}, element_bytes);
    if (shot.download_points == 0) return;
    list.add(frame_on_device(shot.download_points));
    list.add(frames_on_host(shot.download_points));
}

template <typename T>
Allocations allocations_of(const Setup& setup, int shots, const ShotSize& shot) {
    const Grid grid = batched(setup.grid, shots);
    const LayoutRules rules = layout_rules(setup);
    const std::int64_t element = rules.element_bytes;
    Allocations list;
    list.add(on_device("medium", Owner::medium, medium_elements(setup), setup.medium.element_bytes(element)));
    if (setup.medium.storage == Storage::table)
        list.add(on_device("table of the medium", Owner::medium, MediumCode::kMostTableValues, sizeof(float)));
    const auto add = [&list](std::string name, std::int64_t elements, std::int64_t bytes) {
        list.add(on_device(std::move(name), Owner::wavefield, elements, bytes));
    };
    const int volumes = volumes_of(setup.grid, shots);
    CudaFields<T>::add_rows(list, setup, shots);
    add("counter", 1, sizeof(std::int64_t));
    const bool whole = takes_whole_steps<T>(setup, shots);
    for (const auto& strip : setup.strips)
        if (!strip->empty()) strip->on_cuda()->add_rows(list, *strip, {setup, grid, volumes, whole});
    add_rows_again(list, setup, [&](Allocations& again, const Strip& strip) {
        strip.on_cuda()->add_rows(again, strip, {setup, grid, volumes, whole});
    });
    if (whole) FusedSteps<T>::add_rows(list, grid, volumes, setup.strips.get<Cpml>(), choose<T>(setup).parameters[0]);
    add_shots(list, setup, shot, element, shots);
    return list;
}

}  // namespace

Grid batched(Grid grid, int shots) {
    if (grid.dimensions == 2) grid.n[1] = shots;
    return grid;
}

int volumes_of(const Grid& grid, int shots) {
    return grid.dimensions == 3 ? shots : 1;
}

std::int64_t volume_step(const Layout& layout) {
    return (layout.size + 31) / 32 * 32;
}

std::int64_t array_elements(const Layout& layout, int volumes) {
    constexpr std::int64_t page = 1 << 19;
    return ((volumes - 1) * volume_step(layout) + layout.size + page - 1) / page * page;
}

NodeBox box_of_volume(const Box& box, const Grid& volume) {
    NodeBox in_volume{box.low, box.high};
    if (volume.dimensions == 2 && !box.empty()) in_volume.high[1] = volume.n[1];
    return in_volume;
}

std::int64_t staging_bytes(const Grid& grid) {
    constexpr std::int64_t piece = 8 << 20;
    return std::max(std::min(piece, grid.points() * 8), grid.nx() * 8);
}

FieldShape shape_of(const Layout& layout) {
    const auto number = [](std::int64_t n) { return static_cast<int>(n); };
    return {number(layout.n[0]), number(layout.n[1]),    number(layout.n[2]),    layout.pitch,
            layout.plane,        number(layout.halo[0]), number(layout.halo[1]), number(layout.halo[2])};
}

std::vector<HaloCopy> halo_copies_of(const Setup& setup, const Grid& grid, int axis) {
    const auto low = static_cast<std::size_t>(2 * axis);
    const std::int64_t halo = setup.grid.has_axis(axis) ? setup.scheme.halo() : 0;
    return halo_copies(grid.n[low / 2], halo, setup.halos[low], setup.halos[low + 1]);
}

std::string halo_copies_row(int axis) {
    return std::string("halo copies ") + "xyz"[axis];
}

// The exchange of a slab comes in the middle of a step.
template <typename T>
bool takes_whole_steps(const Setup& setup, int shots) {
    if (std::ranges::find(setup.halos, Halo::neighbour) != setup.halos.end()) return false;
    return choose<T>(setup).whole_steps && fused_fits<T>(batched(setup.grid, shots), setup.strips.get<Cpml>());
}
template bool takes_whole_steps<float>(const Setup&, int);
template bool takes_whole_steps<double>(const Setup&, int);

void add_sources(Allocations& list, const SourceTables& size, std::int64_t element_bytes, const std::string& level) {
    if (size.entries == 0) return;
    const auto add = [&](const char* name, std::int64_t elements, std::int64_t bytes) {
        list.add(on_device(level + "." + name, Owner::shots, elements, bytes));
    };
    add("element", size.nodes, sizeof(std::int64_t));
    add("first", size.nodes + 1, sizeof(std::int64_t));
    add("row", size.entries, sizeof(std::int32_t));
    add("amplitude", size.amplitudes, element_bytes);
    add("samples", size.sources + 1, sizeof(std::int64_t));
    add("signal", size.samples, element_bytes);
}

std::int64_t trace_batch(std::int64_t receivers, std::int64_t samples, std::int64_t element_bytes) {
    constexpr std::int64_t graph = kGraphSteps, most = 1024 / graph * graph;
    const auto in_mib = [&](std::int64_t mib) {
        return (mib << 20) / std::max<std::int64_t>(1, receivers * element_bytes);
    };
    const std::int64_t fitting = std::max(in_mib(8), std::min(2 * graph, in_mib(32)));
    const std::int64_t batch = std::clamp<std::int64_t>(fitting, 1, std::clamp<std::int64_t>(samples, 1, most));
    return batch < graph ? batch : batch / graph * graph;
}

void add_receivers(Allocations& list, const ReceiverTables& size, std::int64_t element_bytes) {
    if (size.receivers == 0) return;
    const auto add = [&list](const char* name, std::int64_t elements, std::int64_t bytes) {
        list.add(on_device(std::string("receivers.") + name, Owner::shots, elements, bytes));
    };
    add("first", size.receivers + 1, sizeof(std::int64_t));
    add("element", size.nodes, sizeof(std::int64_t));
    add("weight", size.nodes, element_bytes);
    const std::int64_t batches = 2 * trace_batch(size.receivers, size.samples, element_bytes) * size.receivers;
    list.add(on_device("batches of samples", Owner::shots, batches, element_bytes));
    list.add(pinned("batches of samples on their way", Owner::shots, batches, element_bytes));
    const std::int64_t samples = size.receivers * size.samples;
    list.add({"traces", Memory::host, Owner::shots, samples, element_bytes, samples * element_bytes});
}

Allocation frame_on_device(std::int64_t points) {
    return on_device("frame", Owner::shots, points, sizeof(float));
}
Allocation frames_on_host(std::int64_t points) {
    return pinned("frames on their way", Owner::shots, points, sizeof(float), FieldSet::kDownloads);
}

Allocations allocations(const Setup& setup, int shots, const ShotSize& shot) {
    return setup.precision == Precision::float32 ? allocations_of<float>(setup, shots, shot)
                                                 : allocations_of<double>(setup, shots, shot);
}

}  // namespace onda::cuda
