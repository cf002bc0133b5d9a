#include "solver/signal/band_pass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace onda {
namespace {

constexpr double kRings = 28.;        // -log of the part of its peak that a filter has left when it counts as silent
constexpr double kLongestRing = 64.;  // in lengths of the record

/// A low-pass of Butterworth with the corner 1 at i v (Oppenheim and Schafer 2010, app. B): the product of its poles,
/// which lie on the left half of the unit circle. \param v may be infinite.
std::complex<double> prototype(int order, double v) {
    if (std::isinf(v)) return 0.;
    std::complex<double> denominator = 1.;
    for (int k = 0; k < order; ++k)
        denominator *=
            std::complex<double>(0., v) - std::polar(1., std::numbers::pi * (2. * k + order + 1.) / (2. * order));
    return 1. / denominator;
}

/// How long its slowest pole rings [samples]. With s = (1 - z^-1) / (1 + z^-1) a pole at v p lies at
/// z = (1 + v p) / (1 - v p).
double ringing_samples(const ButterworthBand& band, double dt_s) {
    double slowest = 0.;
    for (const auto& corner_hz : {band.low_hz, band.high_hz}) {
        if (!corner_hz) continue;
        const double v = std::tan(std::numbers::pi * *corner_hz * dt_s);
        const std::complex<double> pole = v * std::polar(1., std::numbers::pi * (band.order + 1.) / (2. * band.order));
        slowest = std::max(slowest, kRings / -std::log(std::abs((1. + pole) / (1. - pole))));
    }
    return slowest;
}

std::size_t padded_length(const ButterworthBand& band, std::size_t samples, double dt_s) {
    const double longest = kLongestRing * static_cast<double>(samples);
    const auto rings = static_cast<std::size_t>(std::min(ringing_samples(band, dt_s), longest));
    // Without phase it rings to both sides, of which either may come round to the other end.
    return FourierTransform::length(2 * samples + rings);
}

}  // namespace

std::complex<double> butterworth_response(const ButterworthBand& band, double dt_s, double frequency_hz) {
    const auto warped = [dt_s](double f) { return std::tan(std::numbers::pi * f * dt_s); };
    const bool is_nyquist = frequency_hz * dt_s >= 0.5 * (1. - 1e-12);
    const double v = is_nyquist ? std::numeric_limits<double>::infinity() : warped(frequency_hz);
    std::complex<double> response = 1.;
    if (band.high_hz) response *= prototype(band.order, v / warped(*band.high_hz));
    // s is replaced by 1 / s, and 1 / (i v) = -i / v.
    if (band.low_hz) response *= v == 0. ? 0. : std::conj(prototype(band.order, warped(*band.low_hz) / v));
    return band.minimum_phase ? response : std::abs(response);
}

BandPass::BandPass(const ButterworthBand& band, std::size_t samples, double dt_s)
    : samples_(samples), padded_(padded_length(band, samples, dt_s)), fourier_(padded_) {
    const double step_hz = 1. / (static_cast<double>(padded_) * dt_s);
    for (std::size_t k = 0; k <= padded_ / 2; ++k)
        response_.push_back(butterworth_response(band, dt_s, static_cast<double>(k) * step_hz) /
                            static_cast<double>(padded_));
}

void BandPass::filter(std::span<double> trace, bool transposed) const {
    std::vector<double> series(padded_, 0.);
    std::vector<std::complex<double>> spectrum(padded_ / 2 + 1);
    std::ranges::copy(trace.first(samples_), series.begin());
    fourier_.forward(series, spectrum);
    for (std::size_t k = 0; k < spectrum.size(); ++k)
        spectrum[k] *= transposed ? std::conj(response_[k]) : response_[k];
    fourier_.inverse(spectrum, series);
    std::copy_n(series.begin(), samples_, trace.begin());
}

}  // namespace onda
