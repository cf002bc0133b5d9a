// onda compare on files of every kind: differences, shifts with their units, differences after alignment, templates,
// and what it refuses. Takes 3 s.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/models/model_file.hpp"
#include "io/results/image_file.hpp"
#include "io/results/seismograms.hpp"
#include "io/results/snapshots.hpp"
#include "solver/model/stored_parameter.hpp"
#include "tests/program/program.hpp"

using namespace onda;
using Json = nlohmann::json;

namespace {

const FileGeometry kComparedGrid{2, {64, 1, 48}, {10., 10., 5.}, {100., 0., 0.}};

/// A wave packet whose phase and envelope move with a shift in samples.
float packet(double x, double z) {
    const double u = x - 30., v = z - 22.;
    return static_cast<float>(std::exp(-(u * u / 90. + v * v / 60.)) * std::cos(0.9 * u + 0.6 * v));
}

/// Values [z][x] of the packet, shifted by samples along x and z.
std::vector<float> packets(const FileGeometry& geometry, double shift_x, double shift_z) {
    std::vector<float> values;
    for (std::int64_t z = 0; z < geometry.shape[2]; ++z)
        for (std::int64_t x = 0; x < geometry.shape[0]; ++x)
            values.push_back(packet(static_cast<double>(x) - shift_x, static_cast<double>(z) - shift_z));
    return values;
}

std::string model_file(const TemporaryFolder& folder, const std::string& name, double shift_x, double shift_z,
                       const FileGeometry& geometry = kComparedGrid) {
    const std::vector<float> values = packets(geometry, shift_x, shift_z);
    const auto plane = [&](std::int64_t z, std::span<float> vp) {
        for (std::size_t x = 0; x < vp.size(); ++x)
            vp[x] = 2000.f + 300.f * values[static_cast<std::size_t>(z) * vp.size() + x];
    };
    write_model_file(folder.path() / name, geometry, plane, "test", true);
    return (folder.path() / name).string();
}

std::string image_file(const TemporaryFolder& folder, const std::string& name, double shift_x, double shift_z) {
    ImageWriter writer(folder.path() / name, {kComparedGrid, {}}, {}, true);
    writer.write(kMigratedImage, 0, packets(kComparedGrid, shift_x, shift_z));
    writer.write(ShotMisfit{.shot = 1, .value = 0.5, .of_trace = {0.5}});
    writer.commit();
    return (folder.path() / name).string();
}

/// Shots 2 and 5 of 8 receivers, the second later by half a sample times the number of the file.
std::string gather_file(const TemporaryFolder& folder, const std::string& name, double later) {
    SeismogramWriter writer(folder.path() / name, {}, true);
    for (const std::int64_t shot : {2, 5}) {
        ShotGather gather;
        gather.shot = shot;
        gather.sources_m = {{0., 0., 0.}};
        gather.dt_s = 0.004;
        gather.samples = 120;
        for (int receiver = 0; receiver < 8; ++receiver) {
            gather.receivers_m.push_back({20. * receiver, 0., 0.});
            for (int i = 0; i < 120; ++i)
                gather.pressure.push_back(packet((i - (shot == 5 ? later : 0.) - 3. * receiver) / 2. + 8., 22.));
        }
        writer.write(gather);
    }
    writer.commit();
    return (folder.path() / name).string();
}

std::string snapshot_file(const TemporaryFolder& folder, const std::string& name, double shift_z) {
    SnapshotWriter writer(folder.path() / name, kComparedGrid, {}, true);
    writer.begin_shot(1, 2);
    writer.write(0.1, packets(kComparedGrid, 0., 0.));
    writer.write(0.2, packets(kComparedGrid, 0., shift_z));
    writer.commit();
    return (folder.path() / name).string();
}

Json compared(std::vector<std::string> arguments, int code = 0) {
    arguments.insert(arguments.begin(), "compare");
    arguments.insert(arguments.end(), {"--json", "-", "--backend", "cpu"});
    const Outcome outcome = run_onda(arguments);
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == code);
    return Json::parse(outcome.out);
}

void check_first_shift(const Json& json, double along_0, double along_2) {
    REQUIRE_FALSE(json["shifts"].empty());
    const Json& samples = json["shifts"][0]["samples"];
    CHECK(std::abs(samples[0].get<double>() - along_0) < 0.02);
    CHECK(samples[1].get<double>() == 0.);
    CHECK(std::abs(samples[2].get<double>() - along_2) < 0.02);
}

