// Vertical transverse isotropy with bulk-tensor copies (TMA), for one radius (ONDA_RADIUS). Compiled for sm_90 and
// newer only.
#include "kernels/cuda/inplane/bulk_tensor_launch.hpp"
#include "kernels/cuda/vti/vti_launch.hpp"

namespace onda::cuda {

template <>
void add_vti_bulk_tensor<ONDA_RADIUS>(Instances<float>& list) {
    for_one_row_tiles<ONDA_RADIUS, strategy_place("vertical")>(
        [&list]<typename Tile>() { add_vti_march<Tile, BulkTensorCopies>(list, "tma", 90); });
}

}  // namespace onda::cuda
