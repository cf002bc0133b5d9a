// `onda convert` reports what it wrote, refuses to overwrite, and returns the documented exit codes.
// Takes 3 s.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <sys/wait.h>
#include <utility>
#include <vector>

#include "io/models/model_file.hpp"
#include "kernels/equations/parameters.hpp"
#include "solver/model/model_builders.hpp"
#include "tests/io/file_size_limit.hpp"
#include "tests/io/files_support.hpp"
#include "tests/sanitized.hpp"

using namespace onda;

namespace {

/// Runs `onda convert ARGUMENTS`; what it prints is in said().
class Program {
public:
    explicit Program(const std::filesystem::path& folder, std::string options = "--no-pictures ")
        : options_(std::move(options)), log_(folder / "log") {}
    int operator()(const std::string& arguments) const {
        const auto command =
            std::string(ONDA_PROGRAM) + " convert " + options_ + arguments + " > " + log_.string() + " 2>&1";
        const int status = std::system(command.c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    [[nodiscard]] std::string said() const { return text_of(log_); }

private:
    std::string options_;
    std::filesystem::path log_;
};

/// [x = 7][z = 5] in km/s, native floats: 1.5 + 0.001 x + 0.05 z.
std::string write_raw(const std::filesystem::path& path) {
    std::ofstream out(path, std::ios::binary);
    for (int x = 0; x < 7; ++x)
        for (int z = 0; z < 5; ++z) {
            const float vp = 1.5f + 0.001f * static_cast<float>(x) + 0.05f * static_cast<float>(z);
            out.write(reinterpret_cast<const char*>(&vp), sizeof vp);
        }
    return path.string();
}

/// Conversions of such a file, in a folder of their own.
struct RawConversion {
    TemporaryFolder folder;
    Program convert{folder.path()};
    std::string raw = write_raw(folder.path() / "a.f32"), out = (folder.path() / "a.h5").string();
};

const std::string endian = std::endian::native == std::endian::big ? " --endian big" : "";
const std::string layout = " --shape 7 5 --axes xz --spacing-m 12.5 10" + endian;

}  // namespace

TEST_CASE_FIXTURE(RawConversion, "a conversion is reported and can be read") {
    CHECK(convert(raw + " " + out + layout + " --origin-m -100 5 --units km/s") == 0);
    const auto said = convert.said();
    CAPTURE(said);
    CHECK(contains(said, "Wrote " + out));
    CHECK(contains(said, "shape    7 x 5 nodes (x, z)"));
    CHECK(contains(said, "spacing  12.5, 10 m"));
    CHECK(contains(said, "origin   -100, 5 m"));
    CHECK(contains(said, "vp       1500 to 1706 m/s"));
    const ModelFile model(out);
    CHECK(model.geometry().origin_m == std::array{-100., 0., 5.});
    std::vector<float> vp(35);
    model.read({0, 0, 0}, {7, 1, 5}, vp);
    CHECK(std::abs(vp[7 + 2] - 1552.f) <= 1e-3f);
}

TEST_CASE_FIXTURE(RawConversion, "nothing is overwritten unasked, and a failed conversion leaves what was there") {
    REQUIRE(convert(raw + " " + out + layout + " --units km/s") == 0);
    CHECK(convert(raw + " " + out + layout + " --units km/s") == 73);
    CHECK(contains(convert.said(), "--force"));
    CHECK(convert(raw + " " + out + layout + " --force") == 65);
    CHECK(contains(convert.said(), "looks like km/s; if so, give --units km/s"));
    CHECK(ModelFile(out).stored_range().has_value());
    CHECK(convert(raw + " " + out + layout + " --units km/s --force") == 0);
}

TEST_CASE_FIXTURE(RawConversion, "a full disk is reported, and leaves no file") {
    int code = 0;
    {
        const FileSizeLimit full(2000);
        code = convert(raw + " " + out + layout + " --units km/s");
    }
    CHECK(code == 74);
    CHECK(contains(convert.said(), "a.h5"));
    CHECK(contains(convert.said(), "File too large"));
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);  // the raw file and the log
}

TEST_CASE_FIXTURE(RawConversion, "a command line that does not fit is refused") {
    struct Row {
        std::string arguments;
        int code;
        std::string message;
    };
    for (const auto& row : {
             Row{raw + "x " + out + layout, 64, "give --format: raw, rsf, npy, segy"},
             Row{raw + " " + out + layout + " --format gocad", 64,
                 "--format gocad: must be one of raw, rsf, npy, segy"},
             Row{raw + " " + out + " --shape 7 5 --spacing-m 1", 64, "--axes is needed for raw files"},
             Row{raw + " " + out + " --format rsf --shape 7 5", 64, "--shape says nothing about rsf files"},
             Row{raw + " " + out + layout + " --dtype half", 64, "--dtype half: must be float32 or float64"},
             Row{raw + " " + out + layout + " --units ft/s", 64, "--units = 'ft/s': must be m/s or km/s"},
             Row{"missing.f32 " + out + layout, 66, "missing.f32: no such file"},
             Row{raw + " " + out + " --shape 7 6 --axes xz --spacing-m 1", 65, "42 nodes of float32 need 168"},
             Row{raw + " " + (folder.path() / "no" / "a.h5").string() + layout + " --units km/s", 73, "cannot create"},
         }) {
        CAPTURE(row.arguments);
        CHECK(convert(row.arguments) == row.code);
        const auto said = convert.said();
        CAPTURE(said);
        CHECK(contains(said, row.message));
        CHECK_FALSE(std::filesystem::exists(out));
    }
}

TEST_CASE("a model that does not fit into memory is refused before it is read") {
    if (test::kSanitized) return;  // the address sanitizer's shadow takes more than any limit
    const TemporaryFolder folder;
    const auto numbers = folder.path() / "a.f32", header = folder.path() / "a.rsf";
    std::ofstream(numbers).flush();
    std::filesystem::resize_file(numbers, std::uintmax_t{3} << 30);  // beyond 2 GiB, and no block of it stored
    std::ofstream(header) << "n1=3 n2=268435456 d1=10 d2=10 in=a.f32 data_format=native_float\n";
    const auto out = (folder.path() / "a.h5").string();
    const auto run = [&](const std::string& arguments) {
        const auto log = folder.path() / "log";
        const int status = std::system(("ulimit -v 2000000; " + std::string(ONDA_PROGRAM) + " convert " + arguments +
                                        " > " + log.string() + " 2>&1")
                                           .c_str());
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 71);
        const std::string said = text_of(log);
        CAPTURE(said);
        CHECK(contains(said, "a.f32: its 805306368 nodes take 3221225472 bytes of memory, and "));
        CHECK_FALSE(std::filesystem::exists(out));
    };
    run(numbers.string() + " " + out + " --shape 268435456 3 --axes xz --spacing-m 10");
    run(header.string() + " " + out);
}