std::vector<std::string> lines_in(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// An array of NumPy's of three axes.
void write_array(const std::filesystem::path& file, const std::array<std::int64_t, 3>& shape,
                 const std::vector<float>& values) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(shape[0]) + ", " +
                         std::to_string(shape[1]) + ", " + std::to_string(shape[2]) + "), }";
    header.resize(117, ' ');
    header += '\n';
    std::ofstream out(file, std::ios::binary);
    out << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(header.size()) << '\0' << header;
    out.write(reinterpret_cast<const char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(float)));
}

}  // namespace

TEST_CASE("every parameter that a model file may have is compared, in its own unit") {
    const TemporaryFolder folder;
    const auto file_of = [&](const char* name, float angle, const char* without) {
        const auto constant = [](float value) {
            return [value](std::int64_t, std::span<float> values) { std::ranges::fill(values, value); };
        };
        std::vector<QuantityPlanes> further;
        for (const MediumParameter* const parameter : storable_parameters())
            if (parameter->name != without)
                further.push_back({quantity_of(*parameter), constant(parameter->name == "theta"     ? angle
                                                                     : parameter->name == "epsilon" ? 0.3f * angle
                                                                                                    : 3.f)});
        for (QuantityPlanes& one : further)
            if (one.quantity.name == "delta") one.plane = constant(0.1f);
        write_model_file(folder.path() / name, kComparedGrid, constant(2000.f), "test", true, further);
        return (folder.path() / name).string();
    };
    const std::string a = file_of("a.h5", 0.5f, ""), b = file_of("b.h5", 0.4f, "phi");
    const auto difference = [&](const char* dataset) {
        const Outcome outcome = run_onda({"compare", a, b, "--dataset", dataset, "--json", "-"});
        CAPTURE(outcome.err);
        REQUIRE(outcome.code == 0);
        return Json::parse(outcome.out)["difference"];
    };
    for (const char* same : {"vp", "rho", "q", "alpha", "delta"}) CHECK(difference(same)["maximum"] == 0.);
    CHECK(difference("theta")["relative_l2"].get<double>() == doctest::Approx(0.25));
    CHECK(difference("theta")["maximum"].get<double>() == doctest::Approx(0.1));
    CHECK(difference("epsilon")["maximum"].get<double>() == doctest::Approx(0.03));
    CHECK(contains(run_onda({"compare", a, b, "--dataset", "theta"}).out, "0.1 rad at"));
    const Outcome none = run_onda({"compare", a, b, "--dataset", "phi"});
    CHECK(none.code == 64);
    CHECK(contains(none.err, "b.h5 has vp, rho, q"));
}

TEST_CASE("models, images, snapshots and gathers are compared, with shifts in samples, metres and seconds") {
    const TemporaryFolder folder;
    const Json models = compared({model_file(folder, "a.h5", 0., 0.), model_file(folder, "b.h5", 2., -1.5)});
    check_first_shift(models, 2., -1.5);
    CHECK(models["shifts"][0]["distance"][0].get<double>() == doctest::Approx(20.).epsilon(0.02));
    CHECK(models["shifts"][0]["distance"][2].get<double>() == doctest::Approx(-7.5).epsilon(0.02));
    CHECK(models["after_alignment"]["nrms"].get<double>() < 0.05 * models["before_alignment"]["nrms"].get<double>());
    const std::string image = image_file(folder, "i.h5", 0., 0.), moved = image_file(folder, "j.h5", -0.75, 3.25);
    check_first_shift(compared({image, moved, "--dataset", "migrated"}), -0.75, 3.25);
    const std::string still = snapshot_file(folder, "s.h5", 0.), later = snapshot_file(folder, "t.h5", 2.5);
    check_first_shift(compared({still, later}), 0., 2.5);
    CHECK(compared({still, later, "--time-s", "0.1"})["difference"]["relative_l2"] == 0.);
    const std::string early = gather_file(folder, "g.h5", 0.), late = gather_file(folder, "h.h5", 2.5);
    CHECK(compared({early, late})["difference"]["relative_l2"] == 0.);
    const Json gathers = compared({early, late, "--shot", "5", "--max-shift-s", "0.04"});
    check_first_shift(gathers, 2.5, 0.);
    CHECK(gathers["shifts"][0]["distance"][0].get<double>() == doctest::Approx(0.01).epsilon(0.02));
}

