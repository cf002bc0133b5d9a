#include "io/results/trace_reader.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <segyio/segy.h>
#include <string>
#include <utility>

#include "io/files/input_file.hpp"
#include "io/results/trace_words.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

constexpr double kMillisecond = 1e-3, kFoot = 0.3048;
constexpr int kFeet = 2, kDead = 2, kLengths = 1;  // bytes 3255, 29 and 89

std::int32_t field_of(const TraceHeaderBytes& header, int field) {
    std::int32_t value = 0;
    segy_get_field(header.data(), field, &value);
    return value;
}

/// A field of 16 bits that programs write without a sign.
std::int64_t unsigned_field(const TraceHeaderBytes& header, int field) {
    return static_cast<std::uint16_t>(field_of(header, field));
}

/// SCALEL, SCALCO: a positive one multiplies, a negative one divides; 0 is taken for 1.
double factor_of(std::int32_t scaler) {
    return scaler > 0 ? scaler : scaler < 0 ? -1. / static_cast<double>(scaler) : 1.;
}

/// A sample format that is read.
struct SampleFormat {
    int number;
    std::size_t bytes;
    std::string_view name;
};
constexpr std::array<SampleFormat, 5> kSampleFormats{{
    {SEGY_IBM_FLOAT_4_BYTE, 4, "SEG-Y, format 1 (IBM floats)"},
    {SEGY_SIGNED_INTEGER_4_BYTE, 4, "SEG-Y, format 2 (32-bit integers)"},
    {SEGY_SIGNED_SHORT_2_BYTE, 2, "SEG-Y, format 3 (16-bit integers)"},
    {SEGY_IEEE_FLOAT_4_BYTE, 4, "SEG-Y, format 5 (IEEE floats)"},
    {SEGY_SIGNED_CHAR_1_BYTE, 1, "SEG-Y, format 8 (8-bit integers)"},
}};

std::string lower_extension(const std::filesystem::path& file) {
    std::string extension = file.extension().string();
    for (char& c : extension)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return extension;
}

/// Big-endian integers to floats.
template <typename Integer>
void integers_to_floats(const std::vector<char>& bytes, std::span<float> samples) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
        std::uint32_t word = 0;
        for (std::size_t byte = 0; byte < sizeof(Integer); ++byte)
            word = word << 8 | static_cast<unsigned char>(bytes[i * sizeof(Integer) + byte]);
        samples[i] = static_cast<float>(static_cast<Integer>(word));
    }
}

}  // namespace

bool is_trace_file(const std::filesystem::path& file) {
    const std::string extension = lower_extension(file);
    return extension == ".sgy" || extension == ".segy" || extension == ".su";
}

void TraceFileReader::fail(const std::string& message) const {
    throw Error(ExitCode::bad_data, shown(file_) + ": " + message);
}

TraceFileReader::TraceFileReader(std::filesystem::path file) : file_(std::move(file)) {
    const std::uintmax_t size = input_file_size(file_);
    lower_extension(file_) == ".su" ? open_su(size) : open_segy(size);
}

void TraceFileReader::open_segy(std::uintmax_t size) {
    constexpr std::uintmax_t before = SEGY_TEXT_HEADER_SIZE + SEGY_BINARY_HEADER_SIZE;
    constexpr std::size_t byte_order = 96;  // bytes 3297-3300 of rev 2: 01 02 03 04 where the file is big endian
    if (size < before) fail("is no SEG-Y: shorter than the 3600 bytes of its headers");
    auto in = open_input_file(file_);
    in.seekg(SEGY_TEXT_HEADER_SIZE);
    std::array<char, SEGY_BINARY_HEADER_SIZE> header{};
    if (!in.read(header.data(), header.size())) fail(std::string("cannot read it: ") + std::strerror(errno));
    if (header[byte_order] == 4 && header[byte_order + 3] == 1)
        fail("is little endian (bytes 3297-3300, SEG-Y rev 2); Onda reads big-endian SEG-Y");
    const auto binary_field = [&](int field) {
        std::int32_t value = 0;
        segy_get_bfield(header.data(), field, &value);
        return value;
    };
    sample_format_ = segy_format(header.data());
    const auto found = std::ranges::find(kSampleFormats, sample_format_, &SampleFormat::number);
    if (found == kSampleFormats.end())
        fail("has samples of format " + std::to_string(sample_format_) +
             " (bytes 3225-3226); Onda reads 1 (IBM floats), 5 (IEEE floats), and 2, 3, 8 (integers)");
    format_ = found->name;
    sample_bytes_ = found->bytes;
    samples_ = static_cast<std::uint16_t>(binary_field(SEGY_BIN_SAMPLES));
    const long trace0 = segy_trace0(header.data());
    if (samples_ == 0) fail("has no samples (bytes 3221-3222)");
    if (trace0 < static_cast<long>(before) || static_cast<std::uintmax_t>(trace0) >= size)
        fail("has no traces behind its headers");
    first_ = static_cast<std::uintmax_t>(trace0);
    dt_s_ = static_cast<std::uint16_t>(binary_field(SEGY_BIN_INTERVAL)) * kMicrosecond;
    trace_bytes_ = SEGY_TRACE_HEADER_SIZE + static_cast<std::uintmax_t>(samples_) * sample_bytes_;
    if ((size - first_) % trace_bytes_ != 0)
        fail("has " + std::to_string(size - first_) + " bytes of traces, which are no whole number of traces of " +
             std::to_string(samples_) + " samples (" + std::to_string(trace_bytes_) + " bytes)");
    traces_.resize((size - first_) / trace_bytes_);
    read_headers(binary_field(SEGY_BIN_MEASUREMENT_SYSTEM) == kFeet ? kFoot : 1.);
}

