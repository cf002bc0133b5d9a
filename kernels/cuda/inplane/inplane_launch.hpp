/// \file
/// Launches the in-plane kernel with one tile and one copy engine.
#pragma once

#include <algorithm>

#include "kernels/cuda/inplane/inplane.hpp"
#include "kernels/cuda/runtime.hpp"
#include "kernels/cuda/stepper.hpp"

namespace onda::cuda {

/// What a copy engine must know of a field beside its arguments; engines that need nothing keep this one.
template <typename Tile, template <typename> class Copies>
struct EncodeMaps {
    static void encode(InPlaneArguments<typename Tile::T>&, const Fields<typename Tile::T>&, int) {}
};

template <typename Tile, template <typename> class Copies, auto Kernel = inplane_step<Tile, Copies>>
class InPlaneStepper final : public Stepper {
public:
    using T = typename Tile::T;
    static constexpr auto kernel = Kernel;
    static constexpr int shared_bytes = Copies<Tile>::shared_bytes;
    /// The longest march of a block: what was fastest on an H200, which grows with the planes that are read twice.
    static constexpr int longest = 96 * Tile::radius;

    explicit InPlaneStepper(const Fields<T>& fields) {
        const Grid& grid = fields.grid;
        const Resources has = resources_of(reinterpret_cast<const void*>(kernel), Tile::threads, shared_bytes);
        const int tiles_x = blocks_for(grid.nx(), Tile::width), tiles_y = blocks_for(grid.ny(), Tile::height);
        const std::int64_t resident =
            static_cast<std::int64_t>(std::max(1, has.blocks_per_multiprocessor)) * multiprocessors();
        const int chunk = planes_a_block(grid.nz(), std::int64_t{tiles_x} * tiles_y, resident, Tile::radius, longest);
        grid_ = dim3(static_cast<unsigned>(tiles_x), static_cast<unsigned>(tiles_y),
                     static_cast<unsigned>(blocks_for(grid.nz(), chunk)));
        for (int now = 0; now < 2; ++now) {
            InPlaneArguments<T>& a = arguments_[now];
            set_common(a, fields, now);
            a.y_halo = static_cast<int>(fields.field.halo[1]);
            a.chunk = chunk;
            EncodeMaps<Tile, Copies>::encode(a, fields, now);
        }
    }
    void step(int now, cudaStream_t stream) const override {
        kernel<<<grid_, dim3(Tile::block_x, Tile::block_y), shared_bytes, stream>>>(arguments_[now]);
        ONDA_CUDA_TRY(cudaGetLastError());
    }

private:
    dim3 grid_;
    InPlaneArguments<T> arguments_[2];
};

/// The row of what a stepper launches.
template <typename Tile, template <typename> class Copies, typename Launched>
Instance<typename Tile::T> marching_instance(const std::string& kernel, const char* copy, int architecture) {
    using T = typename Tile::T;
    Instance<T> row;
    row.kernel = kernel;
    row.tile = std::to_string(Tile::width) + "x" + std::to_string(Tile::height) + "r" + std::to_string(Tile::rows);
    row.copy = copy;
    row.radius = Tile::radius;
    row.dimensions = Tile::height == 1 ? 2 : 3;
    row.architecture = architecture;
    row.shared_bytes = Copies<Tile>::shared_bytes;
    row.make = [](const Instance<T>&, const Fields<T>& fields) -> std::unique_ptr<Stepper> {
        return std::make_unique<Launched>(fields);
    };
    row.resources = [](const Instance<T>&, const Stencil<T>&) {
        return resources_of(reinterpret_cast<const void*>(Launched::kernel), Tile::threads, Launched::shared_bytes);
    };
    return row;
}

/// The row of one tile and engine.
template <typename Tile, template <typename> class Copies>
Instance<typename Tile::T> inplane_instance(int strategy, const char* copy, int architecture) {
    const std::string kernel = "inplane-" + std::string(kLoadStrategies[static_cast<std::size_t>(strategy)].name);
    return marching_instance<Tile, Copies, InPlaneStepper<Tile, Copies>>(kernel, copy, architecture);
}

}  // namespace onda::cuda
