/// \file
/// How the blocks of the fused kernel cover a grid.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "kernels/boundaries/cpml.hpp"
#include "kernels/cuda/fused/fused_arguments.hpp"
#include "kernels/cuda/stepper.hpp"
#include "kernels/grid/halo.hpp"

namespace onda::cuda {

/// Nodes of a block of a box along x, y, z.
inline std::array<int, 3> fused_tile(const FusedBox& box, int dimensions) {
    const int x = static_cast<int>(box.threads_x.divisor) * box.vector;
    if (dimensions == 3) return {x, box.rows, box.along_z};
    return {x, 1, box.rows * box.along_z};
}

/// A box whose blocks are those of the core: rows of 32 vectors, and kFusedRows of them along z for a thread.
template <typename T>
FusedBox core_box(int threads) {
    FusedBox box;
    box.threads_x = FusedDivisor(32);
    box.rows = threads / 32;
    box.vector = 16 / int{sizeof(T)};
    box.along_z = kFusedRows;
    return box;
}

/// "128x1x8r4": the nodes of a block of the core along x, y, z, and of a thread along z.
template <typename T>
std::string tile_name(int threads, int dimensions) {
    const auto [x, y, z] = fused_tile(core_box<T>(threads), dimensions);
    return std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z) + "r" + std::to_string(kFusedRows);
}

/// The nodes of each axis that no strip reaches: [begin, end).
struct FusedCore {
    std::array<int, 3> begin, end;
};

/// The core of a grid with these layers. Across x it begins on a line of 128 bytes and ends with a whole vector.
template <typename T>
FusedCore fused_core(const Grid& grid, const Cpml& layers) {
    constexpr int vector = 16 / sizeof(T), line = 128 / sizeof(T);
    FusedCore core;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto n = static_cast<int>(grid.n[axis]);
        const auto low = static_cast<int>(layers.face[2 * axis].width()),
                   high = static_cast<int>(layers.face[2 * axis + 1].width());
        core.begin[axis] = low > 0 ? low + 1 : 0;
        core.end[axis] = high > 0 ? n - 1 - high : n;
        if (axis > 0) continue;
        core.begin[0] = std::min((core.begin[0] + line - 1) / line * line, n);
        if (high > 0) core.end[0] = std::max(core.end[0] / vector * vector, core.begin[0]);
    }
    return core;
}

/// Whether threads of FusedLayer find all nodes that they read within the grid, but for those beyond the face itself.
inline bool has_room_for_layer(const Grid& grid, const CpmlFace& face) {
    return grid.dimensions == 2 && face.width() > 0 && face.width() + kFusedLayerRows + kMaxRadius <= grid.nz();
}

