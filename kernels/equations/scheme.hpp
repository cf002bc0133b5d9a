/// \file
/// The discretisation of the wave equation in space: which operator, which neighbours, which weights. Everything that
/// needs a weight, a symbol or the stability limit asks here.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/equations/attenuation/relaxation.hpp"
#include "kernels/equations/coefficients/zero_sum.hpp"
#include "kernels/equations/compact/compact.hpp"
#include "kernels/equations/equation.hpp"
#include "kernels/equations/vti/anisotropy.hpp"

namespace onda {

/// Where the weights of a derivative come from.
enum class Coefficients {
    taylor,    ///< exact for polynomials of the highest degree: best for long waves
    optimised  ///< kernels/equations/coefficients/optimised_weights.hpp: the widest band of waves within a tolerance
};

struct Scheme {
    Equation equation = Equation::star;
    int space_order = 8;
    /// On unit spacing: c_0 … c_r of the second derivative along an axis; with variable density d_1 … d_r of the first
    /// derivative between two nodes, after an unused d_0.
    std::vector<double> weights;
    Coefficients coefficients = Coefficients::taylor;
    CompactWeights compact = {};  ///< of the compact operator; weights are those of order 2
    int time_order = 2;           ///< or 4, of the star: kernels/equations/star/leap.hpp
    Relaxation relaxation = {};   ///< of equations that absorb
    Anisotropy anisotropy = {};   ///< of equations whose velocity depends on the direction

    /// For messages: "order 8", "order 8 with optimised weights", "compact27, order 2", "order 8, order 4 in time".
    [[nodiscard]] std::string description() const;
    [[nodiscard]] int radius() const { return space_order / 2; }
    /// Nodes beyond a face that a step reads.
    [[nodiscard]] int halo() const { return equation->halo(radius()); }
    /// -L(k) h^2 for a wave along an axis, kh [rad] per node.
    [[nodiscard]] double axis_symbol(double kh) const;
    /// -L(k) [1/m^2] for a plane wave; |k|^2 would be exact.
    /// \param k wavenumber [rad/m] along each axis that has a derivative; \param spacing_m of these axes.
    [[nodiscard]] double symbol(const std::vector<double>& k, const std::vector<double>& spacing_m) const;
    /// Phase velocity of a plane wave over vp: 4 sin^2(omega dt / 2) = S or, of order 4 in time, S - S^2 / 12, with
    /// S = (vp dt)^2 symbol. NaN where the scheme is unstable.
    /// \param vp_dt_m how far a wave goes in a step; 0 leaves the error of space alone.
    [[nodiscard]] double phase_velocity_ratio(const std::vector<double>& k, const std::vector<double>& spacing_m,
                                              double vp_dt_m) const;
    /// Largest stable dt [s]: 2 / (vp_max sqrt(sum_axis max_k symbol / h_axis^2)) of the leapfrog scheme, where S is 4;
    /// of order 4 in time S may be 12. Jumps of the density lower it by less than 1 % up to a factor of 10 at a plane,
    /// 4 % in the worst of patterns: docs/theory.md. \param spacing_m of the axes that have a derivative.
    [[nodiscard]] double stability_limit_s(const std::vector<double>& spacing_m, double vp_max_m_s) const;
    /// The velocity [m/s] that the stability limit is for, in media of at most vp_max_m_s whose further parameters are
    /// no lower than these: with Q below infinity that of infinite frequency, which depends on dt.
    [[nodiscard]] double stiffest_m_s(double vp_max_m_s, std::span<const double> lowest, double dt_s) const;
    /// Largest stable dt [s] where strips are part of the operator (Strip::in_operator()). They make waves decay along
    /// the direction of their phase, and of order 4 in time waves with S above 6 carry energy against it: these would
    /// grow.
    [[nodiscard]] double stability_limit_in_layers_s(const std::vector<double>& spacing_m, double vp_max_m_s) const;
};

/// \param space_order even, 2 … 16, and 2 for the compact operator, which has one set of weights;
///        std::invalid_argument otherwise.
Scheme make_scheme(const Equation& equation, int space_order, Coefficients coefficients = Coefficients::taylor);
/// A compact operator with weights of its own; std::invalid_argument if they are no Laplacian.
Scheme make_compact_scheme(const CompactWeights& weights);

/// Second derivatives over the squares of the spacings [1/m^2] of the axes that a grid of so many dimensions has.
SecondDerivativeWeights second_derivatives(const Scheme& scheme, const std::array<double, 3>& spacing_m,
                                           int dimensions);

/// Premultiplied weights for kernels.
/// \param dimensions 2 (x, z) or 3; the unused axis gets zero weights.
template <typename T>
Stencil<T> make_stencil(const Scheme& scheme, const std::array<double, 3>& spacing_m, int dimensions);

}  // namespace onda
