// Arrays of NumPy's beside tables of their traces are recorded data, in every order of bytes and axes; what is none,
// and files that were damaged, are refused by name. Takes a second.
#include <bit>
#include <cmath>
#include <doctest/doctest.h>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "io/models/points_file.hpp"
#include "io/results/recorded_data.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

constexpr std::size_t kArrayTraces = 6, kArraySamples = 11;

float value_of(std::size_t trace, std::size_t sample) {
    return float(std::round(1000. * std::sin(double(7 * trace + sample))));
}

template <class Float, class Bits>
void append(std::string& bytes, float value, bool big) {
    const auto word = std::bit_cast<Bits>(static_cast<Float>(value));
    for (std::size_t i = 0; i < sizeof word; ++i)
        bytes += static_cast<char>(word >> (8 * (big ? sizeof word - 1 - i : i)) & 0xffU);
}

/// The bytes of an array as numpy.save() writes them.
std::string array_bytes(const std::string& type, bool fortran, const std::string& shape) {
    std::string header =
        "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
    header.resize(117, ' ');
    std::string bytes = std::string("\x93NUMPY\x01\x00", 8) + char(118) + '\0' + header + '\n';
    const bool big = type[0] == '>';
    for (std::size_t i = 0; i < kArrayTraces * kArraySamples; ++i) {
        const float value =
            fortran ? value_of(i % kArrayTraces, i / kArrayTraces) : value_of(i / kArraySamples, i % kArraySamples);
        type[2] == '4' ? append<float, std::uint32_t>(bytes, value, big)
                       : append<double, std::uint64_t>(bytes, value, big);
    }
    return bytes;
}

const std::string kTableColumns = "source_x_m,source_z_m,receiver_x_m,receiver_z_m,shot,dt_s,start_s";

std::string table_text() {
    std::string text = kTableColumns + "\n";
    for (std::size_t i = 0; i < kArrayTraces; ++i)
        text += std::to_string(100.125 * double(i / 3 + 1)) + ",6," + std::to_string(50 * i) + ".5,8," +
                std::to_string(i / 3 + 4) + ",0.002,-0.004\n";
    return text;
}

void put(const std::filesystem::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
}

struct ArrayPlace {
    ArrayPlace() { put(table, table_text()); }
    [[nodiscard]] std::string refusal(ExitCode code = ExitCode::bad_data) const {
        return message_of([&] { static_cast<void>(RecordedData({file})); }, code);
    }
    [[nodiscard]] std::string refusal_of(const std::string& bytes) const {
        put(file, bytes);
        return refusal();
    }
    [[nodiscard]] std::string refusal_of_table(const std::string& text) const {
        put(file, array_bytes("<f4", false, "(6, 11)"));
        put(table, text);
        return refusal();
    }
    TemporaryFolder folder;
    std::filesystem::path file = folder.path() / "line.npy", table = folder.path() / "line_traces.csv";
};

