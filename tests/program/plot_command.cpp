// `onda plot` draws gathers, spectra, wavefields, models and movies of a run's files, any shot, line and plane of them,
// and says what is wrong with what it cannot draw.
// Takes 15 s.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "io/models/model_file.hpp"
#include "io/results/image_file.hpp"
#include "io/results/seismograms.hpp"
#include "io/results/snapshots.hpp"
#include "tests/io/png_image.hpp"
#include "tests/program/program.hpp"

using namespace onda;
namespace fs = std::filesystem;

namespace {

const Provenance kProvenance{{{"config_resolved_yaml", "title: \"Two l\xc3\xa4yers\"\n"}}};
const FileGeometry kVolume{3, {41, 31, 21}, {10., 10., 10.}, {0., 100., 0.}};
const std::string kConfig = R"(schema_version: 1
title: "A small one"
grid: {shape: [61, 41], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500, rho_kg_m3: 1000}, {top_m: 200, vp_m_s: 3000, rho_kg_m3: 2400}]}
time: {duration_s: 0.05}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{position_m: [300, 100]}]
receivers: [{type: line, first_m: [100, 50], last_m: [500, 50], count: 9}]
)";

/// Shot 2: a grid of 3 lines of 20 receivers, of which only the second line records anything. Shot 10: 5 receivers.
ShotGather gather_of(std::int64_t shot) {
    ShotGather gather{shot, {{100., 150., 20.}}, {}, 0.002, 301, {}};
    const int lines = shot == 2 ? 3 : 1, each = shot == 2 ? 20 : 5;
    for (int line = 0; line < lines; ++line)
        for (int r = 0; r < each; ++r) {
            gather.receivers_m.push_back({10. * r, 140. + 10. * line, 10.});
            for (int n = 0; n < 301; ++n) {
                const double a = std::pow(3.14 * 20. * (0.002 * n - 0.3), 2.);
                gather.pressure.push_back(shot == 2 && line != 1 ? 0.f : float((1. - 2. * a) * std::exp(-a)));
            }
        }
    if (shot == 10) {  // motion against the pressure
        GatherComponent& velocity = gather.motion.emplace_back(GatherComponent{&gather_quantity("velocity_z")});
        for (const float p : gather.pressure) velocity.values.push_back(-1e-6f * p);
    }
    return gather;
}

/// A gradient that is positive above the middle and negative below; no illumination by the adjoint field.
void write_gradient(const fs::path& file, const FileGeometry& geometry) {
    ImageWriter writer(file, {geometry, {}}, kProvenance, false);
    const auto values = static_cast<std::size_t>(geometry.shape[0] * geometry.shape[1] * geometry.shape[2]);
    std::vector<float> gradient(values, 2.f);
    std::fill(gradient.begin() + static_cast<std::ptrdiff_t>(values / 2), gradient.end(), -2.f);
    writer.write(kVpGradient, 0, gradient);
    writer.write(kSourceIllumination, 0, std::vector<float>(values, 3.f));
    writer.write(ShotMisfit{.shot = 2, .value = 1., .of_trace = {1.}});
    writer.commit();
}

/// The results of a run and a model: the second of four snapshots is a thousandth of the others.
void write_results(const fs::path& folder, const FileGeometry& geometry) {
    SeismogramWriter seismograms(folder / "seismograms.h5", kProvenance, false);
    SnapshotWriter snapshots(folder / "snapshots.h5", geometry, kProvenance, false);
    const auto values = static_cast<std::size_t>(geometry.shape[0] * geometry.shape[1] * geometry.shape[2]);
    for (const std::int64_t shot : {2, 10}) {
        seismograms.write(gather_of(shot));
        snapshots.begin_shot(shot, 4);
        for (int n = 1; n <= 4; ++n) snapshots.write(0.1 * n, std::vector<float>(values, n == 2 ? 1e-3f : 1.f));
    }
    seismograms.commit();
    snapshots.commit();
    const auto plane = [](std::int64_t z, std::span<float> vp) { std::ranges::fill(vp, z < 10 ? 1500.f : 2500.f); };
    write_model_file(folder / "model.h5", geometry, plane, "a test", false);
    write_gradient(folder / "gradient.h5", geometry);
    write_text(folder / "small.yaml", kConfig);
}

