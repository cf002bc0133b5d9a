// seismograms.h5 returns what was written, says how it was made, and is complete or absent.
// Takes less than a second.
#include "io/results/seismograms.hpp"

#include <cmath>
#include <doctest/doctest.h>

#include "io/hdf5/hdf5.hpp"
#include "io/text/error.hpp"
#include "tests/io/file_size_limit.hpp"
#include "tests/io/files_support.hpp"
#include "tests/io/result_file_checks.hpp"

using namespace onda;

TEST_CASE("gathers come back bit for bit, with positions and sampling") {
    TemporaryFolder folder;
    const auto file = folder.path() / "seismograms.h5";
    const std::vector<ShotGather> gathers{sample_gather(1, 7, 501), sample_gather(12, 3, 400'000)};
    SeismogramWriter writer(file, sample_provenance(), false);
    for (const auto& gather : gathers) writer.write(gather);
    CHECK_FALSE(std::filesystem::exists(file));
    writer.commit();

    CHECK(list_shots(file) == std::vector<std::int64_t>{1, 12});
    for (const auto& gather : gathers) {
        const auto back = read_gather(file, gather.shot);
        CHECK(back.shot == gather.shot);
        CHECK(back.dt_s == gather.dt_s);
        CHECK(back.samples == gather.samples);
        CHECK(back.sources_m == gather.sources_m);
        CHECK(back.receivers_m == gather.receivers_m);
        CHECK(back.pressure == gather.pressure);
    }
}

TEST_CASE("particle motion comes back beside pressure, with its units, and a file of it is predicted within 2 %") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "seismograms.h5";
    ShotGather gather = sample_gather(4, 101, 751);
    for (const char* const name : {"velocity_z", "acceleration_x"}) {
        GatherComponent& component = gather.motion.emplace_back(GatherComponent{&gather_quantity(name)});
        for (const float p : gather.pressure)
            component.values.push_back(static_cast<float>(gather.motion.size()) * 1e-3F * p);
    }
    SeismogramWriter writer(file, sample_provenance(4000), false);
    writer.write(gather);
    writer.commit();
    const ShotGather back = read_gather(file, 4);
    CHECK(back.pressure == gather.pressure);
    REQUIRE(back.motion.size() == 2);
    for (const std::size_t i : {0u, 1u}) {
        CHECK(back.motion[i].quantity == gather.motion[i].quantity);
        CHECK(back.motion[i].values == gather.motion[i].values);
    }
    const auto root = hdf5::File::open(file);
    CHECK(root.open_dataset("shots/4/velocity_z").text("units") == "m/s");
    CHECK(root.open_dataset("shots/4/acceleration_x").text("units") == "m/s2");
    CHECK(root.open_dataset("shots/4/velocity_z").text("long_name") == "particle velocity along z");
    const std::int64_t receivers = 101;
    const auto predicted =
        double(predicted_seismogram_bytes({&receivers, 1}, 751, sample_provenance(4000).bytes(), {}, 0, 2));
    CHECK(std::abs(predicted / double(std::filesystem::file_size(file)) - 1.) <= 0.02);

    SeismogramWriter other(folder.path() / "other.h5", {}, false);
    gather.motion.back().values.pop_back();
    CHECK_THROWS_WITH_AS(other.write(gather), doctest::Contains("do not fit together"), Error);
    gather.motion.back().values.push_back(std::nanf(""));
    CHECK_THROWS_WITH_AS(other.write(gather), doctest::Contains("the particle acceleration along x is nan m/s2"),
                         Error);
    CHECK_THROWS_WITH_AS(gather_quantity("velocity_r"), doctest::Contains("but pressure, velocity_x"), Error);
}

TEST_CASE("the file tells its units, axes and provenance, however long the configuration") {
    TemporaryFolder folder;
    const auto file = folder.path() / "s.h5";
    const auto provenance = sample_provenance(200'000);
    SeismogramWriter writer(file, provenance, false);
    writer.write(sample_gather(3, 2, 11));
    writer.commit();

    const auto root = hdf5::File::open(file);
    CHECK(root.text("format") == "onda-seismograms");
    CHECK(root.number("format_version") == 1.);
    for (const auto& [name, value] : provenance.entries) CHECK(root.text(name) == value);
    const auto pressure = root.open_dataset("shots/3/pressure");
    CHECK(pressure.text("units") == "Pa");
    CHECK(pressure.texts("axis_labels") == std::vector<std::string>{"receiver", "time"});
    CHECK(pressure.number("dt_s") == 0.002);
    CHECK(pressure.number("time0_s") == 0.);
    const auto time = root.open_dataset("shots/3/time_s");
    CHECK(time.text("CLASS") == "DIMENSION_SCALE");
    CHECK(time.read_all<double>()[10] == doctest::Approx(0.02));
}

TEST_CASE("an existing file is not overwritten unless asked to") {
    TemporaryFolder folder;
    const auto file = folder.path() / "s.h5";
    const auto write = [&](bool overwrite, std::int64_t shot) {
        SeismogramWriter writer(file, {}, overwrite);
        writer.write(sample_gather(shot, 2, 5));
        writer.commit();
    };
    write(false, 1);
    CHECK(fault_of([&] { write(false, 2); }).code() == ExitCode::cannot_create);
    CHECK(list_shots(file) == std::vector<std::int64_t>{1});
    write(true, 2);
    CHECK(list_shots(file) == std::vector<std::int64_t>{2});
}

TEST_CASE("a writer that is not committed, or that cannot write, leaves nothing") {
    TemporaryFolder folder;
    const auto file = folder.path() / "s.h5";
    {
        SeismogramWriter writer(file, {}, false);
        writer.write(sample_gather(1, 2, 5));
    }
    CHECK(empty_folder(folder.path()));
    for (const rlim_t limit : {100u, 3000u, 100'000u, 1'000'000u, 3'000'000u}) {
        const FileSizeLimit full(limit);
        const auto write = [&] {
            SeismogramWriter writer(file, sample_provenance(), false);
            writer.write(sample_gather(1, 200, 4000));
            writer.commit();
        };
        const auto code = fault_of(write).code();
        CHECK(code == ExitCode::io_error);
        CHECK(empty_folder(folder.path()));
    }
}

TEST_CASE("gathers that do not fit together and repeated shots are refused") {
    TemporaryFolder folder;
    SeismogramWriter writer(folder.path() / "s.h5", {}, false);
    auto gather = sample_gather(1, 2, 5);
    writer.write(gather);
    CHECK_THROWS_WITH_AS(writer.write(gather), doctest::Contains("written twice"), Error);
    gather.shot = 2;
    gather.pressure.pop_back();
    CHECK_THROWS_WITH_AS(writer.write(gather), doctest::Contains("do not fit together"), Error);
}

TEST_CASE("other files are refused by name") {
    TemporaryFolder folder;
    const auto file = folder.path() / "other.h5";
    CHECK(fault_of([&] { list_shots(file); }).code() == ExitCode::missing_input);
    hdf5::File::create(file, file).close();
    CHECK(fault_of([&] { list_shots(file); }).code() == ExitCode::bad_data);

    const auto damaged = folder.path() / "damaged.h5";
    {
        auto root = hdf5::File::create(damaged, damaged);
        root.set_text("format", "onda-seismograms");
        root.set_integer("format_version", 1);
        auto shot = root.create_group("shots");
        auto one = shot.create_group("1");
        const std::vector<float> samples(12);
        const std::vector<double> positions(6);
        auto pressure = one.create_dataset("pressure", hdf5::Element::float32, {{3, 4}, {}, {}});
        auto sources = one.create_dataset("sources", hdf5::Element::float64, {{1, 3}, {}, {}});
        auto receivers = one.create_dataset("receivers", hdf5::Element::float64, {{2, 3}, {}, {}});
        pressure.write_all(std::span(samples));
        sources.write_all(std::span(positions).first(3));
        receivers.write_all(std::span(positions));
    }
    CHECK_THROWS_WITH_AS(read_gather(damaged, 1), doctest::Contains("one row for each of the 2 receivers"), Error);
    CHECK_THROWS_WITH_AS(read_gather(damaged, 2), doctest::Contains("has no group"), Error);
}

TEST_CASE("the size of the file is predicted within 2 %") {
    struct Case {
        std::int64_t shots, receivers, samples;
    };
    for (const Case& c :
         {Case{1, 500, 1501}, Case{3, 101, 751}, Case{1, 20, 3001}, Case{40, 48, 1000}, Case{2, 3, 300'000}}) {
        TemporaryFolder folder;
        const auto file = folder.path() / "s.h5";
        const auto provenance = sample_provenance(4000);
        SeismogramWriter writer(file, provenance, false);
        for (std::int64_t shot = 1; shot <= c.shots; ++shot) writer.write(sample_gather(shot, c.receivers, c.samples));
        writer.commit();
        const auto actual = double(std::filesystem::file_size(file));
        const std::vector<std::int64_t> receivers(std::size_t(c.shots), c.receivers);
        const auto predicted = double(predicted_seismogram_bytes(receivers, c.samples, provenance.bytes()));
        CAPTURE(c.shots);
        CAPTURE(c.receivers);
        CAPTURE(actual - predicted);
        CHECK(std::abs(predicted / actual - 1.) <= 0.02);
    }
}

TEST_CASE("columns of the receivers' tables come back, and are predicted too") {
    TemporaryFolder folder;
    const auto file = folder.path() / "s.h5";
    auto gather = sample_gather(1, 2000, 3);
    gather.carried = {{"name", false, {}}, {"elevation", true, {}}};
    for (int i = 0; i < 2000; ++i) {
        gather.carried[0].text.push_back("station " + std::to_string(10'000 + i));
        gather.carried[1].text.push_back(i % 2 == 0 ? "" : "-" + std::to_string(i) + ".25");
    }
    const auto provenance = sample_provenance();
    SeismogramWriter writer(file, provenance, false);
    writer.write(gather);
    writer.commit();
    CHECK(read_gather(file, 1).carried == gather.carried);
    const std::vector<std::int64_t> receivers{2000}, carried{13, 8};
    const auto actual = double(std::filesystem::file_size(file));
    const auto predicted = double(predicted_seismogram_bytes(receivers, 3, provenance.bytes(), carried));
    CAPTURE(actual - predicted);
    CHECK(std::abs(predicted / actual - 1.) <= 0.02);

    SeismogramWriter refusing(folder.path() / "t.h5", provenance, false);
    gather.carried[0].text.pop_back();
    CHECK(fault_of([&] { refusing.write(gather); }).code() == ExitCode::internal);
}

namespace {

/// Three sources of two wavelets.
ShotGather gather_with_wavelets() {
    ShotGather gather = sample_gather(1, 3, 5);
    gather.sources_m = {{100., 2., 3.}, {110., 2., 3.}, {120., 2., 3.}};
    gather.wavelets = {0.001, {"ricker", "file"}, {0.1, 0.02}, {15., 20.}, {0., 1., 0.5, 0.25, 2., 0.}};
    gather.source_wavelet = {0, 1, 0};
    gather.source_amplitude = {1., -2., 0.5};
    return gather;
}

}  // namespace

TEST_CASE("the signals of the sources come back, with what is told of them") {
    TemporaryFolder folder;
    const auto file = folder.path() / "s.h5";
    const ShotGather gather = gather_with_wavelets();
    SeismogramWriter writer(file, {}, false);
    writer.write(gather);
    writer.write(sample_gather(2, 3, 5));
    writer.commit();
    const ShotGather back = read_gather(file, 1);
    CHECK(back.wavelets == gather.wavelets);
    CHECK(back.source_wavelet == gather.source_wavelet);
    CHECK(back.source_amplitude == gather.source_amplitude);
    CHECK(read_gather(file, 2).source_wavelet.empty());
    const auto root = hdf5::File::open(file);
    const auto wavelet = root.open_dataset("shots/1/wavelet");
    CHECK(wavelet.extents() == hdf5::Extents{2, 3});
    CHECK(wavelet.numbers("t0_s") == std::vector<double>{0.1, 0.02});
    CHECK(wavelet.texts("type") == std::vector<std::string>{"ricker", "file"});

    SeismogramWriter refusing(folder.path() / "t.h5", {}, false);
    ShotGather faulty = gather;
    faulty.source_amplitude.pop_back();
    CHECK_THROWS_WITH_AS(refusing.write(faulty), doctest::Contains("do not fit together with its 3 sources"), Error);
}

TEST_CASE("offsets have a sign along x where the receivers have the y of the source, and none elsewhere") {
    ShotGather gather = sample_gather(1, 3, 5);
    gather.receivers_m = {{40., 2., 9.}, {100., 2., 9.}, {130., 2., 9.}};
    CHECK(offsets_m(gather) == std::vector<double>{-60., 0., 30.});
    gather.receivers_m[2][1] = 42.;
    CHECK(offsets_m(gather) == std::vector<double>{60., 0., 50.});
    TemporaryFolder folder;
    const auto file = folder.path() / "s.h5";
    SeismogramWriter writer(file, {}, false);
    writer.write(gather);
    writer.commit();
    const auto root = hdf5::File::open(file);
    const auto offset = root.open_dataset("shots/1/offset_m");
    CHECK(offset.read_all<double>() == std::vector<double>{60., 0., 50.});
    CHECK(offset.text("units") == "m");
}

TEST_CASE("the bytes of a wavelet are predicted") {
    TemporaryFolder folder;
    const auto file = folder.path() / "s.h5";
    SeismogramWriter writer(file, sample_provenance(), false);
    std::vector<std::int64_t> receivers;
    for (std::int64_t shot = 1; shot <= 50; ++shot) {
        ShotGather gather = sample_gather(shot, 20, 30);
        gather.wavelets = {0.001, {"ricker"}, {0.1}, {15.}, std::vector<double>(900, 0.5)};
        gather.source_wavelet = {0};
        gather.source_amplitude = {1.};
        writer.write(gather);
        receivers.push_back(20);
    }
    writer.commit();
    const auto actual = double(std::filesystem::file_size(file));
    const auto predicted = double(predicted_seismogram_bytes(receivers, 30, sample_provenance().bytes(), {}, 900));
    CAPTURE((actual - predicted) / 50.);
    CHECK(std::abs(predicted / actual - 1.) <= 0.02);
}
