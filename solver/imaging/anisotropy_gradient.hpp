/// \file
/// Between what runs of vertical transverse isotropy compute with, k, e and d, and epsilon and delta of every node: the
/// derivatives of a misfit.
#pragma once

#include "kernels/medium.hpp"
#include "kernels/setup.hpp"
#include "solver/imaging/node_values.hpp"

namespace onda {

/// The sums that derivatives with respect to epsilon and delta are made of (kernels/imaging/correlation.hpp), on all
/// computed nodes: of differences in time of the forward field times those of the adjoint field.
struct AnisotropyImages {
    NodeValues strain;  ///< of the strain s
    NodeValues mixed;   ///< of s and the vertical stress q, both ways
};

/// Derivatives at every computed node, [z][y][x], with the other parameters as they are [misfit].
struct AnisotropyGradient {
    NodeValues epsilon, delta;
};
/// Through e = 1 + 2 epsilon and d = sqrt(1 + 2 delta):
///     dJ/depsilon = 2 dJ/de,  dJ/de = W / (k G) strain,
///     dJ/ddelta = 1/d dJ/dd,  dJ/dd = W / (k G) (mixed - 2 d strain).
/// 0 on free surfaces. That a model has delta up to epsilon is no part of it. \param readers of the medium on the
/// computed grid.
AnisotropyGradient gradient_of_anisotropy(AnisotropyImages images, const Problem& problem, const MediumReaders& readers,
                                          double dt_s);

}  // namespace onda
