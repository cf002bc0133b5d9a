#include "io/pictures/canvas.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <png.h>
#include <string>

#include "io/pictures/font.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

static_assert(sizeof(Rgb) == 3, "rows of Rgb are handed to libpng as they are");

bool in_polygon(std::span<const PixelPoint> corners, double x, double y) {
    bool inside = false;
    for (std::size_t i = 0, j = corners.size() - 1; i < corners.size(); j = i++) {
        const PixelPoint &a = corners[i], &b = corners[j];
        if ((a.y > y) != (b.y > y) && x < a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y)) inside = !inside;
    }
    return inside;
}

[[noreturn]] void throw_write_failure(const std::filesystem::path& file, const std::string& cause) {
    throw Error(ExitCode::io_error, "cannot write the picture '" + shown(file) + "': " + cause);
}

}  // namespace

Canvas::Canvas(int width, int height)
    : width_(width), height_(height), pixels_(static_cast<std::size_t>(width) * height, kWhite) {}

Rgb Canvas::at(int x, int y) const {
    return inside(x, y) ? pixels_[static_cast<std::size_t>(y) * width_ + x] : kWhite;
}

void Canvas::set(int x, int y, Rgb colour) {
    if (inside(x, y)) pixels_[static_cast<std::size_t>(y) * width_ + x] = colour;
}

void Canvas::fill(int left, int top, int width, int height, Rgb colour) {
    for (int y = top; y < top + height; ++y)
        for (int x = left; x < left + width; ++x) set(x, y, colour);
}

void Canvas::frame(int left, int top, int width, int height, Rgb colour) {
    fill(left - 1, top - 1, width + 2, 1, colour);
    fill(left - 1, top + height, width + 2, 1, colour);
    fill(left - 1, top, 1, height, colour);
    fill(left + width, top, 1, height, colour);
}

void Canvas::polygon(std::span<const PixelPoint> corners, Rgb colour) {
    constexpr int kSamples = 4;  // a side of the pixel
    const auto [x_low, x_high] = std::ranges::minmax_element(corners, {}, &PixelPoint::x);
    const auto [y_low, y_high] = std::ranges::minmax_element(corners, {}, &PixelPoint::y);
    for (int y = static_cast<int>(std::floor(y_low->y)); y <= static_cast<int>(std::ceil(y_high->y)); ++y)
        for (int x = static_cast<int>(std::floor(x_low->x)); x <= static_cast<int>(std::ceil(x_high->x)); ++x) {
            int hits = 0;
            for (int sample = 0; sample < kSamples * kSamples; ++sample)
                hits += in_polygon(corners, x - 0.5 + (sample % kSamples + 0.5) / kSamples,
                                   y - 0.5 + (sample / kSamples + 0.5) / kSamples);
            if (hits > 0) tint(x, y, colour, static_cast<double>(hits) / (kSamples * kSamples));
        }
}

void Canvas::text(int left, int top, std::string_view line, Rgb colour) {
    for (const char character : printable_ascii(line)) {
        for (int y = 0; y < kGlyphHeight; ++y)
            for (int x = 0; x < kGlyphWidth; ++x)
                if (glyph_pixel(character, x, y)) set(left + x, top + y, colour);
        left += kGlyphWidth;
    }
}

void Canvas::text_upwards(int left, int top, std::string_view line, Rgb colour) {
    int bottom = top + text_width(line) - 1;
    for (const char character : printable_ascii(line)) {
        for (int y = 0; y < kGlyphHeight; ++y)
            for (int x = 0; x < kGlyphWidth; ++x)
                if (glyph_pixel(character, x, y)) set(left + y, bottom - x, colour);
        bottom -= kGlyphWidth;
    }
}

AtomicFile Canvas::stage_png(const std::filesystem::path& file, bool overwrite) const {
    AtomicFile output(file, overwrite);
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(output.temporary().c_str(), "wb"), &std::fclose);
    if (!stream) throw_write_failure(file, std::strerror(errno));
    // The simplified interface keeps libpng's longjmp inside the library.
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width_);
    image.height = static_cast<png_uint_32>(height_);
    image.format = PNG_FORMAT_RGB;
    const bool written = png_image_write_to_stdio(&image, stream.get(), 0, pixels_.data(), 0, nullptr) != 0;
    const std::string message = image.message;
    png_image_free(&image);
    if (!written) throw_write_failure(file, message);
    if (std::fclose(stream.release()) != 0) throw_write_failure(file, std::strerror(errno));
    output.finish();
    return output;
}

}  // namespace onda
