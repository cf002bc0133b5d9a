/// \file
/// Kernels that multiply packed codes with a matrix of floats (Sena, GPGPU laboratory report, Universidad de la
/// República, 2017, and what has been thought of since).
///
/// All but those that look sums up, vector-warps and tensor cores add one value after the other to a sum that begins
/// with zero, so that they have the same bits, but for subnormal numbers, which GPUs flush: a product with a code is
/// exact. Values beyond the last are zeros, which change no bit either.
#pragma once

#include <bit>

#include "kernels/cuda/primitives.hpp"
#include "kernels/equations/star/stencil.hpp"

namespace onda::cuda {

struct PackedArguments {
    const void* codes = nullptr;    ///< [row][words_of_row], of 32 or 64 codes
    std::int64_t words_of_row = 0;  ///< of those
    int rows = 0, columns = 0;      ///< of the codes
    std::int64_t width = 0;         ///< of values and product
    const float* values = nullptr;  ///< [column][width]
    float* product = nullptr;       ///< [row][width]
};

template <int Bits>
struct WordOf {
    using type = std::uint64_t;
};
template <>
struct WordOf<32> {
    using type = std::uint32_t;
};

// ---- What becomes of a bit. Each has the code of a place in a word, and adds code times value to a sum. ----

/// Adds where the bit is set, and subtracts where it is not.
struct PackedByIf {
    template <typename Word>
    static __device__ __forceinline__ bool code(Word word, int place) {
        return (word >> place & 1) != 0;
    }
    static __device__ __forceinline__ void add(float& sum, float value, bool code) {
        if (code)
            sum += value;
        else
            sum -= value;
    }
};
/// Shifts, converts and multiplies.
struct PackedByShift {
    template <typename Word>
    static __device__ __forceinline__ float code(Word word, int place) {
        return static_cast<float>(2 * static_cast<int>(word >> place & 1) - 1);
    }
    static __device__ __forceinline__ void add(float& sum, float value, float code) { sum += value * code; }
};
/// Changes the sign bit of the value.
struct PackedByXor {
    template <typename Word>
    static __device__ __forceinline__ std::uint32_t code(Word word, int place) {
        return static_cast<std::uint32_t>(~word >> place & 1) << 31;
    }
    static __device__ __forceinline__ void add(float& sum, float value, std::uint32_t code) {
        sum += std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) ^ code);
    }
};
/// Makes 1 or -1 of the bit as its sign, and multiplies and adds at once: an instruction a code and value.
struct PackedByFma {
    template <typename Word>
    static __device__ __forceinline__ float code(Word word, int place) {
        return std::bit_cast<float>(0x3F800000U | static_cast<std::uint32_t>(~word >> place & 1) << 31);
    }
    static __device__ __forceinline__ void add(float& sum, float value, float code) { sum = fused(value, code, sum); }
};

/// body(0), …, body(Turns - 1), each turn after the other or all as one piece of code.
template <int Turns, bool Unrolled, typename Body>
__device__ __forceinline__ void packed_turns(const Body& body) {
    if constexpr (Unrolled) {
        ONDA_UNROLL
        for (int i = 0; i < Turns; ++i) body(i);
    } else {
        ONDA_UNROLL_BY(1)
        for (int i = 0; i < Turns; ++i) body(i);
    }
}

/// A word of codes, zero beyond the rows.
template <int Bits>
__device__ __forceinline__ typename WordOf<Bits>::type packed_word(const PackedArguments& a, int row, int word) {
    using Word = typename WordOf<Bits>::type;
    return row < a.rows ? static_cast<const Word*>(a.codes)[row * a.words_of_row + word] : Word{0};
}
/// A value, zero beyond the last column of the codes and the width.
__device__ __forceinline__ float packed_value(const PackedArguments& a, int column, std::int64_t j) {
    return column < a.columns && j < a.width ? a.values[column * a.width + j] : 0.F;
}

// ---- A thread an element. ----

/// Threads of a block: along j, and along the rows.
inline constexpr int kSimpleWidth = 32, kSimpleRows = 8;

