// Promise: pictures show values in the documented colours at the right places, whatever the size of the data, and are
// complete or absent.
#include "io/pictures/picture.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <fstream>
#include <limits>
#include <png.h>

#include "io/pictures/colour_map.hpp"
#include "io/pictures/raster.hpp"
#include "io/pictures/ticks.hpp"
#include "tests/io/file_size_limit.hpp"
#include "tests/io/files_support.hpp"
#include "tests/io/result_file_checks.hpp"

using namespace onda;

namespace {

struct Image {
    int width = 0, height = 0;
    std::vector<Rgb> pixels;
    [[nodiscard]] Rgb at(int x, int y) const { return pixels[std::size_t(y) * std::size_t(width) + std::size_t(x)]; }
};

Image read_png(const std::filesystem::path& file) {
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    REQUIRE(png_image_begin_read_from_file(&png, file.c_str()) != 0);
    png.format = PNG_FORMAT_RGB;
    Image image{int(png.width), int(png.height), std::vector<Rgb>(std::size_t(png.width) * png.height)};
    REQUIRE(png_image_finish_read(&png, nullptr, image.pixels.data(), 0, nullptr) != 0);
    return image;
}

/// The inside of the plot's frame: its top edge is the first long line of ink, its left edge starts there.
struct Plot {
    int left = 0, top = 0, width = 0, height = 0;
};

Plot find_plot(const Image& image) {
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) {
            int across = 0, down = 0;
            while (x + across < image.width && image.at(x + across, y) == kInk) ++across;
            while (y + down < image.height && image.at(x, y + down) == kInk) ++down;
            if (across > 150 && down > 150) return {x + 1, y + 1, across - 2, down - 2};
            x += across;
        }
    FAIL("no frame found");
    return {};
}

struct Drawn {
    Image image;
    Plot plot;
    /// At the share (u, v) of the plot's width and height.
    [[nodiscard]] Rgb at(double u, double v) const {
        return image.at(plot.left + int(std::lround(u * (plot.width - 1))),
                        plot.top + int(std::lround(v * (plot.height - 1))));
    }
};

Drawn draw(const Picture& picture) {
    TemporaryFolder folder;
    write_picture(folder.path() / "p.png", picture, false);
    auto image = read_png(folder.path() / "p.png");
    const auto plot = find_plot(image);
    return {std::move(image), plot};
}

Picture model_picture(std::span<const float> vp, std::int64_t rows, std::int64_t columns) {
    Picture picture;
    picture.title = "Model";
    picture.horizontal = {0., 10. * double(columns - 1), "x [m]"};
    picture.vertical = {0., 10. * double(rows - 1), "z [m]"};
    picture.equal_aspect = true;
    picture.background = {rows, columns, vp};
    picture.background_label = "vp [m/s]";
    return picture;
}

