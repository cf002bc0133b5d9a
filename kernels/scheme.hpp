/// \file
/// The discretisation of the wave equation in space: which operator, which neighbours, which weights. Everything that
/// needs a weight, a symbol or the stability limit asks here.
#pragma once

#include <array>
#include <vector>

namespace onda {

/// The discrete operator of a time step.
enum class WaveOperator {
    star,             ///< vp^2 lap p from neighbours on the axes, orders 2 … 16
    compact,          ///< vp^2 lap p from the 26 (in 2-D 8) nearest nodes, order 2
    variable_density  ///< rho vp^2 div(1/rho grad p), staggered half-step derivatives, orders 2 … 16
};

struct Scheme {
    WaveOperator wave_operator = WaveOperator::star;
    int space_order = 8;
    std::vector<double> weights;  ///< c_0 … c_r of the second derivative along an axis, unit spacing

    [[nodiscard]] int radius() const { return space_order / 2; }
    /// Nodes beyond a face that a step reads.
    [[nodiscard]] int halo() const { return radius(); }
    /// -L(k) h^2 for a wave along an axis, kh [rad] per node.
    [[nodiscard]] double axis_symbol(double kh) const;
    /// Largest stable dt [s] of the leapfrog scheme.
    /// \param spacing_m of the axes that have a derivative.
    [[nodiscard]] double stability_limit_s(const std::vector<double>& spacing_m, double vp_max_m_s) const;
};

/// \param space_order even, 2 … 16; std::invalid_argument otherwise.
Scheme make_scheme(WaveOperator wave_operator, int space_order);

}  // namespace onda
