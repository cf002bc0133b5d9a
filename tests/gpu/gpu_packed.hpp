// Products of packed codes by CUDA kernels, for GPUs and for what stands in for one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernels/companions/packed_variants.hpp"
#include "kernels/cuda/companions/packed_codes.hpp"
#include "tests/kernels/packed_support.hpp"

namespace onda::test {

struct PackedShape {
    std::int64_t rows, columns, width;
};

/// Sizes around those of words, tiles and segments; the first ones are small enough for a host.
inline constexpr PackedShape kPackedShapes[] = {{5, 33, 7},      {17, 65, 1},     {40, 31, 34},    {1, 1, 1},
                                                {257, 127, 130}, {130, 1100, 1},  {300, 200, 100}, {129, 2048, 257},
                                                {64, 64, 64},    {513, 515, 129}, {1000, 3000, 1}};
inline constexpr std::size_t kSmallPackedShapes = 4;

/// A product of a CUDA variant has the bits of the CPU variant that it names, or is within its bound of the reference.
/// \returns whether the variant computes such products.
inline bool check_packed_variant(const cuda::PackedVariant& variant, const PackedShape& shape) {
    const std::int64_t rows = shape.rows, columns = shape.columns, width = shape.width;
    if (!cuda::packed_problem(variant, width).empty()) return false;
    const PackedCodes codes = random_codes(rows, columns);
    const std::vector<float> values = random_values<float>(columns * width);
    std::vector<float> product(static_cast<std::size_t>(rows * width), std::numeric_limits<float>::quiet_NaN());
    const cuda::PackedTimes times = cuda::multiply_packed(variant.name, codes, values, width, product, 2);
    CHECK(times.execution_ms.size() == 2);
    const double error = ReferenceProduct(codes, values, width).error<float>(product);
    CHECK_MESSAGE(error <= variant.error_factor(columns),
                  variant.name << ", " << rows << " x " << columns << " x " << width << ", error " << error);
    if (variant.bits_of.empty()) return true;
    const auto& on_cpu = packed_variants_cpu();
    const auto same = std::ranges::find(on_cpu, variant.bits_of, &PackedVariant::name);
    REQUIRE(same != on_cpu.end());
    std::vector<float> expected(product.size());
    same->multiply(codes, values, width, expected);
    CHECK_MESSAGE(product == expected, variant.name << " has not the bits of " << variant.bits_of << " for " << rows
                                                    << " x " << columns << " x " << width);
    return true;
}

/// Every CUDA variant in the first shapes. \returns how many variants have computed some of them.
inline std::size_t check_packed_variants(std::size_t shapes = std::size(kPackedShapes)) {
    std::size_t computed = 0;
    for (const cuda::PackedVariant& variant : cuda::packed_variants()) {
        std::size_t done = 0;
        for (std::size_t i = 0; i < shapes; ++i) done += check_packed_variant(variant, kPackedShapes[i]) ? 1 : 0;
        computed += done > 0 ? 1 : 0;
    }
    return computed;
}

/// Sizes and names that are refused, and a product of cuBLAS, where there is one.
inline void check_packed_interface() {
    const PackedCodes codes = random_codes(20, 40);
    const std::vector<float> values = random_values<float>(40 * 3);
    std::vector<float> product(60);
    CHECK_THROWS_AS(cuda::multiply_packed("simple", codes, values, 3, product), std::invalid_argument);
    CHECK_THROWS_AS(cuda::multiply_packed("simple-xor-32", codes, values, 2, product), std::invalid_argument);
    CHECK_THROWS_AS(cuda::multiply_packed("vector-xor-32", codes, values, 3, product), std::invalid_argument);
    if (!cuda::cublas().problem.empty()) return;
    std::vector<float> as_floats;
    for (std::int64_t row = 0; row < 20; ++row)
        for (std::int64_t column = 0; column < 40; ++column)
            as_floats.push_back(static_cast<float>(codes.at(row, column)));
    cuda::multiply_by_cublas(as_floats, 20, 40, values, 3, product);
    CHECK(ReferenceProduct(codes, values, 3).error<float>(product) <= 40. + 4.);  // columns, as of sums in any order
}

}  // namespace onda::test
