/// \file
/// Tilted transverse isotropy in 3-D in one launch, marching along z: a block owns a tile of the x-y plane, and
/// computes g (kernels/equations/tti/tti.hpp) of a plane on the tile and on its halo. For that both stresses of the
/// plane lie in shared memory with twice the halo, and a thread keeps its own vector of 2r + 1 planes of both in
/// registers. n g goes through shared memory to the second derivative: along z, r planes later, to the thread that
/// computed it.
///
/// Threads of the tile and of the halo go different ways, and meet once a plane.
#pragma once

#include "kernels/cuda/march25d/march25d.hpp"
#include "kernels/cuda/tti/direct_tti.hpp"

namespace onda::cuda {

/// One compiled shape of the march. \tparam BX, BY vectors and rows of the tile, a thread each.
template <typename T_, int R, int BX, int BY>
struct TiltTile {
    using T = T_;
    static constexpr int radius = R, vector = Vec<T>::size, across = BX, width = BX * vector, height = BY;
    /// The halo along x, in whole vectors.
    static constexpr int halo_vectors = (R + vector - 1) / vector, halo = halo_vectors * vector;

    /// Threads of the tile, and of its halo along y and along x. A warp goes one way.
    static constexpr int own = BX * BY, beside_y = 2 * R * BX, beside_x = 2 * halo_vectors * BY;
    static constexpr int beside = (beside_y + beside_x + 31) / 32 * 32, threads = own + beside;
    static_assert(own % 32 == 0);
    /// Vectors of a stress further out, which the threads of the halo copy: beside theirs, and at the corners.
    static constexpr int corners = 4 * R * halo_vectors, outer = beside_x + corners + beside_y;
    static constexpr int copies = (outer + beside - 1) / beside;

    /// A stage holds a plane: both stresses, then n_x g of both with the halo along x, and n_y g with that along y.
    /// Neighbours along y read rows of the stresses at a time, whose pitch spreads them over the banks.
    static constexpr int pitch = width + 4 * halo + 4, stress_size = pitch * (BY + 4 * R);
    static constexpr int x_pitch = width + 2 * halo, x_size = x_pitch * BY, y_size = width * (BY + 2 * R);
    static constexpr int stage_size = 2 * (stress_size + x_size + y_size);
    /// Behind both stages, of each vector of the tile: n_z g of both stresses in 2r planes; of r planes, which wait for
    /// n_z g of those to come, the Laplacian and both sums but for their z pairs; and on their way the axis, both
    /// stresses of the step before, and k, e and d.
    static constexpr int laplacian_at = 4 * R, sums_at = 5 * R, axis_at = 7 * R, arrays_at = axis_at + 3;
    static constexpr int waiting = arrays_at + 5;
    static constexpr int barrier_at = (2 * stage_size + waiting * own * vector) * static_cast<int>(sizeof(T));
    static constexpr int shared_bytes = barrier_at + static_cast<int>(sizeof(Barrier));
};

/// A vector, in nodes from the corner of the tile.
struct TiltPlace {
    int x, y;
};

/// Piece i of a halo: the first `half` lie before 0, the others from `size` on.
__device__ __forceinline__ int beside_tile(int i, int half, int size) {
    return i < half ? i - half : size + i - half;
}

/// The vector whose g a thread computes.
template <typename Tile>
__device__ __forceinline__ TiltPlace place_of_thread(int thread) {
    constexpr int V = Tile::vector, across = Tile::across;
    if (thread < Tile::own) return {thread % across * V, thread / across};
    int i = thread - Tile::own;
    if (i < Tile::beside_y) return {i % across * V, beside_tile(i / across, Tile::radius, Tile::height)};
    i -= Tile::beside_y;
    // Rows first: a warp reads its columns from different banks.
    return {beside_tile(i / Tile::height, Tile::halo_vectors, across) * V, i % Tile::height};
}

/// Vector i of Tile::outer.
template <typename Tile>
__device__ __forceinline__ TiltPlace place_of_copy(int i) {
    constexpr int V = Tile::vector, R = Tile::radius, across = Tile::across, columns = 2 * Tile::halo_vectors;
    const int x = beside_tile(i % columns, Tile::halo_vectors, across) * V;
    if (i < Tile::beside_x) return {x < 0 ? x - Tile::halo : x + Tile::halo, i / columns};
    i -= Tile::beside_x;
    if (i < Tile::corners)
        return {beside_tile(i % columns, Tile::halo_vectors, across) * V, beside_tile(i / columns, R, Tile::height)};
    i -= Tile::corners;
    const int y = beside_tile(i / across, R, Tile::height);
    return {i % across * V, y < 0 ? y - R : y + R};
}

template <typename T>
__device__ __forceinline__ Vec<T> product(const Vec<T>& a, const Vec<T>& b) {
    Vec<T> result;
    ONDA_UNROLL
    for (int v = 0; v < Vec<T>::size; ++v) result.v[v] = a.v[v] * b.v[v];
    return result;
}

/// The values of a row from H nodes before the vector at `at` to H nodes behind it.
template <typename T, int H>
__device__ __forceinline__ void load_row(const T* at, T (&row)[Vec<T>::size + 2 * H]) {
    constexpr int V = Vec<T>::size;
    ONDA_UNROLL
    for (int m = 0; m < (V + 2 * H) / V; ++m) {
        const Vec<T> part = load_vector(at + m * V - H);
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) row[m * V + v] = part.v[v];
    }
}

