// VTK, and so ParaView, opens snapshots.vtkhdf of a run: places, times and the values of snapshots.h5, in 2-D and 3-D,
// of one shot, of several, and of many whose files stay apart. Skipped where no Python has a VTK that knows temporal
// images.
#include <cstdio>

#include "tests/program/program.hpp"
#include "tests/program/python.hpp"
#include "tests/solver/small_run.hpp"

namespace {

int read_run_with_vtk(const std::string& python, const std::string& text, const std::vector<std::string>& overrides) {
    const TemporaryFolder folder;
    const auto config = folder.path() / "run.yaml", out = folder.path() / "out";
    write_text(config, text);
    std::vector<std::string> arguments{"run",   config.string(),    "--output", out.string(),
                                       "--set", "backend.name=cpu", "--set",    "output.snapshots.vtkhdf=true"};
    for (const std::string& each : overrides) arguments.insert(arguments.end(), {"--set", each});
    const Outcome run = run_onda(arguments);
    CAPTURE(run.err);
    REQUIRE(run.code == 0);
    CHECK(contains(run.out, "snapshots.vtkhdf"));
    return exit_status(shell_quoted(python) + " " +
                       shell_quoted(std::string(ONDA_SOURCE_DIR) + "/tests/io/vtkhdf_reads.py") + " " +
                       shell_quoted(out.string()));
}

}  // namespace

TEST_CASE("VTK reads snapshots.vtkhdf") {
    const std::string python = python_with(
        "import h5py; from vtkmodules.vtkIOHDF import vtkHDFReader; "
        "from vtkmodules.vtkCommonCore import vtkVersion as v; "
        "assert (v.GetVTKMajorVersion(), v.GetVTKMinorVersion()) >= (9, 3)");
    if (python.empty()) {
        std::puts("skipped: no Python has h5py and VTK 9.3 or later (pip install vtk)");
        std::exit(kSkipped);
    }
    CHECK(read_run_with_vtk(python, kSmall3d, {}) == 0);
    CHECK(read_run_with_vtk(python, kSmall2d, {}) == 0);
    CHECK(read_run_with_vtk(python, kSmall2d, {"sources=[{position_m: [400, 24]}]"}) == 0);
    CHECK(read_run_with_vtk(python, kSmall2d,
                            {"sources=[{type: line, first_m: [400, 24], last_m: [600, 24], count: 101}]",
                             "time.duration_s=0.1", "output.snapshots.times_s=[0.1]"}) == 0);
}

TEST_CASE("snapshots.vtkhdf is there when it is asked for, and its size is foretold") {
    const TemporaryFolder folder;
    const auto config = folder.path() / "run.yaml";
    write_text(config, kSmall2d);
    const auto run = [&](const std::string& name, const std::string& wanted) {
        const auto out = folder.path() / name;
        REQUIRE(run_onda({"run", config.string(), "--output", out.string(), "--set", wanted}).code == 0);
        return out;
    };
    CHECK(!std::filesystem::exists(run("without", "output.snapshots.vtkhdf=false") / "snapshots.vtkhdf"));
    const auto out = run("with", "output.snapshots.vtkhdf=true");
    CHECK(std::filesystem::file_size(out / "snapshots.vtkhdf") < 20'000);
    // Known as a result: --force replaces it.
    CHECK(run_onda({"run", config.string(), "--output", out.string(), "--force"}).code == 0);
    CHECK(!std::filesystem::exists(out / "snapshots.vtkhdf"));
}
