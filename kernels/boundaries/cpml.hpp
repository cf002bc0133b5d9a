/// \file
/// Convolutional perfectly matched layers as devices are told of them (kernels/boundaries/cpml_math.hpp), and what all
/// devices derive from that.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/boundaries/cpml_math.hpp"
#include "kernels/equations/scheme.hpp"
#include "kernels/grid/grid.hpp"

namespace onda {

/// The layer inside one face: a and b of its memory variables, from its inner edge towards the face. Empty: none.
struct CpmlFace {
    std::vector<double> a_psi, b_psi;    ///< of psi: value t is t + Factor::offset nodes beyond the edge
    std::vector<double> a_zeta, b_zeta;  ///< of zeta: value t is t + 1 nodes beyond the edge

    [[nodiscard]] std::int64_t width() const { return static_cast<std::int64_t>(a_zeta.size()); }
};

/// Layers of the faces 2 * axis + (0 low, 1 high).
struct Cpml {
    std::array<CpmlFace, 6> face;

    [[nodiscard]] bool empty() const {
        for (const CpmlFace& f : face)
            if (f.width() > 0) return false;
        return true;
    }
};

/// The first derivative D of which a scheme's operator is made along each axis: -L = D* D
/// (kernels/boundaries/cpml_math.hpp).
struct Factor {
    std::vector<double> weights;  ///< h_0, h_1, … on unit spacing
    double offset = 0.;           ///< from node t to where long waves are differentiated, in nodes: 0.5 for order 2
};
/// The factor of a scheme's operator.
Factor factor_of(const Scheme& scheme);
/// The kind of a scheme's factor, for which kernels are compiled.
FactorKind factor_kind(const Scheme& scheme, int dimensions);

/// The reach of a factor: `first` and `count` of kernels/boundaries/cpml_math.hpp.
struct FactorReach {
    int first, count;
};
FactorReach factor_reach(const Scheme& scheme);

/// The coefficients of a scheme's factor along one axis: h_j / spacing.
template <typename T>
std::vector<T> cpml_weights(const Scheme& scheme, double spacing_m);

/// The one-sided factor D of a second derivative: D f = sum_m h_m f(m).
///
/// Fejer and Riesz: a trigonometric polynomial that is nowhere negative is a square; here the minimum-phase one, by
/// Bauer's method (1955), Arch. elektr. Uebertr. 9: Cholesky's factor of its Toeplitz matrix.
/// \param second_derivative c_0 … c_r with a symbol that is positive but at 0.
Factor factor_of(const std::vector<double>& second_derivative);

/// Weights of the compact operator's mean over a plane: smoothed() of kernels/boundaries/cpml_math.hpp.
template <typename T>
std::array<T, 3> cpml_smoothing(const Scheme& scheme, int dimensions);

/// The profile of one face: a_psi, b_psi, a_zeta, b_zeta, `length` values each, zeros after its width; 0 takes the
/// width.
template <typename T>
std::vector<T> cpml_profile(const CpmlFace& face, std::int64_t length = 0);

/// The box of nodes that the strip of a face covers, as a grid of its own.
Grid strip_grid(const Grid& grid, int face, std::int64_t width);

/// Checks the layers of a grid. \throws std::invalid_argument unless the layers fit the grid and have nothing beyond
/// their faces.
void check_cpml(const Cpml& cpml, const Grid& grid, const FaceHalos& halos);

}  // namespace onda
