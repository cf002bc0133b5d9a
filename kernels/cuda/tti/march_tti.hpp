/// \file
/// Tilted transverse isotropy in 3-D, marching along z in both passes: a thread keeps its own vector of 2r + 1 planes
/// of what is differentiated along z in queues of registers, and reads its neighbours along x and y through the L1
/// cache.
#pragma once

#include "kernels/cuda/march25d/march25d.hpp"
#include "kernels/cuda/tti/direct_tti.hpp"

namespace onda::cuda {

/// A thread's own vector of a plane and those around it: all that it reads of what is computed lies within the halos.
/// \tparam BX, BY threads of a block; each computes one vector of a plane.
template <typename T, int R, int BX, int BY>
struct TiltThread {
    static constexpr int V = Vec<T>::size, H = (R + V - 1) / V * V;
    const TiltArguments<T>& a;
    int x, y;
    std::int64_t in_plane, n_in_plane;  ///< the vector among the elements of a plane of the fields, and of the axis

    /// \param beyond_x, beyond_y nodes before the grid at which the first tile begins.
    __device__ __forceinline__ TiltThread(const TiltArguments<T>& arguments, int beyond_x, int beyond_y)
        : a(arguments),
          x(static_cast<int>(blockIdx.x * BX + threadIdx.x) * V - beyond_x),
          y(static_cast<int>(blockIdx.y * BY + threadIdx.y) - beyond_y),
          in_plane(y * a.pitch + x),
          n_in_plane(y * a.n_pitch + x) {}

    /// A field of the vector dx nodes and dy rows away.
    [[nodiscard]] __device__ __forceinline__ Vec<T> field(const T* at, int dx, int dy, int z) const {
        return load_vector(at + z * a.plane + in_plane + dy * a.pitch + dx);
    }
    /// The axis there.
    [[nodiscard]] __device__ __forceinline__ Vec<T> axis(int which, int dx, int dy, int z) const {
        return load_vector(a.n[which] + z * a.n_plane + n_in_plane + dy * a.n_pitch + dx);
    }
    /// The values of a row from H nodes before the own vector to H nodes behind it. \param at vector dx nodes away.
    template <typename VectorAt>
    static __device__ __forceinline__ void load_row(const VectorAt& at, T (&row)[V + 2 * H]) {
        ONDA_UNROLL
        for (int m = 0; m < (V + 2 * H) / V; ++m) {
            const Vec<T> part = at(m * V - H);
            ONDA_UNROLL
            for (int v = 0; v < V; ++v) row[m * V + v] = part.v[v];
        }
    }
    /// sum_m D_m (f(m) - f(-m)) along x, added to the sums.
    static __device__ __forceinline__ void add_along_x(const T* weights, const T (&row)[V + 2 * H], Vec<T>& sum) {
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) ONDA_UNROLL
        for (int m = 1; m <= R; ++m) sum.v[v] = fused(weights[m], row[H + v + m] - row[H + v - m], sum.v[v]);
    }
    /// The same across: \param at f(m) as a vector.
    template <typename VectorAt>
    static __device__ __forceinline__ void add_across(const T* weights, const VectorAt& at, Vec<T>& sum) {
        ONDA_UNROLL
        for (int m = 1; m <= R; ++m) {
            const Vec<T> after = at(m), before = at(-m);
            ONDA_UNROLL
            for (int v = 0; v < V; ++v) sum.v[v] = fused(weights[m], after.v[v] - before.v[v], sum.v[v]);
        }
    }
};

template <typename T>
__device__ __forceinline__ Vec<T> product(const Vec<T>& a, const Vec<T>& b) {
    Vec<T> result;
    ONDA_UNROLL
    for (int v = 0; v < Vec<T>::size; ++v) result.v[v] = a.v[v] * b.v[v];
    return result;
}