struct Results {
    explicit Results(const FileGeometry& geometry = kVolume) { write_results(folder.path(), geometry); }
    [[nodiscard]] std::string path(const std::string& name) const { return (folder.path() / name).string(); }

    /// onda plot, with '@' for the folder.
    [[nodiscard]] Outcome plot(std::vector<std::string> arguments, const std::string& before = "true") const {
        arguments.insert(arguments.begin(), "plot");
        for (std::string& argument : arguments)
            if (argument.starts_with('@')) argument = path(argument.substr(1));
        return run_onda(arguments, before);
    }
    /// The picture p.png that it makes.
    [[nodiscard]] Image drawn(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"-o", "@p.png", "--force"});
        const Outcome outcome = plot(std::move(arguments));
        CAPTURE(outcome.err);
        REQUIRE(outcome.code == 0);
        CHECK(outcome.out == path("p.png") + "\n");
        return read_png(path("p.png"));
    }
    TemporaryFolder folder;
};

Rgb middle_of(const Image& image) {
    const Plot plot = find_plot(image);
    return image.at(plot.left + plot.width / 2, plot.top + plot.height / 2);
}

int spread(const Image& image) {
    const Plot plot = find_plot(image);
    int low = 255, high = 0;
    for (int y = plot.top; y < plot.top + plot.height; ++y)
        for (int x = plot.left; x < plot.left + plot.width; ++x) {
            low = std::min<int>(low, image.at(x, y).g);
            high = std::max<int>(high, image.at(x, y).g);
        }
    return high - low;
}

}  // namespace

TEST_CASE("every kind of picture is made beside its input, and does not replace another unless asked to") {
    const Results results;
    const std::vector<std::pair<std::vector<std::string>, std::string>> pictures{
        {{"gather", "@seismograms.h5"}, "seismograms_gather.png"},
        {{"wiggle", "@seismograms.h5"}, "seismograms_wiggle.png"},
        {{"spectrum", "@seismograms.h5"}, "seismograms_spectrum.png"},
        {{"slice", "@snapshots.h5", "--plane", "xy"}, "snapshots_slice_xy.png"},
        {{"gradient", "@gradient.h5"}, "gradient_gradient_xz.png"},
        {{"gradient", "@", "--image", "source", "--plane", "yz"}, "plot_source_yz.png"},
        {{"model", "@model.h5"}, "model_model_xz.png"},
        {{"model", "@small.yaml"}, "small_model_xz.png"},
        {{"gather", "@"}, "plot_gather.png"}};
    for (const auto& [arguments, name] : pictures) {
        const Outcome made = results.plot(arguments);
        CAPTURE(made.err);
        CHECK(made.code == 0);
        CHECK(made.out == results.path(name) + "\n");
        CHECK(read_png(results.path(name)).width > 600);
        CHECK(results.plot(arguments).code == 73);
    }
    std::vector<std::string> forced = pictures[0].first;
    forced.insert(forced.end(), {"--force", "--width", "777"});
    CHECK(results.plot(forced).code == 0);
    CHECK(read_png(results.path("seismograms_gather.png")).width == 777);
    CHECK(results.plot({"spectrum", "@seismograms.h5", "--shot", "2,10", "-o", "@s.pdf"}).code == 0);
    CHECK(text_of(results.path("s.pdf")).starts_with("%PDF"));
    std::string svg;
    for (int i = 0; i < 2; ++i) {  // the same bytes each time
        CHECK(results.plot({"fk", "@seismograms.h5", "--velocity", "2000", "-o", "@s.svg", "--force"}).code == 0);
        const std::string text = text_of(results.path("s.svg"));
        CHECK(contains(text.substr(0, 200), "<svg xmlns=\"http://www.w3.org/2000/svg\""));
        CHECK(text.ends_with("</svg>\n"));
        CHECK(contains(text, "<image "));
        CHECK((svg.empty() || svg == text));
        svg = text;
    }
}

