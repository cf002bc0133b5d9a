// The in-plane kernel with bulk-tensor copies (TMA), for one radius (ONDA_RADIUS): all strategies, all tiles. Compiled
// for sm_90 and newer only.
#include <stdexcept>

#include "kernels/cuda/inplane/bulk_tensor_copies.hpp"
#include "kernels/cuda/inplane/inplane_launch.hpp"
#include "kernels/cuda/tensor_map.hpp"

namespace onda::cuda {
namespace {

/// The map of a padded field for boxes of one rectangle. Coordinates begin in the halo, at (-x_halo, -y_halo, -R).
template <typename Tile>
TensorMap encode_map(const Fields<typename Tile::T>& fields, int now, const StoredRectangle& r) {
    if (fields.field.halo[0] != Tile::x_halo || fields.field.halo[2] != Tile::radius)
        throw std::logic_error("a field with another halo than its tiles");
    return encode_tensor_map<typename Tile::T>(fields.p[now], fields.field, r.width, r.height, Tile::map_unit);
}

}  // namespace

template <typename Tile>
struct EncodeMaps<Tile, BulkTensorCopies> {
    static void encode(InPlaneArguments<typename Tile::T>& a, const Fields<typename Tile::T>& fields, int now) {
        for (int i = 0; i < Tile::layout.count; ++i)
            a.maps[i] = encode_map<Tile>(fields, now, Tile::layout.rectangle[i]);
    }
};

namespace {

template <typename T>
void add_all(Instances<T>& list) {
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
    add_all(list);
}
template <>
void add_inplane_bulk_tensor<ONDA_RADIUS>(Instances<double>& list) {
    add_all(list);
}

}  // namespace onda::cuda
