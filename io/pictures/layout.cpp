#include "io/pictures/layout.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace onda::layout {
namespace {

constexpr double kMostPlotWidth = 1100., kMostPlotHeight = 720., kLeastPlotSide = 180., kLeastPrintedSide = 100.,
                 kLeastWidth = 620.;
constexpr double kBetweenRows = 1.5 * kGap;
constexpr double kBelowPlot = 2. * kGap + 2. * kLine;  // labels and title of the axis across
constexpr double kLyingBar = 0.7 * kBarWidth, kBelowAxis = 0.5 * kGap;
constexpr double kRowHeight = 0.62;  // of a plot's width, where there are several rows
constexpr double kOverlayOpacity = 0.9;

double widest_label(const Ticks& ticks) {
    double width = 0.;
    for (const Tick& tick : ticks.ticks) width = std::max(width, text_width(tick.label, kLabelFont));
    return std::ceil(width);
}

/// As many ticks as fit beside each other with air between their labels. \param least length of an interval.
Ticks ticks_across(double first, double last, double length, double least, double air) {
    for (int most = static_cast<int>(length / least); most > 1; --most) {
        Ticks ticks = make_ticks(first, last, most);
        const double apart = ticks.step / std::abs(last - first) * length;
        if (ticks.ticks.size() < 2 || widest_label(ticks) + air <= apart) return ticks;
    }
    return make_ticks(first, last, 1);
}

Ticks horizontal_ticks(const PictureAxis& axis, double length) {
    return axis.logarithmic ? make_logarithmic_ticks(axis.first, axis.last, static_cast<int>(length / 60.))
                            : ticks_across(axis.first, axis.last, length, 60., 3. * kGap);
}

Ticks vertical_ticks(double first, double last, double length) {
    return make_ticks(first, last, std::max(2, static_cast<int>(length / 45.)));
}

/// What pictures leave to a panel.
struct Room {
    double most_width, least_side;  ///< of a plot
    bool in_rows = false;           ///< there are several rows of panels
};

/// Size of a plot; `note` tells of axes whose scales had to differ.
PageBox plot_size(const Panel& panel, const Room& room, std::string& note) {
    const double most_width = room.most_width;
    const double most_height = room.in_rows                  ? std::round(kRowHeight * most_width)
                               : most_width < kMostPlotWidth ? std::min(kMostPlotHeight, 1.3 * most_width)
                                                             : kMostPlotHeight;
    if (!panel.equal_aspect) return {0., 0., most_width, std::round(panel.height * most_height)};
    const double across = std::abs(panel.horizontal.last - panel.horizontal.first);
    const double down = std::abs(panel.vertical.last - panel.vertical.first);
    if (!(across > 0.) || !(down > 0.)) return {0., 0., across > 0. ? most_width : room.least_side, room.least_side};
    const double points_per_unit = std::min(most_width / across, most_height / down);
    const auto side = [&](double length) { return std::max(room.least_side, std::round(length * points_per_unit)); };
    const PageBox box{0., 0., side(across), side(down)};
    const double stretch = (box.height / down) / (box.width / across);
    if (stretch > 1.02) note = "   (vertical scale \xc3\x97 " + fixed_number(stretch, 1) + ")";
    if (stretch < 0.98) note = "   (horizontal scale \xc3\x97 " + fixed_number(1. / stretch, 1) + ")";
    return box;
}

ValueRange range_of(const PictureField& field) {
    if (field.range) return *field.range;
    if (!field.tint) {
        const ValueRange range = finite_range(field.raster.values);
        const double least = 1e-6 * std::max(std::abs(range.low), std::abs(range.high));
        return range.high - range.low > least ? range : ValueRange{range.low, range.low};
    }
    const double clip = clip_of(field.raster.values);
    return {-clip, clip};
}

/// As it is drawn: units stand in parentheses, "Depth (m)" of "Depth [m]".
std::string drawn_title(std::string title) {
    std::ranges::replace(title, '[', '(');
    std::ranges::replace(title, ']', ')');
    return title;
}

/// "vp = 2000 m/s" of "vp [m/s]".
std::string one_value(const std::string& label, double value) {
    const auto bracket = label.find(" [");
    const std::string number = fixed_number(value, std::abs(value) < 10. ? 3 : std::abs(value) < 1000. ? 1 : 0);
    if (bracket == std::string::npos) return label + " = " + number;
    return label.substr(0, bracket) + " = " + number + " " + label.substr(bracket + 2, label.size() - bracket - 3);
}

/// Tells where values lie beyond the scale, by more than its least difference of colours.
void mark_clipped(Scale& scale) {
    if (!scale.field->range && !scale.field->tint) return;
    const ValueRange values = finite_range(scale.field->raster.values);
    const double least = 1e-3 * (scale.range.high - scale.range.low);
    scale.above = values.high > scale.range.high + least;
    scale.below = values.low < scale.range.low - least;
}

/// Whether the colours of two fields mean the same.
bool same_colours(const Scale& a, const Scale& b) {
    return a.field->map == b.field->map && a.field->label == b.field->label && a.field->tint == b.field->tint &&
           a.range.low == b.range.low && a.range.high == b.range.high;
}

bool has_bar(const Scale& scale) {
    return !scale.field->label.empty() && !scale.uniform();
}

PanelLayout begin_panel(const Panel& panel, const Room& room) {
    PanelLayout layout;
    layout.panel = &panel;
    layout.title = panel.title;
    std::string note;
    layout.plot = plot_size(panel, room, note);
    layout.horizontal = horizontal_ticks(panel.horizontal, layout.plot.width);
    layout.vertical = panel.vertical.logarithmic
                          ? make_logarithmic_ticks(panel.vertical.first, panel.vertical.last,
                                                   std::max(2, static_cast<int>(layout.plot.height / 30.)))
                          : vertical_ticks(panel.vertical.first, panel.vertical.last, layout.plot.height);
    layout.horizontal_title = drawn_title(scaled_title(panel.horizontal.title, layout.horizontal.exponent)) + note;
    layout.vertical_title = drawn_title(scaled_title(panel.vertical.title, layout.vertical.exponent));
    for (const PictureField& field : panel.fields) {
        layout.scales.push_back({&field, range_of(field)});
        mark_clipped(layout.scales.back());
        if (!field.label.empty() && layout.scales.back().uniform())
            layout.title += (layout.title.empty() ? "" : "; ") + one_value(field.label, layout.scales.back().range.low);
    }
    return layout;
}

/// Places the colour bars right of a plot, but for those that the next panel has, too; returns the first free column.
double place_bars(PanelLayout& layout, const PanelLayout* next) {
    double left = layout.plot.right() + 1.;
    for (const Scale& scale : layout.scales) {
        const auto is_same = [&scale](const Scale& other) { return same_colours(scale, other); };
        if (!has_bar(scale) || (next != nullptr && std::ranges::any_of(next->scales, is_same))) continue;
        left += 2.5 * kGap;
        ColourBar bar{scale,
                      vertical_ticks(scale.range.low, scale.range.high, layout.plot.height),
                      {},
                      {left, layout.plot.top, kBarWidth, layout.plot.height}};
        bar.title = drawn_title(scaled_title(scale.field->label, bar.ticks.exponent));
        left += kBarWidth + 2. * kGap + widest_label(bar.ticks) + kLine;
        layout.bars.push_back(std::move(bar));
    }
    return left;
}

/// Places the colour bars beneath a plot, one beside the other.
void lay_bars(PanelLayout& layout) {
    constexpr double between = 4. * kGap;
    const auto count = static_cast<double>(std::ranges::count_if(layout.scales, has_bar));
    const double length = std::floor((layout.plot.width - (count - 1.) * between) / count);
    double left = layout.plot.left;
    for (const Scale& scale : layout.scales) {
        if (!has_bar(scale)) continue;
        ColourBar bar{scale,
                      ticks_across(scale.range.low, scale.range.high, length, 0.5 * between, 0.5 * kGap),
                      {},
                      {left, layout.plot.bottom() + kBelowPlot + kBelowAxis, length, kLyingBar},
                      true};
        bar.title = drawn_title(scaled_title(scale.field->label, bar.ticks.exponent));
        left += length + between;
        layout.bars.push_back(std::move(bar));
    }
}

bool has_bars(const PanelLayout& panel) {
    return std::ranges::any_of(panel.scales, has_bar);
}

/// A bar that several panels share tells what any of them clips.
void share_arrows(std::vector<PanelLayout>& panels) {
    for (PanelLayout& panel : panels)
        for (ColourBar& bar : panel.bars)
            for (const PanelLayout& other : panels)
                for (const Scale& scale : other.scales) {
                    if (!same_colours(scale, bar.scale)) continue;
                    bar.scale.above = bar.scale.above || scale.above;
                    bar.scale.below = bar.scale.below || scale.below;
                }
}

/// Where a value lies along an axis of so many points.
double place_of(const PictureAxis& axis, double value, double length) {
    if (axis.last == axis.first) return 0.5 * length;
    const double share = axis.logarithmic ? std::log(value / axis.first) / std::log(axis.last / axis.first)
                                          : (value - axis.first) / (axis.last - axis.first);
    return 0.5 + share * (length - 1.);
}

/// \param top of the first row.
void place_rows(Layout& layout, std::size_t columns, double top, bool bars_lie) {
    const std::size_t count = layout.panels.size();
    for (std::size_t first = 0; first < count; first += columns) {
        const auto row = std::span(layout.panels).subspan(first, std::min(columns, count - first));
        if (std::ranges::any_of(row, [](const PanelLayout& panel) { return !panel.title.empty(); }))
            top += kLine + kGap;
        double bottom = top;
        for (PanelLayout& panel : row) {
            panel.plot.top = top;
            bottom = std::max(bottom, panel.plot.bottom());
        }
        const double bars =
            bars_lie && std::ranges::any_of(row, has_bars) ? kBelowAxis + kLyingBar + kTickLength + 2.1 * kLine : 0.;
        top = bottom + kBelowPlot + bars + (first + columns < count ? kBetweenRows : 0.);
    }
    layout.height = static_cast<int>(std::ceil((count == 0 ? top + kBelowPlot : top) + kMargin));
}

/// The plots of a column begin at the same place.
void place_columns(Layout& layout, std::size_t columns, double least_width, bool bars_lie) {
    double left = kMargin;
    const std::size_t count = layout.panels.size();
    for (std::size_t column = 0; column < columns; ++column) {
        double labels = 0., end = left;
        for (std::size_t i = column; i < count; i += columns)
            labels = std::max(labels, widest_label(layout.panels[i].vertical));
        for (std::size_t i = column; i < count; i += columns) {
            PanelLayout& panel = layout.panels[i];
            panel.plot.left = left + kLine + kGap + labels + 2. * kGap;
            const double labels_end = panel.plot.right() + 0.5 * widest_label(panel.horizontal);
            const PanelLayout* const next = column + 1 < columns && i + 1 < count ? &layout.panels[i + 1] : nullptr;
            if (bars_lie) lay_bars(panel);
            const double bars_end = bars_lie ? panel.plot.right() + 1. : place_bars(panel, next);
            end = std::max(end, std::ceil(std::max(bars_end, labels_end) + kGap));
        }
        left = end;
    }
    layout.width = static_cast<int>(std::max(least_width, left + kMargin - kGap));
}

}  // namespace

