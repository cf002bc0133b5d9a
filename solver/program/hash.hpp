/// \file
/// A fingerprint of arrays and files: equal bits, equal hash.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <xxhash.h>

namespace onda {

/// The hash as files name it: 16 hexadecimal digits, as xxhsum -H3 prints them.
std::string hash_text(std::uint64_t hash);

/// XXH3, 64 bits (Collet, xxHash), of all bytes that were added, in memory order: that of a file is what xxhsum -H3
/// says. Not cryptographic.
class Fingerprint {
public:
    static constexpr const char* kAlgorithm = "XXH3-64";

    Fingerprint();

    template <typename T>
    void add(std::span<const T> values) {
        static_assert(std::is_trivially_copyable_v<T>);
        XXH3_64bits_update(state_.get(), values.data(), values.size_bytes());
    }
    void add_bytes(std::string_view bytes) { XXH3_64bits_update(state_.get(), bytes.data(), bytes.size()); }

    [[nodiscard]] std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }
    [[nodiscard]] std::string hex() const { return hash_text(value()); }

private:
    struct Free {
        void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
    };
    std::unique_ptr<XXH3_state_t, Free> state_;
};

/// The hash of a text.
std::string hash_of(std::string_view text);

/// The hash of many parts of one whole, such as the planes of a wavefield, from the hash of each: whoever made them and
/// whenever, only their order counts. XXH3 of the parts' hashes as 64-bit big-endian numbers.
std::string combined_hash(std::span<const std::uint64_t> parts);

}  // namespace onda
