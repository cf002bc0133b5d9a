/// \file
/// Sparse matrices by compressed rows, and their products with vectors on the CPU.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace onda {

/// A matrix of which the elements that are stored lie row by row.
struct SparseMatrix {
    std::int64_t rows = 0, columns = 0;
    std::vector<std::int64_t> row_begin;  ///< rows + 1: elements row_begin[r] … row_begin[r + 1] - 1 are those of row r
    std::vector<std::int32_t> column;     ///< of each element, from 0
    std::vector<double> value;

    [[nodiscard]] std::int64_t elements() const { return static_cast<std::int64_t>(value.size()); }
    /// \throws std::invalid_argument naming the array, row or column that does not fit, and what would.
    void check() const;
};

/// The matrix with rows filled up with zeros to a multiple of so many elements; empty rows stay empty. A zero has the
/// column of the last element of its row, so that products read what they have read.
/// \param matrix checked. \throws std::invalid_argument if `multiple` is less than 1.
[[nodiscard]] SparseMatrix padded(const SparseMatrix& matrix, int multiple);

namespace cpu {

/// How products with a vector are computed on the CPU: a row of the table sparse_products(). Element k of a row belongs
/// to lane k mod lanes, each lane adds its products in their order, rounding each before, and lanes are added as a
/// tree: each of the lower half and its partner of the upper half, until one is left. So results depend, to the bit, on
/// the lanes alone: neither on the threads nor on the device.
struct SparseProduct {
    std::string_view name, help;
    int lanes;
    int padding;  ///< what the elements of each row are a multiple of
    void (*multiply)(const SparseMatrix& matrix, const double* x, double* y);
};
/// All of them, the fastest known first.
[[nodiscard]] std::span<const SparseProduct> sparse_products();

/// A matrix, ready for products with vectors in one of these ways.
class SparseOperator {
public:
    /// \throws what SparseMatrix::check() throws.
    SparseOperator(const SparseMatrix& matrix, const SparseProduct& product);
    /// y = A x. \throws std::invalid_argument if the sizes of x and y are not those of the matrix.
    void multiply(std::span<const double> x, std::span<double> y) const;
    /// The matrix as products read it, its rows padded.
    [[nodiscard]] const SparseMatrix& matrix() const { return matrix_; }

private:
    SparseMatrix matrix_;
    const SparseProduct* product_;
};

}  // namespace cpu
}  // namespace onda
