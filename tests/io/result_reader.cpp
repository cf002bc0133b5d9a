// Promise: results are read as they were written, any shot and any part of one, also through links; files that are not
// what they say are refused by name.
#include "io/results/result_reader.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <fstream>

#include "io/hdf5/hdf5.hpp"
#include "io/models/model_file.hpp"
#include "io/results/snapshots.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

const Provenance kProvenance{{{"config_resolved_yaml",
                               "title: \"Nord-S\xc3\xbc"
                               "d\"\nschema_version: 1\n"}}};
const FileGeometry kVolume{3, {7, 5, 4}, {2., 3., 5.}, {100., 200., 300.}};

ShotGather sample_gather(std::int64_t shot, std::int64_t receivers, std::int64_t samples) {
    ShotGather gather{shot, {{100. * double(shot), 2., 3.}}, {}, 0.002, samples, {}};
    for (std::int64_t r = 0; r < receivers; ++r) gather.receivers_m.push_back({10. * double(r), 0.5, -1.25});
    for (std::int64_t i = 0; i < receivers * samples; ++i)
        gather.pressure.push_back(float(std::sin(double(i)) / double(shot)));
    return gather;
}

float value_at(std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t frame) {
    return float(x + 10 * y + 100 * z + 1000 * frame);
}

std::vector<float> frame_of(const FileGeometry& g, std::int64_t frame) {
    std::vector<float> values;
    for (std::int64_t z = 0; z < g.shape[2]; ++z)
        for (std::int64_t y = 0; y < g.shape[1]; ++y)
            for (std::int64_t x = 0; x < g.shape[0]; ++x) values.push_back(value_at(x, y, z, frame));
    return values;
}

void write_snapshots(const std::filesystem::path& file, const std::vector<std::int64_t>& shots) {
    SnapshotWriter writer(file, kVolume, kProvenance, false);
    for (const std::int64_t shot : shots) {
        writer.begin_shot(shot, 3);
        for (std::int64_t n = 0; n < 3; ++n) writer.write(0.1 * double(n), frame_of(kVolume, n + 10 * shot));
    }
    writer.commit();
}

}  // namespace

