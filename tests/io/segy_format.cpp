// IBM floats are those of the System/360, whatever their exponents, and numbers lie where SEG-Y rev 1 has them.
// Takes less than a second.
#include "io/files/segy_format.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <string>

using namespace onda;

namespace {

/// The bytes of a big endian file, as one number.
std::uint32_t big_endian(float bytes) {
    const auto word = std::bit_cast<std::uint32_t>(bytes);
    return std::endian::native == std::endian::big ? word : __builtin_bswap32(word);
}

std::uint32_t encoded(int format, float value) {
    encode_samples(format, {&value, 1});
    return big_endian(value);
}

float decoded(int format, std::uint32_t word) {
    auto value = std::bit_cast<float>(std::endian::native == std::endian::big ? word : __builtin_bswap32(word));
    decode_samples(format, {&value, 1});
    return value;
}

}  // namespace

TEST_CASE("IBM floats have the bits that their manual gives, or keep 21 of a float's 24") {
    // The example of the manual: 118.625 = 0x76.a.
    CHECK(encoded(kIbmFloats, -118.625f) == 0xc276a000);
    CHECK(encoded(kIbmFloats, 1.f) == 0x41100000);
    CHECK(encoded(kIbmFloats, 0.5f) == 0x40800000);
    CHECK(encoded(kIbmFloats, 0.f) == 0);
    CHECK(encoded(kIbmFloats, -0.f) == 0);
    CHECK(encoded(kIbmFloats, std::numeric_limits<float>::max()) == 0x60ffffff);
    for (const float value : {1.f, -118.625f, 0x1p-149f, -0x1.fp-130f, 0x1p-126f, 0x1.8p127f})
        CHECK(decoded(kIbmFloats, encoded(kIbmFloats, value)) == value);
    std::mt19937 draw(1);
    for (int i = 0; i < 100'000; ++i) {
        const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(draw()));
        if (!std::isfinite(value)) continue;
        const float read = decoded(kIbmFloats, encoded(kIbmFloats, value));
        // Cut, not rounded.
        REQUIRE(std::abs(read) <= std::abs(value));
        REQUIRE(std::abs(double(value) - double(read)) <= std::ldexp(std::abs(double(value)), -20));
    }
}

TEST_CASE("IBM floats of other programs are read: not normalised, out of the range of floats, negative zero") {
    CHECK(decoded(kIbmFloats, 0x41000001) == 0x1p-20f);
    CHECK(decoded(kIbmFloats, 0x45000000) == 0.f);
    CHECK(decoded(kIbmFloats, 0x80000000) == 0.f);
    CHECK(decoded(kIbmFloats, 0x7fffffff) == std::numeric_limits<float>::infinity());
    CHECK(decoded(kIbmFloats, 0x00100000) == 0.f);  // 16^-65
}

TEST_CASE("IEEE floats keep all their bits") {
    for (const std::uint32_t word : {0x3f800000U, 0x80000000U, 0x00000001U, 0x7f7fffffU}) {
        CHECK(encoded(kIeeeFloats, std::bit_cast<float>(word)) == word);
        CHECK(std::bit_cast<std::uint32_t>(decoded(kIeeeFloats, word)) == word);
    }
}

TEST_CASE("numbers of two and four bytes lie where the standard has them, and are turned alone") {
    std::array<char, kTraceHeaderBytes> header{};
    set_number(header.data(), TraceNumber::source_x, -2);
    set_number(header.data(), TraceNumber::coordinate_scaler, -100);
    set_number(header.data(), TraceNumber::samples, 40'000);
    CHECK(std::string(&header[68], 10) == std::string("\0\0\xff\x9c\xff\xff\xff\xfe\0\0", 10));
    CHECK(number_in(header.data(), TraceNumber::source_x) == -2);
    CHECK(number_in(header.data(), TraceNumber::coordinate_scaler) == -100);
    CHECK(static_cast<std::uint16_t>(number_in(header.data(), TraceNumber::samples)) == 40'000);
    CHECK(number_in(header.data(), TraceNumber::elevation_scaler) == 0);
    reverse_numbers(header);
    CHECK(std::string(&header[68], 10) == std::string("\0\0\x9c\xff\xfe\xff\xff\xff\0\0", 10));
    std::array<char, kBinaryHeaderBytes> binary{};
    set_number(binary.data(), BinaryNumber::job, 0x01020304);
    set_number(binary.data(), BinaryNumber::format, kIeeeFloats);
    set_number(binary.data(), BinaryNumber::revision, 0x100);
    CHECK(std::string(binary.data(), 4) == "\1\2\3\4");
    CHECK(binary[25] == 5);
    CHECK(binary[300] == 1);
    CHECK(number_in(binary.data(), BinaryNumber::job) == 0x01020304);
}

TEST_CASE("textual headers are EBCDIC") {
    CHECK(ebcdic_of("C01 az! SEG Y.") == "\xc3\xf0\xf1\x40\x81\xa9\x4f\x40\xe2\xc5\xc7\x40\xe8\x4b");
}
