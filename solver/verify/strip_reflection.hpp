/// \file
/// What an absorbing strip sends back, against the same shot in a box so large that no face is heard.
#pragma once

#include <functional>
#include <string>

#include "solver/boundary.hpp"
#include "solver/verify/experiment.hpp"

namespace onda::verify {

/// A plane reflection: source and receiver 30 nodes before the strip's inner edge.
struct Incidence {
    std::string kind;  ///< of the face: "cpml", "sponge"
    Scheme scheme = make_scheme(WaveOperator::star, 8);
    double angle_deg = 0.;
    double wavelength_nodes = 16.;  ///< at the peak frequency
};

/// The strips of faces of one kind, as a configuration without settings of its own gives them.
/// \param kinds of x_min, x_max, y_min, y_max, z_min, z_max.
Boundary default_strips(const std::array<std::string, 6>& kinds, const Grid& grid, const Scheme& scheme,
                        double vp_max_m_s, double dt_s, double frequency_hz);

/// A backend that holds one medium everywhere, of density 1 kg/m3.
std::unique_ptr<Backend> constant_medium(const Experiment& e, double vp_m_s, const VerifyOptions& options);

/// 20 log10 of what the strip sends back over what a perfect mirror at its inner edge would.
Measurement reflection_db(const Incidence& incidence, const VerifyOptions& options);

/// A medium that varies with the position [m] only, so that any box can hold it.
using Medium = std::function<double(double x_m, double z_m)>;
/// 20 log10 of the largest difference of seismograms in a small box with layers all around (and a free surface on top)
/// over the largest amplitude in a box so large that no face is heard.
Measurement box_difference_db(const Medium& vp_m_s, double vp_max_m_s, bool free_surface, const VerifyOptions& options);

}  // namespace onda::verify