TEST_CASE("a gradient has zero in the middle of its colours, on any plane") {
    const Results results;
    CHECK(middle_of(results.drawn({"gradient", "@gradient.h5", "--plane", "xy", "--at", "10"})) == kBlueRed.at(1.));
    CHECK(middle_of(results.drawn({"gradient", "@gradient.h5", "--plane", "xy", "--at", "190"})) == kBlueRed.at(0.));
    CHECK(middle_of(results.drawn({"gradient", "@gradient.h5", "--image", "source"})) == kViridis.at(1.));
}

TEST_CASE("any shot, any line of a grid of receivers, and several side by side") {
    const Results results;
    const auto gather = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"gather", "@seismograms.h5", "--style", "colours"});
        return results.drawn(std::move(more));
    };
    CHECK(spread(gather({"--line", "1"})) == 0);
    CHECK(spread(gather({"--line", "2"})) > 200);
    CHECK(spread(gather({"--line", "3"})) == 0);
    CHECK(spread(gather({"--line", "0"})) > 200);
    CHECK(spread(gather({"--shot", "10"})) > 200);
    CHECK(gather({"--shot", "2,10"}).width > gather({"--shot", "2"}).width);
    // Gains: the wave at half of the record, times a half, below a clip of 1.
    const auto darkest = [&](const std::string& gain) {
        return 255 - spread(gather({"--shot", "10", "--clip", "1", "--gain", gain}));
    };
    CHECK(darkest("1") > darkest("0") + 20);
}

TEST_CASE("particle motion is drawn in place of pressure, where a run has recorded it") {
    const Results results;
    const std::vector<std::string> gather{"gather", "@seismograms.h5", "--shot", "10", "--map", "grey"};
    const auto of = [&](const std::string& quantity) {
        std::vector<std::string> arguments = gather;
        arguments.insert(arguments.end(), {"--quantity", quantity});
        return arguments;
    };
    const Rgb pressure = middle_of(results.drawn(gather)), velocity = middle_of(results.drawn(of("velocity_z")));
    CHECK(int(pressure.r) < 40);   // black: the peak of the wavelet
    CHECK(int(velocity.r) > 215);  // white
    CHECK(middle_of(results.drawn(of("pressure"))) == pressure);
    for (const char* kind : {"spectrum", "fk"})
        CHECK(results.plot({kind, "@seismograms.h5", "--shot", "10", "--quantity", "velocity_z"}).code == 0);
    const Outcome absent = results.plot(of("velocity_x"));
    CHECK(absent.code == 65);
    CHECK(contains(absent.err, "shot 10 has no velocity_x: runs record it where"));
    CHECK(contains(results.plot(of("vz")).err, "receivers record no vz, but pressure, velocity_x"));
}

TEST_CASE("particle motion is sorted by offset and midpoint as pressure is, and every shot must have it") {
    const Results results;
    SeismogramWriter line(results.path("line.h5"), kProvenance, false);
    for (const std::int64_t shot : {10, 11}) {
        ShotGather gather = gather_of(10);
        gather.shot = shot;
        line.write(gather);
    }
    line.commit();
    for (const std::vector<std::string>& place : {std::vector<std::string>{"offset", "--offset", "80"},
                                                  std::vector<std::string>{"cmp", "--at", "60,145", "--within", "6"}}) {
        CAPTURE(place.front());
        const auto of = [&](const std::string& quantity, const std::string& file) {
            std::vector<std::string> arguments{place.front(), file, "--map", "grey", "--quantity", quantity};
            arguments.insert(arguments.end(), place.begin() + 1, place.end());
            return arguments;
        };
        CHECK(int(middle_of(results.drawn(of("pressure", "@line.h5"))).r) < 40);     // black: the peak of the wavelet
        CHECK(int(middle_of(results.drawn(of("velocity_z", "@line.h5"))).r) > 215);  // white
        const Outcome absent = results.plot(of("velocity_z", "@seismograms.h5"));
        CHECK(absent.code == 65);
        CHECK(contains(absent.err, "shot 2 has no velocity_z: runs record it where"));
    }
}

