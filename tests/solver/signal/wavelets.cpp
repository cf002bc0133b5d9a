// Source signatures: their shape, where they are largest, how far their spectrum reaches, and what begins abruptly.
// Takes 2 s.
#include <algorithm>
#include <cmath>
#include <complex>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "io/text/error.hpp"
#include "solver/signal/time_dispersion.hpp"
#include "solver/survey/survey.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;
using std::numbers::pi;

namespace {

const std::vector<std::string> kClosedForms{"ricker", "gaussian", "gaussian_first_derivative",
                                            "gaussian_second_derivative"};

WaveletConfig wavelet_of(const std::string& type, double f0) {
    WaveletConfig wavelet;
    wavelet.type = type;
    wavelet.peak_frequency_hz = f0;
    return wavelet;
}

Wavelet make(const WaveletConfig& wavelet) {
    return make_wavelet(wavelet, "wavelet", {});
}

std::string wavelet_error(const WaveletConfig& wavelet) {
    return message_of([&] { static_cast<void>(make(wavelet)); });
}

/// |integral of s(t) exp(-2 pi i f t) dt| by the trapezoidal rule, from before the wavelet until after it.
double amplitude_at(const Wavelet& wavelet, double f) {
    const double dt = 1e-4;
    std::complex<double> sum = 0.;
    for (double t = -0.5; t <= 2.5; t += dt) sum += wavelet.value(t) * std::polar(1., -2. * pi * f * t);
    return std::abs(sum) * dt;
}

std::filesystem::path write_csv(const TemporaryFolder& folder, const Wavelet& wavelet, double dt, int samples) {
    const auto file = folder.path() / "wavelet.csv";
    std::ofstream out(file);
    out.precision(17);
    out << "time_s,amplitude\n";
    for (int i = 0; i < samples; ++i) out << i * dt << ',' << wavelet.value(i * dt) << '\n';
    return file;
}

}  // namespace

TEST_CASE("the closed forms are the textbook's") {
    const double f0 = 12., t0 = 0.11, a = pi * pi * f0 * f0;
    for (const std::string& type : kClosedForms) {
        WaveletConfig config = wavelet_of(type, f0);
        config.t0_s = t0;
        CAPTURE(type);
        CHECK(make(config).t0_s == t0);
    }
    const auto value = [&](const std::string& type, double t) {
        WaveletConfig config = wavelet_of(type, f0);
        config.t0_s = t0;
        return make(config).value(t);
    };
    for (const double t : {0.05, 0.1, 0.11, 0.123, 0.2}) {
        const double tau = t - t0;
        CHECK(value("ricker", t) == doctest::Approx((1. - 2. * a * tau * tau) * std::exp(-a * tau * tau)));
        CHECK(value("gaussian", t) == doctest::Approx(std::exp(-a * tau * tau)));
        CHECK(value("gaussian_second_derivative", t) == doctest::Approx(-value("ricker", t)));
        const double e = 1e-6;
        const double slope = (value("gaussian", t + e) - value("gaussian", t - e)) / (2. * e);
        CHECK(slope == doctest::Approx(-2. * a * tau * value("gaussian", t)).epsilon(1e-6));
    }
    double largest = 0.;
    for (double t = 0.; t < 0.3; t += 1e-5) largest = std::max(largest, value("gaussian_first_derivative", t));
    CHECK(largest == doctest::Approx(1.).epsilon(1e-6));
    CHECK(value("gaussian_first_derivative", t0) == 0.);
    CHECK(value("gaussian_first_derivative", t0 - 0.01) > 0.);
}

TEST_CASE("t0 is 1.5 over the frequency where absent, the description says so, and nothing is cut off") {
    const Wavelet wavelet = make(wavelet_of("ricker", 15.));
    CHECK(wavelet.t0_s == doctest::Approx(0.1));
    CHECK(wavelet.description.find("t0 = 0.1 s (1.5 / frequency)") != std::string::npos);
    for (const std::string& type : kClosedForms) {
        CAPTURE(type);
        const Wavelet any = make(wavelet_of(type, 15.));
        CHECK(any.warnings.empty());
        for (double t = -0.5; t <= 0.; t += 1e-4) REQUIRE(std::abs(any.value(t)) <= 1e-6);
    }
}

TEST_CASE("the highest frequency is where the spectrum has fallen to 1 % of its peak") {
    for (const std::string& type : kClosedForms) {
        CAPTURE(type);
        WaveletConfig config = wavelet_of(type, 15.);
        config.t0_s = 0.4;
        const Wavelet wavelet = make(config);
        const double peak = amplitude_at(wavelet, wavelet.peak_frequency_hz);
        CHECK(amplitude_at(wavelet, wavelet.highest_frequency_hz) / peak == doctest::Approx(0.01).epsilon(1e-3));
        CHECK(amplitude_at(wavelet, wavelet.peak_frequency_hz + 1.) < peak);
        CHECK(amplitude_at(wavelet, std::abs(wavelet.peak_frequency_hz - 1.)) < peak);
        CHECK(std::abs(wavelet.value(wavelet.duration_s + 1e-4)) <= 1e-6);
        CHECK(std::abs(wavelet.value(wavelet.duration_s - 1e-3)) >= 1e-6);
    }
    CHECK(make(wavelet_of("ricker", 10.)).highest_frequency_hz == doctest::Approx(27.6).epsilon(2e-3));
}

