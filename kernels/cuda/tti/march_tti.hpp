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

/// What all threads of a block share.
template <typename Tile>
struct TiltBlock {
    using T = typename Tile::T;
    const TiltArguments<T>& a;
    int thread, tile_x, tile_y;
    int begin, end;  ///< planes that the block updates; g is computed of r more on either side
    T* shared;
    Barrier* barrier;

    [[nodiscard]] __device__ __forceinline__ int first() const { return begin - Tile::radius; }
    [[nodiscard]] __device__ __forceinline__ int last() const { return end + Tile::radius - 1; }
    [[nodiscard]] __device__ __forceinline__ bool updates(int z) const { return z >= begin && z < end; }
    [[nodiscard]] __device__ __forceinline__ T* stage(int z) const { return shared + (z & 1) * Tile::stage_size; }
    /// One of Tile::waiting vectors of this thread.
    [[nodiscard]] __device__ __forceinline__ T* waiting(int which) const {
        return shared + 2 * Tile::stage_size + (which * Tile::own + thread) * Tile::vector;
    }
    /// This thread has written what others read of n g of plane z, and of the stresses of the next plane.
    __device__ __forceinline__ void arrive() const { barrier_arrive(barrier); }
    /// All have.
    __device__ __forceinline__ void wait(int z) const { barrier_wait(barrier, (z - first() + 1) & 1); }
};

/// The stresses of a thread's own vector, of planes z - r … z + r.
template <typename Tile>
struct TiltColumn {
    using T = typename Tile::T;
    static constexpr int R = Tile::radius;
    const TiltBlock<Tile>& block;
    /// Among the elements of a plane of the fields and of the axis; where these have none that any node needs, of node
    /// (0, 0).
    std::int64_t in_plane, in_axis;
    int in_stage;
    PlaneQueue<T, R> queue[2];  ///< of p, of q

    __device__ __forceinline__ TiltColumn(const TiltBlock<Tile>& b, TiltPlace own) : block(b) {
        const TiltArguments<T>& a = b.a;
        const int x = b.tile_x + own.x, y = b.tile_y + own.y;
        in_plane = x < a.nx + 2 * R && y < a.ny + 2 * R ? y * a.pitch + x : 0;
        in_axis = x < a.nx + R && y < a.ny + R ? y * a.n_pitch + x : 0;
        in_stage = (own.y + 2 * R) * Tile::pitch + own.x + 2 * Tile::halo;
        ONDA_UNROLL
        for (int which = 0; which < 2; ++which) ONDA_UNROLL
        for (int i = 0; i <= 2 * R; ++i) queue[which].plane[i] = stress(which, b.first() - R + i);
    }
    [[nodiscard]] __device__ __forceinline__ Vec<T> stress(int which, int z) const {
        return load_vector((which == 0 ? block.a.p : block.a.vertical) + z * block.a.plane + in_plane);
    }
    /// Its place in plane z of a component of the axis.
    [[nodiscard]] __device__ __forceinline__ const T* axis(int component, int z) const {
        return block.a.n[component] + z * block.a.n_plane + in_axis;
    }
    /// Hands the stresses of plane z, `ahead` of the queues, to the others.
    __device__ __forceinline__ void put(int z, int ahead) const {
        ONDA_UNROLL
        for (int which = 0; which < 2; ++which)
            store_stored(block.stage(z) + which * Tile::stress_size + in_stage, queue[which].plane[R + ahead]);
    }
    /// The stresses that the queues take in after plane z; of the last plane any that exist.
    __device__ __forceinline__ void load_next(int z, Vec<T> (&next)[2]) const {
        const int newest = z < block.last() ? z + R + 1 : z + R;
        ONDA_UNROLL
        for (int which = 0; which < 2; ++which) next[which] = stress(which, newest);
    }
    __device__ __forceinline__ void advance(const Vec<T> (&next)[2]) {
        ONDA_UNROLL
        for (int which = 0; which < 2; ++which) queue[which].advance(next[which]);
    }
};

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

