// Traces of SEG-Y and SU, in either order of bytes and several sample formats, come with their places and samples; what
// headers contradict, and files that were damaged, are refused.
// Takes less than a second.
#include "io/results/trace_reader.hpp"

#include <bit>
#include <cmath>
#include <doctest/doctest.h>
#include <fstream>
#include <functional>
#include <random>

#include "io/results/segy_headers.hpp"
#include "io/results/trace_file.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

constexpr std::int64_t kSamples = 21, kReceivers = 3;
constexpr std::size_t kHeads = kTextualHeaderBytes + kBinaryHeaderBytes;

ShotGather gather_of(std::int64_t shot) {
    ShotGather gather{shot, {{1000.125 * double(shot), -20.5, 3.004}}, {}, 0.002, kSamples, {}};
    for (std::int64_t r = 0; r < kReceivers; ++r) gather.receivers_m.push_back({990. + 12.5 * double(r), -20.5, 0.25});
    for (std::int64_t i = 0; i < kReceivers * kSamples; ++i)
        gather.pressure.push_back(float(std::round(100. * std::sin(double(i + shot)))));
    return gather;
}

std::filesystem::path written(const TemporaryFolder& folder, TraceFormat format, const std::string& name) {
    const auto file = folder.path() / name;
    TraceFileWriter writer(file, {format, "Onda", "", 3, 0.002, kSamples, kReceivers, coordinate_parts(3000.)}, true);
    for (const std::int64_t shot : {1, 2}) writer.write(gather_of(shot));
    writer.finish().commit();
    return file;
}

using Bytes = std::vector<char>;

void put(const std::filesystem::path& file, const Bytes& bytes) {
    std::ofstream(file, std::ios::binary).write(bytes.data(), std::ssize(bytes));
}

/// A copy of a SEG-Y file with changed headers. \param change takes the binary header and those of all traces.
std::filesystem::path changed(const std::filesystem::path& file, std::size_t sample_bytes,
                              const std::function<void(char*, const std::vector<char*>&)>& change) {
    Bytes bytes = bytes_of(file);
    std::vector<char*> headers;
    for (std::size_t at = kHeads; at < bytes.size(); at += kTraceHeaderBytes + kSamples * sample_bytes)
        headers.push_back(bytes.data() + at);
    change(bytes.data() + kTextualHeaderBytes, headers);
    const auto copy = file.parent_path() / "changed.sgy";
    put(copy, bytes);
    return copy;
}

std::string refusal(const std::filesystem::path& file) {
    const Error error = fault_of([&] { static_cast<void>(TraceFileReader(file)); });
    CHECK(error.code() == ExitCode::bad_data);
    return error.what();
}

void check_traces(const TraceFileReader& reader) {
    REQUIRE(reader.traces().size() == 2 * kReceivers);
    CHECK(reader.dt_s() == 0.002);
    REQUIRE(reader.samples() == kSamples);
    CHECK(reader.resolution_m() == doctest::Approx(1e-4));
    for (std::size_t i = 0; i < reader.traces().size(); ++i) {
        const ShotGather gather = gather_of(i < kReceivers ? 1 : 2);
        const std::size_t receiver = i % kReceivers;
        const RecordedTrace& trace = reader.traces()[i];
        CHECK(trace.record == gather.shot);
        CHECK(!trace.is_dead);
        CHECK(trace.start_s == 0.);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            CHECK(trace.source_m[axis] == doctest::Approx(gather.sources_m[0][axis]).epsilon(1e-12));
            CHECK(trace.receiver_m[axis] == doctest::Approx(gather.receivers_m[receiver][axis]).epsilon(1e-12));
        }
        std::vector<float> samples(kSamples);
        reader.read(i, samples);
        const auto wanted = gather.pressure.begin() + std::ptrdiff_t(receiver) * kSamples;
        CHECK(std::equal(samples.begin(), samples.end(), wanted));
    }
}

}  // namespace

