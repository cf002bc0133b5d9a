// Source signals estimated from data: known signals over the same reflectivity, closed forms of filter and explained
// energy, and files that the reader of wavelets takes.
#include "solver/inversion/wavelet_estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <numbers>
#include <omp.h>
#include <random>
#include <stdexcept>
#include <vector>

#include "io/models/points_file.hpp"
#include "solver/signal/hilbert.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

constexpr std::size_t kSignalSamples = 400;
constexpr double kSampleInterval = 0.004;

using Series = std::vector<double>;
using Traces = std::vector<float>;

Series ricker(double f0, double t0) {
    Series s(kSignalSamples);
    for (std::size_t n = 0; n < s.size(); ++n) {
        const double x = std::numbers::pi * f0 * (double(n) * kSampleInterval - t0);
        s[n] = (1. - 2. * x * x) * std::exp(-x * x);
    }
    return s;
}

/// cos(angle) s + sin(angle) H s.
Series rotated(const Series& s, double angle) {
    Series hilbert(s.size());
    HilbertTransform{s.size()}(s, hilbert);
    for (std::size_t n = 0; n < s.size(); ++n) hilbert[n] = std::cos(angle) * s[n] + std::sin(angle) * hilbert[n];
    return hilbert;
}

/// Spikes that end so early that nothing of what signals of 200 samples make of them is cut off.
std::vector<Series> reflectivities(std::size_t traces) {
    std::mt19937 random(7);
    std::vector<Series> all(traces, Series(kSignalSamples));
    for (Series& trace : all)
        for (int spike = 0; spike < 12; ++spike)
            trace[random() % (kSignalSamples / 2)] += double(random()) / double(std::mt19937::max()) - 0.5;
    return all;
}

Traces seismograms(const std::vector<Series>& reflectivity, const Series& signal) {
    Traces traces;
    for (const Series& spikes : reflectivity) {
        Series trace(kSignalSamples);
        for (std::size_t i = 0; i < kSignalSamples; ++i)
            for (std::size_t j = 0; spikes[i] != 0. && i + j < kSignalSamples; ++j)
                trace[i + j] += spikes[i] * signal[j];
        for (const double x : trace) traces.push_back(float(x));
    }
    return traces;
}

std::complex<double> spectrum_at(const Series& s, double f) {
    std::complex<double> sum = 0.;
    for (std::size_t n = 0; n < s.size(); ++n)
        sum += s[n] * std::polar(1., -2. * std::numbers::pi * f * double(n) * kSampleInterval);
    return sum;
}

/// |S - S_true| / |S_true| over a band.
double error_in_band(const Series& s, const Series& truth, double low_hz, double high_hz) {
    double error = 0., norm = 0.;
    for (double f = low_hz; f <= high_hz; f += 0.25) {
        error += std::norm(spectrum_at(s, f) - spectrum_at(truth, f));
        norm += std::norm(spectrum_at(truth, f));
    }
    return std::sqrt(error / norm);
}

WaveletEstimate estimate(const Traces& synthetic, const Traces& observed, double eps = 1e-3) {
    WaveletEstimate made(kSignalSamples, kSampleInterval, eps);
    made.add(synthetic, observed, {});
    return made;
}

/// A trace of one spike.
Traces spike(std::size_t at, float value = 1.F) {
    Traces trace(kSignalSamples);
    trace[at] = value;
    return trace;
}

