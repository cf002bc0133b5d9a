#include "solver/pictures/dispersion_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <spdlog/fmt/fmt.h>

namespace onda {
namespace {

constexpr std::array<Rgb, 6> kCurveColours{
    {{31, 119, 180}, {214, 39, 40}, {44, 160, 44}, {148, 103, 189}, {255, 127, 14}, {23, 190, 207}}};
constexpr Rgb kLawColour{150, 150, 150};

/// An axis that runs upwards, with room around all finite values.
PictureAxis axis_with_room(const std::vector<PictureLine>& lines, const std::string& title) {
    double low = INFINITY, high = -INFINITY;
    for (const PictureLine& line : lines)
        for (const double y : line.y)
            if (std::isfinite(y)) {
                low = std::min(low, y);
                high = std::max(high, y);
            }
    if (!(low <= high)) low = high = 0.;
    const double margin = high > low ? 0.06 * (high - low) : std::max(0.1 * std::abs(high), 1e-6);
    return {high + margin, low - margin, title};
}

Panel panel_of_lines(PictureAxis horizontal, const std::string& title, std::vector<PictureLine> lines) {
    Panel panel;
    panel.horizontal = std::move(horizontal);
    panel.vertical = axis_with_room(lines, title);
    panel.height = 0.75;
    panel.grid_lines = true;
    panel.lines = std::move(lines);
    return panel;
}

}  // namespace

Panel panel_of(const DispersionCurves& curves) {
    const auto [first, last] = std::ranges::minmax(curves.angles_deg);
    std::vector<PictureLine> lines{{{first, last}, {0., 0.}, kLawColour, {}, true}};
    for (std::size_t i = 0; i < curves.points_per_wavelength.size(); ++i)
        lines.push_back({curves.angles_deg, curves.errors_percent[i], kCurveColours[i % kCurveColours.size()],
                         fmt::format("{:g} points per wavelength", curves.points_per_wavelength[i]),
                         i >= kCurveColours.size()});
    return panel_of_lines({first, last, curves.angle}, "phase-velocity error [%]", std::move(lines));
}

std::vector<Panel> panels_of(const AbsorptionCurves& curves) {
    const std::vector<double>& hz = curves.frequencies_hz;
    const PictureAxis horizontal{hz.front(), hz.back(), "frequency [Hz]", true};
    const auto lines = [&](const std::vector<double>& wanted, const std::vector<double>& had) {
        return std::vector<PictureLine>{{hz, wanted, kLawColour, "wanted", true},
                                        {hz, had, kCurveColours.front(), "of the mechanisms"}};
    };
    return {panel_of_lines(horizontal, "Q", lines(curves.wanted_q, curves.q)),
            panel_of_lines(horizontal, "phase velocity / vp", lines(curves.wanted_velocity, curves.velocity))};
}

}  // namespace onda