/// The six boxes around the core, those of them that have nodes, and the core. Blocks of the rim take longer: of
/// several shots, which need more than one wave of blocks, they come first, so that none of them is the last.
template <typename T>
FusedBoxes fused_boxes(const Grid& grid, const Cpml& layers, int threads) {
    const auto [begin, end] = fused_core<T>(grid, layers);
    FusedBoxes boxes;
    const auto add = [&](FusedBox box, std::array<int, 3> from, std::array<int, 3> to) {
        std::ranges::copy(from, box.begin);
        std::ranges::copy(to, box.end);
        const std::array<int, 3> tile = fused_tile(box, grid.dimensions);
        const auto tiles = [&](std::size_t axis) {
            return static_cast<unsigned>(std::max(0, blocks_for(to[axis] - from[axis], tile[axis])));
        };
        box.tiles_x = FusedDivisor(std::max(1U, tiles(0)));
        box.tiles_y = FusedDivisor(std::max(1U, tiles(1)));
        boxes.box[boxes.count] = box;
        boxes.first[boxes.count + 1] = boxes.first[boxes.count] + tiles(0) * tiles(1) * tiles(2);
        ++boxes.count;
    };
    const auto add_rim = [&](std::array<int, 3> from, std::array<int, 3> to, int layer = 0) {
        if (from[0] >= to[0] || from[1] >= to[1] || from[2] >= to[2]) return;
        FusedBox box;
        box.layer = layer;
        box.vector = layer == 0 ? int{16 / sizeof(T)} : kFusedLayerVector<T>;
        box.along_z = layer == 0 ? 1 : kFusedLayerRows;
        const int threads_x = std::clamp(blocks_for(to[0] - from[0], box.vector), 1, 32);
        box.threads_x = FusedDivisor(static_cast<unsigned>(threads_x));
        box.rows = threads / threads_x;
        add(box, from, to);
    };
    const auto layer_of = [&](std::size_t face, int side) {
        return has_room_for_layer(grid, layers.face[face]) ? side : 0;
    };
    const int nx = static_cast<int>(grid.nx()), ny = static_cast<int>(grid.ny()), nz = static_cast<int>(grid.nz());
    const auto add_core = [&] {
        boxes.core = boxes.count;
        add(core_box<T>(threads), begin, end);
    };
    const bool rim_first = grid.dimensions == 2 && ny > 1;
    if (!rim_first) add_core();
    add_rim({0, 0, 0}, {begin[0], ny, nz});
    add_rim({end[0], 0, 0}, {nx, ny, nz});
    add_rim({begin[0], 0, 0}, {end[0], ny, begin[2]}, layer_of(4, -1));
    add_rim({begin[0], 0, end[2]}, {end[0], ny, nz}, layer_of(5, 1));
    add_rim({begin[0], 0, begin[2]}, {end[0], begin[1], end[2]});
    add_rim({begin[0], end[1], begin[2]}, {end[0], ny, end[2]});
    if (rim_first) add_core();
    return boxes;
}

/// Blocks of all boxes.
inline unsigned blocks_of(const FusedBoxes& boxes) {
    return boxes.first[boxes.count];
}

/// Adds the strips that the rim computes: of each node psi twice and zeta read and written; g and psi of r + 1
/// nodes, or of those that the nodes of a thread share, sums of r + 1 of each.
template <typename T>
void add_fused_strips(StepFacts& facts, const Grid& grid, const Cpml& layers, int radius) {
    for (std::size_t face = 0; face < 6; ++face) {
        const auto width = static_cast<double>(layers.face[face].width());
        const double nodes = facts.points / static_cast<double>(grid.n[face / 2]) * width;
        const bool shares = face / 2 == 2 && has_room_for_layer(grid, layers.face[face]);
        const double computed =
            shares ? 1. + static_cast<double>(radius) / kFusedLayerRows : radius + 1.;  // values of g and psi
        const double operations = computed * (radius + 3.) + 2. * (radius + 1.) + 5., loads = computed + radius + 4.;
        facts.operations += nodes * operations;
        // Places and choices beside the operations: fitted to steps with layers on an H200.
        constexpr double instructions_an_operation = 2.2;
        facts.instructions += nodes * (operations * instructions_an_operation + loads);
        facts.shared_bytes += nodes * sizeof(T) * loads;
        facts.l2_bytes += nodes * sizeof(T) * (computed + 4.);
        facts.stream_bytes += nodes * sizeof(T) * 4.;
        facts.footprint_bytes += nodes * sizeof(T) * 3.;
    }
}