Traces joined(std::initializer_list<Traces> parts) {
    Traces all;
    for (const Traces& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace

TEST_CASE("of two signals over one reflectivity the estimate makes the second out of the first") {
    const Series first = ricker(10., 0.2);
    const std::vector<Series> reflectivity = reflectivities(40);
    const Traces synthetic = seismograms(reflectivity, first);
    const auto error = [&](const Series& second, double eps) {
        const WaveletEstimate made = estimate(synthetic, seismograms(reflectivity, second), eps);
        const Series found = made.apply(first);
        CHECK(found.size() == first.size());
        CHECK(made.explained() > 0.99);
        CHECK(made.cut_off(first) < 1e-3);
        return error_in_band(found, second, 5., 16.);
    };
    Series louder = first;
    for (double& s : louder) s *= -3.;
    CHECK(error(louder, 1e-3) < 0.01);
    CHECK(error(ricker(10., 0.257), 1e-3) < 0.01);                                  // later
    CHECK(error(ricker(10., 0.131), 1e-3) < 0.01);                                  // earlier
    CHECK(error(rotated(first, 0.3 * std::numbers::pi), 1e-3) < 0.01);              // of another phase
    CHECK(error(rotated(ricker(9., 0.24), -0.7 * std::numbers::pi), 1e-3) < 0.01);  // of everything
    CHECK(error(rotated(ricker(9., 0.24), -0.7 * std::numbers::pi), 1e-7) < 1e-4);
}

TEST_CASE("noise at 10 dB leaves a tenth at most, and explained energy tells of it") {
    const Series first = ricker(10., 0.2), second = rotated(ricker(9., 0.24), 1.);
    const std::vector<Series> reflectivity = reflectivities(100);
    Traces observed = seismograms(reflectivity, second);
    double energy = 0.;
    for (const float x : observed) energy += double(x) * double(x);
    // Uniform noise within +-a has a variance of a^2 / 3.
    const double amplitude = std::sqrt(3. * 0.1 * energy / double(observed.size()));
    std::mt19937 random(11);
    for (float& x : observed) x += float(amplitude * (2. * double(random()) / double(std::mt19937::max()) - 1.));
    const WaveletEstimate made = estimate(seismograms(reflectivity, first), observed);
    CHECK(error_in_band(made.apply(first), second, 5., 16.) < 0.1);
    CHECK(made.explained() == doctest::Approx(1. / 1.1).epsilon(0.02));
}

TEST_CASE("shot by shot, by any number of threads, the estimate has the bits of all traces at once") {
    const std::vector<Series> reflectivity = reflectivities(70);
    const Traces synthetic = seismograms(reflectivity, ricker(10., 0.2));
    const Traces observed = seismograms(reflectivity, ricker(8., 0.3));
    const std::vector<double> weights(70, 0.7);
    WaveletEstimate once(kSignalSamples, kSampleInterval), in_turn(kSignalSamples, kSampleInterval);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    once.add(synthetic, observed, weights);
    omp_set_num_threads(4);
    for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, 3}, {3, 40}, {43, 27}})
        in_turn.add(std::span(synthetic).subspan(first * kSignalSamples, count * kSignalSamples),
                    std::span(observed).subspan(first * kSignalSamples, count * kSignalSamples),
                    std::span(weights).subspan(first, count));
    omp_set_num_threads(threads);
    CHECK(once.filter() == in_turn.filter());
    CHECK(once.explained() == in_turn.explained());
}

TEST_CASE("filter, explained energy and rows of spikes are those of closed forms") {
    constexpr double eps = 0.01;
    // Twice the amplitude, five samples later: power 1 at every frequency.
    const WaveletEstimate later = estimate(spike(50), spike(55, 2.F), eps);
    const Series filter = later.filter();
    REQUIRE(filter.size() == 2 * kSignalSamples);
    for (std::size_t n = 0; n < filter.size(); ++n)
        CHECK(std::abs(filter[n] - (n == kSignalSamples + 5 ? 2. / (1. + eps) : 0.)) < 1e-12);
    CHECK(later.explained() == doctest::Approx((1. + 2. * eps) / ((1. + eps) * (1. + eps))).epsilon(1e-12));
    const std::vector<WaveletEstimate::Row> rows = later.rows();
    CHECK(rows.front().frequency_hz == 0.);
    CHECK(rows.back().frequency_hz == doctest::Approx(0.5 / kSampleInterval));
    for (const WaveletEstimate::Row& row : rows) {
        CHECK(row.amplitude == doctest::Approx(2. / (1. + eps)));
        const std::complex<double> turn =
            std::polar(1., row.phase_rad + 2. * std::numbers::pi * row.frequency_hz * 5. * kSampleInterval);
        CHECK(std::abs(turn - 1.) < 1e-9);
        CHECK(row.synthetic == doctest::Approx(1.));
        CHECK(row.observed == doctest::Approx(1.));
        CHECK(row.explained == doctest::Approx(later.explained()));
    }
    // F = (1 + exp(-i w 10)) / 2 explains half of a spike, and of the same one ten samples later.
    const WaveletEstimate half = estimate(joined({spike(50), spike(60)}), joined({spike(50), spike(70)}), 0.);
    CHECK(half.explained() == doctest::Approx(0.5).epsilon(1e-12));
    // Nothing is explained where signs cancel, and where there is no trace.
    CHECK(estimate(joined({spike(50), spike(60)}), joined({spike(50), spike(60, -1.F)})).explained() < 1e-20);
    CHECK(WaveletEstimate(kSignalSamples, kSampleInterval).explained() == 0.);
    CHECK(WaveletEstimate(kSignalSamples, kSampleInterval).filter() == Series(2 * kSignalSamples));
}

