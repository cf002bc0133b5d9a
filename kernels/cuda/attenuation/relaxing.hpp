/// \file
/// Attenuation on a GPU (kernels/equations/attenuation/memory.hpp): what its kernels are given beside those without
/// loss, and what a node does with its Laplacian.
#pragma once

#include "kernels/cuda/common_arguments.hpp"
#include "kernels/cuda/direct/direct.hpp"
#include "kernels/cuda/own_nodes.hpp"
#include "kernels/cuda/vectors.hpp"
#include "kernels/equations/attenuation/memory.hpp"
#include "kernels/equations/node_class.hpp"

namespace onda::cuda {

/// What a kernel without loss is given, and the arrays of `Count` memory fields. g lies as k does, R as p.
template <typename T, typename Base, int Count>
struct WithMemory : Base {
    const T* g[Count];
    T* memory[Count];
    T of_class[Count][kNodeClasses];  ///< a
};

/// The arrays that an equation without loss has before g.
template <typename T>
constexpr std::size_t arrays_before_g(const StepArguments<T>*) {
    return 1;
}
template <typename T>
constexpr std::size_t arrays_before_g(const DensityArguments<T>*) {
    return 2;
}

/// Makes a the step that reads p[now], for kernels of attenuation: all but the planes of a block.
template <typename T, typename Base, int Count>
void set_common(WithMemory<T, Base, Count>& a, const Fields<T>& f, int now) {
    set_common(static_cast<Base&>(a), f, now);
    for (std::size_t i = 0; i < Count; ++i) {
        a.g[i] = f.medium[arrays_before_g(static_cast<const Base*>(nullptr)) + i].at;
        a.memory[i] = f.memory[i];
        for (std::size_t c = 0; c < kNodeClasses; ++c) a.of_class[i][c] = f.of_class[i][c];
    }
}

/// Leaves out the first planes of a step.
template <typename T, typename Base, int Count>
void skip_planes(WithMemory<T, Base, Count>& a, int planes) {
    skip_planes(static_cast<Base&>(a), planes);
    const auto before = a;
    for (int i = 0; i < Count; ++i) {
        a.g[i] += a.k_plane * planes;
        a.memory[i] += a.plane * planes;
        for (int c = 0; c < kNodeClasses; ++c) a.of_class[i][c] = before.of_class[i][class_from_plane(c, planes)];
    }
}

/// The class of a node. In 2-D the shots of a batch lie side by side along y.
template <typename T>
__device__ __forceinline__ int class_of_node(const StepArguments<T>& a, int x, int y, int z) {
    return node_class(x, a.stencil.dimensions == 3 ? y : 0, z);
}

/// p[n+1] and R of a node: see advance_node() of kernels/cuda/direct/direct.hpp.
template <typename T, typename Base, int Count>
__device__ __forceinline__ void advance_node(const WithMemory<T, Base, Count>& a, int x, int y, int z, T l) {
    const std::int64_t node = z * a.plane + y * a.pitch + x, of_medium = z * a.k_plane + y * a.k_pitch + x;
    const T p = a.p[node], p_prev = a.q[node];
    T next = leapfrog(p, p_prev, a.k[of_medium], l);
    ONDA_UNROLL
    for (int i = 0; i < Count; ++i) {
        const T memory = a.memory[i][node], e = not_followed(p, p_prev, memory);
        next = relaxed(a.g[i][of_medium], e, next);
        a.memory[i][node] = followed(a.of_class[i][class_of_node(a, x, y, z)], e, memory);
    }
    a.q[node] = next;
}

/// What a node of an equation costs with so many memory fields.
constexpr NodeWork with_memory(NodeWork work, int count) {
    work.operations += 6 * count;
    work.loads += 2 * count;
    work.arrays.medium += count;
    work.arrays.memory += count;
    return work;
}

/// See kernels/cuda/own_nodes.hpp.
template <typename T, int Rows, typename Base, int Count>
class OwnNodes<T, Rows, WithMemory<T, Base, Count>> {
public:
    using Arguments = WithMemory<T, Base, Count>;

    __device__ __forceinline__ OwnNodes(const Arguments& a, int x, int y, int z)
        : a_(a), x_(x), y_(y), z_(z), node_(z * a.plane + y * a.pitch + x), of_k_(z * a.k_plane + y * a.k_pitch + x) {}
    __device__ __forceinline__ void ask(int j) {
        if (x_ >= a_.nx || y_ + j >= a_.ny) return;
        const std::int64_t node = node_ + j * a_.pitch, of_k = of_k_ + j * a_.k_pitch;
        q_[j] = load_streaming(static_cast<const T*>(a_.q + node));
        k_[j] = load_streaming(a_.k + of_k);
        ONDA_UNROLL
        for (int i = 0; i < Count; ++i) {
            g_[j][i] = load_streaming(a_.g[i] + of_k);
            memory_[j][i] = load_streaming(static_cast<const T*>(a_.memory[i] + node));
        }
    }
    __device__ __forceinline__ void advance(int j, Vec<T> p, Vec<T> l, bool stores = true) const {
        constexpr int V = Vec<T>::size;
        // x of a vector is even.
        const int even = class_of_node(a_, 0, y_ + j, z_), odd = class_of_node(a_, 1, y_ + j, z_);
        const bool is_inside = stores && y_ + j < a_.ny;
        const std::int64_t node = node_ + j * a_.pitch;
        Vec<T> next;
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) next.v[v] = leapfrog(p.v[v], q_[j].v[v], k_[j].v[v], l.v[v]);
        ONDA_UNROLL
        for (int i = 0; i < Count; ++i) {
            const T a_of[2] = {a_.of_class[i][even], a_.of_class[i][odd]};
            Vec<T> memory;
            ONDA_UNROLL
            for (int v = 0; v < V; ++v) {
                const T e = not_followed(p.v[v], q_[j].v[v], memory_[j][i].v[v]);
                next.v[v] = relaxed(g_[j][i].v[v], e, next.v[v]);
                memory.v[v] = followed(a_of[v % 2], e, memory_[j][i].v[v]);
            }
            if (is_inside) store_inside(a_.memory[i] + node, memory, a_.nx - x_);
        }
        if (is_inside) store_inside(a_.q + node, next, a_.nx - x_);
    }
    __device__ __forceinline__ void move() {
        ++z_;
        node_ += a_.plane;
        of_k_ += a_.k_plane;
    }

private:
    const Arguments& a_;
    int x_, y_, z_;
    std::int64_t node_, of_k_;
    Vec<T> q_[Rows] = {}, k_[Rows] = {}, g_[Rows][Count] = {}, memory_[Rows][Count] = {};
};

/// What a plane costs with so many memory fields. \tparam Without makes what it costs without. \tparam Vector of each
/// of the Rows that a thread carries.
template <auto Without, int Rows, int Vector, int Count>
constexpr MarchWork relaxing_work() {
    MarchWork work = Without();
    work.operations += 6 * Count * Rows * Vector;
    work.instructions += 6 * Count * Rows * (Vector + 1);
    work.arrays.medium += Count;
    work.arrays.memory += Count;
    return work;
}

}  // namespace onda::cuda
