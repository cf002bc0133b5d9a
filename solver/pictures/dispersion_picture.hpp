/// \file
/// Errors of plane waves as curves.
#pragma once

#include <string>
#include <vector>

#include "io/pictures/picture.hpp"

namespace onda {

/// Errors of the phase velocity by angle.
struct DispersionCurves {
    std::string angle;  ///< what it is measured from: "angle from the vertical [degrees]"
    std::vector<double> angles_deg;
    std::vector<double> points_per_wavelength;
    std::vector<std::vector<double>> errors_percent;  ///< [points][angle]; NaN: unstable
};

/// Q and phase velocity over vp by frequency: those of the law, and those of the mechanisms.
struct AbsorptionCurves {
    std::vector<double> frequencies_hz;
    std::vector<double> wanted_q, q, wanted_velocity, velocity;
};

Panel panel_of(const DispersionCurves& curves);
/// Of Q and of the velocity.
std::vector<Panel> panels_of(const AbsorptionCurves& curves);

}  // namespace onda