TEST_CASE("the correction is the factor, delay and phase that the observed signal has") {
    const std::vector<Series> reflectivity = reflectivities(4);
    const Traces synthetic = seismograms(reflectivity, ricker(12., 0.2));
    for (const auto& [delay_s, factor, phase_rad] :
         {std::array{0.0314, 0.7, 0.6}, std::array{-0.0123, 2.5, -1.2}, std::array{0., 1., 3.}}) {
        Series observed = rotated(ricker(12., 0.2 + delay_s), phase_rad);
        for (double& s : observed) s *= factor;
        const auto found = estimate(synthetic, seismograms(reflectivity, observed)).correction();
        CHECK(std::abs(found.delay_s - delay_s) < 2e-4);
        CHECK(found.amplitude == doctest::Approx(factor).epsilon(0.01));
        // A delay that is off by 0.1 ms turns the phase at 12 Hz by 0.008; rotated() turns a phase backwards.
        CHECK(std::abs(std::remainder(found.phase_rad + phase_rad, 2. * std::numbers::pi)) < 0.03);
    }
    const auto nothing = WaveletEstimate(kSignalSamples, kSampleInterval).correction();
    CHECK(nothing.amplitude == 0.);
    CHECK(nothing.delay_s == 0.);
}

TEST_CASE("explained energy is that of the residual of filtered traces") {
    const std::vector<Series> reflectivity = reflectivities(5), others = reflectivities(6);
    const Traces synthetic = seismograms(reflectivity, ricker(10., 0.2));
    const Traces observed = seismograms({others.begin() + 1, others.end()}, ricker(8., 0.25));
    const WaveletEstimate made = estimate(synthetic, observed);
    double residual = 0., energy = 0.;
    for (std::size_t trace = 0; trace < 5; ++trace) {
        const auto* const d = &synthetic[trace * kSignalSamples];
        const auto* const o = &observed[trace * kSignalSamples];
        for (const float x : std::span(o, kSignalSamples)) energy += double(x) * double(x);
        // What the filter makes of a trace beyond its ends is a residual, too.
        Series padded(3 * kSignalSamples), filtered;
        std::copy_n(d, kSignalSamples, padded.begin() + kSignalSamples);
        filtered = made.apply(padded);
        for (std::size_t n = 0; n < filtered.size(); ++n) {
            const bool inside = n >= kSignalSamples && n < 2 * kSignalSamples;
            const double left = (inside ? double(o[n - kSignalSamples]) : 0.) - filtered[n];
            residual += left * left;
        }
    }
    CHECK(made.explained() > 0.05);
    CHECK(made.explained() < 0.95);
    CHECK(made.explained() == doctest::Approx(1. - residual / energy).epsilon(0.01));
}

