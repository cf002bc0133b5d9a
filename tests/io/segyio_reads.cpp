// Promise: Python's segyio, and so what is built on it, finds in seismograms.segy and seismograms.su of a run what
// seismograms.h5 holds. Skipped where no Python has segyio and h5py.
#include <cstdio>

#include "tests/program/program.hpp"
#include "tests/program/python.hpp"
#include "tests/solver/small_run.hpp"

namespace {

int check_with_segyio(const std::string& python, const std::string& text, const std::string& samples) {
    const TemporaryFolder folder;
    const auto config = folder.path() / "run.yaml", out = folder.path() / "out";
    write_text(config, text);
    const Outcome run =
        run_onda({"run", config.string(), "--output", out.string(), "--set", "backend.name=cpu", "--set",
                  "output.seismograms.segy=" + samples, "--set", "output.seismograms.su=true"});
    CAPTURE(run.err);
    REQUIRE(run.code == 0);
    return exit_status(shell_quoted(python) + " " +
                       shell_quoted(std::string(ONDA_SOURCE_DIR) + "/tests/io/segyio_reads.py") + " " +
                       shell_quoted(out.string()) + " " + samples);
}

}  // namespace

TEST_CASE("segyio reads what h5py reads") {
    const std::string python = python_with("import segyio.su, h5py, numpy");
    if (python.empty()) {
        std::puts("skipped: no Python has segyio and h5py (Debian, Ubuntu: python3-segyio, python3-h5py)");
        std::exit(kSkipped);
    }
    CHECK(check_with_segyio(python, kSmall2d, "ieee") == 0);
    CHECK(check_with_segyio(python, kSmall2d, "ibm") == 0);
    CHECK(check_with_segyio(python, kSmall3d, "ieee") == 0);
}
