// Results are read as they were written, any shot and any part of one, also through links; files that are not what they
// say are refused by name.
// Takes 2 s.
#include "io/results/result_reader.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <fstream>
#include <hdf5.h>
#include <limits>
#include <tuple>

#include "io/hdf5/hdf5.hpp"
#include "io/models/model_file.hpp"
#include "io/results/snapshots.hpp"
#include "tests/io/files_support.hpp"
#include "tests/io/result_file_checks.hpp"

using namespace onda;

namespace {

const Provenance kProvenance{{{"config_resolved_yaml",
                               "title: \"Nord-S\xc3\xbc"
                               "d\"\nschema_version: 1\n"}}};
const FileGeometry kVolume{3, {7, 5, 4}, {2., 3., 5.}, {100., 200., 300.}};

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

void write_three_frames(const std::filesystem::path& file, const std::vector<std::int64_t>& shots) {
    SnapshotWriter writer(file, kVolume, kProvenance, false);
    for (const std::int64_t shot : shots) {
        writer.begin_shot(shot, 3);
        for (std::int64_t n = 0; n < 3; ++n) writer.write(0.1 * double(n), frame_of(kVolume, n + 10 * shot));
    }
    writer.commit();
}

}  // namespace

TEST_CASE("a shot is opened with what other programs are told of it, and its grid is that of the configuration") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "seismograms.h5";
    ShotGather gather = sample_gather(7, 4, 9);
    gather.carried = {{"station", true, {"1007", "", "3", "-4.5"}}, {"name", false, {"A", "\xc3\x98st", "", "D, 4"}}};
    gather.source_wavelet = {0};
    gather.source_amplitude = {-2.5};
    gather.wavelets = {0.001, {"ricker"}, {0.1}, {12.}, {0., 1., 0.}, "Pa"};
    for (const bool dotted : {false, true}) {
        const Provenance provenance =
            dotted
                ? Provenance{{{"onda_version", "0.1.0"},
                              {"parameters",
                               "Onda: 0.1.0\ngrid.origin_m: [100, -16]\ngrid.shape: [81, 61]\n"
                               "grid.spacing_m: [10, 8]\n"}}}
                : Provenance{{{"onda_version", "0.1.0"},
                              {"config_resolved_yaml",
                               "title: a\ngrid:\n  shape: [81, 61]\n  spacing_m: [10, 8]\n  origin_m: [100, -16]\n"}}};
        SeismogramWriter writer(file, provenance, true);
        writer.write(gather);
        writer.commit();
        const SeismogramReader reader(file);
        const ResultOrigin origin = reader.origin();
        CHECK(origin.version == "0.1.0");
        CHECK(origin.title == (dotted ? "" : "a"));
        REQUIRE(origin.grid.has_value());
        CHECK(origin.grid->dimensions == 2);
        CHECK(origin.grid->shape == std::array<std::int64_t, 3>{81, 1, 61});
        CHECK(origin.grid->spacing_m[0] == 10.);
        CHECK(origin.grid->spacing_m[2] == 8.);
        CHECK(origin.grid->origin_m == std::array<double, 3>{100., 0., -16.});
        const OpenGather opened = reader.open(7);
        CHECK(opened.header.receivers_m == gather.receivers_m);
        CHECK(opened.header.source_amplitude == gather.source_amplitude);
        CHECK(opened.header.wavelets.amplitude_unit == "Pa");
        CHECK(opened.header.carried == gather.carried);  // in the order of the table, which is no alphabet's
        CHECK(opened.header.carried == read_gather(file, 7).carried);
        const std::vector<float> middle = opened.read(1, 2);
        CHECK(std::ranges::equal(middle, std::span<const float>(gather.pressure).subspan(9, 18)));
    }
    // More texts than one message has.
    ShotGather many = sample_gather(1, 25'000, 2);
    many.carried = {{"name", false, {}}};
    for (std::size_t r = 0; r < 25'000; ++r) many.carried[0].text.push_back("station " + std::to_string(r));
    SeismogramWriter writer(file, kProvenance, true);
    writer.write(many);
    writer.commit();
    const SeismogramReader reader(file);
    CHECK_FALSE(reader.origin().grid.has_value());
    CHECK(reader.open(1).header.carried == many.carried);
}

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
    write_three_frames(file, {3, 5});
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

TEST_CASE("snapshots at times that are none are refused") {
    for (const double time_s : {std::nan(""), std::numeric_limits<double>::infinity(), -1.}) {
        TemporaryFolder folder;
        const auto file = folder.path() / "snapshots.h5";
        SnapshotWriter writer(file, kVolume, kProvenance, false);
        writer.begin_shot(1, 2);
        for (const int frame : {0, 1}) writer.write(0.1 * frame, frame_of(kVolume, frame));
        writer.commit();
        const double times_s[] = {0., time_s};
        const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        const hid_t dataset = H5Dopen2(opened, "shots/1/time_s", H5P_DEFAULT);
        REQUIRE(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times_s) >= 0);
        H5Dclose(dataset);
        H5Fclose(opened);
        const std::string said = fault_of([&] { (void)SnapshotReader(file).open(1); }).what();
        CAPTURE(said);
        CHECK(contains(said, "time_s: time 2 is "));
    }
}

