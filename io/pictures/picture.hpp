/// \file
/// Pictures with axes, as what they show and not how it is drawn: sections, wavefields over them, gathers as traces or
/// in grey, lines. PNG, PDF and SVG.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/pictures/colour_map.hpp"
#include "io/pictures/drawing.hpp"
#include "io/pictures/raster.hpp"

namespace onda {

/// One axis of a panel: the coordinates of its two ends, and its title ("x [m]", drawn as "x (m)"). It may run
/// backwards.
struct PictureAxis {
    double first = 0., last = 1.;
    std::string title;
    bool logarithmic = false;  ///< then both ends are above zero; for lines, dots and notes alone
};

/// A rectangle in the coordinates of the axes.
struct Extent {
    double left = 0., right = 0., top = 0., bottom = 0.;
};

/// A field in colours.
struct PictureField {
    Raster raster;
    /// Where the first and last samples lie, in the direction of the axes; absent: at the ends of the axes.
    std::optional<Extent> extent{};
    const ColourMap* map = &kViridis;
    /// The values of the ends of the map; what is beyond has their colours. Absent: the least and the
    /// largest of the field; of a tint, clip_of() to both sides.
    std::optional<ValueRange> range{};
    std::string label{};  ///< of its colour bar: "vp [m/s]"; without, it has none, as a field of one value
    Shrink shrink = Shrink::mean;
    /// Over other fields: positive and negative values in the colours of the map's ends, opaque where they are full and
    /// not there at zero. Its range is symmetric.
    bool tint = false;
    bool upwards = false;  ///< the first row is the lowest, as of maps, whose vertical axis runs upwards
    bool columns = false;  ///< nothing lies between columns: aliased traces, each as wide as they are apart
};

/// Traces as wiggles, deflected to the right where positive, which is filled.
struct PictureTraces {
    std::vector<double> positions;  ///< on the horizontal axis
    Raster raster;                  ///< a row for each trace, from the first end of the vertical axis on
    double clip = 1.;               ///< the |value| that deflects by `reach`
    double reach = 1.;              ///< in units of the horizontal axis; traces are cut at 1.5 times that
    std::optional<double> last{};   ///< on the vertical axis, where the last samples lie; absent: at its end
};

struct PictureLine {
    std::vector<double> x, y;  ///< in axis coordinates; a gap where a value is not finite
    Rgb colour = kInk;
    std::string label{};  ///< for the legend; empty: none
    bool dashed = false;
};

/// A cloud of dots.
struct PictureDots {
    std::vector<double> x, y;  ///< in axis coordinates; those that are not finite or lie outside are not drawn
    Rgb colour = kInk;
    enum class Shape { circle, square, diamond, triangle, inverted } shape = Shape::circle;
    std::string label{};  ///< for the legend; empty: none
    double beside = 0.;   ///< points to the right of where they belong, so that equal dots are seen side by side
};

/// A line of text in a plot.
struct PictureNote {
    double x = 0., y = 0.;  ///< in axis coordinates: the middle of its height, at its centre
    std::string text;
    bool upwards = false;
};

struct PictureMark {
    double x = 0., y = 0.;  ///< in axis coordinates
    enum class Kind { source, receiver } kind = Kind::source;
};

/// One plot. What comes later is drawn over what comes before.
struct Panel {
    std::string title{};
    PictureAxis horizontal{}, vertical{};
    bool equal_aspect = false;  ///< same metres per pixel both ways, unless a side would be too short to be seen
    double height = 1.;         ///< of a plot without that: in place of what it would have
    bool grid_lines = false;
    std::vector<PictureField> fields{};
    std::optional<PictureTraces> traces{};
    std::vector<PictureLine> lines{};
    std::vector<PictureDots> dots{};
    std::vector<PictureNote> notes{};
    enum class Corner { upper_right, upper_left, lower_right } legend = Corner::upper_right;
    /// What lies outside of it is paler, its edge is dashed: the interior of absorbing layers. Sides at the ends of the
    /// axes are not drawn.
    std::optional<Extent> interior{};
    std::vector<PictureMark> marks{};  ///< those outside the axes are not drawn
};

/// The content of a picture. docs/outputs.md says how it looks.
struct Picture {
    std::string title{};        ///< above all panels; may be empty
    std::vector<Panel> panels;  ///< side by side; neighbours whose colours mean the same share their bar
    int rows = 1;               ///< of panels, each as long as the first
    int width_px = 0;           ///< of a PNG; 0: as large as it needs to be
    /// As wide as this in print, with letters of 8 pt and plots that fit beside them; 0: `width_px`, or as it is.
    double width_mm = 0.;
    int dpi = 0;  ///< dots per inch of a PNG, which says so; 0: 96, and 300 with `width_mm`
};

/// A finished file, ready for its name: a PDF or SVG if the name ends with ".pdf" or ".svg", else a PNG. Rasters of any
/// size are fitted to the plot (io/pictures/raster.hpp). \throws Error(cannot_create | io_error); std::invalid_argument
/// for rasters that are not rows x columns, for axes that are not finite, and for logarithmic ones that reach zero.
AtomicFile stage_picture(const std::filesystem::path& file, const Picture& picture, bool overwrite);
/// Draws a picture and gives the file its name.
void write_picture(const std::filesystem::path& file, const Picture& picture, bool overwrite);
/// The pixels of the PNG: as many for all pictures whose axes, ranges and labels are equal, whatever their titles.
Pixels draw_pixels(const Picture& picture);

/// |value| at which a field of both signs gets its full colour: the share `fraction` of all finite |values| lies below,
/// but no less than 2 % of the largest, so that a field which is still at rest nearly everywhere is not all noise; 1
/// for a field of zeros.
double clip_of(std::span<const float> values, double fraction = 0.99);

}  // namespace onda
