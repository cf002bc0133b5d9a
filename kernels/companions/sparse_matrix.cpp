#include "kernels/companions/sparse_matrix.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

namespace onda {
namespace {

[[noreturn]] void refuse_matrix(const std::string& what) {
    throw std::invalid_argument("sparse matrix: " + what);
}

void check_matrix_sizes(const SparseMatrix& matrix) {
    using std::to_string;
    if (matrix.rows < 0 || matrix.columns < 0 || matrix.columns > std::numeric_limits<std::int32_t>::max())
        refuse_matrix(to_string(matrix.rows) + " rows and " + to_string(matrix.columns) +
                      " columns: there are 0 or more, and columns are numbered with 32 bits");
    if (static_cast<std::int64_t>(matrix.row_begin.size()) != matrix.rows + 1)
        refuse_matrix("row_begin has " + to_string(matrix.row_begin.size()) + " values, where " +
                      to_string(matrix.rows) + " rows need " + to_string(matrix.rows + 1));
    if (matrix.column.size() != matrix.value.size())
        refuse_matrix(to_string(matrix.column.size()) + " columns of elements, but " + to_string(matrix.value.size()) +
                      " values");
    if (matrix.row_begin.front() != 0 || matrix.row_begin.back() != matrix.elements())
        refuse_matrix("row_begin goes from " + to_string(matrix.row_begin.front()) + " to " +
                      to_string(matrix.row_begin.back()) + ", where it has to go from 0 to " +
                      to_string(matrix.elements()) + ", the number of values");
}

}  // namespace

void SparseMatrix::check() const {
    using std::to_string;
    check_matrix_sizes(*this);
    // All of row_begin first: what it says is then safe to be followed.
    for (std::int64_t r = 0; r < rows; ++r)
        if (row_begin[static_cast<std::size_t>(r)] > row_begin[static_cast<std::size_t>(r) + 1])
            refuse_matrix("row " + to_string(r) + " begins at element " +
                          to_string(row_begin[static_cast<std::size_t>(r)]) + ", after the next row, which begins at " +
                          to_string(row_begin[static_cast<std::size_t>(r) + 1]));
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t at = row_begin[static_cast<std::size_t>(r)]; at < row_begin[static_cast<std::size_t>(r) + 1];
             ++at) {
            const std::int32_t c = column[static_cast<std::size_t>(at)];
            if (c < 0 || c >= columns)
                refuse_matrix("row " + to_string(r) + " has an element in column " + to_string(c) +
                              ", where columns go from 0 to " + to_string(columns - 1));
        }
}

SparseMatrix padded(const SparseMatrix& matrix, int multiple) {
    if (multiple < 1) refuse_matrix("rows cannot be padded to a multiple of " + std::to_string(multiple));
    SparseMatrix result{matrix.rows, matrix.columns, {0}, {}, {}};
    result.row_begin.reserve(matrix.row_begin.size());
    for (std::size_t r = 0; r + 1 < matrix.row_begin.size(); ++r) {
        const std::int64_t length = matrix.row_begin[r + 1] - matrix.row_begin[r];
        result.row_begin.push_back(result.row_begin.back() + (length + multiple - 1) / multiple * multiple);
    }
    result.column.resize(static_cast<std::size_t>(result.row_begin.back()));
    result.value.resize(result.column.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t r = 0; r < matrix.rows; ++r) {
        const auto row = static_cast<std::size_t>(r);
        const std::int64_t begin = matrix.row_begin[row], end = matrix.row_begin[row + 1];
        if (begin == end) continue;
        const auto to_column = result.column.begin() + result.row_begin[row];
        const auto to_value = result.value.begin() + result.row_begin[row];
        std::fill(std::copy(matrix.column.begin() + begin, matrix.column.begin() + end, to_column),
                  result.column.begin() + result.row_begin[row + 1], matrix.column[static_cast<std::size_t>(end - 1)]);
        std::copy(matrix.value.begin() + begin, matrix.value.begin() + end, to_value);
    }
    return result;
}

namespace cpu {
namespace {

/// The sum of a row's products in the order of SparseProduct.
template <int Lanes, bool Padded>
double sum_of_row(const double* value, const std::int32_t* column, std::int64_t count, const double* x) {
    std::array<double, static_cast<std::size_t>(Lanes)> lane{};
    std::int64_t at = 0;
    for (; at + Lanes <= count; at += Lanes)
        for (int i = 0; i < Lanes; ++i) lane[static_cast<std::size_t>(i)] += value[at + i] * x[column[at + i]];
    if constexpr (!Padded)
        for (int i = 0; at + i < count; ++i) lane[static_cast<std::size_t>(i)] += value[at + i] * x[column[at + i]];
    for (std::size_t half = Lanes / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i) lane[i] += lane[i + half];
    return lane[0];
}

template <int Lanes, bool Padded>
void multiply_sparse_rows(const SparseMatrix& matrix, const double* x, double* y) {
    const std::int64_t* const begin = matrix.row_begin.data();
    const double* const value = matrix.value.data();
    const std::int32_t* const column = matrix.column.data();
#pragma omp parallel for schedule(static)
    for (std::int64_t r = 0; r < matrix.rows; ++r)
        y[r] = sum_of_row<Lanes, Padded>(value + begin[r], column + begin[r], begin[r + 1] - begin[r], x);
}

constexpr std::array<SparseProduct, 4> kSparseProducts{{
    {"rows", "4 sums a row", 4, 1, multiply_sparse_rows<4, false>},
    {"padded", "rows padded to 8, 8 sums a row", 8, 8, multiply_sparse_rows<8, true>},
    {"single-sum", "1 sum a row, as a thread a row on a GPU", 1, 1, multiply_sparse_rows<1, false>},
    {"warp-order", "32 sums a row, as a warp a row on a GPU", 32, 1, multiply_sparse_rows<32, false>},
}};

}  // namespace

std::span<const SparseProduct> sparse_products() {
    return kSparseProducts;
}

SparseOperator::SparseOperator(const SparseMatrix& matrix, const SparseProduct& product) : product_(&product) {
    matrix.check();
    matrix_ = padded(matrix, product.padding);
}

void SparseOperator::multiply(std::span<const double> x, std::span<double> y) const {
    using std::to_string;
    if (static_cast<std::int64_t>(x.size()) != matrix_.columns || static_cast<std::int64_t>(y.size()) != matrix_.rows)
        refuse_matrix("the product of " + to_string(matrix_.rows) + " x " + to_string(matrix_.columns) +
                      " elements takes vectors of " + to_string(matrix_.columns) + " and " + to_string(matrix_.rows) +
                      " values, not " + to_string(x.size()) + " and " + to_string(y.size()));
    product_->multiply(matrix_, x.data(), y.data());
}

}  // namespace cpu
}  // namespace onda
