/// \file
/// The removal of the dispersion of the time step, which is the same function of frequency everywhere.
///
/// With x = omega dt, a linear, time-invariant scheme (p[n+1] - 2 p[n] + p[n-1]) / dt^2 = A p[n] + s[n] answers at
/// theta radians a sample exactly as the equation p_tt = A p + s does at
///     x = 2 sin(theta / 2),                                                                                     (1)
/// whatever A is. So if the spectrum of the samples that are injected at theta is that of the wavelet at x, the
/// spectrum of the samples that are recorded at theta is that of the wavefield at x, free of the time step's
/// dispersion. Wavelets are therefore injected as
///     s[n] = 1/(2 pi dt) int S(x(theta) / dt) exp(i theta n) dtheta                                             (2)
/// and traces returned as
///     p(t) = dt/(2 pi) int u(theta(omega)) exp(i omega t) domega, u(theta) = sum u[n] exp(-i theta n).          (3)
/// Koene, Robertsson, Broggini and Andersson (2018), Geophys. J. Int. 213, 169-180, there "forward" and "inverse time
/// dispersion transform"; before them Stork (2013), 75th EAGE Conference, Tu-11-07, and Wang and Xu (2015), Geophysics
/// 80(6), WD19-WD25.
///
/// Equations (2) and (3) are computed as weighted sums of samples. A wave of theta travels at cos(theta / 2) of the
/// time that it should take: the weights of time t gather around samples t cos(theta / 2) / dt, for all theta of the
/// band, and fall below 1e-6 a little beyond. The last waves of a record therefore need a few samples from after its
/// end: the run goes on for 5 (n / 8)^(1/3) steps, n those of the duration, and what would still be missing is below
/// 1e-3 of the largest amplitude.
///
/// Of order 4 in time (kernels/equations/star/leap.hpp), with y = (2 sin(theta / 2))^2, the relation is
///     y = x^2 - x^4 / 12,                                                                                       (4)
/// and the scheme adds f + (A f + second difference of f) / 12 of a signal f. Its waves, of which A is -x^2, are those
/// of the equation if f has the spectrum
///     S(x / dt) (1 - x^2 / 6) / (1 - x^2 / 12)^2.                                                               (5)
/// What is left is of f alone, (x^4 / 144) of it, and decays within nodes of the source. These waves come late, by the
/// factor dx / dtheta: the run goes on until those of the highest frequency have come, and its traces fade before they
/// end.
#pragma once

#include <string>

#include "solver/discretisation/time_axis.hpp"
#include "solver/signal/resampling.hpp"

namespace onda {

/// The time step of a run, every how many steps it records a sample, and its order of accuracy in time.
struct RecordedSampling {
    double dt_s = 0.;
    std::int64_t stride = 1;
    int order = 2;
};

/// The band that the correction keeps of signals with this highest frequency: unchanged up to 1.5 of it (a Ricker
/// wavelet has fallen to 1e-6 there), nothing from 2.25 of it. No frequency above 1 / (pi dt) has a theta; where that
/// is too low, the band ends at 0.95 of it; where the signals are sampled very finely, it reaches omega dt = 1/2 all
/// the same. With leaps the band ends at 0.95 / (pi sqrt(2) dt), of order 4 in time at 0.95 sqrt(6) / (2 pi dt).
FrequencyBand correction_band(double highest_frequency_hz, const RecordedSampling& recorded);

/// Asks for the correction of a run; where it records, adds the steps that the end of its seismograms needs.
void correct_dispersion(TimeAxis& time, double highest_frequency_hz, bool records);

/// The weights of equation (2): those of the samples of a wavelet, dt_in apart, for the signal that is injected at i *
/// dt of the run.
TapsOfSample injection_taps(const FrequencyBand& band, double dt_in, const RecordedSampling& run, std::int64_t samples);
/// How many samples are injected until nothing of the first `input_samples` of a wavelet is left in them.
std::int64_t injected_samples(const FrequencyBand& band, double dt_in, const RecordedSampling& run,
                              std::int64_t input_samples);

/// Corrects traces by equation (3): as recorded, they are given at i * dt_out, without what lies above 1 / (2 dt_out).
/// Of every second sample the same integral is taken, with u(theta) = 2 sum u[2 m] exp(-2 i theta m), which is exact
/// for bands below theta = pi / 2.
template <typename In, typename Out>
void correct_traces(const TraceList<const In>& input, const FrequencyBand& band, const RecordedSampling& recorded,
                    double dt_out, const TraceList<Out>& output);
/// Corrects traces [trace][sample] by equation (3); returns [trace][output_samples].
template <typename T>
std::vector<T> correct_traces(std::span<const T> traces, std::int64_t trace_count, const FrequencyBand& band,
                              const RecordedSampling& recorded, double dt_out, std::int64_t output_samples) {
    std::vector<T> output(trace_count * output_samples);
    correct_traces<T, T>({traces, trace_count}, band, recorded, dt_out, {std::span(output), trace_count});
    return output;
}
/// The transpose of correct_traces(), as that of weigh_traces(), by the transpose of whatever it does with as many
/// output samples: from residuals dt_out apart to recorded samples, those after the record's end included.
void correct_traces_transposed(const TraceList<const double>& residual, const FrequencyBand& band,
                               const RecordedSampling& recorded, double dt_out, const TraceList<double>& adjoint);
/// The host memory that correct_traces needs besides its input and output; the weights of short traces stay with it.
std::int64_t correction_bytes(const TimeAxis& time, std::int64_t trace_count, int threads);
/// The host memory that correct_traces_transposed needs besides its input and output and correction_bytes().
std::int64_t transposed_correction_bytes(const TimeAxis& time, std::int64_t trace_count, int threads);

/// The correction in words: "removed from the seismograms, up to 41.4 Hz; not from snapshots", or "not removed".
std::string describe_correction(const TimeAxis& time);

}  // namespace onda
