/// \file
/// Numbers as a page carries them: quantised, deflated, in base64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onda {

/// Takes a long text piece by piece.
using PutText = std::function<void(std::string_view piece)>;

/// The bytes in zlib's format and base64, a text that is never in memory as a whole. The same bytes give the same text.
void put_block(std::span<const std::byte> bytes, const PutText& put);
/// The bytes in base64 alone, for what is compressed already.
void put_base64(std::span<const std::byte> bytes, const PutText& put);
/// How many characters put_block() would put.
std::size_t block_characters(std::span<const std::byte> bytes);

/// Numbers [first, first + count * step) of a list every `step`, for lists that are to be thinned.
struct Thinning {
    std::size_t step = 1, count = 0;
};
/// As many of `all` numbers, evenly, as `most` allows; at least one where there is one.
Thinning thinned(std::size_t all, std::size_t most);

/// Indices from 0 to all - 1, the first and the last among them, as evenly as they can be.
std::vector<std::size_t> spread_over(std::size_t all, std::size_t most);

/// Pressure in 8 bits on a scale of square roots, from which faint reflections beside a strong direct wave come back:
/// q = 127 sign(p) sqrt(|p| / peak), rounded, so that |p - q |q| / 127^2 peak| <= peak (sqrt(|p| / peak) / 127 + 1 /
/// 64516). Values that are not finite are shown as the largest that are, NaN as zero. \returns the peak, the largest
/// |p|; 0 where all is zero. \param q as long as p.
float quantise_wavefield(std::span<const float> p, std::span<std::int8_t> q);

/// A trace in 16 bits: q = 32767 p / peak, rounded; the error is at most peak / 65534.
/// \param every this sample of the trace, as many as q has. \returns the peak of those samples; 0 where all are zero.
float quantise_trace(std::span<const float> p, std::size_t every, std::span<std::int16_t> q);

/// A parameter of the model in 16 bits between its lowest and highest value: q = 65535 (v - min) / (max - min).
struct QuantisedRange {
    double min = 0., max = 0.;
};
QuantisedRange quantise_parameter(std::span<const float> values, std::span<std::uint16_t> q);

}  // namespace onda
