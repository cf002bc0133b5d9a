#include "solver/signal/fourier.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace onda {
namespace {

/// Brings a[i] to where the bits of i stand in reverse.
void reverse_bits(std::span<std::complex<double>> a) {
    for (std::size_t i = 1, j = 0; i < a.size(); ++i) {
        std::size_t bit = a.size() / 2;
        for (; (j & bit) != 0; bit /= 2) j ^= bit;
        j ^= bit;
        if (i < j) std::swap(a[i], a[j]);
    }
}

}  // namespace

FourierTransform::FourierTransform(std::size_t largest) : roots_(largest) {
    for (std::size_t half = 1; half < largest; half *= 2)
        for (std::size_t k = 0; k < half; ++k)
            roots_[half + k] = std::polar(1., -std::numbers::pi * static_cast<double>(k) / static_cast<double>(half));
}

void FourierTransform::operator()(std::span<std::complex<double>> a) const {
    reverse_bits(a);
    for (std::size_t half = 1; half < a.size(); half *= 2) {
        for (std::size_t start = 0; start < a.size(); start += 2 * half)
            for (std::size_t k = 0; k < half; ++k) {
                std::complex<double>&low = a[start + k], &high = a[start + k + half];
                const std::complex<double> root = roots_[half + k];
                // by parts: std::complex asks after NaNs at every product
                const std::complex<double> turned(root.real() * high.real() - root.imag() * high.imag(),
                                                  root.real() * high.imag() + root.imag() * high.real());
                high = low - turned;
                low += turned;
            }
    }
}

}  // namespace onda
