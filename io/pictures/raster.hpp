/// \file
/// Fits a mesh of any size to the pixels of a plot.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace onda {

/// A field on a regular 2-D mesh, row-major: values[row * columns + column], row 0 on top.
struct Raster {
    std::int64_t rows = 0, columns = 0;
    std::span<const float> values;
};

/// The value that stands for the samples that share a pixel: their mean, or the one with the largest magnitude, so that
/// thin waves neither vanish nor alias.
enum class Shrink { mean, peak };

/// The values of a raster at width x height pixels, row-major. The first and last sample of an axis lie on its first
/// and last pixel; between samples values are bilinear.
/// \throws std::invalid_argument if the raster is empty or its span is shorter than rows * columns.
std::vector<float> fit_raster(const Raster& raster, int width, int height, Shrink shrink);

/// The value below which the share `fraction` of all finite |values| lies; 0 if there are none. Above a million values
/// a regular subset is looked at.
double magnitude_quantile(std::span<const float> values, double fraction);

struct ValueRange {
    double low = 0., high = 0.;
};
/// The range of the finite values; (0, 0) if there are none.
ValueRange finite_range(std::span<const float> values);

}  // namespace onda
