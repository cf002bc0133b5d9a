/// \file
/// A sheet that is drawn on with Cairo, and how it becomes pixels, a PNG, a PDF or an SVG. Nothing of <cairo.h> leaks
/// out.
///
/// Places and lengths are in points of the sheet, (0, 0) its top left corner; a point is `scale` pixels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/pictures/colour_map.hpp"

namespace onda {

struct Point {
    double x = 0., y = 0.;
};

/// A rectangle with its edges along the axes.
struct PageBox {
    double left = 0., top = 0., width = 0., height = 0.;
    [[nodiscard]] double right() const { return left + width; }
    [[nodiscard]] double bottom() const { return top + height; }
};

/// Opaque pixels with 8 bits a channel, row-major.
struct Pixels {
    int width = 0, height = 0;
    std::vector<std::uint32_t> argb;
};

inline constexpr std::uint32_t argb(Rgb colour, double opacity = 1.) {
    return static_cast<std::uint32_t>(opacity * 255. + 0.5) << 24 | static_cast<std::uint32_t>(colour.r) << 16 |
           static_cast<std::uint32_t>(colour.g) << 8 | static_cast<std::uint32_t>(colour.b);
}

struct Font {
    double size = 14.;
    bool bold = false;
    Rgb colour = kInk;
};

enum class Align { left, centre, right };

struct Stroke {
    double width = 1.;
    Rgb colour = kInk;
    bool dashed = false;
};

enum class SheetKind { png, pdf, svg };
/// The extensions of files that pictures are written to, those of PNG first.
const std::vector<std::string>& picture_extensions();
/// The kind that the extension of a file's name says; PNG for others.
SheetKind sheet_kind_of(const std::filesystem::path& file);
/// What a pixel of a PNG is in files whose lengths are points, 1/72 of an inch: three quarters, as of 96 an inch.
inline constexpr double kPointsOfPixel = 0.75;

class Drawing {
public:
    /// A white sheet. \param width, height in points. \throws std::bad_alloc; Error(internal) if Cairo cannot draw.
    Drawing(SheetKind kind, int width, int height, double scale = 1.);
    ~Drawing();
    Drawing(const Drawing&) = delete;
    Drawing& operator=(const Drawing&) = delete;

    /// Pixels along a length, as images are to have them: those of the sheet, or enough for print.
    [[nodiscard]] int pixels_along(double length) const;

    void fill(const PageBox& box, Rgb colour, double opacity = 1.);
    void fill(std::span<const Point> corners, Rgb colour);
    /// Lines from point to point.
    void stroke(std::span<const Point> points, const Stroke& stroke);
    void stroke(const PageBox& box, const Stroke& stroke);
    /// Fills the box with an image, its pixels unsmoothed. \param argb_of pixel i, row by row; not premultiplied.
    void image(const PageBox& box, int width, int height, const std::function<std::uint32_t(std::size_t i)>& argb_of);
    /// One line of UTF-8; what cannot be shown is escaped (io/text/printable.hpp). \param at the middle of its height
    /// at the left end, centre or right end.
    void text(Point at, std::string_view line, const Font& font, Align align = Align::left);
    /// One line of UTF-8, read upwards. \param at the middle of its height and length.
    void text_upwards(Point at, std::string_view line, const Font& font);

    /// What is drawn until the object goes stays within the box.
    class Clip {
    public:
        Clip(Drawing& drawing, const PageBox& box);
        ~Clip();
        Clip(const Clip&) = delete;
        Clip& operator=(const Clip&) = delete;

    private:
        Drawing& drawing_;
    };

    /// The finished file: the same bytes for the same drawing. Nothing is drawn after it. \throws std::bad_alloc;
    /// Error(internal).
    /// \param dpi that a PNG says it has.
    [[nodiscard]] std::string file(double dpi = 96.);
    /// The pixels of the sheet, opaque; of SheetKind::png.
    [[nodiscard]] Pixels pixels();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// The width of a line of text in points.
double text_width(std::string_view line, const Font& font);
/// The line, or as much of it as fits before an ellipsis.
std::string cut_to(std::string_view line, double width, const Font& font);
/// The version of Cairo that is linked.
std::string cairo_version_text();

}  // namespace onda
