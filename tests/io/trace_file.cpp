// SEG-Y and SU hold every sample as it was, in IEEE floats bit for bit, and headers as SEG-Y rev 1 says; a file is
// complete or absent. Read back byte by byte; what Python's segyio makes of the files of a run is tested by
// segyio_reads.cpp.
// Takes less than a second.
#include "io/results/trace_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <fstream>
#include <limits>

#include "io/files/segy_format.hpp"
#include "tests/io/file_size_limit.hpp"
#include "tests/io/files_support.hpp"
#include "tests/io/result_file_checks.hpp"

using namespace onda;

namespace {

/// Places that need millimetres, samples of every size, denormal ones apart.
ShotGather gather_of(std::int64_t shot, std::int64_t receivers, std::int64_t samples) {
    ShotGather gather{shot, {{1000.125, -20.5, 3.004}}, {}, 0.002, samples, {}};
    for (std::int64_t r = 0; r < receivers; ++r) gather.receivers_m.push_back({990. + 12.5 * double(r), -20.5, 0.25});
    for (std::int64_t i = 0; i < receivers * samples; ++i)
        gather.pressure.push_back(float(std::sin(double(i)) * std::pow(10., double(i % 61 - 30))));
    gather.pressure.at(1) = 0.f;
    gather.pressure.at(2) = -std::numeric_limits<float>::max();
    gather.source_wavelet = {0};
    gather.source_amplitude = {-2.5e3};
    return gather;
}

TraceFileContents contents_of(TraceFormat format, const ShotGather& gather) {
    return {format,      "Onda 0.1.0",   "a title with \xC3\x98",        3,
            gather.dt_s, gather.samples, std::ssize(gather.receivers_m), coordinate_parts(2000.)};
}

void write_gathers(const std::filesystem::path& file, TraceFormat format, std::span<const ShotGather> gathers,
                   bool overwrite = false) {
    TraceFileWriter writer(file, contents_of(format, gathers.front()), overwrite);
    for (const ShotGather& gather : gathers) writer.write(gather);
    writer.finish().commit();
}

/// A file as the standard has it: its headers, and traces of one length.
struct Traces {
    std::string text;
    std::string binary;
    std::vector<std::string> headers;
    std::vector<std::vector<float>> samples;
    bool is_little_endian = false;

    Traces(const std::filesystem::path& path, TraceFormat format, std::size_t count)
        : is_little_endian(format == TraceFormat::su) {
        const std::string all = text_of(path);
        std::size_t at = 0;
        if (format != TraceFormat::su) {
            for (const char c : all.substr(0, 3200)) text += ascii(c);
            binary = all.substr(3200, 400);
            at = 3600;
            CHECK(binary_field(3221) == int(count));
        }
        const bool are_ibm = format != TraceFormat::su && binary_field(3225) == 1;
        REQUIRE((all.size() - at) % (240 + 4 * count) == 0);
        for (; at < all.size(); at += 240 + 4 * count) {
            headers.push_back(all.substr(at, 240));
            auto& trace = samples.emplace_back();
            for (std::size_t i = 0; i < count; ++i) {
                const std::uint32_t word = natural(all, at + 240 + 4 * i, 4);
                trace.push_back(are_ibm ? of_ibm(word) : std::bit_cast<float>(word));
            }
        }
    }
    [[nodiscard]] int field(std::size_t trace, std::size_t byte) const {
        constexpr std::size_t of_two_bytes[][2] = {{29, 35}, {69, 71}, {89, 179}, {201, 203}, {209, 217}, {229, 231}};
        const bool is_short = std::ranges::any_of(
            of_two_bytes, [byte](const auto& range) { return byte >= range[0] && byte <= range[1]; });
        return integer(headers.at(trace), byte - 1, is_short ? 2 : 4);
    }
    [[nodiscard]] int binary_field(std::size_t byte) const { return integer(binary, byte - 3201, byte < 3213 ? 4 : 2); }

private:
    [[nodiscard]] std::uint32_t natural(const std::string& bytes, std::size_t first, std::size_t count) const {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < count; ++i)
            value = value << 8 | static_cast<unsigned char>(bytes.at(first + (is_little_endian ? count - 1 - i : i)));
        return value;
    }
    [[nodiscard]] int integer(const std::string& bytes, std::size_t first, std::size_t count) const {
        const std::uint32_t value = natural(bytes, first, count);
        return count == 2 ? std::int16_t(value) : std::int32_t(value);
    }
    static char ascii(char ebcdic) {
        for (char c = ' '; c <= '~'; ++c)
            if (ebcdic_of({&c, 1})[0] == ebcdic) return c;
        return '\0';
    }
    /// IBM's floats: a sign, seven bits of a power of 16 from -64 on, a fraction of 24 bits.
    static float of_ibm(std::uint32_t word) {
        const double fraction = std::ldexp(double(word & 0xffffff), -24);
        return float((word >> 31 ? -1. : 1.) * fraction * std::pow(16., double(word >> 24 & 0x7f) - 64.));
    }
};

