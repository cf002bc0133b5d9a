/// \file
/// Values in 16 bits each: blocks of nodes that share a unit. An error is at most half a unit, 1.6e-5 of the largest
/// value of its block. Hosts and devices make the same codes of the same values.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/host_device.hpp"

namespace onda {

/// Consecutive values, of which a block that is not full has zeros behind its last one.
struct CodedBlock {
    static constexpr int kValues = 256;
    float unit;  ///< of all codes; NaN where one of the values is no finite number
    std::int16_t code[kValues];
};

/// The elements that store so many values: as many, or blocks of them. \tparam Stored a value, or CodedBlock.
template <typename Stored>
constexpr std::int64_t stored_elements(std::int64_t values) {
    return std::is_same_v<Stored, CodedBlock> ? (values + CodedBlock::kValues - 1) / CodedBlock::kValues : values;
}

/// The largest code: those of a value and of its negative differ by the sign alone.
inline constexpr int kLargestCode = 32767;

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// The size of a value as an integer: larger for larger ones, infinity behind all numbers, and NaN behind that. The
/// largest of several does not depend on their order.
template <typename T>
ONDA_HOST_DEVICE BitsOf<T> bits_of_size(T value) {
    BitsOf<T> bits;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits & std::numeric_limits<std::make_signed_t<BitsOf<T>>>::max();
}

/// The unit of values of which the largest has this size; 0 where single precision has no normal number for it.
template <typename T>
ONDA_HOST_DEVICE float unit_of(BitsOf<T> largest_size) {
    T largest;
    __builtin_memcpy(&largest, &largest_size, sizeof largest);
    const auto unit = static_cast<float>(largest / T(kLargestCode));
    if (!(unit <= std::numeric_limits<float>::max())) return std::numeric_limits<float>::quiet_NaN();
    return unit < std::numeric_limits<float>::min() ? 0.f : unit;
}

template <typename T>
ONDA_HOST_DEVICE std::int16_t coded(T value, float unit) {
    if (!(unit > 0.f)) return 0;
    const T units = value / T(unit);
    // The unit is rounded, so that the largest value may have a little more units than there are codes.
    const T nearest = sizeof(T) == 8 ? T(__builtin_rint(double(units))) : T(__builtin_rintf(float(units)));
    const T most = T(kLargestCode);
    return static_cast<std::int16_t>(nearest > most ? most : nearest < -most ? -most : nearest);
}

/// The value of a code; NaN in a block without a unit.
template <typename T>
ONDA_HOST_DEVICE T decoded(std::int16_t code, float unit) {
    return T(code) * T(unit);
}

}  // namespace onda