/// sum_m D_m (f(m) - f(-m)) along x, added to the sums.
template <typename T, int R, int H>
__device__ __forceinline__ void add_along_x(const T* weights, const T (&row)[Vec<T>::size + 2 * H], Vec<T>& sum) {
    ONDA_UNROLL
    for (int v = 0; v < Vec<T>::size; ++v) ONDA_UNROLL
    for (int m = 1; m <= R; ++m) sum.v[v] = fused(weights[m], row[H + v + m] - row[H + v - m], sum.v[v]);
}

/// One of the terms of that sum, of vectors across x.
template <typename T>
__device__ __forceinline__ void add_difference(T weight, const Vec<T>& after, const Vec<T>& before, Vec<T>& sum) {
    ONDA_UNROLL
    for (int v = 0; v < Vec<T>::size; ++v) sum.v[v] = fused(weight, after.v[v] - before.v[v], sum.v[v]);
}

/// g of a vector of a stress. \param at the vector in shared memory; \param load_axis sets n, which is needed last;
/// \param star the Laplacian there, if WithStar.
template <typename Tile, bool WithStar, typename LoadAxis>
__device__ __forceinline__ Vec<typename Tile::T> g_of(const TiltArguments<typename Tile::T>& a,
                                                      const typename Tile::T* at,
                                                      const PlaneQueue<typename Tile::T, Tile::radius>& queue,
                                                      const Vec<typename Tile::T> (&n)[3], const LoadAxis& load_axis,
                                                      Vec<typename Tile::T>& star) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, H = Tile::halo, V = Tile::vector;
    Vec<T> d[3] = {};
    T row[V + 2 * H];
    load_row<T, H>(at, row);
    add_along_x<T, R, H>(a.first[0], row, d[0]);
    if constexpr (WithStar) {
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) {
            star.v[v] = a.stencil.centre * row[H + v];
            ONDA_UNROLL
            for (int k = 1; k <= R; ++k)
                star.v[v] = fused(a.stencil.axis[0][k], row[H + v - k] + row[H + v + k], star.v[v]);
        }
    }
    ONDA_UNROLL
    for (int m = 1; m <= R; ++m) {
        const Vec<T> after = load_vector(at + m * Tile::pitch), before = load_vector(at - m * Tile::pitch);
        add_difference(a.first[1][m], after, before, d[1]);
        if constexpr (WithStar) {
            ONDA_UNROLL
            for (int v = 0; v < V; ++v) star.v[v] = fused(a.stencil.axis[1][m], before.v[v] + after.v[v], star.v[v]);
        }
    }
    ONDA_UNROLL
    for (int m = 1; m <= R; ++m) add_difference(a.first[2][m], queue.plane[R + m], queue.plane[R - m], d[2]);
    if constexpr (WithStar) {
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) star.v[v] = queue.add_along_z(v, a.stencil.axis[2], star.v[v]);
    }
    load_axis();
    Vec<T> g;
    ONDA_UNROLL
    for (int v = 0; v < V; ++v) g.v[v] = along_axis(n[0].v[v], n[1].v[v], n[2].v[v], d[0].v[v], d[1].v[v], d[2].v[v]);
    return g;
}

