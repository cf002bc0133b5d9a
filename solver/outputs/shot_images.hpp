/// \file
/// What the adjoint run of a shot leaves for output formats.
#pragma once

#include <cstdint>
#include <vector>

#include "io/results/image_file.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/unset_vector.hpp"

namespace onda {

/// The images and misfits of one shot. Images are [z][y][x] on the nodes of `part`.
struct ShotImages {
    std::int64_t shot = 1;
    Window part;                        ///< nodes of the run's grid, all of them unless the shot has an aperture
    UnsetVector<float> gradient_vp;     ///< dJ/dvp [misfit per m/s]
    UnsetVector<float> gradient_rho{};  ///< dJ/drho [misfit per kg/m3]; empty: not asked
    UnsetVector<float> gradient_q{};    ///< dJ/dQ [misfit]; empty: not asked
    UnsetVector<float> gradient_epsilon{}, gradient_delta{};  ///< [misfit]; empty: not asked
    UnsetVector<float> image{};                               ///< of a migration; empty: gradients are asked for
    OffsetGathers offset_gathers{};  ///< of a migration, on all lines of the run; without values: not asked
    UnsetVector<float> illumination_source, illumination_receiver;  ///< of forward and adjoint field; empty: not asked
    double misfit = 0.;                                             ///< J
    std::vector<double> misfit_of_trace;                            ///< [receiver]
    std::int64_t dead = 0, excluded = 0;  ///< traces that do not count, as MisfitOfShot has them
    double dt_s = 0.;                     ///< between the samples of adjoint sources
    std::vector<float> adjoint_source{};  ///< dJ/d(synthetic), [receiver][sample]; empty: not asked
};

}  // namespace onda
