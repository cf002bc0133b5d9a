/// \file
/// Point sources in a homogeneous medium against the exact pressure, in free space and in front of walls.
#pragma once

#include <array>
#include <vector>

#include "kernels/wavefield.hpp"
#include "solver/survey/survey.hpp"
#include "solver/verify/verify.hpp"

namespace onda::verify {

/// A Ricker wavelet sampled by `points_per_wavelength` of the largest
/// spacing at kRickerBand times its peak frequency.
struct PointSourceCase {
    int dimensions = 3;
    std::array<double, 3> spacing_m{10., 10., 10.};
    Scheme scheme = make_scheme(Equation::star, 8);
    double courant = 0.2;  ///< c dt over the smallest spacing
    double points_per_wavelength = 6.;
    Precision precision = Precision::float32;
    FaceHalos walls{};  ///< each mirror face is the plane through coordinate 0 of its axis, the others are out of reach
    std::vector<SourcePoint> sources;
    std::vector<Position> receivers;
};

/// The band of a Ricker wavelet is taken to end at 2.5 peak frequencies, where its spectrum has fallen to 3 %. The
/// survey's own -40 dB lies higher, at 2.76.
inline constexpr double kRickerBand = 2.5;

/// The sources and their images: -1 for a free surface, +1 for a rigid wall.
std::vector<SourcePoint> with_images(const std::vector<SourcePoint>& sources, const FaceHalos& walls);

/// The relative L2 error of each receiver's trace against the sum of s(t - r/c) / (4 pi r), or of the 2-D solution,
/// over sources and images.
std::vector<double> trace_errors(const PointSourceCase& shot, const VerifyOptions& options);

/// The relative L2 errors, of all components together, of what particles do at the only receiver.
struct MotionErrors {
    double acceleration = 0., velocity = 0.;
};
MotionErrors motion_errors(const PointSourceCase& shot, const VerifyOptions& options);

}  // namespace onda::verify