TEST_CASE("the Ormsby spectrum is the trapezoid of its corners, and the wavelet ends where it says") {
    WaveletConfig config;
    config.type = "ormsby";
    config.corner_frequencies_hz = {4., 10., 30., 40.};
    const Wavelet wavelet = make(config);
    CHECK(wavelet.t0_s == 0.5);
    CHECK(wavelet.value(0.) == 0.);
    CHECK(wavelet.value(0.5) == doctest::Approx(1.));
    CHECK(wavelet.value(1.) == 0.);
    CHECK(wavelet.warnings.empty());
    const double flat = amplitude_at(wavelet, 20.);
    for (const auto& row : {std::pair{13., 1.}, {27., 1.}, {7., 0.5}, {35., 0.5}, {37.5, 0.25}, {44., 0.}, {1., 0.}}) {
        const double f = row.first, expected = row.second;
        CAPTURE(f);
        CHECK(std::abs(amplitude_at(wavelet, f) / flat - expected) <= 0.02);
    }
    CHECK(amplitude_at(wavelet, wavelet.highest_frequency_hz) / flat == doctest::Approx(0.01).epsilon(0.1));
    CHECK(wavelet.highest_frequency_hz > 39.);
    CHECK(wavelet.highest_frequency_hz < 41.5);

    for (const std::vector<double>& bad :
         {std::vector<double>{}, {1., 2., 3.}, {4., 3., 20., 30.}, {-1., 2., 3., 4.}, {1., 2., 2., 4.}}) {
        config.corner_frequencies_hz = bad;
        CHECK(contains(wavelet_error(config), "wavelet.corner_frequencies_hz"));
    }
}

TEST_CASE("a wavelet that begins abruptly is warned about, with the number to change") {
    WaveletConfig config = wavelet_of("ricker", 10.);
    config.t0_s = 0.03;
    const Wavelet wavelet = make(config);
    REQUIRE(wavelet.warnings.size() == 1u);
    CHECK(wavelet.warnings[0].find("it has 45 %") != std::string::npos);  // the side lobe, 2 exp(-1.5) = 44.6 %
    CHECK(wavelet.warnings[0].find("Increase t0_s (now 0.03 s)") != std::string::npos);
    config.t0_s = 0.1;  // one period: s(0) is 1e-3 of the peak
    CHECK(make(config).warnings.size() == 1u);
    config.t0_s = 1. / (std::sqrt(2.) * pi * 10.);  // s(0) is 0, where the first side lobe has been cut off
    CHECK(std::abs(make(config).value(0.)) <= 1e-12);
    CHECK(make(config).warnings.size() == 1u);
    config.t0_s = -0.05;  // what is left begins with 29 %
    CHECK(make(config).warnings.size() == 1u);
    config.t0_s = -1e9;
    CHECK(message_of([&] { make(config); }, ExitCode::config) ==
          "configuration: wavelet.t0_s: the wavelet is over before the run begins at t = 0: 0.15 s, or no t0_s at all, "
          "lets it begin near zero");
    config.t0_s = 0.12;
    CHECK(make(config).warnings.empty());
}

TEST_CASE("a wavelet from a file is the one written, at any time and at any step") {
    const TemporaryFolder folder;
    const Wavelet exact = make(wavelet_of("ricker", 15.));
    WaveletConfig config;
    config.type = "file";
    config.file = write_csv(folder, exact, 0.004, 60);
    const Wavelet wavelet = make(config);
    CHECK(wavelet.highest_frequency_hz == doctest::Approx(exact.highest_frequency_hz).epsilon(0.02));
    CHECK(wavelet.peak_frequency_hz == doctest::Approx(15.).epsilon(0.05));
    CHECK(wavelet.t0_s == doctest::Approx(0.1));
    CHECK(wavelet.warnings.empty());
    TimeAxis time;
    for (const double dt : {0.00071, 0.004, 0.0053}) {
        CAPTURE(dt);
        time.dt_s = dt;
        time.steps = static_cast<std::int64_t>(0.4 / dt);
        const auto signal = sample_wavelet(wavelet, time);
        REQUIRE(static_cast<std::int64_t>(signal.size()) == time.steps + 1);
        double error = 0.;
        for (std::int64_t n = 0; n <= time.steps; ++n)
            error = std::max(error, std::abs(signal[n] - exact.value(double(n) * dt)));
        CHECK(error <= 2e-3);  // the Ricker wavelet starts with -0.001
        CHECK(std::abs(wavelet.value(0.1234) - exact.value(0.1234)) <= 1e-4);
    }
    config.file = write_csv(folder, exact, 0.02, 20);  // Nyquist 25 Hz: not enough for 15 Hz
    const Wavelet coarse = make(config);
    REQUIRE(!coarse.warnings.empty());
    CHECK(coarse.warnings[0].find("use a shorter sample interval") != std::string::npos);
}

