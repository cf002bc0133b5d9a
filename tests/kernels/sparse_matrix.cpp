// Products with sparse matrices are those with dense ones, padded or not, in an order of sums that threads do not
// change; matrices that do not fit are refused; sums over vectors have their order, too.
// Takes 1 s.
#include "kernels/companions/sparse_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <omp.h>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/companions/double_vectors.hpp"

using namespace onda;

namespace {

using Vector = std::vector<double>;

Vector noise_vector(std::size_t size, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1., 1.);
    Vector result(size);
    for (double& value : result) value = uniform(random);
    return result;
}

/// Rows of 0 to 90 elements in random columns, of which there are more; every seventh row is empty.
SparseMatrix random_matrix(std::int64_t rows, std::int64_t columns) {
    std::mt19937 random(7);
    SparseMatrix matrix{rows, columns, {0}, {}, {}};
    for (std::int64_t r = 0; r < rows; ++r) {
        std::set<std::int32_t> places;
        const std::size_t wanted = r % 7 == 0 ? 0 : random() % 91;
        while (places.size() < wanted) places.insert(static_cast<std::int32_t>(random() % columns));
        matrix.column.insert(matrix.column.end(), places.begin(), places.end());
        matrix.row_begin.push_back(static_cast<std::int64_t>(matrix.column.size()));
    }
    matrix.value = noise_vector(matrix.column.size(), 3);
    return matrix;
}

/// Row by row over all columns, in long double.
Vector dense_product(const SparseMatrix& matrix, const Vector& x) {
    Vector y;
    for (std::int64_t r = 0; r < matrix.rows; ++r) {
        std::vector<long double> row(static_cast<std::size_t>(matrix.columns));
        for (std::int64_t at = matrix.row_begin[r]; at < matrix.row_begin[r + 1]; ++at)
            row[matrix.column[at]] += matrix.value[at];
        long double sum = 0.L;
        for (std::size_t c = 0; c < row.size(); ++c) sum += row[c] * x[c];
        y.push_back(static_cast<double>(sum));
    }
    return y;
}

Vector sparse_product_of(const SparseMatrix& matrix, const cpu::SparseProduct& product, const Vector& x) {
    Vector y(static_cast<std::size_t>(matrix.rows), std::nan(""));
    cpu::SparseOperator(matrix, product).multiply(x, y);
    return y;
}

/// Runs `body` with 1, 2 and 3 threads.
template <typename Body>
void with_threads(const Body& body) {
    const int before = omp_get_max_threads();
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        body(threads);
    }
    omp_set_num_threads(before);
}

const SparseMatrix& small_matrix() {
    static const SparseMatrix matrix{2, 3, {0, 2, 3}, {0, 2, 1}, {1., 2., 3.}};
    return matrix;
}

}  // namespace

TEST_CASE("every product is that of the dense matrix, and empty rows give zero") {
    const SparseMatrix matrix = random_matrix(211, 173);
    const Vector x = noise_vector(173, 5), exact = dense_product(matrix, x);
    for (const cpu::SparseProduct& product : cpu::sparse_products()) {
        CAPTURE(product.name);
        const Vector y = sparse_product_of(matrix, product, x);
        for (std::size_t r = 0; r < y.size(); ++r) {
            CHECK(std::fabs(y[r] - exact[r]) <= 1e-13);
            if (r % 7 == 0) CHECK(y[r] == 0.);
        }
    }
}

TEST_CASE("the product of a matrix without rows is empty") {
    const SparseMatrix nothing{0, 4, {0}, {}, {}};
    for (const cpu::SparseProduct& product : cpu::sparse_products())
        CHECK(sparse_product_of(nothing, product, Vector(4, 1.)).empty());
}

TEST_CASE("padding rows changes no bit of a product") {
    const SparseMatrix matrix = random_matrix(101, 97);
    const Vector x = noise_vector(97, 11);
    for (const int multiple : {1, 3, 8, 32}) {
        const SparseMatrix wide = padded(matrix, multiple);
        wide.check();
        for (std::int64_t r = 0; r < wide.rows; ++r) CHECK((wide.row_begin[r + 1] - wide.row_begin[r]) % multiple == 0);
        for (const cpu::SparseProduct& product : cpu::sparse_products()) {
            CAPTURE(product.name);
            CHECK(sparse_product_of(wide, product, x) == sparse_product_of(matrix, product, x));
        }
    }
    CHECK_THROWS_WITH_AS(static_cast<void>(padded(matrix, 0)),
                         "sparse matrix: rows cannot be padded to a multiple of 0", std::invalid_argument);
}

TEST_CASE("lanes are summed as the order says") {
    // One row whose sum depends on the order: lanes of 1 lose all small values, lanes of 4 keep those of three lanes.
    SparseMatrix row{1, 8, {0, 8}, {0, 1, 2, 3, 4, 5, 6, 7}, {1e16, 1., 1., 1., 1., 1., 1., 1.}};
    const Vector ones(8, 1.);
    for (const cpu::SparseProduct& product : cpu::sparse_products()) {
        Vector lane(static_cast<std::size_t>(product.lanes));
        for (std::size_t k = 0; k < 8; ++k) lane[k % lane.size()] += row.value[k];
        for (std::size_t half = lane.size() / 2; half > 0; half /= 2)
            for (std::size_t i = 0; i < half; ++i) lane[i] += lane[i + half];
        CAPTURE(product.name);
        CHECK(sparse_product_of(row, product, ones)[0] == lane[0]);
    }
}

