/// \file
/// Formats in which files of other programs store floating-point numbers.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace onda {

struct NumberFormat {
    std::string_view name;  ///< float32 | float64
    std::size_t bytes;
    float (*decode)(const unsigned char*, bool big_endian);
};

template <class Float, class Bits>
constexpr float decoded(const unsigned char* bytes, bool big_endian) {
    Bits bits = 0;
    for (std::size_t n = 0; n < sizeof(Bits); ++n) bits = bits << 8 | bytes[big_endian ? n : sizeof(Bits) - 1 - n];
    return static_cast<float>(std::bit_cast<Float>(bits));
}

inline constexpr std::array kNumberFormats{NumberFormat{"float32", 4, decoded<float, std::uint32_t>},
                                           NumberFormat{"float64", 8, decoded<double, std::uint64_t>}};

}  // namespace onda
