/// \file
/// What the launchers of all kernels share: what is known of a compiled kernel, and the launch of kernels whose blocks
/// march along z.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <memory>
#include <string>
#include <utility>

#include "kernels/cuda/blocks.hpp"
#include "kernels/cuda/common_arguments.hpp"
#include "kernels/cuda/launch_kernel.hpp"
#include "kernels/cuda/runtime.hpp"
#include "kernels/cuda/stepper.hpp"

namespace onda::cuda {

/// What the compiler and the driver say of a kernel. \throws Error.
Resources resources_of(const void* kernel, int threads, int shared_bytes);
/// Lets a kernel use more shared memory than the 48 KiB that all have. \throws Error.
void allow_shared_memory(const void* kernel, int shared_bytes);
/// Number of multiprocessors of this thread's GPU. \throws Error.
int multiprocessors();

/// The block of a marching kernel.
struct MarchShape {
    int width, height;     ///< nodes of its tile along x and y
    int block_x, block_y;  ///< threads
    int shared_bytes;
    int reach;    ///< planes it reads on either side of those it updates
    int longest;  ///< march, in planes: blocks that drift apart no longer find their neighbours' halos in the L2 cache
};

/// How one grid is divided among the blocks of a marching kernel: tiles along x and y, chunks of planes along z.
struct MarchPlan {
    LaunchShape shape;
    Chunks chunks;
};

/// The plan that keeps all multiprocessors evenly busy. Lets the kernel use its shared memory. \throws Error.
MarchPlan plan_march(const void* kernel, const MarchShape& shape, const Grid& grid);

/// Cost counts of steps that a marching kernel takes, one launch a volume. \throws Error.
StepFacts march_facts(const void* kernel, const MarchShape& shape, const MarchWork& work, const Grid& grid, int volumes,
                      int element_bytes);

/// Launches one marching kernel.
/// \tparam Launch names the element T, the Arguments, the kernel, its shape and its work; complete(arguments, fields,
/// now) sets what its arguments hold beside set_common() and the chunk.
template <typename Launch>
class MarchStepper final : public Stepper {
public:
    using T = typename Launch::T;
    using Arguments = typename Launch::Arguments;

    explicit MarchStepper(const Fields<T>& fields)
        : plan_(plan_march(reinterpret_cast<const void*>(Launch::kernel), Launch::shape, fields.grid)) {
        for (int now = 0; now < 2; ++now) {
            set_common(arguments_[now], fields, now);
            arguments_[now].chunks = plan_.chunks;
            Launch::complete(arguments_[now], fields, now);
        }
    }
    void step(int now, cudaStream_t stream) const override {
        launch<T>(Launch::kernel, plan_.shape, stream, arguments_[now]);
    }

private:
    MarchPlan plan_;
    Arguments arguments_[2];
};

/// The row of one marching kernel in the table of instances. The launcher adds radius, dimensions, operator and copy
/// engine.
template <typename Launch>
Instance<typename Launch::T> march_row(std::string kernel, std::string tile, int architecture) {
    using T = typename Launch::T;
    Instance<T> row;
    row.kernel = std::move(kernel);
    row.tile = std::move(tile);
    row.architecture = architecture;
    row.shared_bytes = Launch::shape.shared_bytes;
    row.make = [](const Instance<T>&, const Fields<T>& fields) -> std::unique_ptr<Stepper> {
        return std::make_unique<MarchStepper<Launch>>(fields);
    };
    row.resources = [](const Instance<T>&, const Stencil<T>&) {
        constexpr MarchShape shape = Launch::shape;
        return resources_of(reinterpret_cast<const void*>(Launch::kernel), shape.block_x * shape.block_y,
                            shape.shared_bytes);
    };
    row.facts = [](const Instance<T>&, const StepExtent<T>& extent) {
        return march_facts(reinterpret_cast<const void*>(Launch::kernel), Launch::shape, Launch::work, extent.grid,
                           extent.volumes, sizeof(T));
    };
    return row;
}

}  // namespace onda::cuda
