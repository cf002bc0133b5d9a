// snapshots.h5 returns what was written at the right place, snapshots.xdmf describes it, and both are complete or
// absent. That VTK reads the description right is xdmf_vtk's promise.
// Takes 2 s.
#include "io/results/snapshots.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <fstream>
#include <sstream>

#include "io/hdf5/hdf5.hpp"
#include "io/results/xdmf.hpp"
#include "io/text/error.hpp"
#include "tests/io/file_size_limit.hpp"
#include "tests/io/files_support.hpp"
#include "tests/io/result_file_checks.hpp"

using namespace onda;

namespace {

const FileGeometry kGeometry{3, {5, 4, 3}, {2., 3., 5.}, {100., 200., 300.}};

std::vector<float> frame_values(const FileGeometry& geometry, double scale) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < geometry.shape[0] * geometry.shape[1] * geometry.shape[2]; ++i)
        values.push_back(float(scale * std::sin(double(i))));
    return values;
}

void write_snapshots(const std::filesystem::path& file, const FileGeometry& geometry, std::int64_t shots,
                     std::int64_t frames, bool overwrite = false) {
    SnapshotWriter writer(file, geometry, sample_provenance(), overwrite);
    for (std::int64_t shot = 1; shot <= shots; ++shot) {
        writer.begin_shot(shot, frames);
        for (std::int64_t n = 0; n < frames; ++n)
            writer.write(0.1 * double(n), frame_values(geometry, double(shot + 10 * n)));
    }
    writer.commit();
}

}  // namespace

TEST_CASE("frames come back bit for bit, with times, coordinates and provenance") {
    TemporaryFolder folder;
    const auto file = folder.path() / "snapshots.h5";
    write_snapshots(file, kGeometry, 2, 3);

    const auto root = hdf5::File::open(file);
    CHECK(root.text("format") == "onda-snapshots");
    CHECK(root.text("config_yaml") == sample_provenance().entries[2].second);
    CHECK(root.open_dataset("y_m").read_all<double>() == std::vector<double>{200., 203., 206., 209.});
    for (int shot = 1; shot <= 2; ++shot) {
        const auto group = root.open_group("shots/" + std::to_string(shot));
        const auto pressure = group.open_dataset("pressure");
        CHECK(pressure.extents() == hdf5::Extents{3, 3, 4, 5});
        CHECK(pressure.chunk() == hdf5::Extents{1, 3, 4, 5});
        CHECK(pressure.texts("axis_labels") == std::vector<std::string>{"time", "z", "y", "x"});
        CHECK(pressure.numbers("spacing") == std::vector<double>{5., 3., 2.});
        CHECK(pressure.numbers("origin") == std::vector<double>{300., 200., 100.});
        CHECK(pressure.text("units") == "Pa");
        const auto times = group.open_dataset("time_s").read_all<double>();
        CHECK(times == std::vector<double>{0., 0.1, 0.2});
        for (std::size_t n = 0; n < 3; ++n) {
            std::vector<float> values(60);
            pressure.read({n, 0, 0, 0}, {1, 3, 4, 5}, std::span<float>(values));
            CHECK(values == frame_values(kGeometry, double(shot) + 10. * double(n)));
        }
    }
}

TEST_CASE("a frame above 16 MiB is cut into chunks below that") {
    TemporaryFolder folder;
    const auto file = folder.path() / "snapshots.h5";
    const FileGeometry large{3, {301, 101, 150}, {1., 1., 1.}, {0., 0., 0.}};
    write_snapshots(file, large, 1, 1);
    const auto root = hdf5::File::open(file);
    const auto pressure = root.open_dataset("shots/1/pressure");
    CHECK(pressure.chunk() == hdf5::Extents{1, 75, 101, 301});
    CHECK(pressure.read_all<float>() == frame_values(large, 1.));
}

TEST_CASE("the XDMF names the frames, and lists sizes, origin and spacing as z y x") {
    const std::vector<XdmfShot> shots{{1, {0., 0.1}}, {7, {0.25}}};
    const auto text = snapshots_xdmf("a&b.h5", kGeometry, shots);
    const auto count = [&text](const std::string& part) {
        int found = 0;
        for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
        return found;
    };
    CHECK(count("CollectionType=\"Temporal\"") == 2);
    CHECK(count("TopologyType=\"3DCoRectMesh\" Dimensions=\"3 4 5\"") == 3);
    CHECK(count("Format=\"XML\">300 200 100<") == 3);
    CHECK(count("Format=\"XML\">5 3 2<") == 3);
    CHECK(count("Format=\"XML\">1 0 0 0 1 1 1 1 1 3 4 5<") == 1);
    CHECK(count("Dimensions=\"2 3 4 5\" NumberType=\"Float\" Precision=\"4\" "
                "Format=\"HDF\">a&amp;b.h5:/shots/1/pressure<") == 2);
    CHECK(count("<Time Value=\"0.25\"/>") == 1);
}

