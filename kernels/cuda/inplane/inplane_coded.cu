// The in-plane kernel with bulk-tensor copies (TMA) on codes of k, for one radius (ONDA_RADIUS): the strategy that is
// fastest with them. Compiled for sm_90 and newer only.
#include "kernels/cuda/inplane/bulk_tensor_launch.hpp"

namespace onda::cuda {
namespace {

template <typename K>
void add_coded_inplane(Instances<float>& list, Storage storage) {
    constexpr int strategy = strategy_place("vertical");
    for_coded_tiles<ONDA_RADIUS, strategy>([&]<typename Tile>() {
        auto row = inplane_row<Tile, BulkTensorCopies, WithCodes<InPlaneArguments<float>, K>>(strategy, "tma", 90);
        row.storage = storage;
        list.push_back(row);
    });
}

}  // namespace

template <>
void add_inplane_coded<ONDA_RADIUS>(Instances<float>& list) {
    add_coded_inplane<CodesOfK>(list, Storage::codes);
    add_coded_inplane<IndicesOfK>(list, Storage::table);
}

}  // namespace onda::cuda