constexpr std::int64_t kLargest = 2147483647;

struct Field {
    std::size_t byte;
    int value;
};

}  // namespace

TEST_CASE("samples come back: bit for bit as IEEE floats, to 20 bits as IBM floats") {
    const TemporaryFolder folder;
    const std::vector<ShotGather> gathers{gather_of(1, 7, 501), gather_of(12, 3, 501)};
    for (const TraceFormat format : {TraceFormat::segy_ieee, TraceFormat::segy_ibm, TraceFormat::su}) {
        const auto file = folder.path() / std::to_string(int(format));
        write_gathers(file, format, gathers);
        CHECK(std::int64_t(std::filesystem::file_size(file)) == trace_file_bytes(format, 10, 501));
        const Traces traces(file, format, 501);
        REQUIRE(traces.samples.size() == 10);
        for (std::size_t i = 0; i < 10; ++i) {
            const ShotGather& gather = gathers[i < 7 ? 0 : 1];
            const float* wanted = gather.pressure.data() + (i < 7 ? i : i - 7) * 501;
            if (format != TraceFormat::segy_ibm) {
                CHECK(std::memcmp(traces.samples[i].data(), wanted, 501 * sizeof(float)) == 0);
                continue;
            }
            for (std::size_t n = 0; n < 501; ++n)
                REQUIRE(std::abs(double(traces.samples[i][n]) - double(wanted[n])) <=
                        std::ldexp(std::abs(double(wanted[n])), -20));
        }
    }
}

TEST_CASE("trace headers tell shot, receiver, places, offset and sampling as SEG-Y rev 1 has them") {
    const TemporaryFolder folder;
    std::vector<ShotGather> gathers{gather_of(1, 4, 11), gather_of(12, 3, 11)};
    gathers[1].carried = {{"name", false, {"1007", "B", "3.5"}}};
    for (const TraceFormat format : {TraceFormat::segy_ibm, TraceFormat::su}) {
        CAPTURE(int(format));
        const auto file = folder.path() / std::to_string(int(format));
        write_gathers(file, format, gathers);
        const Traces traces(file, format, 11);
        // The first receiver of shot 12.
        for (const Field& field :
             {Field{1, 5},   {5, 5},      {9, 12},      {13, 1},      {17, 12},       {29, 1},       {37, -10},
              {41, -2500},   {49, 30040}, {69, -10000}, {71, -10000}, {73, 10001250}, {77, -205000}, {81, 9900000},
              {85, -205000}, {89, 1},     {109, 0},     {115, 11},    {117, 2000},    {157, 0}}) {
            CAPTURE(field.byte);
            CHECK(traces.field(4, field.byte) == field.value);
        }
        CHECK(traces.field(6, 37) == 15);
        if (format == TraceFormat::su) continue;
        CHECK(traces.field(4, 233) == 1007);
        CHECK(traces.field(5, 233) == 0);
        CHECK(traces.field(6, 233) == 0);
        CHECK(traces.field(4, 203) == 1);
        CHECK(traces.field(4, 225) == -25);
        CHECK(traces.field(4, 229) == -3);
        CHECK(traces.field(4, 231) == 4);  // bar and bar m; 5 is the newton
    }
}