/// A packed word is read once for its codes, a value for each row.
template <typename Unpack, int Bits, bool Unrolled>
__global__ void __launch_bounds__(kSimpleWidth* kSimpleRows) packed_simple(PackedArguments a) {
    const std::int64_t j = std::int64_t{blockIdx.x} * kSimpleWidth + threadIdx.x;
    const int row = static_cast<int>(blockIdx.y * kSimpleRows + threadIdx.y);
    if (row >= a.rows || j >= a.width) return;
    float sum = 0.F;
    for (int w = 0; w * Bits < a.columns; ++w) {
        const auto word = packed_word<Bits>(a, row, w);
        const float* const values = a.values + std::int64_t{w} * Bits * a.width + j;
        const auto add = [&](int s) { Unpack::add(sum, values[s * a.width], Unpack::code(word, s)); };
        if ((w + 1) * Bits <= a.columns) {
            packed_turns<Bits, Unrolled>(add);
        } else {
            for (int s = 0; s < a.columns - w * Bits; ++s) add(s);
        }
    }
    a.product[row * a.width + j] = sum;
}

// ---- Tiles in shared memory. ----

inline constexpr int kSharedTile = 32, kSharedPitch = kSharedTile + 1;  // one spare column against bank conflicts

template <int Bits>
constexpr int packed_shared_bytes() {
    return Bits * kSharedPitch * 4 + kSharedTile * Bits / 8;
}

/// A tile of 32 rows and 32 columns of the product a block, a thread an element.
template <typename Unpack, int Bits, bool Unrolled>
__global__ void __launch_bounds__(kSharedTile* kSharedTile) packed_shared(PackedArguments a) {
    using Word = typename WordOf<Bits>::type;
    auto* const words = reinterpret_cast<Word*>(shared_memory());
    auto* const values = reinterpret_cast<float*>(words + kSharedTile);
    const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
    const std::int64_t j = std::int64_t{blockIdx.x} * kSharedTile + x;
    const int first_row = static_cast<int>(blockIdx.y) * kSharedTile;
    float sum = 0.F;
    for (int w = 0; w * Bits < a.columns; ++w) {
        if (y == 0) words[x] = packed_word<Bits>(a, first_row + x, w);
        for (int s = y; s < Bits; s += kSharedTile) values[s * kSharedPitch + x] = packed_value(a, w * Bits + s, j);
        __syncthreads();
        const Word word = words[y];
        packed_turns<Bits, Unrolled>(
            [&](int s) { Unpack::add(sum, values[s * kSharedPitch + x], Unpack::code(word, s)); });
        __syncthreads();
    }
    if (first_row + y < a.rows && j < a.width) a.product[(first_row + y) * a.width + j] = sum;
}

// ---- Tiles in registers. ----

inline constexpr int kRegisterSide = 16, kRegisterThreads = kRegisterSide * kRegisterSide;

template <int Each>
constexpr int packed_register_bytes() {
    return 32 * kRegisterSide * Each * 4 + kRegisterSide * Each * 4;
}

/// Each x Each elements a thread, 16 x 16 threads a block. The words of a thread's rows lie in registers, and a value
/// that is read from shared memory serves all of these rows.
template <typename Unpack, int Each, int Together>
__global__ void __launch_bounds__(kRegisterThreads, Each == 8 ? 2 : 4) packed_registers(PackedArguments a) {
    constexpr int tile = kRegisterSide * Each, vectors = Each / 4;
    auto* const values = reinterpret_cast<float*>(shared_memory());
    auto* const words = reinterpret_cast<std::uint32_t*>(values + 32 * tile);
    const int x = static_cast<int>(threadIdx.x) % kRegisterSide, y = static_cast<int>(threadIdx.x) / kRegisterSide;
    const std::int64_t first_j = std::int64_t{blockIdx.x} * tile;
    const int first_row = static_cast<int>(blockIdx.y) * tile;
    float sum[Each][Each] = {};
    for (int w = 0; w * 32 < a.columns; ++w) {
        for (int i = static_cast<int>(threadIdx.x); i < tile; i += kRegisterThreads)
            words[i] = packed_word<32>(a, first_row + i, w);
        ONDA_UNROLL_BY(8)
        for (int i = static_cast<int>(threadIdx.x); i < 32 * tile; i += kRegisterThreads)
            values[i] = packed_value(a, w * 32 + i / tile, first_j + i % tile);
        __syncthreads();
        std::uint32_t word[Each];
        ONDA_UNROLL
        for (int r = 0; r < Each; ++r) word[r] = words[y * Each + r];
        const auto add = [&](int s) {
            Vec<float> value[vectors];
            ONDA_UNROLL
            for (int v = 0; v < vectors; ++v)
                value[v] = *reinterpret_cast<const Vec<float>*>(values + s * tile + v * 4 * kRegisterSide + 4 * x);
            ONDA_UNROLL
            for (int r = 0; r < Each; ++r) {
                const auto code = Unpack::code(word[r], s);
                ONDA_UNROLL
                for (int c = 0; c < Each; ++c) Unpack::add(sum[r][c], value[c / 4].v[c % 4], code);
            }
        };
        ONDA_UNROLL_BY(1)
        for (int s = 0; s < 32; s += Together) packed_turns<Together, true>([&](int i) { add(s + i); });
        __syncthreads();
    }
    ONDA_UNROLL
    for (int r = 0; r < Each; ++r) {
        const int row = first_row + y * Each + r;
        ONDA_UNROLL
        for (int c = 0; c < Each; ++c) {
            const std::int64_t j = first_j + c / 4 * 4 * kRegisterSide + 4 * x + c % 4;
            if (row < a.rows && j < a.width) a.product[row * a.width + j] = sum[r][c];
        }
    }
}

