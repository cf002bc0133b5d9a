#include "solver/signal/hilbert.hpp"

#include <algorithm>
#include <complex>
#include <vector>

namespace onda {

/// sin(w t) of cos(w t), -cos(w t) of sin(w t): -i at every positive frequency. The constant and the Nyquist frequency
/// have no such pair.
void HilbertTransform::operator()(std::span<const double> series, std::span<double> transformed) const {
    std::vector<double> padded(padded_);
    std::vector<std::complex<double>> spectrum(padded_ / 2 + 1);
    std::ranges::copy(series, padded.begin());
    fourier_.forward(padded, spectrum);
    const double scale = 1. / static_cast<double>(padded_);
    for (std::complex<double>& value : spectrum) value = {scale * value.imag(), -scale * value.real()};
    spectrum.front() = spectrum.back() = 0.;
    fourier_.inverse(spectrum, padded);
    std::copy_n(padded.begin(), samples_, transformed.begin());
}

}  // namespace onda
