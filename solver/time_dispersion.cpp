#include "solver/time_dispersion.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <spdlog/fmt/fmt.h>

#include "solver/fourier.hpp"

namespace onda {
namespace {

using std::numbers::pi;

constexpr double kPass = 1.5, kStop = 2.25;  // of the highest frequency
constexpr double kLargestX = 1.9;            // of 2: there theta turns infinitely fast
constexpr double kSteepest = 0.9;            // pass over stop where another limit lowers the stop
constexpr double kBeta = 14.;                // of the taper: its transform falls to exp(-14) = 8e-7
constexpr double kAiry = 8.;                 // Ai(8) is 1e-6 of the largest Ai
constexpr double kLookAhead = 5.;            // a tail that begins that far in the Airy function is below 1e-3

FrequencyBand lowered(FrequencyBand band, double stop_hz) {
    if (stop_hz >= band.stop_hz) return band;
    return {std::min(band.pass_hz, kSteepest * stop_hz), stop_hz};
}

double theta_of(double x) {
    return 2. * std::asin(0.5 * x);
}

/// 1 up to the pass frequency, 0 from the stop frequency, between them the integral over a Kaiser window: of all tapers
/// of that width nearly the one whose transform falls soonest (Kaiser and Schafer 1980).
double taper(const FrequencyBand& band, double f_hz) {
    const auto window_up_to = [](double end) {
        constexpr int intervals = 64;
        double sum = 0.;
        for (int i = 0; i < intervals; ++i) {
            const double v = -1. + (end + 1.) * (i + 0.5) / intervals;
            sum += std::cyl_bessel_i(0., kBeta * std::sqrt(1. - v * v));
        }
        return sum * (end + 1.) / intervals;
    };
    const double u = 2. * (f_hz - band.pass_hz) / (band.stop_hz - band.pass_hz) - 1.;
    if (u <= -1.) return 1.;
    return u >= 1. ? 0. : 1. - window_up_to(u) / window_up_to(1.);
}

/// A map between two time axes by their phases: y, of a frequency, in radians per input sample, and phi(y) in radians
/// per output sample.
struct PhaseMap {
    FrequencyBand band;
    double dt_in, dt_out;
    bool injects;  ///< (2), to the run's axis; or (3), from it

    [[nodiscard]] double ratio() const { return dt_out / dt_in; }
    [[nodiscard]] double y(double f_hz) const {
        const double x = 2. * pi * f_hz * dt_in;
        return injects ? x : theta_of(x);
    }
    [[nodiscard]] double f_hz(double y) const { return (injects ? y : 2. * std::sin(0.5 * y)) / (2. * pi * dt_in); }
    [[nodiscard]] double phi(double y) const {
        return injects ? theta_of(y * ratio()) : ratio() * 2. * std::sin(0.5 * y);
    }
    /// dphi / dy: how many input samples a wave of this phase advances in an output sample.
    [[nodiscard]] double slope(double y) const {
        return ratio() * (injects ? 1. / std::sqrt(1. - 0.25 * y * y * ratio() * ratio()) : std::cos(0.5 * y));
    }
    /// Beyond the fastest and the slowest wave of the band: by the taper's transform, and by the Airy function of the
    /// longest waves, whose scale is the cube root of half the third derivative of the phase.
    [[nodiscard]] double margin(double i) const {
        const double third = 0.25 * ratio() * (injects ? ratio() * ratio() : 1.);
        return 2. * kBeta / (y(band.stop_hz) - y(band.pass_hz)) + kAiry * std::cbrt(0.5 * i * third);
    }
    /// Of the input samples that output sample i needs.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> window(std::int64_t sample) const {
        const auto i = static_cast<double>(sample);
        const auto [near, far] = std::minmax({i * slope(0.), i * slope(y(band.stop_hz))});
        return {static_cast<std::int64_t>(std::floor(near - margin(i))),
                static_cast<std::int64_t>(std::ceil(far + margin(i)))};
    }
    [[nodiscard]] std::size_t transform_size(std::int64_t sample) const {
        const auto [first, last] = window(sample);
        return std::bit_ceil(static_cast<std::size_t>(last - first + 1));
    }
};

/// w(i, b) = dt_in / (pi dt_out) int taper(y) cos(phi(y) i - y b) phi'(y) dy by the trapezoidal rule with L points on
/// the circle of y: a transform of length L gives all b at once, each with the sum of w(i, b + m L), m not 0, for
/// error. With L no shorter than the window these are below 1e-6.
class MappedTaps {
public:
    MappedTaps(const PhaseMap& map, std::int64_t samples)
        : map_(map), largest_(map.transform_size(std::max<std::int64_t>(0, samples - 1))), transform_(largest_) {
        const double step = 2. * pi / static_cast<double>(largest_), end = map.y(map.band.stop_hz);
        for (double y = 0.; y < end; y = step * static_cast<double>(phi_.size())) {
            phi_.push_back(map.phi(y));
            amplitude_.push_back((phi_.size() == 1 ? 1. : 2.) * taper(map.band, map.f_hz(y)) * map.slope(y) /
                                 map.ratio());
        }
    }

    Taps operator()(std::int64_t sample) const {
        const auto [first, last] = map_.window(sample);
        const std::size_t size = map_.transform_size(sample), stride = largest_ / size;
        const double step = 2. * pi / static_cast<double>(size);
        std::vector<std::complex<double>> wave(size);
        for (std::size_t k = 0; k * stride < phi_.size(); ++k)
            wave[k] =
                std::polar(amplitude_[k * stride], phi_[k * stride] * static_cast<double>(sample) -
                                                       step * static_cast<double>(k) * static_cast<double>(first));
        transform_(wave);
        Taps taps{first, std::vector<double>(last - first + 1)};
        for (std::size_t b = 0; b < taps.weight.size(); ++b)
            taps.weight[b] = wave[b].real() / static_cast<double>(size);
        return taps;
    }

private:
    PhaseMap map_;
    std::size_t largest_;
    FourierTransform transform_;
    std::vector<double> phi_, amplitude_;  ///< on the circle of the largest size, up to the band's end
};

TapsOfSample make_taps(const PhaseMap& map, std::int64_t samples) {
    return [taps = std::make_shared<const MappedTaps>(map, samples)](std::int64_t sample) { return (*taps)(sample); };
}

}  // namespace

FrequencyBand correction_band(double highest_frequency_hz, double dt_s) {
    return lowered({kPass * highest_frequency_hz, kStop * highest_frequency_hz}, kLargestX / (2. * pi * dt_s));
}

void correct_dispersion(TimeAxis& time, double highest_frequency_hz, bool records) {
    time.correction = correction_band(highest_frequency_hz, time.dt_s);
    if (!records) return;
    time.extra_steps =
        static_cast<std::int64_t>(std::ceil(kLookAhead * std::cbrt(static_cast<double>(time.steps) / 8.)));
    time.steps += time.extra_steps;
}

std::string describe_correction(const TimeAxis& time) {
    if (!time.correction) return "not removed";
    return fmt::format("removed from the seismograms, up to {:.4g} Hz; not from snapshots", time.correction->pass_hz);
}

TapsOfSample injection_taps(const FrequencyBand& band, double dt_in, double dt, std::int64_t samples) {
    return make_taps({lowered(band, 0.5 / dt_in), dt_in, dt, true}, samples);
}

TapsOfSample recording_taps(const FrequencyBand& band, double dt, double dt_out, std::int64_t samples) {
    return make_taps({lowered(band, 0.5 / dt_out), dt, dt_out, false}, samples);
}

}  // namespace onda
