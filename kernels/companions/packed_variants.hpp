/// \file
/// The ways to multiply packed codes with a matrix on the CPU, as a table: what `onda bench encode` compares;
/// multiply() of packed_codes.hpp is look-up-4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/companions/packed_codes.hpp"

namespace onda {

/// One way to compute product = codes values in float. Arguments and errors are those of multiply().
struct PackedVariant {
    std::string name, what;
    double additions;            ///< for a code and a value, without those that tables take
    double per_column, further;  ///< see error_factor()
    std::function<void(const PackedCodes& codes, std::span<const float> values, std::int64_t width,
                       std::span<float> product)>
        multiply;

    /// An element has an error of at most this times eps (sum of |values| of its column), eps = 2^-24.
    [[nodiscard]] double error_factor(std::int64_t columns) const {
        return per_column * static_cast<double>(columns) + further;
    }
};

/// All variants, for the best instruction set of this machine.
const std::vector<PackedVariant>& packed_variants_cpu();
/// The instruction set that they are compiled for.
std::string_view packed_variants_isa();

/// \throws std::invalid_argument unless values are (columns of the codes, width) and the product (rows, width).
void check_multiply_sizes(const PackedCodes& codes, std::size_t values, std::int64_t width, std::size_t product);

}  // namespace onda
