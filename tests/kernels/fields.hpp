/// \file
/// Deterministic test fields and their hashes.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace onda::test {

/// FNV-1a over the bytes of the values.
template <typename T>
std::uint64_t hash_of(std::span<const T> values) {
    std::uint64_t hash = 14695981039346656037ull;
    for (const T& value : values) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        hash = (hash ^ bits) * 1099511628211ull;
        hash ^= hash >> 32;  // a sign that differs changes the highest bit alone; two of them must not cancel
    }
    return hash;
}

/// A number in [0, 1) for every index, the same everywhere (splitmix64).
inline double noise(std::uint64_t index, std::uint64_t seed = 1) {
    std::uint64_t z = index * 0x9E3779B97F4A7C15ull + seed * 0xD1B54A32D192ED03ull + 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

}  // namespace onda::test
