// Xarray finds labelled coordinates for every dimension of seismograms.h5 and snapshots.h5, by either of its engines
// for HDF5, and the values that h5py finds. Skipped where no Python has them.
// Takes 10 s.
#include <cstdio>

#include "tests/program/program.hpp"
#include "tests/program/python.hpp"
#include "tests/solver/small_run.hpp"

namespace {

/// Receivers with names and numbers from a table; one without a name.
const std::string kWithTable = R"(schema_version: 1
grid: {shape: [41, 31], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.05}
boundary: {cpml_width: 5}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources:
  - {position_m: [100, 50], shot: 1}
  - {position_m: [120, 50], shot: 1, wavelet: {type: gaussian_first_derivative, peak_frequency_hz: 12}}
  - {position_m: [140, 50]}
receivers:
  - {position_m: [100, 100]}
  - {type: file, file: land.csv}
output: {pictures: false, snapshots: {every_steps: 10}}
)";

int check_with_xarray(const std::string& python, const std::string& text,
                      const std::vector<std::string>& overrides = {}) {
    const TemporaryFolder folder;
    const auto config = folder.path() / "run.yaml", out = folder.path() / "out";
    write_text(config, text);
    write_text(folder.path() / "land.csv", "name,x,z,elevation_m\nA1,120,0,31.5\nØst 2,140,0,\n");
    std::vector<std::string> arguments{"run", config.string(), "--output", out.string(), "--set", "backend.name=cpu"};
    for (const std::string& each : overrides) arguments.insert(arguments.end(), {"--set", each});
    const Outcome run = run_onda(arguments);
    CAPTURE(run.err);
    REQUIRE(run.code == 0);
    return exit_status(shell_quoted(python) + " " +
                       shell_quoted(std::string(ONDA_SOURCE_DIR) + "/tests/io/xarray_reads.py") + " " +
                       shell_quoted(out.string()));
}

}  // namespace

TEST_CASE("xarray shows labelled coordinates") {
    const std::string python = python_with("import xarray, h5netcdf, netCDF4, h5py");
    if (python.empty()) {
        std::puts(
            "skipped: no Python has xarray, h5netcdf, netCDF4 and h5py (Debian, Ubuntu: python3-xarray, "
            "python3-h5netcdf, python3-netcdf4, python3-h5py)");
        std::exit(kSkipped);
    }
    CHECK(check_with_xarray(python, kSmall2d) == 0);
    CHECK(check_with_xarray(python, kSmall3d) == 0);
    CHECK(check_with_xarray(python, kWithTable) == 0);
    // So many shots that their files stay in `shots`.
    CHECK(check_with_xarray(python, kSmall2d,
                            {"sources=[{type: line, first_m: [400, 24], last_m: [600, 24], count: 101}]",
                             "time.duration_s=0.1", "output.snapshots.times_s=[0.1]"}) == 0);
}
