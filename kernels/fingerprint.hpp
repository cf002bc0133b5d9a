/// \file
/// A fingerprint of bytes: equal bits, equal hash. The one place that knows the library which makes it on the host.
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

    /// \throws std::bad_alloc.
    Fingerprint();

    /// Forgets what was added.
    void reset() { XXH3_64bits_reset(state_.get()); }
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

}  // namespace onda
