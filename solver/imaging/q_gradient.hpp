/// \file
/// Between what runs in media that absorb compute with, k and the strengths g of memory fields, and the quality factor
/// of every node: the derivative of a misfit.
#pragma once

#include <span>
#include <vector>

#include "kernels/medium.hpp"
#include "kernels/setup.hpp"
#include "solver/imaging/node_values.hpp"

namespace onda {

/// dJ/dQ [misfit per 1] at every computed node, [z][y][x], with vp and rho as they are: through k and through the g of
/// each memory field R (kernels/equations/attenuation/memory.hpp), whose derivatives are those of the fit.
///     dJ/dQ = dJ/dk dk/dQ + sum over fields of dJ/dg dg/dQ,
///     dJ/dg = -W / (k G a) sum over n of R[n+1] (nu[n+1] - G nu[n+2]).
/// 0 on free surfaces, and where nothing is absorbed. \param image of k (GradientRun::image), \param memories the sums
/// of each field (GradientRun::memory_images). \param readers of the medium on the computed grid.
NodeValues gradient_of_q(std::span<const double> image, std::span<const NodeValues> memories, const Problem& problem,
                         const MediumReaders& readers, double dt_s);

}  // namespace onda
