// Wavelets and traces mapped between the time of the leapfrog scheme and true time.
// Takes 14 s.
#include "solver/signal/time_dispersion.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <new>
#include <numbers>
#include <numeric>
#include <omp.h>
#include <random>

#include "solver/signal/fourier.hpp"
#include "solver/signal/phase_spectrum.hpp"
#include "solver/survey/survey.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;
using std::numbers::pi;

namespace {

std::atomic<std::int64_t> heap_bytes{0}, heap_peak{0};

void release(void* memory) {
    heap_bytes -= std::int64_t(malloc_usable_size(memory));
    std::free(memory);
}

}  // namespace

// Every container of this program counts what it takes.
void* operator new(std::size_t bytes) {
    void* const memory = std::malloc(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    const std::int64_t now = heap_bytes += std::int64_t(malloc_usable_size(memory));
    for (std::int64_t peak = heap_peak; now > peak && !heap_peak.compare_exchange_weak(peak, now);) {
    }
    return memory;
}
void operator delete(void* memory) noexcept {
    release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    release(memory);
}

namespace {

constexpr double kDt = 0.001;

Wavelet ricker(double f0, double t0) {
    WaveletConfig config;
    config.type = "ricker";
    config.peak_frequency_hz = f0;
    config.t0_s = t0;
    return make_wavelet(config, "wavelet", {});
}

TimeAxis corrected_axis(const Wavelet& wavelet, double dt_out, std::int64_t steps, int order = 2,
                        std::int64_t stride = 1) {
    TimeAxis time;
    time.dt_s = kDt;
    time.order = order;
    time.steps = steps + steps % stride;
    time.stride = stride;
    time.output_dt_s = dt_out;
    time.output_samples = static_cast<std::int64_t>(double(steps) * kDt / dt_out + 1e-9) + 1;
    correct_dispersion(time, wavelet.highest_frequency_hz, true);
    return time;
}

/// An oscillator is what every mode of a grid is: p_tt + omega^2 p = s, by the leapfrog scheme.
std::vector<double> oscillate(double omega, const std::vector<double>& s) {
    std::vector<double> p{0.};
    double previous = 0.;
    for (std::size_t n = 0; n + 1 < s.size(); ++n) {
        const double next = 2. * p[n] - previous + kDt * kDt * (s[n] - omega * omega * p[n]);
        previous = p[n];
        p.push_back(next);
    }
    return p;
}

/// The oscillator p_tt + omega^2 p = s by steps of order 4 in time.
std::vector<double> oscillate_fourth_order(double omega, const std::vector<double>& s) {
    const double a = -omega * omega * kDt * kDt;
    std::vector<double> p{0.};
    double previous = 0.;
    for (std::size_t n = 0; n + 1 < s.size(); ++n) {
        const double second_difference = s[n + 1] - 2. * s[n] + (n == 0 ? 0. : s[n - 1]);
        const double source = s[n] + (a * s[n] + second_difference) / 12.;
        const double next = 2. * p[n] - previous + (a + a * a / 12.) * p[n] + kDt * kDt * source;
        previous = p[n];
        p.push_back(next);
    }
    return p;
}

std::vector<double> returned(const std::vector<double>& p, const TimeAxis& time) {
    std::vector<double> recorded;
    for (std::size_t n = 0; n < p.size(); n += std::size_t(time.stride)) recorded.push_back(p[n]);
    return correct_traces<double>(recorded, 1, *time.correction, {kDt, time.stride, time.order}, time.output_dt_s,
                                  time.output_samples);
}

/// p(t) = int s(tau) sin(omega (t - tau)) / omega dtau at i dt_out, by the trapezoidal rule with steps of dt / 32.
std::vector<double> exact(double omega, const Wavelet& wavelet, const TimeAxis& time) {
    const double step = kDt / 32.;
    std::vector<double> p;
    std::complex<double> sum = 0.;
    std::int64_t m = -4000;
    for (std::int64_t i = 0; i < time.output_samples; ++i) {
        const double t = double(i) * time.output_dt_s;
        for (; double(m) * step <= t; ++m)
            sum += wavelet.value(double(m) * step) * std::polar(step, -omega * double(m) * step);
        p.push_back((sum * std::polar(1., omega * t)).imag() / omega);
    }
    return p;
}

/// What an oscillator gives in 2000 steps, at i dt_out.
struct Answers {
    std::vector<double> corrected, exact, raw;
};
Answers answers(int order, const Wavelet& wavelet, double omega_dt, double dt_out) {
    const double omega = omega_dt / kDt;
    const TimeAxis time = corrected_axis(wavelet, dt_out, 2000, order);
    const auto source = sample_wavelet(wavelet, time);
    const auto answer = order == 2 ? oscillate(omega, source) : oscillate_fourth_order(omega, source);
    return {returned(answer, time), exact(omega, wavelet, time), resample(answer, kDt, dt_out, time.output_samples)};
}

double largest(const std::vector<double>& p) {
    double most = 0.;
    for (const double x : p) most = std::max(most, std::abs(x));
    return most;
}

/// Largest difference in a stretch of time over the largest sample of all.
double error_between(double begin_s, double end_s, const std::vector<double>& p, const std::vector<double>& q,
                     double dt) {
    double error = 0.;
    for (std::size_t i = 0; i < std::min(p.size(), q.size()); ++i)
        if (const double t = double(i) * dt; t >= begin_s && t <= end_s) error = std::max(error, std::abs(p[i] - q[i]));
    return error / largest(q);
}

}  // namespace

TEST_CASE("the Fourier transform is the sum that defines it, and its inverse gives the series back") {
    for (const std::size_t n : {4u, 6u, 8u, 10u, 12u, 20u, 24u, 30u, 64u, 90u, 128u, 250u, 640u, 768u, 1024u}) {
        CAPTURE(n);
        const FourierTransform transform(n);
        std::vector<double> series(n), back(n);
        for (std::size_t j = 0; j < n; ++j) series[j] = std::sin(3. * double(j) + 1.) + std::cos(double(j * j));
        std::vector<std::complex<double>> spectrum(n / 2 + 1);
        transform.forward(series, spectrum);
        for (std::size_t k = 0; k <= n / 2; ++k) {
            std::complex<double> sum = 0.;
            for (std::size_t j = 0; j < n; ++j)
                sum += series[j] * std::polar(1., -2. * pi * double(j * k % n) / double(n));
            CHECK(std::abs(sum - spectrum[k]) <= 1e-14 * double(n));
        }
        spectrum.front() += std::complex<double>(0., 1.);  // imaginary parts of a real series' ends count for nothing
        spectrum.back() += std::complex<double>(0., 1.);
        transform.inverse(spectrum, back);
        for (std::size_t j = 0; j < n; ++j) CHECK(std::abs(back[j] / double(n) - series[j]) <= 1e-14);
    }
}

namespace {

/// Complex numbers as pairs of real ones.
double product(const std::vector<std::complex<double>>& x, const std::vector<std::complex<double>>& y) {
    double sum = 0.;
    for (std::size_t k = 0; k < x.size(); ++k) sum += (x[k] * std::conj(y[k])).real();
    return sum;
}
double product(const std::vector<double>& x, const std::vector<double>& y) {
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.);
}

}  // namespace

