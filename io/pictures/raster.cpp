#include "io/pictures/raster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace onda {
namespace {

/// The samples behind one pixel along one axis: [first, end), or two neighbours and the weight of the second.
struct PixelSamples {
    std::int64_t first, end;
    float second_weight = 0.f;
    bool between = false;
};

std::vector<PixelSamples> samples_of_pixels(std::int64_t samples, int pixels) {
    std::vector<PixelSamples> result;
    const double step = pixels > 1 ? static_cast<double>(samples - 1) / (pixels - 1) : 0.;
    for (int pixel = 0; pixel < pixels; ++pixel) {
        const double place = pixel * step;
        if (step <= 1.) {
            const auto below = std::min(static_cast<std::int64_t>(place), std::max<std::int64_t>(samples - 2, 0));
            const std::int64_t above = std::min(below + 1, samples - 1);
            result.push_back({below, above + 1, static_cast<float>(place - static_cast<double>(below)), true});
        } else {
            const auto first = static_cast<std::int64_t>(std::ceil(place - 0.5 * step));
            const auto end = static_cast<std::int64_t>(std::ceil(place + 0.5 * step));
            result.push_back({std::clamp<std::int64_t>(first, 0, samples - 1), std::min(end, samples)});
        }
    }
    return result;
}

template <typename Value>
float reduce(const PixelSamples& pixel, Shrink shrink, Value&& value) {
    if (pixel.between) {
        const float below = value(pixel.first), above = value(pixel.end - 1), weight = pixel.second_weight;
        // Exactly on a sample its neighbour does not count, not even a NaN.
        return weight == 0.f ? below : weight == 1.f ? above : below + weight * (above - below);
    }
    float peak = value(pixel.first), sum = 0.f;
    for (std::int64_t i = pixel.first; i < pixel.end; ++i) {
        const float sample = value(i);
        // A NaN must show, whatever its neighbours are.
        if (!std::isnan(peak) && !(std::abs(sample) <= std::abs(peak))) peak = sample;
        sum += sample;
    }
    return shrink == Shrink::peak ? peak : sum / static_cast<float>(pixel.end - pixel.first);
}

}  // namespace

std::vector<float> fit_raster(const Raster& raster, int width, int height, Shrink shrink) {
    if (raster.rows < 1 || raster.columns < 1 ||
        raster.values.size() < static_cast<std::size_t>(raster.rows) * static_cast<std::size_t>(raster.columns))
        throw std::invalid_argument("raster of " + std::to_string(raster.rows) + " x " +
                                    std::to_string(raster.columns) + " samples holds " +
                                    std::to_string(raster.values.size()) + " values");
    const auto columns = samples_of_pixels(raster.columns, width), rows = samples_of_pixels(raster.rows, height);
    std::vector<float> result;
    result.reserve(static_cast<std::size_t>(width) * height);
    std::vector<float> lines;  // the rows behind one line of pixels, each already fitted to the width
    std::int64_t first = 0, end = 0;
    for (const PixelSamples& row : rows) {
        if (row.first != first || row.end != end) {  // where pixels are finer than samples, lines share them
            first = row.first;
            end = row.end;
            lines.clear();
            for (std::int64_t r = first; r < end; ++r)
                for (const PixelSamples& column : columns)
                    lines.push_back(
                        reduce(column, shrink, [&](std::int64_t c) { return raster.values[r * raster.columns + c]; }));
        }
        const PixelSamples local{0, row.end - row.first, row.second_weight, row.between};
        for (std::int64_t x = 0; x < width; ++x)
            result.push_back(reduce(local, shrink, [&](std::int64_t r) { return lines[r * width + x]; }));
    }
    return result;
}

double magnitude_quantile(std::span<const float> values, double fraction) {
    const std::size_t stride = values.size() / 1'000'000 + 1;
    std::vector<float> magnitudes;
    for (std::size_t i = 0; i < values.size(); i += stride)
        if (std::isfinite(values[i])) magnitudes.push_back(std::abs(values[i]));
    if (magnitudes.empty()) return 0.;
    const auto place = magnitudes.begin() + std::lround(fraction * static_cast<double>(magnitudes.size() - 1));
    std::nth_element(magnitudes.begin(), place, magnitudes.end());
    return *place;
}

ValueRange finite_range(std::span<const float> values) {
    ValueRange range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (const float value : values) {
        if (!std::isfinite(value)) continue;
        range.low = std::min(range.low, static_cast<double>(value));
        range.high = std::max(range.high, static_cast<double>(value));
    }
    return range.low <= range.high ? range : ValueRange{};
}

}  // namespace onda
