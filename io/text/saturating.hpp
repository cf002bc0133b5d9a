/// \file
/// Sums and products of counts of 0 and more that stop at the largest number where they would wrap.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

namespace onda {

inline constexpr std::int64_t kTooMany = std::numeric_limits<std::int64_t>::max();

template <std::same_as<std::int64_t>... Counts>
constexpr std::int64_t saturating_product(Counts... counts) {
    std::int64_t product = 1;
    bool overflows = false;
    // A factor of 0 makes 0, whatever the others have come to.
    if (((counts == 0) || ...)) return 0;
    ((overflows = __builtin_mul_overflow(product, counts, &product) || overflows), ...);
    return overflows ? kTooMany : product;
}

template <std::same_as<std::int64_t>... Counts>
constexpr std::int64_t saturating_sum(Counts... counts) {
    std::int64_t sum = 0;
    bool overflows = false;
    ((overflows = __builtin_add_overflow(sum, counts, &sum) || overflows), ...);
    return overflows ? kTooMany : sum;
}

}  // namespace onda