/// The stresses of a thread's own vector, of planes s - r … s + r.
template <typename Tile>
struct TiltColumn {
    using T = typename Tile::T;
    static constexpr int R = Tile::radius, H = Tile::halo;

    const TiltArguments<T>& a;
    /// Among the elements of a plane of the fields and of the axis; where these have none that any node needs, of node
    /// (0, 0).
    std::int64_t in_plane, in_axis;
    int in_stage;
    PlaneQueue<T, R> queue[2];  ///< of p, of q

    /// \param own relative to the tile, (x, y) to the grid; \param first plane s.
    __device__ __forceinline__ TiltColumn(const TiltArguments<T>& arguments, TiltPlace own, int x, int y, int first)
        : a(arguments),
          in_plane(x < a.nx + 2 * R && y < a.ny + 2 * R ? y * a.pitch + x : 0),
          in_axis(x < a.nx + R && y < a.ny + R ? y * a.n_pitch + x : 0),
          in_stage((own.y + 2 * R) * Tile::pitch + own.x + 2 * H) {
        ONDA_UNROLL
        for (int which = 0; which < 2; ++which) ONDA_UNROLL
        for (int i = 0; i <= 2 * R; ++i) queue[which].plane[i] = stress(which, first - R + i);
    }
    [[nodiscard]] __device__ __forceinline__ Vec<T> stress(int which, int z) const {
        return load_vector((which == 0 ? a.p : a.vertical) + z * a.plane + in_plane);
    }
    /// Its place in plane z of a component of the axis.
    [[nodiscard]] __device__ __forceinline__ const T* axis(int component, int z) const {
        return a.n[component] + z * a.n_plane + in_axis;
    }
    /// Hands the stresses of plane s + ahead to the others.
    __device__ __forceinline__ void put(T* stage, int ahead) const {
        ONDA_UNROLL
        for (int which = 0; which < 2; ++which)
            store_stored(stage + which * Tile::stress_size + in_stage, queue[which].plane[R + ahead]);
    }
};

/// The x and y pairs of sum_i D_i (n_i g) of a vector of the tile. \param which of the stresses.
template <typename Tile>
__device__ __forceinline__ Vec<typename Tile::T> sum_in_plane(const TiltArguments<typename Tile::T>& a,
                                                              const typename Tile::T* stage, TiltPlace own, int which) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, V = Tile::vector, H = Tile::halo;
    Vec<T> sum{};
    T row[V + 2 * H];
    load_row<T, H>(stage + 2 * Tile::stress_size + which * Tile::x_size + own.y * Tile::x_pitch + own.x + H, row);
    add_along_x<T, R, H>(a.first[0], row, sum);
    const T* const at =
        stage + 2 * (Tile::stress_size + Tile::x_size) + which * Tile::y_size + (own.y + R) * Tile::width + own.x;
    ONDA_UNROLL
    for (int m = 1; m <= R; ++m)
        add_difference(a.first[1][m], load_vector(at + m * Tile::width), load_vector(at - m * Tile::width), sum);
    return sum;
}

