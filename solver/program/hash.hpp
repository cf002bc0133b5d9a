/// \file
/// A fingerprint of arrays: equal bits, equal hash.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace onda {

/// A 64-bit FNV-1a hash (Fowler, Noll, Vo), taken over 32-bit words in memory order instead of bytes. Any single
/// changed word changes the hash. Not cryptographic.
class Fingerprint {
public:
    static constexpr const char* kAlgorithm = "fnv1a-64 over 32-bit words";

    template <typename T>
    void add(std::span<const T> values) {
        static_assert(std::is_floating_point_v<T> && sizeof(T) % sizeof(std::uint32_t) == 0);
        for (const T& value : values) {
            std::array<std::uint32_t, sizeof(T) / sizeof(std::uint32_t)> words;
            std::memcpy(words.data(), &value, sizeof value);
            for (const std::uint32_t word : words) state_ = (state_ ^ word) * 0x100000001b3ULL;
        }
    }

    /// Adds bytes as words in memory order, the last word filled up with zeros.
    void add_bytes(std::string_view bytes) {
        while (!bytes.empty()) {
            std::uint32_t word = 0;
            const std::size_t size = std::min(bytes.size(), sizeof word);
            std::memcpy(&word, bytes.data(), size);
            state_ = (state_ ^ word) * 0x100000001b3ULL;
            bytes.remove_prefix(size);
        }
    }

    [[nodiscard]] std::string hex() const {
        std::string text(16, '0');
        for (int digit = 0; digit < 16; ++digit)
            text[static_cast<std::size_t>(15 - digit)] = "0123456789abcdef"[state_ >> (4 * digit) & 15U];
        return text;
    }

private:
    std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace onda
