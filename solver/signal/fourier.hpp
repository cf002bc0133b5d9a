/// \file
/// The discrete Fourier transform of real series, by kissfft.
#pragma once

#include <complex>
#include <kissfft/kissfft.hh>
#include <span>

namespace onda {

/// Transforms of real series of one length n. What they need is computed once; a transform allocates nothing, and any
/// number of threads may share one object.
class FourierTransform {
public:
    /// \param n an even number of at least 4 without prime factors above 5: for others kissfft takes longer, and keeps
    /// a buffer that threads would share.
    explicit FourierTransform(std::size_t n) : n_(n), half_(n / 2, false) {}

    /// The shortest length that is no shorter than `least` and 4, 5 or 6 times a power of two: at most a quarter
    /// longer.
    static std::size_t length(std::size_t least);
    /// What an object for series of length n allocates.
    static constexpr std::size_t bytes(std::size_t n) { return n / 2 * sizeof(std::complex<double>); }

    /// spectrum[k] = sum over j of series[j] exp(-2 pi i j k / n).
    /// \param series [n]; \param spectrum [n / 2 + 1], the others being conj(spectrum[n - k]).
    void forward(std::span<const double> series, std::span<std::complex<double>> spectrum) const;
    /// series[j] = sum over k = 0 … n - 1 of spectrum[k] exp(2 pi i j k / n): n times the inverse of forward().
    /// \param spectrum [n / 2 + 1], overwritten; the imaginary parts of its first and last are taken for zero.
    /// \param series [n].
    void inverse(std::span<std::complex<double>> spectrum, std::span<double> series) const;

    /// The transposes of forward() and inverse(), complex numbers taken for pairs of real ones: sum over k = 0 … n / 2
    /// of Re(spectrum[k] conj(other[k])) equals the sum over j of series[j] other_series[j] if the one is transformed
    /// and the other comes from its transpose. A spectrum that is given is overwritten.
    void forward_transposed(std::span<std::complex<double>> spectrum, std::span<double> series) const;
    void inverse_transposed(std::span<const double> series, std::span<std::complex<double>> spectrum) const;

private:
    std::size_t n_;
    kissfft<double> half_;  ///< of length n / 2: pairs of samples are taken for complex numbers
};

}  // namespace onda
