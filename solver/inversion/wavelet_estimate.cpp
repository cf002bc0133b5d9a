#include "solver/inversion/wavelet_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <stdexcept>
#include <string>

#include "io/files/atomic_file.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "solver/signal/for_traces.hpp"

namespace onda {
namespace {

constexpr std::size_t kTracesInMemory = 32;  // whose spectra are there at a time

/// 0 where there is nothing to divide by.
double ratio_of_sums(double part, double whole) {
    return whole > 0. ? part / whole : 0.;
}

/// The energy at a frequency that F d takes from |d_obs|^2, with F = cross / (power + level): what is left,
/// |d_obs|^2 - 2 Re(F conj(cross)) + |F|^2 power, is the difference of both without a loss of digits.
double explained_energy(std::complex<double> cross, double power, double level) {
    const double damped = power + level;
    return damped > 0. ? std::norm(cross) * (power + 2. * level) / (damped * damped) : 0.;
}

double energy_of_signal(std::span<const double> series) {
    double sum = 0.;
    for (const double s : series) sum += s * s;
    return sum;
}

double positive_sample_interval(double dt_s) {
    if (!(dt_s > 0.)) throw std::invalid_argument("WaveletEstimate: the sample interval must be positive");
    return dt_s;
}

}  // namespace

WaveletEstimate::WaveletEstimate(std::size_t samples, double dt_s, double eps)
    : samples_(samples),
      padded_(FourierTransform::length(2 * samples)),
      dt_s_(positive_sample_interval(dt_s)),
      eps_(eps),
      fourier_(padded_),
      cross_(padded_ / 2 + 1),
      power_(padded_ / 2 + 1),
      observed_(padded_ / 2 + 1) {
    if (samples == 0 || !(eps >= 0.)) throw std::invalid_argument("WaveletEstimate: no samples, or a negative eps");
}

void WaveletEstimate::add(std::span<const float> synthetic, std::span<const float> observed,
                          std::span<const double> trace_weights) {
    const std::size_t traces = observed.size() / samples_;
    if (synthetic.size() != observed.size() || traces * samples_ != observed.size() ||
        (!trace_weights.empty() && trace_weights.size() != traces))
        throw std::invalid_argument("WaveletEstimate: sizes of traces and weights differ");
    for (std::size_t begin = 0; begin < traces; begin += kTracesInMemory) {
        const std::size_t count = std::min(kTracesInMemory, traces - begin);
        add_block(synthetic.subspan(begin * samples_, count * samples_),
                  observed.subspan(begin * samples_, count * samples_),
                  trace_weights.empty() ? trace_weights : trace_weights.subspan(begin, count));
    }
}

/// Traces are transformed in parallel, and added by one thread a frequency, in their order.
void WaveletEstimate::add_block(std::span<const float> synthetic, std::span<const float> observed,
                                std::span<const double> weights) {
    const std::size_t bins = power_.size(), count = observed.size() / samples_;
    std::vector<std::complex<double>> spectra(2 * count * bins);
    std::vector<char> counts(count, 0);
    for_traces(static_cast<std::int64_t>(count), [&](std::int64_t i) {
        const auto trace = static_cast<std::size_t>(i);
        const double weight = weights.empty() ? 1. : weights[trace];
        const auto is_zero = [](float x) { return x == 0.F; };
        if (weight == 0. || std::ranges::all_of(observed.subspan(trace * samples_, samples_), is_zero)) return;
        counts[trace] = 1;
        std::vector<double> series(padded_, 0.);
        for (std::size_t side = 0; side < 2; ++side) {
            const auto values = (side == 0 ? synthetic : observed).subspan(trace * samples_, samples_);
            for (std::size_t n = 0; n < samples_; ++n) series[n] = weight * static_cast<double>(values[n]);
            fourier_.forward(series, std::span(spectra).subspan((2 * trace + side) * bins, bins));
        }
    });
#pragma omp parallel for
    for (std::size_t k = 0; k < bins; ++k)
        for (std::size_t trace = 0; trace < count; ++trace) {
            if (counts[trace] == 0) continue;
            const std::complex<double> d = spectra[2 * trace * bins + k], o = spectra[(2 * trace + 1) * bins + k];
            cross_[k] += std::conj(d) * o;
            power_[k] += std::norm(d);
            observed_[k] += std::norm(o);
        }
}

double WaveletEstimate::largest_power() const {
    return *std::ranges::max_element(power_);
}

std::vector<std::complex<double>> WaveletEstimate::response() const {
    const double level = eps_ * largest_power();
    std::vector<std::complex<double>> response(cross_.size());
    for (std::size_t k = 0; k < response.size(); ++k)
        if (const double damped = power_[k] + level; damped > 0.) response[k] = cross_[k] / damped;
    return response;
}

std::vector<double> WaveletEstimate::filter() const {
    std::vector<std::complex<double>> spectrum = response();
    std::vector<double> series(padded_);
    fourier_.inverse(spectrum, series);
    for (double& s : series) s /= static_cast<double>(padded_);
    std::vector<double> taps(series.end() - static_cast<std::ptrdiff_t>(samples_), series.end());
    taps.insert(taps.end(), series.begin(), series.begin() + static_cast<std::ptrdiff_t>(samples_));
    return taps;
}

/// All of the filtered signal [2 samples + its length], the first at -samples dt.
std::vector<double> WaveletEstimate::convolved(std::span<const double> wavelet) const {
    const std::size_t whole = 2 * samples_ + wavelet.size(), n = FourierTransform::length(whole);
    const FourierTransform fourier(n);
    std::vector<double> taps = filter(), signal(wavelet.begin(), wavelet.end());
    taps.resize(n);
    signal.resize(n);
    std::vector<std::complex<double>> spectrum(n / 2 + 1), of_signal(n / 2 + 1);
    fourier.forward(taps, spectrum);
    fourier.forward(signal, of_signal);
    for (std::size_t k = 0; k < spectrum.size(); ++k) spectrum[k] *= of_signal[k] / static_cast<double>(n);
    fourier.inverse(spectrum, signal);
    signal.resize(whole);
    return signal;
}

std::vector<double> WaveletEstimate::apply(std::span<const double> wavelet) const {
    const std::vector<double> whole = convolved(wavelet);
    const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(samples_);
    return {begin, begin + std::ssize(wavelet)};
}

double WaveletEstimate::cut_off(std::span<const double> wavelet) const {
    const std::vector<double> whole = convolved(wavelet);
    const std::span<const double> all(whole);
    const double outside =
        energy_of_signal(all.first(samples_)) + energy_of_signal(all.subspan(samples_ + wavelet.size()));
    return ratio_of_sums(outside, energy_of_signal(all));
}

/// Frequencies between the first and the last stand for their negatives as well (Parseval).
double WaveletEstimate::explained() const {
    const double level = eps_ * largest_power();
    double part = 0., whole = 0.;
    for (std::size_t k = 0; k < power_.size(); ++k) {
        const double times = k == 0 || k + 1 == power_.size() ? 1. : 2.;
        part += times * explained_energy(cross_[k], power_[k], level);
        whole += times * observed_[k];
    }
    return ratio_of_sums(part, whole);
}

/// The envelope is the modulus of the analytic signal, to which positive frequencies alone contribute. Between samples
/// its largest value is that of a parabola.
WaveletEstimate::Correction WaveletEstimate::correction() const {
    std::vector<std::complex<double>> in_phase(cross_), in_quadrature(cross_.size());
    in_phase.front() = in_phase.back() = 0.;
    for (std::size_t k = 0; k < in_phase.size(); ++k) in_quadrature[k] = std::complex<double>(0., -1.) * in_phase[k];
    std::vector<double> envelope(padded_), quadrature(padded_);
    fourier_.inverse(in_phase, envelope);
    fourier_.inverse(in_quadrature, quadrature);
    for (std::size_t n = 0; n < padded_; ++n) envelope[n] = std::hypot(envelope[n], quadrature[n]);
    const auto at = static_cast<std::size_t>(std::ranges::max_element(envelope) - envelope.begin());
    const double here = envelope[at], left = envelope[(at + padded_ - 1) % padded_],
                 right = envelope[(at + 1) % padded_];
    const double curvature = left - 2. * here + right;
    const double lag = (at < padded_ / 2 ? 0. : -static_cast<double>(padded_)) + static_cast<double>(at) +
                       (curvature < 0. ? 0.5 * (left - right) / curvature : 0.);
    std::complex<double> sum = 0.;
    double power = 0.;
    for (std::size_t k = 1; k + 1 < cross_.size(); ++k) {
        const double turns = static_cast<double>(k) * lag / static_cast<double>(padded_);
        sum += cross_[k] * std::polar(1., 2. * std::numbers::pi * turns);
        power += power_[k];
    }
    return {lag * dt_s_, ratio_of_sums(std::abs(sum), power), std::arg(sum)};
}

std::vector<WaveletEstimate::Row> WaveletEstimate::rows() const {
    const double most = largest_power(), most_observed = *std::ranges::max_element(observed_);
    const double level = eps_ * most;
    const std::vector<std::complex<double>> f = response();
    std::vector<Row> rows;
    for (std::size_t k = 0; k < f.size(); ++k)
        rows.push_back({.frequency_hz = static_cast<double>(k) / (static_cast<double>(padded_) * dt_s_),
                        .amplitude = std::abs(f[k]),
                        .phase_rad = std::arg(f[k]),
                        .synthetic = std::sqrt(ratio_of_sums(power_[k], most)),
                        .observed = std::sqrt(ratio_of_sums(observed_[k], most_observed)),
                        .explained = ratio_of_sums(explained_energy(cross_[k], power_[k], level), observed_[k])});
    return rows;
}

void write_wavelet_file(const std::filesystem::path& path, std::span<const double> signal, double dt_s) {
    if (signal.size() < 2 || !(dt_s > 0.)) throw std::invalid_argument("write_wavelet_file: too short, or no interval");
    std::string text = "time_s,amplitude\n";
    for (std::size_t n = 0; n < signal.size(); ++n) {
        if (!std::isfinite(signal[n]))
            throw Error(ExitCode::bad_data, shown(path) + ": cannot write a source signal: sample " +
                                                std::to_string(n) + " is not a finite number");
        text += shortest(static_cast<double>(n) * dt_s) + "," + shortest(signal[n]) + "\n";
    }
    stage_text_file(path, text, true).commit();
}

}  // namespace onda