TEST_CASE("shots in files of their own") {
    TemporaryFolder folder;
    std::filesystem::create_directory(folder.path() / "shots");
    write_three_frames(folder.path() / "shots" / "00007.snapshots.h5", {7});
    SnapshotWriter writer(folder.path() / "snapshots.h5", kVolume, kProvenance, false);
    writer.link(7, {0., 0.1, 0.2}, "shots/00007.snapshots.h5");
    writer.link(8, {0., 0.1, 0.2}, "../00008.snapshots.h5");
    writer.commit();
    const SnapshotReader reader(folder.path() / "snapshots.h5");
    CHECK(reader.shots() == std::vector<std::int64_t>{7, 8});
    CHECK(reader.open(7).read(0, {0, 0, 0}, kVolume.shape) == frame_of(kVolume, 70));
    CHECK_THROWS_WITH_AS((void)reader.open(8), doctest::Contains("which is not beside the file"), Error);
}

TEST_CASE("the shots of a long survey are listed within the time that reading may take, in their order") {
    constexpr std::int64_t shots = 50'000;
    TemporaryFolder folder;
    SeismogramWriter writer(folder.path() / "seismograms.h5", kProvenance, false);
    std::vector<std::int64_t> expected;
    for (std::int64_t shot = 1; shot <= shots; ++shot) {
        writer.link(shots + 1 - shot, "shots/" + std::to_string(shots + 1 - shot) + ".seismograms.h5");
        expected.push_back(shot);
    }
    writer.commit();
    CHECK(SeismogramReader(folder.path() / "seismograms.h5").shots() == expected);
    CHECK(list_shots(folder.path() / "seismograms.h5") == expected);
}

namespace {

/// The planes [first, first + count) of a frame of kVolume.
std::vector<float> planes_of(std::int64_t first, std::int64_t count, std::int64_t frame) {
    const std::vector<float> all = frame_of(kVolume, frame);
    const std::int64_t plane = kVolume.shape[0] * kVolume.shape[1];
    return {all.begin() + first * plane, all.begin() + (first + count) * plane};
}

/// Shot 5 of write_three_frames(), its planes in two files; joined in snapshots.h5.
void write_parts(const std::filesystem::path& folder, const std::string& second_name = "b.h5") {
    std::vector<SnapshotPartFile> parts;
    for (const auto& [name, first, count] : {std::tuple("a.h5", 0, 3), std::tuple("b.h5", 3, 1)}) {
        FileGeometry geometry = kVolume;
        geometry.shape[2] = count;
        geometry.origin_m[2] += geometry.spacing_m[2] * first;
        SnapshotWriter writer(folder / name, geometry, kProvenance, true);
        writer.begin_shot(5, 3);
        for (std::int64_t n = 0; n < 3; ++n) writer.write(0.1 * double(n), planes_of(first, count, n + 50));
        writer.finish_values().commit();
        parts.push_back({name,
                         std::int64_t(std::filesystem::file_size(folder / name)),
                         "0123456789abcdef",
                         {0, 0, first},
                         {kVolume.shape[0], kVolume.shape[1], count}});
    }
    parts.back().name = second_name;
    SnapshotWriter writer(folder / "snapshots.h5", kVolume, kProvenance, true);
    writer.join(5, {0., 0.1, 0.2}, parts);
    writer.commit();
}

}  // namespace

TEST_CASE("snapshots in files of parts read as those in one, wherever the folder is") {
    TemporaryFolder folder;
    const auto first = folder.path() / "first", place = folder.path() / "place";
    std::filesystem::create_directory(first);
    write_parts(first);
    std::filesystem::rename(first, place);
    const auto file = place / "snapshots.h5";
    write_three_frames(folder.path() / "one.h5", {5});
    const ShotFrames frames = read_frames(file, 5), expected = read_frames(folder.path() / "one.h5", 5);
    CHECK(frames.times_s == expected.times_s);
    CHECK(frames.values == expected.values);
    const ShotSnapshots shot = SnapshotReader(file).open(5);
    CHECK(shot.times_s() == expected.times_s);
    CHECK(shot.geometry().shape == kVolume.shape);
    CHECK(shot.geometry().origin_m == kVolume.origin_m);
    CHECK(shot.read(2, {0, 0, 0}, kVolume.shape) == frame_of(kVolume, 52));
    CHECK(shot.read(1, {2, 3, 2}, {3, 1, 2}) ==
          SnapshotReader(folder.path() / "one.h5").open(5).read(1, {2, 3, 2}, {3, 1, 2}));
    CHECK(shot.read(1, {0, 0, 3}, {7, 5, 1}) == planes_of(3, 1, 51));
    CHECK(fault_of([&] { (void)shot.read(3, {0, 0, 0}, {1, 1, 1}); }).code() == ExitCode::internal);
    const std::vector<SnapshotPartFile> parts = parts_of_snapshots(file);
    REQUIRE(parts.size() == 2);
    CHECK(parts[1].name == "b.h5");
    CHECK(parts[1].bytes == std::int64_t(std::filesystem::file_size(place / "b.h5")));
    CHECK(parts[1].first == std::array<std::int64_t, 3>{0, 0, 3});
    CHECK(parts[1].count == std::array<std::int64_t, 3>{7, 5, 1});
    CHECK(parts_of_snapshots(folder.path() / "one.h5").empty());
    // A part is a file of its own like any other.
    CHECK(SnapshotReader(place / "b.h5").open(5).geometry().origin_m == std::array{100., 200., 315.});
}

