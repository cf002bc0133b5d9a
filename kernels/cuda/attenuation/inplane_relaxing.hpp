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
    auto row = inplane_row<Tile, Copies, RelaxingTileArguments<typename Tile::T, Count>,
                           relaxing_work<inplane_work<Tile, Copies>, Tile::rows, Tile::vector, Count>>(strategy, copy,
                                                                                                       architecture);
    row.equation = Count == 1 ? Equation::attenuation : Equation::attenuation_of_two;
    return row;
}

}  // namespace onda::cuda
