/// \file
/// An RGB image in memory that knows text and polygons, and how to become a PNG file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/pictures/colour_map.hpp"

namespace onda {

struct PixelPoint {
    double x = 0., y = 0.;
};

/// An image whose pixel (0, 0) is the top left one; what falls outside is not drawn.
class Canvas {
public:
    Canvas(int width, int height);

    [[nodiscard]] int width() const { return width_; }
    [[nodiscard]] int height() const { return height_; }
    [[nodiscard]] Rgb at(int x, int y) const;
    void set(int x, int y, Rgb colour);
    void tint(int x, int y, Rgb colour, double share) { set(x, y, blend(at(x, y), colour, share)); }

    void fill(int left, int top, int width, int height, Rgb colour);
    /// A line one pixel wide just outside the rectangle.
    void frame(int left, int top, int width, int height, Rgb colour);
    /// Draws a polygon, filled and anti-aliased; pixel (x, y) has its centre at (x, y).
    void polygon(std::span<const PixelPoint> corners, Rgb colour);
    /// The top left corner of the text is at (left, top).
    void text(int left, int top, std::string_view line, Rgb colour);
    /// Reads upwards; the top left corner of the turned text is at (left, top).
    void text_upwards(int left, int top, std::string_view line, Rgb colour);

    /// A finished PNG file, ready for its name. \throws Error(cannot_create | io_error).
    [[nodiscard]] AtomicFile stage_png(const std::filesystem::path& file, bool overwrite) const;

private:
    [[nodiscard]] bool inside(int x, int y) const { return x >= 0 && y >= 0 && x < width_ && y < height_; }

    int width_, height_;
    std::vector<Rgb> pixels_;
};

}  // namespace onda