/// One of Tile::waiting vectors of a thread of the tile.
template <typename Tile>
__device__ __forceinline__ typename Tile::T* waiting_place(typename Tile::T* stages, int thread, int which) {
    return stages + 2 * Tile::stage_size + (which * Tile::own + thread) * Tile::vector;
}

/// What a thread of the halo copies of Tile::outer.
template <typename Tile>
class OuterHalo {
public:
    using T = typename Tile::T;

    __device__ __forceinline__ OuterHalo(const TiltArguments<T>& a, int thread, int tile_x, int tile_y) : a_(a) {
        constexpr int R = Tile::radius;
        ONDA_UNROLL
        for (int i = 0; i < Tile::copies; ++i) {
            const int which = thread - Tile::own + i * Tile::beside;
            const TiltPlace place = place_of_copy<Tile>(which);
            from_[i] = static_cast<int>((tile_y + place.y) * a.pitch) + tile_x + place.x;
            const bool exists =
                which < Tile::outer && tile_x + place.x < a.nx + 2 * R && tile_y + place.y < a.ny + 2 * R;
            to_[i] = exists ? (place.y + 2 * R) * Tile::pitch + place.x + 2 * Tile::halo : -1;
        }
    }
    __device__ __forceinline__ void copy(T* stage, int z) const {
        ONDA_UNROLL
        for (int i = 0; i < Tile::copies; ++i)
            if (to_[i] >= 0) {
                copy_async16(stage + to_[i], a_.p + z * a_.plane + from_[i], true);
                copy_async16(stage + Tile::stress_size + to_[i], a_.vertical + z * a_.plane + from_[i], true);
            }
        copies_commit();
    }

private:
    const TiltArguments<T>& a_;
    int from_[Tile::copies], to_[Tile::copies];  ///< elements of a plane and of a stage; of none -1
};

/// The way of a thread of the halo, which also copies what lies further out. Of plane s it computes g; the stresses of
/// the next plane come meanwhile.
template <typename Tile>
__device__ __forceinline__ void march_beside(const TiltArguments<typename Tile::T>& a, int thread, int tile_x,
                                             int tile_y, ChunkOfPlanes chunk, typename Tile::T* stages,
                                             Barrier* barrier) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, H = Tile::halo;
    const TiltPlace own = place_of_thread<Tile>(thread);
    const OuterHalo<Tile> outer(a, thread, tile_x, tile_y);
    const bool computes =
        Tile::beside == Tile::beside_y + Tile::beside_x || thread < Tile::own + Tile::beside_y + Tile::beside_x;
    const bool across = own.y < 0 || own.y >= Tile::height;
    const int in_y = 2 * (Tile::stress_size + Tile::x_size) + (own.y + R) * Tile::width + own.x;
    const int in_x = 2 * Tile::stress_size + own.y * Tile::x_pitch + own.x + H;
    const int of_g = across ? in_y : in_x, size_of_g = across ? Tile::y_size : Tile::x_size;
    TiltColumn<Tile> column(a, computes ? own : TiltPlace{0, 0}, tile_x + own.x, tile_y + own.y, chunk.begin - R);
    outer.copy(stages, chunk.begin - R);
    if (computes) column.put(stages, 0);
    copies_wait<0>();
    Vec<T> n[3];
    const auto load_axis = [&](int z) {
        ONDA_UNROLL
        for (int i = 0; i < 3; ++i) n[i] = load_vector(column.axis(i, z));
    };
    load_axis(chunk.begin);
    barrier_arrive(barrier);
    barrier_wait(barrier, 0);
    int parity = 0;
    for (int s = chunk.begin - R; s < chunk.end + R; ++s) {
        T* const stage = stages + parity * Tile::stage_size;
        T* const other = stages + (1 - parity) * Tile::stage_size;
        const bool in_chunk = s >= chunk.begin && s < chunk.end;
        outer.copy(other, s + 1);
        if (computes) column.put(other, 1);
        if (in_chunk && computes) {
            Vec<T> none;
            ONDA_UNROLL
            for (int which = 0; which < 2; ++which) {
                const Vec<T> g = g_of<Tile, false>(
                    a, stage + which * Tile::stress_size + column.in_stage, column.queue[which], n, [] {}, none);
                Vec<T> n_beyond;
                ONDA_UNROLL
                for (int v = 0; v < Tile::vector; ++v) n_beyond.v[v] = across ? n[1].v[v] : n[0].v[v];
                store_stored(stage + of_g + which * size_of_g, product(n_beyond, g));
            }
        }
        copies_wait<0>();
        barrier_arrive(barrier);
        const int ahead = s + R + 1 < chunk.end + 2 * R ? s + R + 1 : s + R;
        const Vec<T> newest[2] = {column.stress(0, ahead), column.stress(1, ahead)};
        if (in_chunk) load_axis(s + 1);
        barrier_wait(barrier, 1 - parity);
        ONDA_UNROLL
        for (int which = 0; which < 2; ++which) column.queue[which].advance(newest[which]);
        parity = 1 - parity;
    }
}

