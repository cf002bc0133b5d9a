/// \file
/// PNG pictures with axes: slices of the model, wavefield over model, shot gathers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onda {

/// One axis of a picture: the coordinate of the first and last sample, and its title ("x [m]").
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

struct Picture {
    std::string title;
    PictureAxis horizontal, vertical;
    bool equal_aspect = false;     ///< same metres per pixel both ways
    Raster background;             ///< colour-mapped by `colours`; empty: white
    std::string background_label;  ///< colour bar title, e.g. "vp [m/s]"
    Raster overlay;            ///< drawn translucent red-blue over the background, symmetric about zero; may be empty
    double overlay_clip = 0.;  ///< full colour at this |value|; 0: the 99th percentile of |overlay|
    std::string overlay_label;
    bool seismic = false;  ///< background is a gather: grey scale symmetric about zero, clipped by overlay_clip
    std::vector<PictureMark> marks;
};

/// \throws Error(cannot_create | io_error).
void write_picture(const std::filesystem::path& file, const Picture& picture, bool overwrite);

}  // namespace onda
