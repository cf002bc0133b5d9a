// Launches the leap with bulk-tensor copies on codes of k, for one radius (ONDA_RADIUS). Compiled for sm_90 and newer
// only.
#include "kernels/cuda/leap/leap_tile_launch.hpp"
#include "kernels/cuda/leap/leap_tiles.hpp"

namespace onda::cuda {
namespace {

template <typename K>
void add_coded_leaps(Instances<float>& list, Storage storage) {
    for_leap_tiles<float, ONDA_RADIUS, K>([&]<typename Tile>() {
        auto row = leap_tile_row<Tile>();
        row.storage = storage;
        list.push_back(row);
    });
}

}  // namespace

template <>
void add_leap_coded<ONDA_RADIUS>(Instances<float>& list) {
    add_coded_leaps<CodesOfK>(list, Storage::codes);
    add_coded_leaps<IndicesOfK>(list, Storage::table);
}

}  // namespace onda::cuda
