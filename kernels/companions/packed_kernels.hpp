/// \file
/// Products of packed codes with a matrix on the CPU, compiled for each instruction set, in several ways that
/// `onda bench encode` compares. All sums are formed in an order that depends on nothing but the way.
#pragma once

#include <cstdint>

namespace onda::cpu {

/// Columns of the product that are computed together, 64 bytes of each row: a *panel*.
template <typename T>
inline constexpr std::int64_t kPanel = 64 / static_cast<std::int64_t>(sizeof(T));

/// Rows of a product that are computed together, at most: their sums stay in the cache beside the panel.
inline constexpr std::int64_t kPackedRows = 512;

/// product = codes values; see PackedCodes and multiply() of packed_codes.hpp.
template <typename T>
struct PackedProduct {
    const std::uint64_t* codes = nullptr;
    std::int64_t words_of_row = 0, columns = 0;  ///< of the codes
    std::int64_t width = 0;                      ///< of values and product
    const T* values = nullptr;
    T* product = nullptr;
};

/// A part of a product: some of its rows, kPackedRows at most, and a panel, which may be cut off by the width.
template <typename T>
struct PackedPart {
    std::int64_t first_row = 0, rows = 0, first_column = 0;
    T* scratch = nullptr;  ///< (columns of the codes + kPackedRows) kPanel elements of this thread
};

template <typename T>
using PackedFunction = void (*)(const PackedProduct<T>& product, const PackedPart<T>& part);

/// A way to multiply. It takes so many additions a code and value, without those that tables take. Its error is at most
/// (per_column columns + further) eps (sum of |values|), where eps is half the distance from 1 to the next number.
struct PackedWay {
    const char *name, *what;
    double additions, per_column, further;
    PackedFunction<float> multiply;
};

/// All ways. \param count takes their number.
template <typename Isa>
const PackedWay* packed_ways(int& count);

/// Sums of four columns, looked up: what multiply() does. A width of 1 is computed as one column, not as a panel.
template <typename Isa, typename T>
void multiply_by_look_up(const PackedProduct<T>& product, const PackedPart<T>& part);

}  // namespace onda::cpu