TEST_CASE("every word of an SU header is little endian, and says what that of SEG-Y says in big endian") {
    const TemporaryFolder folder;
    std::vector<ShotGather> gathers{gather_of(0x1234567, 4, 11), gather_of(0x2345678, 3, 11)};
    gathers[1].carried = {{"name", false, {"1007", "16909060", "3.5"}}};
    constexpr int samples = 11, receivers = 7;
    const auto bytes_of = [&](TraceFormat format, std::size_t head_bytes) {
        const auto file = folder.path() / std::to_string(int(format));
        write_gathers(file, format, gathers);
        const std::string all = text_of(file);
        REQUIRE(all.size() == head_bytes + receivers * (240 + samples * 4));
        return all.substr(head_bytes);
    };
    const std::string segy = bytes_of(TraceFormat::segy_ieee, 3600), su = bytes_of(TraceFormat::su, 0);
    const auto number = [](const std::string& bytes, std::size_t first, std::size_t count, bool big_endian) {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < count; ++i)
            value = value << 8 | static_cast<unsigned char>(bytes[first + (big_endian ? i : count - 1 - i)]);
        return value;
    };
    // The first and the last byte of numbers of one size: table 3 of SEG-Y rev 1.
    struct Words {
        std::size_t first, last, bytes;
    };
    int told = 0;
    for (std::size_t trace = 0; trace < receivers; ++trace) {
        const std::size_t begin = trace * (240 + samples * 4);
        for (const Words& words :
             {Words{1, 28, 4}, {29, 36, 2}, {37, 68, 4}, {69, 72, 2}, {73, 88, 4}, {89, 180, 2}, {233, 236, 4}})
            for (std::size_t byte = words.first; byte <= words.last; byte += words.bytes) {
                CAPTURE(trace);
                CAPTURE(byte);
                const std::uint32_t wanted = number(segy, begin + byte - 1, words.bytes, true);
                CHECK(number(su, begin + byte - 1, words.bytes, false) == wanted);
                told += wanted != 0 ? 1 : 0;
            }
        for (std::size_t byte = 181; byte <= 240; ++byte)
            if (byte < 233 || byte > 236) CHECK(su[begin + byte - 1] == 0);
    }
    CHECK(told > receivers * 15);
    CHECK(number(su, 4 * (240 + samples * 4) + 232, 4, false) == 1007);
    CHECK(number(su, 5 * (240 + samples * 4) + 232, 4, false) == 0x01020304);
}

