// Traces of SEG-Y and SU, in either order of bytes and several sample formats, come with their places and samples; what
// headers contradict, and files that were damaged, are refused.
// Takes less than a second.
#include "io/results/trace_reader.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <fstream>
#include <functional>
#include <random>
#include <segyio/segy.h>

#include "io/results/trace_file.hpp"
#include "io/results/trace_words.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

constexpr std::int64_t kSamples = 21, kReceivers = 3;
constexpr std::size_t kHeads = SEGY_TEXT_HEADER_SIZE + SEGY_BINARY_HEADER_SIZE;

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
    for (std::size_t at = kHeads; at < bytes.size(); at += SEGY_TRACE_HEADER_SIZE + kSamples * sample_bytes)
        headers.push_back(bytes.data() + at);
    change(bytes.data() + SEGY_TEXT_HEADER_SIZE, headers);
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
    for (auto trace = bytes.begin(); trace != bytes.end(); trace += SEGY_TRACE_HEADER_SIZE + 4 * kSamples) {
        std::array<char, SEGY_TRACE_HEADER_SIZE> header{};
        std::copy_n(trace, header.size(), header.begin());
        reverse_words(header);
        std::copy(header.begin(), header.end(), trace);
        for (auto sample = trace + SEGY_TRACE_HEADER_SIZE; sample != trace + SEGY_TRACE_HEADER_SIZE + 4 * kSamples;
             sample += 4)
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
        bytes[SEGY_TEXT_HEADER_SIZE + 25] = static_cast<char>(format);  // byte 3226
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
        segy_set_bfield(binary, SEGY_BIN_MEASUREMENT_SYSTEM, 2);
        char* const first = headers.front();
        for (const auto& [field, value] : {std::pair{int(SEGY_TR_SOURCE_GROUP_SCALAR), 10},
                                           {SEGY_TR_SOURCE_X, 200},
                                           {SEGY_TR_ELEV_SCALAR, -100},
                                           {SEGY_TR_SOURCE_SURF_ELEV, 12'000},
                                           {SEGY_TR_SOURCE_DEPTH, 500},
                                           {SEGY_TR_DELAY_REC_TIME, -40}})
            segy_set_field(first, field, value);
        segy_set_field(headers[1], SEGY_TR_TRACE_ID, 2);
        segy_set_field(headers[2], SEGY_TR_SAMPLE_COUNT, 0);
        segy_set_field(headers[2], SEGY_TR_SAMPLE_INTER, 0);
    }));
    CHECK(reader.traces()[0].source_m[0] == doctest::Approx(2000 * 0.3048));
    CHECK(reader.traces()[0].source_m[2] == doctest::Approx(-115 * 0.3048));
    CHECK(reader.traces()[0].start_s == -0.04);
    CHECK(reader.resolution_m() == doctest::Approx(3.048));
    CHECK(reader.traces()[1].is_dead);
    CHECK(reader.dt_s() == 0.002);
}

TEST_CASE("headers that contradict each other, and what is no SEG-Y, are refused with trace and bytes") {
    const TemporaryFolder folder;
    const auto file = written(folder, TraceFormat::segy_ieee, "ieee.sgy");
    const auto refused = [&](int field, int value, const std::string& words) {
        const std::string message = refusal(changed(
            file, 4, [&](char*, const std::vector<char*>& headers) { segy_set_field(headers[4], field, value); }));
        CAPTURE(message);
        CHECK(message.find(words) != std::string::npos);
    };
    refused(SEGY_TR_SAMPLE_COUNT, 20, "trace 5 has 20 samples (bytes 115-116), the file 21 of each");
    refused(SEGY_TR_SAMPLE_INTER, 4000, "trace 5 has a sample every 0.004 s (bytes 117-118), others every 0.002 s");
    refused(SEGY_TR_COORD_UNITS, 2, "trace 5 has coordinates in units 2 (bytes 89-90), which are angles");
    const auto of_file = [&](int field, int value) {
        return refusal(
            changed(file, 4, [&](char* binary, const std::vector<char*>&) { segy_set_bfield(binary, field, value); }));
    };
    CHECK(of_file(SEGY_BIN_FORMAT, 4).find("samples of format 4 (bytes 3225-3226)") != std::string::npos);
    CHECK(of_file(SEGY_BIN_SAMPLES, 0).find("has no samples") != std::string::npos);
    CHECK(of_file(SEGY_BIN_SAMPLES, 22).find("no whole number of traces of 22 samples") != std::string::npos);
    put(folder.path() / "short.su", Bytes(100));
    CHECK(refusal(folder.path() / "short.su").find("shorter than a trace header") != std::string::npos);
    put(folder.path() / "odd.su", Bytes(1001, '\1'));
    CHECK(refusal(folder.path() / "odd.su").find("no whole number of traces") != std::string::npos);
}

TEST_CASE("whatever bytes a file has, it is read or refused") {
    const TemporaryFolder folder;
    std::mt19937 draw(1);
    int refusals = 0, readings = 0;
    for (const TraceFormat format : {TraceFormat::segy_ibm, TraceFormat::su}) {
        const auto name = format == TraceFormat::su ? "m.su" : "m.sgy";
        const Bytes whole = bytes_of(written(folder, format, name));
        for (int i = 0; i < 300; ++i) {
            Bytes bytes = whole;
            for (int change = 0; change < 4; ++change)
                bytes[draw() % bytes.size() % (i % 2 == 0 ? bytes.size() : 4000)] = static_cast<char>(draw());
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
