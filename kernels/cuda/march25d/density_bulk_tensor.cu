// The kernels of variable density that march, with bulk-tensor copies (TMA), for one radius (ONDA_RADIUS). Compiled for
// sm_90 and newer only.
#include "kernels/cuda/march25d/density_bulk_tensor_launch.hpp"

namespace onda::cuda {

namespace {

template <typename T>
void add_density_bulk_tensor(Instances<T>& list) {
    for_bulk_tensor_density_tiles<T, ONDA_RADIUS>(
        [&list]<typename Tile>() { list.push_back(density_march_row<Tile, DensityBulkTensorCopies>("tma", 90)); });
    for_density_group_tiles<T, ONDA_RADIUS>([&list]<typename Tile>() { list.push_back(density_group_row<Tile>()); });
}

}  // namespace

template <>
void add_density_bulk_tensor<ONDA_RADIUS>(Instances<float>& list) {
    add_density_bulk_tensor(list);
}
template <>
void add_density_bulk_tensor<ONDA_RADIUS>(Instances<double>& list) {
    add_density_bulk_tensor(list);
}

}  // namespace onda::cuda
