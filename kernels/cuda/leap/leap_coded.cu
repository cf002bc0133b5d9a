// Launches the leap with bulk-tensor copies on codes of k, for one radius (ONDA_RADIUS). Compiled for sm_90 and newer
// only.
#include "kernels/cuda/leap/leap_tile_launch.hpp"
#include "kernels/cuda/leap/leap_tiles.hpp"

namespace onda::cuda {
namespace {

template <typename K>
void add_all(Instances<float>& list, Storage storage) {
    const auto add = [&]<typename Tile>() {
        auto row = leap_tile_row<Tile>();
        row.storage = storage;
        row.tile += "s" + std::to_string(Tile::stages) + "p" + std::to_string(Tile::planes) + (Tile::waits_decoded ? "d" : "");
        list.push_back(row);
    };
    for_leap_tiles<float, ONDA_RADIUS, K>(add);
    if constexpr (ONDA_RADIUS == 4) {
        add.template operator()<LeapTile<float, 4, 64, 24, 2, 2, 3, 3, K>>();
        add.template operator()<LeapTile<float, 4, 64, 24, 2, 2, 2, 2, K, true>>();
        add.template operator()<LeapTile<float, 4, 64, 24, 2, 2, 3, 2, K>>();
        add.template operator()<LeapTile<float, 4, 64, 24, 2, 2, 3, 3, K, true>>();
        add.template operator()<LeapTile<float, 4, 56, 24, 2, 2, 2, 2, K>>();
        add.template operator()<LeapTile<float, 4, 96, 16, 2, 2, 2, 2, K>>();
    }
}

}  // namespace

template <>
void add_leap_coded<ONDA_RADIUS>(Instances<float>& list) {
    add_all<CodesOfK>(list, Storage::codes);
    add_all<IndicesOfK>(list, Storage::table);
}

}  // namespace onda::cuda
