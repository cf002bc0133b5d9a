#include "io/results/trace_reader.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "io/files/input_file.hpp"
#include "io/files/segy_format.hpp"
#include "io/results/segy_headers.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {

/// A sample format that is read.
struct SampleFormat {
    enum class Kind : char { ibm, ieee, integer, natural };
    int number;
    std::size_t bytes;
    Kind kind;
    std::string_view name;
};

namespace {

constexpr double kMillisecond = 1e-3, kFoot = 0.3048;
constexpr int kFeet = 2, kDead = 2, kLengths = 1;  // bytes 3255, 29 and 89

constexpr std::array<SampleFormat, 13> kSampleFormats{{
    {kIbmFloats, 4, SampleFormat::Kind::ibm, "format 1 (IBM floats)"},
    {2, 4, SampleFormat::Kind::integer, "format 2 (32-bit integers)"},
    {3, 2, SampleFormat::Kind::integer, "format 3 (16-bit integers)"},
    {kIeeeFloats, 4, SampleFormat::Kind::ieee, "format 5 (IEEE floats)"},
    {6, 8, SampleFormat::Kind::ieee, "format 6 (IEEE doubles)"},
    {7, 3, SampleFormat::Kind::integer, "format 7 (24-bit integers)"},
    {8, 1, SampleFormat::Kind::integer, "format 8 (8-bit integers)"},
    {9, 8, SampleFormat::Kind::integer, "format 9 (64-bit integers)"},
    {10, 4, SampleFormat::Kind::natural, "format 10 (unsigned 32-bit integers)"},
    {11, 2, SampleFormat::Kind::natural, "format 11 (unsigned 16-bit integers)"},
    {12, 8, SampleFormat::Kind::natural, "format 12 (unsigned 64-bit integers)"},
    {15, 3, SampleFormat::Kind::natural, "format 15 (unsigned 24-bit integers)"},
    {16, 1, SampleFormat::Kind::natural, "format 16 (unsigned 8-bit integers)"},
}};

const SampleFormat* find_format(std::int64_t number) {
    const auto found = std::ranges::find(kSampleFormats, number, &SampleFormat::number);
    return found == kSampleFormats.end() ? nullptr : &*found;
}

/// SCALEL, SCALCO: a positive one multiplies, a negative one divides; 0 is taken for 1.
double factor_of(std::int64_t scaler) {
    return scaler > 0 ? static_cast<double>(scaler) : scaler < 0 ? -1. / static_cast<double>(scaler) : 1.;
}

/// "SEG00001", in ASCII or EBCDIC.
bool is_extension_name(std::string_view name) {
    return name == "SEG00001" || name == "\xe2\xc5\xc7\xf0\xf0\xf0\xf0\xf1";
}

/// Samples from the bytes of a file.
void decode(const SampleFormat& format, bool is_little_endian, std::vector<char>& bytes, std::span<float> samples) {
    if (format.kind == SampleFormat::Kind::ibm) {
        if (is_little_endian)
            for (std::size_t at = 0; at < bytes.size(); at += 4) std::reverse(&bytes[at], &bytes[at] + 4);
        std::memcpy(samples.data(), bytes.data(), bytes.size());
        decode_samples(format.number, samples);
        return;
    }
    const HeaderView view(bytes, is_little_endian, 0);
    const auto width = static_cast<std::int64_t>(format.bytes);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const std::int64_t at = static_cast<std::int64_t>(i) * width;
        if (format.kind == SampleFormat::Kind::ieee)
            samples[i] = width == 4 ? std::bit_cast<float>(static_cast<std::uint32_t>(view.natural(at, 4)))
                                    : static_cast<float>(view.real(at));
        else
            samples[i] = format.kind == SampleFormat::Kind::integer ? static_cast<float>(view.integer(at, width))
                                                                    : static_cast<float>(view.natural(at, width));
    }
}

}  // namespace

std::string lower_extension(const std::filesystem::path& file) {
    std::string extension = file.extension().string();
    for (char& c : extension)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return extension;
}

bool is_segy_or_su(const std::filesystem::path& file) {
    const std::string extension = lower_extension(file);
    return extension == ".sgy" || extension == ".segy" || extension == ".su";
}

