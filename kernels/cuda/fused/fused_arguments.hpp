/// \file
/// What the fused kernel is given: all of a time step that one launch computes, and how its blocks cover the grid. Told
/// without a device.
#pragma once

#include <array>
#include <climits>
#include <cstdint>
#include <vector>

#include "kernels/boundaries/cpml_math.hpp"
#include "kernels/cuda/arguments.hpp"
#include "kernels/cuda/blocks.hpp"
#include "kernels/cuda/field_operations.hpp"

namespace onda::cuda {

/// What stands in the halo layers across z: layer -j takes sign[j - 1] * layer from[j - 1], and layer nz - 1 + j
/// sign[kMaxRadius + j - 1] * layer from[kMaxRadius + j - 1]. Layers that no mirror fills are images of themselves.
struct FusedImages {
    int from[2 * kMaxRadius] = {}, sign[2 * kMaxRadius] = {};
};

/// The coefficients of psi at t and of zeta at node t, which begins at 1.
template <typename T>
struct alignas(16) FusedProfile {
    T a_psi = 0, b_psi = 0, a_zeta = 0, b_zeta = 0;
};

/// The strip of one face (kernels/boundaries/cpml_math.hpp). Its neighbours read psi of the step before while it writes
/// that of this one, so psi has two arrays.
template <typename T>
struct FusedSide {
    const T* psi = nullptr;                    ///< of the step before, at t = 0 and coordinates 0
    T* psi_next = nullptr;                     ///< of this step, at t = 0 and coordinates 0
    T* zeta = nullptr;                         ///< at t = 1 and coordinates 0
    const FusedProfile<T>* profile = nullptr;  ///< at t = -r … width
    int width = 0, edge = 0;                   ///< nodes, and the coordinate of node t = 0
    int stride[3] = {};                        ///< of psi and zeta along x, y, z; across the face from t to t + 1
};

/// n / divisor as a product.
struct FusedDivisor {
    unsigned divisor = 1;
    std::uint64_t reciprocal = std::uint64_t{1} << 32;  ///< 2^32 / divisor, rounded up

    FusedDivisor() = default;
    explicit FusedDivisor(unsigned d) : divisor(d), reciprocal(((std::uint64_t{1} << 32) + d - 1) / d) {}
    [[nodiscard]] ONDA_HOST_DEVICE unsigned divide(unsigned n) const {
        const auto quotient = static_cast<unsigned>(n * reciprocal >> 32);  // or one more
        return quotient * std::uint64_t{divisor} > n ? quotient - 1 : quotient;
    }
};

/// Nodes [begin, end) that some blocks cover, with threads_x threads along x in `rows` rows.
struct FusedBox {
    int begin[3] = {}, end[3] = {}, rows = 0;
    int vector = 0, along_z = 0;  ///< nodes of a thread along x and z
    int layer = 0;                ///< +1 and -1: the layer of the high and the low face of z, counted from there
    FusedDivisor threads_x, tiles_x, tiles_y;
};

/// Boxes that do not overlap: those of the rim, and the core, even if it is empty. Box b owns blocks first[b] …
/// first[b + 1] - 1.
struct FusedBoxes {
    static constexpr int most = 7;
    FusedBox box[most] = {};
    unsigned first[most + 1] = {};
    int count = 0, core = 0;  ///< which of them the core is
};

/// All of a step. Recording comes first, of p[n]: sample n of every receiver; sources act last, on p[n+1].
template <typename T>
struct FusedArguments : StepArguments<T> {
    FusedBoxes boxes;
    FusedImages images;
    FusedSide<T> side[6];
    /// Coordinates below the one and from the other on are nodes of strips, their nodes 0 included.
    int low_reach[3] = {}, high_reach[3] = {INT_MAX, INT_MAX, INT_MAX};
    T h[3][kMaxRadius + 1] = {};  ///< the weights of the strips' factor over each spacing
    const std::int64_t* base = nullptr;
    int offset = 0;                            ///< this step is *base + offset
    unsigned record_blocks = 0;                ///< that record; they come before those of the boxes
    ReceiverNodes<T> receivers;                ///< where record_blocks > 0
    SourceNodes<T> sources;                    ///< in the order of their blocks
    const std::int32_t* sources_of = nullptr;  ///< block b of the boxes has sources_of[b] … [b + 1] - 1; null: none
    FusedDivisor volume_blocks;                ///< of the boxes; each volume has as many, one volume after the other
    unsigned volumes = 1;
    std::int64_t volume_step = 0, strip_step = 0;  ///< from a volume to the next: of p, and of psi and zeta
};

/// Vectors along z of a thread in the core, and threads of the largest block. On an H200 4 vectors are a fifth faster
/// than 2, and 64 threads a block a few percent than 128: docs/performance.md.
inline constexpr int kFusedRows = 4, kFusedThreads = 128;
/// Nodes of a thread in the layers across z of a 2-D grid: along x, and across the face.
template <typename T>
inline constexpr int kFusedLayerVector = 8 / sizeof(T);
inline constexpr int kFusedLayerRows = 4;

/// Queues one launch of blocks of `threads` threads for the radius R. \throws Error.
template <int R>
void launch_fused(int threads, const FusedArguments<float>& arguments, cudaStream_t stream);
template <int R>
void launch_fused(int threads, const FusedArguments<double>& arguments, cudaStream_t stream);

}  // namespace onda::cuda
