#include "io/hdf5/chunk_filters.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <optional>
#include <zlib.h>

#include "io/text/error.hpp"

namespace onda::hdf5 {

namespace {

/// The two sums of Fletcher-32, modulo 65535.
struct FletcherSums {
    std::uint64_t first = 0, second = 0;

    /// `words` 16-bit big-endian words, of a number that kLanes divides. Lane l adds words l, l + kLanes, … by itself,
    /// so that instructions for several numbers at a time serve all lanes: of n words, word i counts n - i times in the
    /// second sum, and kLanes times as often in its lane's, less l.
    void add(const std::byte* at, std::size_t words) {
        std::array<std::uint32_t, kLanes> sum{}, sum_of_sums{};
        for (std::size_t i = 0; i < words; i += kLanes) {
            std::array<std::uint16_t, kLanes> word;
            std::memcpy(word.data(), at + 2 * i, sizeof word);
#pragma omp simd
            for (std::size_t l = 0; l < kLanes; ++l) {
                sum[l] += big_endian(word[l]);
                sum_of_sums[l] += sum[l];
            }
        }
        second += words * first;
        std::uint64_t less = 0, of_lanes = 0;
        for (std::size_t l = 0; l < kLanes; ++l) {
            first += sum[l];
            of_lanes += sum_of_sums[l];
            less += l * sum[l];
        }
        second += kLanes * of_lanes - less;
        fold();
    }
    void add(std::uint16_t word) {
        first += word;
        second += first;
        fold();
    }

    static constexpr std::size_t kLanes = 8;
    /// Words of which no lane's sums exceed 32 bits.
    static constexpr std::size_t kMost = 360 * kLanes;

private:
    static std::uint16_t big_endian(std::uint16_t word) {
        if constexpr (std::endian::native == std::endian::big) return word;
        return static_cast<std::uint16_t>(word >> 8 | word << 8);
    }
    /// Sums that are not zero never become zero: HDF5 tells 65535 from 0.
    void fold() {
        for (std::uint64_t* const sum : {&first, &second})
            while (*sum > 0xffff) *sum = (*sum & 0xffff) + (*sum >> 16);
    }
};

}  // namespace

std::uint32_t fletcher32(std::span<const std::byte> bytes) {
    constexpr std::size_t lanes = FletcherSums::kLanes;
    FletcherSums sums;
    while (bytes.size() >= 2 * lanes) {
        const std::size_t words = std::min(bytes.size() / (2 * lanes) * lanes, FletcherSums::kMost);
        sums.add(bytes.data(), words);
        bytes = bytes.subspan(2 * words);
    }
    for (; !bytes.empty(); bytes = bytes.subspan(std::min<std::size_t>(2, bytes.size()))) {
        const auto high = std::to_integer<std::uint16_t>(bytes[0]),
                   low = bytes.size() > 1 ? std::to_integer<std::uint16_t>(bytes[1]) : std::uint16_t{0};
        sums.add(static_cast<std::uint16_t>(high << 8 | low));
    }
    return static_cast<std::uint32_t>(sums.second << 16 | sums.first);
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
        if (bytes > 0) std::memcpy(all.data(), deflated.data(), bytes);
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