TEST_CASE("traces that were written come back, in every format and order of bytes") {
    const TemporaryFolder folder;
    check_traces(TraceFileReader(written(folder, TraceFormat::segy_ieee, "ieee.sgy")));
    check_traces(TraceFileReader(written(folder, TraceFormat::segy_ibm, "ibm.SEGY")));
    const auto su = written(folder, TraceFormat::su, "little.su");
    check_traces(TraceFileReader(su));
    Bytes bytes = bytes_of(su);
    for (auto trace = bytes.begin(); trace != bytes.end(); trace += kTraceHeaderBytes + 4 * kSamples) {
        std::array<char, kTraceHeaderBytes> header{};
        std::copy_n(trace, header.size(), header.begin());
        reverse_numbers(header);
        std::copy(header.begin(), header.end(), trace);
        for (auto sample = trace + kTraceHeaderBytes; sample != trace + kTraceHeaderBytes + 4 * kSamples; sample += 4)
            std::reverse(sample, sample + 4);
    }
    put(folder.path() / "big.su", bytes);
    const TraceFileReader big(folder.path() / "big.su");
    CHECK(big.format() == "SU, big endian");
    check_traces(big);
}

TEST_CASE("samples may be integers") {
    const TemporaryFolder folder;
    const Bytes floats = bytes_of(written(folder, TraceFormat::segy_ieee, "ieee.sgy"));
    for (const std::pair<int, unsigned>& kind : {std::pair{2, 4U}, {3, 2U}, {8, 1U}}) {
        const int format = kind.first;
        const std::size_t size = kind.second;
        Bytes bytes(floats.begin(), floats.begin() + kHeads);
        bytes[kTextualHeaderBytes + 25] = static_cast<char>(format);  // byte 3226
        for (const std::int64_t shot : {1, 2})
            for (std::size_t r = 0; r < kReceivers; ++r) {
                const std::size_t trace = std::size_t(shot - 1) * kReceivers + r;
                const auto header = floats.begin() + std::ptrdiff_t(kHeads + trace * (240 + 4 * kSamples));
                bytes.insert(bytes.end(), header, header + 240);
                for (std::size_t n = 0; n < kSamples; ++n) {
                    const auto value = static_cast<std::int32_t>(gather_of(shot).pressure[r * kSamples + n]);
                    for (std::size_t byte = size; byte-- > 0;) bytes.push_back(static_cast<char>(value >> 8 * byte));
                }
            }
        const auto file = folder.path() / "integers.segy";
        put(file, bytes);
        CAPTURE(format);
        check_traces(TraceFileReader(file));
    }
}

