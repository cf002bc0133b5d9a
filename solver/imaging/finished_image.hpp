/// \file
/// What is made of the sum of the images of all shots: division by illumination, filters, mutes.
///
/// Images are [z][y][x] on the nodes of a grid. Beyond its faces filters continue them evenly.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "io/config/config.hpp"
#include "kernels/grid/grid.hpp"

namespace onda {

/// Divides an image by an illumination E or, where it is larger, by `floor` times the mean of E. \param normalise
/// "none"; "source" or "receiver": E is that; "both": the square root of their product. Where nothing is lit anywhere
/// the image stays as it is. \throws std::invalid_argument for another name.
void divide_by_illumination(std::span<float> image, std::span<const float> source, std::span<const float> receiver,
                            std::string_view normalise, double floor);

/// Minus the Laplacian of order 2 in space [1/m^2], which keeps the sign of a peak.
void apply_minus_laplacian(std::span<float> image, const Grid& grid);

/// Subtracts the image convolved with a Gaussian of sigma = sqrt(2 ln 2) / k, k = 2 pi / wavelength: waves of this
/// length keep half their amplitude, those of twice the length 16 %, of half the length 94 %.
void remove_long_waves(std::span<float> image, const Grid& grid, double wavelength_m);

/// Zero down to a depth [m] below the first plane of the grid, and from there on a cosine taper.
void mute_top(std::span<float> image, const Grid& grid, double depth_m, double taper_m);

/// The nodes whose velocity [m/s] is that of water, or less. \param water_m_s absent: the result is empty.
std::vector<bool> nodes_in_water(std::span<const float> vp, std::optional<double> water_m_s);
/// Zero at some nodes. \param muted of every node; empty: none.
void mute_nodes(std::span<float> image, const std::vector<bool>& muted);

/// What section imaging.image asks for beside the division by illumination: no water, no long waves, minus the
/// Laplacian, no top. \param water nodes in it; empty: none.
void filter_image(std::span<float> image, const Grid& grid, const ImageConfig& settings,
                  const std::vector<bool>& water);

/// Sums over the shots of a survey, and the image that is made of them.
struct FinishedImage {
    std::vector<float> stack;             ///< of what the imaging condition gives
    std::vector<float> source, receiver;  ///< illuminations
    std::vector<float> image{};
};
/// Makes the image, as section imaging.image says. \param water as of filter_image().
void finish_image(FinishedImage& sums, const Grid& grid, const ImageConfig& settings, const std::vector<bool>& water);

}  // namespace onda