TEST_CASE("snapshots.xdmf is written beside the HDF5 file") {
    TemporaryFolder folder;
    write_snapshots(folder.path() / "snapshots.h5", kGeometry, 1, 2);
    const std::vector<XdmfShot> shots{{1, {0., 0.1}}};
    CHECK(text_of(folder.path() / "snapshots.xdmf") == snapshots_xdmf("snapshots.h5", kGeometry, shots));
}

TEST_CASE("existing files are not overwritten unless asked to, and either is noticed before computing") {
    TemporaryFolder folder;
    const auto file = folder.path() / "snapshots.h5";
    write_snapshots(file, kGeometry, 1, 1);
    CHECK(fault_of([&] { write_snapshots(file, kGeometry, 1, 2); }).code() == ExitCode::cannot_create);
    std::filesystem::remove(file);
    CHECK(fault_of([&] { SnapshotWriter(file, kGeometry, {}, false); }).code() == ExitCode::cannot_create);
    write_snapshots(file, kGeometry, 1, 2, true);
    CHECK(text_of(folder.path() / "snapshots.xdmf").find("frame 1") != std::string::npos);
}

TEST_CASE("a writer that is not committed, or that cannot write, leaves nothing") {
    TemporaryFolder folder;
    const auto file = folder.path() / "snapshots.h5";
    {
        SnapshotWriter writer(file, kGeometry, {}, false);
        writer.begin_shot(1, 2);
        writer.write(0., frame_values(kGeometry, 1.));
    }
    CHECK(empty_folder(folder.path()));
    const FileGeometry cube{3, {64, 64, 64}, {1., 1., 1.}, {0., 0., 0.}};
    for (const rlim_t limit : {100u, 5000u, 500'000u, 1'500'000u, 4'190'000u}) {
        const FileSizeLimit full(limit);
        const auto code = fault_of([&] { write_snapshots(file, cube, 2, 2); }).code();
        CHECK(code == ExitCode::io_error);
        CHECK(empty_folder(folder.path()));
    }
}

TEST_CASE("as many frames as announced, no more and no fewer") {
    TemporaryFolder folder;
    SnapshotWriter writer(folder.path() / "s.h5", kGeometry, {}, false);
    CHECK_THROWS_WITH_AS(writer.write(0., frame_values(kGeometry, 1.)), doctest::Contains("one too many"), Error);
    writer.begin_shot(1, 1);
    CHECK_THROWS_WITH_AS(writer.commit(), doctest::Contains("0 of 1 snapshots"), Error);
    writer.write(0., frame_values(kGeometry, 1.));
    CHECK_THROWS_WITH_AS(writer.write(1., frame_values(kGeometry, 1.)), doctest::Contains("one too many"), Error);
}

TEST_CASE("the size of both files is predicted within 2 %") {
    struct Case {
        FileGeometry geometry;
        std::int64_t shots, frames;
    };
    for (const Case& c : {Case{{3, {64, 48, 40}, {1., 1., 1.}, {0., 0., 0.}}, 2, 5},
                          Case{{2, {601, 1, 251}, {1., 1., 1.}, {0., 0., 0.}}, 1, 6},
                          Case{{2, {101, 1, 101}, {1., 1., 1.}, {0., 0., 0.}}, 8, 20},
                          Case{{3, {301, 101, 150}, {1., 1., 1.}, {0., 0., 0.}}, 1, 1}}) {
        TemporaryFolder folder;
        write_snapshots(folder.path() / "snapshots.h5", c.geometry, c.shots, c.frames);
        const auto actual = double(std::filesystem::file_size(folder.path() / "snapshots.h5") +
                                   std::filesystem::file_size(folder.path() / "snapshots.xdmf"));
        const auto predicted =
            double(predicted_snapshot_bytes(c.geometry, c.shots, c.frames, sample_provenance().bytes()));
        CAPTURE(c.geometry.shape[0]);
        CAPTURE(actual - predicted);
        CHECK(std::abs(predicted / actual - 1.) <= 0.02);
    }
}
