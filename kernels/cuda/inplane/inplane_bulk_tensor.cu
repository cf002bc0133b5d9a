// The in-plane kernel with bulk-tensor copies (TMA), for one radius (ONDA_RADIUS): all strategies, all tiles. Compiled
// for sm_90 and newer only.
#include "kernels/cuda/inplane/bulk_tensor_launch.hpp"

namespace onda::cuda {
namespace {

template <typename T>
void add_inplane_bulk_tensor(Instances<T>& list) {
    for_each_strategy([&list]<int Strategy>() {
        for_bulk_tensor_tiles<T, ONDA_RADIUS, Strategy>([&list]<typename Tile>() {
            list.push_back(inplane_row<Tile, BulkTensorCopies>(Strategy, "tma", 90));
        });
    });
    if constexpr (ONDA_RADIUS == 1) add_compact_inplane<T, BulkTensorCopies>(list, "tma", 90);
}

}  // namespace

template <>
void add_inplane_bulk_tensor<ONDA_RADIUS>(Instances<float>& list) {
    add_inplane_bulk_tensor(list);
}
template <>
void add_inplane_bulk_tensor<ONDA_RADIUS>(Instances<double>& list) {
    add_inplane_bulk_tensor(list);
}

}  // namespace onda::cuda
