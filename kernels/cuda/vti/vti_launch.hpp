/// \file
/// The rows of the kernel of vertical transverse isotropy that marches, with either copy engine.
#pragma once

#include "kernels/cuda/inplane/inplane_launch.hpp"
#include "kernels/cuda/vti/march_vti.hpp"

namespace onda::cuda {

template <typename Tile, template <typename> class Copies>
Instance<typename Tile::T> vti_march_row(const char* copy, int architecture) {
    auto row = tile_row<Tile, Copies, vti_march_step<Tile, Copies>, vti_march_work<Tile, Copies>,
                        VtiTileArguments<typename Tile::T>>("march25d", copy, architecture);
    row.equation = Equation::vti;
    return row;
}

}  // namespace onda::cuda