namespace {

/// A NumPy file with this header and so many bytes of numbers.
std::string write_npy(const std::filesystem::path& path, std::string dictionary, std::size_t bytes, char version = 1) {
    dictionary += "\n";
    std::ofstream out(path, std::ios::binary);
    out << "\x93NUMPY" << version << '\0' << static_cast<char>(dictionary.size()) << '\0';
    if (version == 2) out << '\0' << '\0';
    out << dictionary << std::string(bytes, '\0');
    return path.string();
}

void put_big_endian(std::string& bytes, std::size_t first_byte, std::size_t count, std::int64_t value) {
    for (std::size_t i = 0; i < count; ++i) bytes[first_byte - 1 + i] = static_cast<char>(value >> 8 * (count - 1 - i));
}

/// SEG-Y of 3 x 2 traces with 4 samples of IEEE floats; 20 m apart along x, 30 m along y.
struct Segy {
    std::string headers = std::string(3600, '\0');
    std::vector<std::string> traces;

    Segy() {
        put_big_endian(headers, 3217, 2, 10'000);
        put_big_endian(headers, 3221, 2, 4);
        put_big_endian(headers, 3225, 2, 5);
        for (int i = 0; i < 6; ++i) {
            std::string& trace = traces.emplace_back(256, '\0');
            put_big_endian(trace, 181, 4, 100 + 20 * (i % 3));
            put_big_endian(trace, 185, 4, 200 + 30 * (i / 3));
            put_big_endian(trace, 189, 4, 1 + i / 3);
            put_big_endian(trace, 193, 4, 1 + i % 3);
            for (std::size_t z = 0; z < 4; ++z)
                put_big_endian(trace, 241 + 4 * z, 4, std::bit_cast<std::int32_t>(1500.f + static_cast<float>(i)));
        }
    }
    [[nodiscard]] std::string write(const std::filesystem::path& path) const {
        std::ofstream out(path, std::ios::binary);
        out << headers;
        for (const std::string& trace : traces) out << trace;
        return path.string();
    }
};

/// Conversions of such files, in a folder of their own.
struct SegyConversion {
    TemporaryFolder folder;
    Program convert{folder.path()};
    std::filesystem::path file = folder.path() / "a.sgy", out = folder.path() / "a.h5";

