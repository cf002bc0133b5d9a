/// \file
/// Drag on a GPU (kernels/equations/attenuation/drag.hpp): what its kernels are given beside those without loss, what a
/// node does with its Laplacian, and the rows of those that march.
#pragma once

#include "kernels/cuda/attenuation/relaxing.hpp"
#include "kernels/cuda/inplane/inplane_launch.hpp"
#include "kernels/cuda/march25d/density_launch.hpp"

namespace onda::cuda {

/// What a kernel without loss is given, and g, which lies as k does.
template <typename T, typename Base>
struct WithDrag : Base {
    const T* g;
};

/// Makes a the step that reads p[now], for kernels of drag: all but the planes of a block.
template <typename T, typename Base>
void set_common(WithDrag<T, Base>& a, const Fields<T>& f, int now) {
    set_common(static_cast<Base&>(a), f, now);
    a.g = f.medium[arrays_before_g(static_cast<const Base*>(nullptr))].at;
}

/// Leaves out the first planes of a step.
template <typename T, typename Base>
void skip_planes(WithDrag<T, Base>& a, int planes) {
    skip_planes(static_cast<Base&>(a), planes);
    a.g += a.k_plane * planes;
}

/// p[n+1] of a node: see advance_node() of kernels/cuda/direct/direct.hpp.
template <typename T, typename Base>
__device__ __forceinline__ void advance_node(const WithDrag<T, Base>& a, int x, int y, int z, T l) {
    const std::int64_t node = z * a.plane + y * a.pitch + x, of_medium = z * a.k_plane + y * a.k_pitch + x;
    const T p = a.p[node], p_prev = a.q[node];
    a.q[node] = dragged(a.g[of_medium], p, p_prev, leapfrog(p, p_prev, a.k[of_medium], l));
}

/// What a node of an equation costs with drag.
constexpr NodeWork with_drag(NodeWork work) {
    work.operations += 3;
    ++work.loads;
    ++work.arrays.medium;
    return work;
}

/// See kernels/cuda/own_nodes.hpp.
template <typename T, int Rows, typename Base>
class OwnNodes<T, Rows, WithDrag<T, Base>> {
public:
    using Arguments = WithDrag<T, Base>;

    __device__ __forceinline__ OwnNodes(const Arguments& a, int x, int y, int z)
        : a_(a),
          x_(x),
          y_(y),
          q_(a.q + z * a.plane + y * a.pitch + x),
          k_(a.k + z * a.k_plane + y * a.k_pitch + x),
          g_(a.g + z * a.k_plane + y * a.k_pitch + x) {}
    __device__ __forceinline__ void ask(int j) {
        if (x_ >= a_.nx || y_ + j >= a_.ny) return;
        q_now_[j] = load_streaming(static_cast<const T*>(q_ + j * a_.pitch));
        k_now_[j] = load_streaming(k_ + j * a_.k_pitch);
        g_now_[j] = load_streaming(g_ + j * a_.k_pitch);
    }
    __device__ __forceinline__ void advance(int j, Vec<T> p, Vec<T> l, bool stores = true) const {
        Vec<T> next;
        ONDA_UNROLL
        for (int v = 0; v < Vec<T>::size; ++v) {
            const T p_prev = q_now_[j].v[v];
            next.v[v] = dragged(g_now_[j].v[v], p.v[v], p_prev, leapfrog(p.v[v], p_prev, k_now_[j].v[v], l.v[v]));
        }
        if (stores && y_ + j < a_.ny) store_inside(q_ + j * a_.pitch, next, a_.nx - x_);
    }
    __device__ __forceinline__ void move() {
        q_ += a_.plane;
        k_ += a_.k_plane;
        g_ += a_.k_plane;
    }

private:
    const Arguments& a_;
    int x_, y_;
    T* q_;
    const T *k_, *g_;
    Vec<T> q_now_[Rows] = {}, k_now_[Rows] = {}, g_now_[Rows] = {};
};

/// What a plane costs with drag: see relaxing_work().
template <auto Without, int Rows, int Vector>
constexpr MarchWork dragging_work() {
    MarchWork work = Without();
    work.operations += 3 * Rows * Vector;
    work.instructions += 2 * Rows * (Vector + 1);
    ++work.arrays.medium;
    return work;
}

/// The row of drag in-plane with one tile and copy engine.
template <typename Tile, template <typename> class Copies>
Instance<typename Tile::T> dragging_row(int strategy, const char* copy, int architecture) {
    using T = typename Tile::T;
    auto row =
        inplane_row<Tile, Copies, WithDrag<T, InPlaneArguments<T>>,
                    dragging_work<inplane_work<Tile, Copies>, Tile::rows, Tile::vector>>(strategy, copy, architecture);
    row.equation = Equation::drag;
    return row;
}

/// The row of drag with variable density that marches, whose threads are all alike.
template <typename Tile, template <typename> class Copies>
Instance<typename Tile::T> dragging_density_row(const char* copy, int architecture) {
    using T = typename Tile::T;
    auto row = density_march_row<Tile, Copies, WithDrag<T, DensityTileArguments<T>>,
                                 dragging_work<density_march_work<Tile, Copies>, Tile::rows, Tile::vector>>(
        copy, architecture);
    row.equation = Equation::drag_density;
    return row;
}

}  // namespace onda::cuda
