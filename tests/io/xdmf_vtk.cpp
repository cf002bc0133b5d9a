// VTK's XDMF reader, and so ParaView, puts the snapshots at the right place: origin, three different spacings and the
// order of the axes, in 3-D and in 2-D. Skipped where no Python has VTK with its XDMF reader.
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <sstream>

#include "io/results/snapshots.hpp"
#include "tests/io/files_support.hpp"
#include "tests/program/python.hpp"

using namespace onda;

namespace {

/// Another slope along every axis, from the positions in metres; xdmf_vtk.py knows the same formula.
std::vector<float> field(const FileGeometry& g, int shot, double time_s) {
    std::vector<float> values;
    const auto position = [&g](std::size_t axis, std::int64_t i) {
        return g.origin_m[axis] + double(i) * g.spacing_m[axis];
    };
    for (std::int64_t z = 0; z < g.shape[2]; ++z)
        for (std::int64_t y = 0; y < g.shape[1]; ++y)
            for (std::int64_t x = 0; x < g.shape[0]; ++x)
                values.push_back(
                    float(1e5 * shot + 1e4 * time_s + position(0, x) + 10. * position(1, y) + 100. * position(2, z)));
    return values;
}

int check_with_vtk(const std::string& python, std::array<std::int64_t, 3> shape, int dimensions) {
    TemporaryFolder folder;
    const FileGeometry geometry{dimensions, shape, {2.5, 7., 12.}, {1000., -200., 50.}};
    SnapshotWriter writer(folder.path() / "snapshots.h5", geometry, {}, false);
    for (const int shot : {1, 2}) {
        writer.begin_shot(shot, 3);
        for (const double time_s : {0.125, 0.5, 1.}) writer.write(time_s, field(geometry, shot, time_s));
    }
    writer.commit();
    std::ostringstream command;
    command << shell_quoted(python) << ' ' << shell_quoted(ONDA_SOURCE_DIR "/tests/io/xdmf_vtk.py") << ' '
            << shell_quoted((folder.path() / "snapshots.xdmf").string());
    for (const std::int64_t n : shape) command << ' ' << n;
    return exit_status(command.str());
}

}  // namespace

TEST_CASE("VTK reads places and values right in 3-D and in 2-D") {
    const std::string python = python_with("from vtkmodules.vtkIOXdmf2 import vtkXdmfReader");
    if (python.empty()) {
        std::puts(
            "skipped: no Python here has VTK with its XDMF reader (pip install vtk; Debian's python3-vtk9 lacks it)");
        std::exit(kSkipped);
    }
    CHECK(check_with_vtk(python, {5, 4, 3}, 3) == 0);
    CHECK(check_with_vtk(python, {6, 1, 4}, 2) == 0);
}
