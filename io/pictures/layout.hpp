/// \file
/// Where the parts of a picture lie on its sheet. For picture.cpp and its test.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/pictures/picture.hpp"
#include "io/pictures/ticks.hpp"

namespace onda::layout {

inline constexpr Font kLabelFont{14.}, kPanelFont{15.}, kTitleFont{17., true};
inline constexpr double kGap = 10., kMargin = 18., kTickLength = 6., kBarWidth = 20., kLine = 18.;

/// The colours of a field between two values.
struct Scale {
    const PictureField* field;
    ValueRange range;
    bool above = false, below = false;  ///< whether values lie beyond the range

    /// Whether all of the field is one value: then there is nothing that a bar could tell.
    [[nodiscard]] bool uniform() const { return range.low == range.high; }
    /// The colour and the opacity of a value.
    [[nodiscard]] std::uint32_t argb_of(double value) const;
};

/// The colours of a scale for as many values as a field has pixels: those of the nearest of 4097 values.
class ColourTable {
public:
    explicit ColourTable(const Scale& scale);
    [[nodiscard]] std::uint32_t argb_of(float value) const;

private:
    const Scale& scale_;
    double low_, steps_;  ///< the value of the first colour; colours for a change of the value by 1
    std::vector<std::uint32_t> colours_;
};

struct ColourBar {
    Scale scale;
    Ticks ticks;
    std::string title;  ///< as it is drawn
    PageBox box;        ///< with the room of arrows at its ends
    bool lies = false;  ///< beneath the plot, its low end on the left; else beside it, its low end below
};

struct PanelLayout {
    const Panel* panel;
    PageBox plot;
    Ticks horizontal, vertical;
    std::string title, horizontal_title, vertical_title;
    std::vector<Scale> scales;  ///< of the fields
    std::vector<ColourBar> bars;

    [[nodiscard]] double x_of(double value) const;
    [[nodiscard]] double y_of(double value) const;
    [[nodiscard]] PageBox box_of(const Extent& extent) const;
};

struct Layout {
    int width = 0, height = 0;
    std::vector<PanelLayout> panels;
};

Layout make_layout(const Picture& picture);

}  // namespace onda::layout
