// Packed codes, values and their product in double, for tests of the ways to multiply them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "kernels/companions/packed_codes.hpp"

namespace onda::test {

inline PackedCodes random_codes(std::int64_t rows, std::int64_t columns, unsigned seed = 1) {
    std::mt19937 random(seed);
    PackedCodes codes(rows, columns);
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column) codes.set(row, column, (random() & 1U) != 0 ? 1 : -1);
    return codes;
}

/// Values of both signs whose sizes differ by some orders of magnitude, so that sums round.
template <typename T>
std::vector<T> random_values(std::int64_t count, unsigned seed = 2) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal, order(0., 3.);
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& value : values) value = static_cast<T>(normal(random) * std::exp(order(random)));
    return values;
}

/// The product in long double, and for each of its columns the sum of |values|, which error bounds contain.
struct ReferenceProduct {
    std::vector<long double> product, of_sizes;

    template <typename T>
    ReferenceProduct(const PackedCodes& codes, const std::vector<T>& values, std::int64_t width)
        : product(static_cast<std::size_t>(codes.rows() * width)), of_sizes(static_cast<std::size_t>(width)) {
        for (std::int64_t s = 0; s < codes.columns(); ++s)
            for (std::int64_t j = 0; j < width; ++j) {
                const long double value = values[static_cast<std::size_t>(s * width + j)];
                of_sizes[static_cast<std::size_t>(j)] += std::abs(value);
                for (std::int64_t r = 0; r < codes.rows(); ++r)
                    product[static_cast<std::size_t>(r * width + j)] += codes.at(r, s) * value;
            }
    }

    /// The largest error of a product, in eps (sum of |values|) of its column; infinite for one that is no number.
    template <typename T>
    [[nodiscard]] double error(std::span<const T> of) const {
        constexpr long double eps = std::numeric_limits<T>::epsilon() / 2;
        long double largest = 0.;
        for (std::size_t i = 0; i < product.size(); ++i) {
            const long double apart = std::abs(static_cast<long double>(of[i]) - product[i]);
            const long double unit = eps * of_sizes[i % of_sizes.size()];
            if (!(apart <= std::numeric_limits<T>::max())) return std::numeric_limits<double>::infinity();
            if (apart > 0.) largest = std::max(largest, apart / unit);
        }
        return static_cast<double>(largest);
    }
};

}  // namespace onda::test
