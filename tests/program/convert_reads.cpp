// What numpy.save() and segyio write arrives in the model file node by node: NumPy's versions, orders and types; SEG-Y
// volumes and lines, in any order of traces. Skipped where no Python has segyio and h5py.
// Takes 2 s.
#include <cstdio>

#include "tests/program/program.hpp"
#include "tests/program/python.hpp"

TEST_CASE("arrays of NumPy and SEG-Y of segyio are read node by node") {
    const std::string python = python_with("import segyio.su, h5py, numpy");
    if (python.empty()) {
        std::puts("skipped: no Python has segyio and h5py (Debian: python3-segyio, python3-h5py)");
        std::exit(kSkipped);
    }
    const TemporaryFolder folder;
    CHECK(exit_status(shell_quoted(python) + " " +
                      shell_quoted(std::string(ONDA_SOURCE_DIR) + "/tests/program/convert_reads.py") + " " +
                      shell_quoted(ONDA_PROGRAM) + " " + shell_quoted(folder.path().string())) == 0);
}
