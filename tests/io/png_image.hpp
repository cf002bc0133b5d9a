// Reads PNG files, and finds in a picture what is drawn within its axes.
#pragma once

#include <cairo.h>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <vector>

#include "io/pictures/colour_map.hpp"

struct Image {
    int width = 0, height = 0;
    std::vector<onda::Rgb> pixels;
    [[nodiscard]] onda::Rgb at(int x, int y) const {
        return pixels[std::size_t(y) * std::size_t(width) + std::size_t(x)];
    }
};

inline Image read_png(const std::filesystem::path& file) {
    cairo_surface_t* const surface = cairo_image_surface_create_from_png(file.c_str());
    REQUIRE(cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS);
    Image image{cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface), {}};
    for (int y = 0; y < image.height; ++y) {
        const auto* row = reinterpret_cast<const std::uint32_t*>(cairo_image_surface_get_data(surface) +
                                                                 y * cairo_image_surface_get_stride(surface));
        for (int x = 0; x < image.width; ++x)
            image.pixels.push_back({std::uint8_t(row[x] >> 16), std::uint8_t(row[x] >> 8), std::uint8_t(row[x])});
    }
    cairo_surface_destroy(surface);
    return image;
}

/// The inside of the plot's frame: its top edge is the first long line of ink, its left edge starts there.
struct Plot {
    int left = 0, top = 0, width = 0, height = 0;
};

inline Plot find_plot(const Image& image) {
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) {
            int across = 0, down = 0;
            while (x + across < image.width && image.at(x + across, y) == onda::kInk) ++across;
            while (y + down < image.height && image.at(x, y + down) == onda::kInk) ++down;
            if (across > 150 && down > 150) return {x + 1, y + 1, across - 2, down - 2};
            x += across;
        }
    FAIL("no frame found");
    return {};
}