/// The derivatives of a stress along the axes, and if WithStar the star. \param at the vector in shared memory.
template <typename Tile, bool WithStar>
__device__ __forceinline__ void differentiate(const TiltArguments<typename Tile::T>& a, const typename Tile::T* at,
                                              const PlaneQueue<typename Tile::T, Tile::radius>& queue,
                                              Vec<typename Tile::T> (&d)[3], Vec<typename Tile::T>& star) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, H = Tile::halo, V = Tile::vector;
    T row[V + 2 * H];
    load_row<T, H>(at, row);
    add_along_x<T, R, H>(a.first[0], row, d[0]);
    ONDA_UNROLL
    for (int v = 0; WithStar && v < V; ++v) {
        star.v[v] = a.stencil.centre * row[H + v];
        ONDA_UNROLL
        for (int k = 1; k <= R; ++k)
            star.v[v] = fused(a.stencil.axis[0][k], row[H + v - k] + row[H + v + k], star.v[v]);
    }
    ONDA_UNROLL
    for (int m = 1; m <= R; ++m) {
        const Vec<T> after = load_vector(at + m * Tile::pitch), before = load_vector(at - m * Tile::pitch);
        add_difference(a.first[1][m], after, before, d[1]);
        ONDA_UNROLL
        for (int v = 0; WithStar && v < V; ++v)
            star.v[v] = fused(a.stencil.axis[1][m], before.v[v] + after.v[v], star.v[v]);
    }
    ONDA_UNROLL
    for (int m = 1; m <= R; ++m) add_difference(a.first[2][m], queue.plane[R + m], queue.plane[R - m], d[2]);
    ONDA_UNROLL
    for (int v = 0; WithStar && v < V; ++v) star.v[v] = queue.add_along_z(v, a.stencil.axis[2], star.v[v]);
}

/// g of a vector.
template <typename T>
__device__ __forceinline__ Vec<T> vector_along_axis(const Vec<T> (&n)[3], const Vec<T> (&d)[3]) {
    Vec<T> g;
    ONDA_UNROLL
    for (int v = 0; v < Vec<T>::size; ++v)
        g.v[v] = along_axis(n[0].v[v], n[1].v[v], n[2].v[v], d[0].v[v], d[1].v[v], d[2].v[v]);
    return g;
}

/// What a thread of the halo copies of Tile::outer.
template <typename Tile>
class OuterHalo {
public:
    using T = typename Tile::T;

    __device__ __forceinline__ explicit OuterHalo(const TiltBlock<Tile>& block) : block_(block) {
        constexpr int R = Tile::radius;
        const TiltArguments<T>& a = block.a;
        ONDA_UNROLL
        for (int i = 0; i < Tile::copies; ++i) {
            const int which = block.thread - Tile::own + i * Tile::beside;
            const TiltPlace place = place_of_copy<Tile>(which);
            const int x = block.tile_x + place.x, y = block.tile_y + place.y;
            const bool exists = which < Tile::outer && x < a.nx + 2 * R && y < a.ny + 2 * R;
            from_[i] = static_cast<int>(y * a.pitch) + x;
            to_[i] = exists ? (place.y + 2 * R) * Tile::pitch + place.x + 2 * Tile::halo : -1;
        }
    }
    __device__ __forceinline__ void copy(int z) const {
        T* const stage = block_.stage(z);
        ONDA_UNROLL
        for (int i = 0; i < Tile::copies; ++i) {
            if (to_[i] < 0) continue;
            const std::int64_t from = z * block_.a.plane + from_[i];
            copy_async16(stage + to_[i], block_.a.p + from, true);
            copy_async16(stage + Tile::stress_size + to_[i], block_.a.vertical + from, true);
        }
        copies_commit();
    }

private:
    const TiltBlock<Tile>& block_;
    int from_[Tile::copies], to_[Tile::copies];  ///< elements of a plane and of a stage; of none -1
};

/// The way of a thread of the halo.
template <typename Tile>
__device__ __forceinline__ void march_beside(const TiltBlock<Tile>& block) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, x_begin = 2 * Tile::stress_size, y_begin = x_begin + 2 * Tile::x_size;
    const TiltPlace own = place_of_thread<Tile>(block.thread);
    const bool along_y = own.y < 0 || own.y >= Tile::height;
    const bool computes = block.thread < Tile::own + Tile::beside_y + Tile::beside_x;
    T* const to = block.shared + (along_y ? y_begin + (own.y + R) * Tile::width + own.x
                                          : x_begin + own.y * Tile::x_pitch + own.x + Tile::halo);
    const int to_q = along_y ? Tile::y_size : Tile::x_size;

    const OuterHalo<Tile> outer(block);
    TiltColumn<Tile> column(block, computes ? own : TiltPlace{0, 0});
    outer.copy(block.first());
    if (computes) column.put(block.first(), 0);
    Vec<T> n[3], next[2];
    const auto load_axis = [&](int z) {
        ONDA_UNROLL
        for (int i = 0; i < 3; ++i) n[i] = load_vector(column.axis(i, z));
    };
    load_axis(block.begin);
    copies_wait<0>();
    block.arrive();
    block.wait(block.first() - 1);
    for (int z = block.first(); z <= block.last(); ++z) {
        outer.copy(z + 1);
        if (computes) column.put(z + 1, 1);
        if (block.updates(z) && computes) {
            ONDA_UNROLL
            for (int which = 0; which < 2; ++which) {
                Vec<T> d[3] = {}, unused, of_axis;
                differentiate<Tile, false>(block.a, block.stage(z) + which * Tile::stress_size + column.in_stage,
                                           column.queue[which], d, unused);
                ONDA_UNROLL
                for (int v = 0; v < Tile::vector; ++v) of_axis.v[v] = along_y ? n[1].v[v] : n[0].v[v];
                store_stored(to + (z & 1) * Tile::stage_size + which * to_q, product(of_axis, vector_along_axis(n, d)));
            }
        }
        copies_wait<0>();
        block.arrive();
        column.load_next(z, next);
        if (block.updates(z)) load_axis(z + 1);
        block.wait(z);
        column.advance(next);
    }
}

