/// \file
/// The discrete Fourier transform of short series.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace onda {

/// Transforms of every power of two up to a largest size; the roots of unity are computed once.
class FourierTransform {
public:
    /// \param largest a power of two.
    explicit FourierTransform(std::size_t largest);
    /// Transforms a series: a[k] = sum over j of a[j] exp(-2 pi i j k / n), in place; n = a.size() a power of two, at
    /// most the largest. Cooley and Tukey (1965), radix 2. May be called by several threads at once.
    void operator()(std::span<std::complex<double>> a) const;

private:
    std::vector<std::complex<double>> roots_;  ///< [half + k]: exp(-pi i k / half), half = 1, 2, 4 … largest / 2
};

}  // namespace onda
