/// \file
/// Launches of kernels whose threads take a node each, for one radius (ONDA_RADIUS).
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "kernels/cuda/direct/direct.hpp"
#include "kernels/cuda/launch.hpp"

namespace onda::cuda {
namespace {

/// The values that a block of the direct kernel reads of one array: its nodes, and those that its reach adds along each
/// axis, in whole sectors along x.
double values_of_block(dim3 block, const TileReach& reach, bool corners, int element_bytes) {
    const double x = block.x, y = block.y, z = block.z, beside = 2. * in_sectors(reach.x, element_bytes);
    const double above = 2. * reach.y, before = 2. * reach.z;
    if (corners) return (x + beside) * (y + above) * (z + before);
    return x * y * z + beside * y * z + x * above * z + x * y * before;
}

/// Each block finds what it reads twice in the L1 cache, and nothing of what its neighbours read.
template <typename T>
StepFacts direct_facts(const NodeWork& work, dim3 block, const Grid& grid, int volumes) {
    StepFacts facts = facts_of_streams(grid, sizeof(T), work.arrays);
    const double blocks = static_cast<double>(blocks_for(grid.nx(), block.x)) * blocks_for(grid.ny(), block.y) *
                          blocks_for(grid.nz(), block.z);
    double values = values_of_block(block, work.p, work.corners, sizeof(T));
    if (work.rho.x > 0) values += values_of_block(block, work.rho, false, sizeof(T));
    facts.launches = volumes;
    facts.blocks = static_cast<std::int64_t>(blocks);
    const double inside = facts.points / (blocks * block.x * block.y * block.z);  // of the threads
    facts.l2_bytes = static_cast<double>(sizeof(T)) *
                     (blocks * inside * values + streams_beside(work.arrays, work.rho) * facts.points);
    // Blocks beside each other along z are a layer of the grid apart.
    const double arrays = 2. * work.arrays.fields + work.arrays.memory + work.arrays.medium,
                 layer = sizeof(T) * static_cast<double>(grid.nx() * grid.ny());
    facts.window_bytes = arrays * layer * (block.z + 2. * work.p.z);
    const double again = 2. * (work.p.z + work.rho.z) / block.z;
    facts.refetch_bytes = again * layer * static_cast<double>(grid.nz());
    constexpr double line = kWavefrontBytes / 32.;
    facts.shared_bytes = facts.points * (work.loads * static_cast<double>(sizeof(T)) + work.along_x * line);
    constexpr int address_of_load = 2, index = 25;
    const int of_reciprocals = sizeof(T) == 8 ? kLongReciprocal * work.reciprocals : 0;
    facts.operations = facts.points * (work.operations + of_reciprocals);
    facts.instructions = facts.points * (work.operations + (1 + address_of_load) * work.loads + index);
    return all_volumes(facts, volumes);
}

/// \tparam In2d, In3d the kernels; both take Arguments. \tparam Work what a node costs them in so many dimensions.
/// \tparam Beyond how many nodes beyond each face have threads, too.
template <typename T, typename Arguments, auto In2d, auto In3d, auto Work, int Beyond = 0>
class DirectStepper final : public Stepper {
public:
    DirectStepper(const Fields<T>& fields, dim3 block) : block_(block), dimensions_(fields.stencil.dimensions) {
        blocks_x_ = static_cast<unsigned>(blocks_for(fields.grid.nx() + 2 * Beyond, block.x));
        blocks_y_ = static_cast<unsigned>(blocks_for(fields.grid.ny() + (dimensions_ == 3 ? 2 * Beyond : 0), block.y));
        for (int now = 0; now < 2; ++now) set_common(arguments_[now], fields, now);
    }
    static constexpr auto kernel_for(int dimensions) { return dimensions == 2 ? In2d : In3d; }
    static constexpr NodeWork work(int dimensions) { return Work(dimensions); }
    void step(int now, cudaStream_t stream) const override {
        const auto kernel = kernel_for(dimensions_);
        Arguments a = arguments_[now];
        // As many planes at a time as a launch can have.
        const int most = static_cast<int>(kMostBlocks * block_.z) - 2 * Beyond, planes = a.nz;
        for (int z = 0; z < planes; z += most) {
            a.nz = std::min(most, planes - z);
            const dim3 grid(blocks_x_, blocks_y_, static_cast<unsigned>(blocks_for(a.nz + 2 * Beyond, block_.z)));
            launch<T>(kernel, {grid, block_}, stream, a);
            skip_planes(a, a.nz);
        }
    }

private:
    dim3 block_;
    unsigned blocks_x_ = 0, blocks_y_ = 0;
    int dimensions_;
    Arguments arguments_[2];
};

template <typename T>
dim3 block_of(const Instance<T>& row) {
    return {static_cast<unsigned>(row.parameters[0]), static_cast<unsigned>(row.parameters[1]),
            static_cast<unsigned>(row.parameters[2])};
}

/// The rows of one operator: the blocks of threads that are compiled.
template <typename T, typename Launched>
void add_blocks(Instances<T>& list, Equation equation, Storage storage = Storage::full) {
    // x, y, z and the dimensions they are for
    constexpr int blocks[][4] = {{32, 4, 2, 3}, {64, 4, 1, 3}, {128, 1, 2, 2}, {32, 1, 8, 2}};
    for (const auto& [x, y, z, dimensions] : blocks) {
        Instance<T> row;
        row.kernel = "direct";
        row.tile = std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z);
        row.equation = equation;
        row.storage = storage;
        row.radius = ONDA_RADIUS;
        row.dimensions = dimensions;
        row.architecture = 75;
        row.parameters[0] = x;
        row.parameters[1] = y;
        row.parameters[2] = z;
        row.make = [](const Instance<T>& self, const Fields<T>& fields) -> std::unique_ptr<Stepper> {
            return std::make_unique<Launched>(fields, block_of(self));
        };
        row.resources = [](const Instance<T>& self, const Stencil<T>& stencil) {
            const dim3 block = block_of(self);
            return resources_of(reinterpret_cast<const void*>(Launched::kernel_for(stencil.dimensions)),
                                static_cast<int>(block.x * block.y * block.z), 0);
        };
        row.facts = [](const Instance<T>& self, const StepExtent<T>& extent) {
            StepFacts facts =
                direct_facts<T>(Launched::work(extent.grid.dimensions), block_of(self), extent.grid, extent.volumes);
            facts.compiled = self.resources(self, extent.stencil);
            return facts;
        };
        list.push_back(row);
    }
}

}  // namespace
}  // namespace onda::cuda
