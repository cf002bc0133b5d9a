/// \file
/// PNG pictures with axes: slices of the model, wavefield over model, shot gathers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "io/files/atomic_file.hpp"

namespace onda {

/// One axis of a picture: the coordinate of the first and last sample, and its title ("x [m]"). It may run backwards.
struct PictureAxis {
    double first = 0., last = 1.;
    std::string title;
};

/// A field on a regular 2-D mesh, row-major: values[row * columns + column], row 0 on top.
struct Raster {
    std::int64_t rows = 0, columns = 0;
    std::span<const float> values;
};

struct PictureMark {
    double x = 0., y = 0.;  ///< in axis coordinates
    enum class Kind { source, receiver } kind = Kind::source;
};

/// The content of a picture. docs/outputs.md says how it looks.
struct Picture {
    std::string title;
    PictureAxis horizontal, vertical;
    bool equal_aspect = false;     ///< same metres per pixel both ways, unless a side would be too short to be seen
    Raster background;             ///< viridis, or pale grey beneath an overlay; empty: white
    std::string background_label;  ///< colour bar title, e.g. "vp [m/s]"
    Raster overlay;                ///< translucent red (positive) and blue over the background; may be empty
    /// Full colour at this |value| of the overlay or gather; 0: the 99th percentile of |value|, but at least 2 % of the
    /// largest.
    double overlay_clip = 0.;
    std::string overlay_label;
    bool seismic = false;  ///< background is a gather: white (negative) to black (positive), clipped by overlay_clip
    std::vector<PictureMark> marks;  ///< those outside the axes are not drawn
};

/// A finished PNG file, ready for its name. Rasters of any size are fitted to the plot (io/pictures/raster.hpp); titles
/// show printable ASCII. \throws Error(cannot_create | io_error); std::invalid_argument for rasters that are not rows x
/// columns and for axes
///         that are not finite.
AtomicFile stage_picture(const std::filesystem::path& file, const Picture& picture, bool overwrite);
/// Draws a picture and gives the file its name.
void write_picture(const std::filesystem::path& file, const Picture& picture, bool overwrite);

}  // namespace onda
