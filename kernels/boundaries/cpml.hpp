/// \file
/// Convolutional perfectly matched layers as devices are told of them (kernels/boundaries/cpml_math.hpp), and what all
/// devices derive from that.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/boundaries/cpml_math.hpp"
#include "kernels/boundaries/strip.hpp"
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
class Cpml final : public Strip {
public:
    std::array<CpmlFace, 6> face;

    [[nodiscard]] std::string_view name() const override { return "cpml"; }
    [[nodiscard]] int order() const override { return 0; }
    [[nodiscard]] bool in_operator() const override { return true; }
    [[nodiscard]] bool empty() const override;
    /// \throws std::invalid_argument unless the layers fit the grid, have nothing beyond their faces, and the equation
    /// can be taken apart for them.
    void check(const Problem& problem) const override;
    [[nodiscard]] double work(const Grid& grid) const override;
    /// The layers on another grid: those that fill more than their axis keep at most half of it each, and lose the end
    /// of their profiles towards the face.
    [[nodiscard]] std::shared_ptr<const Strip> resized(const std::array<std::int64_t, 3>& n) const override;
    [[nodiscard]] std::shared_ptr<const Strip> of_planes(std::int64_t first, std::int64_t planes,
                                                         std::int64_t all) const override;
    [[nodiscard]] std::int64_t reach(const Problem& problem, int face) const override;
    [[nodiscard]] std::int64_t fewest_planes(const Problem& problem, int face) const override;
    void filter_source(const Grid& grid, const std::array<std::int64_t, 3>& node, NodeFilter& filter) const override;
    [[nodiscard]] std::array<double, 2> filter_of_flux(const Grid& grid, int axis, std::int64_t lower) const override;
    [[nodiscard]] const cpu::StripRow& on_cpu() const override;
    [[nodiscard]] const cuda::StripRow* on_cuda() const override;
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

}  // namespace onda
