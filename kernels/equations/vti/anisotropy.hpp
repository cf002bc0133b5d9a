/// \file
/// How velocities depend on the direction in a medium that is transversely isotropic with a vertical axis: Thomsen's
/// parameters (1986, Geophysics 51) with the acoustic approximation of Tsvankin (1996, Geophysics 61), f = 1.
#pragma once

namespace onda {

/// Bounds of epsilon and delta over a medium: all 0 without anisotropy.
struct Anisotropy {
    double epsilon_min = 0., epsilon_max = 0.;
    double delta_min = 0., delta_max = 0.;
    bool operator==(const Anisotropy&) const = default;
};

/// The larger of the two symbols of the equation of kernels/equations/vti/vti.hpp, that of the compressional waves,
/// over vp^2: for the symbols of -(d_xx + d_yy) and -d_zz. With the squares of the wavenumbers it is the square of
/// their angular frequency. \param delta at most epsilon.
double compressional_symbol(double epsilon, double delta, double horizontal, double vertical);

/// The lowest phase velocity of any direction over vp, in a medium within these bounds.
double slowest_of_directions(const Anisotropy& anisotropy);
/// The highest.
double fastest_of_directions(const Anisotropy& anisotropy);

}  // namespace onda
