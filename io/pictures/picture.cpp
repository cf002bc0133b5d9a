#include "io/pictures/picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "io/files/library_crash.hpp"
#include "io/pictures/layout.hpp"
#include "io/pictures/thinned_marks.hpp"

namespace onda {
namespace {

using namespace layout;

/// The libraries that draw, in messages: they and those that they use do not check all of their allocations.
constexpr const char* kLibraries = "Cairo or fontconfig";

void draw_field(Drawing& drawing, const PanelLayout& panel, const Scale& scale) {
    const PictureField& field = *scale.field;
    if (field.raster.values.empty()) return;
    const PageBox box = field.extent ? panel.box_of(*field.extent) : panel.plot;
    const int width = drawing.pixels_along(box.width), height = drawing.pixels_along(box.height);
    const auto columns = static_cast<int>(field.raster.columns);
    const bool as_columns = field.columns && columns < width;
    const int fitted = as_columns ? columns : width;
    const auto values = fit_raster(field.raster, fitted, height, field.shrink);
    const ColourTable colours(scale);
    drawing.image(box, width, height, [&](std::size_t i) {
        const auto x = static_cast<int>(i) % width, y = static_cast<int>(i) / width;
        const auto row = static_cast<std::size_t>(field.upwards ? height - 1 - y : y);
        const auto column =
            as_columns ? std::lround(static_cast<double>(x) * (columns - 1) / std::max(1, width - 1)) : x;
        return colours.argb_of(values[row * static_cast<std::size_t>(fitted) + static_cast<std::size_t>(column)]);
    });
}

/// One trace: from its first sample down to its last, deflected to the right where positive.
struct Wiggle {
    std::vector<Point> line, positive;
};

Wiggle make_wiggle(std::span<const float> trace, double x, double points_per_value, double most, const PageBox& plot) {
    Wiggle wiggle;
    const double step = trace.size() > 1 ? (plot.height - 1.) / static_cast<double>(trace.size() - 1) : 0.;
    wiggle.positive.push_back({x, plot.top});
    double before = 0.;
    for (std::size_t i = 0; i < trace.size(); ++i) {
        const double value = std::isnan(trace[i]) ? 0. : trace[i];
        const double y = plot.top + 0.5 + static_cast<double>(i) * step;
        const double shift = std::clamp(value * points_per_value, -most, most);
        // Where the trace crosses zero between two samples the filling begins or ends.
        if (i > 0 && before * value < 0.) wiggle.positive.push_back({x, y - step * value / (value - before)});
        wiggle.line.push_back({x + shift, y});
        wiggle.positive.push_back({x + std::max(shift, 0.), y});
        before = value;
    }
    wiggle.positive.push_back({x, plot.bottom()});
    return wiggle;
}

void draw_traces(Drawing& drawing, const PanelLayout& panel, const PictureTraces& traces) {
    const Drawing::Clip clip(drawing, panel.plot);
    const Raster& raster = traces.raster;
    const double reach =
        std::abs(panel.x_of(panel.panel->horizontal.first + traces.reach) - panel.x_of(panel.panel->horizontal.first));
    const auto samples =
        static_cast<int>(std::min<std::int64_t>(raster.columns, 2 * drawing.pixels_along(panel.plot.height)));
    const auto values = fit_raster(raster, samples, static_cast<int>(raster.rows), Shrink::peak);
    PageBox box = panel.plot;
    if (traces.last) box.height = panel.y_of(*traces.last) + 0.5 - box.top;
    for (std::size_t i = 0; i < traces.positions.size(); ++i) {
        const double x = panel.x_of(traces.positions[i]);
        const auto trace = std::span(values).subspan(i * static_cast<std::size_t>(samples), samples);
        const Wiggle wiggle = make_wiggle(trace, x, reach / traces.clip, 1.5 * reach, box);
        drawing.fill(wiggle.positive, kInk);
        drawing.stroke(wiggle.line, {0.8, kInk});
    }
}

void draw_grid_lines(Drawing& drawing, const PanelLayout& panel) {
    const PageBox& plot = panel.plot;
    const Stroke pale{1., {222, 222, 222}};
    for (const Tick& tick : panel.horizontal.ticks) {
        const double x = panel.x_of(tick.value);
        drawing.stroke(std::array{Point{x, plot.top}, Point{x, plot.bottom()}}, pale);
    }
    for (const Tick& tick : panel.vertical.ticks) {
        const double y = panel.y_of(tick.value);
        drawing.stroke(std::array{Point{plot.left, y}, Point{plot.right(), y}}, pale);
    }
}

void draw_line(Drawing& drawing, const PanelLayout& panel, const PictureLine& line) {
    const Drawing::Clip clip(drawing, panel.plot);
    std::vector<Point> points;
    const auto flush = [&] {
        if (points.size() > 1) drawing.stroke(points, {1.6, line.colour, line.dashed});
        points.clear();
    };
    for (std::size_t i = 0; i < line.x.size(); ++i) {
        if (!std::isfinite(line.x[i]) || !std::isfinite(line.y[i])) {
            flush();
            continue;
        }
        points.push_back({panel.x_of(line.x[i]), panel.y_of(line.y[i])});
    }
    flush();
}

/// The corners of a dot, as large as others of the same radius to the eye.
std::vector<Point> outline(PictureDots::Shape shape, Point at, double radius) {
    using Shape = PictureDots::Shape;
    const auto polygon = [&](int corners, double first_angle, double size) {
        std::vector<Point> points;
        for (int k = 0; k < corners; ++k) {
            const double angle = first_angle + 2. * std::numbers::pi * k / corners;
            points.push_back({at.x + size * radius * std::cos(angle), at.y + size * radius * std::sin(angle)});
        }
        return points;
    };
    constexpr double up = -0.5 * std::numbers::pi;
    switch (shape) {
        case Shape::square: return polygon(4, 0.25 * std::numbers::pi, 1.25);
        case Shape::diamond: return polygon(4, up, 1.3);
        case Shape::triangle: return polygon(3, up, 1.35);
        case Shape::inverted: return polygon(3, -up, 1.35);
        case Shape::circle: break;
    }
    return polygon(32, up, 1.);
}

constexpr double kDotRadius = 5.5;

void draw_dot(Drawing& drawing, const PictureDots& dots, Point at) {
    drawing.fill(outline(dots.shape, at, kDotRadius + 1.2), kWhite);
    drawing.fill(outline(dots.shape, at, kDotRadius), dots.colour);
}

void draw_dots(Drawing& drawing, const PanelLayout& panel, const PictureDots& dots) {
    const PageBox& plot = panel.plot;
    const Drawing::Clip clip(drawing, plot);
    for (std::size_t i = 0; i < dots.x.size(); ++i) {
        const Point at{panel.x_of(dots.x[i]) + dots.beside, panel.y_of(dots.y[i])};
        // Written so that what is not finite is outside.
        if (at.x >= plot.left && at.x <= plot.right() && at.y >= plot.top && at.y <= plot.bottom())
            draw_dot(drawing, dots, at);
    }
}

void draw_notes(Drawing& drawing, const PanelLayout& panel) {
    for (const PictureNote& note : panel.panel->notes) {
        const Point at{panel.x_of(note.x), panel.y_of(note.y)};
        if (note.upwards)
            drawing.text_upwards(at, note.text, kLabelFont);
        else
            drawing.text(at, note.text, kLabelFont, Align::centre);
    }
}

/// The labels of lines and dots, in the corner that the panel says.
void draw_legend(Drawing& drawing, const PanelLayout& panel) {
    double width = 0., entries = 0.;
    const auto count = [&](const std::string& label) {
        if (!label.empty()) width = std::max(width, text_width(label, kLabelFont)), ++entries;
    };
    for (const PictureLine& line : panel.panel->lines) count(line.label);
    for (const PictureDots& dots : panel.panel->dots) count(dots.label);
    if (entries == 0.) return;
    constexpr double sample = 26.;
    PageBox box{panel.plot.right() - width - sample - 4. * kGap, panel.plot.top + kGap, width + sample + 3. * kGap,
                entries * (kLine + 2.) + kGap};
    if (panel.panel->legend == Panel::Corner::lower_right) box.top = panel.plot.bottom() - kGap - box.height;
    if (panel.panel->legend == Panel::Corner::upper_left) box.left = panel.plot.left + kGap;
    drawing.fill(box, kWhite, 0.85);
    double y = box.top + 0.5 * kGap + 0.5 * kLine;
    const double left = box.left + kGap;
    const auto write = [&](const std::string& label) {
        drawing.text({left + sample + kGap, y}, label, kLabelFont);
        y += kLine + 2.;
    };
    for (const PictureLine& line : panel.panel->lines) {
        if (line.label.empty()) continue;
        drawing.stroke(std::array{Point{left, y}, Point{left + sample, y}}, {2.5, line.colour, line.dashed});
        write(line.label);
    }
    for (const PictureDots& dots : panel.panel->dots) {
        if (dots.label.empty()) continue;
        draw_dot(drawing, dots, {left + 0.5 * sample, y});
        write(dots.label);
    }
}

/// What is outside is paler, and grey where there is nothing else; the edge is dashed.
void draw_interior(Drawing& drawing, const PanelLayout& panel, const Extent& extent) {
    const Drawing::Clip clip(drawing, panel.plot);
    const PageBox& plot = panel.plot;
    constexpr double least = 2.;  // a side at the end of an axis has no layer
    const auto snapped = [](double place, double first, double last) {
        return place < first + least ? first : place > last - least ? last : place;
    };
    const double left = snapped(panel.x_of(extent.left), plot.left, plot.right());
    const double right = snapped(panel.x_of(extent.right), plot.left, plot.right());
    const auto [upper, lower] = std::minmax({panel.y_of(extent.top), panel.y_of(extent.bottom)});
    const double top = snapped(upper, plot.top, plot.bottom());
    const double bottom = snapped(lower, plot.top, plot.bottom());
    constexpr Rgb layer{240, 240, 240};
    constexpr double paler = 0.45;
    drawing.fill(PageBox{plot.left, plot.top, plot.width, top - plot.top}, layer, paler);
    drawing.fill(PageBox{plot.left, bottom, plot.width, plot.bottom() - bottom}, layer, paler);
    drawing.fill(PageBox{plot.left, top, left - plot.left, bottom - top}, layer, paler);
    drawing.fill(PageBox{right, top, plot.right() - right, bottom - top}, layer, paler);
    if (plot.bottom() - bottom > kLine)
        drawing.text({0.5 * (left + right), 0.5 * (bottom + plot.bottom())}, "absorbing zone", {12.}, Align::centre);
    const Stroke dashed{1.2, kInk, true};
    const auto side = [&](bool is_there, Point from, Point to) {
        if (is_there) drawing.stroke(std::array{from, to}, dashed);
    };
    side(left > plot.left, {left, top}, {left, bottom});
    side(right < plot.right(), {right, top}, {right, bottom});
    side(top > plot.top, {left, top}, {right, top});
    side(bottom < plot.bottom(), {left, bottom}, {right, bottom});
}

std::vector<Point> star(Point at, double radius) {
    std::vector<Point> corners;
    for (int k = 0; k < 10; ++k) {
        const double r = k % 2 == 0 ? radius : 0.42 * radius, angle = std::numbers::pi * (k / 5. - 0.5);
        corners.push_back({at.x + r * std::cos(angle), at.y + r * std::sin(angle)});
    }
    return corners;
}

std::vector<Point> triangle(Point at, double radius) {
    return {{at.x - radius, at.y - 0.8 * radius}, {at.x + radius, at.y - 0.8 * radius}, {at.x, at.y + radius}};
}

struct MarkStyle {
    std::vector<Point> (*shape)(Point at, double radius);
    double radius, least_distance;
    Rgb colour;
};

const MarkStyle& style_of(PictureMark::Kind kind) {
    static const MarkStyle source{star, 11., 0., {225, 30, 30}}, receiver{triangle, 5.5, 11., {255, 200, 40}};
    return kind == PictureMark::Kind::source ? source : receiver;
}

void draw_marks(Drawing& drawing, const PanelLayout& panel, PictureMark::Kind kind) {
    const MarkStyle& style = style_of(kind);
    const PageBox& plot = panel.plot;
    std::vector<std::array<double, 2>> places;
    for (const PictureMark& mark : panel.panel->marks) {
        const Point at{panel.x_of(mark.x), panel.y_of(mark.y)};
        const bool in_plot =
            at.x > plot.left - 1. && at.x < plot.right() + 1. && at.y > plot.top - 1. && at.y < plot.bottom() + 1.;
        if (mark.kind == kind && in_plot) places.push_back({at.x, at.y});
    }
    for (const std::size_t i : evenly_thinned(places, style.least_distance)) {
        const Point at{places[i][0], places[i][1]};
        drawing.fill(style.shape(at, 1.3 * style.radius), kInk);
        drawing.fill(style.shape(at, style.radius), style.colour);
    }
}

/// A line one point wide just outside the box, exactly on pixels where a point is one.
void draw_frame(Drawing& drawing, const PageBox& box) {
    drawing.fill(PageBox{box.left - 1., box.top - 1., box.width + 2., 1.}, kInk);
    drawing.fill(PageBox{box.left - 1., box.bottom(), box.width + 2., 1.}, kInk);
    drawing.fill(PageBox{box.left - 1., box.top - 1., 1., box.height + 2.}, kInk);
    drawing.fill(PageBox{box.right(), box.top - 1., 1., box.height + 2.}, kInk);
}

void draw_axes(Drawing& drawing, const PanelLayout& panel) {
    const PageBox& plot = panel.plot;
    draw_frame(drawing, plot);
    for (const Tick& tick : panel.horizontal.ticks) {
        const double x = std::round(panel.x_of(tick.value) - 0.5);
        drawing.fill(PageBox{x, plot.bottom(), 1., kTickLength}, kInk);
        drawing.text({x + 0.5, plot.bottom() + kTickLength + 0.6 * kLine}, tick.label, kLabelFont, Align::centre);
    }
    for (const Tick& tick : panel.vertical.ticks) {
        const double y = std::round(panel.y_of(tick.value) - 0.5);
        drawing.fill(PageBox{plot.left - kTickLength, y, kTickLength, 1.}, kInk);
        drawing.text({plot.left - kGap, y + 0.5}, tick.label, kLabelFont, Align::right);
    }
    const double centre = plot.left + 0.5 * plot.width, middle = plot.top + 0.5 * plot.height;
    drawing.text({centre, plot.bottom() + kGap + 1.75 * kLine},
                 cut_to(panel.horizontal_title, plot.width + 6. * kGap, kLabelFont), kLabelFont, Align::centre);
    double widest = 0.;
    for (const Tick& tick : panel.vertical.ticks) widest = std::max(widest, text_width(tick.label, kLabelFont));
    drawing.text_upwards({plot.left - 2.5 * kGap - std::ceil(widest), middle},
                         cut_to(panel.vertical_title, plot.height + 4. * kGap, kLabelFont), kLabelFont);
}

constexpr double kArrowLength = 0.55 * kBarWidth;

/// A triangle beyond an end of a bar, in its colour: values go on behind it.
/// \param base the middle of its base; \param towards where it points: (0, -1) upwards, (1, 0) to the right.
void draw_arrow_end(Drawing& drawing, const ColourBar& bar, double value, Point base, Point towards) {
    const double thickness = bar.lies ? bar.box.height : bar.box.width;
    const auto triangle = [&](double ink) {
        const double half = 0.5 * thickness + ink, length = kArrowLength + 1.5 * ink;
        return std::array{Point{base.x + half * towards.y, base.y + half * towards.x},
                          Point{base.x - half * towards.y, base.y - half * towards.x},
                          Point{base.x + length * towards.x, base.y + length * towards.y}};
    };
    const std::uint32_t colour = bar.scale.argb_of(value);
    const Rgb over{static_cast<std::uint8_t>(colour >> 16), static_cast<std::uint8_t>(colour >> 8),
                   static_cast<std::uint8_t>(colour)};
    drawing.fill(triangle(1.), kInk);
    drawing.fill(triangle(0.), blend(kPaleGrey.at(0.), over, (colour >> 24) / 255.));
}

/// Ticks, labels and title of a bar. \param box without its arrows.
void draw_upright_scale(Drawing& drawing, const ColourBar& bar, const PageBox& box) {
    const double low = bar.scale.range.low, high = bar.scale.range.high;
    double widest = 0.;
    for (const Tick& tick : bar.ticks.ticks) {
        const double y = std::round(box.top + (high - tick.value) / (high - low) * (box.height - 1.));
        drawing.fill(PageBox{box.right(), y, kTickLength, 1.}, kInk);
        drawing.text({box.right() + kGap, y + 0.5}, tick.label, kLabelFont);
        widest = std::max(widest, text_width(tick.label, kLabelFont));
    }
    const std::string title = cut_to(bar.title, box.height + 2. * kGap, kLabelFont);
    drawing.text_upwards({box.right() + 2. * kGap + std::ceil(widest) + 0.4 * kLine, box.top + 0.5 * box.height}, title,
                         kLabelFont);
}

void draw_lying_scale(Drawing& drawing, const ColourBar& bar, const PageBox& box) {
    const double low = bar.scale.range.low, high = bar.scale.range.high;
    const double labels = box.bottom() + kTickLength + 0.6 * kLine;
    for (const Tick& tick : bar.ticks.ticks) {
        const double x = std::round(box.left + (tick.value - low) / (high - low) * (box.width - 1.));
        drawing.fill(PageBox{x, box.bottom(), 1., kTickLength}, kInk);
        drawing.text({x + 0.5, labels}, tick.label, kLabelFont, Align::centre);
    }
    drawing.text({bar.box.left + 0.5 * bar.box.width, labels + kLine},
                 cut_to(bar.title, bar.box.width + 2. * kGap, kLabelFont), kLabelFont, Align::centre);
}

void draw_bar(Drawing& drawing, const ColourBar& bar) {
    const double low = bar.scale.range.low, high = bar.scale.range.high;
    const double above = bar.scale.above ? kArrowLength : 0., below = bar.scale.below ? kArrowLength : 0.;
    // Arrows end where the plot does, below titles.
    const PageBox& all = bar.box;
    const PageBox box = bar.lies ? PageBox{all.left + below, all.top, all.width - below - above, all.height}
                                 : PageBox{all.left, all.top + above, all.width, all.height - above - below};
    const int pixels = drawing.pixels_along(bar.lies ? box.width : box.height);
    const auto colour_of = [&](std::size_t i) {
        const double share = static_cast<double>(i) / std::max(1, pixels - 1);
        return bar.scale.argb_of(bar.lies ? low + (high - low) * share : high + (low - high) * share);
    };
    // Over a model, waves tint what they cover: so does the bar, zero as where the model is palest.
    if (bar.scale.field->tint) drawing.fill(box, kPaleGrey.at(0.));
    drawing.image(box, bar.lies ? pixels : 1, bar.lies ? 1 : pixels, colour_of);
    draw_frame(drawing, box);
    const Point middle{box.left + 0.5 * box.width, box.top + 0.5 * box.height};
    const Point high_end = bar.lies ? Point{box.right() + 1., middle.y} : Point{middle.x, box.top - 1.};
    const Point low_end = bar.lies ? Point{box.left - 1., middle.y} : Point{middle.x, box.bottom() + 1.};
    const Point upwards = bar.lies ? Point{1., 0.} : Point{0., -1.};
    if (bar.scale.above) draw_arrow_end(drawing, bar, high, high_end, upwards);
    if (bar.scale.below) draw_arrow_end(drawing, bar, low, low_end, {-upwards.x, -upwards.y});
    bar.lies ? draw_lying_scale(drawing, bar, box) : draw_upright_scale(drawing, bar, box);
}

void draw_panel(Drawing& drawing, const PanelLayout& layout, double title_width) {
    const Panel& panel = *layout.panel;
    {
        const Drawing::Clip clip(drawing, layout.plot);
        for (const Scale& scale : layout.scales) draw_field(drawing, layout, scale);
    }
    if (panel.grid_lines) draw_grid_lines(drawing, layout);
    if (panel.traces) draw_traces(drawing, layout, *panel.traces);
    for (const PictureLine& line : panel.lines) draw_line(drawing, layout, line);
    if (panel.interior) draw_interior(drawing, layout, *panel.interior);
    for (const PictureDots& dots : panel.dots) draw_dots(drawing, layout, dots);
    draw_notes(drawing, layout);
    draw_axes(drawing, layout);
    draw_legend(drawing, layout);
    for (const ColourBar& bar : layout.bars) draw_bar(drawing, bar);
    draw_marks(drawing, layout, PictureMark::Kind::receiver);
    draw_marks(drawing, layout, PictureMark::Kind::source);
    if (!layout.title.empty())
        drawing.text({layout.plot.left, layout.plot.top - kGap - 0.4 * kLine},
                     cut_to(layout.title, title_width, kPanelFont), kPanelFont);
}

void draw(Drawing& drawing, const Picture& picture, const Layout& layout) {
    for (std::size_t i = 0; i < layout.panels.size(); ++i) {
        const double left = layout.panels[i].plot.left;
        const bool ends_row = i + 1 == layout.panels.size() || layout.panels[i + 1].plot.left <= left;
        const double next = ends_row ? static_cast<double>(layout.width) : layout.panels[i + 1].plot.left - 2. * kGap;
        draw_panel(drawing, layout.panels[i], next - left - kMargin);
    }
    if (picture.title.empty() || layout.panels.empty()) return;
    const double left = layout.panels.front().plot.left;
    drawing.text({left, kMargin + 0.5 * kLine}, cut_to(picture.title, layout.width - left - kMargin, kTitleFont),
                 kTitleFont);
}

void check_axis(const PictureAxis& axis) {
    if (!std::isfinite(axis.first) || !std::isfinite(axis.last))
        throw std::invalid_argument("the ends of picture axis '" + axis.title + "' are not finite");
    if (axis.logarithmic && !(std::min(axis.first, axis.last) > 0.))
        throw std::invalid_argument("picture axis '" + axis.title + "' is logarithmic and reaches zero");
}

Layout checked_layout(const Picture& picture) {
    for (const Panel& panel : picture.panels) {
        check_axis(panel.horizontal);
        check_axis(panel.vertical);
    }
    return make_layout(picture);
}

constexpr double kPointsOfMillimetre = 72. / 25.4;

double resolution_of(const Picture& picture) {
    return picture.dpi > 0 ? picture.dpi : picture.width_mm > 0. ? 300. : 96.;
}

/// Of what a picture is laid out in to the pixels of a PNG, or to the points of other files.
double scale_of(const Picture& picture, const Layout& layout, SheetKind kind) {
    const double dpi = resolution_of(picture);
    if (picture.width_mm > 0.)
        return picture.width_mm * (kind == SheetKind::png ? dpi / 25.4 : kPointsOfMillimetre) / layout.width;
    if (kind != SheetKind::png) return kPointsOfPixel;
    if (picture.dpi > 0 && picture.width_px == 0) return dpi * kPointsOfPixel / 72.;
    return picture.width_px > 0 ? static_cast<double>(picture.width_px) / layout.width : 1.;
}

}  // namespace

AtomicFile stage_picture(const std::filesystem::path& file, const Picture& picture, bool overwrite) {
    const LibraryAtWork library(kLibraries);
    const Layout layout = checked_layout(picture);
    const SheetKind kind = sheet_kind_of(file);
    Drawing drawing(kind, layout.width, layout.height, scale_of(picture, layout, kind));
    draw(drawing, picture, layout);
    return stage_text_file(file, drawing.file(resolution_of(picture)), overwrite);
}

void write_picture(const std::filesystem::path& file, const Picture& picture, bool overwrite) {
    stage_picture(file, picture, overwrite).commit();
}

Pixels draw_pixels(const Picture& picture) {
    const LibraryAtWork library(kLibraries);
    const Layout layout = checked_layout(picture);
    Drawing drawing(SheetKind::png, layout.width, layout.height, scale_of(picture, layout, SheetKind::png));
    draw(drawing, picture, layout);
    return drawing.pixels();
}

double clip_of(std::span<const float> values, double fraction) {
    const double clip = std::max(magnitude_quantile(values, fraction), 0.02 * magnitude_quantile(values, 1.));
    return clip > 0. ? clip : 1.;
}

}  // namespace onda
