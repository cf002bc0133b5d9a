#include "kernels/fingerprint.hpp"

#include <new>

namespace onda {

std::string hash_text(std::uint64_t hash) {
    std::string text(16, '0');
    for (std::size_t digit = 0; digit < text.size(); ++digit)
        text[text.size() - 1 - digit] = "0123456789abcdef"[hash >> (4 * digit) & 15U];
    return text;
}

Fingerprint::Fingerprint() : state_(XXH3_createState()) {
    if (!state_) throw std::bad_alloc();
    reset();
}

}  // namespace onda
