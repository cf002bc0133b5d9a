#include "solver/signal/wavelet.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/program/find_row.hpp"
#include "solver/signal/fourier.hpp"
#include "solver/signal/resampling.hpp"
#include "solver/signal/time_dispersion.hpp"

namespace onda {
namespace {

using std::numbers::pi;

constexpr double kQuietStart = 1.5;    // periods before its centre, a Ricker wavelet has 1e-8 of its peak
constexpr double kBandEdge = 0.01;     // of the spectrum's peak: what counts as the highest frequency
constexpr double kTail = 1e-6;         // of the largest amplitude: what counts as zero
constexpr double kAbruptStart = 1e-4;  // of the largest amplitude: a jump at t = 0 that is worth a warning
constexpr double kNothingLeft = 0.01;  // of the largest amplitude: less than that after t = 0 is no wavelet

/// s(t) = scale d^m/dt^m exp(-a (t - t0)^2) with a peak of one. Its amplitude spectrum is f^m exp(-pi^2 f^2 / a).
struct GaussianFamily {
    std::string_view name;
    int derivative;
    double sign;

    /// Chosen so that the derivatives' spectra peak at f0; the Gaussian is the one whose second derivative does.
    [[nodiscard]] double a(double f0) const { return (derivative == 1 ? 2. : 1.) * (pi * f0) * (pi * f0); }

    /// The integral of s over all t times sqrt(a): derivatives of a Gaussian have none.
    [[nodiscard]] double integral() const { return derivative == 0 ? sign * std::sqrt(pi) : 0.; }

    /// \param x sqrt(a) (t - t0).
    [[nodiscard]] double shape(double x) const {
        const double gauss = sign * std::exp(-x * x);
        if (derivative == 0) return gauss;
        if (derivative == 1) return -std::sqrt(2. * std::numbers::e) * x * gauss;
        return (2. * x * x - 1.) * gauss;
    }

