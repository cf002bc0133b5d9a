/// \file
/// What a CPU kernel is: one function that advances the whole grid by one step.
///
/// The kernel sources are compiled once per instruction set (ONDA_ISA). So that no code built for a newer instruction
/// set can leak into the rest of the program, they include only headers without inline library functions, and keep
/// their own functions in an unnamed namespace.
#pragma once

#include <cstdint>
#include <omp.h>

#include "kernels/cpu/denormals.hpp"
#include "kernels/equations/node_class.hpp"
#include "kernels/equations/star/leap.hpp"
#include "kernels/load_strategy.hpp"
#include "kernels/storage.hpp"

namespace onda::cpu {

/// Fields beyond p, and arrays of the medium, that an equation can have (kernels/equations/equation.hpp).
inline constexpr int kMostFurtherFields = 3, kMostMediumArrays = 8;
/// Memory fields that an equation can have.
inline constexpr int kMostMemoryFields = 2;
/// Scratch fields that an equation can have.
inline constexpr int kMostScratchFields = 2;

/// An array of the medium, at node (0, 0, 0); strides in elements.
template <typename T>
struct MediumView {
    const T* at = nullptr;
    std::int64_t pitch = 0, plane = 0;
};

/// What kernels work on. Arrays point at node (0, 0, 0); strides in elements. p, q and half_rho have halos, k has none.
template <typename T>
struct Arrays {
    const T* p = nullptr;         ///< p[n]
    T* q = nullptr;               ///< p[n-1], overwritten with p[n+1]
    const T* k = nullptr;         ///< (vp dt)^2; with variable density rho (vp dt)^2
    const T* half_rho = nullptr;  ///< rho / 2, with variable density
    std::int64_t nx = 0, ny = 0, nz = 0;
    std::int64_t pitch = 0, plane = 0;
    std::int64_t k_pitch = 0, k_plane = 0, rho_pitch = 0, rho_plane = 0;
    int threads = 1;
    /// Both levels of an equation's further fields, in its order, which lie in memory as p and q do.
    const T* further_p[kMostFurtherFields] = {};
    T* further_q[kMostFurtherFields] = {};
    MediumView<T> medium[kMostMediumArrays] = {};  ///< all arrays of the equation, k among them
    CodedK coded_k = {};                           ///< where k is stored as codes: in the place of k
    /// The memory fields of an equation, which lie in memory as k does; null beyond those that it has.
    T* memory[kMostMemoryFields] = {};
    /// What nodes of each class have for each of them. Classes are counted from the first of these nodes.
    T of_class[kMostMemoryFields][kNodeClasses] = {};
    /// The scratch fields of an equation, which lie in memory as p does.
    T* scratch_field[kMostScratchFields] = {};
};

/// k of all nodes, for kernels that are compiled for several kinds of storage.
/// \tparam K a pointer to numbers, CodesOfK, IndicesOfK, or CodedK for either.
template <typename K, typename T>
inline __attribute__((always_inline)) K k_of(const Arrays<T>& a) {
    if constexpr (__is_same(K, const T*))
        return a.k;
    else
        return as<K>(a.coded_k);
}

/// A box of nodes: [low, high) along x, y, z.
struct NodeBox {
    std::int64_t low[3] = {}, high[3] = {};