/// Adds the z pairs of plane s - r. \param n_g n_z g of 2r planes, one in each slot; \param slot the oldest; \param
/// newest that of plane s.
template <typename Tile>
__device__ __forceinline__ void add_along_z(const typename Tile::T* weights, const typename Tile::T* n_g, int slot,
                                            const Vec<typename Tile::T>& newest, Vec<typename Tile::T>& sum) {
    constexpr int R = Tile::radius, slots = 2 * R;
    const auto plane = [&](int beyond) {
        const int at = slot + R + beyond;
        return load_vector(n_g + (at >= slots ? at - slots : at) * Tile::own * Tile::vector);
    };
    ONDA_UNROLL
    for (int m = 1; m <= R; ++m) add_difference(weights[m], m == R ? newest : plane(m), plane(-m), sum);
}

/// Both stresses of the next step in plane s - r. \param arrays those of the step before, k, e and d there; \param
/// tilted both sums; \param node among the fields; \param inside nodes of the vector that the grid has, or more.
template <typename Tile>
__device__ __forceinline__ void update(const TiltArguments<typename Tile::T>& a, const TiltColumn<Tile>& column,
                                       const Vec<typename Tile::T> (&arrays)[5], const Vec<typename Tile::T>& laplacian,
                                       const Vec<typename Tile::T> (&tilted)[2], std::int64_t node, int inside) {
    using T = typename Tile::T;
    Vec<T> p_next, q_next;
    ONDA_UNROLL
    for (int v = 0; v < Tile::vector; ++v) {
        const T p = column.queue[0].plane[0].v[v], q = column.queue[1].plane[0].v[v];
        const T k = arrays[2].v[v], e = arrays[3].v[v], d = arrays[4].v[v], vertical = tilted[1].v[v];
        const T sum = laplacian.v[v] + (vertical - tilted[0].v[v]);
        p_next.v[v] = next_horizontal(p, arrays[0].v[v], k, e, d, sum, vertical);
        q_next.v[v] = next_vertical(q, arrays[1].v[v], k, d, sum, vertical);
    }
    store_inside(a.q + node, p_next, inside);
    store_inside(a.vertical_next + node, q_next, inside);
}