TEST_CASE("SEG-Y and SU are drawn as seismograms are, but for their units") {
    const Results results;
    SeismogramWriter line(results.path("line.h5"), kProvenance, false);
    for (const std::int64_t shot : {2, 10}) {  // each with a place of its own, by which SEG-Y tells shots apart
        ShotGather gather = gather_of(shot);
        gather.sources_m[0][0] += double(shot);
        line.write(gather);
    }
    line.commit();
    for (const char* format : {"--segy", "--su"})
        REQUIRE(run_onda({"export", results.path("line.h5"), format}).code == 0);
    const auto draw = [&](const std::vector<std::string>& picture, const std::string& file) {
        std::vector<std::string> arguments{picture.front(), file, "--title", "one"};
        arguments.insert(arguments.end(), picture.begin() + 1, picture.end());
        const Image image = results.drawn(arguments);
        const Plot plot = find_plot(image);
        std::vector<int> green;
        for (int y = plot.top; y < plot.top + plot.height; ++y)
            for (int x = plot.left; x < plot.left + plot.width; ++x) green.push_back(image.at(x, y).g);
        return green;
    };
    const std::vector<std::vector<std::string>> pictures{{"gather", "--shot", "2", "--line", "2", "--style", "colours"},
                                                         {"wiggle", "--shot", "10"},
                                                         {"spectrum", "--shot", "2,10"},
                                                         {"offset", "--offset", "75"},
                                                         {"cmp", "--at", "66,145", "--within", "6"},
                                                         {"fk", "--shot", "10", "--velocity", "2000"}};
    for (const auto& picture : pictures) {
        CAPTURE(picture.front());
        const auto wanted = draw(picture, "@line.h5");
        CHECK(std::ranges::count(wanted, wanted.front()) < std::ssize(wanted));
        for (const char* file : {"@line.segy", "@line.su"}) CHECK(draw(picture, file) == wanted);
    }
    CHECK(results.plot({"fk", "@line.segy", "--shot", "7"}).code == 64);
    // Without field records shots are counted.
    CHECK(draw({"wiggle", "--shot", "2", "--bytes", "record=0"}, "@line.segy") ==
          draw({"wiggle", "--shot", "10"}, "@line.segy"));
    CHECK(contains(results.plot({"gather", "@line.su", "--bytes", "recrd=0"}).err, "did you mean 'record'?"));
    const Outcome made = results.plot({"fk", "@line.segy"});
    CHECK(made.out == results.path("line_fk.png") + "\n");
}

TEST_CASE("a difference of gathers has nothing where they are equal, and is refused where receivers differ") {
    const Results results;
    {
        SeismogramWriter half(results.path("half.h5"), kProvenance, false),
            moved(results.path("moved.h5"), kProvenance, false);
        for (const std::int64_t shot : {2, 10}) {
            ShotGather gather = gather_of(shot);
            for (float& value : gather.pressure) value *= shot == 2 ? 0.5f : 1.f;
            half.write(gather);
            gather.receivers_m.back()[0] += 1.;
            moved.write(gather);
        }
        half.commit();
        moved.commit();
    }
    const std::vector<std::string> colours{"--style", "colours", "--clip", "1"};
    const auto drawn = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), colours.begin(), colours.end());
        return spread(results.drawn(arguments));
    };
    CHECK(drawn({"gather", "@seismograms.h5", "--shot", "10"}) > 150);
    CHECK(drawn({"gather", "@seismograms.h5", "--shot", "10", "--minus", "@half.h5"}) == 0);
    const int half = drawn({"gather", "@seismograms.h5", "--shot", "2", "--line", "2", "--minus", "@half.h5"});
    CHECK(half > 60);
    CHECK(half < 140);
    const Outcome refused = results.plot({"gather", "@seismograms.h5", "--minus", "@moved.h5"});
    CHECK(refused.code == 64);
    CHECK(contains(refused.err, "moved.h5: shot 2 has other receivers than that of "));
}

