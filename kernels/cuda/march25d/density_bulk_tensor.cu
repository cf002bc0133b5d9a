// The kernel of variable density that marches, with bulk-tensor copies (TMA), for one radius (ONDA_RADIUS). Compiled for
// sm_90 and newer only.
#include <stdexcept>

#include "kernels/cuda/march25d/density_bulk_tensor_copies.hpp"
#include "kernels/cuda/march25d/density_launch.hpp"
#include "kernels/cuda/tensor_map.hpp"

namespace onda::cuda {

template <typename Tile>
struct EncodeDensityMaps<Tile, DensityBulkTensorCopies> {
    using T = typename Tile::T;
    static void encode(DensityTileArguments<T>& a, const Fields<T>& fields, int now) {
        if (fields.field.halo[2] != 2 * Tile::radius - 1 || fields.density.halo[2] != Tile::radius)
            throw std::logic_error("a field with another halo than its tiles");
        a.p_map = encode_tensor_map<T>(fields.p[now], fields.field, Tile::p_row, Tile::p_rows);
        a.rho_map = encode_tensor_map<T>(fields.half_rho, fields.density, Tile::rho_row, Tile::rho_rows);
    }
};

namespace {

template <typename T>
void add_all(Instances<T>& list) {
    for_bulk_tensor_density_tiles<T, ONDA_RADIUS>(
        [&list]<typename Tile>() { list.push_back(density_row<Tile, DensityBulkTensorCopies>("tma", 90)); });
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
