#include "solver/signal/fourier.hpp"

#include <algorithm>
#include <bit>

namespace onda {

std::size_t FourierTransform::length(std::size_t least) {
    const std::size_t power = std::bit_ceil(std::max<std::size_t>(8, least));
    for (const std::size_t eighths : {5, 6})
        if (const std::size_t n = power / 8 * eighths; n >= least && n % 2 == 0) return n;
    return power;
}

void FourierTransform::forward(std::span<const double> series, std::span<std::complex<double>> spectrum) const {
    half_.transform_real(series.data(), spectrum.data());
    // The first and the last value are real, and are returned as one.
    spectrum[n_ / 2] = spectrum[0].imag();
    spectrum[0] = spectrum[0].real();
}

/// With X = A + iB, A is even and B odd in k, so the transform of the real series A - B is sum A cos + i sum B sin: its
/// real part less its imaginary part is the sum of X exp(2 pi i j k / n) for j, and their sum is that for n - j
/// (Bracewell 1983, the discrete Hartley transform).
void FourierTransform::inverse(std::span<std::complex<double>> spectrum, std::span<double> series) const {
    const std::size_t middle = n_ / 2;
    series[0] = spectrum[0].real();
    series[middle] = spectrum[middle].real();
    for (std::size_t k = 1; k < middle; ++k) {
        series[k] = spectrum[k].real() - spectrum[k].imag();
        series[n_ - k] = spectrum[k].real() + spectrum[k].imag();
    }
    half_.transform_real(series.data(), spectrum.data());
    series[0] = spectrum[0].real();
    series[middle] = spectrum[0].imag();
    for (std::size_t j = 1; j < middle; ++j) {
        series[j] = spectrum[j].real() - spectrum[j].imag();
        series[n_ - j] = spectrum[j].real() + spectrum[j].imag();
    }
}

// inverse() has each complex number between the first and the last twice, as itself and conjugated; forward() gives it
// once.
void FourierTransform::forward_transposed(std::span<std::complex<double>> spectrum, std::span<double> series) const {
    for (std::size_t k = 1; k < n_ / 2; ++k) spectrum[k] *= 0.5;
    inverse(spectrum, series);
}

void FourierTransform::inverse_transposed(std::span<const double> series,
                                          std::span<std::complex<double>> spectrum) const {
    forward(series, spectrum);
    for (std::size_t k = 1; k < n_ / 2; ++k) spectrum[k] *= 2.;
}

}  // namespace onda