// ---- Matrix times vector, the vector staged by segments. ----

inline constexpr int kVectorThreads = 128, kSegment = 1024;

/// A thread a row.
template <typename Unpack, int Bits, bool Unrolled>
__global__ void __launch_bounds__(kVectorThreads) packed_vector(PackedArguments a) {
    auto* const segment = reinterpret_cast<float*>(shared_memory());
    const int thread = static_cast<int>(threadIdx.x), row = static_cast<int>(blockIdx.x) * kVectorThreads + thread;
    float sum = 0.F;
    for (int first = 0; first < a.columns; first += kSegment) {
        for (int i = thread; i < kSegment; i += kVectorThreads) segment[i] = packed_value(a, first + i, 0);
        __syncthreads();
        const int here = a.columns - first < kSegment ? a.columns - first : kSegment;
        for (int w = 0; w * Bits < here; ++w) {
            const auto word = packed_word<Bits>(a, row, first / Bits + w);
            packed_turns<Bits, Unrolled>(
                [&](int s) { Unpack::add(sum, segment[w * Bits + s], Unpack::code(word, s)); });
        }
        __syncthreads();
    }
    if (row < a.rows) a.product[row] = sum;
}

inline constexpr int kWarp = 32, kVectorRows = kVectorThreads / kWarp;
inline constexpr int kSpacedSegment = kSegment + kSegment / kWarp;  // one spare value a word: no bank conflicts

/// A warp a row, a lane a word of each segment; the sums of the lanes are added in pairs at the end.
template <typename Unpack>
__global__ void __launch_bounds__(kVectorThreads) packed_vector_warps(PackedArguments a) {
    auto* const segment = reinterpret_cast<float*>(shared_memory());
    float* const sums = segment + kSpacedSegment;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % kWarp;
    const int row = static_cast<int>(blockIdx.x) * kVectorRows + thread / kWarp;
    float sum = 0.F;
    for (int first = 0; first < a.columns; first += kSegment) {
        for (int i = thread; i < kSegment; i += kVectorThreads) segment[i + i / kWarp] = packed_value(a, first + i, 0);
        __syncthreads();
        if (first + lane * kWarp < a.columns) {
            const std::uint32_t word = packed_word<32>(a, row, first / kWarp + lane);
            packed_turns<32, true>(
                [&](int s) { Unpack::add(sum, segment[lane * (kWarp + 1) + s], Unpack::code(word, s)); });
        }
        __syncthreads();
    }
    sums[thread] = sum;
    for (int half = kWarp / 2; half > 0; half /= 2) {
        warp_sync();
        if (lane < half) sums[thread] += sums[thread + half];
    }
    if (lane == 0 && row < a.rows) a.product[row] = sums[thread];
}

// ---- Look-up (the four Russians). ----

inline constexpr int kLookUpThreads = 256, kLookUpWarps = kLookUpThreads / kWarp;
inline constexpr int kRowsOfWarp = 32, kLookUpRows = kLookUpWarps * kRowsOfWarp;

/// Tables of 2^Bits sums for 32 columns of the product, as many as warps make at a time.
template <int Bits>
struct LookUpTables {
    static constexpr int kEntries = 1 << Bits;
    static constexpr int kTables = Bits == 4 ? 8 : 1;  ///< of 4 columns for a word, of 8 one after the other
    static constexpr int kElements = kTables * kEntries * kWarp;
    static constexpr int kBytes = 4 * (kElements + kLookUpRows);
};

