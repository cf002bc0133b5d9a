/// \file
/// The time axis of a run: dt, the number of steps, and the sampling of what is returned.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "io/config/config.hpp"
#include "kernels/equations/scheme.hpp"
#include "kernels/precision.hpp"

namespace onda {

/// A band of frequencies: up to pass_hz they pass unchanged, from stop_hz on nothing is left of them.
struct FrequencyBand {
    double pass_hz = 0., stop_hz = 0.;
};

struct TimeAxis {
    double dt_s = 0.;
    std::int64_t steps = 0;           ///< time n is n dt; n = 0 … steps, and steps dt >= duration
    std::int64_t stride = 1;          ///< every how many steps the wavefield is known everywhere: `steps` is a multiple
    int order = 2;                    ///< of the time step: Scheme::time_order
    double stability_limit_s = 0.;    ///< exact limit of the coefficients, spacings and the fastest velocity
    double output_dt_s = 0.;          ///< sampling of the seismograms returned
    std::int64_t output_samples = 0;  ///< covering 0 … duration
    std::int64_t extra_steps = 0;     ///< those of `steps` after the duration, which correct_dispersion needs
    /// The band in which wavelets and seismograms are freed of the time step's dispersion (time_dispersion.hpp);
    /// absent: it stays.
    std::optional<FrequencyBand> correction;
    /// The interval of the samples that receivers record, and their number: at 0, stride dt, …, steps dt.
    [[nodiscard]] double recorded_dt_s() const { return static_cast<double>(stride) * dt_s; }
    [[nodiscard]] std::int64_t recorded_samples() const { return steps / stride + 1; }
    /// The values of a source's signal: at every step, leaps or not.
    [[nodiscard]] std::int64_t signal_samples() const { return steps + 1; }
    /// The multiple of the stride that is nearest to a number of steps.
    [[nodiscard]] std::int64_t nearest_step(double step) const {
        return stride * std::llround(step / static_cast<double>(stride));
    }
    [[nodiscard]] double cfl_fraction() const { return dt_s / stability_limit_s; }
};

/// The sampling of seismograms for which none is asked: the longest that is no longer than `longest_s` and 1, 2 or 4
/// times a power of ten from a millisecond on, 1, 2 or 5 times one below, as the double nearest to that decimal number.
double default_sampling_s(double longest_s);

/// The seismograms of a run, and the highest frequency of its wavelets; 0 where it is not known.
struct WantedSeismograms {
    const SeismogramConfig& config;
    double highest_frequency_hz = 0.;
};

/// The largest stable time step, and the velocity that it follows from.
struct StabilityLimit {
    double dt_s = 0., fastest_m_s = 0.;
    double vp_max_m_s = 0.;  ///< below fastest_m_s where Q raises the velocity at infinite frequency; 0: the same
};

/// The time axis of a configuration. \param seismograms whose sampling the user may choose; else default_sampling_s()
/// of what keeps 2.25 times the highest frequency, the whole band of correct_dispersion(), and of what SEG-Y and SU
/// hold where they are wanted, or the first of the two below it that divides the duration if it does not: it depends
/// neither on the step nor on the scheme.
/// \throws Error(config) if a given dt exceeds the limit (names both numbers) or the duration, or is too small for the
/// precision; if the duration is not positive; if there were too many steps or samples; if SEG-Y or SU is wanted and
/// holds neither the sampling nor may have another one, or does not hold as many samples.
TimeAxis make_time_axis(const TimeConfig& config, const WantedSeismograms& seismograms, const Scheme& scheme,
                        Precision precision, const StabilityLimit& limit, const ConfigOrigin& origin);

/// Takes every second step only (Stepping::leap): the run ends with a whole leap.
void take_leaps(TimeAxis& time);

}  // namespace onda
