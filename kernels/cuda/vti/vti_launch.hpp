/// \file
/// The rows of the kernel of vertical transverse isotropy that marches, with either copy engine.
#pragma once

#include "kernels/cuda/inplane/inplane_launch.hpp"
#include "kernels/cuda/vti/march_vti.hpp"

namespace onda::cuda {

template <typename Tile, template <typename> class Copies, typename Given>
Instance<typename Tile::T> vti_march_row(Equation equation, const char* copy, int architecture) {
    auto row = tile_row<Tile, Copies, vti_march_step<Tile, Copies, Given>, vti_march_work<Tile, Copies, Given>, Given>(
        "march25d", copy, architecture);
    row.equation = equation;
    return row;
}

/// Appends those of a tile: without the strain, and with it.
template <typename Tile, template <typename> class Copies>
void add_vti_march(Instances<typename Tile::T>& list, const char* copy, int architecture) {
    using T = typename Tile::T;
    list.push_back(vti_march_row<Tile, Copies, VtiTileArguments<T>>(Equation::vti, copy, architecture));
    list.push_back(vti_march_row<Tile, Copies, StrainTileArguments<T>>(Equation::vti_of_gradients, copy, architecture));
}

}  // namespace onda::cuda
