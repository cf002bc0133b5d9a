// Pictures show values in the documented colours at the right places, whatever the size of the data, and are complete
// or absent.
// Takes 6 s.
#include "io/pictures/picture.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <limits>

#include "io/pictures/colour_map.hpp"
#include "io/pictures/layout.hpp"
#include "io/pictures/movie.hpp"
#include "io/pictures/raster.hpp"
#include "io/pictures/thinned_marks.hpp"
#include "io/pictures/ticks.hpp"
#include "tests/io/file_size_limit.hpp"
#include "tests/io/files_support.hpp"
#include "tests/io/png_image.hpp"
#include "tests/io/result_file_checks.hpp"

using namespace onda;

namespace {

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

/// Whether two colours differ by no more than rounding.
bool near(Rgb a, Rgb b, int most = 2) {
    return std::abs(a.r - b.r) <= most && std::abs(a.g - b.g) <= most && std::abs(a.b - b.b) <= most;
}

int count(const Image& image, Rgb colour) {
    return int(std::ranges::count(image.pixels, colour));
}

Picture one_panel(Panel panel) {
    Picture picture;
    picture.panels.push_back(std::move(panel));
    return picture;
}

Panel model_panel(std::span<const float> vp, std::int64_t rows, std::int64_t columns) {
    Panel panel;
    panel.title = "Model";
    panel.horizontal = {0., 10. * double(columns - 1), "x [m]"};
    panel.vertical = {0., 10. * double(rows - 1), "z [m]"};
    panel.equal_aspect = true;
    panel.fields.push_back({{rows, columns, vp}});
    panel.fields[0].label = "vp [m/s]";
    return panel;
}

Picture model_picture(std::span<const float> vp, std::int64_t rows, std::int64_t columns) {
    return one_panel(model_panel(vp, rows, columns));
}

PictureField pressure_over(std::int64_t rows, std::int64_t columns, std::span<const float> values, double clip) {
    PictureField field{{rows, columns, values}};
    field.map = &kBlueRed;
    field.range = ValueRange{-clip, clip};
    field.tint = true;
    return field;
}

Panel gather_panel_of(std::int64_t samples, std::int64_t traces, std::span<const float> values, double clip) {
    Panel panel;
    panel.horizontal = {1000., 1290., "receiver x [m]"};
    panel.vertical = {0., 1.5, "time [s]"};
    PictureField field{{samples, traces, values}};
    field.map = &kGrey;
    field.range = ValueRange{-clip, clip};
    field.shrink = Shrink::peak;
    panel.fields.push_back(field);
    return panel;
}

std::vector<std::string> labels_of(const Ticks& ticks) {
    std::vector<std::string> labels;
    for (const Tick& tick : ticks.ticks) labels.push_back(tick.label);
    return labels;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("panels in rows lie below each other, those of a column at one place") {
    const std::vector<float> vp(20 * 30, 1.f);
    Picture picture;
    for (int i = 0; i < 4; ++i) picture.panels.push_back(model_panel(vp, 20, 30));
    for (Panel& panel : picture.panels) panel.equal_aspect = false;
    picture.panels[2].vertical.first = -1e5;  // longer labels below than above
    const Pixels beside = draw_pixels(picture);
    picture.rows = 2;
    const Pixels below = draw_pixels(picture);
    CHECK(below.height > 1.3 * beside.height);
    picture.panels.resize(3);
    const Pixels three = draw_pixels(picture);
    CHECK(three.width == below.width);
    CHECK(three.height == below.height);
    // The left frames of a column are one column of pixels.
    picture.panels.resize(2);
    std::swap(picture.panels[1], picture.panels[0]);
    picture.panels[1].vertical.first = -1e5;
    const Pixels column = draw_pixels(picture);
    int longest = 0;
    for (int x = 0; x < column.width; ++x) {
        int dark = 0;
        for (int y = 0; y < column.height; ++y)
            dark += column.argb[static_cast<std::size_t>(y * column.width + x)] == argb(kInk) ? 1 : 0;
        longest = std::max(longest, dark);
    }
    CHECK(longest > 0.6 * column.height);
}

TEST_CASE("a model slice: viridis from the slowest to the fastest, same metres per pixel both ways") {
    std::vector<float> vp(200 * 100, 1500.f);
    for (std::size_t i = 100 * 100; i < vp.size(); ++i) vp[i] = 4500.f;
    const auto drawn = draw(model_picture(vp, 200, 100));
    CHECK(drawn.at(0.5, 0.25) == Rgb{0x44, 0x01, 0x54});
    CHECK(drawn.at(0.5, 0.75) == Rgb{0xfd, 0xe7, 0x25});
    CHECK(drawn.plot.height == 720);
    CHECK(double(drawn.plot.width) / drawn.plot.height == doctest::Approx(99. / 199.).epsilon(0.005));
    // The colour bar: low at the bottom, high on top.
    const int bar = drawn.plot.left + drawn.plot.width + 1 + 25 + 10;
    CHECK(drawn.image.at(bar, drawn.plot.top) == Rgb{0xfd, 0xe7, 0x25});
    CHECK(drawn.image.at(bar, drawn.plot.top + drawn.plot.height - 1) == Rgb{0x44, 0x01, 0x54});
}

TEST_CASE("a section of one value has no colour bar") {
    const std::vector<float> uniform(60 * 90, 2000.f);
    std::vector<float> two = uniform;
    two[0] = 2100.f;
    const auto right_of_plot = [](const Drawn& drawn) {
        int coloured = 0;
        for (int y = 0; y < drawn.image.height; ++y)
            for (int x = drawn.plot.left + drawn.plot.width + 2; x < drawn.image.width; ++x)
                coloured += drawn.image.at(x, y) != kWhite;
        return coloured;
    };
    CHECK(right_of_plot(draw(model_picture(uniform, 60, 90))) < 300);  // half of the last label of the axis
    CHECK(right_of_plot(draw(model_picture(two, 60, 90))) > 5000);
}

TEST_CASE("waves over a model: red where positive, blue where negative, the model's grey where there is none") {
    const std::vector<float> vp(60 * 90, 2000.f);
    std::vector<float> pressure(60 * 90, 0.f);
    for (std::size_t i = 0; i < 20 * 90; ++i) pressure[i] = 1e-6f, pressure[i + 40 * 90] = -1e-6f;
    auto picture = model_picture(vp, 60, 90);
    picture.panels[0].fields[0].map = &kPaleGrey;
    picture.panels[0].fields.push_back(pressure_over(60, 90, pressure, 1e-6));
    const auto drawn = draw(picture);
    const Rgb positive = drawn.at(0.5, 0.1), none = drawn.at(0.5, 0.5), negative = drawn.at(0.5, 0.9);
    CHECK(none.r == none.g);
    CHECK(none.g == none.b);
    CHECK(near(positive, blend(none, kBlueRed.at(0.95), 0.9)));
    CHECK(near(negative, blend(none, kBlueRed.at(0.05), 0.9)));
    CHECK(positive.r > positive.b + 80);
    CHECK(negative.b > negative.r + 80);
    // A thousandth of the clip is all but invisible.
    for (float& p : pressure) p *= 1e-3f;
    CHECK(near(draw(picture).at(0.5, 0.1), none, 3));
}

TEST_CASE("zero is exactly the middle of a map of values of both signs, in the field and in its bar") {
    const std::vector<float> zeros(30 * 30, 0.f);
    for (const ColourMap& map : colour_maps()) {
        if (!map.diverging) continue;
        Panel panel = gather_panel_of(30, 30, zeros, 3.7e-5);
        panel.fields[0].map = &map;
        panel.fields[0].label = "pressure [Pa]";
        const auto drawn = draw(one_panel(panel));
        CHECK_MESSAGE(drawn.at(0.5, 0.5) == map.anchors[map.anchors.size() / 2], map.name);
        const int bar = drawn.plot.left + drawn.plot.width + 1 + 25 + 10, middle = drawn.plot.height / 2;
        CHECK(near(drawn.image.at(bar, drawn.plot.top + middle), map.at(0.5)));
        CHECK(drawn.image.at(bar, drawn.plot.top) == map.at(1.));
        CHECK(drawn.image.at(bar, drawn.plot.top + drawn.plot.height - 1) == map.at(0.));
    }
    // Without a range, as models are drawn, the ends of any map are the least and the largest value.
    std::vector<float> vp(200 * 100, 1500.f);
    vp.back() = 4500.f;
    auto model = model_picture(vp, 200, 100);
    model.panels[0].fields[0].map = find_colour_map("vik");
    CHECK(draw(model).at(0.5, 0.5) == find_colour_map("vik")->at(0.));
    CHECK(find_colour_map("jet") == nullptr);
}

TEST_CASE("a bar ends in an arrow where values lie beyond it, at that end alone") {
    std::vector<float> values(30 * 30, 0.f);
    const auto ends = [&](bool tint) {
        Panel panel = gather_panel_of(30, 30, values, 1.);
        panel.fields[0].label = "pressure [Pa]";
        panel.fields[0].tint = tint;
        const auto drawn = draw(one_panel(panel));
        // Beside the arrow, and at its foot.
        const int edge = drawn.plot.left + drawn.plot.width + 1 + 25 + 1;
        const auto pale = [&](int y) { return drawn.image.at(edge, y) == kWhite; };
        return std::pair{pale(drawn.plot.top + 4), pale(drawn.plot.top + drawn.plot.height - 5)};
    };
    CHECK(ends(false) == std::pair{false, false});
    values[70] = 1.5f;
    CHECK(ends(false) == std::pair{true, false});
    values[71] = -1.5f;
    CHECK(ends(false) == std::pair{true, true});
    CHECK(ends(true) == std::pair{true, true});
}

TEST_CASE("zero over a model is the palest of it in the bar, too") {
    const std::vector<float> vp(60 * 90, 2000.f), pressure(60 * 90, 0.f);
    auto picture = model_picture(vp, 60, 90);
    picture.panels[0].fields[0].map = &kPaleGrey;
    picture.panels[0].fields.push_back(pressure_over(60, 90, pressure, 1e-6));
    picture.panels[0].fields[1].label = "pressure [Pa]";
    const auto drawn = draw(picture);
    CHECK(drawn.at(0.5, 0.5) == kPaleGrey.at(0.));
    const int bar = drawn.plot.left + drawn.plot.width + 1 + 25 + 10;
    CHECK(near(drawn.image.at(bar, drawn.plot.top + drawn.plot.height / 2), drawn.at(0.5, 0.5), 4));
}

TEST_CASE("maps have their first row below, and aliased traces are columns") {
    const std::vector<float> values{1500.f, 3000.f, 3000.f, 3000.f};
    Panel panel = model_panel(values, 2, 2);
    panel.vertical = {10., 0., "y [m]"};
    panel.fields[0].upwards = true;
    CHECK(draw(one_panel(panel)).at(0., 1.) == kViridis.at(0.));
    CHECK(draw(one_panel(panel)).at(0., 0.) == kViridis.at(1.));
    panel.fields[0].extent = Extent{0., 10., 10., 0.};
    CHECK(draw(one_panel(panel)).at(0., 1.) == kViridis.at(0.));
    panel.fields[0].columns = true;
    const auto columns = draw(one_panel(panel));
    CHECK(columns.at(0.47, 1.) == kViridis.at(0.));
    CHECK(columns.at(0.53, 1.) == kViridis.at(1.));
}

TEST_CASE("marks of a grid are thinned to a grid, those of a line evenly") {
    std::vector<std::array<double, 2>> grid, line;
    for (int y = 0; y < 10; ++y)
        for (int x = 0; x < 21; ++x) grid.push_back({4. * x, 6. * y});
    for (const std::size_t i : evenly_thinned(grid, 11.)) {
        CHECK(i % 21 % 3 == 0);
        CHECK(i / 21 % 2 == 0);
    }
    CHECK(evenly_thinned(grid, 11.).size() == 7 * 5);
    for (int i = 0; i < 100; ++i) line.push_back({3.7 * i, 2.9 * i});
    const auto kept = evenly_thinned(line, 11.);
    for (std::size_t k = 0; k < kept.size(); ++k) CHECK(kept[k] == 3 * k);
    CHECK(kept.size() == 34);
    CHECK(evenly_thinned(line, 1.).size() == 100);
}

TEST_CASE("a picture for print is as wide as asked for, and says its resolution") {
    TemporaryFolder folder;
    const std::vector<float> values(30 * 30, 1.f);
    Panel panel = gather_panel_of(30, 30, values, 0.5);
    panel.fields[0].label = "pressure [Pa]";
    for (const std::size_t panels : {1, 2}) {
        Picture picture;
        picture.panels.assign(panels, panel);
        picture.width_mm = 84.;
        write_picture(folder.path() / "p.png", picture, true);
        CHECK(read_png(folder.path() / "p.png").width == doctest::Approx(84. / 25.4 * 300.).epsilon(0.005));
        // 300 dots per inch are 11811 per metre.
        CHECK(text_of(folder.path() / "p.png").find(std::string("pHYs\0\0\x2e\x23\0\0\x2e\x23\1", 13)) == 37);
        write_picture(folder.path() / "p.pdf", picture, true);
        CHECK(text_of(folder.path() / "p.pdf").starts_with("%PDF"));
    }
}

TEST_CASE("in a column of a journal bars lie beneath the plot, which keeps half of the width at least") {
    std::vector<float> values(30 * 60, 0.f);
    values.front() = -3.f;
    Panel panel;
    panel.horizontal = {0., 60., "x [m]"};
    panel.vertical = {0., 30., "Depth [m]"};
    panel.equal_aspect = true;
    panel.fields.push_back({{30, 60, values}});
    panel.fields[0].label = "Pressure [Pa]";
    panel.fields[0].map = &kBlueRed;
    panel.fields[0].range = ValueRange{-1., 1.};
    Picture picture = one_panel(panel);
    picture.width_mm = 174.;
    CHECK_FALSE(layout::make_layout(picture).panels[0].bars.at(0).lies);
    picture.width_mm = 84.;
    const layout::Layout narrow = layout::make_layout(picture);
    const PageBox &plot = narrow.panels[0].plot, &bar = narrow.panels[0].bars.at(0).box;
    CHECK(plot.width > 0.6 * narrow.width);
    CHECK(plot.width == doctest::Approx(2. * plot.height).epsilon(0.01));
    CHECK(bar.top > plot.bottom() + 40.);
    CHECK(bar.width == plot.width);
    CHECK(narrow.panels[0].bars[0].ticks.ticks.size() >= 3);
    const auto two = [&] {
        Picture both = picture;
        both.panels[0].fields.insert(both.panels[0].fields.begin(), PictureField{{30, 60, values}});
        both.panels[0].fields[0].label = "vp [m/s]";
        both.panels[0].fields[1].range = ValueRange{-0.023, 0.023};
        return layout::make_layout(both).panels[0].bars;
    }();
    REQUIRE(two.size() == 2);
    CHECK(two[0].box.right() + 30. < two[1].box.left);
    CHECK(two[0].box.top == two[1].box.top);
    CHECK(labels_of(two[1].ticks) == Labels{printed_number(-0.02), "0.00", "0.02"});
    // From blue on the left, behind an arrow, to red on the right, where no values are beyond the bar.
    const Pixels pixels = draw_pixels(picture);
    const double scale = double(pixels.width) / narrow.width;
    const auto at = [&](double x) {
        const auto row = std::size_t((bar.top + 0.5 * bar.height) * scale);
        const std::uint32_t colour = pixels.argb[row * std::size_t(pixels.width) + std::size_t(x * scale)];
        return Rgb{std::uint8_t(colour >> 16), std::uint8_t(colour >> 8), std::uint8_t(colour)};
    };
    CHECK(at(bar.left + 8.) == kBlueRed.at(0.));
    CHECK(near(at(bar.right() - 1.5), kBlueRed.at(1.), 6));
    CHECK(at(bar.right() + 4.) == kWhite);
}

TEST_CASE("a gather: black positive, white negative, clipped") {
    std::vector<float> gather(300 * 30, 0.f);
    for (std::size_t i = 0; i < 100 * 30; ++i) gather[i] = 50.f, gather[i + 200 * 30] = -0.5f;
    const auto drawn = draw(one_panel(gather_panel_of(300, 30, gather, 1.)));
    CHECK(drawn.at(0.5, 0.1) == Rgb{0, 0, 0});
    CHECK(drawn.at(0.5, 0.5) == Rgb{128, 128, 128});
    CHECK(drawn.at(0.5, 0.9) == Rgb{192, 192, 192});
}

TEST_CASE("wiggles are filled to the right where positive, and are where their receivers are") {
    // Two traces: the left one positive in its first half and negative in its second, the right one silent.
    std::vector<float> traces(2 * 400, 0.f);
    for (std::size_t n = 0; n < 400; ++n) traces[n] = n < 200 ? 1.f : -1.f;
    Panel panel;
    panel.horizontal = {0., 100., "offset [m]"};
    panel.vertical = {0., 1., "time [s]"};
    panel.traces = PictureTraces{{25., 75.}, {2, 400, traces}, 1., 20.};
    const auto drawn = draw(one_panel(panel));
    CHECK(drawn.at(0.35, 0.25) == kInk);  // filled from 25 to 45
    CHECK(drawn.at(0.47, 0.25) == kWhite);
    CHECK(drawn.at(0.15, 0.75) == kWhite);  // negative: the line at 5, nothing filled
    CHECK(drawn.at(0.80, 0.25) == kWhite);
    const auto ink_near = [&](double u, double v) {
        bool found = false;
        for (double shift = -0.004; shift <= 0.004; shift += 0.001) found = found || drawn.at(u + shift, v).r < 140;
        return found;
    };
    CHECK(ink_near(0.05, 0.75));
    CHECK(ink_near(0.75, 0.5));
    CHECK_FALSE(ink_near(0.60, 0.5));
}

TEST_CASE("a single live trace among a hundred thousand is still seen") {
    const std::int64_t columns = 100'000, rows = 20;
    std::vector<float> gather(std::size_t(columns * rows), 0.f);
    for (std::int64_t row = 0; row < rows; ++row) gather[std::size_t(row * columns + 50'003)] = 1.f;
    const auto drawn = draw(one_panel(gather_panel_of(rows, columns, gather, 1.)));
    int black = 0;
    for (int x = 0; x < drawn.plot.width; ++x)
        black += drawn.image.at(drawn.plot.left + x, drawn.plot.top + 300) == Rgb{0, 0, 0};
    CHECK(black == 1);
    CHECK(drawn.image.width <= 1600);
}

TEST_CASE("marks are where their coordinates say, and not drawn outside the axes") {
    const std::vector<float> vp(101 * 101, 2000.f);
    auto picture = model_picture(vp, 101, 101);
    picture.panels[0].marks = {{250., 750., PictureMark::Kind::source},
                               {500., 500., PictureMark::Kind::receiver},
                               {5000., 500., PictureMark::Kind::source}};
    const auto drawn = draw(picture);
    CHECK(drawn.at(0.25, 0.75) == Rgb{225, 30, 30});
    CHECK(drawn.at(0.5, 0.5) == Rgb{255, 200, 40});
    CHECK(count(drawn.image, {225, 30, 30}) > 50);
    CHECK(count(drawn.image, {225, 30, 30}) < 300);
}

TEST_CASE("absorbing zones are paler than the interior, and their inner edge is dashed") {
    std::vector<float> vp(101 * 101, 1500.f);
    vp[0] = 3000.f;
    auto picture = model_picture(vp, 101, 101);
    const auto plain = draw(picture);
    picture.panels[0].interior = Extent{200., 800., 0., 900.};
    const auto drawn = draw(picture);
    const Rgb interior = drawn.at(0.5, 0.4);
    CHECK(interior == plain.at(0.5, 0.4));
    for (const auto& [u, v] : {std::pair{0.1, 0.5}, {0.9, 0.5}, {0.3, 0.97}}) CHECK(drawn.at(u, v).r > interior.r + 30);
    int dashes = 0, gaps = 0;
    for (double v = 0.05; v < 0.85; v += 0.001) (drawn.at(0.2, v).b < interior.b ? dashes : gaps) += 1;
    CHECK(dashes > 200);
    CHECK(gaps > 200);
    CHECK(drawn.at(0.5, 0.) == plain.at(0.5, 0.));  // a side at the end of an axis: no layer there
}

TEST_CASE("a field may cover a part of the axes") {
    const std::vector<float> vp{1500.f, 1500.f, 1500.f, 1500.f};
    Panel panel = model_panel(vp, 2, 2);
    panel.horizontal = {0., 100., "x [m]"};
    panel.vertical = {0., 100., "z [m]"};
    panel.fields[0].extent = Extent{50., 90., 20., 60.};
    const auto drawn = draw(one_panel(panel));
    CHECK(drawn.at(0.7, 0.4) != kWhite);
    for (const auto& [u, v] : {std::pair{0.45, 0.4}, {0.95, 0.4}, {0.7, 0.15}, {0.7, 0.65}})
        CHECK(drawn.at(u, v) == kWhite);
}

TEST_CASE("panels side by side share the bar of colours that mean the same") {
    const std::vector<float> vp{1500.f, 2000.f, 2500.f, 3000.f};
    const auto bars = [&](const Picture& picture) {
        TemporaryFolder folder;
        write_picture(folder.path() / "p.png", picture, false);
        const Image image = read_png(folder.path() / "p.png");
        // A bar has the colour of the largest value on top.
        const int y = find_plot(image).top;
        int found = 0;
        for (int x = 1; x < image.width; ++x) found += image.at(x, y) == kViridis.at(1.) && image.at(x - 1, y) == kInk;
        return found;
    };
    Picture picture;
    picture.panels = {model_panel(vp, 2, 2), model_panel(vp, 2, 2)};
    CHECK(bars(picture) == 1);
    picture.panels[0].fields[0].range = ValueRange{1000., 4000.};
    CHECK(bars(picture) == 2);
    picture.panels.resize(8, picture.panels[1]);
    CHECK(draw_pixels(picture).width < 5000);
}

TEST_CASE("frames on one scale have one size, whatever their titles, and the width that is asked for") {
    const std::vector<float> weak(30 * 30, 1e-4f), strong(30 * 30, 1.f);
    Panel panel = gather_panel_of(30, 30, strong, 1.);
    panel.title = "shot 1 at 0.1 s";
    const Pixels first = draw_pixels(one_panel(panel));
    panel.fields[0].raster.values = weak;
    panel.title = std::string(300, 'W');
    const Pixels second = draw_pixels(one_panel(panel));
    CHECK(first.width == second.width);
    CHECK(first.height == second.height);
    // Both are drawn on one scale: what is weak stays grey.
    const auto middle = [](const Pixels& p) {
        return p.argb[std::size_t(p.height / 2) * p.width + p.width / 2] & 0xff;
    };
    CHECK(middle(first) == 0);
    CHECK(middle(second) == 128);
    Picture wide = one_panel(panel);
    wide.width_px = 2000;
    CHECK(draw_pixels(wide).width == 2000);
}

TEST_CASE("text is UTF-8, antialiased, and cut where it does not fit") {
    Panel panel = gather_panel_of(1, 1, std::vector<float>{0.f}, 1.);
    panel.fields.clear();
    const auto ink_of = [&](const std::string& title) {
        Picture picture = one_panel(panel);
        picture.title = title;
        const Image image = draw(picture).image;
        int dark = 0, grey = 0;
        for (int y = 0; y < 40; ++y)
            for (int x = 0; x < image.width; ++x) {
                dark += image.at(x, y).r < 100;
                grey += image.at(x, y).r >= 100 && image.at(x, y).r < 250;
            }
        return std::pair{dark, grey};
    };
    CHECK(ink_of(" ").first == 0);
    const auto plain = ink_of("Nord");
    CHECK(plain.first > 50);
    CHECK(plain.second > 50);
    CHECK(ink_of("N\xc3\xb6rd").first > plain.first);  // two dots more
    CHECK(ink_of("x\xe2\x82\x9b \xce\xa3 \xff\xfe\n").first > 50);
    CHECK(text_width(cut_to(std::string(3000, 'x'), 300., {}), {}) <= 300.);
    CHECK(cut_to(std::string(300, 'x'), 300., {}).ends_with("\xe2\x80\xa6"));
    CHECK(cut_to("short", 300., {}) == "short");
}

TEST_CASE("a PDF has the same content, and the same bytes each time") {
    TemporaryFolder folder;
    const std::vector<float> vp{1500.f, 2000.f, 2500.f, 3000.f};
    const auto picture = model_picture(vp, 2, 2);
    write_picture(folder.path() / "a.pdf", picture, false);
    write_picture(folder.path() / "b.pdf", picture, false);
    CHECK(text_of(folder.path() / "a.pdf").starts_with("%PDF-1."));
    CHECK(text_of(folder.path() / "a.pdf") == text_of(folder.path() / "b.pdf"));
    CHECK(std::filesystem::file_size(folder.path() / "a.pdf") > 5000);
    write_picture(folder.path() / "a.png", picture, false);
    write_picture(folder.path() / "b.png", picture, false);
    CHECK(text_of(folder.path() / "a.png") == text_of(folder.path() / "b.png"));
}

TEST_CASE("an animated PNG begins with its first frame, counts its frames, and stores what changes") {
    TemporaryFolder folder;
    const auto frame = [](std::size_t i) {
        Pixels pixels{40, 30, std::vector<std::uint32_t>(40 * 30, argb({10, 200, 30}))};
        if (i > 0) pixels.argb[std::size_t(7 * 40 + 3 + int(i))] = argb({255, 0, 0});
        return pixels;
    };
    stage_movie(folder.path() / "m.png", {4, 8., frame}, false).commit();
    const Image image = read_png(folder.path() / "m.png");
    CHECK(image.width == 40);
    CHECK(image.height == 30);
    CHECK(image.at(20, 20) == Rgb{10, 200, 30});
    const std::string bytes = text_of(folder.path() / "m.png");
    const auto times = [&bytes](const std::string& chunk) {
        int found = 0;
        for (auto at = bytes.find(chunk); at != std::string::npos; at = bytes.find(chunk, at + 1)) ++found;
        return found;
    };
    CHECK(bytes.substr(bytes.find("acTL") + 4, 8) == std::string("\0\0\0\4\0\0\0\0", 8));
    CHECK(times("fcTL") == 4);
    CHECK(times("IDAT") == 1);
    CHECK(times("fdAT") == 3);
    // The second frame: number 1, a pixel at (4, 7), 125 ms.
    const auto second = bytes.find("fcTL", bytes.find("fcTL") + 1);
    CHECK(bytes.substr(second + 4, 26) == std::string("\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\4\0\0\0\7\0\175\3\350\0\0", 26));
}

TEST_CASE("an animated GIF is what another program reads: size, frames, and colours to 5 bits") {
    TemporaryFolder folder;
    constexpr int width = 150, height = 91;
    // Enough different pixels for codes of all lengths and a table that begins again; ramps of about 200 colours.
    const auto frame = [](std::size_t i) {
        Pixels pixels{width, height, {}};
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                pixels.argb.push_back(argb({static_cast<std::uint8_t>(x * 7 * y % 13 * 19), std::uint8_t(40 * i),
                                            static_cast<std::uint8_t>(x * x * y % 16 * 16)}));
        return pixels;
    };
    const auto file = folder.path() / "m.gif";
    stage_movie(file, {3, 10., frame}, false).commit();
    CHECK(text_of(file).starts_with("GIF89a\x96"));
    if (std::system("command -v ffmpeg >/dev/null") != 0) {
        MESSAGE("not read: ffmpeg is not installed");
        return;
    }
    const auto raw = folder.path() / "raw";
    REQUIRE(std::system(
                ("ffmpeg -v error -i " + file.string() + " -f rawvideo -pix_fmt rgb24 " + raw.string()).c_str()) == 0);
    const std::string read = text_of(raw);
    REQUIRE(read.size() == std::size_t(3 * 3 * width * height));
    int largest = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const Pixels pixels = frame(i);
        for (std::size_t k = 0; k < pixels.argb.size(); ++k)
            for (std::size_t c = 0; c < 3; ++c) {
                const auto value = static_cast<unsigned char>(read[3 * (i * pixels.argb.size() + k) + c]);
                largest = std::max(largest, std::abs(int(value) - int(pixels.argb[k] >> (16 - 8 * c) & 0xff)));
            }
    }
    CHECK(largest <= 7);
}

TEST_CASE("frames of a GIF last whole hundredths of a second, and on average as long as is asked for") {
    TemporaryFolder folder;
    const auto frame = [](std::size_t i) { return Pixels{1, 1, {argb({static_cast<std::uint8_t>(i), 0, 0})}}; };
    for (const double per_second : {24., 30., 40., 10., 0.3}) {
        CAPTURE(per_second);
        const auto file = folder.path() / "m.gif";
        stage_movie(file, {60, per_second, frame}, true).commit();
        const std::string bytes = text_of(file), head("\x21\xf9\4\4", 4);
        int frames = 0, sum = 0;
        for (std::size_t at = bytes.find(head); at != std::string::npos; at = bytes.find(head, at + 1), ++frames) {
            const int delay =
                static_cast<unsigned char>(bytes[at + 4]) + 256 * static_cast<unsigned char>(bytes[at + 5]);
            CHECK(std::abs(delay - 100. / per_second) < 1.);
            sum += delay;
        }
        CHECK(frames == 60);
        CHECK(sum == std::lround(6000. / per_second));
    }
}

TEST_CASE("a picture of more pixels than there can be is refused with its size") {
    Picture picture = one_panel({});
    picture.width_mm = 1000.;
    picture.dpi = 1200;
    const std::string told = message_of([&] { draw_pixels(picture); }, ExitCode::usage);
    CHECK(contains(told, "a picture of 47244 x "));
    CHECK(contains(told, " pixels: no side may have more than 32767; take fewer dots per inch, or less width"));
}

TEST_CASE("odd pictures are drawn too") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const auto& values : {std::vector<float>{2000.f}, std::vector<float>{0.f}, std::vector<float>{nan},
                               std::vector<float>{std::numeric_limits<float>::infinity()},
                               std::vector<float>{std::numeric_limits<float>::max()}, std::vector<float>{1e-38f}}) {
        auto picture = model_picture(values, 1, 1);
        picture.panels[0].fields.push_back({{1, 1, values}});
        picture.panels[0].fields[1].tint = true;
        picture.panels[0].fields[1].label = "pressure [Pa]";
        picture.panels[0].title = "a very long title: " + std::string(300, 'x') + " \xc3\xbc\n";
        const auto drawn = draw(picture);
        CHECK(drawn.image.width <= 1600);
        CHECK(drawn.image.height <= 1000);
    }
    const std::vector<float> pair{1500.f, nan, 2500.f, 2000.f};
    auto picture = model_picture(pair, 2, 2);
    picture.panels[0].horizontal = {4e7, -4e7, "x [m]"};
    picture.panels[0].vertical = {0., 1e-5, "z [m]"};
    const auto drawn = draw(picture);
    CHECK(drawn.at(1., 0.) == kNoValue);
    CHECK(drawn.at(0., 1.) == kViridis.at(1.));
    CHECK(draw(one_panel({})).at(0.5, 0.5) == kWhite);
    CHECK(draw_pixels({}).width > 100);
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
    picture.panels[0].vertical.last = std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS(write_picture(folder.path() / "p.png", picture, false), std::invalid_argument);
}

TEST_CASE("dots and lines of logarithmic axes lie where their logarithms are") {
    Panel panel;
    panel.horizontal = {0.1, 1000., "intensity", true};
    panel.vertical = {10000., 1., "rate", true};
    PictureDots dots;
    dots.x = {10., 1e9, std::numeric_limits<double>::quiet_NaN()};
    dots.y = {100., 100., 100.};
    dots.colour = {0, 114, 178};
    panel.dots.push_back(dots);
    panel.lines.push_back({{0.1, 1000.}, {1., 10000.}, {190, 30, 30}});
    const Drawn drawn = draw(one_panel(panel));
    CHECK(drawn.at(0.5, 0.5) == Rgb{0, 114, 178});
    CHECK(drawn.at(0.25, 0.75).r > 150);
    CHECK(near(drawn.at(0.25, 0.4), kWhite));
    CHECK(count(drawn.image, {0, 114, 178}) < 200);  // one dot
    for (PictureDots::Shape shape : {PictureDots::Shape::square, PictureDots::Shape::diamond,
                                     PictureDots::Shape::triangle, PictureDots::Shape::inverted}) {
        panel.dots[0].shape = shape;
        CHECK(draw(one_panel(panel)).at(0.5, 0.5) == Rgb{0, 114, 178});
    }
    const int plain = count(draw(one_panel(panel)).image, {0, 114, 178});
    panel.dots[0].label = "kernel";
    panel.legend = Panel::Corner::upper_left;
    CHECK(2 * count(draw(one_panel(panel)).image, {0, 114, 178}) > 3 * plain);
    panel.vertical.last = 0.;
    CHECK_THROWS_AS(draw(one_panel(panel)), std::invalid_argument);
}

TEST_CASE("ticks of logarithmic axes are 1, 2 and 5 times powers of ten, or as many of these as fit") {
    CHECK(labels_of(make_logarithmic_ticks(0.25, 32., 10)) == Labels{"0.5", "1", "2", "5", "10", "20"});
    CHECK(labels_of(make_logarithmic_ticks(0.001, 10., 6)) == Labels{"0.001", "0.01", "0.1", "1", "10"});
    CHECK(labels_of(make_logarithmic_ticks(1e-6, 1e6, 6)) ==
          Labels{"10\xe2\x81\xbb\xe2\x81\xb6", "0.001", "1", "1000", "10\xe2\x81\xb6"});
    CHECK(labels_of(make_logarithmic_ticks(10000., 1., 5)) == Labels{"1", "10", "100", "1000", "10000"});
}

TEST_CASE("ticks are round numbers inside the axis") {
    CHECK(labels_of(make_ticks(0., 9200., 10)) ==
          Labels{"0", "1000", "2000", "3000", "4000", "5000", "6000", "7000", "8000", "9000"});
    CHECK(labels_of(make_ticks(0., 3., 6)) == Labels{"0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0"});
    CHECK(labels_of(make_ticks(3., 0., 6)) == labels_of(make_ticks(0., 3., 6)));
    CHECK(labels_of(make_ticks(-0.25, 0.21, 5)) == Labels{"\xe2\x88\x92"
                                                          "0.2",
                                                          "\xe2\x88\x92"
                                                          "0.1",
                                                          "0.0", "0.1", "0.2"});
    CHECK(labels_of(make_ticks(1234.5, 1234.5, 5)) == Labels{"1234.500"});
    const auto tiny = make_ticks(-2.5e-7, 2.5e-7, 5);
    CHECK(tiny.exponent == -9);
    CHECK(labels_of(tiny) == Labels{"\xe2\x88\x92"
                                    "200",
                                    "\xe2\x88\x92"
                                    "100",
                                    "0", "100", "200"});
    CHECK(scaled_title("pressure [Pa]", tiny.exponent) == "pressure [nPa]");
    CHECK(scaled_title("pressure [Pa s]", -6) == "pressure [\xc2\xb5Pa s]");
    CHECK(scaled_title("velocity [m/s]", -9) == "velocity [nm/s]");
    CHECK(scaled_title("x [m]", -3) == "x [10\xe2\x81\xbb\xc2\xb3 m]");
    CHECK(scaled_title("pressure", tiny.exponent) == "pressure [10\xe2\x81\xbb\xe2\x81\xb9]");
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