/// The way of a thread of the tile. Of plane s it computes g, then updates plane z = s - r, whose last n_z g that was,
/// and then, when the others have theirs, the sums of plane s along x and y.
template <typename Tile>
__device__ __forceinline__ void march_inside(const TiltArguments<typename Tile::T>& a, int thread, int tile_x,
                                             int tile_y, ChunkOfPlanes chunk, typename Tile::T* stages,
                                             Barrier* barrier) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, H = Tile::halo, slots = 2 * R;
    const TiltPlace own = place_of_thread<Tile>(thread);
    const int x = tile_x + own.x, y = tile_y + own.y;
    const bool is_node = x < a.nx && y < a.ny;
    const int in_x = 2 * Tile::stress_size + own.y * Tile::x_pitch + own.x + H;
    const int in_y = 2 * (Tile::stress_size + Tile::x_size) + (own.y + R) * Tile::width + own.x;
    const std::int64_t in_medium = is_node ? y * a.k_pitch + x : 0;
    TiltColumn<Tile> column(a, own, x, y, chunk.begin - R);
    column.put(stages, 0);
    const auto waiting = [&](int which) {
        return load_vector(static_cast<const T*>(waiting_place<Tile>(stages, thread, which)));
    };
    Vec<T> n[3];
    const auto ask_axis = [&](int z) {
        ONDA_UNROLL
        for (int axis = 0; axis < 3; ++axis)
            copy_async16(waiting_place<Tile>(stages, thread, Tile::axis_at + axis), column.axis(axis, z), true);
        copies_commit();
    };
    const auto ask_arrays = [&](int z) {
        const std::int64_t node = z * a.plane + column.in_plane, of_medium = z * a.k_plane + in_medium;
        const T* const from[5] = {a.q + node, a.vertical_next + node, a.k + of_medium, a.e + of_medium,
                                  a.d + of_medium};
        ONDA_UNROLL
        for (int i = 0; i < 5; ++i)
            copy_async16(waiting_place<Tile>(stages, thread, Tile::arrays_at + i), from[i], true);
        copies_commit();
    };
    ask_axis(chunk.begin - R);
    ask_arrays(chunk.begin);
    barrier_arrive(barrier);
    barrier_wait(barrier, 0);
    int slot = 0, of_sums = 0, parity = 0;
    for (int s = chunk.begin - R; s < chunk.end + R; ++s) {
        T* const stage = stages + parity * Tile::stage_size;
        const bool in_chunk = s >= chunk.begin && s < chunk.end;
        const int z = s - R;
        column.put(stages + (1 - parity) * Tile::stage_size, 1);
        const std::int64_t node = z * a.plane + column.in_plane;
        Vec<T> along_z[2], laplacian;
        ONDA_UNROLL
        for (int which = 0; which < 2; ++which) {
            const T* const at = stage + which * Tile::stress_size + column.in_stage;
            const auto load_axis = [&] {
                if (which == 1) return;
                copies_wait<1>();
                ONDA_UNROLL
                for (int i = 0; i < 3; ++i) n[i] = waiting(Tile::axis_at + i);
            };
            const Vec<T> g = which == 0 ? g_of<Tile, true>(a, at, column.queue[0], n, load_axis, laplacian)
                                        : g_of<Tile, false>(a, at, column.queue[1], n, load_axis, laplacian);
            store_stored(stage + in_x + which * Tile::x_size, product(n[0], g));
            store_stored(stage + in_y + which * Tile::y_size, product(n[1], g));
            along_z[which] = product(n[2], g);
        }
        barrier_arrive(barrier);
        ask_axis(s + 1 < chunk.end + R ? s + 1 : s);
        T* const place_of_l = waiting_place<Tile>(stages, thread, Tile::laplacian_at + of_sums);
        if (z >= chunk.begin) {
            Vec<T> tilted[2] = {waiting(Tile::sums_at + of_sums), waiting(Tile::sums_at + R + of_sums)};
            ONDA_UNROLL
            for (int which = 0; which < 2; ++which)
                add_along_z<Tile>(a.first[2], waiting_place<Tile>(stages, thread, which * slots), slot, along_z[which],
                                  tilted[which]);
            const Vec<T> l = load_vector(static_cast<const T*>(place_of_l));
            copies_wait<1>();
            if (is_node) {
                const Vec<T> of_arrays[5] = {waiting(Tile::arrays_at), waiting(Tile::arrays_at + 1),
                                             waiting(Tile::arrays_at + 2), waiting(Tile::arrays_at + 3),
                                             waiting(Tile::arrays_at + 4)};
                update(a, column, of_arrays, l, tilted, node, a.nx - x);
            }
            ask_arrays(z + 1 < chunk.end ? z + 1 : z);
        } else {
            copies_commit();  // none: those who wait count two groups a plane
        }
        store_stored(place_of_l, laplacian);
        ONDA_UNROLL
        for (int which = 0; which < 2; ++which)
            store_stored(waiting_place<Tile>(stages, thread, which * slots + slot), along_z[which]);
        barrier_wait(barrier, 1 - parity);
        const int ahead = s + R + 1 < chunk.end + 2 * R ? s + R + 1 : s + R;
        const Vec<T> newest[2] = {column.stress(0, ahead), column.stress(1, ahead)};
        if (in_chunk) {
            ONDA_UNROLL
            for (int which = 0; which < 2; ++which)
                store_stored(waiting_place<Tile>(stages, thread, Tile::sums_at + which * R + of_sums),
                             sum_in_plane<Tile>(a, stage, own, which));
        }
        parity = 1 - parity;
        slot = slot + 1 == slots ? 0 : slot + 1;
        of_sums = of_sums + 1 == R ? 0 : of_sums + 1;
        ONDA_UNROLL
        for (int which = 0; which < 2; ++which) column.queue[which].advance(newest[which]);
    }
    copies_wait<0>();
}