TEST_CASE("a part that is missing, is another or lies elsewhere is an error that names it") {
    TemporaryFolder folder;
    const auto file = folder.path() / "snapshots.h5", part = folder.path() / "b.h5";
    write_parts(folder.path());
    const auto open = [&] { (void)SnapshotReader(file).open(5); };
    std::filesystem::rename(part, folder.path() / "c.h5");
    const std::string why = message_of(open, ExitCode::missing_input);
    CHECK(contains(why, "b.h5: no such file; it has a part of the snapshots of"));
    CHECK(contains(why, "snapshots.h5"));
    CHECK(contains(message_of([&] { (void)read_frames(file, 5); }, ExitCode::missing_input), "b.h5: no such file"));
    std::filesystem::copy_file(folder.path() / "a.h5", part);
    CHECK(contains(message_of(open, ExitCode::bad_data), "b.h5: has another size than was written"));
    // The file has the right size, but other planes.
    std::filesystem::remove(part);
    write_three_frames(part, {5});
    const auto bytes = std::filesystem::file_size(folder.path() / "c.h5");
    std::filesystem::resize_file(part, bytes);
    CHECK_THROWS_AS((void)SnapshotReader(file).open(5).read(0, {0, 0, 0}, kVolume.shape), Error);
    for (const std::string elsewhere : {"../b.h5", "/tmp/b.h5", "..", "b%%.h5"}) {
        CHECK(contains(message_of([&] { write_parts(folder.path(), elsewhere); }, ExitCode::io_error),
                       "values of it lie in " + elsewhere + ", which is not beside the file"));
        const auto forged = folder.path() / "forged.h5";
        auto root = hdf5::File::create(forged, forged);
        root.set_text("format", "onda-snapshots");
        root.set_integer("format_version", 1);
        auto shots = root.create_group("shots"), shot = shots.create_group("5");
        const hdf5::ViewSource source{elsewhere, "/shots/5/pressure", {0, 0, 0, 0}, {1, 2, 1, 2}};
        shot.create_view("pressure", {1, 2, 2, 2}, {&source, 1}, 0.f).close();
        shot.close(), shots.close(), root.close();
        CHECK(contains(message_of([&] { (void)SnapshotReader(forged).open(5); }, ExitCode::bad_data),
                       "values of it lie in " + elsewhere + ", which is not beside the file"));
    }
}

TEST_CASE("what no part has is zero") {
    TemporaryFolder folder;
    const auto file = folder.path() / "snapshots.h5";
    FileGeometry geometry = kVolume;
    geometry.shape = {2, 1, 3};
    SnapshotWriter part(folder.path() / "a.h5", geometry, kProvenance, false);
    part.begin_shot(1, 1);
    part.write(0., std::vector<float>{1, 2, 3, 4, 5, 6});
    part.finish_values().commit();
    SnapshotWriter writer(file, kVolume, kProvenance, false);
    const SnapshotPartFile only{
        "a.h5", std::int64_t(std::filesystem::file_size(folder.path() / "a.h5")), "", {4, 2, 1}, {2, 1, 3}};
    writer.join(1, {0.}, {&only, 1});
    writer.commit();
    std::vector<float> expected(std::size_t(7 * 5 * 4));
    for (std::size_t i = 0; i < 6; ++i) expected[4 + i % 2 + 7 * (2 + 5 * (1 + i / 2))] = float(i + 1);
    CHECK(read_frames(file, 1).values == expected);
    CHECK(SnapshotReader(file).open(1).read(0, {0, 0, 0}, kVolume.shape) == expected);
}

TEST_CASE("what is no result, or another, is refused") {
    TemporaryFolder folder;
    const auto file = folder.path() / "snapshots.h5", model = folder.path() / "model.h5",
               text = folder.path() / "text.h5", odd = folder.path() / "odd.h5";
    write_three_frames(file, {1});
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