TEST_CASE("scalers, feet, delays, dead traces and elevations are those of the headers") {
    const TemporaryFolder folder;
    const auto file = written(folder, TraceFormat::segy_ieee, "ieee.sgy");
    const TraceFileReader reader(changed(file, 4, [](char* binary, const std::vector<char*>& headers) {
        set_number(binary, BinaryNumber::measurement_system, 2);
        char* const first = headers.front();
        for (const auto& [field, value] : {std::pair{TraceNumber::coordinate_scaler, 10},
                                           {TraceNumber::source_x, 200},
                                           {TraceNumber::elevation_scaler, -100},
                                           {TraceNumber::source_surface_elevation, 12'000},
                                           {TraceNumber::source_depth, 500},
                                           {TraceNumber::delay, -40}})
            set_number(first, field, value);
        set_number(headers[1], TraceNumber::identification, 2);
        set_number(headers[2], TraceNumber::samples, 0);
        set_number(headers[2], TraceNumber::interval, 0);
    }));
    CHECK(reader.traces()[0].source_m[0] == doctest::Approx(2000 * 0.3048));
    CHECK(reader.traces()[0].source_m[2] == doctest::Approx(-115 * 0.3048));
    CHECK(reader.traces()[0].start_s == -0.04);
    CHECK(reader.resolution_m() == doctest::Approx(3.048));
    CHECK(reader.traces()[1].is_dead);
    CHECK(reader.dt_s() == 0.002);
}

namespace {

/// Numbers of a file that is made byte by byte, in either order of bytes.
struct MadeFile {
    Bytes bytes;
    bool little = false;

    /// \param at the first byte, from 1, as the standard counts; of a trace from its beginning `base`.
    void set(std::size_t base, std::size_t at, std::size_t width, std::uint64_t value) {
        for (std::size_t i = 0; i < width; ++i)
            bytes[base + at - 1 + i] = static_cast<char>(value >> (8 * (little ? i : width - 1 - i)));
    }
    void set_real(std::size_t base, std::size_t at, double value) {
        set(base, at, 8, std::bit_cast<std::uint64_t>(value));
    }
};

constexpr std::size_t kTracesMade = 3, kSamplesMade = 5, kTextsMade = 2;

/// SEG-Y rev 2: extended textual headers, a trailer, an interval that no 16 bits hold, two more headers of each trace.
/// Sample n of trace i is 100 i + n - 2.
MadeFile rev2_file(bool little, int format, std::size_t width, double shift = 0.) {
    constexpr std::size_t first = 3600 + 3200 * kTextsMade;
    const std::size_t trace_bytes = 3 * 240 + kSamplesMade * width;
    MadeFile made{Bytes(first + kTracesMade * trace_bytes + 3200, '\0'), little};
    made.set(0, 3297, 4, 0x01020304);
    made.set(0, 3225, 2, static_cast<std::uint64_t>(format));
    made.set(0, 3221, 2, 9);  // overridden
    made.set(0, 3269, 4, kSamplesMade);
    made.set(0, 3217, 2, 1000);
    made.set_real(0, 3273, 1234.5);
    made.set(0, 3501, 1, 2);
    made.set(0, 3505, 2, kTextsMade);
    made.set(0, 3507, 4, 2);
    made.set(0, 3513, 8, kTracesMade);
    made.set(0, 3529, 4, 1);
    for (std::size_t i = 0; i < kTracesMade; ++i) {
        const std::size_t base = first + i * trace_bytes, extension = base + 240;
        made.set(base, 9, 4, 7);
        made.set(base, 49, 4, 30);  // depth and elevation of the source: the latter is overridden
        made.set(base, 45, 4, 20);
        made.set(base, 73, 4, 1000 + i);
        made.set(base, 71, 2, static_cast<std::uint16_t>(-10));
        made.set(base, 109, 2, static_cast<std::uint16_t>(-25));
        made.set(base, 215, 2, static_cast<std::uint16_t>(-10));  // of times: -2.5 ms
        made.set(base, 201, 4, 77);
        made.set_real(extension, 49, 5.25);
        made.set_real(extension, 97, 430123.0625 + shift);
        made.set_real(extension, 113, 430200.5 + double(i));
        made.set_real(extension, 121, 6700000.125);
        made.set_real(extension, 33, -12.5);
        made.set(extension, 17, 8, 5'000'000'000);
        made.set_real(extension, 145, 1234.5);
        made.set(extension, 137, 4, kSamplesMade);
        made.set(extension, 157, 2, 2);
        for (std::size_t c = 0; c < 8; ++c) made.bytes[extension + 232 + c] = "SEG00001"[c];
        for (std::size_t n = 0; n < kSamplesMade; ++n) {
            const double value = 100. * double(i) + double(n) - 2.;
            const std::size_t at = 3 * 240 + 1 + n * width;
            if (format == 6)
                made.set_real(base, at, value);
            else if (format == 5)
                made.set(base, at, 4, std::bit_cast<std::uint32_t>(float(value)));
            else
                made.set(base, at, width, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
        }
    }
    return made;
}

}  // namespace

TEST_CASE("rev 2 has its traces where it says, with positions and intervals that older headers do not hold") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "two.sgy";
    for (const bool little : {false, true})
        for (const std::pair<int, std::size_t>& kind :
             {std::pair{6, std::size_t{8}}, {5, 4}, {2, 4}, {7, 3}, {9, 8}, {3, 2}}) {
            CAPTURE(little);
            CAPTURE(kind.first);
            put(file, rev2_file(little, kind.first, kind.second).bytes);
            const TraceFileReader reader(file);
            CHECK(reader.format().starts_with(little ? "SEG-Y rev 2, little endian, format " : "SEG-Y rev 2, format "));
            CHECK(reader.dt_s() == doctest::Approx(0.0012345).epsilon(1e-15));
            REQUIRE(reader.samples() == kSamplesMade);
            REQUIRE(reader.traces().size() == kTracesMade);
            for (std::size_t i = 0; i < kTracesMade; ++i) {
                const RecordedTrace& trace = reader.traces()[i];
                CHECK(trace.source_m[0] == 430123.0625);
                CHECK(trace.source_m[1] == 0.);
                CHECK(trace.source_m[2] == 30. - 5.25);
                CHECK(trace.receiver_m == std::array{430200.5 + double(i), 6700000.125, 12.5});
                CHECK(trace.record == 5'000'000'000);
                CHECK(trace.start_s == doctest::Approx(-0.0025).epsilon(1e-15));
                std::vector<float> samples(kSamplesMade);
                reader.read(i, samples);
                for (std::size_t n = 0; n < kSamplesMade; ++n) CHECK(samples[n] == 100.f * float(i) + float(n) - 2.f);
            }
        }
}

TEST_CASE("fields may lie elsewhere, or nowhere; they come before the extension of rev 2") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "two.sgy";
    MadeFile made = rev2_file(false, 5, 4);
    for (std::size_t c = 0; c < 8; ++c)  // the name of the first extension, in EBCDIC
        made.bytes[10'000 + 240 + 232 + c] = "\xe2\xc5\xc7\xf0\xf0\xf0\xf0\xf1"[c];
    put(file, made.bytes);
    CHECK(TraceFileReader(file).traces()[0].source_m[0] == 430123.0625);
    TraceBytes bytes;
    bytes.source_x = 201;
    bytes.coordinate_scaler = 0;
    bytes.source_depth = 0;
    bytes.record = 9;
    const TraceFileReader reader(file, bytes);
    CHECK(reader.traces()[1].source_m[0] == 77.);
    CHECK(reader.traces()[1].source_m[2] == -5.25);
    CHECK(reader.traces()[1].receiver_m[0] == 430201.5);
    // Rev 1 has neither the extension nor a scaler of times.
    const auto old = written(folder, TraceFormat::segy_ieee, "ieee.sgy");
    const TraceFileReader swapped(old, TraceBytes{.source_x = 81, .receiver_x = 73});
    CHECK(swapped.traces()[0].source_m[0] == doctest::Approx(990.));
    CHECK(swapped.traces()[0].receiver_m[0] == doctest::Approx(1000.125));
}

TEST_CASE("what rev 2 says wrongly is refused with its bytes") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "two.sgy";
    const auto refused = [&](const std::function<void(MadeFile&)>& change, const std::string& words) {
        MadeFile made = rev2_file(true, 5, 4);
        change(made);
        put(file, made.bytes);
        const std::string message = refusal(file);
        CAPTURE(message);
        CHECK(message.find(words) != std::string::npos);
    };
    refused([](MadeFile& made) { made.set(0, 3513, 8, ~0ULL); }, "traces (bytes 3513-3520), but bytes for ");
    refused([](MadeFile& made) { made.set(0, 3521, 8, ~0ULL); }, "has no traces behind its headers");
    refused([](MadeFile& made) { made.set(0, 3507, 4, 1U << 31); }, "more headers of each trace (bytes 3507-3510)");
    refused([](MadeFile& made) { made.set(0, 3505, 2, 0xffff); }, "nor where its traces begin");
    refused([](MadeFile& made) { made.set(0, 3269, 4, 0xffffffff); }, "but bytes for 0");
    refused([](MadeFile& made) { made.set_real(0, 3273, std::nan("")); }, "has a sample every nan s (bytes 3273-3280)");
    refused([](MadeFile& made) { made.set_real(10'000 + 240, 97, 1e300); }, "trace 1 has 1.0e+300 m in bytes 97-104");
    refused([](MadeFile& made) { made.set(10'000 + 240, 157, 2, 3); }, "trace 1 has 3 more headers");
    refused([](MadeFile& made) { made.set_real(10'000 + 240, 145, 99.); }, "trace 1 has a sample every 0.000099 s");
    refused([](MadeFile& made) { made.little = false, made.set(0, 3297, 4, 0x02010403); }, "exchanged in pairs");
}

TEST_CASE("headers that contradict each other, and what is no SEG-Y, are refused with trace and bytes") {
    const TemporaryFolder folder;
    const auto file = written(folder, TraceFormat::segy_ieee, "ieee.sgy");
    const auto refused = [&](TraceNumber field, int value, const std::string& words) {
        const std::string message = refusal(
            changed(file, 4, [&](char*, const std::vector<char*>& headers) { set_number(headers[4], field, value); }));
        CAPTURE(message);
        CHECK(message.find(words) != std::string::npos);
    };
    refused(TraceNumber::samples, 20, "trace 5 has 20 samples (bytes 115-116), the file 21 of each");
    refused(TraceNumber::interval, 4000, "trace 5 has a sample every 0.004 s (bytes 117-118), others every 0.002 s");
    refused(TraceNumber::coordinate_units, 2, "trace 5 has coordinates in units 2 (bytes 89-90), which are angles");
    const auto of_file = [&](BinaryNumber field, int value) {
        return refusal(
            changed(file, 4, [&](char* binary, const std::vector<char*>&) { set_number(binary, field, value); }));
    };
    CHECK(of_file(BinaryNumber::format, 4).find("samples of format 4 (bytes 3225-3226)") != std::string::npos);
    CHECK(of_file(BinaryNumber::samples, 0).find("has no samples") != std::string::npos);
    CHECK(of_file(BinaryNumber::samples, 22).find("not a whole number of traces of 22 samples") != std::string::npos);
    put(folder.path() / "short.su", Bytes(100));
    CHECK(refusal(folder.path() / "short.su").find("shorter than a trace header") != std::string::npos);
    put(folder.path() / "odd.su", Bytes(1001, '\1'));
    CHECK(refusal(folder.path() / "odd.su").find("not a whole number of traces") != std::string::npos);
}

TEST_CASE("whatever bytes a file has, it is read or refused") {
    const TemporaryFolder folder;
    std::mt19937 draw(1);
    int refusals = 0, readings = 0;
    const std::vector<std::pair<std::string, Bytes>> files{
        {"m.sgy", bytes_of(written(folder, TraceFormat::segy_ibm, "m.sgy"))},
        {"m.su", bytes_of(written(folder, TraceFormat::su, "m.su"))},
        {"m.sgy", rev2_file(false, 6, 8).bytes},
        {"m.sgy", rev2_file(true, 7, 3).bytes}};
    for (const auto& [name, whole] : files) {
        for (int i = 0; i < 300; ++i) {
            Bytes bytes = whole;
            for (int change = 0; change < 4; ++change)
                bytes[i % 2 == 0 ? draw() % bytes.size() : (draw() % 800 + 3200) % bytes.size()] =
                    static_cast<char>(draw());
            if (i % 5 == 0) bytes.resize(draw() % bytes.size());
            put(folder.path() / name, bytes);
            try {
                const TraceFileReader reader(folder.path() / name);
                std::vector<float> samples(static_cast<std::size_t>(reader.samples()));
                for (std::size_t trace = 0; trace < reader.traces().size(); ++trace) reader.read(trace, samples);
                ++readings;
            } catch (const Error& error) {
                CHECK((error.code() == ExitCode::bad_data || error.code() == ExitCode::io_error));
                ++refusals;
            }
        }
    }
    CHECK(refusals > 50);
    CHECK(readings > 50);
}
