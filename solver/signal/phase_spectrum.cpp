#include "solver/signal/phase_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solver/signal/kaiser_sinc.hpp"

namespace onda {
namespace {

using std::numbers::pi;

/// No window goes round the circle of points.
std::size_t transform_length(std::int64_t samples) {
    return FourierTransform::length(static_cast<std::size_t>(std::max<std::int64_t>(2 * samples, 32)));
}

/// The shape for which the window's transform has its first zero where the images of the series begin, 3/4 of the
/// transform's length away (Beatty et al. 2005, eq. 5, for a transform of twice the length).
double shape_of(std::int64_t width) {
    return 0.75 * pi * static_cast<double>(width);
}

/// I0(beta sqrt(1 - (2 t / width)^2)), t in points of the transform.
double window(double t, std::int64_t width) {
    const double u = 2. * t / static_cast<double>(width);
    return std::abs(u) >= 1. ? 0. : bessel_i0(shape_of(width) * std::sqrt(1. - u * u));
}

/// The integral of window(t) cos(2 pi t xi), of |xi| up to 1/4.
double transform_of_window(double xi, std::int64_t width) {
    const auto w = static_cast<double>(width);
    const double beta = shape_of(width), root = std::sqrt(beta * beta - pi * w * xi * pi * w * xi);
    return w * std::sinh(root) / root;
}

}  // namespace

PhaseSpectrum::PhaseSpectrum(std::int64_t samples, std::span<const double> phases)
    : samples_(samples),
      centre_(samples / 2),
      length_(onda::transform_length(samples)),
      transform_(length_),
      inverse_(samples),
      weight_(phases.size() * kWidth),
      first_(phases.size()),
      turn_(phases.size()) {
    const auto n = static_cast<double>(length_);
    for (std::int64_t j = 0; j < samples_; ++j)
        inverse_[j] = 1. / transform_of_window(static_cast<double>(j - centre_) / n, kWidth);
    for (std::size_t k = 0; k < phases.size(); ++k) {
        const double place = phases[k] / (2. * pi) * n;
        first_[k] = static_cast<std::int64_t>(std::ceil(place - 0.5 * kWidth));
        for (std::int64_t m = 0; m < kWidth; ++m)
            weight_[k * kWidth + m] = window(static_cast<double>(first_[k] + m) - place, kWidth);
        turn_[k] = std::polar(1., -phases[k] * static_cast<double>(centre_));
    }
}

void PhaseSpectrum::operator()(std::span<const double> series, std::span<std::complex<double>> spectrum) const {
    std::vector<double> x(length_);
    std::vector<std::complex<double>> points(length_ / 2 + 1);
    for (std::int64_t j = 0; j < samples_; ++j) x[place(j)] = series[j] * inverse_[j];
    transform_.forward(x, points);
    const auto length = static_cast<std::int64_t>(length_);
    const auto at = [&](std::int64_t m) {
        if (m < 0) return std::conj(points[-m]);
        return m <= length / 2 ? points[m] : std::conj(points[length - m]);
    };
    for (std::size_t k = 0; k < first_.size(); ++k) {
        std::complex<double> sum = 0.;
        for (std::int64_t m = 0; m < kWidth; ++m) sum += weight_[k * kWidth + m] * at(first_[k] + m);
        spectrum[k] = sum * turn_[k];
    }
}

void PhaseSpectrum::transposed(std::span<const std::complex<double>> spectrum, std::span<double> series) const {
    std::vector<double> x(length_);
    std::vector<std::complex<double>> points(length_ / 2 + 1);
    const auto length = static_cast<std::int64_t>(length_);
    const auto add = [&](std::int64_t m, std::complex<double> value) {
        if (m < 0)
            points[-m] += std::conj(value);
        else if (m <= length / 2)
            points[m] += value;
        else
            points[length - m] += std::conj(value);
    };
    for (std::size_t k = 0; k < first_.size(); ++k) {
        const std::complex<double> turned = spectrum[k] * std::conj(turn_[k]);
        for (std::int64_t m = 0; m < kWidth; ++m) add(first_[k] + m, weight_[k * kWidth + m] * turned);
    }
    transform_.forward_transposed(points, x);
    for (std::int64_t j = 0; j < samples_; ++j) series[j] = x[place(j)] * inverse_[j];
}

std::int64_t PhaseSpectrum::bytes(std::int64_t samples, std::int64_t phases) {
    const auto shared = static_cast<std::int64_t>(FourierTransform::bytes(onda::transform_length(samples)));
    const std::int64_t of_phase = (kWidth * sizeof(double)) + sizeof(std::int64_t) + sizeof(std::complex<double>);
    return shared + samples * static_cast<std::int64_t>(sizeof(double)) + phases * of_phase;
}

std::int64_t PhaseSpectrum::bytes_of_call(std::int64_t samples) {
    // The series and half as many complex points, of the transform's length.
    return 2 * static_cast<std::int64_t>(sizeof(double) * onda::transform_length(samples));
}

}  // namespace onda