    [[nodiscard]] ONDA_HOST_DEVICE bool is_empty() const {
        return low[0] >= high[0] || low[1] >= high[1] || low[2] >= high[2];
    }
};

/// Rows (y, z) of the grid, z slowest, in one contiguous range a thread: the partition all kernels and the first touch
/// share, so that a thread computes on memory of its own NUMA node.
struct RowRange {
    std::int64_t begin, end;
};
inline __attribute__((always_inline)) RowRange rows_of_thread(std::int64_t rows, int thread, int threads) {
    return {rows * thread / threads, rows * (thread + 1) / threads};
}

/// Rows (y, z) … (y, z + planes - 1) of the grid, which a thread has stepped.
struct SteppedRows {
    std::int64_t y, z;
    int planes;
    RowRange of_thread;  ///< all that this thread steps; of each plane in the order of y, of each y in that of z
};

/// What acts on rows as soon as they are stepped, while the caches of their thread hold them. It may read p of all
/// planes of the grid, and finds p[n+1] in q of these rows and of those that its thread has stepped before.
struct RowFollower {
    void (*follow)(const void* object, const SteppedRows& rows) = nullptr;
    const void* object = nullptr;
    std::int64_t first_plane = 0;  ///< of the planes that are stepped, in the grid
};

template <typename T>
struct StepArguments : Arrays<T> {
    Stencil<T> stencil;
    NodeBox box;                             ///< leaps: the nodes that leap; their shell: those that are left out
    const T* before = nullptr;               ///< of the shell: see there
    T* scratch = nullptr;                    ///< leaps: LeapTile::elements() for each thread
    LeapWeights<T> weights;                  ///< of leaps
    T first[3][kMaxRadius + 1] = {};         ///< of equations that take first derivatives: D_m / h along x, y, z
    ShellPass pass = ShellPass::step;        ///< of the shell
    const LoadStrategy* strategy = nullptr;  ///< in-plane kernels
    std::int64_t cache_bytes = 0;            ///< the L2 share of one thread
    RowFollower follower;                    ///< see Kernel::is_followed
};

template <typename T>
using StepFunction = void (*)(const StepArguments<T>&);

/// Instruction sets, as tags: a kernel source specialises its step for ONDA_ISA.
struct generic;
struct x86_64_v3;
struct x86_64_v4;

template <typename Isa, typename T>
void reference_step(const StepArguments<T>& a);
template <typename Isa, typename T>
void vectorised_step(const StepArguments<T>& a);
// Steps that read k as codes.
template <typename Isa>
void reference_coded_step(const StepArguments<float>& a);
template <typename Isa>
void vectorised_coded_step(const StepArguments<float>& a);
template <typename Isa, typename T>
void inplane_step(const StepArguments<T>& a);
/// The array streams of a step without neighbours: the ceiling of any one-step kernel. Not a wave equation.
template <typename Isa, typename T>
void twin_step(const StepArguments<T>& a);

// Leaps, and steps of order 4 in time: p is p[n], and q p[n-2] or p[n-1], overwritten with p[n+2] or p[n+1] in the box;
// what they write elsewhere is undefined.
template <typename Isa, typename T>
void reference_leap_step(const StepArguments<T>& a);
template <typename Isa, typename T>
void vectorised_leap_step(const StepArguments<T>& a);
// Leaps that read k as codes.
template <typename Isa>
void reference_coded_leap_step(const StepArguments<float>& a);
template <typename Isa>
void vectorised_coded_leap_step(const StepArguments<float>& a);

/// A pass over all nodes but those in the box, on numbers or codes of k: a single step from p and the level before it
/// to q, which may take the place of the latter; q = k L(p); or, where p is u and `before` is p[n], from q, p[n-1], to
/// p[n+1].
template <typename Isa, typename T>
void leap_shell_step(const StepArguments<T>& a);

// Steps of the compact operator.
template <typename Isa, typename T>
void reference_compact_step(const StepArguments<T>& a);
template <typename Isa, typename T>
void vectorised_compact_step(const StepArguments<T>& a);
template <typename Isa, typename T>
void inplane_compact_step(const StepArguments<T>& a);

// Steps of variable density.
template <typename Isa, typename T>
void density_reference_step(const StepArguments<T>& a);
template <typename Isa, typename T>
void density_vectorised_step(const StepArguments<T>& a);

// Steps of attenuation, with as many memory fields as there are: with none of drag.
template <typename Isa, typename T>
void attenuation_reference_step(const StepArguments<T>& a);
template <typename Isa, typename T>
void attenuation_vectorised_step(const StepArguments<T>& a);
template <typename Isa, typename T>
void attenuation_density_reference_step(const StepArguments<T>& a);
template <typename Isa, typename T>
void attenuation_density_vectorised_step(const StepArguments<T>& a);

// Steps of vertical transverse isotropy.
template <typename Isa, typename T>
void vti_reference_step(const StepArguments<T>& a);
template <typename Isa, typename T>
void vti_vectorised_step(const StepArguments<T>& a);

// Steps of tilted transverse isotropy.
template <typename Isa, typename T>
void tti_reference_step(const StepArguments<T>& a);
template <typename Isa, typename T>
void tti_vectorised_step(const StepArguments<T>& a);

/// The nodes of a row that a kernel takes at once: the whole row or, of rows beyond 8 kB, one of equal parts. It is a
/// multiple of the longest vector.
template <typename T>
inline __attribute__((always_inline)) std::int64_t part_of_row(std::int64_t nx) {
    constexpr std::int64_t most = 8192 / sizeof(T), vector = 64 / sizeof(T);
    const std::int64_t parts = (nx + most - 1) / most;
    return (nx + parts * vector - 1) / (parts * vector) * vector;
}

/// Calls body(p, q, k, half_rho) with the first node of every row, each thread on its own range. \param k of all nodes.
template <typename T, typename K, typename Body>
inline __attribute__((always_inline)) void for_each_row(const StepArguments<T>& a, const K& k, const Body& body) {
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals<T> flush;
        const RowRange rows = rows_of_thread(a.ny * a.nz, omp_get_thread_num(), omp_get_num_threads());
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            const std::int64_t y = row % a.ny, z = row / a.ny;
            body(a.p + y * a.pitch + z * a.plane, a.q + y * a.pitch + z * a.plane, k + (y * a.k_pitch + z * a.k_plane),
                 a.half_rho + y * a.rho_pitch + z * a.rho_plane);
        }
    }
}
template <typename T, typename Body>
inline __attribute__((always_inline)) void for_each_row(const StepArguments<T>& a, const Body& body) {
    for_each_row(a, a.k, body);
}

