/// \file
/// Packed codes times floats on tensor cores, for nvcc alone.
///
/// Codes are exact as bf16. A float is the sum of three bf16 numbers, its first eight bits, the next and the last, and
/// so are products with codes: only sums round. Tensor cores add the products of an instruction to a sum without
/// rounding each of them: Fasi, Higham, Mikaitis & Pranesh (2021, PeerJ Computer Science 7, e330) found addends cut off
/// below 2^-23 of the largest at worst, on V100, T4 and A100. The bound below assumes this of newer GPUs, too, with 16
/// products at once; tests and `onda bench encode` hold them to it.
#pragma once

#include <cuda_bf16.h>
#include <mma.h>

#include "kernels/cuda/companions/packed_kernels.hpp"

namespace onda::cuda {

inline constexpr int kTensorThreads = 256, kTensorTile = 128, kTensorParts = 3;
/// Spare elements at the end of rows in shared memory, so that rows begin in other banks.
inline constexpr int kCodePitch = 32 + 8, kPartPitch = kTensorTile + 8;
inline constexpr int kTensorBytes = 2 * (kTensorTile * kCodePitch + kTensorParts * 32 * kPartPitch);

/// Of each of the 17 addends of an instruction two eps, of three instructions each 16 columns; and the last rounding.
inline constexpr double kTensorPerColumn = 17. * 2. * kTensorParts / 16., kTensorFurther = 17. * 2. * kTensorParts;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

/// The codes of 128 rows, a word each, as bf16.
__device__ __forceinline__ void unpack_codes(const PackedArguments& a, int first_row, int w, __nv_bfloat16* codes) {
    const int row = static_cast<int>(threadIdx.x) / 2, half = static_cast<int>(threadIdx.x) % 2 * 16;
    const std::uint32_t clear = ~(packed_word<32>(a, first_row + row, w) >> half);
    auto* const pairs = reinterpret_cast<std::uint32_t*>(codes + row * kCodePitch + half);
    ONDA_UNROLL
    for (int i = 0; i < 8; ++i)
        pairs[i] = 0x3F803F80U | (clear >> (2 * i) & 1U) << 15 | (clear >> (2 * i + 1) & 1U) << 31;
}

/// 32 x 128 values, each as three numbers in arrays [part][column of the codes][j].
__device__ __forceinline__ void split_values(const PackedArguments& a, std::int64_t first_j, int w,
                                             __nv_bfloat16* parts) {
    const int pair = static_cast<int>(threadIdx.x) % (kTensorTile / 2);
    ONDA_UNROLL_BY(4)
    for (int s = static_cast<int>(threadIdx.x) / (kTensorTile / 2); s < 32; s += 2 * kTensorThreads / kTensorTile) {
        float left = packed_value(a, w * 32 + s, first_j + 2 * pair);
        float right = packed_value(a, w * 32 + s, first_j + 2 * pair + 1);
        ONDA_UNROLL
        for (int part = 0; part < kTensorParts; ++part) {
            const __nv_bfloat16 of_left = __float2bfloat16_rn(left), of_right = __float2bfloat16_rn(right);
            left -= __bfloat162float(of_left);
            right -= __bfloat162float(of_right);
            *reinterpret_cast<__nv_bfloat162*>(parts + (part * 32 + s) * kPartPitch + 2 * pair) =
                __halves2bfloat162(of_left, of_right);
        }
    }
}

using CodeFragment = nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, __nv_bfloat16, nvcuda::wmma::row_major>;
using PartFragment = nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, __nv_bfloat16, nvcuda::wmma::row_major>;
using SumFragment = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float>;

/// A warp has 64 rows and 32 columns of the tile.
inline constexpr int kFragmentRows = 4, kFragmentColumns = 2;

__device__ __forceinline__ void add_fragments(const __nv_bfloat16* codes, const __nv_bfloat16* parts, int warp_row,
                                              int warp_column, SumFragment (&sum)[kFragmentRows][kFragmentColumns]) {
    ONDA_UNROLL
    for (int k = 0; k < 32; k += 16) {
        CodeFragment code[kFragmentRows];
        ONDA_UNROLL
        for (int r = 0; r < kFragmentRows; ++r)
            nvcuda::wmma::load_matrix_sync(code[r], codes + (warp_row + 16 * r) * kCodePitch + k, kCodePitch);
        // The smallest first: what they add up to is not lost beside the largest.
        ONDA_UNROLL
        for (int part = kTensorParts - 1; part >= 0; --part) {
            ONDA_UNROLL
            for (int c = 0; c < kFragmentColumns; ++c) {
                PartFragment value;
                nvcuda::wmma::load_matrix_sync(value, parts + (part * 32 + k) * kPartPitch + warp_column + 16 * c,
                                               kPartPitch);
                ONDA_UNROLL
                for (int r = 0; r < kFragmentRows; ++r) nvcuda::wmma::mma_sync(sum[r][c], code[r], value, sum[r][c]);
            }
        }
    }
}

/// By way of shared memory, 16 x 16 sums of each warp, since a tile may reach beyond the product.
__device__ __forceinline__ void write_fragments(const PackedArguments& a, int first_row, std::int64_t first_j,
                                                float* stage,
                                                const SumFragment (&sum)[kFragmentRows][kFragmentColumns]) {
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    ONDA_UNROLL
    for (int r = 0; r < kFragmentRows; ++r) {
        ONDA_UNROLL
        for (int c = 0; c < kFragmentColumns; ++c) {
            nvcuda::wmma::store_matrix_sync(stage, sum[r][c], 16, nvcuda::wmma::mem_row_major);
            warp_sync();
            for (int i = lane; i < 256; i += kWarp) {
                const int row = first_row + 16 * r + i / 16;
                const std::int64_t j = first_j + 16 * c + i % 16;
                if (row < a.rows && j < a.width) a.product[row * a.width + j] = stage[i];
            }
            warp_sync();
        }
    }
}

/// 128 x 128 elements of the product a block.
static __global__ void __launch_bounds__(kTensorThreads, 2) packed_tensor(PackedArguments a) {
    auto* const codes = reinterpret_cast<__nv_bfloat16*>(shared_memory());
    __nv_bfloat16* const parts = codes + kTensorTile * kCodePitch;
    const int warp = static_cast<int>(threadIdx.x) / kWarp, warp_row = warp / 4 * 64, warp_column = warp % 4 * 32;
    const std::int64_t first_j = std::int64_t{blockIdx.x} * kTensorTile;
    const int first_row = static_cast<int>(blockIdx.y) * kTensorTile;
    SumFragment sum[kFragmentRows][kFragmentColumns];
    ONDA_UNROLL
    for (int r = 0; r < kFragmentRows; ++r) {
        ONDA_UNROLL
        for (int c = 0; c < kFragmentColumns; ++c) nvcuda::wmma::fill_fragment(sum[r][c], 0.F);
    }
    for (int w = 0; w * 32 < a.columns; ++w) {
        unpack_codes(a, first_row, w, codes);
        split_values(a, first_j, w, parts);
        __syncthreads();
        add_fragments(codes, parts, warp_row, warp_column, sum);
        __syncthreads();
    }
    write_fragments(a, first_row + warp_row, first_j + warp_column,
                    reinterpret_cast<float*>(shared_memory()) + warp * 256, sum);
}

#else
/// Compiled for older GPUs, too, and never run there.
static __global__ void packed_tensor(PackedArguments) {}
#endif

}  // namespace onda::cuda
