/// \file
/// Launches the in-plane kernel with bulk-tensor copies (TMA): the maps that its copy engine reads. Only sources
/// compiled for sm_90 and newer include it.
#pragma once

#include <stdexcept>

#include "kernels/cuda/inplane/bulk_tensor_copies.hpp"
#include "kernels/cuda/inplane/inplane_launch.hpp"
#include "kernels/cuda/tensor_map.hpp"

namespace onda::cuda {

/// The map of a padded field for boxes of one rectangle. Coordinates begin in the halo, at (-x_halo, -y_halo, -R).
template <typename Tile>
TensorMap encode_map(const Fields<typename Tile::T>& fields, int now, const StoredRectangle& r) {
    if (fields.field.halo[0] != Tile::x_halo || fields.field.halo[2] != Tile::radius)
        throw std::logic_error("a field with another halo than its tiles");
    return encode_tensor_map<typename Tile::T>(fields.p(now), fields.field, r.width, r.height, Tile::map_unit);
}

template <typename Tile>
struct EncodeMaps<Tile, BulkTensorCopies> {
    static void encode(InPlaneArguments<typename Tile::T>& a, const Fields<typename Tile::T>& fields, int now) {
        for (int i = 0; i < Tile::layout.count; ++i)
            a.maps[i] = encode_map<Tile>(fields, now, Tile::layout.rectangle[i]);
    }
};

}  // namespace onda::cuda