TEST_CASE("weights multiply both traces; dead and excluded ones are not there") {
    const std::vector<Series> reflectivity = reflectivities(3);
    const Traces synthetic = seismograms(reflectivity, ricker(10., 0.2));
    Traces observed = seismograms(reflectivity, ricker(8., 0.25));
    for (std::size_t n = 0; n < kSignalSamples; ++n) observed[n] += 0.1F * float(std::sin(double(n)));
    const auto part = [&](const Traces& traces, std::size_t trace) {
        return Traces(traces.begin() + std::ptrdiff_t(trace * kSignalSamples),
                      traces.begin() + std::ptrdiff_t((trace + 1) * kSignalSamples));
    };
    // A weight of 2 is four traces of weight 1, here to the bit.
    WaveletEstimate weighted(kSignalSamples, kSampleInterval), repeated(kSignalSamples, kSampleInterval);
    weighted.add(joined({part(synthetic, 0), part(synthetic, 1)}), joined({part(observed, 0), part(observed, 1)}),
                 std::vector<double>{2., 1.});
    for (int n = 0; n < 4; ++n) repeated.add(part(synthetic, 0), part(observed, 0), {});
    repeated.add(part(synthetic, 1), part(observed, 1), {});
    const Series a = weighted.filter(), b = repeated.filter();
    for (std::size_t n = 0; n < a.size(); ++n) CHECK(std::abs(a[n] - b[n]) < 1e-12);
    CHECK(weighted.explained() == doctest::Approx(repeated.explained()).epsilon(1e-12));
    CHECK(weighted.explained() != doctest::Approx(estimate(joined({part(synthetic, 0), part(synthetic, 1)}),
                                                           joined({part(observed, 0), part(observed, 1)}))
                                                      .explained())
                                      .epsilon(1e-6));
    // A dead trace, and what nobody looks at.
    WaveletEstimate with_others(kSignalSamples, kSampleInterval), alone(kSignalSamples, kSampleInterval);
    with_others.add(joined({part(synthetic, 2), part(synthetic, 0), Traces(kSignalSamples, std::nanf(""))}),
                    joined({Traces(kSignalSamples), part(observed, 0), part(observed, 1)}),
                    std::vector<double>{1., 1., 0.});
    alone.add(part(synthetic, 0), part(observed, 0), {});
    CHECK(with_others.filter() == alone.filter());
    CHECK(with_others.explained() == alone.explained());
    // Sizes that do not fit.
    CHECK_THROWS_AS(alone.add(synthetic, part(observed, 0), {}), std::invalid_argument);
    CHECK_THROWS_AS(alone.add(part(synthetic, 0), part(observed, 0), std::vector<double>{1., 1.}),
                    std::invalid_argument);
    CHECK_THROWS_AS(WaveletEstimate(0, kSampleInterval), std::invalid_argument);
    CHECK_THROWS_AS(WaveletEstimate(kSignalSamples, 0.), std::invalid_argument);
}

TEST_CASE("the corrected signal is the convolution with the filter, without what lies before and behind it") {
    const std::vector<Series> reflectivity = reflectivities(4);
    const WaveletEstimate made =
        estimate(seismograms(reflectivity, ricker(10., 0.2)), seismograms(reflectivity, ricker(8., 0.25)));
    const Series filter = made.filter();
    for (const std::size_t length : {std::size_t{7}, kSignalSamples, 2 * kSignalSamples + 3}) {
        Series signal(length);
        for (std::size_t n = 0; n < length; ++n) signal[n] = std::sin(1. + double(n * n % 101));
        const Series corrected = made.apply(signal);
        REQUIRE(corrected.size() == length);
        for (std::size_t n = 0; n < length; ++n) {
            double sum = 0.;
            for (std::size_t m = 0; m < length; ++m)
                if (n + kSignalSamples >= m && n + kSignalSamples - m < filter.size())
                    sum += filter[n + kSignalSamples - m] * signal[m];
            CHECK(std::abs(corrected[n] - sum) < 1e-11);
        }
    }
    // Ten samples earlier: nothing is left of a spike at the third.
    const WaveletEstimate earlier = estimate(spike(50), spike(40), 0.);
    Series signal(20);
    signal[3] = 1.;
    CHECK(earlier.cut_off(signal) == doctest::Approx(1.));
    for (const double s : earlier.apply(signal)) CHECK(std::abs(s) < 1e-12);
    signal[13] = 1.;
    CHECK(earlier.cut_off(signal) == doctest::Approx(0.5));
    CHECK(earlier.apply(signal)[3] == doctest::Approx(1.));
}

TEST_CASE("the file of a source signal is read as a wavelet, to the bit") {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "wavelet.csv";
    Series signal = ricker(10., 0.2);
    signal[1] = 1. / 3.;
    signal[2] = -1e-300;
    signal[3] = 6.02214076e23;
    write_wavelet_file(file, Series{1., 2.}, 1.);  // replaced
    write_wavelet_file(file, signal, kSampleInterval / 3.);
    const WaveletSeries read = read_wavelet(file);
    CHECK(read.amplitude == signal);
    CHECK(read.dt_s == doctest::Approx(kSampleInterval / 3.).epsilon(1e-15));
    signal[5] = std::numeric_limits<double>::infinity();
    CHECK(message_of([&] { write_wavelet_file(file, signal, kSampleInterval); }, ExitCode::bad_data).find("sample 5") !=
          std::string::npos);
    CHECK(read_wavelet(file).amplitude == read.amplitude);
    CHECK_THROWS_AS(write_wavelet_file(file, Series{1.}, kSampleInterval), std::invalid_argument);
}
