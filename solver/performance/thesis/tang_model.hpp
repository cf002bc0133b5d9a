/// \file
/// The analytic model of in-plane kernels by Tang et al. (2013, Optimizing and auto-tuning iterative stencil loops for
/// GPUs with the in-plane method, IPDPS) as Ribero Figueroa (2016) applied it, in the letters of both.
///
/// A plane x-z is cut into blocks, which march along y. Nothing of the model is fitted: it knows a device from its
/// description, and a kernel from the bytes, operations, registers and shared memory of a block.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/load_strategy.hpp"
#include "solver/performance/device_description.hpp"

namespace onda {

/// How much of memory and arithmetic of the blocks on a multiprocessor overlap: f(a) of a blocks.
struct TangOverlap {
    std::string_view name, help;
    double (*f)(double blocks);
};
/// "worst", f(a) = a, which the thesis takes, and "perfect", f(a) = 1.
inline constexpr std::array<TangOverlap, 2> kTangOverlaps{{
    {"worst", "f(a) = a: the blocks of a multiprocessor wait for the memory one after the other",
     [](double blocks) { return blocks; }},
    {"perfect", "f(a) = 1: they all wait at the same time", [](double) { return 1.; }},
}};

/// What is predicted.
struct TangCase {
    std::int64_t lx = 512, ly = 256, lz = 512;  ///< nodes of the grid; blocks march along y
    std::int64_t tx = 8, tz = 8;                ///< threads of a block, one for each node of its tile
    int radius = 4;                             ///< half of the order in space
    const LoadStrategy* strategy = &kFullStrategy;
    const TangOverlap* overlap = &kTangOverlaps[0];
};

/// Every intermediate value of the model, and what it comes to.
struct TangPrediction {
    std::int64_t block_registers = 0;        ///< K_R
    std::int64_t block_shared_bytes = 0;     ///< K_S
    std::int64_t block_bytes = 0;            ///< BytesBlk: a block and plane
    double block_warps = 0.;                 ///< WarpBlk
    std::int64_t operations = 0;             ///< Ops: a node
    std::int64_t blocks = 0;                 ///< Blks: of a plane
    std::int64_t active_blocks = 0;          ///< ActBlks: resident on a multiprocessor
    std::string active_bound;                ///< the limit that says so, as in Residency
    std::int64_t stages = 0;                 ///< Stages
    std::int64_t remaining_blocks = 0;       ///< RemBlks: resident in the last stage
    double memory_s = 0., compute_s = 0.;    ///< T_m, T_c
    double stage_s = 0., last_stage_s = 0.;  ///< T_s, T_l: of a plane
    double step_s = 0.;                      ///< T_total: of a time step
    double gpts = 0.;                        ///< 10^9 nodes a second
};

/// With the digits of its own arithmetic: of T_m the thesis added 0.577 and 0.0666 microseconds, the two terms as it
/// had rounded them, and T_c went on with four decimals.
enum class TangDigits { all, as_printed };

/// \throws std::invalid_argument if a block does not fit the device.
TangPrediction tang_prediction(const DeviceDescription& device, const TangCase& what,
                               TangDigits digits = TangDigits::all);

}  // namespace onda