std::uint32_t Scale::argb_of(double value) const {
    if (std::isnan(value)) return argb(kNoValue);
    const double low = range.low, high = range.high;
    if (uniform()) return argb(kPaleGrey.at(0.));
    if (!field->tint) return argb(field->map->at((value - low) / (high - low)));
    const double share = std::min(1., std::abs(value) / high);
    return argb(field->map->at(value > 0. ? 0.95 : 0.05), kOverlayOpacity * std::pow(share, 0.8));
}

// An odd number of colours, so that the middle of a range for values of both signs has its own.
ColourTable::ColourTable(const Scale& scale)
    : scale_(scale), low_(scale.field->tint ? -scale.range.high : scale.range.low), steps_(0.) {
    constexpr std::size_t count = 4097;
    const double width = scale.range.high - low_;
    if (scale.uniform() || !(width > 0.) || !std::isfinite(width)) return;
    steps_ = static_cast<double>(count - 1) / width;
    for (std::size_t i = 0; i < count; ++i)
        colours_.push_back(scale.argb_of(low_ + width * static_cast<double>(i) / static_cast<double>(count - 1)));
}

std::uint32_t ColourTable::argb_of(float value) const {
    if (colours_.empty() || std::isnan(value)) return scale_.argb_of(value);
    const double place = (static_cast<double>(value) - low_) * steps_;
    return colours_[static_cast<std::size_t>(std::clamp(place, 0., static_cast<double>(colours_.size() - 1)) + 0.5)];
}