std::vector<std::string> labels_of(const Ticks& ticks) {
    std::vector<std::string> labels;
    for (const Tick& tick : ticks.ticks) labels.push_back(tick.label);
    return labels;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("a model slice: viridis from the slowest to the fastest, same metres per pixel both ways") {
    std::vector<float> vp(200 * 100, 1500.f);
    for (std::size_t i = 100 * 100; i < vp.size(); ++i) vp[i] = 4500.f;
    const auto drawn = draw(model_picture(vp, 200, 100));
    CHECK(drawn.at(0.5, 0.25) == Rgb{0x44, 0x01, 0x54});
    CHECK(drawn.at(0.5, 0.75) == Rgb{0xfd, 0xe7, 0x25});
    CHECK(drawn.plot.height == 720);
    CHECK(double(drawn.plot.width) / drawn.plot.height == doctest::Approx(99. / 199.).epsilon(0.005));
    // The colour bar: low at the bottom, high on top.
    const int bar = drawn.plot.left + drawn.plot.width + 1 + 30 + 10;
    CHECK(drawn.image.at(bar, drawn.plot.top) == Rgb{0xfd, 0xe7, 0x25});
    CHECK(drawn.image.at(bar, drawn.plot.top + drawn.plot.height - 1) == Rgb{0x44, 0x01, 0x54});
}

TEST_CASE("waves over a model: red where positive, blue where negative, the model's grey where there is none") {
    const std::vector<float> vp(60 * 90, 2000.f);
    std::vector<float> pressure(60 * 90, 0.f);
    for (std::size_t i = 0; i < 20 * 90; ++i) pressure[i] = 1e-6f, pressure[i + 40 * 90] = -1e-6f;
    auto picture = model_picture(vp, 60, 90);
    picture.overlay = {60, 90, pressure};
    const auto drawn = draw(picture);
    const Rgb positive = drawn.at(0.5, 0.1), none = drawn.at(0.5, 0.5), negative = drawn.at(0.5, 0.9);
    CHECK(none.r == none.g);
    CHECK(none.g == none.b);
    CHECK(positive == blend(none, kPositive, 0.9));
    CHECK(negative == blend(none, kNegative, 0.9));
}

TEST_CASE("a gather: black positive, white negative, clipped") {
    std::vector<float> gather(300 * 30, 0.f);
    for (std::size_t i = 0; i < 100 * 30; ++i) gather[i] = 50.f, gather[i + 200 * 30] = -0.5f;
    Picture picture;
    picture.horizontal = {1000., 1290., "receiver x [m]"};
    picture.vertical = {0., 1.5, "time [s]"};
    picture.seismic = true;
    picture.overlay_clip = 1.;
    picture.background = {300, 30, gather};
    const auto drawn = draw(picture);
    CHECK(drawn.at(0.5, 0.1) == Rgb{0, 0, 0});
    CHECK(drawn.at(0.5, 0.5) == Rgb{128, 128, 128});
    CHECK(drawn.at(0.5, 0.9) == Rgb{191, 191, 191});
}

TEST_CASE("a single live trace among a hundred thousand is still seen") {
    const std::int64_t columns = 100'000, rows = 20;
    std::vector<float> gather(std::size_t(columns * rows), 0.f);
    for (std::int64_t row = 0; row < rows; ++row) gather[std::size_t(row * columns + 50'003)] = 1.f;
    Picture picture;
    picture.seismic = true;
    picture.overlay_clip = 1.;
    picture.background = {rows, columns, gather};
    const auto drawn = draw(picture);
    int black = 0;
    for (int x = 0; x < drawn.plot.width; ++x)
        black += drawn.image.at(drawn.plot.left + x, drawn.plot.top + 300) == Rgb{0, 0, 0};
    CHECK(black == 1);
    CHECK(drawn.image.width <= 1600);
}

TEST_CASE("marks are where their coordinates say, and not drawn outside the axes") {
    const std::vector<float> vp(101 * 101, 2000.f);
    auto picture = model_picture(vp, 101, 101);
    picture.marks = {{250., 750., PictureMark::Kind::source},
                     {500., 500., PictureMark::Kind::receiver},
                     {5000., 500., PictureMark::Kind::source}};
    const auto drawn = draw(picture);
    const Rgb source = drawn.at(0.25, 0.75), receiver = drawn.at(0.5, 0.5);
    CHECK(source == Rgb{225, 30, 30});
    CHECK(receiver == Rgb{255, 200, 40});
    int sources = 0;
    for (const Rgb pixel : drawn.image.pixels) sources += pixel == source;
    CHECK(sources > 50);
    CHECK(sources < 300);
}

TEST_CASE("odd pictures are drawn too") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const auto& values : {std::vector<float>{2000.f}, std::vector<float>{0.f}, std::vector<float>{nan},
                               std::vector<float>{std::numeric_limits<float>::infinity()},
                               std::vector<float>{std::numeric_limits<float>::max()}, std::vector<float>{1e-38f}}) {
        auto picture = model_picture(values, 1, 1);
        picture.overlay = {1, 1, values};
        picture.title = "a very long title: " + std::string(300, 'x') + " \xc3\xbc\n";
        const auto drawn = draw(picture);
        CHECK(drawn.image.width <= 1600);
        CHECK(drawn.image.height <= 1000);
    }
    const std::vector<float> pair{1500.f, nan, 2500.f, 2000.f};
    auto picture = model_picture(pair, 2, 2);
    picture.horizontal = {4e7, -4e7, "x [m]"};
    picture.vertical = {0., 1e-5, "z [m]"};
    const auto drawn = draw(picture);
    CHECK(drawn.at(1., 0.) == kNoValue);
    CHECK(drawn.at(0., 1.) == kViridis.at(1.));
    Picture empty;
    CHECK(draw(empty).at(0.5, 0.5) == kWhite);
}

TEST_CASE("a picture is complete or absent, and does not replace another unless asked to") {
    TemporaryFolder folder;
    const std::vector<float> vp{1500.f, 2000.f, 2500.f, 3000.f};
    const auto picture = model_picture(vp, 2, 2);
    const auto file = folder.path() / "p.png";
    {
        const FileSizeLimit full(4000);
        CHECK(fault_of([&] { write_picture(file, picture, false); }).code() == ExitCode::io_error);
        CHECK(empty_folder(folder.path()));
    }
    std::ofstream(file) << "mine";
    CHECK(fault_of([&] { write_picture(file, picture, false); }).code() == ExitCode::cannot_create);
    CHECK(std::filesystem::file_size(file) == 4);
    CHECK(fault_of([&] { write_picture(folder.path() / "absent" / "p.png", picture, false); }).code() ==
          ExitCode::cannot_create);
    write_picture(file, picture, true);
    CHECK(read_png(file).width > 500);
}

TEST_CASE("sizes that do not fit and axes without ends are refused") {
    const std::vector<float> vp{1500.f, 2000.f, 2500.f};
    TemporaryFolder folder;
    auto picture = model_picture(vp, 2, 2);
    CHECK_THROWS_AS(write_picture(folder.path() / "p.png", picture, false), std::invalid_argument);
    picture = model_picture(vp, 1, 3);
    picture.vertical.last = std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS(write_picture(folder.path() / "p.png", picture, false), std::invalid_argument);
}

TEST_CASE("ticks are round numbers inside the axis") {
    CHECK(labels_of(make_ticks(0., 9200., 10)) ==
          Labels{"0", "1000", "2000", "3000", "4000", "5000", "6000", "7000", "8000", "9000"});
    CHECK(labels_of(make_ticks(0., 3., 6)) == Labels{"0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0"});
    CHECK(labels_of(make_ticks(3., 0., 6)) == labels_of(make_ticks(0., 3., 6)));
    CHECK(labels_of(make_ticks(-0.25, 0.21, 5)) == Labels{"-0.2", "-0.1", "0.0", "0.1", "0.2"});
    CHECK(labels_of(make_ticks(1234.5, 1234.5, 5)) == Labels{"1234.500"});
    const auto tiny = make_ticks(-2.5e-7, 2.5e-7, 5);
    CHECK(tiny.exponent == -9);
    CHECK(labels_of(tiny) == Labels{"-200", "-100", "0", "100", "200"});
    CHECK(scaled_title("pressure [Pa]", tiny.exponent) == "pressure [1e-9 Pa]");
    CHECK(scaled_title("pressure", tiny.exponent) == "pressure [1e-9]");
    CHECK(scaled_title("x [m]", 0) == "x [m]");
    const auto large = make_ticks(0., 4e7, 4);
    CHECK(large.exponent == 6);
    CHECK(labels_of(large) == Labels{"0", "10", "20", "30", "40"});
}

TEST_CASE("fitting to pixels: bilinear between samples; means or peaks where several share a pixel") {
    const std::vector<float> ramp{0.f, 1.f, 2.f, 3.f};
    CHECK(fit_raster({1, 4, ramp}, 7, 1, Shrink::mean) == std::vector<float>{0.f, 0.5f, 1.f, 1.5f, 2.f, 2.5f, 3.f});
    CHECK(fit_raster({2, 2, ramp}, 3, 3, Shrink::peak) ==
          std::vector<float>{0.f, 0.5f, 1.f, 1.f, 1.5f, 2.f, 2.f, 2.5f, 3.f});
    std::vector<float> wave(1000, 1.f);
    wave[437] = -5.f;
    const auto mean = fit_raster({1, 1000, wave}, 10, 1, Shrink::mean);
    const auto peak = fit_raster({1000, 1, wave}, 1, 10, Shrink::peak);
    for (std::size_t i = 0; i < 10; ++i) {
        CHECK(peak[i] == (i == 4 ? -5.f : 1.f));
        CHECK(mean[i] == doctest::Approx(i == 4 ? 1. - 6. / 111. : 1.));
    }
    wave[300] = std::numeric_limits<float>::quiet_NaN();
    CHECK(std::isnan(fit_raster({1, 1000, wave}, 10, 1, Shrink::peak)[3]));
    CHECK(magnitude_quantile(std::vector<float>{-3.f, 1.f, 2.f}, 1.) == 3.);
    CHECK(magnitude_quantile(std::vector<float>{-3.f, 1.f, 2.f}, 0.5) == 2.);
    CHECK(magnitude_quantile({}, 0.5) == 0.);
}
