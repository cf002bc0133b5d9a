/// \file
/// Source signals estimated from data: the filter that takes synthetic seismograms to observed ones.
#pragma once

#include <complex>
#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "solver/signal/fourier.hpp"

namespace onda {

/// The linear least-squares filter of Pratt (1999), Geophysics 64(3), 888-901, eq. 17, for sources that share one
/// signal: seismograms are linear in it, so that the filter which brings the synthetic traces d nearest to the observed
/// ones d_obs, in the least-squares sense, corrects the signal that d were modelled with. At each frequency
///
///     F = sum conj(D) D_obs / (sum |D|^2 + eps max sum |D|^2),
///
/// the sums over traces, the largest over frequencies. Spectra are D(f) = sum over n of d[n] exp(-2 pi i f n dt) of
/// traces that are followed by zeros for at least their own length.
///
/// What is kept are the sums, 32 bytes a frequency, whatever the number of traces. Traces add in the order in which
/// they are given: all at once or shot by shot, by any number of threads, the sums have the same bits.
class WaveletEstimate {
public:
    /// The filter at one frequency, and the data it comes from.
    struct Row {
        double frequency_hz = 0.;
        double amplitude = 0., phase_rad = 0.;  ///< of F: a delay lowers the phase
        double synthetic = 0., observed = 0.;   ///< root of the sum of |D|^2 and |D_obs|^2, as a part of its largest
        double explained = 0.;                  ///< as explained(), of this frequency
    };

    /// What the filter does to a signal all in all: a factor, a delay, and a phase that all frequencies share.
    struct Correction {
        double delay_s = 0.;  ///< of the envelope
        double amplitude = 0., phase_rad = 0.;
    };

    /// \param samples of each trace. \param dt_s between samples, at which source signals are given, too.
    /// \param eps of the largest power, not negative: F fades where the synthetic traces have less.
    WaveletEstimate(std::size_t samples, double dt_s, double eps = 1e-3);

    /// Adds the traces of a shot, or of several.
    /// \param synthetic, observed [trace][sample], finite. \param trace_weights [trace]: both traces are multiplied by
    /// it, and not looked at where it is 0; empty: 1 each. Traces whose observed samples are all zero count for
    /// nothing. \throws std::invalid_argument if sizes differ.
    void add(std::span<const float> synthetic, std::span<const float> observed, std::span<const double> trace_weights);

    /// F as a series [2 samples], the first at -samples dt_s: filtered = sum over m of filter[samples + m] d[n - m].
    [[nodiscard]] std::vector<double> filter() const;
    /// The corrected source signal: F applied to the signal that the synthetic traces were modelled with.
    /// \param wavelet samples at 0, dt_s, 2 dt_s, …, zero before and after. \return as many samples, at the same times:
    /// the signal wants zeros at its end where the source may be later or longer than was thought.
    [[nodiscard]] std::vector<double> apply(std::span<const double> wavelet) const;
    /// The part of the energy of the corrected signal which lies outside the samples that apply() returns.
    [[nodiscard]] double cut_off(std::span<const double> wavelet) const;

    /// How much of the energy of the observed traces the filtered synthetic ones explain, of both weighted:
    /// 1 - sum |d_obs - F d|^2 / sum |d_obs|^2, from 0 to 1. Filtered traces are taken as periodic in the padded
    /// length.
    [[nodiscard]] double explained() const;
    /// The amplitude a, delay t and phase b by which a exp(i b - 2 pi i f t) comes nearest to the filter, in the sense
    /// in which that is the nearest of all: t is where the envelope of the sum of the cross-correlations of synthetic
    /// and observed traces is largest, within `samples` of 0. All are 0 where no trace counts.
    [[nodiscard]] Correction correction() const;
    /// F from 0 Hz to 1 / (2 dt_s), for a report.
    [[nodiscard]] std::vector<Row> rows() const;

private:
    void add_block(std::span<const float> synthetic, std::span<const float> observed, std::span<const double> weights);
    [[nodiscard]] double largest_power() const;
    [[nodiscard]] std::vector<std::complex<double>> response() const;
    [[nodiscard]] std::vector<double> convolved(std::span<const double> wavelet) const;

    std::size_t samples_, padded_;
    double dt_s_, eps_;
    FourierTransform fourier_;
    std::vector<std::complex<double>> cross_;  ///< [padded / 2 + 1]: sum of conj(D) D_obs
    std::vector<double> power_, observed_;     ///< likewise: sums of |D|^2 and |D_obs|^2
};

/// Writes a source signal as the CSV that wavelets of type `file` are read from: time_s,amplitude from 0 on, with the
/// shortest numbers that read back as the same. Amplitudes keep their bits, dt_s to within its rounding.
/// \param signal two finite samples at least. \throws Error(cannot_create | io_error) as stage_text_file();
/// Error(bad_data) of a sample that is not finite.
void write_wavelet_file(const std::filesystem::path& path, std::span<const double> signal, double dt_s);

}  // namespace onda