TEST_CASE("frames have one scale, in a slice and in a movie, and zero the colour in the middle") {
    const Results results;
    const auto slice = [&](const std::string& time, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"slice", "@snapshots.h5", "--time", time});
        return middle_of(results.drawn(std::move(more)));
    };
    CHECK(slice("0.1") == kBlueRed.at(1.));
    // The weak frame alone is on the scale of all.
    const Rgb weak = slice("0.2"), middle = kBlueRed.at(0.5);
    CHECK(std::abs(weak.r - middle.r) <= 2);
    CHECK(std::abs(weak.b - middle.b) <= 2);
    CHECK(slice("0.2", {"--clip", "1e-3"}) == kBlueRed.at(1.));
    CHECK(slice("0.1", {"--map", "grey"}) == Rgb{0, 0, 0});
    // With gain, a quarter of the last time has a quarter of the last colour.
    const Rgb gained = slice("0.1", {"--gain", "1", "--map", "grey", "--clip", "1"});
    CHECK(std::abs(gained.g - 96) <= 2);
}

TEST_CASE("movies: MP4 where there is ffmpeg, else animated PNG") {
    const Results results;
    const std::string no_programs = "export PATH=" + quoted(results.path("empty"));
    const Outcome without = results.plot({"movie", "@snapshots.h5", "--shot", "10"}, no_programs);
    CHECK(without.code == 0);
    CHECK(without.out == results.path("snapshots_movie_xz.png") + "\n");
    CHECK(read_png(results.path("snapshots_movie_xz.png")).width > 600);
    const std::string bytes = text_of(results.path("snapshots_movie_xz.png"));
    CHECK(bytes.substr(bytes.find("acTL") + 4, 4) == std::string("\0\0\0\4", 4));
    const Outcome refused = results.plot({"movie", "@snapshots.h5", "-o", "@m.mp4"}, no_programs);
    CHECK(refused.code == 73);
    CHECK(contains(refused.err,
                   "ffmpeg, which is not on the PATH: install it, or name a file that ends with .png or .gif"));
    CHECK_FALSE(fs::exists(results.path("m.mp4")));

    REQUIRE(results.plot({"movie", "@snapshots.h5", "-o", "@w.png", "--width", "800"}).code == 0);
    CHECK(read_png(results.path("w.png")).width == 800);
    REQUIRE(
        results.plot({"movie", "@snapshots.h5", "-o", "@w.png", "--width-mm", "84", "--dpi", "200", "--force"}).code ==
        0);
    CHECK(read_png(results.path("w.png")).width == doctest::Approx(84. / 25.4 * 200.).epsilon(0.005));
    if (std::system("command -v ffmpeg ffprobe >/dev/null") != 0) {
        MESSAGE("not tested: ffmpeg is not installed");
        return;
    }
    REQUIRE(results.plot({"movie", "@snapshots.h5", "-o", "@m.mp4", "--model", "@model.h5"}).code == 0);
    const std::string probe =
        "ffprobe -v error -count_frames -show_entries stream=codec_type,nb_read_frames,pix_fmt "
        "-of csv=p=0 " +
        quoted(results.path("m.mp4")) + " >" + quoted(results.path("probe"));
    REQUIRE(std::system(probe.c_str()) == 0);
    CHECK(text_of(results.path("probe")) == "video,yuv420p,4\n");
    // An ffmpeg that fails is quoted, and nothing half written stays.
    fs::create_directory(results.path("bad"));
    write_text(results.path("bad/ffmpeg"), "#!/bin/sh\necho no such codec >&2\nexit 3\n");
    fs::permissions(results.path("bad/ffmpeg"), fs::perms::owner_all);
    const Outcome failed =
        results.plot({"movie", "@snapshots.h5", "-o", "@f.mp4"}, "export PATH=" + quoted(results.path("bad")));
    CHECK(failed.code == 74);
    CHECK(contains(failed.err, "ffmpeg failed: no such codec"));
    for (const auto& entry : fs::directory_iterator(results.folder.path()))
        CHECK_FALSE(contains(entry.path().filename(), "f.mp4"));
}

