// The Python example reads and plots what Onda writes. Skipped where no Python has h5py, numpy and matplotlib.
// Takes 7 s.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <sstream>

#include "io/models/model_file.hpp"
#include "io/results/seismograms.hpp"
#include "io/results/snapshots.hpp"
#include "tests/io/files_support.hpp"
#include "tests/program/python.hpp"

using namespace onda;

namespace {

const FileGeometry kPlane{2, {81, 1, 61}, {10., 1., 10.}, {-50., 0., 0.}};
const FileGeometry kUnevenVolume{3, {31, 25, 21}, {10., 12., 15.}, {0., 100., 0.}};

ShotGather make_gather(std::int64_t shot) {
    ShotGather gather{shot, {{100., 150., 20.}}, {}, 0.002, 401, {}};
    for (int r = 0; r < 40; ++r) {
        gather.receivers_m.push_back({10. * r, 150., 10.});
        for (int n = 0; n < 401; ++n) {
            const double a = std::pow(3.14 * 20. * (0.002 * n - 0.1 - 0.005 * std::abs(r - 10)), 2.);
            gather.pressure.push_back(float((1. - 2. * a) * std::exp(-a)));
        }
    }
    return gather;
}

std::vector<float> make_frame(const FileGeometry& g, double radius_m) {
    std::vector<float> values;
    for (std::int64_t z = 0; z < g.shape[2]; ++z)
        for (std::int64_t y = 0; y < g.shape[1]; ++y)
            for (std::int64_t x = 0; x < g.shape[0]; ++x) {
                const double r = std::hypot(g.origin_m[0] + double(x) * g.spacing_m[0] - 100.,
                                            g.dimensions == 3 ? g.origin_m[1] + double(y) * g.spacing_m[1] - 150. : 0.,
                                            g.origin_m[2] + double(z) * g.spacing_m[2] - 20.);
                const double a = std::pow((r - radius_m) / 20., 2.);
                values.push_back(float((1. - 2. * a) * std::exp(-a)));
            }
    return values;
}

void write_waves(const std::filesystem::path& folder, const FileGeometry& geometry) {
    SeismogramWriter seismograms(folder / "seismograms.h5", {}, false);
    SnapshotWriter snapshots(folder / "snapshots.h5", geometry, {}, false);
    for (const std::int64_t shot : {2, 10}) {
        seismograms.write(make_gather(shot));
        snapshots.begin_shot(shot, 2);
        for (const double time_s : {0.05, 0.1}) snapshots.write(time_s, make_frame(geometry, 1500. * time_s));
    }
    seismograms.commit();
    snapshots.commit();
    const auto plane = [](std::int64_t z, std::span<float> vp) { std::ranges::fill(vp, z < 10 ? 1500.f : 2500.f); };
    write_model_file(folder / "model.h5", geometry, plane, "a test", false);
}

int run_script(const std::string& python, const std::filesystem::path& folder, const std::string& options) {
    std::ostringstream command;
    command << "unset DISPLAY WAYLAND_DISPLAY; cd " << shell_quoted(folder.string()) << " && " << shell_quoted(python)
            << ' ' << shell_quoted(ONDA_SOURCE_DIR "/examples/plot_results.py") << " . --output figures " << options
            << " >log 2>&1";
    return exit_status(command.str());
}

/// Runs the script; returns the names of the pictures in `figures`.
std::vector<std::string> plot(const std::string& python, const FileGeometry& geometry, const std::string& options) {
    TemporaryFolder folder;
    write_waves(folder.path(), geometry);
    const int status = run_script(python, folder.path(), options);
    if (status != 0) exit_status("cat " + shell_quoted((folder.path() / "log").string()));
    REQUIRE(status == 0);
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "figures")) {
        CHECK(entry.file_size() > 10'000);
        names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
}

/// The last line of what the script says of faulty options, which end it with 2, as argparse does, and leave nothing.
std::string refusal(const std::string& python, const std::string& options) {
    TemporaryFolder folder;
    write_waves(folder.path(), kPlane);
    CHECK(run_script(python, folder.path(), options) == 2);
    CHECK(!std::filesystem::exists(folder.path() / "figures"));
    std::ifstream log(folder.path() / "log");
    std::string last;
    for (std::string line; std::getline(log, line);) last = line;
    return last;
}

}  // namespace

TEST_CASE("the example plots 2-D and 3-D results") {
    const std::string python = python_with("import h5py, numpy, matplotlib");
    if (python.empty()) {
        std::puts("skipped: no Python here has h5py, numpy and matplotlib (python3-h5py, python3-matplotlib)");
        std::exit(kSkipped);
    }
    const std::vector<std::string> names{"plot_gather.png", "plot_snapshot_0.0500s.png", "plot_snapshot_0.1000s.png",
                                         "plot_spectrum.png"};
    CHECK(plot(python, kPlane, "--shot 10") == names);
    CHECK(plot(python, kUnevenVolume, "--model model.h5 --trace 11") == names);
    CHECK(refusal(python, "--shot 9") ==
          "plot_results.py: error: --shot 9: there is no such shot in .; there are 2, 10");
    CHECK(refusal(python, "--model absent.h5") == "plot_results.py: error: --model absent.h5: no such file");
    CHECK(refusal(python, "--trace 41") == "plot_results.py: error: --trace 41: shot 2 has the receivers 1 to 40");
    CHECK(refusal(python, "--trace 0") == "plot_results.py: error: --trace 0: shot 2 has the receivers 1 to 40");
}
