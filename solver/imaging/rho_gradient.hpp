/// \file
/// Between what runs of variable density compute with, k and buoyancies between nodes, and the density of every node:
/// derivatives of a misfit, and perturbations.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/imaging/flux_scattering.hpp"
#include "kernels/medium.hpp"
#include "kernels/setup.hpp"
#include "kernels/shot/shot.hpp"
#include "solver/imaging/node_values.hpp"

namespace onda {

inline constexpr std::size_t kRhoOf = 1;  ///< among the parameters of variable density

/// A value of a node (Grid::at index).
struct NodeValue {
    std::int64_t node = 0;
    double value = 0.;
};

/// What the derivative with respect to density is made of, beside the image of k (GradientRun::image).
struct DensityImages {
    /// The sums of (D nu) (D p) on the half nodes of each axis that the grid has (FluxAxis).
    std::array<std::vector<double>, 3> fluxes;
    /// The derivatives with respect to the density that each source acts in (kernels/shot/source_density.hpp), taken to
    /// nodes.
    std::vector<NodeValue> sources;
};

/// dJ/drho [misfit per kg/m3] at every computed node, [z][y][x], with vp as it is: through k = rho (vp dt)^2, through
/// the buoyancies b = 2 / (rho + rho') between the node and its neighbours, and through the density of sources.
///     dJ/drho = k / rho dJ/dk - 1/2 sum over half nodes beside it of b^2 dJ/db + sources,
///     dJ/db = -W sum over n of (D nu[n+1]) (D p[n]).
/// Beyond faces without mirrors both nodes of a half node are that of the face. \param image of k. \param readers of
/// the medium on the computed grid.
NodeValues gradient_of_rho(std::span<const double> image, const DensityImages& images, const Problem& problem,
                           const MediumReaders& readers, double dt_s);

/// What perturbations of velocity and density scatter by.
struct MediumPerturbation {
    std::vector<double> ratio;  ///< dk/k of every computed node
    FluxPerturbation flux;
    std::vector<double> drho;  ///< of every computed node; empty, and the flux, too, for one of velocity alone
    double largest = 0.;       ///< relative change of k or of the density of a node

    /// Multiplies the perturbation by a factor.
    void scale(double factor);
};
/// \param dvp [m/s] and \param drho [kg/m3] of every computed node, [z][y][x]; the latter empty for velocity alone.
MediumPerturbation perturbation_of(std::span<const double> dvp, std::span<const double> drho, const Problem& problem,
                                   const MediumReaders& readers, double dt_s);

/// For each source the derivative of log(rho) of the density that it acts in along drho.
std::vector<double> relative_changes_of_source_density(const Medium& medium, const Sources& sources,
                                                       std::span<const double> drho);
/// The derivatives of a misfit with respect to the density of nodes by way of that of sources. \param products for each
/// source the sum over n of s[n] and dJ/ds[n], which the amplitude 1/rho of the source makes rho dJ/drho with a minus.
std::vector<NodeValue> source_density_gradient(const Medium& medium, const Sources& sources,
                                               std::span<const double> products);

}  // namespace onda