bool has(const std::string& text, const std::string& words) {
    CAPTURE(text);
    CHECK(text.find(words) != std::string::npos);
    return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("traces come from arrays of floats and doubles, in every order, with what their table says") {
    const ArrayPlace place;
    for (const std::string type : {"<f4", ">f4", "<f8", ">f8"})
        for (const std::string shape : {"(6, 11)", "(2, 3, 11)"})
            for (const bool fortran : {false, true}) {
                if (fortran && shape != "(6, 11)") continue;
                CAPTURE(type);
                CAPTURE(fortran);
                put(place.file, array_bytes(type, fortran, shape));
                const RecordedData data({place.file});
                CHECK(data.dt_s() == 0.002);
                CHECK(data.most_samples() == std::int64_t(kArraySamples));
                CHECK(data.resolution_m() == 0.);
                CHECK(data.name(4) == "trace 5");
                REQUIRE(data.traces().size() == kArrayTraces);
                for (std::size_t i = 0; i < kArrayTraces; ++i) {
                    const RecordedTrace& trace = data.traces()[i];
                    CHECK(trace.source_m == std::array{100.125 * double(i / 3 + 1), 0., 6.});
                    CHECK(trace.receiver_m == std::array{50. * double(i) + 0.5, 0., 8.});
                    CHECK(trace.record == std::int64_t(i / 3 + 4));
                    CHECK(trace.start_s == -0.004);
                    CHECK_FALSE(trace.is_dead);
                    for (std::size_t count = 1; i + count <= kArrayTraces; ++count) {
                        const std::vector<float> read = data.read(i, count);
                        REQUIRE(read.size() == count * kArraySamples);
                        bool is_same = true;
                        for (std::size_t n = 0; n < read.size(); ++n)
                            is_same = is_same && read[n] == value_of(i + n / kArraySamples, n % kArraySamples);
                        CHECK(is_same);
                    }
                }
            }
    // Neither y nor numbers of shots nor a start; columns of others, and in any order.
    put(
        place.table, "# by hand\nname,dt_s,receiver_z_m,receiver_x_m,source_z_m,source_x_m,offset_m\n" + [] {
            std::string rows;
            for (int i = 0; i < 6; ++i) rows += "A" + std::to_string(i) + ",2e-3,8,1,6,100,none\n";
            return rows;
        }());
    const RecordedData plain({place.file});
    CHECK(plain.traces()[5].record == 0);
    CHECK(plain.traces()[5].start_s == 0.);
    CHECK(is_trace_file("a.NPY"));
    CHECK(is_trace_file("a.sgy"));
    CHECK_FALSE(is_trace_file("a.h5"));
}

TEST_CASE("what is no array of traces is refused by name") {
    const ArrayPlace place;
    const std::string good = array_bytes("<f4", false, "(6, 11)");
    has(place.refusal_of("no array"), "line.npy: is not a NumPy array");
    has(place.refusal_of(array_bytes("<i4", false, "(6, 11)")), "elements of type '<i4': must be float32 or float64");
    has(place.refusal_of(array_bytes("<f2", false, "(6, 11)")), "elements of type '<f2'");
    has(place.refusal_of(array_bytes("<f4", false, "(66,)")),
        "is an array of shape (66,); traces have two axes, [trace, sample], or three");
    has(place.refusal_of(array_bytes("<f4", true, "(2, 3, 11)")), "three axes in Fortran order");
    has(place.refusal_of(good.substr(0, good.size() - 1)),
        "has 391 bytes; an array of shape (6, 11) of float32 has 392");
    has(place.refusal_of(good + "x"), "has 393 bytes");
    has(place.refusal_of(array_bytes("<f4", false, "(9000000000, 9000000000)")), "has more than can be counted");
    has(place.refusal_of(array_bytes("<f4", false, "(99999999999999999999, 2)")), "shape = (99999999999999999999, 2)");
    has(place.refusal_of(array_bytes("<f4", false, "(6, 12)")), "has 416");
    has(place.refusal_of(good.substr(0, 128).replace(good.find("(6"), 7, "(0, 11)")), "has no samples");
    put(place.file, good);
    std::filesystem::remove(place.table);
    has(place.refusal(ExitCode::missing_input), "line_traces.csv: no such file: line.npy needs a table of its traces");
    std::filesystem::remove(place.file);
    has(place.refusal(ExitCode::missing_input), "line.npy");
}

TEST_CASE("tables that do not fit are refused with line and value") {
    const ArrayPlace place;
    const std::string text = table_text();
    const auto changed = [&](const std::string& before, const std::string& after) {
        std::string copy = text;
        copy.replace(copy.rfind(before), before.size(), after);
        return place.refusal_of_table(copy);
    };
    has(place.refusal_of_table(text.substr(0, text.size() - 1).substr(0, text.rfind('\n', text.size() - 2) + 1)),
        "line_traces.csv: has 5 rows, line.npy 6 traces");
    has(place.refusal_of_table("a,b\n1,2\n"), "line_traces.csv:1:1: no column source_x_m");
    has(changed("dt_s", "dt_ms"), "line_traces.csv:1:54: unknown column 'dt_ms'; did you mean dt_s?");
    has(changed("0.002", "0.004"), "line_traces.csv:7:1: dt_s = 0.004: the first trace has 0.002");
    has(changed("5,0.002", "0,0.002"), "line_traces.csv:7:22: shot = '0': must be a whole number from 1");
    has(changed("250.5", "nan"), "receiver_x_m = 'nan': must be a finite number");
    has(changed("250.5", "1e30"), "line_traces.csv:7:1: receiver_x_m = 1e+30: must be from -1e+09 to 1e+09");
    has(changed("250.5,", ""), "line_traces.csv:7:24: 6 values for 7 columns");
    std::string still = text;
    for (std::size_t at = 0; (at = still.find("0.002", at)) != std::string::npos;) still.replace(at, 5, "0.000");
    has(place.refusal_of_table(still), "line_traces.csv:2:1: dt_s = 0: must be from 1e-09");
    has(place.refusal_of_table(kTableColumns + "\n"), "has no rows");
}

TEST_CASE("arrays of one sample interval are read together, with those of other formats") {
    const ArrayPlace place;
    put(place.file, array_bytes("<f4", false, "(6, 11)"));
    put(place.folder.path() / "b.npy", array_bytes("<f8", true, "(6, 11)"));
    put(place.folder.path() / "b_traces.csv", table_text());
    const RecordedData both({place.file, place.folder.path() / "b.npy"});
    CHECK(both.traces().size() == 2 * kArrayTraces);
    CHECK(both.read(2, 3) == both.read(kArrayTraces + 2, 3));
    CHECK(both.name(kArrayTraces) == "trace 1 of b.npy");
    CHECK(both.files()[0].format == "NumPy array, float32");
    CHECK(both.files()[1].format == "NumPy array, float64, Fortran order");
}

TEST_CASE("data whose file becomes shorter while it is read are refused with its name and the trace") {
    const ArrayPlace place;
    for (const bool fortran : {false, true}) {
        put(place.file, array_bytes("<f4", fortran, "(6, 11)"));
        const RecordedData data({place.file});
        std::filesystem::resize_file(place.file, std::filesystem::file_size(place.file) - 4);
        CHECK(data.read(0, fortran ? 1 : 5).size() == (fortran ? 1 : 5) * kArraySamples);
        const Error error = fault_of([&] { static_cast<void>(data.read(kArrayTraces - 1, 1)); });
        CHECK(error.code() == ExitCode::io_error);
        CHECK(has(error.what(), "line.npy: trace 6 cannot be read: it has become shorter meanwhile"));
    }
}

TEST_CASE("whatever bytes an array and its table have, they are read or refused") {
    const ArrayPlace place;
    std::mt19937 draw(1);
    const std::string array = array_bytes(">f8", false, "(6, 11)"), table = table_text();
    int refusals = 0, readings = 0;
    for (int i = 0; i < 500; ++i) {
        std::string bytes = array, text = table;
        for (int change = 0; change < 2; ++change) {
            if (i % 3 == 0) bytes[draw() % bytes.size()] = char(draw());
            if (i % 3 == 1) bytes[draw() % 128] = char(draw());
            if (i % 3 == 2) text[draw() % text.size()] = char(i % 2 == 0 ? "0123456789.,-e\n"[draw() % 15] : draw());
        }
        if (i % 7 == 0) bytes.resize(draw() % bytes.size());
        if (i % 11 == 0) text.resize(draw() % text.size());
        put(place.file, bytes);
        put(place.table, text);
        try {
            const RecordedData data({place.file});
            CHECK(data.read(0, data.traces().size()).size() == data.traces().size() * std::size_t(data.most_samples()));
            ++readings;
        } catch (const Error& error) {
            CHECK(error.code() == ExitCode::bad_data);
            CHECK(std::string(error.what()).find("line") != std::string::npos);
            ++refusals;
        }
    }
    CHECK(refusals > 100);
    CHECK(readings > 100);
}
