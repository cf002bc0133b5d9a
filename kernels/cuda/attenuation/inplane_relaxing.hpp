/// \file
/// The rows of attenuation in-plane (kernels/cuda/inplane/inplane.hpp).
#pragma once

#include "kernels/cuda/attenuation/relaxing.hpp"
#include "kernels/cuda/inplane/inplane_launch.hpp"

namespace onda::cuda {

template <typename T, int Count>
using RelaxingTileArguments = WithMemory<T, InPlaneArguments<T>, Count>;

/// The row of one tile and copy engine.
template <typename Tile, template <typename> class Copies, int Count>
Instance<typename Tile::T> relaxing_row(int strategy, const char* copy, int architecture) {
    using T = typename Tile::T;
    using Given = RelaxingTileArguments<T, Count>;
    const std::string kernel = "inplane-" + std::string(kLoadStrategies[static_cast<std::size_t>(strategy)].name);
    auto row = tile_row<Tile, Copies, inplane_step<Tile, Copies, Given>,
                        relaxing_work<inplane_work<Tile, Copies>, Tile::rows, Tile::vector, Count>, Given>(
        kernel, copy, architecture);
    row.equation = Count == 1 ? Equation::attenuation : Equation::attenuation_of_two;
    return row;
}

}  // namespace onda::cuda