TEST_CASE("midpoints have places and, where receivers are evenly spaced, numbers of their bins") {
    const TemporaryFolder folder;
    const FileGeometry plane{2, {201, 1, 101}, {12.5, 1., 10.}, {-100., 0., 0.}};
    const FileGeometry volume{3, {201, 101, 51}, {12.5, 20., 10.}, {-100., -200., 0.}};
    ShotGather first{1, {{300., 0., 10.}}, {}, 0.002, 2, std::vector<float>(8)};
    for (const double x : {200., 225., 250., 300.}) first.receivers_m.push_back({x, 0., 5.});
    ShotGather second = first;
    second.shot = 2;
    second.sources_m = {{350., 40., 10.}};
    const auto traces_of = [&](TraceFormat format, const FileGeometry& grid) {
        TraceFileContents contents = contents_of(format, first);
        contents.grid = grid;
        contents.dimensions = grid.dimensions;
        TraceFileWriter writer(folder.path() / "a", contents, true);
        for (const ShotGather& gather : {first, second}) writer.write(gather);
        writer.finish().commit();
        return Traces(folder.path() / "a", format, 2);
    };
    const auto numbers = [](const Traces& traces, int byte) {
        std::vector<int> list;
        for (std::size_t i = 0; i < traces.headers.size(); ++i) list.push_back(traces.field(i, byte));
        return list;
    };
    using List = std::vector<int>;
    {  // Bins of 12.5 m from x = -100 m; the first midpoint is at 250 m.
        const Traces line = traces_of(TraceFormat::segy_ieee, plane);
        CHECK(numbers(line, 21) == List{29, 30, 31, 33, 31, 32, 33, 35});
        CHECK(line.field(0, 181) == 2'500'000);
        CHECK(line.field(7, 181) == 3'250'000);
        CHECK(line.field(7, 185) == 200'000);
        CHECK(numbers(line, 189) == List(8));
        const Traces su = traces_of(TraceFormat::su, plane);
        CHECK(numbers(su, 21) == List{29, 30, 31, 33, 31, 32, 33, 35});
    }
    {  // Across a single line in a volume bins are as wide as along it.
        const Traces line = traces_of(TraceFormat::segy_ieee, volume);
        CHECK(numbers(line, 193) == List{29, 30, 31, 33, 31, 32, 33, 35});
        CHECK(numbers(line, 189) == List{17, 17, 17, 17, 19, 19, 19, 19});  // 12.5 m from -200 m; midpoints 0 and 20 m
        CHECK(line.field(0, 21) == 29 + 16 * 202);
    }
    for (std::size_t r = 2; r < 4; ++r) first.receivers_m[r][1] = second.receivers_m[r][1] = 80.;
    const Traces volumes = traces_of(TraceFormat::segy_ieee, volume);
    CHECK(numbers(volumes, 193) == List{29, 30, 31, 33, 31, 32, 33, 35});  // crossline: bins of 12.5 m along x
    CHECK(numbers(volumes, 189) == List{6, 6, 7, 7, 7, 7, 8, 8});          // inline: bins of 40 m along y from -200 m
    CHECK(volumes.field(0, 21) == 29 + 5 * 202);
    // Receivers at odd distances, and a grid that nobody knows.
    first.receivers_m[1][0] = 231.;
    CHECK(numbers(traces_of(TraceFormat::segy_ieee, plane), 21) == List(8));
    CHECK(numbers(traces_of(TraceFormat::segy_ieee, plane), 181)[1] == 2'655'000);
}

TEST_CASE("the textual header tells wavelet, time step and grid, as far as they are known") {
    const TemporaryFolder folder;
    ShotGather gather = gather_of(7, 2, 5);
    TraceFileContents contents = contents_of(TraceFormat::segy_ieee, gather);
    const auto text_of_file = [&] {
        TraceFileWriter writer(folder.path() / "a.segy", contents, true);
        writer.write(gather);
        writer.finish().commit();
        return Traces(folder.path() / "a.segy", TraceFormat::segy_ieee, 5).text;
    };
    gather.source_wavelet.clear();
    CHECK_FALSE(contains(text_of_file(), "Wavelet"));
    CHECK_FALSE(contains(text_of_file(), "Grid"));
    gather.source_wavelet = {1};
    gather.wavelets = {0.00113719, {"gaussian", "ricker"}, {0.2, 0.15}, {0., 12.5}, {}};
    contents.grid = FileGeometry{3, {201, 161, 111}, {12.5, 10., 7.25}, {-100., 0., 30.}};
    for (const char* words :
         {"Wavelet of shot 7: ricker ", "  peak frequency 12.5 Hz, centre t0 = 0.15 s ",
          "Time step of the finite differences: 0.00113719 s ", "Grid: 201 x 161 x 111 nodes along x, y, z ",
          "  spacing 12.5 x 10 x 7.25 m ", "  first node at -100, 0, 30 m ",
          "Polarity: an increase in pressure is a positive number (bytes 3257-3258: 2);"}) {
        CAPTURE(words);
        CHECK(contains(text_of_file(), words));
    }
    gather.source_wavelet = {0};
    gather.sources_m.push_back({0., 0., 0.});
    CHECK(contains(text_of_file(), "Wavelet of shot 7: gaussian, of its first source "));
    CHECK(contains(text_of_file(), "   centre t0 = 0.2 s "));
    contents.grid = FileGeometry{3, {201, 161, 111}, {12.5, 10., 7.25}, {498123.25, 5999000.125, 30.}};
    CHECK(contains(text_of_file(), "  first node at 498123.25, 5999000.125, 30 m "));
    contents.grid->origin_m = {500000., 1. / 3., 5999000.};
    CHECK(contains(text_of_file(), "  first node at 500000, 0.3333333333333333, 5999000 m "));
    contents.grid->origin_m = {-500000. / 3., -1e-7 / 3., -6000000. / 7.};
    CHECK(contains(text_of_file(), "  first node at -166666.666667, -3.33333333333e-08, -857142.857143 m "));
    contents.grid = FileGeometry{2, {301, 1, 201}, {10., 1., 5.}, {0., 0., 0.}};
    CHECK(contains(text_of_file(), "Grid: 301 x 201 nodes along x, z "));
    CHECK(contains(text_of_file(), "  first node at 0, 0 m "));
}

TEST_CASE("sources of 2-D runs are lines, with amplitudes in Pa") {
    const TemporaryFolder folder;
    const ShotGather gather = gather_of(1, 2, 5);
    TraceFileContents contents = contents_of(TraceFormat::segy_ieee, gather);
    contents.dimensions = 2;
    TraceFileWriter writer(folder.path() / "a.segy", contents, false);
    writer.write(gather);
    writer.finish().commit();
    const Traces traces(folder.path() / "a.segy", TraceFormat::segy_ieee, 5);
    CHECK(traces.field(0, 225) * std::pow(10., traces.field(0, 229)) == doctest::Approx(-2.5e3));
    CHECK(traces.field(0, 231) == 3);
    CHECK(contains(traces.text, " of shots with one source, in Pa (a line) "));
}

TEST_CASE("no line of the textual header is cut, whatever the numbers; a title is, where it must be") {
    const TemporaryFolder folder;
    for (const int dimensions : {2, 3})
        for (const TraceFormat format : {TraceFormat::segy_ieee, TraceFormat::segy_ibm})
            for (const std::int64_t parts : {1, 10'000}) {
                ShotGather gather = gather_of(1, 1, 32767);
                gather.dt_s = 0.032767;
                TraceFileContents contents = contents_of(format, gather);
                contents.dimensions = dimensions;
                contents.parts = parts;
                contents.title = std::string(200, 't');
                constexpr std::int64_t nodes = 100'000'000;
                constexpr double metres = -1.23456e-300, spacing_m = 1.23456e-10;
                contents.grid = FileGeometry{
                    dimensions, {nodes, nodes, nodes}, {spacing_m, spacing_m, spacing_m}, {metres, 1., 1.}};
                gather.shot = kLargest;
                gather.wavelets = {1.23456e-300, {std::string(100, 'w')}, {-1.23456e-300}, {1.23456e-300}, {}};
                const auto file = folder.path() / "a.segy";
                TraceFileWriter writer(file, contents, true);  // throws where a line is too long
                writer.write(gather);
                writer.finish().commit();
                const std::string text = Traces(file, format, 32767).text;
                CHECK(text.substr(80, 83) == "C02 Title: " + std::string(69, 't') + "C03");
                CHECK(contains(text, "elevations are minus"));
                CHECK(contains(text, "  the depth; of the first source of a shot and of the receiver, "));
            }
}

TEST_CASE("the headers of the file are those of SEG-Y rev 1") {
    const TemporaryFolder folder;
    const std::vector<ShotGather> gathers{gather_of(1, 4, 11)};
    write_gathers(folder.path() / "a.segy", TraceFormat::segy_ibm, gathers);
    const Traces traces(folder.path() / "a.segy", TraceFormat::segy_ibm, 11);
    for (const Field& field : {Field{3213, 4},
                               {3215, 0},
                               {3217, 2000},
                               {3221, 11},
                               {3225, 1},
                               {3227, 1},
                               {3229, 5},
                               {3255, 1},
                               {3257, 2},
                               {3501, 0x0100},
                               {3503, 1},
                               {3505, 0}}) {
        CAPTURE(field.byte);
        CHECK(traces.binary_field(field.byte) == field.value);
    }
    REQUIRE(traces.text.size() == 3200);
    CHECK(traces.text.substr(0, 14) == "C01 Onda 0.1.0");
    CHECK(contains(traces.text, "C02 Title: a title with ?? "));
    CHECK(contains(traces.text, "11 samples, one every 2000 us"));
    CHECK(contains(traces.text, "the scalers in bytes 69-70 and 71-72 are -10000 "));
    CHECK(traces.text.substr(38 * 80, 14) == "C39 SEG Y REV1");
    CHECK(traces.text.substr(39 * 80, 22) == "C40 END TEXTUAL HEADER");
    // On disk the text is EBCDIC: C is 0xC3, and a blank 0x40.
    std::ifstream raw(folder.path() / "a.segy", std::ios::binary);
    CHECK(raw.get() == 0xC3);
    raw.seekg(3199);
    CHECK(raw.get() == 0x40);
}

TEST_CASE("coordinates have as many decimals as 32 bits allow") {
    CHECK(coordinate_parts(0.) == 10'000);
    CHECK(coordinate_parts(214'748.) == 10'000);
    CHECK(coordinate_parts(214'749.) == 1'000);
    CHECK(coordinate_parts(9.1e6) == 100);
    CHECK(coordinate_parts(2e8) == 10);
    CHECK(coordinate_parts(2e9) == 1);
    CHECK(coordinate_parts(3e9) == 0);
}

TEST_CASE("what a header cannot hold is refused") {
    const TemporaryFolder folder;
    const auto refusal = [&](const ShotGather& gather) {
        TraceFileWriter writer(folder.path() / "a.su", contents_of(TraceFormat::su, gather_of(1, 2, 5)), true);
        return message_of([&] { writer.write(gather); }, ExitCode::internal);
    };
    ShotGather gather = gather_of(1, 2, 5);
    gather.shot = 3'000'000'000;
    CHECK(contains(refusal(gather), "shot 3e+09 does not fit"));
    gather = gather_of(1, 2, 5);
    gather.receivers_m[1][0] = 1e6;
    CHECK(contains(refusal(gather), "place 1e+10 does not fit"));
    gather = gather_of(1, 2, 5);
    gather.dt_s = 0.003;
    CHECK(contains(refusal(gather), "sampled otherwise"));
    CHECK(empty_folder(folder.path()));
}

TEST_CASE("what no header holds of a survey is told in words") {
    CHECK(kSegyLimits.unfit_interval(0.002).empty());
    CHECK(kSegyLimits.unfit_interval(0.0013 + 1e-16).empty());
    CHECK(kSegyLimits.unfit_interval(0.0015004) ==
          "the sample interval of the seismograms is 0.0015004 s, but SEG-Y rev 1 stores whole microseconds from 1 to "
          "32767");
    CHECK(kSegyLimits.unfit_samples(32767).empty());
    CHECK(kSegyLimits.unfit_samples(32768) ==
          "32768 samples per trace, but SEG-Y rev 1 stores at most 32767, in 16 bits");
    CHECK(kSuLimits.unfit_samples(65535).empty());
    CHECK(contains(kSuLimits.unfit_samples(65536), "SU stores at most 65535"));
    CHECK(unfit_places(2e9).empty());
    CHECK(unfit_places(3e9) ==
          "the grid reaches 3e+09 m from zero; the headers of its traces hold 2147483647 m at most");
    CHECK(unfit_shot(2147483647).empty());
    CHECK(contains(unfit_shot(2147483648), "there is a shot 2147483648;"));
    CHECK(unfit_traces(2147483647).empty());
    CHECK(contains(unfit_traces(3'000'000'000), "the survey has 3000000000 traces;"));
}

TEST_CASE("a shot gives the same bytes in one piece and in several, and takes no more traces than it has receivers") {
    const TemporaryFolder folder;
    const ShotGather gather = gather_of(3, 5, 11);
    write_gathers(folder.path() / "whole.segy", TraceFormat::segy_ieee, std::vector{gather});
    ShotGather header = gather;
    header.pressure.clear();
    TraceFileWriter writer(folder.path() / "pieces.segy", contents_of(TraceFormat::segy_ieee, gather), false);
    writer.begin_shot(header);
    const std::span<const float> pressure(gather.pressure);
    writer.write_traces(pressure.first(22));
    writer.write_traces(pressure.subspan(22));
    CHECK(
        contains(message_of([&] { writer.write_traces(pressure.first(11)); }, ExitCode::internal), "but more traces"));
    writer.finish().commit();
    const auto bytes = [&](const char* name) { return bytes_of(folder.path() / name); };
    CHECK(bytes("whole.segy").size() > 3600);
    CHECK(bytes("whole.segy") == bytes("pieces.segy"));
}

TEST_CASE("a file that exists, or that cannot be written, stays as it is") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "a.segy";
    const std::vector<ShotGather> small{gather_of(1, 4, 11)}, large{gather_of(1, 200, 4000)};
    write_gathers(file, TraceFormat::segy_ieee, small);
    const auto bytes = std::filesystem::file_size(file);
    CHECK(fault_of([&] { write_gathers(file, TraceFormat::segy_ieee, large); }).code() == ExitCode::cannot_create);
    for (const rlim_t limit : {100u, 3300u, 3500u, 100'000u, 3'000'000u}) {
        CAPTURE(limit);
        const FileSizeLimit full(limit);
        CHECK(fault_of([&] { write_gathers(file, TraceFormat::segy_ieee, large, true); }).code() == ExitCode::io_error);
    }
    CHECK(std::filesystem::file_size(file) == bytes);
    std::filesystem::remove(file);
    CHECK(empty_folder(folder.path()));
}
