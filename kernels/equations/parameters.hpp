/// \file
/// The parameters and stencils that equations share.
#pragma once

#include <limits>

#include "kernels/equations/equation.hpp"

namespace onda {

/// No rock, sediment or fluid lies outside of these limits; a thousandth or a thousandfold of one nearly always does.
inline constexpr MediumParameter kVp{
    .name = "vp",
    .quantity = "velocity",
    .unit = "m/s",
    .help = "velocity of pressure waves",
    .lowest = 50.,
    .highest = 30'000.,
    .other_unit = {"km/s", 1000.},
};
inline constexpr MediumParameter kRho{
    .name = "rho",
    .quantity = "density",
    .unit = "kg/m3",
    .help = "density",
    .lowest = 1e-3,
    .highest = 50'000.,
    .other_unit = {"g/cm3", 1000.},
    .key = "rho",
};

/// Infinite where nothing is absorbed. Below 3 a wave loses most of itself within a wavelength.
inline constexpr MediumParameter kQ{
    .name = "q",
    .quantity = "Q",
    .unit = "",
    .help = "quality factor",
    .lowest = 3.,
    .highest = std::numeric_limits<double>::infinity(),
    .key = "q_rule",
};
/// Q at the centre of the band beyond which nothing is absorbed.
inline constexpr double kLossless = 1e4;

/// Thomsen's (1986, Geophysics 51) parameters of weak anisotropy: the horizontal velocity is vp sqrt(1 + 2 epsilon),
/// and delta decides how steep rays travel, and what velocity a reflection survey stacks with.
inline constexpr MediumParameter kEpsilon{
    .name = "epsilon",
    .quantity = "epsilon",
    .unit = "",
    .help = "Thomsen's epsilon",
    .lowest = -0.2,
    .highest = 1.,
    .key = "anisotropy",
};
inline constexpr MediumParameter kDelta{
    .name = "delta",
    .quantity = "delta",
    .unit = "",
    .help = "Thomsen's delta",
    .lowest = -0.4,
    .highest = 1.,
    .key = "anisotropy",
};

/// The direction of the axis of a medium that is tilted: its angle from the vertical, and the azimuth towards which it
/// dips, from x to y.
inline constexpr MediumParameter kTheta{
    .name = "theta",
    .quantity = "tilt",
    .unit = "rad",
    .help = "angle of the axis of symmetry from the vertical",
    .lowest = -6.2831855,
    .highest = 6.2831855,
    .other_unit = {"deg", 0.017453292519943295},
    .key = "anisotropy",
};
inline constexpr MediumParameter kPhi{
    .name = "phi",
    .quantity = "azimuth",
    .unit = "rad",
    .help = "azimuth of the axis of symmetry, from x to y",
    .lowest = -6.2831855,
    .highest = 6.2831855,
    .other_unit = {"deg", 0.017453292519943295},
    .key = "anisotropy",
};

inline constexpr StencilRow kStarStencil{"star", "those on the axes"};

}  // namespace onda
