/// \file
/// Wavelets: the signatures of sources, as a configuration names them and as a run injects them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/config/config.hpp"
#include "io/models/points_file.hpp"
#include "solver/discretisation/time_axis.hpp"

namespace onda {

/// A source signature s(t), zero before t = 0 up to its tail.
struct Wavelet {
    std::string type;                     ///< name of its row of wavelet_kinds()
    std::string description;              ///< type, frequency and t0, for the log
    std::function<double(double)> value;  ///< s(t), t in seconds
    double highest_frequency_hz = 0.;     ///< where the amplitude spectrum has fallen to 1 % (-40 dB) of its peak
    double peak_frequency_hz = 0.;        ///< where the amplitude spectrum is largest; 0 for the Gaussian
    double given_peak_hz = 0.;            ///< peak_frequency_hz of the configuration; 0 for types without it
    double t0_s = 0.;                     ///< centre of the closed forms; largest sample of a file
    double duration_s = 0.;               ///< after which |s| stays below 1e-6 of its peak
    /// The integral of s over all t, in seconds, which samples of s keep; absent where the wavelet is cut off at t = 0.
    std::optional<double> integral_s;
    double magnitude_s = 0.;  ///< the integral of |s|, to compare it with
    /// The samples of a file, which copies share, brought to the run's dt as one band-limited series; null: closed
    /// form.
    std::shared_ptr<const WaveletSeries> series;
    std::vector<std::string> warnings;  ///< such as a jump at t = 0
};

/// One row of the table in wavelet.cpp.
struct WaveletKind {
    std::string_view name;
    std::string_view help;
    Wavelet (*make)(const WaveletConfig&, const std::string& key, const ConfigOrigin&);
};
std::span<const WaveletKind> wavelet_kinds();
/// \param key path of the wavelet in the config, for errors ("wavelet", "sources[2].wavelet"). \throws Error(config).
Wavelet make_wavelet(const WaveletConfig& wavelet, const std::string& key, const ConfigOrigin& origin);
/// s(n dt) from n = 0 to the end of the wavelet or of the run, as sample_wavelet() gives it without a correction: what
/// seismograms answer to, for the transform by which the injected signal differs from it is undone in them.
std::vector<double> sample_signature(const Wavelet& wavelet, const TimeAxis& time);
/// How many samples that is.
std::int64_t signature_samples(const Wavelet& wavelet, const TimeAxis& time);
/// What is injected at n dt, n = 0 … steps, n from 0: s(n dt), a wavelet from a file without what lies above the run's
/// Nyquist frequency; where the dispersion in time is corrected, its transform (time_dispersion.hpp, eq. 2), which
/// begins earlier the later the wavelet. The sum of what resampling and transform give, times dt, is the wavelet's
/// integral to within rounding: between rigid walls the mean pressure grows with it for ever.
std::vector<double> sample_wavelet(const Wavelet& wavelet, const TimeAxis& time);

}  // namespace onda