TEST_CASE("transposes of Fourier transforms and of spectra at phases have the same products") {
    std::mt19937 random(2);  // NOLINT(*-msc51-cpp): the same every time
    const auto noise = [&] { return double(random()) / 0x1p31 - 1.; };
    const auto fill = [&](std::vector<double>& series, std::vector<std::complex<double>>& spectrum) {
        for (double& x : series) x = noise();
        for (auto& z : spectrum) z = {noise(), noise()};
    };
    for (const std::size_t n : {4u, 10u, 24u, 640u}) {
        CAPTURE(n);
        const FourierTransform transform(n);
        std::vector<double> x(n), back(n);
        std::vector<std::complex<double>> z(n / 2 + 1), forth(n / 2 + 1);
        fill(x, z);
        transform.forward(x, forth);
        auto overwritten = z;
        transform.forward_transposed(overwritten, back);
        CHECK(std::abs(product(forth, z) - product(x, back)) <= 1e-13 * double(n));
        overwritten = z;
        transform.inverse(overwritten, back);
        transform.inverse_transposed(x, forth);
        CHECK(std::abs(product(forth, z) - product(x, back)) <= 1e-13 * double(n));
    }
    for (const std::int64_t samples : {1, 2, 7, 1001}) {
        CAPTURE(samples);
        std::vector<double> phases{0., pi}, x(samples), back(samples);
        for (int k = 0; k < 200; ++k) phases.push_back(0.5 * pi * (1. + noise()));
        std::vector<std::complex<double>> z(phases.size()), forth(phases.size());
        fill(x, z);
        const PhaseSpectrum spectrum(samples, phases);
        spectrum(x, forth);
        spectrum.transposed(z, back);
        CHECK(std::abs(product(forth, z) - product(x, back)) <= 1e-13 * double(samples + 200));
    }
}