/// What the blocks of all boxes of a volume ask of a GPU. A thread of the core has 4 vectors along z, and loads its
/// columns and rows through the L1 cache; one of the rim has one, or those of FusedLayer, and the windows of the strips
/// it lies in.
template <typename T>
StepFacts fused_facts(const Grid& grid, const Cpml& layers, int threads, int radius) {
    constexpr int element = sizeof(T);
    const int across_y = grid.dimensions == 3 ? 2 * radius : 0;
    const FusedBoxes boxes = fused_boxes<T>(grid, layers, threads);
    StepFacts facts = facts_of_streams(grid, element, {});
    facts.blocks = blocks_of(boxes);
    facts.overlaps = true;
    const double layer = element * static_cast<double>(grid.nx() * grid.ny());
    const int along_z = fused_tile(core_box<T>(threads), grid.dimensions)[2];
    facts.window_bytes = 3. * layer * (along_z + 2. * radius);
    facts.refetch_bytes = 2. * radius / along_z * layer * static_cast<double>(grid.nz());
    for (int b = 0; b < boxes.count; ++b) {
        const FusedBox& box = boxes.box[b];
        const int rows = box.along_z, W = box.vector, beside = 2 * ((radius + W - 1) / W);
        const auto [tile_x, tile_y, tile_z] = fused_tile(box, grid.dimensions);
        const double blocks = boxes.first[b + 1] - boxes.first[b];
        double nodes = 1.;
        for (int axis = 0; axis < 3; ++axis) nodes *= std::max(0, box.end[axis] - box.begin[axis]);
        const double of_tile = static_cast<double>(tile_x) * tile_y * tile_z;
        const double halo = 2. * in_sectors(radius, element) * tile_y * tile_z + across_y * double(tile_x) * tile_z +
                            2. * radius * double(tile_x) * tile_y;
        const double inside = blocks > 0. ? nodes / (blocks * of_tile) : 0.;
        facts.l2_bytes += element * (blocks * inside * (of_tile + halo) + 3. * nodes);
        const int vectors = rows + 2 * radius + rows * (beside + across_y + 3);
        const int operations = rows * W * (4 * radius + across_y + 3), address = 60;
        const double vector_threads = blocks * threads;
        facts.shared_bytes += vector_threads * element * W * vectors;
        facts.operations += vector_threads * operations;
        facts.instructions += vector_threads * (operations + 2 * vectors + address);
    }
    add_fused_strips<T>(facts, grid, layers, radius);
    return facts;
}

/// Makes a cover so many volumes with these boxes.
template <typename T>
void set_boxes(FusedArguments<T>& a, const FusedBoxes& boxes, int volumes, std::int64_t volume_step) {
    a.boxes = boxes;
    a.volume_blocks = FusedDivisor(blocks_of(boxes));
    a.volumes = static_cast<unsigned>(volumes);
    a.volume_step = volume_step;
}

/// The images that stand in the halo layers across z, those of `copies` among them.
inline FusedImages fused_images(const std::vector<HaloCopy>& copies, std::int64_t nz) {
    FusedImages images;
    const int layers = static_cast<int>(nz);
    for (int j = 1; j <= kMaxRadius; ++j) {
        images.from[j - 1] = -j;
        images.from[kMaxRadius + j - 1] = layers - 1 + j;
        images.sign[j - 1] = images.sign[kMaxRadius + j - 1] = 1;
    }
    for (const HaloCopy& copy : copies) {
        const auto to = static_cast<int>(copy.to);
        const int slot = to < 0 ? -1 - to : kMaxRadius + to - layers;
        images.from[slot] = static_cast<int>(copy.from);
        images.sign[slot] = copy.sign;
    }
    return images;
}

/// The block that updates a node, among those of the boxes.
inline unsigned fused_block_of(const FusedBoxes& boxes, int dimensions, const std::array<std::int64_t, 3>& node) {
    for (int b = 0; b < boxes.count; ++b) {
        const FusedBox& box = boxes.box[b];
        const std::array<int, 3> tile = fused_tile(box, dimensions);
        unsigned at[3];
        bool inside = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            inside = inside && node[axis] >= box.begin[axis] && node[axis] < box.end[axis];
            const bool from_high_end = axis == 2 && box.layer > 0;
            const std::int64_t from_end = from_high_end ? box.end[2] - 1 - node[2] : node[axis] - box.begin[axis];
            at[axis] = static_cast<unsigned>(from_end / tile[axis]);
        }
        if (inside) return boxes.first[b] + (at[2] * box.tiles_y.divisor + at[1]) * box.tiles_x.divisor + at[0];
    }
    return blocks_of(boxes);
}

}  // namespace onda::cuda
