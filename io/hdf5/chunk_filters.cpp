#include "io/hdf5/chunk_filters.hpp"

#include <algorithm>
#include <new>
#include <optional>
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

namespace {

std::uint32_t little_endian(std::span<const std::byte> bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint32_t>(bytes[i]);
    return value;
}

std::uint32_t big_endian(std::span<const std::byte> bytes) {
    std::uint32_t value = 0;
    for (const std::byte byte : bytes) value = value << 8 | std::to_integer<std::uint32_t>(byte);
    return value;
}

/// The bytes of stored blocks (RFC 1951, 3.2.4) into `all`. \return what follows the last block; nothing where the
/// blocks are others, or hold more or less.
std::optional<std::span<const std::byte>> take_stored_blocks(std::span<const std::byte> deflated,
                                                             std::span<std::byte> all) {
    constexpr std::size_t header = 5;
    for (bool last = false; !last;) {
        if (deflated.size() < header || (deflated[0] & std::byte{0xfe}) != std::byte{0}) return {};
        last = deflated[0] == std::byte{1};
        const std::uint32_t bytes = little_endian(deflated.subspan(1, 2));
        if ((bytes ^ little_endian(deflated.subspan(3, 2))) != 0xffff) return {};
        deflated = deflated.subspan(header);
        if (bytes > deflated.size() || bytes > all.size()) return {};
        std::ranges::copy(deflated.first(bytes), all.begin());
        deflated = deflated.subspan(bytes);
        all = all.subspan(bytes);
    }
    if (!all.empty()) return {};
    return deflated;
}

}  // namespace

bool unfilter_chunk(std::span<const std::byte> filtered, std::span<std::byte> chunk) {
    constexpr std::size_t head = 2, checksum = 4;  // of zlib's format (RFC 1950), and of either checksum
    if (filtered.size() < head + 2 * checksum) return false;
    const auto zlib = filtered.first(filtered.size() - checksum);
    if (fletcher32(zlib) != little_endian(filtered.last(checksum))) return false;
    // Deflate, a window of up to 32 KiB, no dictionary.
    const std::uint32_t method = big_endian(zlib.first(head));
    if ((method & 0x0f20) != 0x0800 || method >> 12 > 7 || method % 31 != 0) return false;
    const auto rest = take_stored_blocks(zlib.subspan(head), chunk);
    return rest && rest->size() == checksum &&
           big_endian(*rest) == adler32_z(1, reinterpret_cast<const Bytef*>(chunk.data()), chunk.size());
}

}  // namespace onda::hdf5
