#include "kernels/companions/packed_codes.hpp"

#include <bit>
#include <stdexcept>
#include <string>

#include "kernels/companions/packed_variants.hpp"

namespace onda {
namespace {

std::string extents_text(std::int64_t rows, std::int64_t columns) {
    return std::to_string(rows) + " x " + std::to_string(columns);
}

std::int64_t checked_size(std::int64_t rows, std::int64_t columns) {
    if (rows < 0 || columns < 0)
        throw std::invalid_argument("codes of " + extents_text(rows, columns) + ": extents are 0 or more");
    return rows * ((columns + PackedCodes::kWordBits - 1) / PackedCodes::kWordBits);
}

}  // namespace

PackedCodes::PackedCodes(std::int64_t rows, std::int64_t columns)
    : rows_(rows),
      columns_(columns),
      words_of_row_((columns + kWordBits - 1) / kWordBits),
      words_(static_cast<std::size_t>(checked_size(rows, columns))) {}

PackedCodes PackedCodes::hadamard(std::int64_t order) {
    if (order < 1 || !std::has_single_bit(static_cast<std::uint64_t>(order))) {
        const std::uint64_t below = std::bit_floor(static_cast<std::uint64_t>(order < 1 ? 1 : order));
        throw std::invalid_argument("a Hadamard matrix of order " + std::to_string(order) +
                                    ": orders are powers of two, such as " + std::to_string(below) + " and " +
                                    std::to_string(2 * below));
    }
    PackedCodes codes(order, order);
    for (std::int64_t row = 0; row < order; ++row)
        for (std::int64_t column = 0; column < order; ++column)
            if (std::popcount(static_cast<std::uint64_t>(row & column)) % 2 == 0) codes.set(row, column, 1);
    return codes;
}

void PackedCodes::check_place(std::int64_t row, std::int64_t column) const {
    if (row < 0 || row >= rows_ || column < 0 || column >= columns_)
        throw std::out_of_range("code (" + std::to_string(row) + ", " + std::to_string(column) + ") of " +
                                extents_text(rows_, columns_));
}

int PackedCodes::at(std::int64_t row, std::int64_t column) const {
    check_place(row, column);
    const std::uint64_t word = words_[static_cast<std::size_t>(row * words_of_row_ + column / kWordBits)];
    return (word >> (column % kWordBits) & 1) != 0 ? 1 : -1;
}

void PackedCodes::set(std::int64_t row, std::int64_t column, int code) {
    check_place(row, column);
    if (code != 1 && code != -1)
        throw std::invalid_argument("code " + std::to_string(code) + " at (" + std::to_string(row) + ", " +
                                    std::to_string(column) + "): codes are 1 and -1");
    std::uint64_t& word = words_[static_cast<std::size_t>(row * words_of_row_ + column / kWordBits)];
    const std::uint64_t bit = std::uint64_t{1} << (column % kWordBits);
    word = code == 1 ? word | bit : word & ~bit;
}

PackedCodes PackedCodes::transposed() const {
    PackedCodes result(columns_, rows_);
    for (std::int64_t row = 0; row < rows_; ++row)
        for (std::int64_t column = 0; column < columns_; ++column)
            if (at(row, column) == 1) result.set(column, row, 1);
    return result;
}

std::span<const std::uint64_t> PackedCodes::row(std::int64_t row) const {
    if (row < 0 || row >= rows_)
        throw std::out_of_range("row " + std::to_string(row) + " of codes of " + extents_text(rows_, columns_));
    return words().subspan(static_cast<std::size_t>(row * words_of_row_), static_cast<std::size_t>(words_of_row_));
}

std::vector<std::uint32_t> PackedCodes::half_words() const {
    std::vector<std::uint32_t> halves;
    halves.reserve(2 * words_.size());
    for (const std::uint64_t word : words_) {
        halves.push_back(static_cast<std::uint32_t>(word));
        halves.push_back(static_cast<std::uint32_t>(word >> 32));
    }
    return halves;
}

void check_multiply_sizes(const PackedCodes& codes, std::size_t values, std::int64_t width, std::size_t product) {
    const auto fits = [](std::size_t size, std::int64_t rows, std::int64_t columns) {
        return size == static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    };
    if (width >= 0 && fits(values, codes.columns(), width) && fits(product, codes.rows(), width)) return;
    throw std::invalid_argument("codes of " + extents_text(codes.rows(), codes.columns()) + ", values of " +
                                std::to_string(values) + " and a product of " + std::to_string(product) +
                                " elements do not fit for " + std::to_string(width) + " columns: they need " +
                                extents_text(codes.columns(), width) + " and " + extents_text(codes.rows(), width));
}

template <typename T>
void multiply_vector(const PackedCodes& codes, std::span<const T> values, std::span<T> product) {
    multiply(codes, values, 1, product);
}
template void multiply_vector<float>(const PackedCodes&, std::span<const float>, std::span<float>);
template void multiply_vector<double>(const PackedCodes&, std::span<const double>, std::span<double>);

}  // namespace onda
