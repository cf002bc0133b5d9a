/// \file
/// What the threads of marching kernels do with the Laplacians of their nodes.
#pragma once

#include <utility>

#include "kernels/cuda/arguments.hpp"
#include "kernels/cuda/vectors.hpp"

namespace onda::cuda {

/// A thread's own nodes of the plane that is completed next, Rows rows of one vector: what their steps take
/// beside p and its Laplacian, and p[n+1]. Equations whose nodes do more have one of their own.
template <typename T, int Rows, typename Arguments>
class OwnNodes {
public:
    using K = decltype(k_of(std::declval<const Arguments&>()));

    /// \param x, y of the first of them; \param z plane that is completed first.
    __device__ __forceinline__ OwnNodes(const Arguments& a, int x, int y, int z)
        : a_(a),
          x_(x),
          y_(y),
          q_(a.q + z * a.plane + y * a.pitch + x),
          k_(k_of(a) + (z * a.k_plane + y * a.k_pitch + x)) {}
    /// Asks for what row j of the plane needs.
    __device__ __forceinline__ void ask(int j) {
        if (x_ >= a_.nx || y_ + j >= a_.ny) return;
        q_now_[j] = load_streaming(static_cast<const T*>(q_ + j * a_.pitch));
        k_now_[j] = load_streaming_stored(k_ + j * a_.k_pitch);
    }
    /// p[n+1] of row j. \param stores whether it is one that is complete.
    __device__ __forceinline__ void advance(int j, Vec<T> p, Vec<T> l, bool stores = true) const {
        const Vec<T> k = decoded(k_, k_now_[j]);
        Vec<T> next;
        ONDA_UNROLL
        for (int v = 0; v < Vec<T>::size; ++v) next.v[v] = leapfrog(p.v[v], q_now_[j].v[v], k.v[v], l.v[v]);
        if (stores && y_ + j < a_.ny) store_inside(q_ + j * a_.pitch, next, a_.nx - x_);
    }
    /// Moves on to the next plane.
    __device__ __forceinline__ void move() {
        q_ += a_.plane;
        k_ += a_.k_plane;
    }

private:
    const Arguments& a_;
    int x_, y_;
    T* q_;
    K k_;
    Vec<T> q_now_[Rows] = {};
    decltype(load_streaming_stored(std::declval<K>())) k_now_[Rows] = {};
};

}  // namespace onda::cuda