/// The first pass: see tilted_derivatives() of kernels/cuda/tti/direct_tti.hpp. Block: (BX, BY). Grid: tiles along x
/// and y from r nodes before the grid on, along x as whole vectors; chunks along z.
template <typename T, int R, int BX, int BY>
__global__ void __launch_bounds__(BX* BY, 1) tilted_derivatives_march(const __grid_constant__ TiltArguments<T> a) {
    using Thread = TiltThread<T, R, BX, BY>;
    constexpr int V = Thread::V;
    const Thread mine(a, Thread::H, R);
    const auto [begin, end] = chunk_of_block(a.chunks, -R, a.nz + R);
    if (mine.x + V <= -R || mine.x >= a.nx + R || mine.y >= a.ny + R) return;  // threads share nothing
    PlaneQueue<T, R> of_p, of_q;
    ONDA_UNROLL
    for (int i = 0; i < 2 * R; ++i) {
        of_p.plane[i + 1] = mine.field(a.p, 0, 0, begin - R + i);
        of_q.plane[i + 1] = mine.field(a.vertical, 0, 0, begin - R + i);
    }
    const int beside_y = mine.y < 0 || mine.y >= a.ny ? 1 : 0;
    for (int z = begin; z < end; ++z) {
        of_p.advance(mine.field(a.p, 0, 0, z + R));
        of_q.advance(mine.field(a.vertical, 0, 0, z + R));
        const int beside = beside_y + (z < 0 || z >= a.nz ? 1 : 0);
        if (beside > 1) continue;
        const Vec<T> n[3] = {mine.axis(0, 0, 0, z), mine.axis(1, 0, 0, z), mine.axis(2, 0, 0, z)};
        const auto write_g = [&](const T* field, const PlaneQueue<T, R>& queue, T* g) {
            Vec<T> d[3] = {};
            T row[V + 2 * Thread::H];
            Thread::load_row([&](int dx) { return dx == 0 ? queue.plane[R] : mine.field(field, dx, 0, z); }, row);
            Thread::add_along_x(a.first[0], row, d[0]);
            Thread::add_across(
                a.first[1], [&](int m) { return mine.field(field, 0, m, z); }, d[1]);
            Thread::add_across(
                a.first[2], [&](int m) { return queue.plane[R + m]; }, d[2]);
            T* const to = g + z * a.plane + mine.y * a.pitch + mine.x;
            ONDA_UNROLL
            for (int v = 0; v < V; ++v) {
                const int outside = mine.x + v < 0 || mine.x + v >= a.nx ? 1 : 0;
                if (outside + beside <= 1 && mine.x + v >= -R && mine.x + v < a.nx + R)
                    to[v] = along_axis(n[0].v[v], n[1].v[v], n[2].v[v], d[0].v[v], d[1].v[v], d[2].v[v]);
            }
        };
        write_g(a.p, of_p, a.g_p);
        write_g(a.vertical, of_q, a.g_q);
    }
}

