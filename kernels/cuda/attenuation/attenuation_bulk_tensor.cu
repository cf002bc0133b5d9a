// Attenuation in-plane with bulk-tensor copies (TMA), for one radius (ONDA_RADIUS). Compiled for sm_90 and newer only.
#include "kernels/cuda/attenuation/inplane_relaxing.hpp"
#include "kernels/cuda/inplane/bulk_tensor_launch.hpp"

namespace onda::cuda {

template <>
void add_attenuation_bulk_tensor<ONDA_RADIUS>(Instances<float>& list) {
    constexpr int strategy = strategy_place("vertical");
    for_relaxing_tiles<ONDA_RADIUS, strategy>([&list]<typename Tile>() {
        list.push_back(relaxing_row<Tile, BulkTensorCopies, 1>(strategy, "tma", 90));
    });
}

}  // namespace onda::cuda
