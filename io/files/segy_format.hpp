/// \file
/// SEG-Y rev 1 (SEG, 2002) byte by byte: where the numbers of its headers lie, and how its floats are kept. SU has the
/// same trace header.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/results/trace_bytes.hpp"

namespace onda {

inline constexpr std::size_t kTextualHeaderBytes = 3200, kBinaryHeaderBytes = 400;
inline constexpr int kIbmFloats = 1, kIeeeFloats = 5;  ///< sample formats of four bytes (byte 3225)

/// The numbers of the binary header that are read or written, by their first byte as table 2 counts them.
enum class BinaryNumber : std::int16_t {
    job = 3201,
    line = 3205,
    reel = 3209,
    traces = 3213,
    auxiliary_traces = 3215,
    interval = 3217,
    interval_recorded = 3219,
    samples = 3221,
    samples_recorded = 3223,
    format = 3225,
    ensemble_fold = 3227,
    sorting = 3229,
    measurement_system = 3255,
    impulse_polarity = 3257,
    revision = 3501,
    fixed_length = 3503,
    textual_headers = 3505
};

/// The numbers of a trace header that are read or written, by their first byte as table 3 counts them.
enum class TraceNumber : std::int16_t {
    sequence_in_line = 1,
    sequence_in_file = 5,
    field_record = 9,
    number_in_record = 13,
    source_point = 17,
    ensemble = 21,
    number_in_ensemble = 25,
    identification = 29,
    summed_traces = 31,
    stacked_traces = 33,
    data_use = 35,
    offset = 37,
    receiver_elevation = 41,
    source_surface_elevation = 45,
    source_depth = 49,
    elevation_scaler = 69,
    coordinate_scaler = 71,
    source_x = 73,
    source_y = 77,
    receiver_x = 81,
    receiver_y = 85,
    coordinate_units = 89,
    delay = 109,
    samples = 115,
    interval = 117,
    cdp_x = 181,
    cdp_y = 185,
    inline_number = 189,
    crossline_number = 193,
    measurement_unit = 203,
    source_mantissa = 225,
    source_exponent = 229,
    source_unit = 231,
    station = 233  ///< unassigned by the standard
};

/// Big endian two's complement in as many bytes as the field has. \param header its first byte.
std::int64_t number_in(const char* header, BinaryNumber field);
std::int64_t number_in(const char* header, TraceNumber field);
/// What does not fit the field loses its upper bits.
void set_number(char* header, BinaryNumber field, std::int64_t value);
void set_number(char* header, TraceNumber field, std::int64_t value);
/// Turns the numbers of a trace header from big endian into little endian, or back.
void reverse_numbers(std::array<char, kTraceHeaderBytes>& trace_header);

/// The textual header as files have it. \param ascii printable characters.
std::string ebcdic_of(std::string_view ascii);

/// Turns floats of the machine into the bytes of a big endian file, in place. \param format kIbmFloats: mantissas are
/// cut to the 21 to 24 bits that there is room for.
void encode_samples(int format, std::span<float> samples);
/// Turns the bytes of a big endian file into floats of the machine, in place. Of IBM floats what is larger than any
/// float becomes infinite.
void decode_samples(int format, std::span<float> samples);

/// The numbers of a header, by their first byte as tables count them. Fields within the header alone are asked for.
class HeaderView {
public:
    /// \param first_byte that tables call the first of these.
    HeaderView(std::span<const char> bytes, bool is_little_endian, std::int64_t first_byte = 1)
        : bytes_(bytes), first_(first_byte), is_little_endian_(is_little_endian) {}

    [[nodiscard]] std::uint64_t natural(std::int64_t byte, std::int64_t width) const {
        std::uint64_t value = 0;
        for (std::int64_t i = 0; i < width; ++i) {
            const std::int64_t at = byte - first_ + (is_little_endian_ ? width - 1 - i : i);
            value = value << 8 | static_cast<unsigned char>(bytes_[static_cast<std::size_t>(at)]);
        }
        return value;
    }
    [[nodiscard]] std::int64_t integer(std::int64_t byte, std::int64_t width) const {
        const auto unused = static_cast<int>(64 - 8 * width);
        return static_cast<std::int64_t>(natural(byte, width) << unused) >> unused;
    }
    /// An IEEE double.
    [[nodiscard]] double real(std::int64_t byte) const { return std::bit_cast<double>(natural(byte, 8)); }

private:
    std::span<const char> bytes_;
    std::int64_t first_;
    bool is_little_endian_;
};

}  // namespace onda
