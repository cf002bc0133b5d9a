/// \file
/// The reflection of an absorbing strip, against the same shot in a box so large that no face is heard.
#pragma once

#include <string>

#include "solver/discretisation/boundary.hpp"
#include "solver/verify/experiment.hpp"

namespace onda::verify {

/// A plane reflection: source and receiver some nodes before the strip's inner edge.
struct Incidence {
    std::string kind;  ///< of the face: "cpml", "sponge"
    Scheme scheme = make_scheme(Equation::star, 8);
    double angle_deg = 0.;
    double wavelength_nodes = 16.;  ///< at the peak frequency
    double distance_nodes = 30.;    ///< of source and receiver from the edge
    std::int64_t cpml_width = BoundaryConfig{}.cpml_width;
};

/// The strips of faces of one kind, as a configuration without settings of its own but the width gives them.
/// \param kinds of x_min, x_max, y_min, y_max, z_min, z_max.
Boundary default_strips(const std::array<std::string, 6>& kinds, const Grid& grid, const Scheme& scheme,
                        double vp_max_m_s, double dt_s, double frequency_hz,
                        std::int64_t cpml_width = BoundaryConfig{}.cpml_width);

/// The reflection of a strip in dB: 20 log10 of what it sends back over what a perfect mirror at its inner edge would.
Measurement reflection_db(const Incidence& incidence, const VerifyOptions& options);

/// A value that varies with the position [m] only, so that any box can hold it.
using ValueAt = double (*)(double x_m, double z_m);
/// The rows of a grid that hold such a value at each node.
RowReader rows_of(const ValueAt& value, const Grid& grid);

/// A small box with layers all around, or a free surface on top.
struct SmallBox {
    int dimensions = 2;
    ValueAt vp_m_s = nullptr;
    double vp_max_m_s = 3000.;
    bool free_surface = false;
};
/// The difference that the layers make in dB: 20 log10 of the largest difference of seismograms in a small box and in
/// one so large that no face is heard, over the largest amplitude in that.
Measurement box_difference_db(const SmallBox& box, const VerifyOptions& options);

}  // namespace onda::verify