/// SU says nothing of itself but by the header of its first trace, in an order of bytes that only its size tells.
void TraceFileReader::open_su(std::uintmax_t size) {
    sample_format_ = SEGY_IEEE_FLOAT_4_BYTE;
    TraceHeaderBytes header{};
    auto in = open_input_file(file_);
    if (size < header.size() || !in.read(header.data(), header.size())) fail("is no SU: shorter than a trace header");
    for (const bool little : {true, false}) {
        TraceHeaderBytes big = header;
        if (little) reverse_words(big);
        const std::int64_t samples = unsigned_field(big, SEGY_TR_SAMPLE_COUNT);
        const std::uintmax_t bytes = header.size() + static_cast<std::uintmax_t>(samples) * sizeof(float);
        if (samples == 0 || size % bytes != 0) continue;
        is_little_endian_ = little;
        format_ = little ? "SU, little endian" : "SU, big endian";
        samples_ = samples;
        trace_bytes_ = bytes;
        traces_.resize(size / bytes);
        return read_headers(1.);
    }
    fail("is no SU: its " + std::to_string(size) + " bytes are no whole number of traces of as many samples as its " +
         "first header has (ns, bytes 115-116), in either order of bytes");
}

void TraceFileReader::read_headers(double metres_per_unit) {
    auto in = open_input_file(file_);
    for (std::size_t i = 0; i < traces_.size(); ++i) {
        const auto fail_at = [&](const std::string& message) { fail("trace " + std::to_string(i + 1) + message); };
        TraceHeaderBytes header{};
        in.seekg(static_cast<std::streamoff>(first_ + i * trace_bytes_));
        if (!in.read(header.data(), header.size())) fail_at(std::string(" cannot be read: ") + std::strerror(errno));
        if (is_little_endian_) reverse_words(header);
        const auto field = [&](int at) { return field_of(header, at); };
        if (field(SEGY_TR_COORD_UNITS) > kLengths)
            fail_at(" has coordinates in units " + std::to_string(field(SEGY_TR_COORD_UNITS)) +
                    " (bytes 89-90), which are angles; Onda reads lengths");
        const auto samples = unsigned_field(header, SEGY_TR_SAMPLE_COUNT);
        if (samples != 0 && samples != samples_)
            fail_at(" has " + std::to_string(samples) + " samples (bytes 115-116), the file " +
                    std::to_string(samples_) + " of each");
        const double dt_s = static_cast<double>(unsigned_field(header, SEGY_TR_SAMPLE_INTER)) * kMicrosecond;
        if (dt_s_ == 0.) dt_s_ = dt_s;
        if (dt_s != 0. && dt_s != dt_s_)
            fail_at(" has a sample every " + number_text(dt_s) + " s (bytes 117-118), others every " +
                    number_text(dt_s_) + " s");
        const double depth = metres_per_unit * factor_of(field(SEGY_TR_ELEV_SCALAR)),
                     place = metres_per_unit * factor_of(field(SEGY_TR_SOURCE_GROUP_SCALAR));
        resolution_m_ = std::max({resolution_m_, depth, place});
        const double source_z = depth * (static_cast<double>(field(SEGY_TR_SOURCE_DEPTH)) -
                                         static_cast<double>(field(SEGY_TR_SOURCE_SURF_ELEV)));
        traces_[i] = {
            {place * field(SEGY_TR_SOURCE_X), place * field(SEGY_TR_SOURCE_Y), source_z},
            {place * field(SEGY_TR_GROUP_X), place * field(SEGY_TR_GROUP_Y), -depth * field(SEGY_TR_RECV_GROUP_ELEV)},
            field(SEGY_TR_FIELD_RECORD),
            kMillisecond * static_cast<double>(field(SEGY_TR_DELAY_REC_TIME)),
            field(SEGY_TR_TRACE_ID) == kDead};
    }
    if (dt_s_ == 0.) fail("does not tell its sample interval: bytes 3217-3218 and 117-118 are 0");
}

void TraceFileReader::read(std::size_t trace, std::span<float> samples) const {
    auto in = open_input_file(file_);
    in.seekg(static_cast<std::streamoff>(first_ + trace * trace_bytes_ + SEGY_TRACE_HEADER_SIZE));
    std::vector<char> bytes(samples.size() * sample_bytes_);
    if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
        throw Error(ExitCode::io_error,
                    shown(file_) + ": trace " + std::to_string(trace + 1) + " cannot be read: " + std::strerror(errno));
    if (sample_format_ == SEGY_SIGNED_SHORT_2_BYTE) return integers_to_floats<std::int16_t>(bytes, samples);
    if (sample_format_ == SEGY_SIGNED_CHAR_1_BYTE) return integers_to_floats<std::int8_t>(bytes, samples);
    if (sample_format_ == SEGY_SIGNED_INTEGER_4_BYTE) return integers_to_floats<std::int32_t>(bytes, samples);
    std::memcpy(samples.data(), bytes.data(), bytes.size());
    if (!is_little_endian_)
        segy_to_native(sample_format_, static_cast<long long>(samples.size()), samples.data());
    else if (std::endian::native == std::endian::big)
        for (float& sample : samples)
            sample = std::bit_cast<float>(__builtin_bswap32(std::bit_cast<std::uint32_t>(sample)));
}

}  // namespace onda
