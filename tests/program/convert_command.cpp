// Promise: `onda convert` reports what it wrote, refuses to overwrite, and returns the documented exit codes.
#include <bit>
#include <cmath>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <sys/wait.h>
#include <vector>

#include "io/models/model_file.hpp"
#include "tests/io/file_size_limit.hpp"
#include "tests/io/files_support.hpp"
#include "tests/sanitized.hpp"

using namespace onda;

namespace {

/// Runs `onda convert ARGUMENTS`; what it prints is in said().
class Program {
public:
    explicit Program(const std::filesystem::path& folder) : log_(folder / "log") {}
    int operator()(const std::string& arguments) const {
        const auto command = std::string(ONDA_PROGRAM) + " convert " + arguments + " > " + log_.string() + " 2>&1";
        const int status = std::system(command.c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    [[nodiscard]] std::string said() const {
        std::ifstream in(log_);
        return {std::istreambuf_iterator<char>(in), {}};
    }

private:
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

const std::string endian = std::endian::native == std::endian::big ? " --endian big" : "";
const std::string layout = " --shape 7 5 --axes xz --spacing-m 12.5 10" + endian;

}  // namespace

TEST_CASE("a conversion is reported and can be read") {
    const TemporaryFolder folder;
    const Program convert(folder.path());
    const auto raw = write_raw(folder.path() / "a.f32"), out = (folder.path() / "a.h5").string();
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

TEST_CASE("nothing is overwritten unasked, and a failed conversion leaves what was there") {
    const TemporaryFolder folder;
    const Program convert(folder.path());
    const auto raw = write_raw(folder.path() / "a.f32"), out = (folder.path() / "a.h5").string();
    REQUIRE(convert(raw + " " + out + layout + " --units km/s") == 0);
    CHECK(convert(raw + " " + out + layout + " --units km/s") == 73);
    CHECK(contains(convert.said(), "--force"));
    CHECK(convert(raw + " " + out + layout + " --force") == 65);
    CHECK(contains(convert.said(), "looks like km/s; if so, give --units km/s"));
    CHECK(ModelFile(out).stored_range().has_value());
    CHECK(convert(raw + " " + out + layout + " --units km/s --force") == 0);
}

TEST_CASE("a full disk is reported, and leaves no file") {
    const TemporaryFolder folder;
    const Program convert(folder.path());
    const auto raw = write_raw(folder.path() / "a.f32"), out = (folder.path() / "a.h5").string();
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

TEST_CASE("a command line that does not fit is refused") {
    const TemporaryFolder folder;
    const Program convert(folder.path());
    const auto raw = write_raw(folder.path() / "a.f32"), out = (folder.path() / "a.h5").string();
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
        std::ifstream in(log);
        const std::string said{std::istreambuf_iterator<char>(in), {}};
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

TEST_CASE("SEG-Y that makes no grid is refused by its traces") {
    const TemporaryFolder folder;
    const Program convert(folder.path());
    const auto file = folder.path() / "a.sgy", out = folder.path() / "a.h5";
    const auto said = [&](const Segy& segy, int code, const std::string& options = "") {
        CHECK(convert(segy.write(file) + " " + out.string() + " --force " + options) == code);
        return convert.said();
    };
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
    CHECK(contains(said(segy, 65), "is in feet"));
    segy = {};
    segy.traces.back().pop_back();
    CHECK(contains(said(segy, 65), "no whole number of traces of 4 samples (256 bytes)"));
    segy = {};
    segy.traces.pop_back();
    CHECK(contains(said(segy, 65), "its 5 traces fill no line and no rectangle"));
    segy = {};
    put_big_endian(segy.traces[4], 181, 4, 125);
    CHECK(contains(said(segy, 65), "trace 5 (inline 2, crossline 2, CDP x = 125, y = 230) lies 5 m from its place"));
    segy = {};
    put_big_endian(segy.headers, 3217, 2, 0);
    CHECK(contains(said(segy, 65), "tells no distance of samples (bytes 3217-3218): give --spacing-m"));
    for (std::string& trace : segy.traces) put_big_endian(trace, 181, 8, 0);
    CHECK(contains(said(segy, 65), "its traces have no coordinates"));
    CHECK(contains(said(segy, 64, "--shape 3 3 4 --spacing-m 10"), "has 6 traces of 4 samples"));
    CHECK_FALSE(std::filesystem::exists(out));
    CHECK(contains(said(segy, 0, "--spacing-m 20 30 10"), "spacing  20, 30, 10 m"));
    write_npy(file, "not SEG-Y", 10);
    CHECK(convert(file.string() + " " + out.string() + " --force") == 65);
    CHECK(contains(convert.said(), "is no SEG-Y: shorter than the 3600 bytes of its headers"));
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