TEST_CASE("identical files differ by nothing and are shifted by exactly nothing; a tolerance decides the exit code") {
    const TemporaryFolder folder;
    const std::string a = model_file(folder, "a.h5", 0., 0.), b = model_file(folder, "b.h5", 1., 0.);
    const Json same = compared({a, a, "--tolerance", "0"});
    CHECK(same["difference"]["relative_l2"] == 0.);
    CHECK(same["difference"]["maximum"] == 0.);
    CHECK(same["correlation"] == 1.);
    for (const Json& sample : same["shifts"][0]["samples"]) CHECK(sample == 0.);
    CHECK(std::abs(compared({a, b})["shifts"][0]["samples"][0].get<double>() - 1.) < 0.05);
    compared({a, b, "--tolerance", "0.5"});
    const Outcome exceeds = run_onda({"compare", a, b, "--tolerance", "0.001", "--quiet"});
    CHECK(exceeds.code == 1);
    CHECK(exceeds.out.empty());
    CHECK(contains(exceeds.err, "exceeds --tolerance 0.001"));
}

TEST_CASE("the table names files, grid, differences and shifts") {
    const TemporaryFolder folder;
    const Outcome text =
        run_onda({"compare", model_file(folder, "a.h5", 0., 0.), model_file(folder, "b.h5", 2., 0.), "--peaks", "2"});
    REQUIRE(text.code == 0);
    for (const char* word : {"a.h5: vp", "x: 64 samples 10 m apart, z: 48 samples 5 m apart", "relative L2", "m/s at x",
                             "without a shift", "NRMS", "aligned"})
        CHECK(contains(text.out, word));
    const Outcome help = run_onda({"compare", "--help"});
    CHECK(contains(help.out, "onda compare --find channel.h5 image.h5"));
}

TEST_CASE("the difference after alignment is written as array and as HDF5, never over a file") {
    const TemporaryFolder folder;
    const std::string a = model_file(folder, "a.h5", 0., 0.), b = model_file(folder, "b.h5", 3.25, 0.);
    const std::string array = (folder.path() / "d.npy").string(), hdf5 = (folder.path() / "d.h5").string();
    CHECK(run_onda({"compare", a, b, "--quiet", "--difference", array}).code == 0);
    CHECK(run_onda({"compare", a, b, "--quiet", "--difference", array}).code == 73);
    CHECK(run_onda({"compare", a, b, "--quiet", "--difference", hdf5}).code == 0);
    CHECK(run_onda({"compare", a, b, "--quiet", "--difference", (folder.path() / "d.txt").string()}).code == 64);
    CHECK(std::filesystem::file_size(hdf5) > 64 * 48 * 4);
    CHECK(std::filesystem::file_size(array) == 64 * 48 * 4 + 128);
    // Zeros where the shifted model is not known, and hardly more elsewhere: its values are below a
    // thousandth of the contrast of 300 m/s.
    const std::string bytes = text_of(array).substr(128);
    float largest = 0.f;
    for (std::size_t i = 0; i < bytes.size(); i += 4) {
        float value = 0.f;
        std::copy_n(bytes.data() + i, 4, reinterpret_cast<char*>(&value));
        if (!std::isnan(largest) && !(std::abs(value) <= largest)) largest = std::abs(value);
    }
    CHECK(largest < 0.3f);
    CHECK(largest > 0.f);
}

TEST_CASE("what does not fit together is refused, naming both files and the values") {
    const TemporaryFolder folder;
    const std::string a = model_file(folder, "a.h5", 0., 0.);
    FileGeometry wider = kComparedGrid, longer = kComparedGrid;
    wider.spacing_m[0] = 12.5;
    longer.shape[0] = 65;
    const Outcome spacing = run_onda({"compare", a, model_file(folder, "w.h5", 0., 0., wider)});
    CHECK(spacing.code == 65);
    for (const char* word : {"a.h5", "w.h5", "spacing", "12.5 m", "10 m"}) CHECK(contains(spacing.err, word));
    const Outcome extents = run_onda({"compare", a, model_file(folder, "l.h5", 0., 0., longer)});
    CHECK(extents.code == 65);
    for (const char* word : {"a.h5", "l.h5", "extents", "64 x 1 x 48", "65 x 1 x 48"})
        CHECK(contains(extents.err, word));
    const std::string image = image_file(folder, "i.h5", 0., 0.);
    CHECK(contains(run_onda({"compare", image, image, "--dataset", "migrate"}).err, "did you mean 'migrated'?"));
    CHECK(contains(run_onda({"compare", a, a, "--dataset", "rho"}).err, "a.h5 has vp"));
    CHECK(contains(run_onda({"compare", a, a, "--dataset", "theta"}).err, "a.h5 has vp"));
    CHECK(contains(run_onda({"compare", a, a, "--shot", "1"}).err, "--shot says nothing about"));
    CHECK(contains(run_onda({"compare", a, a, "--max-shift-s", "1"}).err, "no axis in seconds"));
    CHECK(contains(run_onda({"compare", a, a, "--max-shift-m", "700"}).err, "x has 64 samples, 10 m apart"));
    CHECK(contains(run_onda({"compare", a, a, "--backend", "gpu"}).err, "there are auto, cuda and cpu"));
    CHECK(run_onda({"compare", a}).code == 64);
    CHECK(run_onda({"compare", a, (folder.path() / "none.h5").string()}).code == 66);
}