double PanelLayout::x_of(double value) const {
    return plot.left + place_of(panel->horizontal, value, plot.width);
}

double PanelLayout::y_of(double value) const {
    return plot.top + place_of(panel->vertical, value, plot.height);
}

PageBox PanelLayout::box_of(const Extent& extent) const {
    // Axes may run backwards.
    const auto [x0, x1] = std::minmax({x_of(extent.left), x_of(extent.right)});
    const auto [y0, y1] = std::minmax({y_of(extent.top), y_of(extent.bottom)});
    const double left = std::round(x0 - 0.5), top = std::round(y0 - 0.5);
    const double right = std::round(x1 + 0.5), bottom = std::round(y1 + 0.5);
    return {left, top, std::max(1., right - left), std::max(1., bottom - top)};
}

namespace {

std::size_t columns_of(const Picture& picture) {
    const auto rows = static_cast<std::size_t>(std::max(1, picture.rows));
    return std::max<std::size_t>(1, (picture.panels.size() + rows - 1) / rows);
}

/// \param plot_width the most that a plot may have; \param least_width of the sheet.
Layout laid_out(const Picture& picture, double plot_width, double least_width, bool bars_lie = false) {
    Layout layout;
    const std::size_t columns = columns_of(picture);
    const double share = std::floor(1.25 * plot_width / static_cast<double>(columns));
    const bool is_print = picture.width_mm > 0.;
    const double most_width = is_print ? share : std::max(columns > 3 ? 260. : 320., share);
    const Room room{std::min(most_width, plot_width), is_print ? kLeastPrintedSide : kLeastPlotSide, picture.rows > 1};
    for (const Panel& panel : picture.panels) layout.panels.push_back(begin_panel(panel, room));
    place_rows(layout, columns, kMargin + (picture.title.empty() ? 0. : kLine + kGap), bars_lie);
    place_columns(layout, columns, least_width, bars_lie);
    share_arrows(layout.panels);
    return layout;
}

/// A plot of a sheet for print is as wide as bars, labels and other plots leave room for.
Layout fitted_to_print(const Picture& picture, bool bars_lie) {
    constexpr double points_of_letters = 8.;
    const double wanted = picture.width_mm * 72. / 25.4 * kLabelFont.size / points_of_letters;
    double plot = wanted;
    Layout layout;
    for (int attempt = 0; attempt < 6; ++attempt) {
        layout = laid_out(picture, plot, wanted, bars_lie);
        if (std::abs(layout.width - wanted) < 2.) break;
        const double better = std::max(kLeastPrintedSide, plot - (layout.width - wanted) / (attempt < 2 ? 1. : 1.25));
        if (better == plot) break;
        plot = better;
    }
    return layout;
}

}  // namespace

Layout make_layout(const Picture& picture) {
    if (!(picture.width_mm > 0.)) return laid_out(picture, kMostPlotWidth, kLeastWidth);
    Layout layout = fitted_to_print(picture, false);
    // In a column of a journal, bars beside a plot would take more of it than the plot.
    const bool is_narrow =
        columns_of(picture) == 1 && std::ranges::any_of(layout.panels, [&](const PanelLayout& panel) {
            return has_bars(panel) && panel.plot.width < 0.5 * layout.width;
        });
    return is_narrow ? fitted_to_print(picture, true) : layout;
}

}  // namespace onda::layout