TEST_CASE("the spectrum at phases between those of a transform is the sum that defines it") {
    std::mt19937 random(1);  // NOLINT(*-msc51-cpp): the same every time
    for (const std::int64_t samples : {1, 2, 7, 100, 1001}) {
        CAPTURE(samples);
        std::vector<double> phases{0., pi}, series(samples);
        for (int k = 0; k < 200; ++k) phases.push_back(pi * double(random()) / 0x1p32);
        for (double& x : series) x = double(random()) / 0x1p31 - 1.;
        std::vector<std::complex<double>> spectrum(phases.size());
        PhaseSpectrum(samples, phases)(series, spectrum);
        double error = 0., energy = 0.;
        for (std::size_t k = 0; k < phases.size(); ++k) {
            std::complex<double> sum = 0.;
            for (std::int64_t j = 0; j < samples; ++j) sum += series[j] * std::polar(1., -phases[k] * double(j));
            error = std::max(error, std::abs(spectrum[k] - sum));
            energy += std::norm(sum);
        }
        CHECK(error <= 1e-8 * std::sqrt(energy / double(phases.size())));
    }
}

TEST_CASE("lengths of Fourier transforms are at most a third longer than asked for") {
    for (std::size_t least = 1; least <= 5000; ++least) {
        const std::size_t length = FourierTransform::length(least);
        std::size_t rest = length;
        while (rest % 2 == 0) rest /= 2;
        REQUIRE(length >= std::max<std::size_t>(4, least));
        REQUIRE(length % 2 == 0);
        REQUIRE((rest == 1 || rest == 3 || rest == 5));
        if (least >= 8) REQUIRE(3 * length <= 4 * least);
    }
}

TEST_CASE("threads that share a Fourier transform get what one gets alone") {
    const std::size_t n = 640;
    const FourierTransform transform(n);
    const auto of_series = [&](int i) {
        std::vector<double> series(n);
        for (std::size_t j = 0; j < n; ++j) series[j] = std::sin(double(i) + double(j * j));
        std::vector<std::complex<double>> spectrum(n / 2 + 1);
        transform.forward(series, spectrum);
        return spectrum;
    };
    std::vector<std::vector<std::complex<double>>> together(64);
#pragma omp parallel for num_threads(4) schedule(dynamic)
    for (int i = 0; i < 64; ++i) together[std::size_t(i)] = of_series(i);
    for (int i = 0; i < 64; ++i) CHECK(together[std::size_t(i)] == of_series(i));
}

TEST_CASE(
    "an oscillator stepped with a large dt gives the exact answer, whatever its frequency and the wavelet's delay") {
    struct Row {
        double f0, omega_dt, t0;
    };
    for (const Row& row : {Row{60., 0.38, 0.03},
                           {60., 0.6, 0.03},
                           {60., 0.38, 1.5},
                           {20., 0.12, 0.07},
                           {2., 0.012, 0.7},
                           {80., 0.9, 0.02}})
        for (const double dt_out : {kDt, 0.0007, 0.0015}) {
            CAPTURE(row.f0);
            CAPTURE(row.omega_dt);
            CAPTURE(row.t0);
            CAPTURE(dt_out);
            const auto [p, q, raw] = answers(2, ricker(row.f0, row.t0), row.omega_dt, dt_out);
            CHECK(error_between(0., 1.95, p, q, dt_out) <= 1e-4);
            CHECK(error_between(1.95, 2., p, q, dt_out) <= 1e-3);  // what the extra steps are for
            if (row.omega_dt > 0.1) CHECK(error_between(0., 2., raw, q, dt_out) >= 0.02);
        }
}

