/// \file
/// Launches the leap with bulk-tensor copies. Only sources compiled for sm_90 and newer include it.
#pragma once

#include "kernels/cuda/leap/leap_bulk_tensor.hpp"
#include "kernels/cuda/leap/leap_launch.hpp"
#include "kernels/cuda/tensor_map.hpp"

namespace onda::cuda {

/// k as it is stored, at node (0, 0, 0).
template <typename Tile>
const typename Tile::Stored* stored_k(const Fields<typename Tile::T>& fields) {
    if constexpr (sizeof(typename Tile::Stored) == sizeof(typename Tile::T))
        return fields.k().at;
    else
        return as<typename Tile::K>(fields.coded_k).at;
}

template <typename Tile>
struct LeapTileLaunch {
    using T = typename Tile::T;
    using Arguments = typename ArgumentsOf<Tile>::type;
    static constexpr auto kernel = leap_bulk_tensor_step<Tile>;
    static constexpr LeapShape shape{.width = Tile::width,
                                     .height = Tile::height,
                                     .threads_x = Tile::threads,
                                     .threads_y = 1,
                                     .shared_bytes = Tile::shared_bytes,
                                     .radius = Tile::radius,
                                     .align_x = Tile::line > 4 * Tile::align_x ? Tile::line : 4 * Tile::align_x};
    static constexpr LeapWork work = leap_tile_work<Tile>();
    static void complete(Arguments& a, const Fields<T>& fields, int now) {
        a.p_map = encode_tensor_map<T>(fields.p(now), fields.field, Tile::p_width, Tile::p_height);
        a.k_map = encode_tensor_map(stored_k<Tile>(fields), fields.k().layout, Tile::k_width, Tile::inner_height);
    }
};

/// The row of a tile.
template <typename Tile>
Instance<typename Tile::T> leap_tile_row() {
    auto row = leap_row<LeapTileLaunch<Tile>>("leap", 90, 3);
    row.tile += "r" + std::to_string(Tile::inner_rows);
    row.copy = "tma";
    return row;
}

}  // namespace onda::cuda
