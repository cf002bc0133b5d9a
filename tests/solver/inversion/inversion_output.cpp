// What an inversion leaves after an iteration: the table to the letter, pictures with as many plots as they are to have
// and models on one scale, a page with the model of each iteration once, thinned where there are many, and the same
// bytes whenever it is made. Takes 4 s.
#include "solver/outputs/iterations/inversion_output.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <doctest/doctest.h>
#include <limits>
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
                                        "gathers.png", "misfit_by_shot.png"}) {
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
    inversion.stage(folder.path() / "all", results);
    CHECK(files_in(folder.path() / "all") == 7);
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
    stage_gather_comparison(file, "", gathers, true).commit();
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
    message_of([&] { stage_gather_comparison(file, "", gathers, true); }, ExitCode::internal);
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
    CHECK(count_of(page, "<tr>") == 10);
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
    CHECK(contains(page, "The models of 32 of 62 lines of the table are shown: one in 2 "));
    CHECK(count_of(page, "<figure ") == 32);
    CHECK(count_of(page, "<tr>") == 63);
    CHECK(inversion.asked.size() == 30);
    inversion.asked.clear();
    inversion.stage(folder.path() / "again", results);
    CHECK(inversion.asked.empty());
    CHECK(text_of(folder.path() / "again" / kIterationPageName) == page);
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
    results.gathers = &gathers;
    for (const char* name : {"once", "again"}) inversion.stage(folder.path() / name, results);
    CHECK(files_in(folder.path() / "once") == 6);
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