TEST_CASE("an oscillator of order 4 in time gives the exact answer, at steps too large for order 2") {
    struct Row {
        double f0, omega_dt, t0, at_wavelet, raw_error;
    };
    // While the wavelet lasts x^4 / 144 of it is left.
    for (const Row& row : {Row{60., 0.6, 0.03, 1e-4, 1e-3},
                           {60., 0.6, 1.5, 1e-4, 1e-4},
                           {20., 0.12, 0.07, 1e-4, 0.},
                           {80., 0.9, 0.02, 3e-4, 0.01},
                           {110., 1.3, 0.02, 2e-3, 0.05}})
        for (const double dt_out : {kDt, 0.0007, 0.0015}) {
            CAPTURE(row.f0);
            CAPTURE(row.omega_dt);
            CAPTURE(row.t0);
            CAPTURE(dt_out);
            const auto [p, q, raw] = answers(4, ricker(row.f0, row.t0), row.omega_dt, dt_out);
            CHECK(error_between(0., 2., p, q, dt_out) <= row.at_wavelet);
            CHECK(error_between(row.t0 + 2.5 / row.f0, 2., p, q, dt_out) <= 1e-4);
            CHECK(error_between(0., 2., raw, q, dt_out) >= row.raw_error);
        }
}

TEST_CASE("a record that is cut while waves still arrive is that of a longer run, in either order in time") {
    struct Row {
        int order;
        double omega_dt;
        std::vector<double> (*stepped)(double omega, const std::vector<double>& source);
    };
    for (const Row& row : {Row{2, 0.5, oscillate}, {4, 0.8, oscillate_fourth_order}}) {
        CAPTURE(row.order);
        const Wavelet wavelet = ricker(60., 0.03);
        const TimeAxis whole = corrected_axis(wavelet, kDt, 4000, row.order);
        const TimeAxis half = corrected_axis(wavelet, kDt, 2000, row.order);
        if (row.order == 2) CHECK(half.extra_steps == 32);  // 5 (2000 / 8)^(1/3)
        const auto record = row.stepped(row.omega_dt / kDt, sample_wavelet(wavelet, whole));
        const std::vector<double> cut(record.begin(), record.begin() + half.steps + 1);
        const auto p = returned(cut, half), q = returned(record, whole);
        CHECK(error_between(0., 1.98, p, q, kDt) <= 1e-5);
        CHECK(error_between(0., 2., p, q, kDt) <= 1e-3);
    }
}

TEST_CASE("long records, which are corrected in chunks, are as good, and do not depend on their neighbours") {
    const Wavelet wavelet = ricker(60., 0.03);
    const TimeAxis time = corrected_axis(wavelet, kDt, 9000);
    const auto record = oscillate(0.5 / kDt, sample_wavelet(wavelet, time));
    const auto p = returned(record, time), q = exact(0.5 / kDt, wavelet, time);
    CHECK(error_between(0., 8.95, p, q, kDt) <= 1e-4);
    CHECK(error_between(8.95, 9., p, q, kDt) <= 1e-3);
    const std::vector<float> one(record.begin(), record.end());
    std::vector<float> three = one;
    for (const float scale : {2.f, -0.5f})
        for (const float x : one) three.push_back(scale * x);
    const auto correct = [&](const std::vector<float>& traces, std::int64_t count) {
        return correct_traces<float>(traces, count, *time.correction, {kDt}, kDt, time.output_samples);
    };
    const auto alone = correct(one, 1), together = correct(three, 3);
    const float most = *std::max_element(alone.begin(), alone.end());
    for (std::size_t i = 0; i < alone.size(); ++i) {
        REQUIRE(std::abs(together[i] - alone[i]) <= 1e-6f * most);
        REQUIRE(std::abs(together[2 * alone.size() + i] + 0.5f * alone[i]) <= 1e-6f * most);
    }
}

TEST_CASE(
    "for every order in time and stride, records either side of the limit of short ones agree, and long ones are "
    "exact") {
    struct Row {
        int order;
        std::int64_t stride;
        double f0, omega_dt, dt_out;
    };
    // With steps of order 4 the band of 60 Hz and more ends where the step carries no more, that of 20 Hz does not.
    for (const Row& row : {Row{2, 1, 60., 0.6, kDt},
                           {2, 1, 60., 0.6, 0.0004},
                           {2, 2, 50., 0.4, 2. * kDt},
                           {2, 2, 50., 0.4, 0.0007},
                           {4, 1, 60., 0.6, 0.0004},
                           {4, 1, 110., 1.3, 0.0002},
                           {4, 1, 20., 0.2, 0.0004},
                           {4, 1, 20., 0.2, 0.003}}) {
        CAPTURE(row.order);
        CAPTURE(row.stride);
        CAPTURE(row.f0);
        CAPTURE(row.dt_out);
        const Wavelet wavelet = ricker(row.f0, 1.5 / row.f0);
        const auto axis = [&](std::int64_t samples) {
            const auto steps = std::int64_t(std::ceil(double(samples - 1) * row.dt_out / kDt - 1e-9));
            TimeAxis time = corrected_axis(wavelet, row.dt_out, steps, row.order, row.stride);
            time.output_samples = samples;
            return time;
        };
        const auto trace = [&](const TimeAxis& time) {
            const std::vector<double> s = sample_wavelet(wavelet, time);
            const double omega = row.omega_dt / kDt;
            return returned(row.order == 4 ? oscillate_fourth_order(omega, s) : oscillate(omega, s), time);
        };
        const double common = 8000 * row.dt_out;
        const auto shorter = trace(axis(8150)), longer = trace(axis(8250));
        CHECK(error_between(0., common, shorter, longer, row.dt_out) <= 3e-6);
        const TimeAxis time = axis(25000);
        const auto p = trace(time), q = exact(row.omega_dt / kDt, wavelet, time);
        const double quiet = 3. / row.f0, end = 24900 * row.dt_out;
        CHECK(error_between(quiet, end, p, q, row.dt_out) <= 5e-5);
    }
}

