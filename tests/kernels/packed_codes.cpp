// Packed codes: what they hold, and their products with matrices in every way, against products in long double and the
// identities of Hadamard matrices.
#include "kernels/companions/packed_codes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <omp.h>
#include <span>
#include <stdexcept>
#include <vector>

#include "kernels/companions/packed_variants.hpp"
#include "tests/kernels/packed_support.hpp"

using namespace onda;
using namespace onda::test;

namespace {

constexpr std::int64_t kColumns[] = {1, 2, 31, 32, 33, 63, 64, 65, 127, 200};
constexpr std::int64_t kWidths[] = {1, 7, 64, 100};

template <typename T>
std::vector<T> product_of(const PackedCodes& codes, const std::vector<T>& values, std::int64_t width) {
    // What is not written stays no number.
    std::vector<T> product(static_cast<std::size_t>(codes.rows() * width), std::numeric_limits<T>::quiet_NaN());
    multiply<T>(codes, values, width, product);
    return product;
}

/// multiply() of T against the reference, in all sizes.
template <typename T>
void check_multiply() {
    for (const std::int64_t columns : kColumns)
        for (const std::int64_t width : kWidths) {
            const PackedCodes codes = random_codes(37, columns);
            const std::vector<T> values = random_values<T>(columns * width), product = product_of(codes, values, width);
            const double error = ReferenceProduct(codes, values, width).error<T>(product);
            CHECK_MESSAGE(error <= multiply_error_factor(columns),
                          columns << " columns, width " << width << ", error " << error);
        }
}

/// H' (H X) / n against X: the largest difference, relative to the largest value.
template <typename T>
double deblending_error(std::int64_t order, std::int64_t width) {
    const PackedCodes hadamard = PackedCodes::hadamard(order);
    const std::vector<T> values = random_values<T>(order * width);
    const std::vector<T> back = product_of(hadamard.transposed(), product_of(hadamard, values, width), width);
    T largest = 0, apart = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        largest = std::max(largest, std::abs(values[i]));
        const T difference = std::abs(back[i] / static_cast<T>(order) - values[i]);
        if (!std::isnan(apart) && !(difference <= apart)) apart = difference;
    }
    return static_cast<double>(apart / largest);
}

}  // namespace

TEST_CASE("codes are kept bit by bit, and read as they were set") {
    PackedCodes codes(3, 70);
    CHECK(codes.rows() == 3);
    CHECK(codes.columns() == 70);
    CHECK(codes.words_of_row() == 2);
    CHECK(codes.at(2, 69) == -1);
    codes.set(1, 0, 1);
    codes.set(1, 33, 1);
    codes.set(1, 69, 1);
    CHECK(codes.at(1, 69) == 1);
    CHECK(codes.at(1, 68) == -1);
    CHECK(codes.row(1)[0] == (std::uint64_t{1} | std::uint64_t{1} << 33));
    CHECK(codes.row(1)[1] == std::uint64_t{1} << 5);
    CHECK(codes.half_words() == std::vector<std::uint32_t>{0, 0, 0, 0, 1, 2, 32, 0, 0, 0, 0, 0});
    codes.set(1, 33, -1);
    CHECK(codes.row(1)[0] == 1);

    const PackedCodes random = random_codes(65, 130), transposed = random.transposed();
    CHECK(transposed.rows() == 130);
    bool same = true;
    for (std::int64_t row = 0; row < 65; ++row)
        for (std::int64_t column = 0; column < 130; ++column)
            same = same && random.at(row, column) == transposed.at(column, row);
    CHECK(same);
    CHECK(transposed.transposed() == random);
}

TEST_CASE("codes other than 1 and -1, places outside and sizes that do not fit are refused") {
    PackedCodes codes(3, 5);
    for (const int code : {0, 2, -2}) CHECK_THROWS_AS(codes.set(0, 0, code), std::invalid_argument);
    CHECK(codes == PackedCodes(3, 5));
    CHECK_THROWS_WITH_AS(codes.set(1, 2, 3), "code 3 at (1, 2): codes are 1 and -1", std::invalid_argument);
    CHECK_THROWS_AS(codes.set(3, 0, 1), std::out_of_range);
    CHECK_THROWS_AS(static_cast<void>(codes.at(0, 5)), std::out_of_range);
    CHECK_THROWS_AS(static_cast<void>(codes.at(-1, 0)), std::out_of_range);
    CHECK_THROWS_AS(static_cast<void>(codes.row(3)), std::out_of_range);
    CHECK_THROWS_AS(PackedCodes(-1, 5), std::invalid_argument);

    const std::vector<float> values(10);
    std::vector<float> product(6);
    multiply<float>(codes, values, 2, product);
    const std::span<float> all(product);
    CHECK_THROWS_AS(multiply<float>(codes, values, 1, product), std::invalid_argument);
    CHECK_THROWS_AS(multiply<float>(codes, values, -2, product), std::invalid_argument);
    CHECK_THROWS_AS(multiply<float>(codes, values, 2, all.first(5)), std::invalid_argument);
    CHECK_THROWS_AS(multiply<float>(codes, std::span(values).first(9), 2, product), std::invalid_argument);
    for (const PackedVariant& variant : packed_variants_cpu())
        CHECK_THROWS_AS(variant.multiply(codes, values, 3, product), std::invalid_argument);
    for (const std::int64_t order : {0, -4, 3, 12})
        CHECK_THROWS_AS(PackedCodes::hadamard(order), std::invalid_argument);
    CHECK_THROWS_WITH_AS(PackedCodes::hadamard(12),
                         "a Hadamard matrix of order 12: orders are powers of two, such as 8 and 16",
                         std::invalid_argument);
}

