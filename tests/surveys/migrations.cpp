// `onda rtm` from observed data to images: reflectors come to where they are, at any dip, as strong as they reflect;
// blank data leave nothing; source and receiver may change places; and an image has the same bits whoever computes it.
// Takes 20 s.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "io/models/model_file.hpp"
#include "io/results/image_file.hpp"
#include "io/results/seismograms.hpp"
#include "tests/io/files_support.hpp"
#include "tests/program/process.hpp"
#include "tests/sanitized.hpp"

using namespace onda;

namespace {

const std::string kLine = R"(schema_version: 1
grid: {shape: [181, 91], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.9}
boundary: {cpml_width: 10}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{type: line, first_m: [200, 10], last_m: [1600, 10], count: 5}]
receivers: [{type: line, first_m: [0, 10], last_m: [1800, 10], count: 181}]
backend: {name: cpu}
output: {pictures: false, report: false}
)";
const std::string kImagingOf = "imaging: {observed: true/seismograms.h5, image: {direct_wave: subtract}}\n";

/// A folder with observed data of a true model, and a survey of a smooth one.
struct MigrationPlace {
    explicit MigrationPlace(const std::string& model, const std::string& survey = kLine) {
        write_text(folder.path() / "true.yaml", survey);
        write_text(folder.path() / "smooth.yaml", survey + kImagingOf);
        observe("true", model);
    }
    void observe(const std::string& name, const std::string& model) const {
        const Outcome done = run_onda({"run", folder.path() / "true.yaml", "--output", folder.path() / name, "--force",
                                       "--set", "model=" + model});
        REQUIRE_MESSAGE(done.code == 0, done.err);
    }
    [[nodiscard]] Outcome migrate(const std::string& name, const std::vector<std::string>& settings = {},
                                  const std::vector<std::string>& more = {}) const {
        std::vector<std::string> arguments{"rtm", folder.path() / "smooth.yaml", "--output", folder.path() / name};
        for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_onda(arguments);
    }
    [[nodiscard]] std::vector<float> read(const std::string& name, const StoredImageKind& kind = kMigratedImage) const {
        const ImageContents contents = image_contents(folder.path() / name / "image.h5");
        return read_image(folder.path() / name / "image.h5", kind, {0, 0, 0}, contents.nodes.geometry.shape);
    }
    [[nodiscard]] std::vector<float> image(const std::string& name, const std::vector<std::string>& settings = {},
                                           const StoredImageKind& kind = kMigratedImage) const {
        const Outcome done = migrate(name, settings);
        REQUIRE_MESSAGE(done.code == 0, done.err);
        return read(name, kind);
    }
    /// The velocities of the survey's model, with a setting.
    [[nodiscard]] std::vector<float> vp(const std::string& setting) const {
        const std::filesystem::path file = folder.path() / "model.h5";
        const Outcome done =
            run_onda({"model", folder.path() / "smooth.yaml", "--output", file, "--force", "--set", setting});
        REQUIRE_MESSAGE(done.code == 0, done.err);
        const ModelFile model(file);
        const auto& shape = model.geometry().shape;
        std::vector<float> values(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
        model.read({}, shape, values);
        return values;
    }
    TemporaryFolder folder;
};

constexpr std::int64_t kNx = 181;

struct Peak {
    double z, value;
};
/// The extremum of a column between two depths [nodes], by a parabola.
Peak peak_of(const std::vector<float>& image, std::int64_t x, std::int64_t from, std::int64_t to) {
    const auto at = [&](std::int64_t z) { return double(image[static_cast<std::size_t>(z * kNx + x)]); };
    std::int64_t best = from;
    for (std::int64_t z = from; z < to; ++z)
        if (std::abs(at(z)) > std::abs(at(best))) best = z;
    const double a = at(best - 1), b = at(best), c = at(best + 1), shift = 0.5 * (a - c) / (a - 2. * b + c);
    return {double(best) + shift, b - 0.25 * (a - c) * shift};
}

}  // namespace