/// The second pass: the step. Block: (BX, BY). Grid: tiles along x, tiles along y, chunks along z.
template <typename T, int R, int BX, int BY>
__global__ void __launch_bounds__(BX* BY, 1) tti_march_step(const __grid_constant__ TiltArguments<T> a) {
    using Thread = TiltThread<T, R, BX, BY>;
    constexpr int V = Thread::V, length = V + 2 * Thread::H;
    const Thread mine(a, 0, 0);
    const auto [begin, end] = chunk_of_block(a.chunks, 0, a.nz);
    const bool inside = mine.x < a.nx && mine.y < a.ny;
    if (!inside) return;                    // threads share nothing
    PlaneQueue<T, R> of_p, of_g_p, of_g_q;  // of g the vertical component of n g
    const auto advance = [&](int z) {
        const Vec<T> n_z = mine.axis(2, 0, 0, z);
        of_p.advance(mine.field(a.p, 0, 0, z));
        of_g_p.advance(product(n_z, mine.field(a.g_p, 0, 0, z)));
        of_g_q.advance(product(n_z, mine.field(a.g_q, 0, 0, z)));
    };
    for (int z = begin - R; z < begin + R; ++z) advance(z);
    for (int z = begin; z < end; ++z) {
        const std::int64_t node = z * a.plane + mine.y * a.pitch + mine.x;
        const std::int64_t of_medium = z * a.k_plane + mine.y * a.k_pitch + mine.x;
        advance(z + R);
        Vec<T> of_p_tilted{}, v_tilted{}, l;
        T n_x[length], row[length];
        Thread::load_row([&](int dx) { return mine.axis(0, dx, 0, z); }, n_x);
        const auto add_x = [&](const T* g, Vec<T>& sum) {
            Thread::load_row([&](int dx) { return mine.field(g, dx, 0, z); }, row);
            ONDA_UNROLL
            for (int i = 0; i < length; ++i) row[i] = n_x[i] * row[i];
            Thread::add_along_x(a.first[0], row, sum);
        };
        add_x(a.g_p, of_p_tilted);
        add_x(a.g_q, v_tilted);
        ONDA_UNROLL
        for (int m = 1; m <= R; ++m) {
            const Vec<T> after = mine.axis(1, 0, m, z), before = mine.axis(1, 0, -m, z);
            const auto add_y = [&](const T* g, Vec<T>& sum) {
                const Vec<T> above = product(after, mine.field(g, 0, m, z));
                const Vec<T> below = product(before, mine.field(g, 0, -m, z));
                ONDA_UNROLL
                for (int v = 0; v < V; ++v) sum.v[v] = fused(a.first[1][m], above.v[v] - below.v[v], sum.v[v]);
            };
            add_y(a.g_p, of_p_tilted);
            add_y(a.g_q, v_tilted);
        }
        Thread::add_across(
            a.first[2], [&](int m) { return of_g_p.plane[R + m]; }, of_p_tilted);
        Thread::add_across(
            a.first[2], [&](int m) { return of_g_q.plane[R + m]; }, v_tilted);

        const Vec<T> p = of_p.plane[R];
        Thread::load_row([&](int dx) { return dx == 0 ? p : mine.field(a.p, dx, 0, z); }, row);
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) {
            l.v[v] = a.stencil.centre * p.v[v];
            ONDA_UNROLL
            for (int k = 1; k <= R; ++k)
                l.v[v] = fused(a.stencil.axis[0][k], row[Thread::H + v - k] + row[Thread::H + v + k], l.v[v]);
        }
        ONDA_UNROLL
        for (int k = 1; k <= R; ++k) {
            const Vec<T> below = mine.field(a.p, 0, -k, z), above = mine.field(a.p, 0, k, z);
            ONDA_UNROLL
            for (int v = 0; v < V; ++v) l.v[v] = fused(a.stencil.axis[1][k], below.v[v] + above.v[v], l.v[v]);
        }
        const Vec<T> p_before = load_streaming(static_cast<const T*>(a.q + node)),
                     q_before = load_streaming(static_cast<const T*>(a.vertical_next + node)),
                     q = load_vector(a.vertical + node), k = load_streaming(a.k + of_medium),
                     e = load_streaming(a.e + of_medium), d = load_streaming(a.d + of_medium);
        Vec<T> p_next, q_next;
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) {
            const T sum = of_p.add_along_z(v, a.stencil.axis[2], l.v[v]) + (v_tilted.v[v] - of_p_tilted.v[v]);
            p_next.v[v] = next_horizontal(p.v[v], p_before.v[v], k.v[v], e.v[v], d.v[v], sum, v_tilted.v[v]);
            q_next.v[v] = next_vertical(q.v[v], q_before.v[v], k.v[v], d.v[v], sum, v_tilted.v[v]);
        }
        store_inside(a.q + node, p_next, a.nx - mine.x);
        store_inside(a.vertical_next + node, q_next, a.nx - mine.x);
    }
}

/// What a plane of the second pass costs with what the first one adds.
template <typename T, int R>
constexpr MarchWork tti_march_work() {
    constexpr int V = Vec<T>::size, vectors = 88, element = sizeof(T);
    constexpr int operations = V * tti_work(3, R).operations;
    return {
        .p = {in_sectors(2 * R, element), 2 * R, 2 * R, false},
        .rho = {in_sectors(R, element), R, R, false},
        .shared_bytes = 16 * vectors,
        .instructions = operations + 5 * 2 * R * V + 5 * vectors,
        .operations = operations,
        .arrays = {.medium = 6, .fields = 2, .memory = 2},
    };
}

}  // namespace onda::cuda