/// One step on one tile of a chunk of planes. Block: Tile::threads. Grid: tiles along x, tiles along y, chunks along z.
template <typename Tile>
__global__ void __launch_bounds__(Tile::threads, 1)
    tti_march_step(const __grid_constant__ TiltArguments<typename Tile::T> a) {
    using T = typename Tile::T;
    const int thread = static_cast<int>(threadIdx.x);
    const int tile_x = static_cast<int>(blockIdx.x) * Tile::width, tile_y = static_cast<int>(blockIdx.y) * Tile::height;
    const ChunkOfPlanes chunk = chunk_of_block(a.chunks, 0, a.nz);
    T* const stages = reinterpret_cast<T*>(shared_memory());
    auto* const barrier = reinterpret_cast<Barrier*>(shared_memory() + Tile::barrier_at);
    if (thread == 0) {
        barrier_init(barrier, Tile::threads);
        barrier_init_fence();
    }
    __syncthreads();
    if (thread < Tile::own)
        march_inside<Tile>(a, thread, tile_x, tile_y, chunk, stages, barrier);
    else
        march_beside<Tile>(a, thread, tile_x, tile_y, chunk, stages, barrier);
}

/// What a plane costs, of a thread in the mean over those of the tile and of the halo. Of the stresses and the axis all
/// five arrays are loaded with a halo, which counts here as wider halos of two.
template <typename Tile>
constexpr MarchWork tti_march_work() {
    constexpr int R = Tile::radius, V = Tile::vector, element = sizeof(typename Tile::T);
    constexpr auto mean = [](int own, int beside) { return (own * Tile::own + beside * Tile::beside) / Tile::threads; };
    constexpr int row = 1 + 2 * Tile::halo_vectors, column = 2 * R;
    // Of both stresses: the derivatives, of the tile also n g, its z pairs, and what waits.
    constexpr int own_vectors = 2 * (2 * (row + column) + column) + 28, beside_vectors = 2 * (row + column + 2);
    constexpr int operations = V * mean(30 * R + 27, 12 * R + 8), moves = V * 2 * 2 * R;
    return {
        .p = {2 * in_sectors(2 * R, element), 2 * 2 * R, 2 * R, false},
        .rho = {3 * in_sectors(R, element), 3 * R, R, false},
        .shared_bytes = 16 * mean(own_vectors, beside_vectors),
        .instructions = operations + moves + mean(own_vectors + 180, beside_vectors + 84),
        .operations = operations,
        .frame_bytes = 2 * 16 * Tile::outer,
        .copied_pieces = 2 * Tile::outer,
        .ahead = 1,
        .arrays = {.medium = 6, .fields = 2},
    };
}

}  // namespace onda::cuda