TEST_CASE("a reflector of one node's thickness has its peak at its node, at three dips, positive where it is faster") {
    for (const int dip : {0, 15, 30}) {
        const std::string dips = ", dip_deg: " + std::to_string(dip);
        // On the left end of the grid: tops of the layer there, so that it is 400 m deep in the middle.
        const double slope = std::tan(dip * 3.14159265358979 / 180.), thick = 10. / std::cos(std::atan(slope));
        const double top = 400. - 0.5 * thick - 900. * slope;
        const MigrationPlace place(
            "{type: layered, layers: [{top_m: -2000, vp_m_s: 2000}, {top_m: " + std::to_string(top) +
            ", vp_m_s: 2100}, {top_m: " + std::to_string(top + thick) + ", vp_m_s: 2000}]" + dips + "}");
        for (const std::string condition : {"cross_correlation", "inverse_scattering", "velocity"}) {
            CAPTURE(dip);
            CAPTURE(condition);
            const std::vector<float> image = place.image(condition, {"imaging.image.condition=" + condition});
            for (const std::int64_t x : {80, 90, 100}) {
                const double expected = 40. + double(x - 90) * slope;
                const Peak peak = peak_of(image, x, std::int64_t(expected) - 8, std::int64_t(expected) + 9);
                CHECK(std::abs(peak.z - expected) * std::cos(std::atan(slope)) <= 0.5);
                CHECK(peak.value > 0.);
            }
        }
    }
}

TEST_CASE("in VTI a reflector is imaged where it is by what is derived for it, and elsewhere without anisotropy") {
    // It dips, so that waves reach it at angles from the vertical.
    const std::string anisotropic = ", epsilon: 0.25, delta: 0.1";
    const double slope = std::tan(0.5);
    const MigrationPlace place("{type: layered, dip_deg: 28.65, layers: [{top_m: -2000, vp_m_s: 2000" + anisotropic +
                               "}, {top_m: " + std::to_string(394. - 900. * slope) + ", vp_m_s: 2100" + anisotropic +
                               "}, {top_m: " + std::to_string(406. - 900. * slope) + ", vp_m_s: 2000" + anisotropic +
                               "}]}");
    const std::string smooth = "model={type: constant, vp_m_s: 2000" + anisotropic + "}";
    const auto error = [&](const std::string& name, const std::vector<std::string>& settings) {
        const std::vector<float> image = place.image(name, settings);
        double worst = 0.;  // [nodes]
        for (const std::int64_t x : {80, 90, 100}) {
            const double expected = 40. + double(x - 90) * slope;
            const Peak peak = peak_of(image, x, std::int64_t(expected) - 12, std::int64_t(expected) + 13);
            worst = std::max(worst, std::abs(peak.z - expected) * std::cos(0.5));
        }
        return worst;
    };
    for (const std::string condition : {"cross_correlation", "inverse_scattering", "velocity"}) {
        CAPTURE(condition);
        const std::string setting = "imaging.image.condition=" + condition;
        CHECK(error(condition, {smooth, setting}) <= 0.6);
        CHECK(error(condition + " without", {smooth, setting, "model.anisotropy=none"}) > 2.);
    }
    const Outcome tilted = place.migrate("tilted", {smooth, "model.theta_deg=20"});
    CHECK(tilted.code == 78);
    CHECK(contains(tilted.err, "are those of isotropic media and of VTI so far: leave theta and phi out"));
}

TEST_CASE("two layers: beside the illumination an image is as strong as their reflection coefficient") {
    // Amplitudes at one interface, from the strongest value above it to that below, over R at normal incidence.
    std::string dense = kLine;  // the illumination along the interface is even
    dense.replace(dense.find("count: 5"), 8, "count: 8");
    const MigrationPlace place("{type: constant, vp_m_s: 2000}", dense);
    std::vector<double> ratios;
    for (const double r : {0.02, 0.1, -0.05}) {
        const double vp = 2000. * (1. + r) / (1. - r);
        place.observe("true", "{type: layered, layers: [{top_m: 0, vp_m_s: 2000}, {top_m: 400, vp_m_s: " +
                                  std::to_string(vp) + "}]}");
        const std::vector<float> image = place.image("image", {"imaging.offset_m={max: 150}"});
        std::filesystem::remove_all(place.folder.path() / "image");
        for (const std::int64_t x : {70, 90, 110}) {
            const Peak above = peak_of(image, x, 30, 40), below = peak_of(image, x, 40, 50);
            ratios.push_back((below.value - above.value) / r);
        }
    }
    const double least = std::ranges::min(ratios), most = std::ranges::max(ratios);
    CAPTURE(least);
    CAPTURE(most);
    CHECK(least > 0.);
    CHECK(most / least <= 1.05);
}

