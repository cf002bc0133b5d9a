#include "io/pictures/picture.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <stdexcept>

#include "io/pictures/canvas.hpp"
#include "io/pictures/colour_map.hpp"
#include "io/pictures/font.hpp"
#include "io/pictures/raster.hpp"
#include "io/pictures/ticks.hpp"

namespace onda {
namespace {

constexpr int kMostPlotWidth = 1100, kMostPlotHeight = 720, kLeastPlotSide = 180;
constexpr int kGap = 10, kMargin = 18, kTickLength = 6, kBarWidth = 22;
constexpr double kOverlayOpacity = 0.9;

struct Box {
    int left = 0, top = 0, width = 0, height = 0;
};

/// The colours of one field: its own between two values, and what the colour bar shows of it.
struct Scale {
    double low = 0., high = 1.;
    std::function<Rgb(double)> colour;
    std::string title;
};

struct ColourBar {
    const Scale* scale;
    Ticks ticks;
    int left;
};

struct Layout {
    Box plot;
    int width = 0, height = 0;
    Ticks horizontal, vertical;
    std::string horizontal_title, vertical_title;
    std::vector<ColourBar> bars;
};

int widest_label(const Ticks& ticks) {
    int width = 0;
    for (const Tick& tick : ticks.ticks) width = std::max(width, text_width(tick.label));
    return width;
}

/// As many ticks as fit beside each other with air between their labels.
Ticks horizontal_ticks(const PictureAxis& axis, int pixels) {
    for (int most = pixels / 60; most > 1; --most) {
        Ticks ticks = make_ticks(axis.first, axis.last, most);
        const double apart = ticks.step / std::abs(axis.last - axis.first) * pixels;
        if (ticks.ticks.size() < 2 || widest_label(ticks) + 3 * kGap <= apart) return ticks;
    }
    return make_ticks(axis.first, axis.last, 1);
}

Ticks vertical_ticks(double first, double last, int pixels) {
    return make_ticks(first, last, std::max(2, pixels / 40));
}

/// Size of the plot; `note` tells of axes whose scales had to differ.
Box plot_size(const Picture& picture, std::string& note) {
    if (!picture.equal_aspect) return {0, 0, kMostPlotWidth, kMostPlotHeight};
    const double across = std::abs(picture.horizontal.last - picture.horizontal.first);
    const double down = std::abs(picture.vertical.last - picture.vertical.first);
    if (!(across > 0.) || !(down > 0.)) return {0, 0, across > 0. ? kMostPlotWidth : kLeastPlotSide, kLeastPlotSide};
    const double pixels_per_unit = std::min(kMostPlotWidth / across, kMostPlotHeight / down);
    const auto side = [&](double length) {
        return std::max(kLeastPlotSide, static_cast<int>(std::lround(length * pixels_per_unit)));
    };
    const Box box{0, 0, side(across), side(down)};
    const double stretch = (box.height / down) / (box.width / across);
    if (stretch > 1.02) note = "   (vertical scale x " + fixed_number(stretch, 1) + ")";
    if (stretch < 0.98) note = "   (horizontal scale x " + fixed_number(1. / stretch, 1) + ")";
    return box;
}

/// Places the colour bars right of the plot; returns the first free column.
int place_bars(const std::vector<const Scale*>& scales, Layout& layout) {
    int left = layout.plot.left + layout.plot.width + 1;
    for (const Scale* scale : scales) {
        left += 3 * kGap;
        ColourBar bar{scale, vertical_ticks(scale->low, scale->high, layout.plot.height), left};
        left += kBarWidth + 2 * kGap + widest_label(bar.ticks) + kGap + kGlyphHeight;
        layout.bars.push_back(std::move(bar));
    }
    return left;
}

Layout make_layout(const Picture& picture, const std::vector<const Scale*>& scales) {
    Layout layout;
    std::string note;
    layout.plot = plot_size(picture, note);
    layout.horizontal = horizontal_ticks(picture.horizontal, layout.plot.width);
    layout.vertical = vertical_ticks(picture.vertical.first, picture.vertical.last, layout.plot.height);
    layout.horizontal_title = scaled_title(picture.horizontal.title, layout.horizontal.exponent) + note;
    layout.vertical_title = scaled_title(picture.vertical.title, layout.vertical.exponent);
    layout.plot.left = kMargin + kGlyphHeight + kGap + widest_label(layout.vertical) + 2 * kGap;
    layout.plot.top = kMargin + kGlyphHeight + 2 * kGap;
    const int bars_end = place_bars(scales, layout);
    const int labels_end = layout.plot.left + layout.plot.width + widest_label(layout.horizontal) / 2;
    const int titles_end =
        layout.plot.left +
        std::min(std::max(text_width(picture.title), text_width(layout.horizontal_title)), kMostPlotWidth);
    layout.width = std::max({bars_end, labels_end, titles_end}) + kMargin;
    layout.height = layout.plot.top + layout.plot.height + 2 * kGap + 2 * kGlyphHeight + kGap + kMargin;
    return layout;
}

/// Where a value of an axis lies among `pixels` pixels.
double pixel_of(double value, double first, double last, int pixels) {
    return last == first ? 0.5 * (pixels - 1) : (value - first) / (last - first) * (pixels - 1);
}

std::string cut_to(const std::string& text, int pixels) {
    const std::string line = printable_ascii(text);
    const auto most = static_cast<std::size_t>(std::max(pixels / kGlyphWidth, 3));
    return line.size() <= most ? line : line.substr(0, most - 3) + "...";
}

void draw_axes(Canvas& canvas, const Layout& layout, const Picture& picture) {
    const auto& [left, top, width, height] = layout.plot;
    canvas.frame(left, top, width, height, kInk);
    for (const Tick& tick : layout.horizontal.ticks) {
        const int x = left + static_cast<int>(std::lround(
                                 pixel_of(tick.value, picture.horizontal.first, picture.horizontal.last, width)));
        canvas.fill(x, top + height, 1, kTickLength, kInk);
        canvas.text(x - text_width(tick.label) / 2, top + height + kGap, tick.label, kInk);
    }
    for (const Tick& tick : layout.vertical.ticks) {
        const int y =
            top +
            static_cast<int>(std::lround(pixel_of(tick.value, picture.vertical.first, picture.vertical.last, height)));
        canvas.fill(left - kTickLength, y, kTickLength, 1, kInk);
        canvas.text(left - kGap - text_width(tick.label), y - kGlyphHeight / 2, tick.label, kInk);
    }
    const int title_top = top + height + 2 * kGap + kGlyphHeight;
    const int centre = left + width / 2, half = text_width(layout.horizontal_title) / 2;
    canvas.text(std::max(left, centre - half), title_top, layout.horizontal_title, kInk);
    const std::string vertical_title = cut_to(layout.vertical_title, layout.height);
    const int turned_top = top + (height - text_width(vertical_title)) / 2;
    canvas.text_upwards(kMargin, std::max(turned_top, 0), vertical_title, kInk);
    canvas.text(left, kMargin, cut_to(picture.title, layout.width - left - kMargin), kInk);
}

void draw_bar(Canvas& canvas, const Box& plot, const ColourBar& bar) {
    const Scale& scale = *bar.scale;
    for (int y = 0; y < plot.height; ++y) {
        const double value = scale.high + (scale.low - scale.high) * y / (plot.height - 1);
        canvas.fill(bar.left, plot.top + y, kBarWidth, 1, scale.colour(value));
    }
    canvas.frame(bar.left, plot.top, kBarWidth, plot.height, kInk);
    for (const Tick& tick : bar.ticks.ticks) {
        const int y =
            plot.top + static_cast<int>(std::lround(pixel_of(tick.value, scale.high, scale.low, plot.height)));
        canvas.fill(bar.left + kBarWidth, y, kTickLength, 1, kInk);
        canvas.text(bar.left + kBarWidth + kGap, y - kGlyphHeight / 2, tick.label, kInk);
    }
    const std::string title = cut_to(scaled_title(scale.title, bar.ticks.exponent), plot.height + 2 * kGap);
    canvas.text_upwards(bar.left + kBarWidth + 2 * kGap + widest_label(bar.ticks),
                        plot.top + (plot.height - text_width(title)) / 2, title, kInk);
}

std::vector<PixelPoint> star(double x, double y, double radius) {
    std::vector<PixelPoint> corners;
    for (int k = 0; k < 10; ++k) {
        const double r = k % 2 == 0 ? radius : 0.42 * radius, angle = std::numbers::pi * (k / 5. - 0.5);
        corners.push_back({x + r * std::cos(angle), y + r * std::sin(angle)});
    }
    return corners;
}

/// Points down, as geophones are drawn.
std::vector<PixelPoint> triangle(double x, double y, double radius) {
    return {{x - radius, y - 0.7 * radius}, {x + radius, y - 0.7 * radius}, {x, y + radius}};
}

struct MarkStyle {
    std::vector<PixelPoint> (*shape)(double x, double y, double radius);
    double radius;
    double least_distance;  ///< pixels to the mark of the same kind before; closer ones are left out
    Rgb colour;
};

const MarkStyle& style_of(PictureMark::Kind kind) {
    static const MarkStyle source{star, 11., 0., {225, 30, 30}}, receiver{triangle, 6., 9., {255, 200, 40}};
    return kind == PictureMark::Kind::source ? source : receiver;
}

void draw_marks(Canvas& canvas, const Layout& layout, const Picture& picture, PictureMark::Kind kind) {
    const MarkStyle& style = style_of(kind);
    const Box& plot = layout.plot;
    std::optional<PixelPoint> before;
    for (const PictureMark& mark : picture.marks) {
        const double x = pixel_of(mark.x, picture.horizontal.first, picture.horizontal.last, plot.width);
        const double y = pixel_of(mark.y, picture.vertical.first, picture.vertical.last, plot.height);
        const bool in_plot = x > -1. && x < plot.width && y > -1. && y < plot.height;
        if (mark.kind != kind || !in_plot) continue;
        if (before && std::hypot(x - before->x, y - before->y) < style.least_distance) continue;
        before = PixelPoint{x, y};
        canvas.polygon(style.shape(plot.left + x, plot.top + y, 1.35 * style.radius), kInk);
        canvas.polygon(style.shape(plot.left + x, plot.top + y, style.radius), style.colour);
    }
}

double clip_of(const Raster& raster, double asked) {
    if (asked > 0.) return asked;
    // A field still at rest almost everywhere has a tiny quantile: its numerical noise is not worth full colour.
    const double quantile = magnitude_quantile(raster.values, 0.99), peak = magnitude_quantile(raster.values, 1.);
    const double clip = std::max(quantile, 0.02 * peak);
    return clip > 0. ? clip : 1.;
}

Scale gather_scale(const Picture& picture) {
    const double clip = clip_of(picture.background, picture.overlay_clip);
    return {-clip, clip, [clip](double value) { return kWhiteToBlack.at(0.5 + 0.5 * value / clip); },
            picture.background_label};
}

Scale model_scale(const Picture& picture) {
    ValueRange range = finite_range(picture.background.values);
    // One value everywhere still needs a colour bar with two ends.
    const double least = 0.01 * std::max(std::abs(range.low), std::abs(range.high));
    if (!(range.high - range.low > 1e-6 * least)) range = {range.low - least, range.high + least};
    if (range.low == range.high) range.high = range.low + 1.;
    const ColourMap map = picture.overlay.values.empty() ? kViridis : kPaleGrey;
    return {range.low, range.high,
            [range, map](double value) { return map.at((value - range.low) / (range.high - range.low)); },
            picture.background_label};
}

/// How strongly a wave hides what is beneath it.
double overlay_share(double value, double clip) {
    return std::isnan(value) ? 1. : kOverlayOpacity * std::pow(std::min(1., std::abs(value) / clip), 0.8);
}

Rgb overlay_colour(double value) {
    return std::isnan(value) ? kNoValue : value > 0. ? kPositive : kNegative;
}

Scale overlay_scale(const Picture& picture) {
    const double clip = clip_of(picture.overlay, picture.overlay_clip);
    const Rgb beneath = kPaleGrey.at(0.25);
    return {-clip, clip,
            [clip, beneath](double value) { return blend(beneath, overlay_colour(value), overlay_share(value, clip)); },
            picture.overlay_label};
}

void draw_background(Canvas& canvas, const Box& plot, const Picture& picture, const Scale& scale) {
    const Shrink shrink = picture.seismic ? Shrink::peak : Shrink::mean;
    const auto values = fit_raster(picture.background, plot.width, plot.height, shrink);
    for (int y = 0; y < plot.height; ++y)
        for (int x = 0; x < plot.width; ++x)
            canvas.set(plot.left + x, plot.top + y, scale.colour(values[static_cast<std::size_t>(y) * plot.width + x]));
}

void draw_overlay(Canvas& canvas, const Box& plot, const Picture& picture, const Scale& scale) {
    const auto values = fit_raster(picture.overlay, plot.width, plot.height, Shrink::peak);
    for (int y = 0; y < plot.height; ++y)
        for (int x = 0; x < plot.width; ++x) {
            const double value = values[static_cast<std::size_t>(y) * plot.width + x];
            canvas.tint(plot.left + x, plot.top + y, overlay_colour(value), overlay_share(value, scale.high));
        }
}

void check_axis(const PictureAxis& axis) {
    if (!std::isfinite(axis.first) || !std::isfinite(axis.last))
        throw std::invalid_argument("the ends of picture axis '" + axis.title + "' are not finite");
}

}  // namespace

AtomicFile stage_picture(const std::filesystem::path& file, const Picture& picture, bool overwrite) {
    check_axis(picture.horizontal);
    check_axis(picture.vertical);
    std::optional<Scale> background, overlay;
    if (!picture.background.values.empty()) background = picture.seismic ? gather_scale(picture) : model_scale(picture);
    if (!picture.overlay.values.empty()) overlay = overlay_scale(picture);
    std::vector<const Scale*> scales;
    for (const auto* scale : {&background, &overlay})
        if (*scale) scales.push_back(&**scale);

    const Layout layout = make_layout(picture, scales);
    Canvas canvas(layout.width, layout.height);
    if (background) draw_background(canvas, layout.plot, picture, *background);
    if (overlay) draw_overlay(canvas, layout.plot, picture, *overlay);
    draw_axes(canvas, layout, picture);
    for (const ColourBar& bar : layout.bars) draw_bar(canvas, layout.plot, bar);
    draw_marks(canvas, layout, picture, PictureMark::Kind::receiver);
    draw_marks(canvas, layout, picture, PictureMark::Kind::source);
    return canvas.stage_png(file, overwrite);
}

void write_picture(const std::filesystem::path& file, const Picture& picture, bool overwrite) {
    stage_picture(file, picture, overwrite).commit();
}

}  // namespace onda
