/// \file
/// How the vectorised kernels walk the grid: blocks along x and y that march along z, a few planes at once.
#pragma once

#include "kernels/cpu/kernel.hpp"
#include "kernels/cpu/simd.hpp"

namespace onda::cpu {
namespace {

// As many as the registers hold: 32 of 64 bytes, or 16 of fewer.
constexpr int kPlanes = kVectorBytes == 64 ? 4 : 2;

/// An address the compiler must take as it is. Otherwise it keeps one address a row of the stencil, more than there are
/// registers, and reloads each from the stack: twice the loads.
template <typename T>
ONDA_HOST_DEVICE const T* opaque(const T* address) {
    __asm__("" : "+r"(address));
    return address;
}

struct Block {
    std::int64_t nx, ny;
};

/// How far ahead along a row to prefetch, in bytes: far enough for the L3 cache, and near enough to stay in the L1
/// until it is used, which the next row of a long block is not.
constexpr std::int64_t kBytesAhead = 256;

// x: whole rows. Row after row a block then reads each plane in one piece, which the hardware prefetches; blocks of 512
// bytes, whose rows the L1 would hold, are slower by a third.
// y: the block's 2r + kPlanes planes of p take four tenths of the L2, but rows that blocks both read must not weigh. Of
// 12, 24, 40, 64 and 512 rows of 512 nodes 24 were the fastest on 16 cores with an L2 of 2 MB; two cores with 1 MB do
// not tell them apart.
template <typename T>
Block block_size(const StepArguments<T>& a, int radius, int radius_y) {
    constexpr std::int64_t fewest_rows = 24;
    const std::int64_t nx = part_of_row<T>(a.nx);
    const std::int64_t row_bytes = (nx + 2 * kLanes<T>)*static_cast<std::int64_t>(sizeof(T));
    const std::int64_t ny = a.cache_bytes * 4 / 10 / (row_bytes * (2 * radius + kPlanes)) - 2 * radius_y;
    return {nx, ny > fewest_rows ? ny : fewest_rows};
}

/// Calls advance_rows(Index<Z>, x_begin, x_end, y, z) for row y of planes z … z + Z - 1 of every block, Z = kPlanes or
/// 1; each thread on its own rows. x_begin is a multiple of the vector length. Whole rows are then passed to the row
/// callback, StepArguments::follower.
template <typename T, typename AdvanceRows>
void for_blocks(const StepArguments<T>& a, Block block, const AdvanceRows& advance_rows) {
    const RowRange rows = rows_of_thread(a.ny * a.nz, omp_get_thread_num(), omp_get_num_threads());
    const auto advance = [&](auto planes, std::int64_t x_begin, std::int64_t x_end, std::int64_t y, std::int64_t z) {
        advance_rows(planes, x_begin, x_end, y, z);
        if (a.follower.follow == nullptr || x_end < a.nx) return;
        const std::int64_t before = a.follower.first_plane;
        a.follower.follow(a.follower.object,
                          {y, z + before, planes.value, {rows.begin + before * a.ny, rows.end + before * a.ny}});
    };
    const std::int64_t z_begin = rows.begin / a.ny, z_end = (rows.end + a.ny - 1) / a.ny;
    for (std::int64_t yb = 0; yb < a.ny; yb += block.ny) {
        const std::int64_t y_end = yb + block.ny < a.ny ? yb + block.ny : a.ny;
        for (std::int64_t z = z_begin; z < z_end; z += kPlanes)
            for (std::int64_t xb = 0; xb < a.nx; xb += block.nx) {
                const std::int64_t x_end = xb + block.nx < a.nx ? xb + block.nx : a.nx;
                for (std::int64_t y = yb; y < y_end; ++y) {
                    // A thread's first and last plane may be partial: row (y, z) is number y + ny z.
                    const std::int64_t first = z * a.ny + y, last = first + (kPlanes - 1) * a.ny;
                    if (first >= rows.begin && last < rows.end) {
                        advance(Index<kPlanes>{}, xb, x_end, y, z);
                        continue;
                    }
                    for (int j = 0; j < kPlanes; ++j)
                        if (first + j * a.ny >= rows.begin && first + j * a.ny < rows.end)
                            advance(Index<1>{}, xb, x_end, y, z + j);
                }
            }
    }
}

}  // namespace
}  // namespace onda::cpu