TEST_CASE("a sample does not depend on the length of its record, with signals in the band's taper and beyond it, too") {
    struct Row {
        double highest_hz, dt_out;
    };
    for (const Row& row : {Row{50., kDt},
                           {50., 0.0121},  // the taper ends at the output's Nyquist frequency
                           {120., 0.0024},
                           {400., kDt},  // and where the step carries no more
                           {50., 0.0007}}) {
        CAPTURE(row.highest_hz);
        CAPTURE(row.dt_out);
        const FrequencyBand band = correction_band(row.highest_hz, {kDt});
        constexpr std::int64_t longer = 8400, shorter = 8000, inside = 7600;  // output samples; beyond 8192 by chunks
        std::vector<double> noise(std::size_t(double(longer) * row.dt_out / kDt) + 1);
        std::mt19937 random(1);  // NOLINT(*-msc51-cpp): the same every time
        for (double& x : noise) x = double(random()) / 0x1p31 - 1.;
        const auto corrected = [&](std::int64_t samples) {
            const auto recorded = std::size_t(double(samples) * row.dt_out / kDt) + 1;
            return correct_traces<double>(std::span(noise).first(recorded), 1, band, {kDt}, row.dt_out, samples);
        };
        const auto p = corrected(shorter), q = corrected(longer);
        CHECK(error_between(0., inside * row.dt_out, p, q, row.dt_out) <= 3e-6);
    }
}

/// The most that `work` holds on the heap at once [bytes]. Threads hold their parts at the same time, unless other
/// programs take their processors: until it holds `enough` it is done again, some times.
template <typename Work>
double most_held(double enough, const Work& work) {
    double most = 0.;
    for (int run = 0; run < 20 && most < enough; ++run) {
        const std::int64_t before = heap_bytes;
        heap_peak = before;
        work();
        most = std::max(most, double(heap_peak - before));
    }
    return most;
}

TEST_CASE("the memory that the correction is said to need is what it allocates") {
    struct Row {
        double dt_out;
        std::int64_t samples, traces;
        int threads;
        double tolerance;
        int order = 2;
    };
    for (const Row& row :
         {Row{kDt, 9000, 1, 2, 0.03},
          {kDt, 30000, 50, 2, 0.03},
          {5. * kDt, 9000, 1, 2, 0.03},
          {12. * kDt, 9000, 50, 1, 0.03},
          {0.6 * kDt, 9000, 150, 1, 0.03},
          {kDt, 9000, 1, 2, 0.03, 4},
          {0.6 * kDt, 30000, 50, 2, 0.03, 4},
          {3. * kDt, 8000, 50, 1, 0.1}}) {  // little; what MappedTaps keeps beside its roots is left out
        omp_set_num_threads(row.threads);
        CAPTURE(row.dt_out);
        CAPTURE(row.samples);
        CAPTURE(row.traces);
        TimeAxis time;
        time.dt_s = kDt;
        time.steps = std::int64_t(double(row.samples) * row.dt_out / kDt);
        time.output_dt_s = row.dt_out;
        time.output_samples = row.samples;
        time.order = row.order;
        time.correction = correction_band(50., {kDt, 1, row.order});
        const std::vector<float> recorded(std::size_t((time.steps + 1) * row.traces), 1.f);
        // Weights that an earlier row has left would go while those of this one come.
        static_cast<void>(correct_traces<float>(std::vector<float>(2), 1, *time.correction, {kDt, 1, 2}, kDt, 2));
        const auto predicted = double(correction_bytes(time, row.traces, row.threads));
        const double of_output = double(sizeof(float)) * double(row.samples * row.traces);
        const double taken =
            most_held(predicted / (1. + row.tolerance) + of_output,
                      [&] {
                          static_cast<void>(correct_traces<float>(recorded, row.traces, *time.correction,
                                                                  {kDt, 1, row.order}, row.dt_out, row.samples));
                      }) -
            of_output;
        CAPTURE(taken);
        CHECK(std::abs(predicted / taken - 1.) <= row.tolerance);
        const std::vector<double> residual(std::size_t(row.samples * row.traces), 1.);
        std::vector<double> adjoint(recorded.size());
        const auto predicted_of_transpose = double(transposed_correction_bytes(time, row.traces, row.threads));
        const double taken_by_transpose = most_held(0.85 * predicted_of_transpose, [&] {
            correct_traces_transposed({residual, row.traces}, *time.correction, {kDt, 1, row.order}, row.dt_out,
                                      {std::span(adjoint), row.traces});
        });
        CAPTURE(taken_by_transpose);
        CAPTURE(predicted_of_transpose);
        CHECK(taken_by_transpose <= 1.03 * predicted_of_transpose);
        CHECK(taken_by_transpose >= 0.85 * predicted_of_transpose);
    }
}

