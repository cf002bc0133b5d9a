/// \file
/// The preconditioner of an inversion: what gradients are multiplied by before steps are made of them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "io/config/config.hpp"
#include "kernels/grid/grid.hpp"
#include "solver/discretisation/grid.hpp"

namespace onda {

/// The nodes that an inversion leaves as they are, of all nodes: those whose velocity in the start model is
/// inversion.water_m_s or less, those down to inversion.hold_depth_m below the first plane of the grid, inclusive, and
/// those whose mask is 0. \param mask of every node, from 0 to 1 (step_mask()); empty: one.
[[nodiscard]] std::vector<bool> held_nodes(const Grid& grid, std::span<const float> vp_start,
                                           const InversionConfig& config, std::span<const float> mask);

/// 0 at the points, 0.5 - 0.5 cos(pi r / radius) at the distance r from the nearest of them, 1 from `radius` on; of
/// every node, [z][y][x]. \param radius_m 0: no taper. \param points_m may lie outside of the grid, and be repeated.
[[nodiscard]] std::vector<float> radial_taper(const Grid& grid, std::span<const Position> points_m, double radius_m);

/// M = T S D S T, a symmetric operator on a block of variables, positive where none of its factors is zero:
///
/// - T: the product of the mask and a radial_taper() each of sources and receivers, and 0 at nodes that are held;
/// - S: smooth_by_lengths() with lambda a part of the local wavelength, to 1e-6 of the values;
/// - D: the inverse of the illumination, of mean one over the nodes that are not held: that of the sources approximates
///   the diagonal of the Hessian (Shin, Jang and Min 2001, Geophysical Prospecting 49).
class GradientShaping {
public:
    /// \param config whose precondition, floor, smooth_wavelengths, source_taper_m and receiver_taper_m are taken.
    /// \param vp_m_s of every node, of which wavelengths are, at frequency_hz, more than 0.
    /// \param sources_m, receivers_m of all shots; repeated ones count once.
    /// \param held of every node; empty: none. \param mask likewise; empty: one.
    /// \throws Error(config) for lengths that smooth_by_lengths() does not take.
    GradientShaping(const Grid& grid, const InversionConfig& config, std::span<const float> vp_m_s, double frequency_hz,
                    std::span<const Position> sources_m, std::span<const Position> receivers_m,
                    const std::vector<bool>& held, std::span<const float> mask);

    /// Makes D of illuminations E of every node, in any unit: that of sources, or the square root of its product with
    /// that of receivers, if there is one. Where E is less than inversion.floor times its mean over all nodes, that is
    /// taken, as divide_by_illumination() does. Until then D is one, and it stays one with precondition: none and where
    /// E is zero everywhere.
    /// \param receiver may be empty.
    void set_illumination(std::span<const float> source, std::span<const float> receiver);

    /// block = M block. The same bits for any number of threads. \throws Error(unstable) where smoothing does not
    /// converge.
    void apply(std::span<float> block) const;

private:
    [[nodiscard]] std::vector<double> smoothed(std::vector<double> values) const;

    Grid grid_;
    bool illuminates_;
    double floor_;
    std::vector<double> lengths_m_;  ///< lambda; empty: nothing is smoothed
    std::vector<float> taper_;       ///< T
    std::vector<bool> held_;
    std::vector<float> diagonal_;  ///< D; empty: one
};

}  // namespace onda
