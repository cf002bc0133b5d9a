/// \file
/// dt, the number of steps, and band-limited resampling between the wavelet's, the run's and the user's sampling.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/config.hpp"
#include "kernels/grid.hpp"

namespace onda {

struct TimeAxis {
    double dt_s = 0.;
    std::int64_t steps = 0;           ///< sample n is at n dt; n = 0 … steps
    double stability_limit_s = 0.;    ///< exact limit of the weights, spacings and the fastest velocity
    double output_dt_s = 0.;          ///< sampling of the seismograms returned
    std::int64_t output_samples = 0;  ///< covering 0 … duration
    [[nodiscard]] double cfl_fraction() const { return dt_s / stability_limit_s; }
};

/// \throws Error(config) if a given dt exceeds the limit (names both numbers) or the duration is not positive.
TimeAxis make_time_axis(const Config& config, const Grid& grid, double vp_max_m_s);

/// Kaiser-windowed sinc resampling of a series that is zero before and after, to output[i] at i * dt_out (both series
/// start at t = 0); the cut-off is the lower Nyquist frequency of the two.
std::vector<double> resample(std::span<const double> input, double dt_in, double dt_out, std::int64_t output_samples);

}  // namespace onda