/// The way of a thread of the tile. Of plane z it computes g, then updates plane z - r, whose last n_z g that was, and
/// then, when the others have theirs, the sums of plane z along x and y.
template <typename Tile>
class TiltNodes {
public:
    using T = typename Tile::T;
    static constexpr int R = Tile::radius, V = Tile::vector, H = Tile::halo;

    __device__ __forceinline__ TiltNodes(const TiltBlock<Tile>& block, TiltPlace own)
        : block_(block),
          column_(block, own),
          in_x_(2 * Tile::stress_size + own.y * Tile::x_pitch + own.x + H),
          in_y_(2 * (Tile::stress_size + Tile::x_size) + (own.y + R) * Tile::width + own.x) {
        const TiltArguments<T>& a = block.a;
        const int x = block.tile_x + own.x, y = block.tile_y + own.y;
        inside_ = y < a.ny ? a.nx - x : 0;
        in_medium_ = inside_ > 0 ? y * a.k_pitch + x : 0;
        column_.put(block.first(), 0);
        ask_axis(block.first());
        ask_arrays(block.begin);
    }
    __device__ __forceinline__ void compute_g(int z) {
        const TiltArguments<T>& a = block_.a;
        T* const stage = block_.stage(z);
        column_.put(z + 1, 1);
        Vec<T> n[3];
        ONDA_UNROLL
        for (int which = 0; which < 2; ++which) {
            const T* const at = stage + which * Tile::stress_size + column_.in_stage;
            Vec<T> d[3] = {};
            if (which == 0) {
                differentiate<Tile, true>(a, at, column_.queue[0], d, laplacian_);
                copies_wait<1>();
                ONDA_UNROLL
                for (int i = 0; i < 3; ++i) n[i] = waiting(Tile::axis_at + i);
            } else {
                Vec<T> unused;
                differentiate<Tile, false>(a, at, column_.queue[1], d, unused);
            }
            const Vec<T> g = vector_along_axis(n, d);
            store_stored(stage + in_x_ + which * Tile::x_size, product(n[0], g));
            store_stored(stage + in_y_ + which * Tile::y_size, product(n[1], g));
            along_z_[which] = product(n[2], g);
        }
    }
    /// Updates plane z - r with what waits for it, in whose place plane z comes.
    __device__ __forceinline__ void advance(int z) {
        ask_axis(z < block_.last() ? z + 1 : z);
        T* const laplacian = block_.waiting(Tile::laplacian_at + of_sums_);
        if (z - R >= block_.begin) {
            Vec<T> tilted[2];
            ONDA_UNROLL
            for (int which = 0; which < 2; ++which) tilted[which] = sum_with_z(which);
            update(z - R, load_vector(static_cast<const T*>(laplacian)), tilted);
            ask_arrays(z - R + 1 < block_.end ? z - R + 1 : z - R);
        } else {
            copies_commit();  // none: what waits for copies counts two groups a plane
        }
        store_stored(laplacian, laplacian_);
        ONDA_UNROLL
        for (int which = 0; which < 2; ++which) store_stored(block_.waiting(which * 2 * R + slot_), along_z_[which]);
    }
    /// Sums plane z along x and y, and moves on.
    __device__ __forceinline__ void move(int z) {
        Vec<T> next[2];
        column_.load_next(z, next);
        if (block_.updates(z)) {
            ONDA_UNROLL
            for (int which = 0; which < 2; ++which)
                store_stored(block_.waiting(Tile::sums_at + which * R + of_sums_), sum_in_plane(z, which));
        }
        slot_ = slot_ + 1 == 2 * R ? 0 : slot_ + 1;
        of_sums_ = of_sums_ + 1 == R ? 0 : of_sums_ + 1;
        column_.advance(next);
    }

private:
    [[nodiscard]] __device__ __forceinline__ Vec<T> waiting(int which) const {
        return load_vector(static_cast<const T*>(block_.waiting(which)));
    }
    __device__ __forceinline__ void ask_axis(int z) const {
        ONDA_UNROLL
        for (int i = 0; i < 3; ++i) copy_async16(block_.waiting(Tile::axis_at + i), column_.axis(i, z), true);
        copies_commit();
    }
    __device__ __forceinline__ void ask_arrays(int z) const {
        const TiltArguments<T>& a = block_.a;
        const std::int64_t node = z * a.plane + column_.in_plane, of_medium = z * a.k_plane + in_medium_;
        const T* const from[5] = {a.q + node, a.vertical_next + node, a.k + of_medium, a.e + of_medium,
                                  a.d + of_medium};
        ONDA_UNROLL
        for (int i = 0; i < 5; ++i) copy_async16(block_.waiting(Tile::arrays_at + i), from[i], true);
        copies_commit();
    }
    /// The x and y pairs of sum_i D_i (n_i g).
    [[nodiscard]] __device__ __forceinline__ Vec<T> sum_in_plane(int z, int which) const {
        const TiltArguments<T>& a = block_.a;
        const T* const stage = block_.stage(z);
        Vec<T> sum{};
        T row[V + 2 * H];
        load_row<T, H>(stage + in_x_ + which * Tile::x_size, row);
        add_along_x<T, R, H>(a.first[0], row, sum);
        const T* const at = stage + in_y_ + which * Tile::y_size;
        ONDA_UNROLL
        for (int m = 1; m <= R; ++m)
            add_difference(a.first[1][m], load_vector(at + m * Tile::width), load_vector(at - m * Tile::width), sum);
        return sum;
    }
    /// All of it, of the plane whose last n_z g has just been computed.
    [[nodiscard]] __device__ __forceinline__ Vec<T> sum_with_z(int which) const {
        Vec<T> sum = waiting(Tile::sums_at + which * R + of_sums_);
        const auto plane = [&](int beyond) {
            const int at = slot_ + R + beyond;
            return waiting(which * 2 * R + (at >= 2 * R ? at - 2 * R : at));
        };
        ONDA_UNROLL
        for (int m = 1; m <= R; ++m)
            add_difference(block_.a.first[2][m], m == R ? along_z_[which] : plane(m), plane(-m), sum);
        return sum;
    }
    __device__ __forceinline__ void update(int z, const Vec<T>& laplacian, const Vec<T> (&tilted)[2]) const {
        copies_wait<1>();
        Vec<T> of[5], p_next, q_next;
        ONDA_UNROLL
        for (int i = 0; i < 5; ++i) of[i] = waiting(Tile::arrays_at + i);
        if (inside_ <= 0) return;
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) {
            const T p = column_.queue[0].plane[0].v[v], q = column_.queue[1].plane[0].v[v];
            const T k = of[2].v[v], e = of[3].v[v], d = of[4].v[v];
            const T sum = laplacian.v[v] + (tilted[1].v[v] - tilted[0].v[v]);
            p_next.v[v] = next_horizontal(p, of[0].v[v], k, e, d, sum, tilted[1].v[v]);
            q_next.v[v] = next_vertical(q, of[1].v[v], k, d, sum, tilted[1].v[v]);
        }
        const std::int64_t node = z * block_.a.plane + column_.in_plane;
        store_inside(block_.a.q + node, p_next, inside_);
        store_inside(block_.a.vertical_next + node, q_next, inside_);
    }

    const TiltBlock<Tile>& block_;
    TiltColumn<Tile> column_;
    int in_x_, in_y_;  ///< n_x g and n_y g of p in a stage
    int inside_;       ///< nodes of the grid from the first own one on; 0: none
    std::int64_t in_medium_;
    int slot_ = 0, of_sums_ = 0;  ///< of plane z among 2r and r planes: where those lie that go
    Vec<T> laplacian_, along_z_[2];
};

