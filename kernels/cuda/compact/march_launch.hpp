/// \file
/// The rows of the kernels that march and sum each plane once.
#pragma once

#include "kernels/cuda/compact/march_tiles.hpp"
#include "kernels/cuda/inplane/inplane_launch.hpp"

namespace onda::cuda {

/// The row of one tile, engine and operator.
template <typename Tile, template <typename> class Copies, typename Operator>
Instance<typename Tile::T> march_instance(WaveOperator wave_operator, const char* kernel, const char* copy,
                                          int architecture) {
    using Launched = InPlaneStepper<Tile, Copies, march_step<Tile, Copies, Operator>>;
    auto row = marching_instance<Tile, Copies, Launched>(kernel, copy, architecture);
    row.wave_operator = wave_operator;
    row.tile += "u" + std::to_string(Tile::unroll) + "a" + std::to_string(Tile::ahead);
    return row;
}

/// The compact stencil in-plane with one copy engine.
template <typename T, template <typename> class Copies>
void add_compact_inplane(Instances<T>& list, const char* copy, int architecture) {
    for_compact_inplane_tiles<T>([&]<typename Tile>() {
        list.push_back(march_instance<Tile, Copies, CompactOperator<T, Tile::dimensions>>(
            WaveOperator::compact, "inplane-full", copy, architecture));
    });
}

}  // namespace onda::cuda
