// What an inversion leaves after an iteration: the table to the letter, pictures with as many plots as they are to have
// and models on one scale, a page with the model of each iteration once, thinned where there are many, and the same
// bytes whenever it is made; profiles at wells, and the energy that is left in a band. Takes 5 s.
#include "solver/outputs/iterations/inversion_output.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <doctest/doctest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "io/text/printable.hpp"
#include "solver/inversion/inversion_records.hpp"
#include "solver/outputs/iterations/inversion_page.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/make_plan.hpp"
#include "tests/io/files_support.hpp"
#include "tests/io/png_image.hpp"

using namespace onda;

namespace {

using Path = std::filesystem::path;

Plan plan_of(const std::string& shape) {
    const std::string y = std::ranges::count(shape, ',') == 2 ? " 50," : "";
    return make_plan(read_config_text(R"(schema_version: 1
title: inversion of the tests
grid: {shape: [)" + shape + R"(], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.02}
wavelet: {type: ricker, peak_frequency_hz: 12}
boundary: {cpml_width: 6}
sources: [{type: line, first_m: [40,)" + y +
                                          R"( 50], last_m: [360,)" + y + R"( 50], count: 3}]
receivers: [{type: line, first_m: [20,)" + y +
                                          R"( 20], last_m: [380,)" + y + R"( 20], count: 9}]
backend: {name: cpu}
)",
                                      "survey.yaml", vocabulary(), {}));
}

/// Lines of two stages; of the second, which counts anew, from its first iteration on.
std::vector<InversionIteration> lines_of(std::size_t count) {
    std::vector<InversionIteration> lines(count);
    for (std::size_t i = 0; i < count; ++i) {
        const bool is_second = i > count / 2;
        InversionIteration& line = lines[i];
        line.stage = is_second ? 2 : 1;
        line.iteration = std::int64_t(is_second ? i - count / 2 : i);
        line.relative = std::exp(-0.1 * double(line.iteration));
        line.misfit = 3. * line.relative;
        line.change = i == 0 ? 0. : 0.01 / double(i);
        line.step = 0.5;
        line.gradient = 1e-7;
        line.trials = 2;
        line.shots = 3;
    }
    return lines;
}

/// A model of 2000 m/s with a bump of 100 m/s in its left half and a pit as deep in its right half.
struct Models {
    explicit Models(const Grid& grid) : of(grid), start(std::size_t(grid.points()), 2000.F), current(of_share(1.F)) {}

    [[nodiscard]] std::vector<float> of_share(float share) const {
        std::vector<float> vp = start;
        for (std::int64_t z = 0; z < of.nz(); ++z)
            for (std::int64_t y = 0; y < of.ny(); ++y)
                for (std::int64_t x = 0; x < of.nx(); ++x) {
                    const double across = double(x) / double(of.nx() - 1), down = double(z) / double(of.nz() - 1);
                    const double shape = std::sin(2. * M_PI * across) * std::sin(M_PI * down);
                    vp[std::size_t(of.at(x, y, z))] += share * float(std::clamp(150. * shape, -100., 100.));
                }
        return vp;
    }

    Grid of;
    std::vector<float> start, current;
};

struct Inversion {
    explicit Inversion(const std::string& shape, std::size_t count = 5)
        : plan(plan_of(shape)), models(plan.domain.grid), lines(lines_of(count)) {}

    [[nodiscard]] InversionResults results() {
        InversionResults results;
        results.start = models.start;
        results.current = models.current;
        results.iterations = lines;
        results.model_of = [this](std::size_t line) {
            asked.push_back(line);
            return models.of_share(float(line) / float(lines.size()));
        };
        return results;
    }
    void stage(const Path& folder, const InversionResults& results) const {
        std::filesystem::create_directories(folder);
        for (AtomicFile& file : stage_inversion(plan, folder, results)) file.commit();
    }

    Plan plan;
    Models models;
    std::vector<InversionIteration> lines;
    std::vector<std::size_t> asked{};
};

/// Traces of the receivers of a line: pulses of this height that come later the farther the receiver is.
std::vector<float> traces_of(std::size_t receivers, std::size_t samples, double height) {
    std::vector<float> traces;
    for (std::size_t r = 0; r < receivers; ++r)
        for (std::size_t n = 0; n < samples; ++n)
            traces.push_back(float(height * std::exp(-0.05 * std::pow(double(n) - 20. - 2. * double(r), 2))));
    return traces;
}

ComparedGathers gathers_of(std::size_t receivers, std::int64_t samples) {
    ComparedGathers gathers;
    gathers.shot = 2;
    for (std::size_t r = 0; r < receivers; ++r) gathers.receivers_m.push_back({10. * double(r), 0., 20.});
    gathers.dt_s = 0.004;
    gathers.samples = samples;
    return gathers;
}

/// Spectra of five frequencies, 2 Hz apart, of which the start model leaves all and the current one half.
ComparedSpectra spectra_of_lines() {
    const Spectrum whole{2., {1., 2., 4., 2., 1.}}, half{2., {0.5, 1., 2., 1., 0.5}};
    return {whole, whole, half, whole, half};
}

/// Two wells between nodes, of which the second has a log.
std::vector<Well> wells_of(const Grid& grid) {
    std::vector<Well> wells(2);
    wells[0] = {.name = "A", .position_m = {123., grid.dimensions == 3 ? 57. : 0., 0.}, .depth_m = {}, .vp_m_s = {}};
    wells[1] = wells[0];
    wells[1].name = "</script>B";
    wells[1].depth_m = {10., 30., 40.};
    wells[1].vp_m_s = {2000., 2050.25, 1990.};
    return wells;
}

/// All plots of a picture, by the upper left corners of their frames.
std::vector<Plot> plots_of(const Image& image) {
    std::vector<Plot> plots;
    const auto is_ink = [&](int x, int y) { return x >= 0 && y >= 0 && image.at(x, y) == kInk; };
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) {
            if (!is_ink(x, y) || is_ink(x - 1, y) || is_ink(x, y - 1)) continue;
            int across = 0, down = 0;
            while (x + across < image.width && is_ink(x + across, y)) ++across;
            while (y + down < image.height && is_ink(x, y + down)) ++down;
            if (across > 120 && down > 120) plots.push_back({x + 1, y + 1, across - 2, down - 2});
        }
    return plots;
}

/// The pixel at these shares of the width and height of a plot.
Rgb within(const Image& image, const Plot& plot, double across, double down) {
    return image.at(plot.left + int(across * plot.width), plot.top + int(down * plot.height));
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
    return count;
}

/// The bytes of the picture of this number on a page.
std::string embedded_png(const std::string& page, std::size_t number) {
    const std::string begin = "src=\"data:image/png;base64,";
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::size_t at = page.find(begin);
    for (std::size_t i = 0; i < number; ++i) at = page.find(begin, at + 1);
    at += begin.size();
    std::string bytes;
    unsigned group = 0, bits = 0;
    for (; page.at(at) != '"'; ++at) {
        if (page[at] == '=') continue;
        group = group << 6 | unsigned(digits.find(page[at]));
        if ((bits += 6) < 8) continue;
        bits -= 8;
        bytes += char(group >> bits & 255);
    }
    return bytes;
}

}  // namespace

TEST_CASE("the table has a fixed header and numbers that read back as they were") {
    std::vector<InversionIteration> lines(2);
    lines[0].misfit = 0.1;
    lines[0].shots = 12;
    lines[1] = {.stage = 2,
                .iteration = 7,
                .misfit = 1. / 3.,
                .relative = 0.25,
                .penalty = 1e-9,
                .step = 2.,
                .change = 0.015,
                .gradient = 1e20,
                .trials = 3,
                .shots = 11,
                .model_error_percent = 4.5};
    CHECK(iteration_table(lines) ==
          "stage,iteration,misfit,relative,penalty,step,change,gradient,trials,shots,model_error_percent\n"
          "1,0,0.1,1,0,0,0,0,0,12,\n"
          "2,7,0.3333333333333333,0.25,1e-09,2,0.015,1e+20,3,11,4.5\n");
}

TEST_CASE("a stage that counts anew goes on where the one before it ended") {
    const auto places = [](const std::vector<std::array<std::int64_t, 2>>& stage_and_iteration) {
        std::vector<InversionIteration> lines;
        for (const auto& pair : stage_and_iteration) {
            lines.emplace_back().stage = pair[0];
            lines.back().iteration = pair[1];
        }
        return places_of(lines);
    };
    CHECK(places({{1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 1}, {3, 0}, {3, 1}}) == std::vector<double>{0, 1, 2, 2, 3, 3, 4});
    CHECK(places({{1, 0}, {1, 1}, {1, 2}, {2, 1}, {2, 2}}) == std::vector<double>{0, 1, 2, 3, 4});
    CHECK(places({{1, 0}, {1, 1}, {2, 1}, {2, 2}}) == std::vector<double>{0, 1, 1, 2});
}

TEST_CASE("a page shows all lines, or evenly some, with the first and the last") {
    CHECK(shown_on_page(0).empty());
    CHECK(shown_on_page(1) == std::vector<std::size_t>{0});
    for (std::size_t lines = 2; lines < 400; ++lines) {
        const std::vector<std::size_t> shown = shown_on_page(lines);
        CAPTURE(lines);
        CHECK(shown.front() == 0);
        CHECK(shown.back() == lines - 1);
        CHECK(shown.size() <= kMostOnPage);
        CHECK(shown.size() > std::min(lines, kMostOnPage) / 2);
        if (lines <= kMostOnPage) CHECK(shown.size() == lines);
        for (std::size_t i = 2; i + 1 < shown.size(); ++i) CHECK(shown[i] - shown[i - 1] == shown[1] - shown[0]);
        CHECK(shown[shown.size() - 1] - shown[shown.size() - 2] <= shown[1] - shown[0]);
    }
}

TEST_CASE("names are those of results, and of this format alone") {
    for (const std::string_view name : {"iterations.csv", "iterations.png", "iterations.html", "model.h5", "model.png",
                                        "gathers.png", "misfit_by_shot.png", "spectra.png", "wells.png"}) {
        CAPTURE(name);
        CHECK(kInversionFormat.is_result(name));
        for (const OutputFormat* format : output_formats())
            CHECK((format == &kInversionFormat || !format->is_result(name)));
    }
    for (const char* name : {"model_xz.png", "iterations", "gather.png", "report.html"})
        CHECK_FALSE(kInversionFormat.is_result(name));
}

TEST_CASE("start and current model have one scale, and the update has both signs") {
    Inversion inversion("41, 31");
    const TemporaryFolder folder;
    inversion.stage(folder.path(), inversion.results());
    const Image picture = read_png(folder.path() / kInvertedModelPictureName);
    const std::vector<Plot> plots = plots_of(picture);
    REQUIRE(plots.size() == 3);
    // 1900, 2000 and 2100 m/s, of which the start has the middle; no survey in the lower half.
    CHECK(within(picture, plots[0], 0.25, 0.55) == kViridis.at(0.5));
    CHECK(within(picture, plots[0], 0.75, 0.55) == kViridis.at(0.5));
    CHECK(within(picture, plots[1], 0.25, 0.55) == kViridis.at(1.));
    CHECK(within(picture, plots[1], 0.75, 0.55) == kViridis.at(0.));
    CHECK(within(picture, plots[2], 0.25, 0.55) == kBlueRed.at(1.));
    CHECK(within(picture, plots[2], 0.75, 0.55) == kBlueRed.at(0.));
}

TEST_CASE("there are as many plots as there is something for") {
    const TemporaryFolder folder;
    Inversion inversion("41, 21, 31");
    InversionResults results = inversion.results();
    inversion.stage(folder.path() / "few", results);
    CHECK(files_in(folder.path() / "few") == 4);
    CHECK(plots_of(read_png(folder.path() / "few" / kInvertedModelPictureName)).size() == 9);
    CHECK(plots_of(read_png(folder.path() / "few" / kIterationPictureName)).size() == 2);

    for (InversionIteration& line : inversion.lines) line.model_error_percent = 5.;
    const std::vector<ShotMisfits> shots{{1, 3., 2.}, {2, 4., std::numeric_limits<double>::quiet_NaN()}, {7, 2., 1.}};
    const std::vector<float> observed = traces_of(9, 80, 1.), predicted = traces_of(9, 80, 0.8);
    ComparedGathers gathers = gathers_of(9, 80);
    gathers.observed = observed;
    gathers.by_start = gathers.by_current = predicted;
    write_text(folder.path() / "vp.h5", "a model");
    results.shots = shots;
    results.gathers = &gathers;
    results.model_file = folder.path() / "vp.h5";
    gathers.spectra = spectra_of_lines();
    const std::vector<Well> wells = wells_of(inversion.plan.domain.grid);
    results.wells = wells;
    inversion.stage(folder.path() / "all", results);
    CHECK(files_in(folder.path() / "all") == 9);
    CHECK(plots_of(read_png(folder.path() / "all" / kSpectraName)).size() == 1);
    CHECK(plots_of(read_png(folder.path() / "all" / kWellsName)).size() == 2);
    CHECK(text_of(folder.path() / "all" / kInvertedModelName) == "a model");
    CHECK(plots_of(read_png(folder.path() / "all" / kIterationPictureName)).size() == 3);
    CHECK(plots_of(read_png(folder.path() / "all" / kMisfitByShotName)).size() == 1);
    CHECK(plots_of(read_png(folder.path() / "all" / kGatherComparisonName)).size() == 4);

    inversion.plan.config.output.pictures = inversion.plan.config.output.report = false;
    inversion.stage(folder.path() / "plain", results);
    CHECK(files_in(folder.path() / "plain") == 2);
    CHECK(text_of(folder.path() / "plain" / kIterationTableName) == iteration_table(inversion.lines));
}

TEST_CASE("gathers are compared on one scale, and what is left is the difference") {
    const TemporaryFolder folder;
    constexpr std::size_t receivers = 30;
    const std::vector<float> observed = traces_of(receivers, 100, 1.), nothing(observed.size());
    ComparedGathers gathers = gathers_of(receivers, 100);
    gathers.observed = gathers.by_current = observed;
    gathers.by_start = nothing;
    const Path file = folder.path() / "gathers.png";
    write_picture(file, compare_gathers("", gathers).picture, true);
    const Image picture = read_png(file);
    const std::vector<Plot> plots = plots_of(picture);
    REQUIRE(plots.size() == 4);
    const auto has_black = [&](const Plot& plot) {
        for (int y = 1; y + 1 < plot.height; ++y)
            for (int x = 1; x + 1 < plot.width; ++x)
                if (picture.at(plot.left + x, plot.top + y) == kGrey.at(1.)) return true;
        return false;
    };
    CHECK(has_black(plots[0]));
    CHECK_FALSE(has_black(plots[1]));
    CHECK(has_black(plots[2]));
    CHECK_FALSE(has_black(plots[3]));
    gathers.by_current = std::span(observed).first(5);
    message_of([&] { compare_gathers("", gathers); }, ExitCode::internal);
}

TEST_CASE("the page has each iteration once, whatever the title holds, and pictures that can be read") {
    const TemporaryFolder folder;
    Inversion inversion("41, 31", 9);
    inversion.plan.config.title = "</title><script>alert(\"it's\")</script> & \xff v\xc3\xb3";
    inversion.stage(folder.path(), inversion.results());
    const std::string page = text_of(folder.path() / kIterationPageName);
    CHECK(valid_utf8(page) == page);
    CHECK_FALSE(contains(page, "<script>alert"));
    CHECK_FALSE(contains(page, "alert(\"it"));
    CHECK(count_of(page,
                   "&lt;/title&gt;&lt;script&gt;alert(&quot;it&#39;s&quot;)&lt;/script&gt; &amp; \\xff v\xc3\xb3") ==
          2);
    CHECK(count_of(page, "<figure ") == 9);
    CHECK(count_of(page, "<img ") == count_of(page, " alt=\"Sections of vp of stage"));
    for (const InversionIteration& line : inversion.lines)
        CHECK(count_of(page, "alt=\"Sections of vp of " + name_of(line) + ", ") == 1);
    CHECK(count_of(page, "<tr>") == 13);  // with those of the stages
    CHECK(contains(page, "The models of all 9 lines of the table are shown."));
    for (const char* beyond : {"src=\"http", "href=", "url(", "onclick=", "oninput=", "@import", "fetch("})
        CHECK_FALSE(contains(page, beyond));
    CHECK(inversion.asked == std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7});

    for (const std::size_t number : {std::size_t{0}, std::size_t{8}}) {
        const Path file = folder.path() / "embedded.png";
        write_text(file, embedded_png(page, number));
        const Image picture = read_png(file);
        CHECK(picture.width == 800);
        const auto shows = [&](Rgb colour) {
            const auto near = [](int a, int b) { return std::abs(a - b) < 4; };  // pages have six bits of a channel
            return std::ranges::any_of(picture.pixels, [&](Rgb pixel) {
                return near(pixel.r, colour.r) && near(pixel.g, colour.g) && near(pixel.b, colour.b);
            });
        };
        CHECK(shows(kWhite));
        CHECK(shows(kBlueRed.at(0.)) == (number > 0));
        CHECK(shows(kBlueRed.at(1.)) == (number > 0));
        CHECK(shows(kBlueRed.at(0.5)));
    }
    CHECK(embedded_png(page, 0) != embedded_png(page, 8));
}

TEST_CASE("a page of many iterations says what it leaves out, and asks for models once") {
    const TemporaryFolder folder;
    Inversion inversion("41, 31", 62);
    inversion.plan.config.output.pictures = false;
    CutModels known;
    InversionResults results = inversion.results();
    results.known = &known;
    inversion.stage(folder.path() / "once", results);
    const std::string page = text_of(folder.path() / "once" / kIterationPageName);
    CHECK(contains(page, "The models of 32 of 62 lines of the table are shown: every 2nd "));
    CHECK(count_of(page, "<figure ") == 32);
    CHECK(count_of(page, "<tr>") == 66);
    CHECK(inversion.asked.size() == 30);
    inversion.asked.clear();
    inversion.stage(folder.path() / "again", results);
    CHECK(inversion.asked.empty());
    CHECK(text_of(folder.path() / "again" / kIterationPageName) == page);
}

TEST_CASE(
    "profiles are linear between nodes, and of a deep grid have three hundred depths, the first and the last among "
    "them") {
    Grid grid{3, {5, 4, 7}, {10., 20., 5.}, {100., -20., 30.}};
    const auto linear = [](double x, double y, double z) { return 1500. + 2. * x - 3. * y + 0.5 * z; };
    const auto vp_of = [&] {
        std::vector<float> vp;
        for (std::int64_t z = 0; z < grid.nz(); ++z)
            for (std::int64_t y = 0; y < grid.ny(); ++y)
                for (std::int64_t x = 0; x < grid.nx(); ++x) {
                    const auto at = grid.position_m(x, y, z);
                    vp.push_back(float(linear(at[0], at[1], at[2])));
                }
        return vp;
    };
    std::vector<Well> wells(4);
    wells[0].position_m = {117., 1., 30.};
    wells[1].position_m = {140., 40., 30.};  // the last nodes
    wells[2].position_m = {100., -20., 30.};
    wells[3].position_m = {130., 0., 30.};
    for (const std::int64_t depths : {7, 1000}) {
        grid.n[2] = depths;
        const std::vector<double> at = profile_depths(grid);
        const auto profiles = profiles_at(wells, grid, vp_of());
        CHECK(at.size() == std::min<std::size_t>(std::size_t(depths), 300));
        CHECK(at.front() == 30.);
        CHECK(at.back() == 30. + 5. * double(depths - 1));
        for (std::size_t w = 0; w < wells.size(); ++w) {
            REQUIRE(profiles[w].size() == at.size());
            for (std::size_t i = 0; i < at.size(); ++i) {
                const double wanted = linear(wells[w].position_m[0], wells[w].position_m[1], at[i]);
                CHECK(double(profiles[w][i]) == doctest::Approx(wanted).epsilon(1e-6));
            }
        }
    }
    grid = {2, {5, 1, 3}, {10., 10., 10.}, {}};
    wells.resize(1);
    wells[0].position_m = {12.5, 0., 0.};
    std::vector<float> vp(15);
    std::iota(vp.begin(), vp.end(), 1000.F);
    CHECK(profiles_at(wells, grid, vp) == std::vector<std::vector<float>>{{1001.25F, 1006.25F, 1011.25F}});
}

TEST_CASE("wells are read with what of their logs lies in the grid, and others are refused by name") {
    const TemporaryFolder folder;
    const Path file = folder.path() / "log.csv";
    const Grid flat{2, {41, 1, 31}, {10., 10., 10.}, {}}, cube{3, {41, 21, 31}, {10., 10., 10.}, {}};
    ConfigOrigin origin;
    write_text(file, "depth_m,vp_m_s\n-5,1500\n0,1600\n150,1700\n300,1800\n300.5,1900\n");
    const std::vector<Well> wells = read_wells({{{100.}, "W", file}, {{0.}, "", {}}}, flat, origin);
    REQUIRE(wells.size() == 2);
    CHECK(wells[0].title(flat) == "W, x = 100 m");
    CHECK(wells[0].depth_m == std::vector{0., 150., 300.});
    CHECK(wells[0].vp_m_s == std::vector{1600., 1700., 1800.});
    CHECK(wells[1].title(flat) == "Well 2, x = 0 m");
    CHECK(wells[1].depth_m.empty());
    CHECK(read_wells({{{100., 35.5}, "W", {}}}, cube, origin)[0].title(cube) == "W, x = 100 m, y = 35.5 m");
    CHECK(text_of(wells) != text_of(std::span(wells).first(1)));

    std::string text = "depth_m,vp_m_s\n";
    for (int i = 0; i < 701; ++i) text += std::to_string(0.25 * i) + "," + std::to_string(1500 + i) + "\n";
    write_text(file, text);
    const Well means = read_wells({{{100.}, "W", file}}, flat, origin)[0];
    REQUIRE(means.depth_m.size() == 234);  // threes, and the last two
    CHECK(means.depth_m[1] == doctest::Approx(1.));
    CHECK(means.vp_m_s[1] == doctest::Approx(1504.));
    CHECK(means.vp_m_s.back() == doctest::Approx(2199.5));

    const auto refusal = [&](const std::vector<WellConfig>& of, const Grid& grid, ExitCode code) {
        return message_of([&] { read_wells(of, grid, origin); }, code);
    };
    CHECK(contains(refusal({{{401.}, "", {}}}, flat, ExitCode::config),
                   "inversion.wells[0].position_m: x = 401 is outside the grid, which spans 0 to 400 m"));
    CHECK(contains(refusal({{{1.}, "", {}}, {{1., 2.}, "", {}}}, flat, ExitCode::config),
                   "inversion.wells[1].position_m: must be [x]: the grid is 2-D"));
    CHECK(contains(refusal({{{1.}, "", {}}}, cube, ExitCode::config), "must be [x, y]: the grid is 3-D"));
    write_text(file, "depth_m,vp_m_s\n301,1500\n302,1600\n");
    CHECK(contains(refusal({{{1.}, "", file}}, flat, ExitCode::bad_data),
                   "log.csv: its depths, 301 to 302 m, lie outside the grid, which spans 0 to 300 m"));
    refusal({{{1.}, "", folder.path() / "nowhere.csv"}}, flat, ExitCode::missing_input);
}

TEST_CASE("the energy that is left is that between the corners of a band") {
    const Spectrum whole{2., {1., 2., 4., 2., 1.}}, left{2., {1., 1., 0., 2., 3.}};
    BandPassConfig band;
    CHECK(energy_part(left, whole, {}).value() == doctest::Approx(15. / 26.));
    band.low_hz = 2.;
    CHECK(energy_part(left, whole, band).value() == doctest::Approx(14. / 25.));
    CHECK(band_text(band) == "2 Hz and more");
    band.high_hz = 6.;
    CHECK(energy_part(left, whole, band).value() == doctest::Approx(5. / 24.));
    CHECK(band_text(band) == "2 to 6 Hz");
    band.low_hz.reset();
    CHECK(energy_part(left, whole, band).value() == doctest::Approx(6. / 25.));
    CHECK(band_text(band) == "up to 6 Hz");
    CHECK(band_text({}) == "all");
    CHECK_FALSE(energy_part(left, Spectrum{2., {0., 0., 0., 0., 0.}}, {}).has_value());
}

TEST_CASE("the page has wells that follow the slider, gathers, spectra, stages and shots") {
    const TemporaryFolder folder;
    Inversion inversion("41, 31", 9);
    inversion.plan.config.output.pictures = false;
    const std::vector<ShotMisfits> shots{{1, 3., 2.}, {2, 4., 1.}};
    const std::vector<float> traces = traces_of(9, 80, 1.);
    ComparedGathers gathers = gathers_of(9, 80);
    gathers.observed = gathers.by_start = gathers.by_current = traces;
    gathers.model = "stage 1, iteration 4";
    gathers.band = "up to 5 Hz";
    gathers.spectra = spectra_of_lines();
    const std::vector<Well> wells = wells_of(inversion.plan.domain.grid);
    const std::vector<float> truth(inversion.models.start.size(), 1987.F);
    std::vector<std::optional<BandPassConfig>> bands(2);
    bands[0].emplace().high_hz = 5.;
    InversionResults results = inversion.results();
    results.shots = shots;
    results.gathers = &gathers;
    results.wells = wells;
    results.truth = truth;
    results.bands = bands;
    inversion.stage(folder.path(), results);
    const std::string page = text_of(folder.path() / kIterationPageName);
    for (const char* title : {">Wells<", ">Stages<", ">Misfit by shot<", ">Gathers<", ">Spectra<"})
        CHECK(count_of(page, title) == 1);
    CHECK(count_of(page, "src=\"data:image/png;base64,") == 9 + 3);
    CHECK(contains(page, "<td>1</td><td>up to 5 Hz</td><td>4</td><td>3</td><td>3</td><td>2.011</td><td>67 %</td>"));
    CHECK(contains(page, "<td>1</td><td>up to 5 Hz</td><td>100 %</td><td>25 %</td>"));
    CHECK(contains(page,
                   "Shot 2 after stage 1, iteration 4, weighted as the misfit compares it; frequencies: up to 5 Hz."));

    const std::string begin = "<script type=\"application/json\" id=\"data\">";
    const std::size_t at = page.find(begin) + begin.size();
    const auto data = nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
    const auto& of = data.at("wells").at("of");
    CHECK(data.at("wells").at("depth").size() == 31);
    REQUIRE(of.size() == 2);
    CHECK(of[1].at("title") == "</script>B, x = 123 m");
    CHECK_FALSE(of[0].contains("log"));
    CHECK(of[1].at("log").at("vp") == nlohmann::json{2000., 2050.3, 1990.});
    CHECK(of[0].at("truth").at(7) == 1987.);
    REQUIRE(of[0].at("models").size() == 9);
    const auto profiles = profiles_at(wells, inversion.models.of, inversion.models.of_share(5.F / 9.F));
    for (std::size_t i = 0; i < 31; ++i)
        CHECK(of[0].at("models").at(5).at(i).get<double>() == doctest::Approx(double(profiles[0][i])).epsilon(3e-5));
    CHECK(of[0].at("models").at(0) == of[0].at("start"));
}

TEST_CASE("wells of many iterations leave the page small") {
    const TemporaryFolder folder;
    Inversion inversion("41, 400", 60);
    inversion.plan.config.output.pictures = false;
    const auto bytes_with = [&](const std::vector<Well>& wells) {
        InversionResults results = inversion.results();
        results.wells = wells;
        inversion.stage(folder.path(), results);
        return std::filesystem::file_size(folder.path() / kIterationPageName);
    };
    std::vector<Well> wells(3);
    for (Well& well : wells) well.position_m = {33., 0., 0.};
    const auto without = bytes_with({});
    CHECK(bytes_with(wells) - without < 500'000);
}

TEST_CASE("what is made twice has the same bytes") {
    const TemporaryFolder folder;
    Inversion inversion("41, 31");
    const std::vector<ShotMisfits> shots{{1, 3., 2.}, {2, 4., 1.}};
    const std::vector<float> observed = traces_of(9, 80, 1.), predicted = traces_of(9, 80, 0.8);
    ComparedGathers gathers = gathers_of(9, 80);
    gathers.observed = observed;
    gathers.by_start = gathers.by_current = predicted;
    InversionResults results = inversion.results();
    results.shots = shots;
    gathers.spectra = spectra_of_lines();
    const std::vector<Well> wells = wells_of(inversion.plan.domain.grid);
    results.gathers = &gathers;
    results.wells = wells;
    for (const char* name : {"once", "again"}) inversion.stage(folder.path() / name, results);
    CHECK(files_in(folder.path() / "once") == 8);
    for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "once")) {
        CAPTURE(entry.path().filename());
        CHECK(text_of(entry.path()) == text_of(folder.path() / "again" / entry.path().filename()));
    }
}