/// One step on one tile of a chunk of planes. Block: Tile::threads. Grid: tiles along x, tiles along y, chunks along z.
template <typename Tile>
__global__ void __launch_bounds__(Tile::threads, 1)
    tti_march_step(const __grid_constant__ TiltArguments<typename Tile::T> a) {
    const auto [begin, end] = chunk_of_block(a.chunks, 0, a.nz);
    const TiltBlock<Tile> block{a,
                                static_cast<int>(threadIdx.x),
                                static_cast<int>(blockIdx.x) * Tile::width,
                                static_cast<int>(blockIdx.y) * Tile::height,
                                begin,
                                end,
                                reinterpret_cast<typename Tile::T*>(shared_memory()),
                                reinterpret_cast<Barrier*>(shared_memory() + Tile::barrier_at)};
    if (block.thread == 0) {
        barrier_init(block.barrier, Tile::threads);
        barrier_init_fence();
    }
    __syncthreads();
    if (block.thread >= Tile::own) {
        march_beside(block);
        return;
    }
    TiltNodes<Tile> nodes(block, place_of_thread<Tile>(block.thread));
    block.arrive();
    block.wait(block.first() - 1);
    for (int z = block.first(); z <= block.last(); ++z) {
        nodes.compute_g(z);
        block.arrive();
        nodes.advance(z);
        block.wait(z);
        nodes.move(z);
    }
    copies_wait<0>();
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