TEST_CASE("subsurface-offset gathers are the image at no offset, and come together there where the velocity is right") {
    const MigrationPlace place("{type: layered, layers: [{top_m: 0, vp_m_s: 2000}, {top_m: 500, vp_m_s: 2300}]}");
    const std::vector<std::string> asked{"imaging.image.condition=cross_correlation",
                                         "imaging.image.offset_gathers={every_m: 300, half_offset_m: 200}"};
    const auto gathers_of = [&](const std::string& name, const std::string& setting) {
        const Outcome done = place.migrate(name, {asked[0], asked[1], setting});
        REQUIRE_MESSAGE(done.code == 0, done.err);
        return read_offset_gathers(place.folder.path() / name / "image.h5");
    };
    const OffsetGathers right = gathers_of("right", "output.report=true");
    const std::string report = text_of(place.folder.path() / "right" / "report.html");
    for (const char* part : {"\"gather at x = 900 m\"", "\"half offset along x\"",
                             "\"fold\":{\"axis\":\"x\",\"first_m\":100.0,\"bin_m\":5.0"})
        CHECK_MESSAGE(report.find(part) != std::string::npos, part);
    const std::vector<float> stack = place.read("right", kImageStack);
    REQUIRE(right.x_m == std::vector<double>{300, 600, 900, 1200, 1500});
    REQUIRE(right.half_offset_m.size() == 41);
    const std::size_t offsets = right.half_offset_m.size(), planes = right.z_m.size();
    REQUIRE(planes == 91);
    for (std::size_t line = 0; line < right.x_m.size(); ++line)
        for (std::size_t z = 0; z < planes; ++z)
            REQUIRE(right.values[(line * offsets + 20) * planes + z] ==
                    stack[z * kNx + static_cast<std::size_t>(right.x_m[line] / 10.)]);

    // They are the same beside another condition, whose image and illumination they leave as these are.
    const std::vector<float> plain = place.image("plain", {"imaging.image.condition=velocity"});
    const std::vector<float> beside = place.image("beside", {"imaging.image.condition=velocity", asked[1]});
    CHECK(beside == plain);
    CHECK(place.read("beside", kSourceIllumination) == place.read("plain", kSourceIllumination));
    CHECK(read_offset_gathers(place.folder.path() / "beside" / "image.h5").values == right.values);

    // Half the mean square of the offset, over the energy below the direct wave, in m^2.
    const auto spread = [&](const OffsetGathers& gathers) {
        double energy = 0., moment = 0.;
        for (std::size_t h = 0; h < offsets; ++h)
            for (std::size_t z = 35; z < planes; ++z) {
                const double value = gathers.values[(2 * offsets + h) * planes + z];
                energy += value * value;
                moment += value * value * gathers.half_offset_m[h] * gathers.half_offset_m[h];
            }
        REQUIRE(energy > 0.);
        return moment / energy;
    };
    const double focused = spread(right);
    CHECK(spread(gathers_of("slow", "model.vp_m_s=1800")) > 2. * focused);
    CHECK(spread(gathers_of("fast", "model.vp_m_s=2200")) > 1.5 * focused);

    // Rebuilt from a ring to rounding.
    const OffsetGathers ring = gathers_of("ring", "imaging.storage=ring");
    double worst = 0., largest = 0.;
    for (std::size_t i = 0; i < right.values.size(); ++i) {
        worst = std::max(worst, double(std::abs(ring.values[i] - right.values[i])));
        largest = std::max(largest, double(std::abs(right.values[i])));
    }
    CHECK(worst < 1e-4 * largest);
    // Shots on parts of the grid: the same lines, with what their parts reach.
    const OffsetGathers parts = gathers_of("part", "survey={limit_m: 300}");
    CHECK(parts.x_m == right.x_m);
    const std::vector<float> stack_of_parts = place.read("part", kImageStack);
    for (std::size_t line = 0; line < parts.x_m.size(); ++line)
        for (std::size_t z = 0; z < planes; ++z)
            REQUIRE(parts.values[(line * offsets + 20) * planes + z] ==
                    stack_of_parts[z * kNx + static_cast<std::size_t>(parts.x_m[line] / 10.)]);

    const Outcome wide = place.migrate("wide", {"imaging.image.offset_gathers={every_m: 300, half_offset_m: 2000}"});
    CHECK(wide.code == 78);
    CHECK(wide.err.find("at most half of the grid along x, 900 m") != std::string::npos);
    const Outcome none = place.migrate("none", {"imaging.image.offset_gathers={every_m: 3000, half_offset_m: 100}"});
    CHECK(none.code == 78);
    CHECK(none.err.find("no line lies inside the grid") != std::string::npos);
}