TEST_CASE("a model of a configuration has its survey, its layers and its density") {
    const Results results;
    const Image with_density = results.drawn({"model", "@small.yaml"});
    CHECK(std::ranges::count(with_density.pixels, Rgb{225, 30, 30}) > 100);  // a star in both panels
    CHECK(std::ranges::count(with_density.pixels, kViridis.at(1.)) > 10'000);
    const Image without = results.drawn({"model", "@small.yaml", "--set", "model={type: constant, vp_m_s: 2000}"});
    CHECK(without.width < with_density.width);
    CHECK(std::ranges::count(without.pixels, kViridis.at(1.)) == 0);
}

TEST_CASE("what cannot be drawn is said with what there is") {
    const Results results;
    const Results plane(FileGeometry{2, {41, 1, 21}, {10., 1., 10.}, {0., 0., 0.}});
    const auto check = [](const Outcome& outcome, int code, const std::string& text) {
        CAPTURE(outcome.err);
        CHECK(outcome.code == code);
        CHECK(contains(outcome.err, text));
    };
    check(results.plot({"gather", "@seismograms.h5", "--shot", "9"}), 64,
          "--shot 9: there is no such shot in " + results.path("seismograms.h5") + "; there are 2, 10");
    check(results.plot({"gather", "@snapshots.h5"}), 64, "holds snapshots, not seismograms; onda plot slice");
    check(results.plot({"slice", "@model.h5"}), 64, "holds a model, not snapshots; onda plot model draws it");
    check(results.plot({"model", "@seismograms.h5"}), 64, "holds seismograms, not a model");
    check(results.plot({"slice", "@gradient.h5"}), 64,
          "holds a gradient or an image, not snapshots; onda plot gradient and image draw it");
    check(results.plot({"gradient", "@gradient.h5", "--image", "receiver"}), 64, "has no /illumination/receiver");
    check(results.plot({"gradient", "@gradient.h5", "--image", "rho"}), 64, "has no /gradient/rho");
    check(results.plot({"gradient", "@gradient.h5", "--image", "source", "--map", "grey"}), 64,
          "--map is of gradients and images; illuminations are drawn with viridis");
    check(results.plot({"slice", "@small.yaml"}), 65,
          "small.yaml: is not an HDF5 file; expected one like snapshots.h5, or the folder of a run");
    check(results.plot({"gather", "@small.yaml"}), 65,
          "small.yaml: is neither seismograms.h5 nor SEG-Y (.sgy, .segy), SU (.su) or NumPy (.npy)");
    check(results.plot({"gather", "@absent.h5"}), 66, "absent.h5: no such file");
    check(results.plot({"slice", "@snapshots.h5", "--time", "7"}), 64,
          "--time 7: shot 2 has 4 snapshots from 0.1 to 0.4 s");
    check(results.plot({"slice", "@snapshots.h5", "--at", "50"}), 64, "the grid reaches from y = 100 to 400 m");
    check(plane.plot({"slice", "@snapshots.h5", "--plane", "xy"}), 64, "one node along y; there is xz");
    check(results.plot({"gather", "@seismograms.h5", "--map", "grey", "--style", "wiggles"}), 64,
          "--map is of colours, and --style wiggles draws none");
    check(results.plot({"spectrum", "@seismograms.h5", "--line", "1", "--receiver", "2"}), 64, "--receiver");
    check(results.plot({"movie", "@snapshots.h5", "-o", "@m.avi"}), 64, "m.avi: movies are .mp4 or .png or .gif");
    check(run_onda({"model", results.path("small.yaml"), "-o", results.path("m.npy")}), 64,
          "m.npy: model files are .h5 or .hdf5");
    check(run_onda({"check", results.path("small.yaml"), "--plot", results.path("m.pdf")}), 64,
          "m.pdf: pictures are .png");
    check(plane.plot({"slice", "@snapshots.h5", "--model", results.path("model.h5")}), 64,
          "is 3-D, the snapshots are 2-D");
    check(results.plot({"gather", "@seismograms.h5", "--agc", "300"}), 64,
          "--agc 300: the window exceeds the record of 0.6 s; if it is in milliseconds, write 0.3");
    check(results.plot({"wiggle", "@seismograms.h5", "--reduce-velocity", "2"}), 64,
          "--reduce-velocity: 2: must be at least 50 m/s; it looks like km/s: write 2000");
    write_text(results.path("x.segy"), "");
    check(results.plot({"slice", "@x.segy"}), 64,
          "x.segy: holds seismograms, not snapshots; onda plot gather, wiggle, offset, cmp, spectrum and fk draw them");
    check(results.plot({"gather", "@x.segy"}), 65, "x.segy: is not SEG-Y: shorter than the 3600 bytes of its headers");
    check(run_onda({"export", results.path("x.segy"), "--su"}), 64,
          "x.segy: is not seismograms.h5; onda plot and onda data read SEG-Y, SU and NumPy files");
    check(results.plot({"offset", "@seismograms.h5", "--offset", "5000"}), 64,
          "--offset 5000: no trace of " + results.path("seismograms.h5") +
              " is within 5 m of it; offsets go from 0 to 100.499 m");
    check(results.plot({"cmp", "@seismograms.h5", "--at", "5000,0"}), 64,
          "--at 5000,0: no trace of " + results.path("seismograms.h5") + " has its midpoint within 2.5 m");
    check(results.plot({"cmp", "@seismograms.h5"}), 64, "--at is required");
    check(results.plot({"fk", "@seismograms.h5", "--line", "4"}), 64,
          "--line 4: the 60 receivers of shot 2 lie on 3 lines");
    check(results.plot({"gather", "@seismograms.h5", "--minus", "@absent.sgy"}), 66, "absent.sgy");
    check(results.plot({"gather", "@absent.segy"}), 66, "absent.segy: no such file");
    check(results.plot({"gather", "@seismograms.h5", "--line", "4"}), 64,
          "the 60 receivers of shot 2 lie on 3 lines; 0 takes all");
    check(results.plot({"spectrum", "@seismograms.h5", "--receiver", "61"}), 64, "shot 2 has the receivers 1 to 60");
    check(results.plot({"gather", "@seismograms.h5", "--map", "viridis"}), 64,
          "'viridis': is for values of one sign, and pressure has both; there are cet-d1, vik, cork, grey");
    check(results.plot({"gather", "@seismograms.h5", "--map", "gray"}), 64, "did you mean 'grey'?");
    check(results.plot({"model", "@seismograms.h5", "--map", "virids"}), 64,
          "did you mean 'viridis'? there are viridis");
    check(results.plot({"gather", "@seismograms.h5", "-o", "@x.jpg"}), 64, "pictures are .png or .pdf or .svg");
    check(results.plot({"movie", "@snapshots.h5", "-o", "@x.avi"}), 64, "movies are .mp4 or .png or .gif");
    check(results.plot({"movie", "@snapshots.h5", "-o", "@x.gif", "--fps", "60"}), 64, "50 at most");
    check(results.plot({"movie", "@snapshots.h5", "-o", "@x.gif", "--width-mm", "1000", "--dpi", "1200"}), 64,
          "no side may have more than 32767");
    check(results.plot({"model", "@small.yaml", "--shot", "5"}), 64, "there is no such shot");
    check(results.plot({"model", "@model.h5", "--shot", "1"}), 64, "--shot and --set are of configurations");
    check(results.plot({"gathr", "@seismograms.h5"}), 64, "did you mean 'gather'");
    fs::remove(results.path("snapshots.h5"));
    write_text(results.path("summary.json"), "{}");
    check(results.plot({"slice", "@"}), 66, "this run has no snapshots; request them with output.snapshots");
    fs::remove(results.path("seismograms.h5"));
    check(results.plot({"gather", "@"}), 66,
          "has no seismograms.h5: this run recorded no seismograms; receivers ask for them");
    fs::create_directory(results.path("unfinished"));
    check(results.plot({"gather", "@"}), 66,
          "has no seismograms.h5: its run is not complete; run the same command again to resume it");
    check(results.plot({"slice", "@"}), 66, "has no snapshots.h5: its run is not complete");
    write_text(results.path("vp.npy"), "\x93NUMPY");
    check(results.plot({"model", "@vp.npy"}), 65, "vp.npy: is not an HDF5 file; convert it with `onda convert ");
    check(results.plot({"model", "@vp.npy"}), 65, "vp.h5 --axes zx --spacing-m DX`, and name that one");
    check(results.plot({"model", "@absent.npy"}), 66, "absent.npy: no such file");
}
