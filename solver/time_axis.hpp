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
    std::int64_t steps = 0;           ///< sample n is at n dt; n = 0 … steps, and steps dt >= duration
    double stability_limit_s = 0.;    ///< exact limit of the weights, spacings and the fastest velocity
    double output_dt_s = 0.;          ///< sampling of the seismograms returned
    std::int64_t output_samples = 0;  ///< covering 0 … duration
    [[nodiscard]] double cfl_fraction() const { return dt_s / stability_limit_s; }
};

/// \throws Error(config) if a given dt exceeds the limit (names both numbers) or the duration is not positive.
TimeAxis make_time_axis(const Config& config, const Grid& grid, double vp_max_m_s);

/// What follows the last sample of a series that is resampled; before the first one it is zero.
enum class Tail {
    continued,  ///< a recording that was cut: continued by its point reflection, so that no step rings at the end
    zero        ///< a wavelet: it is over
};

/// Kaiser-windowed sinc resampling to output[i] at i * dt_out (both series start at t = 0). The cut-off is the lower
/// Nyquist frequency of the two; up to 0.9 of it the error is below 1e-4. Equal steps copy the samples.
std::vector<double> resample(std::span<const double> input, double dt_in, double dt_out, std::int64_t output_samples,
                             Tail tail = Tail::continued);
/// The same for traces [trace][sample] at once; returns [trace][output_samples].
std::vector<float> resample_traces(std::span<const float> traces, std::int64_t trace_count, double dt_in, double dt_out,
                                   std::int64_t output_samples);

/// The band-limited series at any time t, zero before its first and after its last sample.
double interpolate(std::span<const double> series, double dt_s, double t_s);

}  // namespace onda
