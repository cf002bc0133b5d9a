#include "io/hdf5/chunk_filters.hpp"

#include <algorithm>
#include <new>
#include <zlib.h>

#include "io/text/error.hpp"

namespace onda::hdf5 {

std::uint32_t fletcher32(std::span<const std::byte> bytes) {
    constexpr std::size_t most = 360;  // words whose sums cannot overflow 32 bits
    std::uint32_t first = 0, second = 0;
    const auto fold = [](std::uint32_t sum) { return (sum & 0xffff) + (sum >> 16); };
    const auto add = [&](std::uint32_t word) { second += first += word; };
    const std::byte* at = bytes.data();
    for (std::size_t words = bytes.size() / 2; words > 0;) {
        const std::size_t together = std::min(words, most);
        for (std::size_t i = 0; i < together; ++i, at += 2)
            add(std::to_integer<std::uint32_t>(at[0]) << 8 | std::to_integer<std::uint32_t>(at[1]));
        first = fold(first);
        second = fold(second);
        words -= together;
    }
    if (bytes.size() % 2 != 0) {
        add(std::to_integer<std::uint32_t>(*at) << 8);
        first = fold(first);
        second = fold(second);
    }
    return fold(second) << 16 | fold(first);
}

void filter_chunk(std::span<const std::byte> chunk, std::vector<std::byte>& filtered) {
    constexpr std::size_t checksum_bytes = 4;
    const uLong most = compressBound(chunk.size());
    filtered.resize(most + checksum_bytes);
    uLongf bytes = most;
    const int result = compress2(reinterpret_cast<Bytef*>(filtered.data()), &bytes,
                                 reinterpret_cast<const Bytef*>(chunk.data()), chunk.size(), Z_NO_COMPRESSION);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result != Z_OK) throw Error(ExitCode::internal, "zlib: compress2 gives " + std::to_string(result));
    const std::uint32_t checksum = fletcher32(std::span(filtered).first(bytes));
    for (std::size_t i = 0; i < checksum_bytes; ++i) filtered[bytes + i] = std::byte(checksum >> 8 * i);
    filtered.resize(bytes + checksum_bytes);
}

}  // namespace onda::hdf5
