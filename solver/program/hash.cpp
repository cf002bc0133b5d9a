#include "solver/program/hash.hpp"

#include <new>
#include <vector>

namespace onda {

std::string hash_text(std::uint64_t hash) {
    std::string text(16, '0');
    for (std::size_t digit = 0; digit < text.size(); ++digit)
        text[text.size() - 1 - digit] = "0123456789abcdef"[hash >> (4 * digit) & 15U];
    return text;
}

Fingerprint::Fingerprint() : state_(XXH3_createState()) {
    if (!state_) throw std::bad_alloc();
    XXH3_64bits_reset(state_.get());
}

std::string hash_of(std::string_view text) {
    Fingerprint hash;
    hash.add_bytes(text);
    return hash.hex();
}

std::string combined_hash(std::span<const std::uint64_t> parts) {
    std::vector<XXH64_canonical_t> canonical(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) XXH64_canonicalFromHash(&canonical[i], parts[i]);
    Fingerprint hash;
    hash.add(std::span<const XXH64_canonical_t>(canonical));
    return hash.hex();
}

}  // namespace onda
