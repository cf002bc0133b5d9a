/// \file
/// Hashes of texts, and of wholes that come in parts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kernels/fingerprint.hpp"

namespace onda {

/// The hash of a text.
std::string hash_of(std::string_view text);

/// The hash of many parts of one whole, such as the planes of a wavefield, from the hash of each: whoever made them and
/// whenever, only their order counts. XXH3 of the parts' hashes as 64-bit big-endian numbers.
std::string combined_hash(std::span<const std::uint64_t> parts);

}  // namespace onda
