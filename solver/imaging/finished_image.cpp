#include "solver/imaging/finished_image.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "solver/discretisation/line_filter.hpp"

namespace onda {

void divide_by_illumination(std::span<float> image, std::span<const float> source, std::span<const float> receiver,
                            std::string_view normalise, double floor) {
    if (normalise == "none") return;
    std::function<double(std::size_t)> energy;
    if (normalise == "source")
        energy = [source](std::size_t i) { return static_cast<double>(source[i]); };
    else if (normalise == "receiver")
        energy = [receiver](std::size_t i) { return static_cast<double>(receiver[i]); };
    else if (normalise == "both")
        energy = [source, receiver](std::size_t i) {
            return std::sqrt(static_cast<double>(source[i]) * static_cast<double>(receiver[i]));
        };
    else
        throw std::invalid_argument("an image divided by what is no illumination");
    double sum = 0.;
    for (std::size_t i = 0; i < image.size(); ++i) sum += energy(i);
    const double least = floor * sum / static_cast<double>(image.size());
    if (!(least > 0.)) return;
#pragma omp parallel for
    for (std::size_t i = 0; i < image.size(); ++i)
        image[i] = static_cast<float>(static_cast<double>(image[i]) / std::max(energy(i), least));
}

void apply_minus_laplacian(std::span<float> image, const Grid& grid) {
    std::vector<double> sum(image.size());
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!grid.has_axis(static_cast<int>(axis))) continue;
        const double h = grid.spacing_m[axis];
        for_filtered_lines(image, grid, axis, {2. / (h * h), -1. / (h * h)},
                           [&](std::int64_t begin, std::int64_t stride, const std::vector<double>& filtered) {
                               for (std::size_t i = 0; i < filtered.size(); ++i)
                                   sum[static_cast<std::size_t>(begin) + i * static_cast<std::size_t>(stride)] +=
                                       filtered[i];
                           });
    }
    std::ranges::transform(sum, image.begin(), [](double value) { return static_cast<float>(value); });
}

void remove_long_waves(std::span<float> image, const Grid& grid, double wavelength_m) {
    const double sigma_m = std::sqrt(2. * std::numbers::ln2) * wavelength_m / (2. * std::numbers::pi);
    std::vector<float> smooth(image.begin(), image.end());
    smooth_values(std::span(smooth), grid, sigma_m);
#pragma omp parallel for
    for (std::size_t i = 0; i < image.size(); ++i) image[i] -= smooth[i];
}

void mute_top(std::span<float> image, const Grid& grid, double depth_m, double taper_m) {
    const auto plane = static_cast<std::size_t>(grid.nx() * grid.ny());
    for (std::int64_t z = 0; z < grid.nz(); ++z) {
        const double below_m = static_cast<double>(z) * grid.spacing_m[2] - depth_m;
        if (depth_m <= 0. && taper_m <= 0.) return;
        if (below_m >= taper_m && below_m > 0.) return;
        const double weight = below_m <= 0. ? 0. : 0.5 - 0.5 * std::cos(std::numbers::pi * below_m / taper_m);
        for (float& value : image.subspan(static_cast<std::size_t>(z) * plane, plane))
            value = static_cast<float>(value * weight);
    }
}

std::vector<bool> nodes_in_water(std::span<const float> vp, std::optional<double> water_m_s) {
    std::vector<bool> water;
    if (!water_m_s) return water;
    water.reserve(vp.size());
    for (const float value : vp) water.push_back(value <= static_cast<float>(*water_m_s));
    return water;
}

void mute_nodes(std::span<float> image, const std::vector<bool>& muted) {
    for (std::size_t i = 0; i < muted.size(); ++i)
        if (muted[i]) image[i] = 0.F;
}

void filter_image(std::span<float> image, const Grid& grid, const ImageConfig& settings,
                  const std::vector<bool>& water) {
    mute_nodes(image, water);
    if (settings.longest_wavelength_m) remove_long_waves(image, grid, *settings.longest_wavelength_m);
    if (settings.laplacian) apply_minus_laplacian(image, grid);
    mute_nodes(image, water);  // of what filters have brought there
    mute_top(image, grid, settings.mute_depth_m, settings.mute_taper_m);
}

void finish_image(FinishedImage& sums, const Grid& grid, const ImageConfig& settings, const std::vector<bool>& water) {
    sums.image = sums.stack;
    divide_by_illumination(sums.image, sums.source, sums.receiver, settings.normalise, settings.floor);
    filter_image(sums.image, grid, settings, water);
}

}  // namespace onda
