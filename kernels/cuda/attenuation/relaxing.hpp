/// \file
/// Attenuation on a GPU (kernels/equations/attenuation/memory.hpp): what its kernels are given beside those without
/// loss, and what a node does with its Laplacian.
#pragma once

#include "kernels/cuda/common_arguments.hpp"
#include "kernels/cuda/direct/direct.hpp"
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
    for (int i = 0; i < Count; ++i) {
        a.g[i] += a.k_plane * planes;
        a.memory[i] += a.plane * planes;
        const auto before = a;
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

}  // namespace onda::cuda