TEST_CASE("products, sums and updates of vectors have the same bits for any number of threads") {
    const SparseMatrix matrix = random_matrix(503, 401);
    const Vector x = noise_vector(401, 13), a = noise_vector(100'003, 17), b = noise_vector(100'003, 19);
    std::vector<Vector> products;
    std::vector<double> sums;
    with_threads([&](int) {
        for (const cpu::SparseProduct& product : cpu::sparse_products())
            products.push_back(sparse_product_of(matrix, product, x));
        Vector y = a;
        DoubleVectors::add(y, 0.3, b);
        DoubleVectors::combine(y, -0.7, b);
        products.push_back(y);
        sums.push_back(DoubleVectors::dot(y, b));
    });
    const std::size_t each = products.size() / 3;
    for (std::size_t i = 0; i < each; ++i) {
        CHECK(products[i] == products[each + i]);
        CHECK(products[i] == products[2 * each + i]);
    }
    CHECK(sums[0] == sums[1]);
    CHECK(sums[0] == sums[2]);
}

TEST_CASE("sums over vectors of all lengths are right, and norms are their roots") {
    CHECK(DoubleVectors::dot({}, {}) == 0.);
    for (const std::size_t size : {1u, 2u, 255u, 256u, 257u, 2048u, 2049u, 10'000u}) {
        const Vector a = noise_vector(size, 23), b = noise_vector(size, 29);
        long double exact = 0.L;
        for (std::size_t i = 0; i < size; ++i) exact += static_cast<long double>(a[i]) * b[i];
        CAPTURE(size);
        CHECK(std::fabs(DoubleVectors::dot(a, b) - static_cast<double>(exact)) <= 1e-14 * std::sqrt(double(size)));
        CHECK(norm(a) == std::sqrt(DoubleVectors::dot(a, a)));
    }
    CHECK(std::isnan(DoubleVectors::dot({1., std::nan("")}, {1., 1.})));
}

TEST_CASE("what a matrix adds and scales is y + a x, x + b y and a x") {
    Vector y{1., 2., 4.};
    const Vector x{8., 16., 32.};
    DoubleVectors::add(y, 0.5, x);
    CHECK(y == Vector{5., 10., 20.});
    DoubleVectors::combine(y, 2., x);
    CHECK(y == Vector{18., 36., 72.});
    DoubleVectors::scale(y, 0.25, x);
    CHECK(y == Vector{2., 4., 8.});
    CHECK(DoubleVectors::zeros(x) == Vector{0., 0., 0.});
}

TEST_CASE("a matrix that does not fit is refused, with what is wrong") {
    const auto refusal = [](const auto& spoil) -> std::string {
        SparseMatrix matrix = small_matrix();
        spoil(matrix);
        try {
            matrix.check();
        } catch (const std::invalid_argument& fault) {
            return fault.what();
        }
        return "taken";
    };
    CHECK(refusal([](SparseMatrix&) {}) == "taken");
    CHECK(refusal([](SparseMatrix& m) { m.rows = 3; }) == "sparse matrix: row_begin has 3 values, where 3 rows need 4");
    CHECK(refusal([](SparseMatrix& m) { m.rows = -1; }).find("-1 rows and 3 columns") != std::string::npos);
    CHECK(refusal([](SparseMatrix& m) { m.columns = std::int64_t{1} << 40; }).find("32 bits") != std::string::npos);
    CHECK(refusal([](SparseMatrix& m) { m.value.pop_back(); }) == "sparse matrix: 3 columns of elements, but 2 values");
    CHECK(refusal([](SparseMatrix& m) { m.row_begin.back() = 4; }) ==
          "sparse matrix: row_begin goes from 0 to 4, where it has to go from 0 to 3, the number of values");
    CHECK(refusal([](SparseMatrix& m) { m.row_begin[1] = 9; }) ==
          "sparse matrix: row 1 begins at element 9, after the next row, which begins at 3");
    CHECK(refusal([](SparseMatrix& m) { m.column[2] = 3; }) ==
          "sparse matrix: row 1 has an element in column 3, where columns go from 0 to 2");
    CHECK(refusal([](SparseMatrix& m) { m.column[0] = -1; }) ==
          "sparse matrix: row 0 has an element in column -1, where columns go from 0 to 2");
}

TEST_CASE("vectors that do not fit a matrix are refused") {
    const cpu::SparseOperator product(small_matrix(), cpu::sparse_products().front());
    Vector y(2);
    CHECK_THROWS_AS(product.multiply(Vector(2), y), std::invalid_argument);
    Vector longer(3);
    CHECK_THROWS_WITH_AS(product.multiply(Vector(3), longer),
                         "sparse matrix: the product of 2 x 3 elements takes vectors of 3 and 2 values, not 3 and 3",
                         std::invalid_argument);
    product.multiply(Vector{1., 10., 100.}, y);
    CHECK(y == Vector{201., 30.});
}
