/// \file
/// The watch for instability: NaN, infinity and growth that the sources cannot explain.
#pragma once

#include <cstdint>

#include "kernels/setup.hpp"
#include "kernels/wavefield.hpp"
#include "solver/discretisation/computed_grid.hpp"
#include "solver/discretisation/time_axis.hpp"
#include "solver/propagation/propagator.hpp"

namespace onda {

/// The bound that |p| cannot exceed in a stable run, with a margin of 10.
///
/// The leapfrog scheme is symmetric in the norm weighted by 1/k, and each of its modes answers a unit impulse with
/// sin(n w dt) / sin(w dt) <= n. So |p[n]| <= n sqrt(k_max / k_min) sum_m |f[m]| for any medium, where f[m] is what
/// the sources add at step m.
double amplitude_bound(const Sources& sources, const Grid& grid, const TimeAxis& time, double vp_min_m_s,
                       double vp_max_m_s);

/// The watch over one shot: refuses |p| that is not finite or exceeds its bound.
class StabilityWatch {
public:
    /// The longest a run goes on unobserved, in steps.
    static constexpr std::int64_t kInterval = 50;

    /// \param bound of |p|, see amplitude_bound(). \param density_contrast largest over smallest density.
    StabilityWatch(const ComputedGrid& grid, const TimeAxis& time, Precision precision, double bound,
                   double density_contrast = 1.);

    /// Looks at the extremum of p[n] of the shot, on the computed grid.
    /// \throws Error(unstable) naming the node as the inner grid numbers it, position, time, step and the likely cause.
    void check(const Extremum& seen, const Propagator& propagator) const;

private:
    [[nodiscard]] std::string likely_cause() const;
    [[nodiscard]] std::string place_of(std::int64_t node) const;

    ComputedGrid grid_;
    TimeAxis time_;
    Precision precision_;
    double bound_, density_contrast_;
};

/// The larger of `so_far` and the largest |p[n]| on the inner grid. \param seen the extremum of p[n] on the computed
/// grid; only where it is larger and lies beyond the inner grid is more of the field looked at.
double largest_pressure(const Wavefield& wavefield, const ComputedGrid& grid, const Extremum& seen, double so_far,
                        int shot = 0);

}  // namespace onda
