/// \file
/// Launches the kernels that march with a tile and a copy engine: the in-plane kernel with either engine, and those
/// that sum each plane once (kernels/cuda/compact/march.hpp).
#pragma once

#include <string>

#include "kernels/cuda/compact/march.hpp"
#include "kernels/cuda/inplane/inplane.hpp"
#include "kernels/cuda/launch.hpp"

namespace onda::cuda {

/// What a copy engine must know of a field beside its arguments; engines that need nothing keep this one.
template <typename Tile, template <typename> class Copies>
struct EncodeMaps {
    static void encode(InPlaneArguments<typename Tile::T>&, const Fields<typename Tile::T>&, int) {}
};

/// How one kernel with one tile and copy engine is launched, for MarchStepper.
/// \tparam Work makes what a plane costs.
template <typename Tile, template <typename> class Copies, auto Kernel, auto Work,
          typename Given = InPlaneArguments<typename Tile::T>>
struct InPlaneLaunch {
    using T = typename Tile::T;
    using Arguments = Given;
    static constexpr auto kernel = Kernel;
    // The longest march is what was fastest on an H200: it grows with the planes that are read twice.
    static constexpr MarchShape shape{
        .width = Tile::width,
        .height = Tile::height,
        .block_x = Tile::block_x,
        .block_y = Tile::block_y,
        .shared_bytes = Copies<Tile>::shared_bytes,
        .reach = Tile::radius,
        .longest = 96 * Tile::radius,
    };
    static constexpr MarchWork work = Work();
    static void complete(Arguments& a, const Fields<T>& fields, int now) {
        EncodeMaps<Tile, Copies>::encode(a, fields, now);
    }
};

/// The row of one kernel with one tile and copy engine.
template <typename Tile, template <typename> class Copies, auto Kernel, auto Work,
          typename Given = InPlaneArguments<typename Tile::T>>
Instance<typename Tile::T> tile_row(const std::string& kernel, const char* copy, int architecture) {
    const std::string tile = std::to_string(Tile::width) + "x" + std::to_string(Tile::height);
    auto row = march_row<InPlaneLaunch<Tile, Copies, Kernel, Work, Given>>(
        kernel, tile + "r" + std::to_string(Tile::rows), architecture);
    row.copy = copy;
    row.radius = Tile::radius;
    row.dimensions = Tile::height == 1 ? 2 : 3;
    return row;
}

/// The row of the in-plane kernel with one tile and copy engine. \tparam Work makes what a plane costs.
template <typename Tile, template <typename> class Copies, typename Given = InPlaneArguments<typename Tile::T>,
          auto Work = inplane_work<Tile, Copies>>
Instance<typename Tile::T> inplane_row(int strategy, const char* copy, int architecture) {
    const std::string kernel = "inplane-" + std::string(kLoadStrategies[static_cast<std::size_t>(strategy)].name);
    return tile_row<Tile, Copies, inplane_step<Tile, Copies, Given>, Work, Given>(kernel, copy, architecture);
}

/// The row of a kernel that sums each plane once, with one tile, copy engine and operator.
template <typename Tile, template <typename> class Copies, typename Operator>
Instance<typename Tile::T> plane_sum_row(Equation equation, const char* kernel, const char* copy, int architecture) {
    auto row = tile_row<Tile, Copies, march_step<Tile, Copies, Operator>, march_work<Tile, Copies>>(kernel, copy,
                                                                                                    architecture);
    row.equation = equation;
    row.tile += "u" + std::to_string(Tile::unroll) + "a" + std::to_string(Tile::ahead);
    return row;
}

/// The rows of the compact stencil in-plane with one copy engine.
template <typename T, template <typename> class Copies>
void add_compact_inplane(Instances<T>& list, const char* copy, int architecture) {
    for_compact_inplane_tiles<T>([&]<typename Tile>() {
        list.push_back(plane_sum_row<Tile, Copies, CompactOperator<T, Tile::dimensions>>(
            Equation::compact, "inplane-full", copy, architecture));
    });
}

}  // namespace onda::cuda
