/// \file
/// The tile of the leap with bulk-tensor copies: which threads do what, and what lies where in shared memory.
#pragma once

#include "kernels/cuda/leap/leap_arguments.hpp"
#include "kernels/cuda/leap/leap_work.hpp"
#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/ring_place.hpp"

namespace onda::cuda {

/// An element of k in memory.
template <typename T, typename K>
struct StoredElement {
    using type = typename K::Code;
};
template <typename T>
struct StoredElement<T, const T*> {
    using type = T;
};
template <typename T, typename K>
using StoredOf = typename StoredElement<T, K>::type;

/// One compiled shape of the leap with bulk-tensor copies. Along x halos are whole vectors.
/// \tparam Width, Height nodes of p[n+2]. \tparam InnerRows, OuterRows rows of a vector for which a thread computes
/// u = k L(p), or p[n+2] from it. \tparam Stages planes of p and k on their way or in use. \tparam Planes of u in
/// shared memory.
/// \tparam K_ what reads k: a pointer, CodesOfK or IndicesOfK. Indices are looked up once: while a plane waits for
/// p[n+2], it has their values.
template <typename T_, int R, int Width, int Height, int InnerRows, int OuterRows, int Stages, int Planes,
          typename K_ = const T_*>
struct LeapTile {
    using T = T_;
    using K = K_;
    using Stored = StoredOf<T, K>;
    static constexpr bool waits_decoded = sizeof(Stored) == 1;
    static constexpr int radius = R, width = Width, height = Height, stages = Stages, planes = Planes;
    static constexpr int inner_rows = InnerRows, outer_rows = OuterRows;
    static constexpr int vector = Vec<T>::size;
    static constexpr int whole(int nodes) { return (nodes + vector - 1) / vector * vector; }

    static constexpr int inner_halo = whole(R), p_halo = whole(2 * R);  ///< along x
    static constexpr int inner_width = Width + 2 * inner_halo, inner_height = Height + 2 * R;
    static constexpr int p_width = Width + 2 * p_halo, p_height = Height + 4 * R;

    /// Values of k in 16 bytes: along x the copy engine begins and ends on pieces of this size.
    static constexpr int k_piece = 16 / static_cast<int>(sizeof(Stored));
    static constexpr int pieces(int nodes) { return (nodes + k_piece - 1) / k_piece * k_piece; }
    static constexpr int k_halo = pieces(inner_halo), k_width = pieces(k_halo + Width + inner_halo);
    /// Tiles begin on a multiple of so many nodes.
    static constexpr int align_x = k_piece > vector ? k_piece : vector;

    static constexpr int inner_columns = inner_width / vector, outer_columns = Width / vector;
    static constexpr int inner_threads = inner_columns * (inner_height / InnerRows);
    static constexpr int outer_threads = outer_columns * (Height / OuterRows);
    static constexpr int inner_warps = (inner_threads + 31) / 32, outer_warps = (outer_threads + 31) / 32;
    /// One more warp asks for the copies.
    static constexpr int threads = 32 * (inner_warps + outer_warps + 1);
    static_assert(inner_height % InnerRows == 0 && Height % OuterRows == 0 && Width % align_x == 0);

    // Shared memory, in elements; boxes lie on lines of 128 bytes. Vectors of u whose last nodes nobody needs are read
    // from one vector before the first row of p on: there is a line.
    static constexpr int line = 128 / static_cast<int>(sizeof(T));
    static constexpr int lines(int elements) { return (elements + line - 1) / line * line; }
    static constexpr int p_size = lines(p_width * p_height), inner_size = lines(inner_width * inner_height);
    static constexpr int of_stored(int elements) {
        return (elements * static_cast<int>(sizeof(Stored)) + static_cast<int>(sizeof(T)) - 1) /
               static_cast<int>(sizeof(T));
    }
    static constexpr int k_size = lines(of_stored(k_width * inner_height)), stage_size = p_size + k_size;
    static constexpr int core_size = Width * Height, waiting = R + Planes;  ///< planes of p and k until p[n+2] is due
    static constexpr int waiting_size = core_size + (waits_decoded ? core_size : of_stored(core_size));
    static constexpr int stages_at = line, inner_at = stages_at + Stages * stage_size;
    static constexpr int waiting_at = inner_at + Planes * inner_size;
    static constexpr int size = waiting_at + waiting * waiting_size;
    static constexpr int barriers = 2 * Stages + 2 * Planes;
    static constexpr int shared_bytes = size * static_cast<int>(sizeof(T)) + 8 * barriers;
};

/// Where the copy engine finds p and k.
struct LeapMaps {
    TensorMap p_map, k_map;
};
/// What the leap with bulk-tensor copies is given.
template <typename T>
struct LeapTileArguments : LeapMaps, LeapArguments<T> {};
/// The kernel arguments of a leap with this tile.
template <typename Tile>
struct ArgumentsOf {
    using type = WithCodes<LeapTileArguments<typename Tile::T>, typename Tile::K>;
};
template <typename Tile>
requires __is_same(typename Tile::K, const typename Tile::T*) struct ArgumentsOf<Tile> {
    using type = LeapTileArguments<typename Tile::T>;
};

/// What a plane costs: k L(p) on the tile and r nodes around it, the star again on the tile, of 6 r + 1 operations
/// each.
template <typename Tile>
constexpr LeapWork leap_tile_work() {
    constexpr int R = Tile::radius, V = Tile::vector;
    constexpr double inner = Tile::inner_width * Tile::inner_height, nodes = Tile::core_size;
    constexpr double element = sizeof(typename Tile::T);
    constexpr int row = 1 + 2 * Tile::inner_halo / V;
    const auto vectors = [](int rows) { return row + 2. * R / rows; };
    constexpr int moves = 2 * R, barriers_and_loop = 40;
    LeapWork work;
    work.p_values = (Tile::width + 2. * in_sectors(Tile::p_halo, sizeof(typename Tile::T))) * Tile::p_height;
    work.k_values = (Tile::width + 2. * in_sectors(Tile::inner_halo, sizeof(typename Tile::T))) * Tile::inner_height;
    work.shared_bytes = element * (inner * (vectors(Tile::inner_rows) + 2.) + nodes * (vectors(Tile::outer_rows) + 4.));
    work.operations = inner * (6 * R + 2) + nodes * (6 * R + 5);
    work.instructions = work.operations + inner * (moves + vectors(Tile::inner_rows) / V) +
                        nodes * (moves + vectors(Tile::outer_rows) / V) + barriers_and_loop * Tile::threads;
    const auto box_lines = [](int width, int height) {
        return height * static_cast<double>((width * element + 127) / 128 + 1);
    };
    work.engine_lines = box_lines(Tile::p_width, Tile::p_height) + box_lines(Tile::inner_width, Tile::inner_height);
    work.ahead = Tile::stages - 1;
    return work;
}

}  // namespace onda::cuda
