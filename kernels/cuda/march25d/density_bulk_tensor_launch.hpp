/// \file
/// Launches the kernels of variable density that march with bulk-tensor copies (TMA). Only sources compiled for sm_90
/// and newer include it.
#pragma once

#include <stdexcept>

#include "kernels/cuda/march25d/density_groups.hpp"
#include "kernels/cuda/march25d/density_launch.hpp"
#include "kernels/cuda/tensor_map.hpp"

namespace onda::cuda {

template <typename Tile>
struct EncodeDensityMaps<Tile, DensityBulkTensorCopies> {
    using T = typename Tile::T;
    static void encode(DensityTileArguments<T>& a, const Fields<T>& fields, int now) {
        if (fields.field.halo[2] != Tile::behind || fields.half_rho().layout.halo[2] != Tile::radius)
            throw std::logic_error("a field with another halo than its tiles");
        constexpr FrameLayout p = Tile::p, rho = Tile::rho;
        a.maps = {encode_tensor_map<T>(fields.p(now), fields.field, p.row(), p.rows()),
                  encode_tensor_map<T>(fields.half_rho().at, fields.half_rho().layout, rho.row(), rho.rows())};
    }
};

/// The row of the kernel with groups of warps. \tparam Work makes what a plane costs.
template <typename Tile, typename Given = DensityTileArguments<typename Tile::T>, auto Work = density_group_work<Tile>>
Instance<typename Tile::T> density_group_row() {
    return density_row<
        DensityLaunch<Tile, DensityBulkTensorCopies, Tile::threads, 1, density_group_step<Tile, Given>, Work, Given>>(
        "tma", 90, Tile::own_rows);
}

}  // namespace onda::cuda