TEST_CASE("samples of a configuration are the wavelet that a file of them is") {
    const TemporaryFolder folder;
    const Wavelet exact = make(wavelet_of("ricker", 15.));
    WaveletConfig file;
    file.type = "file";
    file.file = write_csv(folder, exact, 0.004, 60);
    WaveletConfig config;
    config.type = "samples";
    config.dt_s = 0.004;
    for (int n = 0; n < 60; ++n) config.samples.push_back(exact.value(0.004 * n));
    const Wavelet wavelet = make(config), of_file = make(file);
    CHECK(wavelet.type == "samples");
    CHECK(wavelet.highest_frequency_hz == doctest::Approx(of_file.highest_frequency_hz));
    CHECK(wavelet.t0_s == doctest::Approx(of_file.t0_s));
    for (const double t : {0.05, 0.0993, 0.1234})
        CHECK(wavelet.value(t) == doctest::Approx(exact.value(t)).epsilon(1e-3));
    config.samples.assign(3, 0.);
    CHECK(wavelet_error(config).find("wavelet.samples: the wavelet is zero everywhere") != std::string::npos);
}

TEST_CASE("what is injected has the integral of the wavelet to within rounding, with and without the correction") {
    const TemporaryFolder folder;
    const auto check = [](const Wavelet& wavelet, double integral_s, const TimeAxis& time) {
        const std::vector<double> signal = sample_wavelet(wavelet, time);
        double sum = 0., magnitude = 0.;
        for (const double s : signal) {
            sum += s;
            magnitude += std::abs(s);
        }
        REQUIRE(wavelet.integral_s.has_value());
        CHECK(*wavelet.integral_s == doctest::Approx(integral_s).epsilon(1e-12));
        CHECK(std::abs(sum * time.dt_s - integral_s) <= 1e-14 * magnitude * time.dt_s);
        CHECK(magnitude * time.dt_s == doctest::Approx(wavelet.magnitude_s).epsilon(0.3));
    };
    const double f0 = 20.;
    // The last of these steps carries less than all of the wavelet's band.
    for (const double dt_s : {0.00047, 0.002, 0.006})
        for (const int order : {2, 4})
            for (const bool corrects : {false, true}) {
                CAPTURE(dt_s);
                CAPTURE(order);
                CAPTURE(corrects);
                TimeAxis time;
                time.dt_s = dt_s;
                time.order = order;
                time.steps = std::int64_t(2. / dt_s);
                if (corrects) correct_dispersion(time, 2.8 * f0, true);
                for (const std::string& type : kClosedForms) {
                    CAPTURE(type);
                    const double integral_s = type == "gaussian" ? 1. / (std::sqrt(pi) * f0) : 0.;
                    if (corrects) check(make(wavelet_of(type, f0)), integral_s, time);
                    // The integral is that of the samples as they are, however many: also with a mean of their own.
                    for (const double mean : {0., 0.01}) {
                        CAPTURE(mean);
                        Wavelet shifted = make(wavelet_of(type, f0));
                        shifted.value = [value = shifted.value, mean](double t) {
                            return value(t) + mean * std::pow(std::sin(pi * t / 0.2), 2.);
                        };
                        WaveletConfig file;
                        file.type = "file";
                        file.file = write_csv(folder, shifted, 0.0013, 154);
                        const Wavelet read = make(file);
                        double sum = 0.;
                        for (const double s : read.series->amplitude) sum += s * read.series->dt_s;
                        check(read, sum, time);
                    }
                }
            }
    // A wavelet that is cut off at t = 0, or by the end of the run, stays as it is.
    WaveletConfig cut = wavelet_of("ricker", f0);
    cut.t0_s = 0.01;
    CHECK_FALSE(make(cut).integral_s.has_value());
}

TEST_CASE("every row of the table is reachable by its name, others are refused with the names there are") {
    for (const WaveletKind& kind : wavelet_kinds()) CHECK(wavelet_error(wavelet_of(std::string(kind.name), 10.)) != "");
    const std::string unknown = wavelet_error(wavelet_of("morlet", 10.));
    CHECK(unknown.find("wavelet.type") != std::string::npos);
    CHECK(unknown.find("ricker, gaussian, gaussian_first_derivative") != std::string::npos);
    for (const double bad : {0., -3., std::nan("")})
        CHECK(contains(wavelet_error(wavelet_of("ricker", bad)), "wavelet.peak_frequency_hz"));
}
