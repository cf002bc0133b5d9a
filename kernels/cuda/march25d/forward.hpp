/// \file
/// The 2.5-D kernel of Micikevicius (2009), GPGPU-2: a block marches along z with a queue of 2r + 1 planes in
/// registers; the tile of the current plane and its halo are in shared memory.
#pragma once

#include "kernels/cuda/arguments.hpp"
#include "kernels/cuda/vectors.hpp"

namespace onda::cuda {

/// \tparam BX, BY threads; each computes one 16-byte vector of a plane.
template <typename T, int R, int BX, int BY>
struct ForwardTile {
    static constexpr int vector = Vec<T>::size, width = BX * vector, height = BY;
    static constexpr int x_halo = (R + vector - 1) / vector * vector;
    static constexpr int row = width + 2 * x_halo;
    static constexpr int stage_size = row * (height + 2 * R);
    static constexpr int shared_bytes = 2 * stage_size * static_cast<int>(sizeof(T));
};

/// Block: (BX, BY). Grid: tiles along x, along y, chunks along z.
template <typename T, int R, int BX, int BY>
__global__ void __launch_bounds__(BX* BY) forward_step(const __grid_constant__ StepArguments<T> a) {
    using Shape = ForwardTile<T, R, BX, BY>;
    constexpr int V = Shape::vector, H = Shape::x_halo, row = Shape::row;
    const Stencil<T>& w = a.stencil;
    const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
    const int x = static_cast<int>(blockIdx.x) * Shape::width + tx * V;
    const int y = static_cast<int>(blockIdx.y) * Shape::height + ty;
    const int z_begin = static_cast<int>(blockIdx.z) * a.chunk;
    const int z_end = z_begin + a.chunk < a.nz ? z_begin + a.chunk : a.nz;
    const auto load = [&](int dx, int dy, int z) {
        const bool inside = x + dx < a.nx + H && y + dy >= -a.y_halo && y + dy < a.ny + a.y_halo;
        return inside ? *reinterpret_cast<const Vec<T>*>(a.p + z * a.plane + (y + dy) * a.pitch + x + dx) : Vec<T>{};
    };
    const bool mine = x < a.nx && y < a.ny;
    Vec<T> queue[2 * R + 1];  // planes z - R … z + R
    ONDA_UNROLL
    for (int i = 0; i < 2 * R; ++i) queue[i + 1] = load(0, 0, z_begin - R + i);

    T* stage = reinterpret_cast<T*>(shared_memory());
    T* other = stage + Shape::stage_size;
    for (int z = z_begin; z < z_end; ++z) {
        ONDA_UNROLL
        for (int i = 0; i < 2 * R; ++i) queue[i] = queue[i + 1];
        queue[2 * R] = load(0, 0, z + R);
        T* const q = a.q + z * a.plane + y * a.pitch + x;
        Vec<T> q_now{}, k_now{};
        if (mine) {
            q_now = load_streaming(static_cast<const T*>(q));
            k_now = load_streaming(a.k + z * a.k_plane + y * a.k_pitch + x);
        }
        T* const centre = stage + (ty + R) * row + H + tx * V;
        const auto put = [&](int dx, int dy, Vec<T> value) {
            *reinterpret_cast<Vec<T>*>(centre + dy * row + dx) = value;
        };
        put(0, 0, queue[R]);
        if (tx < H / V) {
            put(-H, 0, load(-H, 0, z));
            put(Shape::width, 0, load(Shape::width, 0, z));
        }
        for (int i = ty; i < R; i += BY) {
            put(0, i - ty - R, load(0, i - ty - R, z));
            put(0, i - ty + BY, load(0, i - ty + BY, z));
        }
        __syncthreads();
        T window[V + 2 * H];
        ONDA_UNROLL
        for (int m = 0; m < (V + 2 * H) / V; ++m) {
            const Vec<T> part = load_vector(centre - H + m * V);
            ONDA_UNROLL
            for (int v = 0; v < V; ++v) window[m * V + v] = part.v[v];
        }
        Vec<T> l;
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) {
            l.v[v] = w.centre * window[H + v];
            ONDA_UNROLL
            for (int k = 1; k <= R; ++k) l.v[v] = fused(w.axis[0][k], window[H + v - k] + window[H + v + k], l.v[v]);
        }
        if (w.dimensions == 3) {
            ONDA_UNROLL
            for (int k = 1; k <= R; ++k) {
                const Vec<T> below = load_vector(centre - k * row);
                const Vec<T> above = load_vector(centre + k * row);
                ONDA_UNROLL
                for (int v = 0; v < V; ++v) l.v[v] = fused(w.axis[1][k], below.v[v] + above.v[v], l.v[v]);
            }
        }
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) {
            ONDA_UNROLL
            for (int k = 1; k <= R; ++k) l.v[v] = fused(w.axis[2][k], queue[R - k].v[v], l.v[v]);
            ONDA_UNROLL
            for (int k = 1; k <= R; ++k) l.v[v] = fused(w.axis[2][k], queue[R + k].v[v], l.v[v]);
            q_now.v[v] = leapfrog(queue[R].v[v], q_now.v[v], k_now.v[v], l.v[v]);
        }
        if (mine) store_inside(q, q_now, a.nx - x);
        T* const swapped = stage;
        stage = other;
        other = swapped;
    }
}

}  // namespace onda::cuda
