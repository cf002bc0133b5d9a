#include "solver/outputs/wavefield_hash.hpp"

#include <cstdint>
#include <vector>

#include "solver/program/hash.hpp"

namespace onda {

std::string fingerprint_wavefield(const Wavefield& wavefield, const Window& window, int shot) {
    std::vector<std::uint64_t> hashes(static_cast<std::size_t>(window.count[2]));
    wavefield.fields().hash_planes(window, hashes, shot);
    return combined_hash(hashes);
}

}  // namespace onda
