/// \file
/// The Hilbert transform of a trace, which makes its envelope.
#pragma once

#include <cstddef>
#include <span>

#include "solver/signal/fourier.hpp"

namespace onda {

/// The Hilbert transform of series of one length, zero before and after their samples: the imaginary part of the
/// analytic signal, whose modulus is the envelope (Bracewell 1986, The Fourier Transform and Its Applications, ch. 12).
/// Series are padded to twice their length at least, so that one end does not reach the other around the period: the
/// transform is an antisymmetric matrix [sample][sample], and its transpose is its negative. Any number of threads may
/// share one object.
class HilbertTransform {
public:
    explicit HilbertTransform(std::size_t samples)
        : samples_(samples), padded_(FourierTransform::length(2 * samples)), fourier_(padded_) {}

    /// \param series [samples]; \param transformed [samples], may be the same.
    void operator()(std::span<const double> series, std::span<double> transformed) const;

private:
    std::size_t samples_, padded_;
    FourierTransform fourier_;
};

}  // namespace onda