/// Calls Kernel<T, Dims, R>::step for the dimension and the order of the arguments. The kernels are local to their
/// sources, and so is what this makes of them.
template <template <typename, int, int> typename Kernel, typename T>
void step_of_order(const StepArguments<T>& a) {
    constexpr StepFunction<T> steps[2][kMaxRadius] = {
        {Kernel<T, 2, 1>::step, Kernel<T, 2, 2>::step, Kernel<T, 2, 3>::step, Kernel<T, 2, 4>::step,
         Kernel<T, 2, 5>::step, Kernel<T, 2, 6>::step, Kernel<T, 2, 7>::step, Kernel<T, 2, 8>::step},
        {Kernel<T, 3, 1>::step, Kernel<T, 3, 2>::step, Kernel<T, 3, 3>::step, Kernel<T, 3, 4>::step,
         Kernel<T, 3, 5>::step, Kernel<T, 3, 6>::step, Kernel<T, 3, 7>::step, Kernel<T, 3, 8>::step}};
    steps[a.stencil.dimensions - 2][a.stencil.radius - 1](a);
}

/// A kernel that reads k as K, for step_of_order().
template <template <typename, typename, int, int> typename Kernel, typename K>
struct Reading {
    template <typename T, int Dims, int R>
    using Of = Kernel<K, T, Dims, R>;
};

/// step_of_order() of a Kernel<K, T, Dims, R> that reads k as numbers.
template <template <typename, typename, int, int> typename Kernel, typename T>
void step_on_numbers(const StepArguments<T>& a) {
    step_of_order<Reading<Kernel, const T*>::template Of>(a);
}

/// step_of_order() of a Kernel<K, T, Dims, R> that reads k as codes of the kind in the arguments.
template <template <typename, typename, int, int> typename Kernel>
void step_on_codes(const StepArguments<float>& a) {
    if (a.coded_k.storage == Storage::codes)
        step_of_order<Reading<Kernel, CodesOfK>::template Of>(a);
    else
        step_of_order<Reading<Kernel, IndicesOfK>::template Of>(a);
}

}  // namespace onda::cpu