void TraceFileReader::fail(const std::string& message) const {
    throw Error(ExitCode::bad_data, shown(file_) + ": " + message);
}

void TraceFileReader::fail_at(std::size_t trace, const std::string& message) const {
    fail("trace " + std::to_string(trace + 1) + message);
}

TraceFileReader::TraceFileReader(std::filesystem::path file, const TraceBytes& bytes)
    : file_(std::move(file)), bytes_(bytes) {
    const std::uintmax_t size = input_file_size(file_);
    lower_extension(file_) == ".su" ? open_su(size) : open_segy(size);
}

void TraceFileReader::open_segy(std::uintmax_t size) {
    constexpr std::int64_t first_byte = kTextualHeaderBytes + 1;
    if (size < kTextualHeaderBytes + kBinaryHeaderBytes)
        fail("is not SEG-Y: shorter than the 3600 bytes of its headers");
    auto in = open_input_file(file_);
    in.seekg(kTextualHeaderBytes);
    std::array<char, kBinaryHeaderBytes> bytes{};
    if (!in.read(bytes.data(), bytes.size())) fail("cannot read it: " + why_unread(in));
    const std::uint64_t order = HeaderView(bytes, false, first_byte).natural(3297, 4);
    if (order == 0x02010403)
        fail("has its bytes exchanged in pairs (bytes 3297-3300); Onda reads big and little endian");
    is_little_endian_ = order == 0x04030201;
    const HeaderView header(bytes, is_little_endian_, first_byte);
    // Rev 0 leaves these bytes to anybody.
    revision_ = static_cast<int>(header.natural(3501, 1));
    if (revision_ > 2) revision_ = 0;
    sample_format_ = find_format(header.integer(3225, 2));
    if (sample_format_ == nullptr)
        fail("has samples of format " + std::to_string(header.integer(3225, 2)) +
             " (bytes 3225-3226); Onda reads 1 (IBM floats), 5 and 6 (IEEE floats), and 2, 3, 7 to 12, 15 and 16 "
             "(integers)");
    format_ = std::string(revision_ >= 2 ? "SEG-Y rev 2" : "SEG-Y") + (is_little_endian_ ? ", little endian, " : ", ") +
              std::string(sample_format_->name);
    samples_ = static_cast<std::int64_t>(header.natural(3221, 2));
    dt_s_ = static_cast<double>(header.natural(3217, 2)) * kMicrosecond;
    if (revision_ >= 2) {
        if (const auto extended = header.natural(3269, 4); extended != 0)
            samples_ = static_cast<std::int64_t>(extended);
        if (const double extended = header.real(3273); extended != 0.) dt_s_ = extended * kMicrosecond;
        if (!(dt_s_ >= 0.) || !std::isfinite(dt_s_))
            fail("has a sample every " + number_text(dt_s_) + " s (bytes 3273-3280)");
    }
    if (samples_ == 0) fail("has no samples (bytes 3221-3222)");
    metres_per_unit_ = header.integer(3255, 2) == kFeet ? kFoot : 1.;
    find_traces(header, size);
    read_headers();
}

/// Where traces begin, their length and their number.
void TraceFileReader::find_traces(const HeaderView& header, std::uintmax_t size) {
    constexpr std::uintmax_t before = kTextualHeaderBytes + kBinaryHeaderBytes, most_headers = 1000;
    const std::int64_t texts = header.integer(3505, 2);
    std::uint64_t count = 0, additional = 0, after = 0;
    first_ = 0;
    if (revision_ >= 2) {
        additional = header.natural(3507, 4);
        count = header.natural(3513, 8);
        first_ = header.natural(3521, 8);
        after = static_cast<std::uint64_t>(std::max<std::int64_t>(header.integer(3529, 4), 0)) * kTextualHeaderBytes;
        if (additional > most_headers)
            fail("has " + std::to_string(additional) + " more headers of each trace (bytes 3507-3510)");
    }
    if (first_ == 0) {
        if (texts < 0)
            fail("says neither how many textual headers it has (bytes 3505-3506 are " + std::to_string(texts) +
                 ") nor where its traces begin");
        first_ = before + static_cast<std::uintmax_t>(texts) * kTextualHeaderBytes;
    }
    if (first_ < before || first_ >= size || after > size - first_) fail("has no traces behind its headers");
    header_bytes_ = kTraceHeaderBytes * (1 + additional);
    trace_bytes_ = header_bytes_ + static_cast<std::uintmax_t>(samples_) * sample_format_->bytes;
    const std::uintmax_t all = size - first_ - after;
    if (count == 0 && (all % trace_bytes_ != 0 || all == 0))
        fail("has " + std::to_string(all) + " bytes of traces, which are not a whole number of traces of " +
             std::to_string(samples_) + " samples (" + std::to_string(trace_bytes_) + " bytes)");
    if (count > all / trace_bytes_)
        fail("has " + std::to_string(count) + " traces (bytes 3513-3520), but bytes for " +
             std::to_string(all / trace_bytes_));
    traces_.resize(count > 0 ? count : all / trace_bytes_);
}

