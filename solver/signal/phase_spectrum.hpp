/// \file
/// The spectrum of a series at phases that lie anywhere, by one fast Fourier transform.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/signal/fourier.hpp"

namespace onda {

/// U(y) = sum over j of u[j] exp(-i y j) at fixed phases y for series of one length: a transform of twice the length of
/// the series over the transform of a Kaiser-Bessel window, interpolated by that window (Fessler and Sutton 2003, IEEE
/// Transactions on Signal Processing 51(2), 560-574; Beatty, Nishimura and Pauly 2005, IEEE Transactions on Medical
/// Imaging 24(6), 799-808). The error is below 1e-8 of the
/// root mean square of |U| over all phases.
class PhaseSpectrum {
public:
    /// \param samples of each series. \param phases in radians a sample, from 0 to pi.
    PhaseSpectrum(std::int64_t samples, std::span<const double> phases);

    /// Transforms series [samples] into spectrum [phases]; any number of threads may share an object.
    void operator()(std::span<const double> series, std::span<std::complex<double>> spectrum) const;
    /// The transpose, as of FourierTransform: of spectrum [phases] into series [samples].
    void transposed(std::span<const std::complex<double>> spectrum, std::span<double> series) const;

    /// What an object allocates, and what each call does.
    static std::int64_t bytes(std::int64_t samples, std::int64_t phases);
    static std::int64_t bytes_of_call(std::int64_t samples);

private:
    static constexpr std::int64_t kWidth = 10;  ///< points of the transform that a phase is interpolated from

    /// Where sample j lies on the circle of the transform: the one at the centre comes first, and those before it last.
    [[nodiscard]] std::size_t place(std::int64_t j) const {
        return j < centre_ ? length_ - static_cast<std::size_t>(centre_ - j) : static_cast<std::size_t>(j - centre_);
    }

    std::int64_t samples_, centre_;  ///< the sample from which phases are counted inside
    std::size_t length_;             ///< of the transform
    FourierTransform transform_;
    std::vector<double> inverse_;             ///< [samples]: 1 over the window's transform
    std::vector<double> weight_;              ///< [phases][kWidth]
    std::vector<std::int64_t> first_;         ///< [phases]: the point of the transform of the first weight
    std::vector<std::complex<double>> turn_;  ///< [phases]: exp(-i y centre)
};

}  // namespace onda
