#include "io/files/segy_format.hpp"

#include <algorithm>

namespace onda {
namespace {

/// Bytes of a header, counted as tables do, that are numbers of one size.
struct Words {
    std::int64_t first_byte, last_byte, bytes;
};
constexpr Words kTraceWords[] = {{1, 28, 4},    {29, 36, 2},   {37, 68, 4},   {69, 72, 2},   {73, 88, 4},
                                 {89, 180, 2},  {181, 200, 4}, {201, 204, 2}, {205, 208, 4}, {209, 218, 2},
                                 {219, 222, 4}, {223, 224, 2}, {225, 228, 4}, {229, 232, 2}, {233, 240, 4}};
constexpr Words kBinaryWords[] = {{3201, 3212, 4}, {3213, 3260, 2}, {3501, 3506, 2}};

std::int64_t bytes_at(std::span<const Words> words, std::int64_t byte) {
    return std::ranges::find_if(words, [byte](const Words& row) { return byte <= row.last_byte; })->bytes;
}

/// Puts a number where the header has it. \param at from the beginning of the header.
void put(char* header, std::int64_t at, std::int64_t bytes, std::int64_t value) {
    for (std::int64_t i = bytes; i-- > 0; value >>= 8) header[at + i] = static_cast<char>(value);
}

constexpr std::uint32_t kSign = 0x80000000, kImplied = 0x800000, kMantissa = kImplied - 1;
constexpr int kMantissaBits = 24;  ///< of both, with the implied one of IEEE
constexpr int kIeeeBias = 126;     ///< of 0.1mmm x 2^(exponent - 126)
constexpr int kIbmBias = 64;       ///< of 0.mmm x 16^(exponent - 64)

std::uint32_t ibm_of(std::uint32_t ieee) {
    std::uint32_t mantissa = ieee & kMantissa;
    int exponent = static_cast<int>(ieee >> 23 & 0xff);
    if (exponent > 0) {
        mantissa |= kImplied;
    } else {
        if (mantissa == 0) return 0;
        const int shift = std::countl_zero(mantissa) - (32 - kMantissaBits);
        mantissa <<= shift;
        exponent = 1 - shift;
    }
    // As 2^k with k = 4 sixteens - cut.
    const int k = exponent - kIeeeBias, sixteens = (k + 3 + 4 * kIbmBias) / 4 - kIbmBias, cut = 4 * sixteens - k;
    return (ieee & kSign) | static_cast<std::uint32_t>(sixteens + kIbmBias) << kMantissaBits | mantissa >> cut;
}

/// 16^(exponent - 64) / 2^24 of every exponent that IBM floats have.
constexpr std::array<double, 128> kIbmScales = [] {
    std::array<double, 128> scales{};
    for (int i = 0; i < 128; ++i) {
        double scale = 1. / (1 << kMantissaBits);
        for (int n = kIbmBias; n < i; ++n) scale *= 16.;
        for (int n = i; n < kIbmBias; ++n) scale /= 16.;
        scales[static_cast<std::size_t>(i)] = scale;
    }
    return scales;
}();

float float_of_ibm(std::uint32_t ibm) {
    const double magnitude = (ibm & 0xffffff) * kIbmScales[ibm >> kMantissaBits & 0x7f];
    return static_cast<float>((ibm & kSign) != 0 ? -magnitude : magnitude);
}

/// Big endian into the order of the machine, and back.
std::uint32_t reordered(std::uint32_t word) {
    return std::endian::native == std::endian::big ? word : __builtin_bswap32(word);
}

}  // namespace

std::int64_t number_in(const char* header, BinaryNumber field) {
    const auto byte = static_cast<std::int64_t>(field);
    return HeaderView({header, kBinaryHeaderBytes}, false, kTextualHeaderBytes + 1)
        .integer(byte, bytes_at(kBinaryWords, byte));
}

std::int64_t number_in(const char* header, TraceNumber field) {
    const auto byte = static_cast<std::int64_t>(field);
    return HeaderView({header, kTraceHeaderBytes}, false).integer(byte, bytes_at(kTraceWords, byte));
}

void set_number(char* header, BinaryNumber field, std::int64_t value) {
    const auto byte = static_cast<std::int64_t>(field);
    put(header, byte - static_cast<std::int64_t>(kTextualHeaderBytes) - 1, bytes_at(kBinaryWords, byte), value);
}

void set_number(char* header, TraceNumber field, std::int64_t value) {
    const auto byte = static_cast<std::int64_t>(field);
    put(header, byte - 1, bytes_at(kTraceWords, byte), value);
}

void reverse_numbers(std::array<char, kTraceHeaderBytes>& trace_header) {
    for (const Words& words : kTraceWords)
        for (std::int64_t byte = words.first_byte; byte <= words.last_byte; byte += words.bytes)
            std::reverse(trace_header.begin() + (byte - 1), trace_header.begin() + (byte - 1 + words.bytes));
}

std::string ebcdic_of(std::string_view ascii) {
    // From the blank to the tilde, as code page 500 has them; the bar is that of older tables.
    constexpr std::string_view codes =
        "\x40\x4f\x7f\x7b\x5b\x6c\x50\x7d\x4d\x5d\x5c\x4e\x6b\x60\x4b\x61\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\x7a"
        "\x5e"
        "\x4c\x7e\x6e\x6f\x7c\xc1\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xd1\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xe2\xe3\xe4\xe5"
        "\xe6"
        "\xe7\xe8\xe9\x4a\xe0\x5a\x5f\x6d\x79\x81\x82\x83\x84\x85\x86\x87\x88\x89\x91\x92\x93\x94\x95\x96\x97\x98\x99"
        "\xa2"
        "\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xc0\x6a\xd0\xa1";
    std::string ebcdic;
    for (const char c : ascii) ebcdic += codes[static_cast<std::size_t>(c - ' ')];
    return ebcdic;
}

void encode_samples(int format, std::span<float> samples) {
    for (float& sample : samples) {
        const auto ieee = std::bit_cast<std::uint32_t>(sample);
        sample = std::bit_cast<float>(reordered(format == kIbmFloats ? ibm_of(ieee) : ieee));
    }
}

void decode_samples(int format, std::span<float> samples) {
    for (float& sample : samples) {
        const std::uint32_t word = reordered(std::bit_cast<std::uint32_t>(sample));
        sample = format == kIbmFloats ? float_of_ibm(word) : std::bit_cast<float>(word);
    }
}

}  // namespace onda
