// Attenuation in-plane, and with variable density marching, with bulk-tensor copies (TMA), for one radius
// (ONDA_RADIUS). Compiled for sm_90 and newer only.
#include "kernels/cuda/attenuation/density_relaxing.hpp"
#include "kernels/cuda/attenuation/drag.hpp"
#include "kernels/cuda/attenuation/inplane_relaxing.hpp"
#include "kernels/cuda/inplane/bulk_tensor_launch.hpp"
#include "kernels/cuda/march25d/density_bulk_tensor_launch.hpp"

namespace onda::cuda {
namespace {

/// The row of the kernel with groups of warps.
template <typename Tile>
Instance<typename Tile::T> relaxing_density_group_row() {
    constexpr int of_thread = Tile::core / (Tile::vector * Tile::threads) + 1;
    auto row = density_group_row<Tile, RelaxingDensityArguments<typename Tile::T, 1>,
                                 relaxing_work<density_group_work<Tile>, of_thread, Tile::vector, 1>>();
    row.equation = Equation::attenuation_density;
    return row;
}

/// The tiles of the star, to which drag adds one array: registers have room for it at several rows a thread.
template <int R>
void add_bulk_tensor_drag(Instances<float>& list) {
    constexpr int strategy = strategy_place("vertical");
    const auto add = [&list]<typename Tile>() {
        list.push_back(dragging_row<Tile, BulkTensorCopies>(strategy, "tma", 90));
    };
    for_coded_tiles<R, strategy>(add);
    for_one_row_tiles<R, strategy>(add);
    for_bulk_tensor_density_tiles<float, R>(
        [&list]<typename Tile>() { list.push_back(dragging_density_row<Tile, DensityBulkTensorCopies>("tma", 90)); });
}

}  // namespace

template <>
void add_attenuation_bulk_tensor<ONDA_RADIUS>(Instances<float>& list) {
    constexpr int strategy = strategy_place("vertical");
    for_one_row_tiles<ONDA_RADIUS, strategy>(
        [&]<typename Tile>() { list.push_back(relaxing_row<Tile, BulkTensorCopies, 1>(strategy, "tma", 90)); });
    for_bulk_tensor_density_tiles<float, ONDA_RADIUS>([&list]<typename Tile>() {
        list.push_back(relaxing_density_row<Tile, DensityBulkTensorCopies, 1>("tma", 90));
    });
    for_density_group_tiles<float, ONDA_RADIUS>(
        [&list]<typename Tile>() { list.push_back(relaxing_density_group_row<Tile>()); });
    add_bulk_tensor_drag<ONDA_RADIUS>(list);
}

}  // namespace onda::cuda
