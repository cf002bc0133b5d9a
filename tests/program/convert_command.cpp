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
             Row{raw + " " + out + layout + " --format gocad", 64, "--format gocad: must be one of raw, rsf, npy, segy"},
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