    /// What a conversion prints that ends with this code.
    std::string said(const Segy& segy, int code, const std::string& options = "") const {
        CHECK(convert(segy.write(file) + " " + out.string() + " --force " + options) == code);
        return convert.said();
    }
};

}  // namespace

TEST_CASE("NumPy files that are no model are refused by name") {
    const TemporaryFolder folder;
    const Program convert(folder.path());
    const auto file = folder.path() / "a.npy", out = folder.path() / "a.h5";
    const std::string command = file.string() + " " + out.string() + " --axes zx --spacing-m 10";
    const auto refusal = [&](const std::string& dictionary, std::size_t bytes, char version = 1) {
        write_npy(file, dictionary, bytes, version);
        CHECK(convert(command) == 65);
        return convert.said();
    };
    const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }";
    CHECK(contains(refusal(good, 20), "has " + std::to_string(11 + good.size() + 20) + " bytes; " +
                                          std::to_string(11 + good.size()) + " bytes of header and 6 nodes"));
    CHECK(contains(refusal(good, 24), "= 0 m/s: must be finite and positive"));
    CHECK(contains(refusal(good, 24, 3), "has version 3 of NumPy's format; Onda reads 1 and 2"));
    CHECK(contains(refusal("{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }", 24),
                   "elements of type '<i4': must be float32 or float64"));
    CHECK(
        contains(refusal("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (3, 2), }", 24), "must be True or False"));
    CHECK(contains(refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }", 24),
                   "is an array of shape (6,); a model has two axes"));
    CHECK(contains(refusal("{'descr': '<f4', 'fortran_order': False, }", 24), "its header has no shape"));
    CHECK(contains(refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2", 24), "breaks off at shape"));
    std::ofstream(file) << "1500 1500 1500 1500";
    CHECK(convert(command) == 65);
    CHECK(contains(convert.said(), "is not a NumPy array"));
    write_npy(file, good, 24);
    CHECK(convert(file.string() + " " + out.string() + " --axes xyz --spacing-m 10") == 64);
    CHECK(contains(convert.said(), "--axes xyz: must be a permutation of xz"));
    CHECK_FALSE(std::filesystem::exists(out));
}

TEST_CASE_FIXTURE(SegyConversion, "SEG-Y that makes no grid is refused by its traces") {
    const std::string good = said({}, 0);
    CHECK(contains(good, "shape    3 x 2 x 4 nodes (x, y, z)"));
    CHECK(contains(good, "spacing  20, 30, 10 m"));
    CHECK(contains(good, "origin   100, 200, 0 m"));
    std::filesystem::remove(out);

    Segy segy;
    put_big_endian(segy.headers, 3225, 2, 3);
    CHECK(contains(said(segy, 65), "has samples of format 3 (bytes 3225-3226); Onda reads 1 (IBM floats) and 5"));
    segy = {};
    put_big_endian(segy.headers, 3255, 2, 2);
    CHECK(contains(said(segy, 65),
                   "is in feet (bytes 3255-3256): bring its values to m/s, or give --units and "
                   "--spacing-m, of every axis, if the header is wrong"));
    segy = {};
    segy.traces.back().pop_back();
    CHECK(contains(said(segy, 65), "not a whole number of traces of 4 samples (256 bytes)"));
    segy = {};
    segy.traces.pop_back();
    CHECK(contains(
        said(segy, 65),
        "its 5 traces do not form a regular line or grid, neither by inlines and crosslines (bytes 189-196) nor by "
        "coordinates (bytes 181-188): give --shape"));
    segy = {};
    put_big_endian(segy.traces[4], 181, 4, 125);
    CHECK(contains(said(segy, 65), "trace 5 (inline 2, crossline 2, CDP x = 125, y = 230) lies 3.33 m from its place"));
    segy = {};
    put_big_endian(segy.headers, 3217, 2, 0);
    CHECK(contains(said(segy, 65), "tells no distance of samples (bytes 3217-3218 and 117-118): give --spacing-m"));
    for (std::string& trace : segy.traces) put_big_endian(trace, 181, 8, 0);
    CHECK(contains(said(segy, 65),
                   "its traces have no coordinates (CDP X and Y, bytes 181-188), so the spacing is unknown"));
    CHECK(contains(said(segy, 64, "--shape 3 3 4 --spacing-m 10"), "has 6 traces of 4 samples"));
    CHECK_FALSE(std::filesystem::exists(out));
    CHECK(contains(said(segy, 0, "--spacing-m 20 30 10"), "spacing  20, 30, 10 m"));
    write_npy(file, "not SEG-Y", 10);
    CHECK(convert(file.string() + " " + out.string() + " --force") == 65);
    CHECK(contains(convert.said(), "is not SEG-Y: shorter than the 3600 bytes of its headers"));
}

namespace {

/// A volume of nx x ny traces, 20 m apart along crosslines and 30 m along inlines, whose lines are turned by an angle:
/// coordinates in so many parts of a metre, rounded to whole steps of them.
Segy turned(int nx, int ny, double azimuth_deg, int parts, std::int64_t steps = 1) {
    Segy segy;
    const std::string trace = segy.traces.front();
    segy.traces.clear();
    const double angle = (90. - azimuth_deg) * std::acos(-1.) / 180.;
    put_big_endian(segy.headers, 3217, 2, 20'000);
    for (int row = 0; row < ny; ++row)
        for (int column = 0; column < nx; ++column) {
            std::string& one = segy.traces.emplace_back(trace);
            const double along = 20. * column, across = 30. * row;
            const auto put = [&](std::size_t byte, double metres) {
                put_big_endian(one, byte, 4, std::llround(metres * parts / double(steps)) * steps);
            };
            put_big_endian(one, 71, 2, parts == 1 ? 1 : -parts);
            put(181, 431'234.4 + along * std::cos(angle) - across * std::sin(angle));
            put(185, 6'478'912.3 + along * std::sin(angle) + across * std::cos(angle));
            put_big_endian(one, 189, 4, 1000 + row);
            put_big_endian(one, 193, 4, 2000 + column);
        }
    return segy;
}

}  // namespace

TEST_CASE_FIXTURE(SegyConversion, "SEG-Y of any direction, with coordinates in any unit, makes the grid that it was") {
    for (const double azimuth : {3., 27.3, 63.435, 90.5, 133., 219.9, 305.})
        for (const std::pair<int, int>& written : {std::pair<int, int>{1, 1}, {100, 1}, {100, 100}, {10, 1}}) {
            const int parts = written.first, steps = written.second;
            CAPTURE(azimuth);
            CAPTURE(parts);
            CAPTURE(steps);
            const std::string report = said(turned(31, 17, azimuth, parts, steps), 0);
            CAPTURE(report);
            CHECK(contains(report, "shape    31 x 17 x 4 nodes"));
            const auto spacing = ModelFile(out).geometry().spacing_m;
            const double off = parts == 1 || steps > 1 ? 0.02 : 0.002;
            CHECK(std::abs(spacing[0] - 20.) <= off);
            CHECK(std::abs(spacing[1] - 30.) <= off);
            CHECK(spacing[2] == 20.);
            const auto at = report.find("has an azimuth of ");
            REQUIRE(at != std::string::npos);
            CHECK(std::abs(std::stod(report.substr(at + 18)) - azimuth) < 0.03);
            CHECK(contains(report, "its first trace, which lies at CDP x = 43123"));
        }
    // Along the axes the origin is that of the survey.
    CHECK_FALSE(contains(said(turned(31, 17, 90., 1), 0), "azimuth"));
    CHECK(ModelFile(out).geometry().origin_m == std::array{431'234., 6'478'912., 0.});
    // What is no grid is none, however it is turned.
    Segy bent = turned(31, 17, 63.435, 1);
    put_big_endian(bent.traces[100], 181, 4, 431'500);
    CHECK(contains(said(bent, 65), "trace 101 (inline 1003, crossline 2007"));
}

TEST_CASE_FIXTURE(SegyConversion,
                  "SEG-Y: one spacing is of x and y; the depth is the file's, and what was made of it is told") {
    const std::string one = said({}, 0, "--spacing-m 25");
    CAPTURE(one);
    CHECK(contains(one, "spacing  25, 25, 10 m"));
    CHECK(contains(one, "origin   100, 200, 0 m"));
    CHECK(contains(one, "its coordinates would make the spacing 20 m along x and 30 m along y"));
    CHECK(
        contains(one,
                 "its sample interval of 10000 (bytes 3217-3218 or 117-118) is taken for thousandths of a metre, dz = "
                 "10 m; if it is anything else, such as a time in microseconds, give --spacing-m DX DY DZ"));
    const std::string all = said({}, 0, "--spacing-m 20 30 4");
    CHECK(contains(all, "spacing  20, 30, 4 m"));
    CHECK_FALSE(contains(all, "sample interval"));
    CHECK(contains(said({}, 64, "--spacing-m 20 30"), "--spacing-m: 2 numbers given"));
    // A line.
    Segy line;
    line.traces.resize(3);
    CHECK(contains(said(line, 0, "--spacing-m 25"), "spacing  25, 10 m"));
    CHECK(contains(said(line, 0, "--spacing-m 25 4"), "spacing  25, 4 m"));
    CHECK(contains(said(line, 0), "give --spacing-m DX DZ"));
    // Coordinates that are none move the model to zero, which is told.
    Segy none;
    for (std::string& trace : none.traces) put_big_endian(trace, 181, 8, 0);
    const std::string zero = said(none, 0, "--spacing-m 25");
    CHECK(contains(zero, "origin   0, 0, 0 m"));
    CHECK(contains(zero, "the model begins at x = 0 and y = 0: its traces have no coordinates"));
    // Intervals that make no depth, and that disagree.
    Segy segy;
    put_big_endian(segy.headers, 3217, 2, 25);
    CHECK(contains(said(segy, 65), "dz = 0.025 m, which no model has: give --spacing-m DX DY DZ"));
    segy = {};
    put_big_endian(segy.headers, 3217, 2, 60'000);  // without a sign
    CHECK(contains(said(segy, 0), "spacing  20, 30, 60 m"));
    segy = {};
    put_big_endian(segy.traces[3], 117, 2, 4000);
    CHECK(contains(said(segy, 65),
                   "has two sample intervals, 10000 (bytes 3217-3218) and 4000 (bytes 117-118 of trace 4)"));
    CHECK(contains(said(segy, 0, "--spacing-m 20 30 4"), "spacing  20, 30, 4 m"));
    put_big_endian(segy.headers, 3217, 2, 0);
    CHECK(contains(said(segy, 0), "spacing  20, 30, 4 m"));
    // Coordinates in kilometres, and origins that no run has.
    segy = {};
    for (std::string& trace : segy.traces) put_big_endian(trace, 71, 2, -1000);
    CHECK(contains(said(segy, 65), "its traces lie 0.02 m apart along x by their coordinates"));
    segy = {};
    for (std::size_t i = 0; i < 6; ++i) {
        put_big_endian(segy.traces[i], 71, 2, 1000);
        put_big_endian(segy.traces[i], 181, 4, 2'000'000 + static_cast<std::int64_t>(i % 3));
        put_big_endian(segy.traces[i], 185, 4, 1 + static_cast<std::int64_t>(i / 3));
    }
    CHECK(contains(said(segy, 65), "its origin is 2e+09 m: must be finite, within 1e9 m from zero"));
}

TEST_CASE_FIXTURE(RawConversion,
                  "spacings and origins that no model has are refused, and lengths without a unit asked for") {
    const std::string begin = raw + " " + out + " --shape 7 5 --axes xz --units km/s --force" + endian;
    for (const char* spacing : {"1e-300 10", "10 1e300", "0 10", "-5 5", "1e7"}) {
        CAPTURE(spacing);
        CHECK(convert(begin + " --spacing-m " + spacing) == 64);
        CHECK(contains(convert.said(), "--spacing-m "));
    }
    for (const char* origin : {"4294967297 0", "0 -1e10"}) {
        CAPTURE(origin);
        CHECK(convert(begin + " --spacing-m 10 --origin-m " + origin) == 64);
        CHECK(contains(convert.said(), "--origin-m "));
    }
    CHECK(convert(begin + " --spacing-m 0.0001") == 0);  // of ultrasound, as it says
    CHECK_FALSE(contains(convert.said(), "note"));
    const auto rsf = [&](const std::string& words, const std::string& options = "") {
        std::ofstream(folder.path() / "a.rsf")
            << "n1=5 n2=7 o1=0 o2=0 unit=km/s in=\"a.f32\" data_format=\"native_float\" " << words << "\n";
        const int code = convert((folder.path() / "a.rsf").string() + " " + out + " --force " + options);
        return std::pair(code, convert.said());
    };
    const auto unknown = rsf("d1=0.0125 d2=0.0125");
    CHECK(unknown.first == 65);
    CHECK(contains(
        unknown.second,
        "d2 = '0.0125': would be 0.0125 m, as the header has no unit2: add unit2=km, or unit2=m if it is right"));
    CHECK(rsf("d1=0.0125 d2=25").first == 65);
    CHECK(rsf("d1=12500 d2=25").first == 65);
    CHECK(contains(rsf("d1=0.0125 d2=0.0125 unit1=km unit2=km").second, "spacing  12.5, 12.5 m"));
    CHECK(contains(rsf("d1=0.25 d2=0.25 unit1=mm unit2=mm").second, "spacing  0.00025, 0.00025 m"));
    CHECK(contains(rsf("d1=0.0125 d2=0.0125 unit1=m unit2=m").second, "spacing  0.0125, 0.0125 m"));
    CHECK(contains(rsf("d1=5 d2=10", "--spacing-m 25").second, "spacing  25, 5 m"));
    CHECK(contains(rsf("d1=5 d2=10", "--spacing-m 25 4").second, "spacing  25, 4 m"));
    CHECK(rsf("d1=0.0125 d2=10", "--spacing-m 25").first == 65);
    CHECK(rsf("d1=1e-320 d2=10 unit1=m").first == 65);
    CHECK(rsf("d1=10 d2=10 o1=4294967297").first == 65);
}

TEST_CASE("a picture of the model is drawn beside it, unless it is not wanted") {
    const TemporaryFolder folder;
    const Program convert(folder.path(), "");
    const auto raw = write_raw(folder.path() / "a.f32"), out = (folder.path() / "model.h5").string();
    const auto picture = folder.path() / "model_xz.png";
    const std::string command = raw + " " + out + layout + " --units km/s";
    CHECK(convert(command + " --no-pictures") == 0);
    CHECK_FALSE(std::filesystem::exists(picture));
    CHECK(convert(command + " --force") == 0);
    CHECK(contains(convert.said(), "picture  " + picture.string()));
    REQUIRE(std::filesystem::exists(picture));
    const auto bytes = std::filesystem::file_size(picture);
    std::filesystem::remove(out);
    CHECK(convert(command) == 73);
    CHECK(contains(convert.said(), "model_xz.png exists"));
    CHECK_FALSE(std::filesystem::exists(out));
    CHECK(convert(command + " --force --rho " + raw + " --rho-units g/cm3") == 0);
    CHECK(std::filesystem::file_size(picture) != bytes);
    CHECK(convert(Segy().write(folder.path() / "a.sgy") + " " + (folder.path() / "b.h5").string()) == 0);
    for (const char* name : {"b_xz.png", "b_yz.png", "b_xy.png"}) CHECK(std::filesystem::exists(folder.path() / name));
}

TEST_CASE("densities come along, on the same nodes alone") {
    const TemporaryFolder folder;
    const Program convert(folder.path());
    const auto raw = write_raw(folder.path() / "a.f32"), rho = write_raw(folder.path() / "rho.f32"),
               out = (folder.path() / "a.h5").string();
    const std::string command = raw + " " + out + layout + " --units km/s --force --rho " + rho;
    CHECK(convert(command + " --rho-units g/cm3") == 0);
    CHECK(contains(convert.said(), "rho      1500 to 1706 kg/m3"));
    CHECK(convert(command + " --rho-units t/m3") == 64);
    CHECK(contains(convert.said(), "--rho-units = 't/m3': must be kg/m3 or g/cm3"));
    std::ofstream(folder.path() / "rho.rsf")
        << "n1=5 d1=10 n2=6 d2=12.5 in=\"less.f32\" data_format=\"native_float\"\n";
    std::filesystem::copy(raw, folder.path() / "less.f32");
    std::filesystem::resize_file(folder.path() / "less.f32", 5 * 6 * sizeof(float));
    CHECK(convert(raw + " " + out + layout + " --units km/s --force --rho " + (folder.path() / "rho.rsf").string()) ==
          65);
    CHECK(contains(convert.said(), "has 6 x 5 nodes, spacing 12.5, 10 m, origin 0, 0 m, but"));
    CHECK(convert(raw + " " + out + layout + " --force --rho-units g/cm3") == 64);
}

TEST_CASE("Q, epsilon and delta come along, each from a file of its own and drawn beside the velocity") {
    const TemporaryFolder folder;
    const Program convert(folder.path(), "");
    const auto raw = write_raw(folder.path() / "a.f32"), out = (folder.path() / "a.h5").string();
    const auto nodes = std::filesystem::file_size(raw) / sizeof(float);
    const auto write = [&](const char* name, float first, float step) {
        std::vector<float> values(nodes);
        for (std::size_t i = 0; i < nodes; ++i) values[i] = first + step * static_cast<float>(i);
        std::ofstream(folder.path() / name, std::ios::binary)
            .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(nodes * sizeof(float)));
        return (folder.path() / name).string();
    };
    const std::string q = write("q.f32", 40.f, 1.f), epsilon = write("e.f32", 0.1f, 0.f),
                      delta = write("d.f32", -0.1f, 0.002f);
    const std::string command = raw + " " + out + layout + " --units km/s --force";
    CHECK(convert(command) == 0);
    const auto bytes = std::filesystem::file_size(folder.path() / "a_xz.png");
    CHECK(convert(command + " --q " + q + " --epsilon " + epsilon + " --delta " + delta) == 0);
    CHECK(contains(convert.said(), "  q        40 to "));
    CHECK(contains(convert.said(), "  epsilon  0.1 to 0.1\n"));
    CHECK(contains(convert.said(), "  delta    -0.1 to "));
    CHECK(std::filesystem::file_size(folder.path() / "a_xz.png") > bytes);
    const ModelFile file(out);
    CHECK(file.has(quantity_of(kQ)));
    std::vector<float> values(nodes);
    file.read(quantity_of(kEpsilon), {}, file.geometry().shape, values);
    CHECK(values == std::vector<float>(nodes, 0.1f));
    file.read(quantity_of(kDelta), {}, file.geometry().shape, values);
    CHECK(std::ranges::max(values) == doctest::Approx(-0.1 + 0.002 * static_cast<double>(nodes - 1)));
    CHECK(convert(command + " --epsilon " + q) == 65);
    CHECK(contains(convert.said(), "epsilon"));
}

TEST_CASE("Q and the other parameters of equations come along by their names, each from a file of its own") {
    const TemporaryFolder folder;
    const Program convert(folder.path());
    const auto raw = write_raw(folder.path() / "a.f32"), rho = write_raw(folder.path() / "rho.f32"),
               out = (folder.path() / "a.h5").string(), of_q = (folder.path() / "q.f32").string();
    std::vector<float> q(7 * 5);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = 20.f + static_cast<float>(i);
    q.back() = std::numeric_limits<float>::infinity();
    std::ofstream(of_q, std::ios::binary).write(reinterpret_cast<const char*>(q.data()), 4 * std::ssize(q));
    const std::string command = raw + " " + out + layout + " --units km/s --force --q ";
    CHECK(convert(command + of_q + " --rho " + rho + " --rho-units g/cm3") == 0);
    CHECK(contains(convert.said(), "rho      1500 to 1706 kg/m3\n  q        20 to inf\n"));
    const Quantity quantity{"q", {{""}}, 3., std::numeric_limits<double>::infinity()};
    const ModelFile model(out);
    REQUIRE(model.has(quantity));
    std::vector<float> read(q.size());
    model.read(quantity, {0, 0, 0}, {7, 1, 5}, read);
    for (std::size_t x = 0; x < 7; ++x)
        for (std::size_t z = 0; z < 5; ++z) CHECK(read[z * 7 + x] == q[x * 5 + z]);
    CHECK(convert(command + raw) == 65);
    CHECK(contains(convert.said(), "= 1.5: must be 3 or more, or infinite"));
    CHECK(convert(command + of_q + " --q-units km/s") == 64);
    CHECK(convert("--help") == 0);
    for (const char* option : {"--rho FILE", "--rho-units UNIT", "--q FILE", "--epsilon FILE", "--delta FILE"})
        CHECK(contains(convert.said(), option));
}

TEST_CASE("--help begins with examples") {
    const TemporaryFolder folder;
    const Program convert(folder.path());
    CHECK(convert("--help") == 0);
    const auto said = convert.said();
    CHECK(said.find("onda convert marmousi.f32") < said.find("--shape NX"));
    CHECK(said.find("onda convert marmousi.f32") < said.find("--force "));
}

TEST_CASE("the input is never overwritten, not even with --force") {
    const TemporaryFolder folder;
    const Program convert(folder.path());
    const auto raw = write_raw(folder.path() / "a.f32");
    CHECK(convert(raw + " " + raw + layout + " --units km/s --force") == 64);
    CHECK(contains(convert.said(), "would overwrite the input"));
    CHECK(std::filesystem::file_size(raw) == 7 * 5 * sizeof(float));
    // Nor the one that a header names.
    std::ofstream(folder.path() / "a.rsf")
        << "n1=5 d1=10 o1=0 n2=7 d2=10 o2=0 in=\"a.f32\" data_format=\"native_float\"\n";
    CHECK(convert((folder.path() / "a.rsf").string() + " " + raw + " --units km/s --force") == 64);
    CHECK(std::filesystem::file_size(raw) == 7 * 5 * sizeof(float));
}
