// The pictures of a run are titled, on one scale, show the density and the absorbing zones, and what is noise as noise.
// Takes 7 s.
#include <algorithm>

#include "io/pictures/colour_map.hpp"
#include "tests/io/png_image.hpp"
#include "tests/program/program.hpp"

using namespace onda;

namespace {

/// A shot in the middle of one layer or of two; what is recorded goes at half of a second.
std::string config(const std::string& model, const std::string& more) {
    return "schema_version: 1\ngrid: {shape: [81, 61], spacing_m: 10}\nmodel: " + model + R"(
time: {duration_s: 1.2}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{position_m: [400, 300]}]
receivers: [{type: line, first_m: [100, 50], last_m: [700, 50], count: 13}]
)" + more;
}

const std::string kUniform = "{type: constant, vp_m_s: 2000}";
const std::string kVelocities = "{type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 300, vp_m_s: 3000}]}";
const std::string kLayers =
    "{type: layered, layers: [{top_m: 0, vp_m_s: 1500, rho_kg_m3: 1000}, {top_m: 300, vp_m_s: 3000, rho_kg_m3: 2400}]}";

struct PicturedRun {
    explicit PicturedRun(const std::string& text) {
        write_text(folder.path() / "small.yaml", text);
        const Outcome outcome = run_onda({"run", (folder.path() / "small.yaml").string(), "-o", out().string()});
        CAPTURE(outcome.err);
        REQUIRE(outcome.code == 0);
    }
    [[nodiscard]] std::filesystem::path out() const { return folder.path() / "out"; }
    /// The pictures of snapshots, by time.
    [[nodiscard]] std::vector<Image> wavefields() const {
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(out()))
            if (entry.path().filename().string().starts_with("snapshot_xz_")) files.push_back(entry.path());
        std::ranges::sort(files);
        std::vector<Image> images;
        for (const auto& file : files) images.push_back(read_png(file));
        return images;
    }
    TemporaryFolder folder;
};

/// Pixels of strong red or blue within the axes, but for the marks.
double coloured_share(const Image& image) {
    const Plot plot = find_plot(image);
    int coloured = 0, all = 0;
    for (int y = plot.top + plot.height / 6; y < plot.top + plot.height; ++y)
        for (int x = plot.left; x < plot.left + plot.width; ++x, ++all)
            coloured += std::abs(image.at(x, y).r - image.at(x, y).b) > 60;
    return double(coloured) / all;
}

}  // namespace

TEST_CASE("waves have their colours, on one scale; the noise that they leave behind looks like noise") {
    const PicturedRun waves(config(kUniform, "output: {snapshots: {times_s: [0.15, 0.2, 0.25]}}\n"));
    for (const Image& image : waves.wavefields()) CHECK(coloured_share(image) > 0.02);
    const PicturedRun noise(config(kUniform, "output: {snapshots: {times_s: [1.0, 1.1, 1.2]}}\n"));
    REQUIRE(noise.wavefields().size() == 3);
    for (const Image& image : noise.wavefields()) CHECK(coloured_share(image) < 0.002);
}

TEST_CASE("density is drawn beside the velocity where it varies, and layers inside the grid are outlined") {
    const PicturedRun two(config(kLayers, ""));
    const PicturedRun one(config(kVelocities, "boundary: {placement: inside, cpml_width: 12}\n"));
    const Image both = read_png(two.out() / "model_xz.png"), velocity = read_png(one.out() / "model_xz.png");
    CHECK(both.width > velocity.width);
    const Plot plot = find_plot(velocity);
    // The layer takes 12 of 80 cells across: paler, with an edge of dashes.
    const auto at = [&](double u, double v) {
        return velocity.at(plot.left + int(u * (plot.width - 1)), plot.top + int(v * (plot.height - 1)));
    };
    CHECK(at(0.3, 0.4) == kViridis.at(0.));
    CHECK(at(0.08, 0.4).r > kViridis.at(0.).r + 40);
    int dark = 0;
    for (int y = plot.height / 4; y < plot.height / 2; ++y) {
        int darkest = 255;
        for (int x = -2; x <= 2; ++x)
            darkest = std::min<int>(darkest, velocity.at(plot.left + int(0.15 * (plot.width - 1)) + x, plot.top + y).b);
        dark += darkest < 60;
    }
    CHECK(dark > plot.height / 4 / 3);
    CHECK(dark < plot.height / 4 * 9 / 10);
}

TEST_CASE("a wavefield lies over the velocity, or over the density where that alone varies") {
    const std::string densities =
        "{type: layered, layers: [{top_m: 0, vp_m_s: 1500, rho_kg_m3: 1000}, {top_m: 300, vp_m_s: 1500, rho_kg_m3: "
        "2400}]}";
    for (const std::string& model : {kVelocities, densities}) {
        const PicturedRun run(config(model, "output: {snapshots: {times_s: [0.05]}}\n"));
        REQUIRE(run.wavefields().size() == 1);
        const Image image = run.wavefields().front();
        const Plot plot = find_plot(image);
        const auto grey = [&](double v) {
            return image.at(plot.left + int(0.97 * plot.width), plot.top + int(v * plot.height)).r;
        };
        CHECK(grey(0.1) == grey(0.2));
        CHECK(std::abs(grey(0.2) - grey(0.9)) > 20);
    }
}

TEST_CASE("onda plot draws the wavefields of a run's folder over its model, with the absorbing zones outlined") {
    const PicturedRun run(config(kVelocities,
                                 "boundary: {placement: inside, cpml_width: 12}\n"
                                 "output: {snapshots: {times_s: [0.05]}}\n"));
    const auto drawn = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"plot",    "slice", run.out().string(),
                                           "--force", "-o",    (run.folder.path() / "p.png").string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        REQUIRE(run_onda(arguments).code == 0);
        return read_png(run.folder.path() / "p.png");
    };
    const auto at = [](const Image& image, double u, double v) {
        const Plot plot = find_plot(image);
        return image.at(plot.left + int(u * plot.width), plot.top + int(v * plot.height)).r;
    };
    const Image over = drawn({}), over_nothing = drawn({"--no-model"});
    CHECK(std::abs(at(over, 0.7, 0.3) - at(over, 0.7, 0.7)) > 20);
    CHECK(at(over_nothing, 0.7, 0.8) > 230);
    // Layers are paler.
    CHECK(at(over, 0.05, 0.7) > at(over, 0.7, 0.7) + 5);
    CHECK(at(drawn({"--model", (run.out() / "config.yaml").string()}), 0.05, 0.7) == at(over, 0.05, 0.7));
}

TEST_CASE("the title of the configuration stands above the pictures") {
    const PicturedRun plain(config(kUniform, "")), titled(config(kUniform,
                                                                 "title: \"S\xc3\xbc"
                                                                 "d\"\n"));
    for (const char* name : {"model_xz.png", "gather.png"})
        CHECK(read_png(titled.out() / name).height == read_png(plain.out() / name).height + 28);
}
