#include "solver/program/hash.hpp"

#include <vector>

namespace onda {

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