TEST_CASE("products are those of long double within the bound, in float and in double") {
    check_multiply<float>();
    check_multiply<double>();
}

TEST_CASE("every variant is within its bound of the product in long double") {
    REQUIRE(packed_variants_cpu().size() >= 10);
    for (const std::int64_t columns : kColumns)
        for (const std::int64_t width : kWidths) {
            const PackedCodes codes = random_codes(21, columns);
            const std::vector<float> values = random_values<float>(columns * width);
            const ReferenceProduct reference(codes, values, width);
            for (const PackedVariant& variant : packed_variants_cpu()) {
                std::vector<float> product(static_cast<std::size_t>(21 * width),
                                           std::numeric_limits<float>::quiet_NaN());
                variant.multiply(codes, values, width, product);
                const double error = reference.error<float>(product);
                CHECK_MESSAGE(error <= variant.error_factor(columns),
                              variant.name << ", " << columns << " columns, width " << width << ", error " << error);
            }
        }
}

TEST_CASE("more rows than a part has, and no rows, columns or width") {
    const PackedCodes codes = random_codes(1030, 70);
    const std::vector<float> values = random_values<float>(70 * 18);
    CHECK(ReferenceProduct(codes, values, 18).error<float>(product_of(codes, values, 18)) <= multiply_error_factor(70));
    CHECK(product_of<float>(PackedCodes(0, 5), std::vector<float>(10), 2).empty());
    CHECK(product_of<float>(PackedCodes(4, 5), {}, 0).empty());
    CHECK(product_of<float>(PackedCodes(2, 0), {}, 3) == std::vector<float>(6, 0.F));
}

TEST_CASE("a product has the same bits for one to three threads, and each of its columns alone") {
    const std::int64_t width = 100, columns = 200;
    const PackedCodes codes = random_codes(600, columns);
    const std::vector<float> values = random_values<float>(columns * width);
    const int threads_before = omp_get_max_threads();
    omp_set_num_threads(1);
    const std::vector<float> expected = product_of(codes, values, width);
    for (const int threads : {2, 3}) {
        omp_set_num_threads(threads);
        CHECK(product_of(codes, values, width) == expected);
    }
    omp_set_num_threads(threads_before);
    std::vector<float> column(static_cast<std::size_t>(columns)), alone(600);
    for (const std::size_t j : {0, 41, 99}) {
        for (std::size_t s = 0; s < column.size(); ++s) column[s] = values[s * 100 + j];
        multiply_vector<float>(codes, column, alone);
        bool same = true;
        for (std::size_t r = 0; r < alone.size(); ++r) same = same && alone[r] == expected[r * 100 + j];
        CHECK(same);
    }
}

TEST_CASE("a Hadamard matrix times its transpose is its order times the identity, exactly") {
    for (const std::int64_t order : {1, 2, 4, 64, 128}) {
        const PackedCodes hadamard = PackedCodes::hadamard(order);
        CHECK(hadamard.transposed() == hadamard);
        CHECK(hadamard.at(order - 1, 0) == 1);
        std::vector<double> as_numbers, expected;
        for (std::int64_t row = 0; row < order; ++row)
            for (std::int64_t column = 0; column < order; ++column) {
                as_numbers.push_back(hadamard.at(column, row));
                expected.push_back(row == column ? static_cast<double>(order) : 0.);
            }
        CHECK(product_of(hadamard, as_numbers, order) == expected);
    }
    CHECK(PackedCodes::hadamard(2).at(1, 1) == -1);
}

TEST_CASE("what Hadamard codes have blended comes back") {
    CHECK(deblending_error<float>(128, 100) <= 1e-6);
    CHECK(deblending_error<double>(128, 100) <= 1e-14);
}
