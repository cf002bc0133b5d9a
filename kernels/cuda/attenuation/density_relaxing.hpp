/// \file
/// The rows of attenuation with variable density that march (kernels/cuda/march25d).
#pragma once

#include "kernels/cuda/attenuation/relaxing.hpp"
#include "kernels/cuda/march25d/density_launch.hpp"

namespace onda::cuda {

template <typename T, int Count>
using RelaxingDensityArguments = WithMemory<T, DensityTileArguments<T>, Count>;

/// The row of the kernel whose threads are all alike.
template <typename Tile, template <typename> class Copies, int Count>
Instance<typename Tile::T> relaxing_density_row(const char* copy, int architecture) {
    auto row = density_march_row<Tile, Copies, RelaxingDensityArguments<typename Tile::T, Count>,
                                 relaxing_work<density_march_work<Tile, Copies>, Tile::rows, Tile::vector, Count>>(
        copy, architecture);
    row.equation = Count == 1 ? Equation::attenuation_density : Equation::attenuation_density_of_two;
    return row;
}

}  // namespace onda::cuda