TEST_CASE("models that are not of the grid are refused") {
    const TemporaryFolder folder;
    Inversion inversion("41, 31");
    InversionResults results = inversion.results();
    results.current = results.current.first(7);
    const std::string message = message_of([&] { inversion.stage(folder.path(), results); }, ExitCode::internal);
    CHECK(message == "the current model of an inversion has 7 values, and its grid 1271 nodes");
}

TEST_CASE("a damaged record of an iteration is named in a message that can be shown") {
    const TemporaryFolder folder;
    const InversionRecords records(folder.path());
    const Path file = records.folder_of(1, 0) / "iteration.json";
    std::filesystem::create_directories(file.parent_path());
    for (const std::string text :
         {"", "[1", "{\"stage\": \xff\x1b[2J", "{\"stage\": \"\xc3\"}", "{\"stage\": [\"\x7f\"]}"}) {
        CAPTURE(text);
        std::ofstream(file) << text;
        const std::string message = message_of([&] { static_cast<void>(records.find(1, 0)); }, ExitCode::bad_data);
        CHECK(message.starts_with(file.string() + ": is damaged: "));
        CHECK(message.ends_with("; remove it, and the same command computes it again"));
        CHECK(printable_lines(message) == message);
    }
}

TEST_CASE("what differs from an inversion that is there is told in a message that can be shown") {
    const TemporaryFolder folder;
    const InversionRecords records(folder.path());
    std::filesystem::create_directories(records.folder_of(1, 0));
    std::ofstream(records.folder_of(1, 0) / "iteration.json") << "{}";
    std::ofstream(folder.path() / "iterations" / "inversion.json")
        << R"({"grid.\u001b[2Jshape": "[3, 4]", "grid.spacing_m": "1\u009b"})";
    const std::string message = message_of(
        [&] {
            records.begin_or_join({{"grid.shape", "[3, 4]"}});
        },
        ExitCode::cannot_create);
    CHECK(message.find(R"(grid.\x1b[2Jshape: [3, 4] there, not given now)") != std::string::npos);
    CHECK(printable_lines(message) == message);
}
