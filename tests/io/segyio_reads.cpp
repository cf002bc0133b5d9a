// Python's segyio, and so what is built on it, finds in seismograms.segy and seismograms.su of a run, and in what is
// exported later, what seismograms.h5 holds. Skipped where no Python has segyio and h5py.
// Takes 6 s.
#include <cstdio>

#include "tests/program/program.hpp"
#include "tests/program/python.hpp"
#include "tests/solver/small_run.hpp"

namespace {

enum class Made { by_run, by_export };

int check_with_segyio(const std::string& python, const std::string& text, const std::string& samples,
                      Made made = Made::by_run) {
    const TemporaryFolder folder;
    const auto config = folder.path() / "run.yaml", out = folder.path() / "out";
    write_text(config, text);
    std::vector<std::string> arguments{"run", config.string(), "--output", out.string(), "--set", "backend.name=cpu"};
    const bool by_run = made == Made::by_run;
    if (by_run)
        for (const std::string& setting :
             {"output.seismograms.segy=" + samples, std::string("output.seismograms.su=true")})
            arguments.insert(arguments.end(), {"--set", setting});
    const Outcome run = run_onda(arguments);
    CAPTURE(run.err);
    REQUIRE(run.code == 0);
    if (!by_run) {
        REQUIRE(run_onda({"export", out.string(), "--segy", "--samples", samples}).code == 0);
        REQUIRE(run_onda({"export", out.string(), "--su"}).code == 0);
    }
    return exit_status(shell_quoted(python) + " " +
                       shell_quoted(std::string(ONDA_SOURCE_DIR) + "/tests/io/segyio_reads.py") + " " +
                       shell_quoted(out.string()) + " " + samples);
}

}  // namespace

TEST_CASE("segyio reads what h5py reads") {
    const std::string python = python_with("import segyio.su, h5py, numpy");
    if (python.empty()) {
        std::puts("skipped: no Python has segyio and h5py (Debian: python3-segyio, python3-h5py)");
        std::exit(kSkipped);
    }
    CHECK(check_with_segyio(python, kSmall2d, "ieee") == 0);
    CHECK(check_with_segyio(python, kSmall2d, "ibm") == 0);
    CHECK(check_with_segyio(python, kSmall3d, "ieee") == 0);
    CHECK(check_with_segyio(python, kSmall2d, "ieee", Made::by_export) == 0);
    CHECK(check_with_segyio(python, kSmall3d, "ibm", Made::by_export) == 0);
}