TEST_CASE("a wavelet from a file is injected as its closed form") {
    const TemporaryFolder folder;
    const Wavelet closed = ricker(40., 0.05);
    WaveletConfig config;
    config.type = "file";
    for (const double dt_in : {0.00025, 0.001, 0.003}) {
        CAPTURE(dt_in);
        config.file = folder.path() / "wavelet.csv";
        std::ofstream out(config.file);
        out.precision(17);
        out << "time_s,amplitude\n";
        for (int i = 0; i * dt_in <= 0.2; ++i) out << i * dt_in << ',' << closed.value(i * dt_in) << '\n';
        out.close();
        const Wavelet read = make_wavelet(config, "wavelet", {});
        const TimeAxis time = corrected_axis(closed, kDt, 500);
        const auto p = sample_wavelet(read, time), q = sample_wavelet(closed, time);
        REQUIRE(p.size() == q.size());
        CHECK(error_between(0., 1., p, q, kDt) <= 2e-3);  // the file begins with a step of 1e-3 of the peak
        CHECK(largest(q) >= 0.9);
    }
}

TEST_CASE("a late wavelet arrives at the injection early, the same however long the run goes on") {
    const Wavelet wavelet = ricker(60., 3.);
    const auto q = sample_wavelet(wavelet, corrected_axis(wavelet, kDt, 4000));
    const auto p = sample_wavelet(wavelet, corrected_axis(wavelet, kDt, 2970));  // ends amid the wavelet
    for (std::size_t n = 0; n < p.size(); ++n) REQUIRE(std::abs(p[n] - q[n]) <= 1e-9);
    const auto peak =
        std::max_element(q.begin(), q.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    CHECK(peak - q.begin() < 2990);
    CHECK(peak - q.begin() > 2800);
    CHECK(std::abs(q[3060]) <= 1e-6);  // no frequency comes late
}

TEST_CASE("the band reaches beyond the wavelet's, and never to frequencies that the step cannot carry") {
    const FrequencyBand wide = correction_band(50., {0.001}), narrow = correction_band(400., {0.001});
    CHECK(wide.pass_hz == doctest::Approx(75.));
    CHECK(wide.stop_hz == doctest::Approx(112.5));
    CHECK(narrow.stop_hz == doctest::Approx(0.95 / (pi * 0.001)));
    CHECK(narrow.pass_hz < narrow.stop_hz);
    CHECK(correction_band(400., {0.001, 1, 4}).stop_hz == doctest::Approx(0.95 * std::sqrt(6.) / (2. * pi * 0.001)));
    for (const double low : {0., 1e-3, 1.})
        CHECK(correction_band(low, {0.001}).stop_hz == doctest::Approx(0.25 / (pi * 0.001)));
    TimeAxis time;
    CHECK(describe_correction(time) == "not removed");
    time.dt_s = 0.001;
    time.steps = 1000;
    correct_dispersion(time, 50., false);
    CHECK(time.steps == 1000);
    CHECK(describe_correction(time) == "removed from the seismograms, up to 75 Hz; not from snapshots");
    correct_dispersion(time, 50., true);
    CHECK(time.steps == 1025);
    CHECK(time.extra_steps == 25);
}