/// SU says nothing of itself but by the header of its first trace, in an order of bytes that only its size tells.
void TraceFileReader::open_su(std::uintmax_t size) {
    sample_format_ = find_format(5);
    std::array<char, kTraceHeaderBytes> header{};
    auto in = open_input_file(file_);
    if (size < header.size() || !in.read(header.data(), header.size())) fail("is not SU: shorter than a trace header");
    for (const bool little : {true, false}) {
        const auto samples = static_cast<std::int64_t>(HeaderView(header, little).natural(115, 2));
        const std::uintmax_t bytes = header.size() + static_cast<std::uintmax_t>(samples) * sizeof(float);
        if (samples == 0 || size % bytes != 0) continue;
        is_little_endian_ = little;
        format_ = little ? "SU, little endian" : "SU, big endian";
        samples_ = samples;
        trace_bytes_ = bytes;
        traces_.resize(size / bytes);
        return read_headers();
    }
    fail("is not SU: its " + std::to_string(size) +
         " bytes are not a whole number of traces of as many samples as its " +
         "first header has (ns, bytes 115-116), in either order of bytes");
}

void TraceFileReader::read_headers() {
    auto in = open_input_file(file_);
    for (std::size_t i = 0; i < traces_.size(); ++i) read_header(in, i);
    if (!(dt_s_ > 0.)) fail("does not tell its sample interval: bytes 3217-3218 and 117-118 are 0");
}

void TraceFileReader::read_header(std::ifstream& in, std::size_t trace) {
    std::array<char, 2 * kTraceHeaderBytes> bytes{};
    const std::uintmax_t there = std::min<std::uintmax_t>(bytes.size(), header_bytes_);
    in.seekg(static_cast<std::streamoff>(first_ + trace * trace_bytes_));
    if (!in.read(bytes.data(), static_cast<std::streamsize>(there)))
        fail_at(trace, " cannot be read: " + why_unread(in));
    const HeaderView header{std::span(bytes).first(kTraceHeaderBytes), is_little_endian_};
    const auto field = [&](std::int64_t TraceBytes::*byte, std::int64_t width) {
        return bytes_.*byte == 0 ? std::int64_t{0} : header.integer(bytes_.*byte, width);
    };
    if (const std::int64_t units = header.integer(89, 2); units > kLengths)
        fail_at(trace, " has coordinates in units " + std::to_string(units) +
                           " (bytes 89-90), which are angles; Onda reads lengths");
    check_sampling(trace, static_cast<std::int64_t>(header.natural(115, 2)),
                   static_cast<double>(header.natural(117, 2)) * kMicrosecond);
    const double depth = metres_per_unit_ * factor_of(field(&TraceBytes::elevation_scaler, 2)),
                 place = metres_per_unit_ * factor_of(field(&TraceBytes::coordinate_scaler, 2)),
                 time = kMillisecond * (revision_ >= 1 ? factor_of(header.integer(215, 2)) : 1.);
    const auto metres = [&](double unit, std::int64_t TraceBytes::*byte) {
        return unit * static_cast<double>(field(byte, 4));
    };
    SourceHeight height{metres(depth, &TraceBytes::source_depth), metres(depth, &TraceBytes::source_elevation)};
    traces_[trace] = {{metres(place, &TraceBytes::source_x), metres(place, &TraceBytes::source_y), 0.},
                      {metres(place, &TraceBytes::receiver_x), metres(place, &TraceBytes::receiver_y),
                       -metres(depth, &TraceBytes::receiver_elevation)},
                      field(&TraceBytes::record, 4),
                      time * static_cast<double>(field(&TraceBytes::delay_ms, 2)),
                      header.integer(29, 2) == kDead};
    const bool has_extension = there == bytes.size() && is_extension_name({bytes.data() + bytes.size() - 8, 8});
    if (has_extension)
        read_extension(HeaderView(std::span(bytes).last(kTraceHeaderBytes), is_little_endian_), trace, height);
    else
        resolution_m_ = std::max({resolution_m_, depth, place});
    traces_[trace].source_m[2] = height.depth_m - height.surface_m;
}

