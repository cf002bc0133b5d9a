// Launches the leap with bulk-tensor copies, for one radius (ONDA_RADIUS). Compiled for sm_90 and newer only.
#include "kernels/cuda/leap/leap_bulk_tensor.hpp"
#include "kernels/cuda/leap/leap_launch.hpp"
#include "kernels/cuda/leap/leap_tiles.hpp"
#include "kernels/cuda/tensor_map.hpp"

namespace onda::cuda {
namespace {

template <typename Tile>
struct LeapTileLaunch {
    using T = typename Tile::T;
    using Arguments = LeapTileArguments<T>;
    static constexpr auto kernel = leap_bulk_tensor_step<Tile>;
    static constexpr LeapShape shape{.width = Tile::width,
                                     .height = Tile::height,
                                     .threads_x = Tile::threads,
                                     .threads_y = 1,
                                     .shared_bytes = Tile::shared_bytes,
                                     .radius = Tile::radius,
                                     .align_x = Tile::line};
    static constexpr LeapWork work = leap_tile_work<Tile>();
    static void complete(Arguments& a, const Fields<T>& fields, int now) {
        a.p_map = encode_tensor_map<T>(fields.p[now], fields.field, Tile::p_width, Tile::p_height);
        a.k_map = encode_tensor_map<T>(fields.k, fields.model, Tile::inner_width, Tile::inner_height);
    }
};

template <typename T>
void add_all(Instances<T>& list) {
    for_leap_tiles<T, ONDA_RADIUS>([&list]<typename Tile>() {
        auto row = leap_row<LeapTileLaunch<Tile>>("leap", 90, 3);
        row.tile += "r" + std::to_string(Tile::inner_rows);
        row.copy = "tma";
        list.push_back(row);
    });
}

}  // namespace

template <>
void add_leap_bulk_tensor<ONDA_RADIUS>(Instances<float>& list) {
    add_all(list);
}
template <>
void add_leap_bulk_tensor<ONDA_RADIUS>(Instances<double>& list) {
    add_all(list);
}

}  // namespace onda::cuda