    /// pi f / sqrt(a) at the band edge: u^m exp(-u^2) has fallen to kBandEdge of its peak, by bisection.
    [[nodiscard]] double band_edge() const {
        const auto spectrum = [this](double u) { return std::pow(u, derivative) * std::exp(-u * u); };
        const double peak = std::sqrt(0.5 * derivative);
        double low = peak, high = peak + 10.;
        for (int i = 0; i < 60; ++i) {
            const double middle = 0.5 * (low + high);
            (spectrum(middle) > kBandEdge * spectrum(peak) ? low : high) = middle;
        }
        return high;
    }
};

/// \param start the largest |s| at t = 0 and before, which the run leaves out.
void warn_of_abrupt_start(Wavelet& wavelet, const std::string& key, double start, double largest,
                          const std::string& advice) {
    if (start <= kAbruptStart * largest) return;
    const double percent = 100. * start / largest;
    wavelet.warnings.push_back(
        fmt::format("{}: the wavelet does not begin near zero: at t = 0 or before, where it is cut off, it has {} % "
                    "of its largest amplitude, and every trace differs from the whole wavelet's by about as much. {}",
                    key, percent < 10. ? fmt::format("{:.2g}", percent) : fmt::format("{:.0f}", percent), advice));
}

/// Searches backwards from `from` in small steps.
double last_time_above(const std::function<double(double)>& value, double level, double from, double step) {
    double t = from;
    while (t > 0. && std::abs(value(t)) < level) t -= step;
    return std::max(0., t + step);
}

/// The largest |s| at t = 0 and before, for a peak of 1. At t = 0 itself s may happen to cross zero.
double largest_before_start(const Wavelet& wavelet, double f0) {
    if (wavelet.t0_s <= 0.) return 1.;
    double largest = std::abs(wavelet.value(0.));
    // Five periods before its centre every member of the family is zero.
    for (double t = wavelet.t0_s - 5. / f0; t < 0.; t += 0.01 / f0)
        largest = std::max(largest, std::abs(wavelet.value(t)));
    return largest;
}

/// Notes the integrals of s and |s| of samples of it, unless it is cut off at t = 0.
void note_integrals(Wavelet& wavelet, std::span<const double> series, double dt_s, double start, double largest) {
    double sum = 0., magnitude = 0.;
    for (const double s : series) {
        sum += s;
        magnitude += std::abs(s);
    }
    if (start <= kAbruptStart * largest) wavelet.integral_s = sum * dt_s;
    wavelet.magnitude_s = magnitude * dt_s;
}

/// The largest |s| from t = 0 on, of a centre before it.
double largest_after_start(const Wavelet& wavelet, double f0) {
    double largest = 0.;
    for (double t = 0.; t < wavelet.t0_s + 5. / f0; t += 0.01 / f0)
        largest = std::max(largest, std::abs(wavelet.value(t)));
    return largest;
}

Wavelet make_gaussian(const WaveletConfig& wavelet, const std::string& key, const ConfigOrigin& origin,
                      const GaussianFamily& family) {
    const double f0 = wavelet.peak_frequency_hz;
    if (!(f0 > 0.)) origin.fault(key + ".peak_frequency_hz", fmt::format("{:.6g} Hz: must be positive", f0));
    const double root_a = std::sqrt(family.a(f0)), t0 = wavelet.t0_s.value_or(kQuietStart / f0);
    Wavelet out;
    out.value = [family, root_a, t0](double t) { return family.shape(root_a * (t - t0)); };
    out.highest_frequency_hz = family.band_edge() * root_a / pi;
    out.peak_frequency_hz = family.derivative == 0 ? 0. : f0;
    out.given_peak_hz = f0;
    out.t0_s = t0;
    if (t0 < 0. && largest_after_start(out, f0) < kNothingLeft)
        origin.value_fault(key + ".t0_s",
                           fmt::format("the wavelet is over before the run begins at t = 0: {:.4g} s, or no "
                                       "t0_s at all, lets it begin near zero",
                                       kQuietStart / f0));
    out.duration_s = last_time_above(out.value, kTail, t0 + 5. / f0, 0.002 / f0);
    out.description =
        fmt::format("{}, {:.6g} Hz, t0 = {:.6g} s{}, 1 % of the spectrum's peak at {:.4g} Hz", family.name, f0, t0,
                    wavelet.t0_s ? "" : " (1.5 / frequency)", out.highest_frequency_hz);
    const double start = largest_before_start(out, f0);
    for (double t = t0 - 5. / f0; t < t0 + 5. / f0; t += 0.01 / f0)
        out.magnitude_s += std::abs(out.value(t)) * 0.01 / f0;
    if (start <= kAbruptStart) out.integral_s = family.integral() / root_a;
    warn_of_abrupt_start(out, key, start, 1.,
                         fmt::format("Increase t0_s (now {:.4g} s); {:.4g} s is enough", t0, kQuietStart / f0));
    return out;
}

struct Band {
    double peak_hz = 0., highest_hz = 0.;
    double at_nyquist = 0.;  ///< amplitude there, of the peak
};

/// The band of a sampled series, zero-padded to at least four times its length.
Band measure_band(std::span<const double> series, double dt_s) {
    std::size_t n = 64;
    while (n < 4 * series.size()) n *= 2;
    std::vector<double> padded(n);
    std::ranges::copy(series, padded.begin());
    std::vector<std::complex<double>> spectrum(n / 2 + 1);
    FourierTransform(n).forward(padded, spectrum);
    std::size_t peak = 0;
    for (std::size_t i = 0; i <= n / 2; ++i)
        if (std::abs(spectrum[i]) > std::abs(spectrum[peak])) peak = i;
    const double largest = std::abs(spectrum[peak]);
    std::size_t last = n / 2;
    while (last > std::max<std::size_t>(peak, 1) && std::abs(spectrum[last]) < kBandEdge * largest) --last;
    const double df = 1. / (static_cast<double>(n) * dt_s);
    return {static_cast<double>(peak) * df, static_cast<double>(last) * df, std::abs(spectrum[n / 2]) / largest};
}

/// Ryan (1994), CSEG Recorder 19(7): the difference of two differences of squared sincs, a trapezoidal spectrum. It
/// decays slowly, so it is tapered by a Hann window that ends at t0 before and after its centre.
double ormsby(const std::vector<double>& f, double tau, double half_length) {
    if (std::abs(tau) >= half_length) return 0.;
    const auto squared_sinc = [tau](double frequency) {
        const double x = pi * frequency * tau;
        const double s = x == 0. ? 1. : std::sin(x) / x;
        return frequency * frequency * s * s;
    };
    const double high = (squared_sinc(f[3]) - squared_sinc(f[2])) / (f[3] - f[2]);
    const double low = (squared_sinc(f[1]) - squared_sinc(f[0])) / (f[1] - f[0]);
    const double hann = 0.5 * (1. + std::cos(pi * tau / half_length));
    return (high - low) / (f[3] + f[2] - f[1] - f[0]) * hann;
}

/// The Hann window of a short wavelet is wide in frequency: one that ends within a period of the lowest corner lets
/// through what lies below it, and then what lies above the highest.
void judge_ormsby_length(const WaveletConfig& wavelet, double lowest_hz, const std::string& key,
                         const ConfigOrigin& origin, Wavelet& made) {
    constexpr double too_wide = 1.5;  // of the highest corner: what is left is no wavelet of these corners
    if (!wavelet.t0_s || made.t0_s * lowest_hz >= 1.) return;
    const double highest_hz = wavelet.corner_frequencies_hz[3];
    const std::string remedy =
        fmt::format("{:.4g} s, 2 / the lowest corner, or more, or no t0_s at all, keeps it whole", 2. / lowest_hz);
    if (made.highest_frequency_hz > too_wide * highest_hz)
        origin.value_fault(key + ".t0_s",
                           fmt::format("cuts this wavelet, whose frequencies then reach up to {:.4g} Hz and not {:.4g} "
                                       "Hz: {}",
                                       made.highest_frequency_hz, highest_hz, remedy));
    made.warnings.push_back(
        fmt::format("{}.t0_s = {:.6g}: cuts this wavelet, whose spectrum is wider than its corners say: {}", key,
                    made.t0_s, remedy));
}

Wavelet make_ormsby(const WaveletConfig& wavelet, const std::string& key, const ConfigOrigin& origin) {
    const std::vector<double>& f = wavelet.corner_frequencies_hz;
    const bool ascending = f.size() == 4 && f[0] >= 0. && f[0] < f[1] && f[1] < f[2] && f[2] < f[3];
    if (!ascending) origin.value_fault(key + ".corner_frequencies_hz", "must ascend: f1 < f2 < f3 < f4");
    const double lowest_hz = f[0] > 0. ? f[0] : f[1], t0 = wavelet.t0_s.value_or(2. / lowest_hz);
    if (!(t0 > 0.)) origin.fault(key + ".t0_s", fmt::format("{:.6g} s: must be positive", t0));
    Wavelet out;
    out.value = [f, t0](double t) { return ormsby(f, t - t0, t0); };
    std::vector<double> series;
    const double dt = 1. / (16. * f[3]);
    if (constexpr double most = 1 << 18; !(2. * t0 / dt <= most))
        origin.fault(wavelet.t0_s ? key + ".t0_s" : key + ".corner_frequencies_hz",
                     fmt::format("a wavelet of {:.4g} s with frequencies up to {:.4g} Hz has {:.3g} periods of "
                                 "them; the most is {:.4g}",
                                 2. * t0, f[3], 2. * t0 * f[3], most / 16.));
    for (double t = 0.; t <= 2. * t0; t += dt) series.push_back(out.value(t));
    note_integrals(out, series, dt, 0., 1.);
    out.highest_frequency_hz = measure_band(series, dt).highest_hz;
    out.peak_frequency_hz = 0.5 * (f[1] + f[2]);
    out.t0_s = t0;
    out.duration_s = last_time_above(out.value, kTail, 2. * t0, dt);
    out.description =
        fmt::format("ormsby, {:.6g} Hz, t0 = {:.6g} s{}, 1 % of the spectrum's peak at {:.4g} Hz", fmt::join(f, "-"),
                    t0, wavelet.t0_s ? "" : " (2 / lowest corner)", out.highest_frequency_hz);
    judge_ormsby_length(wavelet, lowest_hz, key, origin, out);
    return out;
}

bool is_smaller(double a, double b) {
    return std::abs(a) < std::abs(b);
}

bool is_zero(const WaveletSeries& series) {
    return std::ranges::all_of(series.amplitude, [](double value) { return value == 0.; });
}

/// \param series not zero everywhere. \param name of the samples in the description.
Wavelet make_from_series(WaveletSeries series, const std::string& key, const std::string& name) {
    Wavelet out;
    out.series = std::make_shared<const WaveletSeries>(std::move(series));
    const auto& s = out.series->amplitude;
    const double dt = out.series->dt_s;
    const auto largest = std::max_element(s.begin(), s.end(), is_smaller);
    const Band band = measure_band(s, dt);
    out.value = [series = out.series](double t) { return interpolate(series->amplitude, series->dt_s, t); };
    out.highest_frequency_hz = band.highest_hz;
    out.peak_frequency_hz = band.peak_hz;
    out.t0_s = static_cast<double>(largest - s.begin()) * dt;
    auto last = s.size() - 1;
    while (last > 0 && std::abs(s[last]) < kTail * std::abs(*largest)) --last;
    out.duration_s = static_cast<double>(last) * dt;
    out.description = fmt::format("{}, {} samples of {:.6g} s, spectrum's peak at {:.4g} Hz and 1 % of it at {:.4g} Hz",
                                  name, s.size(), dt, band.peak_hz, band.highest_hz);
    if (band.at_nyquist > kBandEdge)
        out.warnings.push_back(fmt::format(
            "{}: with its sample interval of {:.6g} s the Nyquist frequency is {:.4g} Hz, where the spectrum of the "
            "wavelet still has {:.1f} % of its peak; use a shorter sample interval or filter out higher frequencies",
            key, dt, 0.5 / dt, 100. * band.at_nyquist));
    note_integrals(out, s, dt, std::abs(s.front()), std::abs(*largest));
    warn_of_abrupt_start(out, key, std::abs(s.front()), std::abs(*largest), "Let the samples begin near zero");
    return out;
}

Wavelet make_from_file(const WaveletConfig& wavelet, const std::string& key, const ConfigOrigin&) {
    WaveletSeries series = read_wavelet(wavelet.file);
    if (is_zero(series)) throw Error(ExitCode::bad_data, shown(wavelet.file) + ": the wavelet is zero everywhere");
    return make_from_series(std::move(series), key, shown(wavelet.file));
}

Wavelet make_from_samples(const WaveletConfig& wavelet, const std::string& key, const ConfigOrigin& origin) {
    WaveletSeries series{wavelet.dt_s, wavelet.samples};
    if (is_zero(series)) origin.fault(key + ".samples", "the wavelet is zero everywhere");
    return make_from_series(std::move(series), key, "samples");
}

constexpr std::array<WaveletKind, 7> kKinds{{
    {"ricker", "(1 - 2 x^2) exp(-x^2), x = pi f0 (t - t0); default: t0 = 1.5 / f0",
     [](const WaveletConfig& w, const std::string& key, const ConfigOrigin& origin) {
         return make_gaussian(w, key, origin, {"ricker", 2, -1.});
     }},
    {"gaussian", "exp(-x^2), x = pi f0 (t - t0): its second derivative is minus a Ricker wavelet of f0",
     [](const WaveletConfig& w, const std::string& key, const ConfigOrigin& origin) {
         return make_gaussian(w, key, origin, {"gaussian", 0, 1.});
     }},
    {"gaussian_first_derivative", "first derivative of a Gaussian, positive lobe first, spectrum's peak at f0",
     [](const WaveletConfig& w, const std::string& key, const ConfigOrigin& origin) {
         return make_gaussian(w, key, origin, {"gaussian_first_derivative", 1, 1.});
     }},
    {"gaussian_second_derivative", "second derivative of a Gaussian: a Ricker wavelet of opposite sign",
     [](const WaveletConfig& w, const std::string& key, const ConfigOrigin& origin) {
         return make_gaussian(w, key, origin, {"gaussian_second_derivative", 2, 1.});
     }},
    {"ormsby", "trapezoidal spectrum with four corner frequencies, tapered to end at t0 either side of its centre",
     make_ormsby},
    {"file", "samples from CSV (time_s,amplitude) or HDF5 (/wavelet), resampled to the time step", make_from_file},
    {"samples", "samples in the configuration itself, resampled to the time step", make_from_samples},
}};

}  // namespace

std::span<const WaveletKind> wavelet_kinds() {
    return kKinds;
}

Wavelet make_wavelet(const WaveletConfig& wavelet, const std::string& key, const ConfigOrigin& origin) {
    Wavelet made = find_row(origin, key + ".type", wavelet_kinds(), wavelet.type).make(wavelet, key, origin);
    made.type = wavelet.type;
    return made;
}

namespace {

/// Samples of a wavelet, the first at first * dt_s.
struct WaveletSamples {
    std::int64_t first = 0;
    double dt_s = 0.;
    std::vector<double> amplitude;
};

/// A closed form is sampled from before t = 0, where it may not be quite zero yet: no step is made there.
WaveletSamples sample_closed_form(const Wavelet& wavelet, double dt_s, std::int64_t first, std::int64_t end) {
    WaveletSamples samples{first, dt_s, {}};
    for (std::int64_t n = first; n < end; ++n)
        samples.amplitude.push_back(wavelet.value(static_cast<double>(n) * dt_s));
    return samples;
}

/// Lets the sum of a whole signal be that of the wavelet. What is missing, 1e-9 to 1e-3 of the sum of |s|, gets the
/// shape of s^2, which lies where the signal does and has no frequencies above twice its highest.
void keep_integral(const Wavelet& wavelet, double dt_s, std::span<double> signal) {
    if (!wavelet.integral_s) return;
    double squares = 0.;
    for (const double s : signal) squares += s * s;
    if (squares == 0.) return;
    // The second time for the rounding of the first.
    for (int i = 0; i < 2; ++i) {
        double missing = *wavelet.integral_s / dt_s;
        for (const double s : signal) missing -= s;
        for (double& s : signal) s += missing / squares * s * s;
    }
}

/// The whole wavelet where it is over before twice the run: no sample depends on when the run ends.
std::vector<double> corrected_signal(const Wavelet& wavelet, const TimeAxis& time) {
    const bool is_closed_form = wavelet.series == nullptr;
    const double dt_in = is_closed_form ? time.dt_s : wavelet.series->dt_s;
    const RecordedSampling run{time.dt_s, 1, time.order};
    const std::int64_t end = is_closed_form ? static_cast<std::int64_t>(std::ceil(wavelet.duration_s / dt_in)) + 1
                                            : std::ssize(wavelet.series->amplitude);
    const std::int64_t whole = injected_samples(*time.correction, dt_in, run, end);
    std::vector<double> signal(std::min(whole, 2 * (time.steps + 1)));
    const TapsOfSample taps = injection_taps(*time.correction, dt_in, run, std::ssize(signal));
    const Taps latest = taps(std::ssize(signal) - 1);
    const WaveletSamples samples =
        is_closed_form
            ? sample_closed_form(wavelet, dt_in, taps(0).first, std::min(end, latest.first + std::ssize(latest.weight)))
            : WaveletSamples{0, dt_in, wavelet.series->amplitude};
    weigh_traces<double, double>({samples.amplitude, 1}, {std::span(signal), 1}, Tail::zero, [&](std::int64_t n) {
        Taps at = taps(n);
        at.first -= samples.first;
        return at;
    });
    if (std::ssize(signal) == whole) keep_integral(wavelet, time.dt_s, signal);
    return signal;
}

std::vector<double> resampled_signal(const Wavelet& wavelet, double dt_s) {
    const WaveletSeries& series = *wavelet.series;
    std::vector<double> signal = resample_whole(series.amplitude, series.dt_s, dt_s);
    keep_integral(wavelet, dt_s, signal);
    return signal;
}

}  // namespace

std::vector<double> sample_wavelet(const Wavelet& wavelet, const TimeAxis& time) {
    std::vector<double> signal;
    if (time.correction)
        signal = corrected_signal(wavelet, time);
    else if (wavelet.series)
        signal = resampled_signal(wavelet, time.dt_s);
    else
        for (std::int64_t n = 0; n <= time.steps; ++n)
            signal.push_back(wavelet.value(static_cast<double>(n) * time.dt_s));
    signal.resize(time.steps + 1);
    return signal;
}

std::int64_t signature_samples(const Wavelet& wavelet, const TimeAxis& time) {
    const double end = std::ceil(std::max(0., wavelet.duration_s) / time.dt_s);
    return static_cast<std::int64_t>(std::min(end, static_cast<double>(time.steps))) + 1;
}

std::vector<double> sample_signature(const Wavelet& wavelet, const TimeAxis& time) {
    TimeAxis uncorrected = time;
    uncorrected.correction.reset();
    uncorrected.steps = signature_samples(wavelet, time) - 1;
    return sample_wavelet(wavelet, uncorrected);
}

}  // namespace onda
