/// \file
/// The density that a source acts in.
///
/// A source adds s / rho(x_s) to  1/(rho vp^2) p_tt - div(1/rho grad p):  all its nodes radiate with one density. Were
/// it that of each node, a source between nodes would weigh them otherwise than a receiver at the same place, and
/// reciprocity (rho_A p_AB = rho_B p_BA) would be lost; it holds for any one density. The amplitude is right only with
/// the density at the source itself, up to an interface that of the source's own side.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/grid/grid.hpp"
#include "kernels/medium.hpp"
#include "kernels/shot/shot.hpp"

namespace onda {

/// What is in the cell of a node: its mean density [kg/m3], and rho vp^2 in any unit, of the mean compliance; 0 where
/// it is unknown, as on a free surface, whose nodes are held at zero by it.
struct CellMedium {
    double rho = 1., modulus = 1.;
};
/// The medium in the cell of a node (Grid::at index).
using MediumAt = std::function<CellMedium(std::int64_t node)>;

/// The density at a place in a medium that is known as the means over the cells of its nodes.
///
/// Where the density changes smoothly: that of the nearest node and its slope to the place, along each axis the smaller
/// of those to the two neighbours, and none where they have different signs (van Leer 1979, J. Comput. Phys. 32).
/// Beside a jump between two nodes that is the density of the nearest, of the side that the place is on. A cell that a
/// plane interface crosses has the density of neither side: the plane follows from its share of both, which the mean
/// compliance tells (solver/model/cell_mean.hpp), or the mean density where a compliance is unknown, and from the
/// gradient (Youngs 1982, in Numerical Methods for Fluid Dynamics); the density is that of the side that the place is
/// on. On the interface itself, to 1e-4 of a cell: the mean of the cell, or of the cells that meet there. \param place
/// in nodes from node (0, 0, 0). Beyond a face the density is that of the face.
double density_at(const Grid& grid, const std::array<double, 3>& place, const MediumAt& medium_at);

/// The nodes that density_at() may ask for, in ascending order.
std::vector<std::int64_t> nodes_of_density(const Grid& grid, const std::array<double, 3>& place);

/// The density of each row of sources: the one that it has been given, or density_at() its place in the medium; 1 where
/// the equation has none.
std::vector<double> source_densities(const Medium& medium, const Sources& sources);

/// The density of a row of sources, and its derivatives with respect to those of nodes, where they are not zero.
/// Between the cases of density_at() it is linear in them; where two cases meet, the mean of both sides.
struct DensityOfSource {
    struct Slope {
        std::int64_t node;
        double value;
    };
    double density = 1.;
    std::vector<Slope> slopes;  ///< none where the row has been given its density
};
std::vector<DensityOfSource> source_density_slopes(const Medium& medium, const Sources& sources);

}  // namespace onda
