/// \file
/// Butterworth filters of traces, and their transposes.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "solver/signal/fourier.hpp"

namespace onda {

/// The corners of a digital Butterworth filter: a high-pass and a low-pass of one order, one after the other.
struct ButterworthBand {
    std::optional<double> low_hz, high_hz;  ///< 0 < low < high < 1 / (2 dt), one at least
    int order = 4;
    bool minimum_phase = false;  ///< else without phase: the modulus of the response
};

/// The response at a frequency, as the bilinear transform has it (Oppenheim and Schafer 2010, Discrete-Time Signal
/// Processing, sec. 7.2): with v = tan(pi f dt), |H|^2 = 1 / (1 + (v / v_high)^(2 order)) / (1 + (v_low / v)^(2
/// order)), so that each corner has 1 / sqrt(2) of the amplitude. All poles lie within the unit circle and all zeros on
/// it.
std::complex<double> butterworth_response(const ButterworthBand& band, double dt_s, double frequency_hz);

/// Such a filter for traces of one length: a matrix B [sample][sample]. Traces are zero before and after their samples,
/// and padded for as long as the filter rings, to 1e-12 of its peak. Any number of threads may share one object.
class BandPass {
public:
    BandPass(const ButterworthBand& band, std::size_t samples, double dt_s);

    /// \param trace [samples], overwritten by B trace.
    void apply(std::span<double> trace) const { filter(trace, false); }
    /// The same with B': the filter in reversed time.
    void apply_transposed(std::span<double> trace) const { filter(trace, true); }

private:
    void filter(std::span<double> trace, bool transposed) const;

    std::size_t samples_, padded_;
    FourierTransform fourier_;
    std::vector<std::complex<double>> response_;  ///< over the padded length
};

}  // namespace onda