TEST_CASE("a template is found in a volume at its angle, and the table is in the order of the angles") {
    const TemporaryFolder folder;
    constexpr std::int64_t n = 28, m = 9;
    const auto hook = [](double x, double y, double z) {
        return static_cast<float>(std::exp(-(x * x / 2. + y * y / 12. + z * z / 3.)) +
                                  std::exp(-((x - 2.) * (x - 2.) + (y - 3.) * (y - 3.) + z * z) / 3.));
    };
    std::vector<float> form, volume;
    for (std::int64_t z = 0; z < m; ++z)
        for (std::int64_t y = 0; y < m; ++y)
            for (std::int64_t x = 0; x < m; ++x)
                form.push_back(
                    hook(static_cast<double>(x - 4), static_cast<double>(y - 4), static_cast<double>(z - 4)));
    // Turned by a quarter: what was along x is along y.
    for (std::int64_t z = 0; z < n; ++z)
        for (std::int64_t y = 0; y < n; ++y)
            for (std::int64_t x = 0; x < n; ++x) {
                const bool inside = std::abs(x - 12) <= 4 && std::abs(y - 17) <= 4 && std::abs(z - 9) <= 4;
                volume.push_back(
                    inside ? hook(static_cast<double>(y - 17), static_cast<double>(12 - x), static_cast<double>(z - 9))
                           : 0.f);
            }
    write_array(folder.path() / "form.npy", {m, m, m}, form);
    write_array(folder.path() / "volume.npy", {n, n, n}, volume);
    const auto table = folder.path() / "peaks.csv";
    const std::vector<std::string> search{"compare",
                                          "--find",
                                          (folder.path() / "form.npy").string(),
                                          (folder.path() / "volume.npy").string(),
                                          "--rotations",
                                          "8",
                                          "--peaks",
                                          "2",
                                          "--keep-mean",
                                          "--backend",
                                          "cpu",
                                          "--output"};
    const auto with = [&](const std::string& file, std::vector<std::string> more) {
        std::vector<std::string> all = search;
        all.push_back((folder.path() / file).string());
        all.insert(all.end(), more.begin(), more.end());
        return run_onda(all);
    };
    const Outcome found = with("peaks.csv", {"--workers", "1"});
    CAPTURE(found.err);
    REQUIRE(found.code == 0);
    const std::vector<std::string> lines = lines_in(text_of(table));
    REQUIRE(lines.size() > 10);
    CHECK(lines[0] == "of,rotation,angle_deg,rank,x,y,z,score,amplitude");
    CHECK(lines[1].starts_with("rotation,0,0,1,"));
    const std::string best =
        *std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("all"); });
    CHECK(best.starts_with("all,2,90,1,12,17,9,"));
    CHECK(std::abs(std::stod(best.substr(best.rfind(',') + 1)) - 1.) < 1e-5);
    REQUIRE(with("three.csv", {"--workers", "3", "--quiet"}).code == 0);
    CHECK(text_of(folder.path() / "three.csv") == text_of(table));
    CHECK(with("peaks.csv", {}).code == 73);
    CHECK(with("peaks.txt", {}).code == 64);
    const Outcome reversed =
        run_onda({"compare", "--find", (folder.path() / "volume.npy").string(), (folder.path() / "form.npy").string(),
                  "--output", (folder.path() / "x.csv").string()});
    CHECK(reversed.code == 65);
    CHECK(contains(reversed.err, "does not fit into"));
}