/// Sums of values with all their codes, from left to right, bit k of the index for value k; `begin` comes before them.
template <int Count>
__device__ __forceinline__ void packed_sums(const float (&value)[Count], float begin, bool begins,
                                            float (&sum)[1 << Count]) {
    sum[1] = begins ? value[0] : begin + value[0];
    sum[0] = begins ? -value[0] : begin - value[0];
    ONDA_UNROLL
    for (int k = 1; k < Count; ++k) {
        ONDA_UNROLL
        for (int c = 0; c < 1 << k; ++c) {
            sum[c + (1 << k)] = sum[c] + value[k];
            sum[c] = sum[c] - value[k];
        }
    }
}

/// Each warp makes the table of 4 columns of the word.
__device__ __forceinline__ void make_tables(const PackedArguments& a, int first, std::int64_t j, int warp, int lane,
                                            LookUpTables<4>, float* table) {
    float value[4], sum[16];
    ONDA_UNROLL
    for (int k = 0; k < 4; ++k) value[k] = packed_value(a, first + 4 * warp + k, j);
    packed_sums(value, 0.F, true, sum);
    ONDA_UNROLL
    for (int c = 0; c < 16; ++c) table[(warp * 16 + c) * kWarp + lane] = sum[c];
}
/// Each warp makes an eighth of the table of 8 columns: the sums with its codes of the first three of them.
__device__ __forceinline__ void make_tables(const PackedArguments& a, int first, std::int64_t j, int warp, int lane,
                                            LookUpTables<8>, float* table) {
    float value[5], sum[32], begin = packed_value(a, first, j);
    if ((warp & 1) == 0) begin = -begin;
    PackedByXor::add(begin, packed_value(a, first + 1, j), PackedByXor::code(static_cast<std::uint32_t>(warp), 1));
    PackedByXor::add(begin, packed_value(a, first + 2, j), PackedByXor::code(static_cast<std::uint32_t>(warp), 2));
    ONDA_UNROLL
    for (int k = 0; k < 5; ++k) value[k] = packed_value(a, first + 3 + k, j);
    packed_sums(value, begin, false, sum);
    ONDA_UNROLL
    for (int c = 0; c < 32; ++c) table[(8 * c + warp) * kWarp + lane] = sum[c];
}

/// The sum, and what the tables have for the next codes of its row.
template <int Bits>
__device__ __forceinline__ float packed_found(std::uint32_t codes, const float* table, float sum) {
    using Tables = LookUpTables<Bits>;
    ONDA_UNROLL
    for (int g = 0; g < Tables::kTables; ++g) {
        const std::uint32_t entry = codes >> (Bits * g) & (Tables::kEntries - 1);
        sum += table[(g * Tables::kEntries + entry) * kWarp];
    }
    return sum;
}

/// A lane a column of the product, 32 rows of it a thread: each code group costs a load from shared memory, whose
/// address all lanes share but for their place, and an addition.
template <int Bits>
__global__ void __launch_bounds__(kLookUpThreads, 2) packed_look_up(PackedArguments a) {
    using Tables = LookUpTables<Bits>;
    auto* const words = reinterpret_cast<std::uint32_t*>(shared_memory());
    auto* const table = reinterpret_cast<float*>(words + kLookUpRows);
    const int thread = static_cast<int>(threadIdx.x), warp = thread / kWarp, lane = thread % kWarp;
    const std::int64_t j = std::int64_t{blockIdx.x} * kWarp + lane;
    const int first_row = static_cast<int>(blockIdx.y) * kLookUpRows;
    float sum[kRowsOfWarp] = {};
    for (int w = 0; w * 32 < a.columns; ++w) {
        words[thread] = packed_word<32>(a, first_row + thread, w);
        ONDA_UNROLL_BY(1)
        for (int shift = 0; shift < 32; shift += Bits * Tables::kTables) {
            make_tables(a, w * 32 + shift, j, warp, lane, Tables{}, table);
            __syncthreads();
            ONDA_UNROLL
            for (int r = 0; r < kRowsOfWarp; r += 4) {
                const auto four = *reinterpret_cast<const Vec<std::uint32_t>*>(words + warp * kRowsOfWarp + r);
                ONDA_UNROLL
                for (int i = 0; i < 4; ++i)
                    sum[r + i] = packed_found<Bits>(four.v[i] >> shift, table + lane, sum[r + i]);
            }
            __syncthreads();
        }
    }
    ONDA_UNROLL
    for (int r = 0; r < kRowsOfWarp; ++r) {
        const int row = first_row + warp * kRowsOfWarp + r;
        if (row < a.rows && j < a.width) a.product[row * a.width + j] = sum[r];
    }
}

}  // namespace onda::cuda
