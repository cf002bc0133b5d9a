// The kernel of variable density that marches, with bulk-tensor copies (TMA), for one radius (ONDA_RADIUS). Compiled for
// sm_90 and newer only.
#include <stdexcept>

#include "kernels/cuda/march25d/density_bulk_tensor.hpp"
#include "kernels/cuda/march25d/density_launch.hpp"
#include "kernels/cuda/tensor_map.hpp"

namespace onda::cuda {

namespace {

template <typename Tile>
struct GroupLaunch {
    using T = typename Tile::T;
    using Arguments = DensityTileArguments<T>;
    static constexpr auto kernel = density_bulk_tensor_step<Tile>;
    static constexpr MarchShape shape = density_shape<Tile, Tile::threads, 1>;
    static constexpr MarchWork work = density_group_work<Tile>();
    static void complete(Arguments& a, const Fields<T>& fields, int now) {
        if (fields.field.halo[2] != Tile::behind || fields.density.halo[2] != Tile::radius)
            throw std::logic_error("a field with another halo than its tiles");
        a.p_map = encode_tensor_map<T>(fields.p[now], fields.field, Tile::p_row, Tile::p_rows);
        a.rho_map = encode_tensor_map<T>(fields.half_rho, fields.density, Tile::rho_row, Tile::rho_rows);
    }
};

template <typename T>
void add_all(Instances<T>& list) {
    for_bulk_tensor_density_tiles<T, ONDA_RADIUS>(
        [&list]<typename Tile>() { list.push_back(density_row<GroupLaunch<Tile>>("tma", 90, Tile::own_rows)); });
}

}  // namespace

template <>
void add_density_bulk_tensor<ONDA_RADIUS>(Instances<float>& list) {
    add_all(list);
}
template <>
void add_density_bulk_tensor<ONDA_RADIUS>(Instances<double>& list) {
    add_all(list);
}

}  // namespace onda::cuda
