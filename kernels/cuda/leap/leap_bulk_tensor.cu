// Launches the leap with bulk-tensor copies, for one radius (ONDA_RADIUS). Compiled for sm_90 and newer only.
#include "kernels/cuda/leap/leap_tile_launch.hpp"
#include "kernels/cuda/leap/leap_tiles.hpp"

namespace onda::cuda {
namespace {

template <typename T>
void add_leap_bulk_tensor(Instances<T>& list) {
    for_leap_tiles<T, ONDA_RADIUS>([&list]<typename Tile>() { list.push_back(leap_tile_row<Tile>()); });
}

}  // namespace

template <>
void add_leap_bulk_tensor<ONDA_RADIUS>(Instances<float>& list) {
    add_leap_bulk_tensor(list);
}
template <>
void add_leap_bulk_tensor<ONDA_RADIUS>(Instances<double>& list) {
    add_leap_bulk_tensor(list);
}

}  // namespace onda::cuda
