/// \file
/// What a gradient leaves of a shot.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/grid/grid.hpp"

namespace onda {

/// The images of one shot, and its misfit.
struct ShotImages {
    std::int64_t shot = 0;
    Window part;                     ///< the nodes of the run's grid that they cover
    std::vector<float> gradient_vp;  ///< dJ/dvp [misfit per m/s] on the part, [z][y][x], x fastest
    double misfit = 0.;
    std::vector<double> misfit_of_trace;  ///< [receiver]
    std::int64_t dead = 0, excluded = 0;  ///< traces that are not compared (solver/imaging/shot_misfit.hpp)
};

}  // namespace onda
