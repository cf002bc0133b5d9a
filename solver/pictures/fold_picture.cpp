#include "solver/pictures/fold_picture.hpp"

#include <algorithm>
#include <cstdint>
#include <spdlog/fmt/fmt.h>
#include <utility>

namespace onda {
namespace {

constexpr double kLeastFold = 5.;  // that an axis reaches to, so that its ticks are whole numbers
constexpr double kAir = 0.06;      // of an axis, beyond what lies on it

/// Bins of a line as steps.
Panel line_fold_panel(const Fold& fold, double largest) {
    Panel panel;
    const bool along_x = fold.along[1] == 0., along_y = fold.along[0] == 0.;
    const double first = along_x ? fold.origin_m[0] : along_y ? fold.origin_m[1] : 0.;
    PictureLine line{{first - 0.5 * fold.bin_m}, {0.}, {31, 119, 180}};
    for (std::size_t i = 0; i < fold.traces.size(); ++i) {
        const double middle = first + fold.bin_m * static_cast<double>(i), half = 0.5 * fold.bin_m;
        line.x.insert(line.x.end(), {middle - half, middle + half});
        line.y.insert(line.y.end(), {fold.traces[i], fold.traces[i]});
    }
    line.x.push_back(line.x.back());
    line.y.push_back(0.);
    panel.horizontal = axis_around(line.x.front(), line.x.back(),
                                   along_x   ? "Midpoint x [m]"
                                   : along_y ? "Midpoint y [m]"
                                             : "Midpoint, along the line [m]");
    panel.vertical = {1.1 * std::max(largest, kLeastFold), 0., "traces in a bin"};
    panel.grid_lines = true;
    panel.lines.push_back(std::move(line));
    return panel;
}

/// Each bin as a square of equal values, which pictures would otherwise interpolate between.
std::vector<float> squares_of(const Fold& fold, std::int64_t side) {
    std::vector<float> values;
    for (std::int64_t row = 0; row < fold.rows * side; ++row)
        for (std::int64_t column = 0; column < fold.columns * side; ++column)
            values.push_back(fold.traces[static_cast<std::size_t>(row / side * fold.columns + column / side)]);
    return values;
}

Panel fold_map_panel(const Fold& fold, double largest, std::vector<float>& squares) {
    Panel panel;
    const std::int64_t side = std::clamp<std::int64_t>(1600 / std::max(fold.columns, fold.rows), 1, 64);
    squares = squares_of(fold, side);
    const double half = 0.5 * fold.bin_m;
    panel.horizontal = {fold.origin_m[0] - half,
                        fold.origin_m[0] + fold.bin_m * static_cast<double>(fold.columns) - half, "Midpoint x [m]"};
    // North, where y grows, is on top.
    panel.vertical = {fold.origin_m[1] + fold.bin_m * static_cast<double>(fold.rows) - half, fold.origin_m[1] - half,
                      "Midpoint y [m]"};
    panel.equal_aspect = true;
    PictureField field{{fold.rows * side, fold.columns * side, squares}};
    const double within = half / static_cast<double>(side);  // from the edge to the first value
    field.extent = Extent{panel.horizontal.first + within, panel.horizontal.last - within,
                          panel.vertical.first - within, panel.vertical.last + within};
    field.upwards = true;
    field.range = ValueRange{0., std::max(largest, kLeastFold)};
    field.label = "traces in a bin";
    panel.fields.push_back(std::move(field));
    return panel;
}

}  // namespace

PictureAxis axis_around(double low, double high, std::string title) {
    const double air = high > low ? kAir * (high - low) : 10.;
    return {low - air, high + air, std::move(title)};
}

Panel fold_panel(const Fold& fold, std::vector<float>& squares) {
    if (fold.traces.empty()) return Panel{.title = "No fold: no trace counts"};
    const double largest = fold.traces[fold.fullest()];
    Panel panel = fold.is_line ? line_fold_panel(fold, largest) : fold_map_panel(fold, largest, squares);
    panel.title = fmt::format("Fold, {} at most, in bins of {:.6g} m", largest, fold.bin_m);
    return panel;
}

}  // namespace onda