TEST_CASE("blank data leave no image") {
    const MigrationPlace place("{type: constant, vp_m_s: 2000}");
    const std::filesystem::path file = place.folder.path() / "true" / "seismograms.h5";
    std::vector<ShotGather> gathers;
    for (const std::int64_t shot : list_shots(file)) gathers.push_back(read_gather(file, shot));
    SeismogramWriter writer(file, {}, true);
    for (ShotGather& gather : gathers) {
        std::ranges::fill(gather.pressure, 0.F);
        writer.write(gather);
    }
    writer.commit();
    const std::vector<float> image = place.image("image", {"imaging.image.direct_wave=keep"});
    CHECK(std::ranges::all_of(image, [](float value) { return value == 0.F; }));
    CHECK(std::ranges::any_of(place.read("image", kSourceIllumination), [](float value) { return value > 0.F; }));
    CHECK(std::ranges::all_of(place.read("image", kReceiverIllumination), [](float value) { return value == 0.F; }));
}

TEST_CASE("an image is the same whoever computes it, and goes on where it ended") {
    std::string few = kLine;
    few.replace(few.find("count: 5"), 8, "count: 3");
    few.replace(few.find("duration_s: 0.9"), 15, "duration_s: 0.6");
    const MigrationPlace place(
        "{type: inclusions, vp_m_s: 2000, inclusions: [{shape: sphere, center_m: [900, 400], "
        "radius_m: 60, vp_m_s: 2200}]}",
        few);
    const std::vector<float> expected = place.image("full", {"imaging.storage=full", "backend.batch=1"});
    CHECK(std::ranges::any_of(expected, [](float value) { return value != 0.F; }));
    CHECK(place.image("batch", {"backend.batch=2"}) == expected);
    CHECK(place.image("states", {"imaging.storage=checkpoints"}) == expected);
    CHECK(place.image("reference", {"backend.kernel=reference", "backend.threads=1"}) == expected);
    CHECK(place.migrate("parts", {}, {"--shots", "3,1"}).code == 0);
    CHECK_FALSE(std::filesystem::exists(place.folder.path() / "parts" / "image.h5"));
    CHECK(place.migrate("parts").code == 0);
    CHECK(place.read("parts") == expected);
    const Outcome changed = place.migrate("parts", {"imaging.image.condition=velocity"});
    CHECK(changed.code != 0);
    CHECK(contains(changed.err, "imaging.image.condition"));
    // In a medium that absorbs, too.
    const std::vector<float> of_q = place.image("of q", {"model.q=30", "backend.batch=1"});
    CHECK(of_q != expected);
    if (!test::kSanitized)  // least_squares.cpp says why
        CHECK(place.image("two workers", {"model.q=30", "backend.batch=1", "backend.devices=[0, 1]"}) == of_q);
    // The image is what its file says that it is made of.
    const std::vector<float> stack = place.read("full", kImageStack), lit = place.read("full", kSourceIllumination);
    double mean = 0.;
    for (const float energy : lit) mean += double(energy) / double(lit.size());
    for (std::size_t i = 0; i < stack.size(); i += 97)
        CHECK(double(expected[i]) ==
              doctest::Approx(double(stack[i]) / std::max(double(lit[i]), 0.01 * mean)).epsilon(1e-5));
}