TEST_CASE("a shot, some of its receivers, its header and the title") {
    TemporaryFolder folder;
    const auto file = folder.path() / "seismograms.h5";
    const std::vector<ShotGather> gathers{sample_gather(12, 3, 400'000), sample_gather(2, 700, 501)};
    SeismogramWriter writer(file, kProvenance, false);
    for (const auto& gather : gathers) writer.write(gather);
    writer.commit();

    CHECK(kind_of_file(file) == FileKind::seismograms);
    const SeismogramReader reader(file);
    CHECK(reader.shots() == std::vector<std::int64_t>{2, 12});
    CHECK(reader.has(12));
    CHECK_FALSE(reader.has(3));
    CHECK(reader.title() ==
          "Nord-S\xc3\xbc"
          "d");
    for (const ShotGather& gather : gathers) {
        const ShotGather back = reader.read(gather.shot);
        CHECK(back.pressure == gather.pressure);
        CHECK(back.receivers_m == gather.receivers_m);
        CHECK(back.sources_m == gather.sources_m);
        CHECK(back.dt_s == gather.dt_s);
        CHECK(back.samples == gather.samples);
        CHECK(reader.header(gather.shot).receivers_m == gather.receivers_m);
        CHECK(reader.header(gather.shot).pressure.empty());
    }
    const ShotGather part = reader.read(2, 699, 1);
    CHECK(part.receivers_m == std::vector(1, gathers[1].receivers_m[699]));
    CHECK(part.pressure == std::vector<float>(gathers[1].pressure.end() - 501, gathers[1].pressure.end()));
    CHECK(fault_of([&] { (void)reader.read(2, 699, 2); }).code() == ExitCode::internal);
}

TEST_CASE("a frame, and boxes of it, with geometry and times") {
    TemporaryFolder folder;
    const auto file = folder.path() / "snapshots.h5";
    write_snapshots(file, {3, 5});
    CHECK(kind_of_file(file) == FileKind::snapshots);
    const SnapshotReader reader(file);
    CHECK(reader.shots() == std::vector<std::int64_t>{3, 5});
    const ShotSnapshots shot = reader.open(5);
    CHECK(shot.shot() == 5);
    CHECK(shot.times_s() == std::vector<double>{0., 0.1, 0.2});
    CHECK(shot.geometry().shape == kVolume.shape);
    CHECK(shot.geometry().spacing_m == kVolume.spacing_m);
    CHECK(shot.geometry().origin_m == kVolume.origin_m);
    CHECK(shot.geometry().dimensions == 3);
    CHECK(shot.read(2, {0, 0, 0}, kVolume.shape) == frame_of(kVolume, 52));
    std::vector<float> section;
    for (std::int64_t z = 1; z < 4; ++z)
        for (std::int64_t x = 2; x < 5; ++x) section.push_back(value_at(x, 3, z, 51));
    CHECK(shot.read(1, {2, 3, 1}, {3, 1, 3}) == section);
    CHECK(fault_of([&] { (void)shot.read(3, {0, 0, 0}, {1, 1, 1}); }).code() == ExitCode::internal);
}

TEST_CASE("shots in files of their own") {
    TemporaryFolder folder;
    std::filesystem::create_directory(folder.path() / "shots");
    write_snapshots(folder.path() / "shots" / "00007.snapshots.h5", {7});
    SnapshotWriter writer(folder.path() / "snapshots.h5", kVolume, kProvenance, false);
    writer.link(7, {0., 0.1, 0.2}, "shots/00007.snapshots.h5");
    writer.link(8, {0., 0.1, 0.2}, "../00008.snapshots.h5");
    writer.commit();
    const SnapshotReader reader(folder.path() / "snapshots.h5");
    CHECK(reader.shots() == std::vector<std::int64_t>{7, 8});
    CHECK(reader.open(7).read(0, {0, 0, 0}, kVolume.shape) == frame_of(kVolume, 70));
    CHECK_THROWS_WITH_AS((void)reader.open(8), doctest::Contains("which is not beside the file"), Error);
}

TEST_CASE("what is no result, or another, is refused") {
    TemporaryFolder folder;
    const auto file = folder.path() / "snapshots.h5", model = folder.path() / "model.h5",
               text = folder.path() / "text.h5", odd = folder.path() / "odd.h5";
    write_snapshots(file, {1});
    CHECK_THROWS_WITH_AS(SeismogramReader{file}, doctest::Contains("is of format 'onda-snapshots'"), Error);
    write_model_file(
        model, kVolume, [](std::int64_t, std::span<float> vp) { std::ranges::fill(vp, 1500.f); }, "a test", false);
    CHECK(kind_of_file(model) == FileKind::model);
    CHECK_THROWS_WITH_AS(SnapshotReader{model}, doctest::Contains("expected onda-snapshots"), Error);
    std::ofstream(text) << "no HDF5";
    CHECK(fault_of([&] { (void)kind_of_file(text); }).code() == ExitCode::bad_data);
    CHECK(fault_of([&] { (void)kind_of_file(folder.path() / "absent.h5"); }).code() == ExitCode::missing_input);

    auto root = hdf5::File::create(odd, odd);
    root.set_text("format", "onda-snapshots");
    root.set_integer("format_version", 1);
    auto shots = root.create_group("shots");
    auto shot = shots.create_group("1");
    auto pressure = shot.create_dataset("pressure", hdf5::Element::float32, {{2, 3}, {}, {}});
    pressure.write_all(std::span<const float>(std::vector<float>(6)));
    pressure.close(), shot.close(), shots.close(), root.close();
    CHECK(kind_of_file(odd) == FileKind::snapshots);
    CHECK_THROWS_WITH_AS((void)SnapshotReader(odd).open(1), doctest::Contains("[time][z][y][x]"), Error);
}