/// What the extension has, unless the user says where else it lies. Zero is what it does not have.
void TraceFileReader::read_extension(const HeaderView& extension, std::size_t trace, SourceHeight& height) {
    constexpr TraceBytes standard;
    RecordedTrace& read = traces_[trace];
    const auto real = [&](std::int64_t byte, std::int64_t TraceBytes::*of) -> std::optional<double> {
        const double value = metres_per_unit_ * extension.real(byte);
        if (!(std::abs(value) <= 1e12))
            fail_at(trace, " has " + number_text(value) + " m in bytes " + std::to_string(byte) + "-" +
                               std::to_string(byte + 7) + " of its extension, which is not a place");
        return value == 0. || bytes_.*of != standard.*of ? std::nullopt : std::optional(value);
    };
    const auto replace = [&](double& place, std::int64_t byte, std::int64_t TraceBytes::*of) {
        if (const auto value = real(byte, of)) place = *value;
    };
    replace(read.source_m[0], 97, &TraceBytes::source_x);
    replace(read.source_m[1], 105, &TraceBytes::source_y);
    replace(read.receiver_m[0], 113, &TraceBytes::receiver_x);
    replace(read.receiver_m[1], 121, &TraceBytes::receiver_y);
    if (const auto elevation = real(33, &TraceBytes::receiver_elevation)) read.receiver_m[2] = -*elevation;
    replace(height.depth_m, 57, &TraceBytes::source_depth);
    replace(height.surface_m, 49, &TraceBytes::source_elevation);
    if (const std::int64_t record = extension.integer(17, 8); record != 0 && bytes_.record == standard.record)
        read.record = record;
    check_sampling(trace, static_cast<std::int64_t>(extension.natural(137, 4)), extension.real(145) * kMicrosecond);
    const auto blocks = extension.natural(157, 2);
    if (blocks != 0 && kTraceHeaderBytes * (1 + blocks) != header_bytes_)
        fail_at(trace, " has " + std::to_string(blocks) + " more headers (bytes 157-158 of its extension), the file " +
                           std::to_string(header_bytes_ / kTraceHeaderBytes - 1) + " of each");
}

/// Whether a trace is sampled as the file is; zeros say nothing. 16 bits hold microseconds alone, and few samples.
void TraceFileReader::check_sampling(std::size_t trace, std::int64_t samples, double dt_s) {
    const bool is_told = samples != 0 && !(samples <= 0xffff && samples_ > 0xffff);
    if (is_told && samples != samples_)
        fail_at(trace, " has " + std::to_string(samples) + " samples (bytes 115-116), the file " +
                           std::to_string(samples_) + " of each");
    if (dt_s == 0.) return;
    if (dt_s_ == 0.) dt_s_ = dt_s;
    const double rounding = revision_ >= 2 ? 1. * kMicrosecond : 0.;
    if (!(std::abs(dt_s - dt_s_) <= rounding))
        fail_at(trace, " has a sample every " + number_text(dt_s) + " s (bytes 117-118), others every " +
                           number_text(dt_s_) + " s");
}

void TraceFileReader::read(std::size_t trace, std::span<float> samples) const {
    auto in = open_input_file(file_);
    in.seekg(static_cast<std::streamoff>(first_ + trace * trace_bytes_ + header_bytes_));
    std::vector<char> bytes(samples.size() * sample_format_->bytes);
    if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
        throw Error(ExitCode::io_error,
                    shown(file_) + ": trace " + std::to_string(trace + 1) + " cannot be read: " + why_unread(in));
    decode(*sample_format_, is_little_endian_, bytes, samples);
}

}  // namespace onda
