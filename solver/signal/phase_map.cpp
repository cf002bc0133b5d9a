#include "solver/signal/phase_map.hpp"

#include <algorithm>
#include <numbers>

#include "solver/signal/kaiser_sinc.hpp"

namespace onda {
namespace {

using std::numbers::pi;

constexpr double kAiry = 8.;    // Ai(8) is 1e-6 of the largest Ai
constexpr double kAiry5 = 13.;  // the same of the integral of cos(s^5 / 5 + s x), for order 4 in time

std::size_t points(const PhaseBand& band, std::size_t length) {
    return static_cast<std::size_t>(std::ceil(band.stop / (2. * pi) * static_cast<double>(length)));
}

std::set<std::size_t> lengths(const PhaseMap& map, std::int64_t first, std::int64_t end) {
    std::set<std::size_t> all;
    for (std::int64_t i = first; i < end; ++i) all.insert(map.transform_length(i));
    return all;
}

}  // namespace

double taper(const PhaseBand& band, double y) {
    constexpr int intervals = 4096;
    static const std::vector<double> integral = [] {
        std::vector<double> sum{0.};
        for (int i = 0; i < intervals; ++i) {
            const double v = -1. + 2. * (i + 0.5) / intervals;
            sum.push_back(sum.back() + bessel_i0(kTaperBeta * std::sqrt(1. - v * v)));
        }
        for (double& value : sum) value /= sum.back();
        return sum;
    }();
    const double at = intervals * (y - band.pass) / (band.stop - band.pass);
    if (at <= 0.) return 1.;
    if (at >= intervals) return 0.;
    const auto i = static_cast<std::size_t>(at);
    return 1. - std::lerp(integral[i], integral[i + 1], at - static_cast<double>(i));
}

double fading(std::int64_t samples, std::int64_t index) {
    const auto last = static_cast<double>(samples - 1);
    return taper({last - kFadingSteps, last}, static_cast<double>(index));
}

double PhaseMap::margin(double i) const {
    const double of_y = injects ? ratio : 1. / stride;  // of_y y is theta or x
    const double waves = injects ? 1. : ratio * stride;
    const double airy = relation.fourth() ? kAiry5 * std::pow(i * waves * std::pow(of_y, 5) / 144., 0.2)
                                          : kAiry * std::cbrt(0.125 * i * waves * of_y * of_y * of_y);
    return 2. * kTaperBeta / (band.stop - band.pass) + airy;
}

std::pair<std::int64_t, std::int64_t> PhaseMap::window(std::int64_t sample) const {
    const auto i = static_cast<double>(sample);
    const auto [near, far] = std::minmax({i * slope(0.), i * slope(band.stop)});
    return {static_cast<std::int64_t>(std::floor(near - margin(i))),
            static_cast<std::int64_t>(std::ceil(far + margin(i)))};
}

std::size_t PhaseMap::transform_length(std::int64_t sample) const {
    const auto [first, last] = window(sample);
    return FourierTransform::length(static_cast<std::size_t>(last - first + 1));
}

MappedTaps::MappedTaps(const PhaseMap& map, std::int64_t first, std::int64_t end, bool stretches) : map_(map) {
    for (const std::size_t length : lengths(map, first, end)) circles_.try_emplace(length, map, length, stretches);
}

std::int64_t MappedTaps::bytes(const PhaseMap& map, std::int64_t first, std::int64_t end) {
    std::size_t sum = 0;
    for (const std::size_t length : lengths(map, first, end))
        sum += FourierTransform::bytes(length) + 2 * sizeof(double) * points(map.band, length);
    return static_cast<std::int64_t>(sum);
}

Taps MappedTaps::operator()(std::int64_t sample) const {
    const auto [first, last] = map_.window(sample);
    const std::size_t length = map_.transform_length(sample);
    const Circle& circle = circles_.at(length);
    const double turn = 2. * pi / static_cast<double>(length) * static_cast<double>(first);
    std::vector<std::complex<double>> wave(length / 2 + 1);
    for (std::size_t k = 0; k < circle.phi.size(); ++k)
        wave[k] = std::polar(circle.amplitude[k],
                             turn * static_cast<double>(k) - circle.phi[k] * static_cast<double>(sample));
    Taps taps{first, std::vector<double>(length)};
    circle.transform.inverse(wave, taps.weight);
    taps.weight.resize(last - first + 1);
    return taps;
}

MappedTaps::Circle::Circle(const PhaseMap& map, std::size_t length, bool stretches) : transform(length) {
    const auto n = static_cast<double>(length);
    const std::size_t count = points(map.band, length);
    phi.reserve(count);
    amplitude.reserve(count);
    for (std::size_t k = 0; k < count; ++k) {
        const double y = 2. * pi / n * static_cast<double>(k);
        phi.push_back(map.phi(y));
        amplitude.push_back(taper(map.band, y) * map.factor(y) * (stretches ? map.slope(y) / map.ratio : 1.) / n);
    }
}

}  // namespace onda
