/// \file
/// The strips of perfectly matched layers on the CPU: one function for all of them (kernels/boundaries/cpml_math.hpp).
#pragma once

#include <cstdint>

#include "kernels/boundaries/cpml_math.hpp"
#include "kernels/cpu/kernel.hpp"

namespace onda::cpu {

/// Nodes along x that a strip across y or z takes at a time: the rows it needs again stay in the caches.
inline constexpr std::int64_t kCpmlBlock = 512;

/// Rows whose two ends strips across x take at a time: at least the planes that kernels step together.
inline constexpr int kCpmlRows = 8;

/// Profiles and memory variables of strips across x are padded to a multiple of this many.
inline constexpr int kCpmlPadding = 8;
ONDA_HOST_DEVICE int cpml_padded(int width) {
    return (width + kCpmlPadding - 1) / kCpmlPadding * kCpmlPadding;
}

/// The layer of one face. psi and zeta are [z][y][x], with t instead of the coordinate across the face; across x they
/// and the profile go along x at both faces, so that at a low one t falls.
template <typename T>
struct CpmlStrip {
    int width = 0;  ///< 0: none
    T *psi = nullptr, *zeta = nullptr;
    std::int64_t pitch = 0, plane = 0;
    const T* profile = nullptr;  ///< a_psi, b_psi, a_zeta, b_zeta, each as long as a row of psi is
};

/// Who else takes what a strip gives, where fields share it: arrays at node (0, 0, 0), the last two as k lies.
template <typename T>
struct SharedStrip {
    T* also = nullptr;         ///< p[n+1] of another field
    const T* own = nullptr;    ///< what multiplies k for the field that the strip remembers; null: 1
    const T* other = nullptr;  ///< and for the other field
    T* third = nullptr;        ///< p[n+1] of a third field, which takes it with k; null: none
};

/// The step has overwritten q with the plain operator's p[n+1].
template <typename T>
struct CpmlArguments : Arrays<T> {
    SharedStrip<T> shared;  ///< of factors that couple
    FactorKind kind = FactorKind::star;
    int dimensions = 3, radius = 0;
    T factor[3][kMaxFactorWeights] = {};  ///< h_j / spacing along x, y, z
    T smoothing[3] = {};                  ///< compact operator: see smoothed()
    CpmlStrip<T> strips[6];
    T* scratch = nullptr;  ///< scratch_size elements a thread
    std::int64_t scratch_size = 0;
    bool x_done = false;          ///< strips across x have followed the step
    unsigned char* done[6] = {};  ///< those across y and z: whether they have, of each z and each y
};

/// Elements of scratch a thread needs. \param width of the widest strip.
ONDA_HOST_DEVICE std::int64_t cpml_scratch_size(std::int64_t width, int radius) {
    const std::int64_t a_row = width + 4 * radius + 3 * kCpmlPadding;
    const std::int64_t across_x = 2 * (2 * kCpmlRows + 1) * a_row, along_x = (2 * radius + 1) * kCpmlBlock;
    return across_x > along_x ? across_x : along_x;
}

/// What a step does for the strips.
template <typename T>
struct CpmlFunctions {
    /// Adds the strips of x, then y, then z to p[n+1]; on each axis the low face comes first. Leaves out what is done.
    void (*step)(const CpmlArguments<T>& a) = nullptr;
    /// RowFollower::follow of CpmlArguments: strips across x, those across y where a thread steps whole planes, and
    /// those across z between them where few threads step whole strips.
    void (*follow)(const void* arguments, const SteppedRows& rows) = nullptr;
};

/// The functions for the factor and the storage of k that the arguments have.
template <typename Isa, typename T>
CpmlFunctions<T> cpml_functions(const CpmlArguments<T>& a);

}  // namespace onda::cpu
