/// \file
/// Matrices of codes +1 and -1, a bit each, and their products with matrices of floats: what blends shots into
/// supershots. E W are the wavelets of supershots and E D their gathers, E' undoes both for Hadamard codes, and a step
/// of a supershot takes the amplitudes E w(t).
///
/// Packed, a code takes a thirty-second of a float (Sena, GPGPU laboratory report, Universidad de la República, 2017).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace onda {

/// A matrix of +1 and -1, a row after the other, 64 codes a word from its lowest bit on; a bit that is set is +1. Rows
/// are whole words, padded with zeros.
class PackedCodes {
public:
    static constexpr int kWordBits = 64;

    /// All codes are -1. \throws std::invalid_argument for negative extents.
    PackedCodes(std::int64_t rows, std::int64_t columns);
    /// The Hadamard matrix of Sylvester, in natural order: (-1)^(bits that the numbers of row and column share). It is
    /// symmetric, and its square is `order` times the identity.
    /// \param order a power of two. \throws std::invalid_argument naming the nearest ones otherwise.
    static PackedCodes hadamard(std::int64_t order);

    [[nodiscard]] std::int64_t rows() const { return rows_; }
    [[nodiscard]] std::int64_t columns() const { return columns_; }
    /// +1 or -1. \throws std::out_of_range
    [[nodiscard]] int at(std::int64_t row, std::int64_t column) const;
    /// \param code +1 or -1. \throws std::invalid_argument for any other code; std::out_of_range
    void set(std::int64_t row, std::int64_t column, int code);
    [[nodiscard]] PackedCodes transposed() const;

    [[nodiscard]] std::int64_t words_of_row() const { return words_of_row_; }
    /// The words of a row. \throws std::out_of_range
    [[nodiscard]] std::span<const std::uint64_t> row(std::int64_t row) const;
    /// All rows.
    [[nodiscard]] std::span<const std::uint64_t> words() const { return words_; }
    /// The same bits by 32: code s of a row is bit s % 32 of its half-word s / 32, of 2 words_of_row().
    [[nodiscard]] std::vector<std::uint32_t> half_words() const;

    bool operator==(const PackedCodes&) const = default;

private:
    void check_place(std::int64_t row, std::int64_t column) const;

    std::int64_t rows_, columns_, words_of_row_;
    std::vector<std::uint64_t> words_;  ///< [row][words_of_row_]
};

/// product[r][j] = sum over columns s of codes[r][s] values[s][j], in this order whatever the number of rows, columns,
/// threads and the instruction set: the codes of four columns at a time, from left to right, then these sums from left
/// to right. So each element has an error of at most (columns / 4 + 4) eps (sum of |values[s][j]| over s), eps half the
/// distance from 1 to the next number (Higham 2002, Accuracy and Stability of Numerical Algorithms, section 4.2).
///
/// Four columns have 16 sums, made once for all rows: a row looks up a sum for each four codes (Arlazarov, Dinic,
/// Kronrod & Faradzhev 1970, the method of the four Russians). Threads share rows and columns of the product.
/// \param values (columns of the codes, width), row-major. \param product (rows of the codes, width), row-major.
/// \throws std::invalid_argument when sizes do not fit.
template <typename T>
void multiply(const PackedCodes& codes, std::span<const T> values, std::int64_t width, std::span<T> product);

/// product[r] = sum over s of codes[r][s] values[s], to the bit multiply() of width 1.
template <typename T>
void multiply_vector(const PackedCodes& codes, std::span<const T> values, std::span<T> product);

/// The factor of eps (sum of |values|) that bounds the error of multiply().
constexpr double multiply_error_factor(std::int64_t columns) {
    return static_cast<double>(columns) / 4. + 4.;
}

}  // namespace onda