TEST_CASE("source and receiver may change places") {
    const std::string grid = R"(schema_version: 1
grid: {shape: [181, 91], spacing_m: 10}
model: {type: gradient, vp_m_s: 1800, gradient_per_s: 0.5}
time: {duration_s: 0.7, dt_s: 0.002}
boundary: {cpml_width: 10}
wavelet: {type: ricker, peak_frequency_hz: 15}
scheme: {precision: double}
backend: {name: cpu}
output: {pictures: false, report: false, seismograms: {dt_s: 0.002}}
)";
    const std::string here = "[500, 100]", there = "[1200, 150]";
    const auto survey = [&](const std::string& source, const std::string& receiver) {
        return grid + "sources: [{position_m: " + source + "}]\nreceivers: [{position_m: " + receiver + "}]\n";
    };
    // Data that the adjoint run, which reverses them, injects as they were recorded.
    std::vector<std::vector<float>> images;
    for (const auto& [source, receiver] : {std::pair(here, there), std::pair(there, here)}) {
        const MigrationPlace place("{type: gradient, vp_m_s: 1800, gradient_per_s: 0.5}", survey(source, receiver));
        const std::filesystem::path file = place.folder.path() / "true" / "seismograms.h5";
        ShotGather gather = read_gather(file, 1);
        std::ranges::reverse(gather.pressure);
        SeismogramWriter writer(file, {}, true);
        writer.write(gather);
        writer.commit();
        images.push_back(place.image("image",
                                     {"imaging.image.condition=cross_correlation", "imaging.image.normalise=none",
                                      "imaging.image.direct_wave=keep", "imaging.every=1"},
                                     kImageStack));
    }
    double worst = 0., largest = 0.;
    for (std::size_t i = 0; i < images[0].size(); ++i) {
        worst = std::max(worst, std::abs(double(images[0][i]) - double(images[1][i])));
        largest = std::max(largest, std::abs(double(images[0][i])));
    }
    REQUIRE(largest > 0.);
    CHECK(worst <= 1e-5 * largest);
}

TEST_CASE("thrust sheets and salt in 3-D are imaged where the velocity changes") {
    for (const std::string earth : {"thrust_belt", "salt_basin"}) {
        CAPTURE(earth);
        const MigrationPlace place("{type: " + earth + "}", R"(schema_version: 1
grid: {shape: [45, 37, 33], spacing_m: 40}
model: {type: )" + earth + R"(, smooth_m: 100}
time: {duration_s: 0.9}
boundary: {cpml_width: 8}
wavelet: {type: ricker, peak_frequency_hz: 6}
sources:
  - {position_m: [400, 400, 40], shot: 1}
  - {position_m: [1300, 400, 40], shot: 2}
  - {position_m: [400, 1000, 40], shot: 3}
  - {position_m: [1300, 1000, 40], shot: 4}
receivers: [{type: grid, first_m: [0, 0, 40], last_m: [1760, 1440, 40], spacing_m: [80, 80, 40]}]
scheme: {min_points_per_wavelength: 2}
backend: {name: cpu}
output: {pictures: false, report: false}
)");
        const std::vector<float> image = place.image("image");
        // What a migration sees of the earth: where it is faster or slower than the smooth one.
        const std::vector<float> rough = place.vp("model.smooth_m=0"), smooth = place.vp("model.smooth_m=100");
        REQUIRE(rough.size() == image.size());
        constexpr std::size_t plane = 45 * 37;
        double both = 0., of_image = 0., of_earth = 0.;
        for (std::size_t i = 6 * plane; i < 22 * plane; ++i) {
            const double change = double(rough[i]) - double(smooth[i]);
            both += double(image[i]) * change;
            of_image += double(image[i]) * double(image[i]);
            of_earth += change * change;
        }
        CAPTURE(both / std::sqrt(of_image * of_earth));
        CHECK(both > 0.2 * std::sqrt(of_image * of_earth));
    }
}
