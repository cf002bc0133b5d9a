// The step is the largest stable one times the fraction asked for; resampling keeps band-limited signals.
// Takes less than a second.
#include "solver/discretisation/time_axis.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <numbers>

#include "io/text/error.hpp"
#include "kernels/equations/star/stencil.hpp"
#include "solver/discretisation/scheme.hpp"
#include "solver/signal/kaiser_sinc.hpp"
#include "solver/signal/resampling.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;
using std::numbers::pi;

namespace {

Config time_config(int order, double duration_s) {
    Config config;
    config.scheme.space_order = order;
    config.time.duration_s = duration_s;
    return config;
}

Grid grid_spaced(int dimensions, std::array<double, 3> spacing_m) {
    Grid grid;
    grid.dimensions = dimensions;
    grid.n = {32, dimensions == 3 ? 32 : 1, 32};
    grid.spacing_m = spacing_m;
    return grid;
}

/// max over all wavenumbers of -L, by the definition of the stencil, on a lattice that contains the Nyquist corner.
double largest_eigenvalue(const Grid& grid, int order) {
    const auto c = second_derivative_weights(order);
    double sum = 0.;
    for (int axis = 0; axis < 3; ++axis) {
        if (!grid.has_axis(axis)) continue;
        double largest = 0.;
        for (int i = 0; i <= 360; ++i) {
            double symbol = -c[0];
            for (std::size_t k = 1; k < c.size(); ++k) symbol -= 2. * c[k] * std::cos(pi * i / 360. * double(k));
            largest = std::max(largest, symbol);
        }
        sum += largest / (grid.spacing_m[axis] * grid.spacing_m[axis]);
    }
    return sum;
}

/// |p| after many steps of a scheme of order 2 or 4 in time on the mode with this eigenvalue.
double amplitude_after(double dt, double vp, double eigenvalue, int time_order = 2) {
    const double s = vp * vp * dt * dt * eigenvalue;
    double p = 1., previous = 0.7;
    for (int n = 0; n < 4000; ++n) {
        const double next = 2. * p - previous - (time_order == 4 ? s - s * s / 12. : s) * p;
        previous = p;
        p = next;
    }
    return std::abs(p);
}

/// \param highest_hz of the wavelets.
TimeAxis time_axis_of(const Config& config, const Grid& grid, double vp, double highest_hz = 40.) {
    const auto gives_vp = [](const MediumParameter& parameter) { return parameter.name == "vp"; };
    const Scheme scheme = make_scheme(config.scheme, config.time.order, grid, gives_vp, config.origin);
    return make_time_axis(config.time, {config.output.seismograms, highest_hz}, scheme, Precision::float32,
                          {scheme.stability_limit_s(grid.derivative_spacings_m(), vp), vp}, config.origin);
}

std::string time_axis_error(const Config& config, const Grid& grid, double vp, double highest_hz = 40.) {
    return message_of([&] { static_cast<void>(time_axis_of(config, grid, vp, highest_hz)); }, ExitCode::config);
}

/// A packet of sinusoids up to `highest_hz`, smooth at both ends, gone before 0 and after 1 s.
double smooth_packet(double t, double highest_hz) {
    if (t <= 0. || t >= 1.) return 0.;
    const double s = std::sin(pi * t);
    double sum = 0.;
    for (int i = 1; i <= 5; ++i) sum += std::sin(2. * pi * highest_hz * i / 5. * t + i);
    return 0.2 * sum * s * s * s * s * s * s;
}

double resampling_error(double dt_in, double dt_out, double highest_hz) {
    std::vector<double> input;
    for (int i = 0; i * dt_in <= 1.1; ++i) input.push_back(smooth_packet(i * dt_in, highest_hz));
    const auto samples = static_cast<std::int64_t>(1.05 / dt_out);
    const auto output = resample(input, dt_in, dt_out, samples, Tail::zero);
    REQUIRE(static_cast<std::int64_t>(output.size()) == samples);
    double error = 0.;
    for (std::int64_t i = 0; i < samples; ++i)
        error = std::max(error, std::abs(output[i] - smooth_packet(double(i) * dt_out, highest_hz)));
    return error;
}

}  // namespace

TEST_CASE("the limit separates bounded from growing modes, for every order, in 2-D and 3-D") {
    for (int order = 2; order <= kMaxSpaceOrder; order += 2)
        for (const Grid& grid : {grid_spaced(2, {10., 1., 7.}), grid_spaced(3, {10., 12., 7.})}) {
            CAPTURE(order);
            CAPTURE(grid.dimensions);
            const TimeAxis time = time_axis_of(time_config(order, 1.), grid, 4500.);
            const double eigenvalue = largest_eigenvalue(grid, order);
            CHECK(time.dt_s == doctest::Approx(0.9 * time.stability_limit_s).epsilon(1e-12));
            CHECK(time.cfl_fraction() == doctest::Approx(0.9));
            CHECK(amplitude_after(0.9999 * time.stability_limit_s, 4500., eigenvalue) <= 200.);
            CHECK(amplitude_after(1.0001 * time.stability_limit_s, 4500., eigenvalue) >= 1e20);
        }
}

TEST_CASE("the limit of order 4 in time is sqrt(3) times that of order 2, and separates bounded from growing modes") {
    for (int order = 2; order <= kMaxSpaceOrder; order += 2)
        for (const Grid& grid : {grid_spaced(2, {10., 1., 7.}), grid_spaced(3, {10., 12., 7.})}) {
            CAPTURE(order);
            CAPTURE(grid.dimensions);
            Config config = time_config(order, 1.);
            const double limit_of_2 = time_axis_of(config, grid, 4500.).stability_limit_s;
            config.time.order = 4;
            const double limit = time_axis_of(config, grid, 4500.).stability_limit_s;
            const double eigenvalue = largest_eigenvalue(grid, order);
            CHECK(limit == doctest::Approx(std::sqrt(3.) * limit_of_2).epsilon(1e-12));
            CHECK(amplitude_after(0.9999 * limit, 4500., eigenvalue, 4) <= 200.);
            CHECK(amplitude_after(1.0001 * limit, 4500., eigenvalue, 4) >= 1e20);
        }
}

TEST_CASE("a given dt of order 4 in time is refused with its limit") {
    const Grid grid = grid_spaced(3, {10., 10., 10.});
    Config config = time_config(2, 1.);
    config.time.order = 4;
    config.time.dt_s = 0.0033;  // the limit is 10 m / 3000 m/s
    CHECK(time_axis_of(config, grid, 3000.).dt_s == 0.0033);
    config.time.dt_s = 0.0034;
    CHECK(contains(time_axis_error(config, grid, 3000.),
                   "above the stability limit of 0.00333333 s (space_order 2, time.order 4, fastest"));
}

TEST_CASE("a given dt is taken, or refused with both numbers and the change to make") {
    const Grid grid = grid_spaced(3, {10., 10., 10.});
    Config config = time_config(2, 1.);
    const double limit = 10. / (3000. * std::sqrt(3.));  // order 2, three equal spacings
    config.time.dt_s = limit * (1. - 1e-9);
    CHECK(time_axis_of(config, grid, 3000.).dt_s == *config.time.dt_s);

    config.time.dt_s = 0.002;
    const std::string message = time_axis_error(config, grid, 3000.);
    CHECK(message.find("time.dt_s") != std::string::npos);
    CHECK(message.find("0.002 s") != std::string::npos);
    CHECK(message.find("0.0019245 s") != std::string::npos);
    CHECK(message.find("use 0.001732 or less") != std::string::npos);
    for (const double bad : {0., -1., std::nan("")}) {
        config.time.dt_s = bad;
        CHECK(contains(time_axis_error(config, grid, 3000.), "must be positive"));
    }
}

TEST_CASE("the steps cover the duration and no more") {
    const Grid grid = grid_spaced(2, {10., 1., 10.});
    Config config = time_config(8, 1.);
    config.time.dt_s = 0.001;
    CHECK(time_axis_of(config, grid, 2000.).steps == 1000);  // not 1001 by rounding
    config.time.duration_s = 0.7;
    CHECK(time_axis_of(config, grid, 2000.).steps == 700);
    config.time.duration_s = 0.7001;
    const TimeAxis time = time_axis_of(config, grid, 2000.);
    CHECK(time.steps == 701);
    CHECK(time.output_dt_s == 0.004);
    CHECK(time.output_samples == 176);  // 0 … 0.7 s

    config.output.seismograms.dt_s = 0.002;
    config.time.duration_s = 0.7;
    CHECK(time_axis_of(config, grid, 2000.).output_dt_s == 0.002);
    CHECK(time_axis_of(config, grid, 2000.).output_samples == 351);
    config.output.seismograms.dt_s = 0.8;
    CHECK(contains(time_axis_error(config, grid, 2000.), "output.seismograms.dt_s"));
    config.time.duration_s = 0.;
    CHECK(contains(time_axis_error(config, grid, 2000.), "time.duration_s"));
    config.time.duration_s = 1e9;
    CHECK(contains(time_axis_error(config, grid, 2000.), "steps"));
}

TEST_CASE("the default sampling is a round number") {
    struct Row {
        double longest_s, sampling_s;
    };
    // The samplings are the decimal numbers themselves, not multiples of 1e-4 with their rounding.
    for (const Row& row : {Row{0.0041, 0.004},
                           {0.004, 0.004},
                           {0.0039999, 0.002},
                           {0.0016, 0.001},
                           {0.001, 0.001},
                           {0.0009999, 0.0005},
                           {0.00037, 0.0002},
                           {0.000199, 0.0001},
                           {73e-6, 50e-6},
                           {10e-6, 10e-6},
                           {9.9e-6, 5e-6},
                           {5.4e-9, 5e-9},
                           {4.9e-9, 2e-9},
                           {0.0099, 0.004},
                           {0.03, 0.02},
                           {0.3, 0.2},
                           {5., 4.},
                           {12.34567, 10.}}) {
        CAPTURE(row.longest_s);
        CHECK(default_sampling_s(row.longest_s) == row.sampling_s);
    }
}

TEST_CASE("seismograms are sampled by their wavelets and record, whatever the step and its order") {
    struct Row {
        double highest_hz, duration_s, sampling_s;
        std::int64_t samples;
    };
    const Grid grid = grid_spaced(2, {10., 1., 10.});
    for (const Row& row : {Row{55.3, 1., 0.004, 251},  // a Ricker wavelet of 20 Hz
                           {56., 1., 0.002, 501},
                           {69.2, 1., 0.002, 501},  // 25 Hz
                           {110.6, 1., 0.002, 501},
                           {221.3, 1., 0.001, 1001},
                           {27.7, 1., 0.004, 251},
                           {5.5, 2., 0.04, 51},
                           {55.3, 0.35, 0.002, 176},  // which 4 ms do not divide
                           {55.3, 0.825, 0.001, 826},
                           {55.3, 0.7001, 0.004, 176},  // nor 2 or 1 ms
                           {55.3, 0.0003, 0.0001, 4},
                           {0., 1., 1., 2}}) {
        CAPTURE(row.highest_hz);
        CAPTURE(row.duration_s);
        for (const int time_order : {2, 4})
            for (const int space_order : {2, 8, 16})
                for (const double fraction : {0.9, 0.5}) {
                    Config config = time_config(space_order, row.duration_s);
                    config.time.order = time_order;
                    config.time.cfl_fraction = fraction;
                    const TimeAxis time = time_axis_of(config, grid, 2000., row.highest_hz);
                    CHECK(time.output_dt_s == row.sampling_s);
                    CHECK(time.output_samples == row.samples);
                }
    }
    Config config = time_config(8, 1.);
    config.output.seismograms.dt_s = 0.00137;
    CHECK(time_axis_of(config, grid, 2000.).output_dt_s == 0.00137);
    CHECK(time_axis_of(config, grid, 2000.).output_samples == 730);
}

TEST_CASE("a sampling that SEG-Y or SU cannot hold is refused or changed, as the user chose") {
    const Grid grid = grid_spaced(2, {10., 1., 10.});
    Config config = time_config(8, 1.);
    SeismogramConfig& seismograms = config.output.seismograms;
    seismograms.segy = "ieee";
    CHECK(time_axis_of(config, grid, 2000.).output_dt_s == 0.004);
    CHECK(time_axis_of(config, grid, 2000., 5.5).output_dt_s == 0.02);  // 40 ms are more than its headers hold
    seismograms.dt_s = 0.0012345;
    const std::string message = time_axis_error(config, grid, 2000.);
    CHECK(contains(message, "output.seismograms.dt_s: the sample interval of the seismograms is 0.0012345 s"));
    CHECK(contains(message, "use output.seismograms.dt_s: 0.001235"));
    seismograms.unfit_dt = "resample";
    CHECK(time_axis_of(config, grid, 2000.).output_dt_s == 0.001235);
    seismograms.dt_s = 0.05;
    CHECK(time_axis_of(config, grid, 2000.).output_dt_s == 0.032767);
    seismograms.segy = "none";
    seismograms.su = true;
    CHECK(time_axis_of(config, grid, 2000.).output_dt_s == 0.05);  // 65535 us at most
    seismograms.dt_s = 0.00003;
    CHECK(time_axis_of(config, grid, 2000.).output_samples == 33334);
    seismograms.segy = "ibm";
    CHECK(contains(time_axis_error(config, grid, 2000.),
                   "output.seismograms.segy: 33334 samples per trace, but SEG-Y rev 1 stores at most 32767"));
    CHECK(contains(time_axis_error(config, grid, 2000.), "dt_s: 0.000031 or more"));
    // Ultrasound: the default has nanoseconds.
    Config fine = time_config(8, 1e-6);
    fine.time.dt_s = 5.4e-9;
    CHECK(time_axis_of(fine, grid_spaced(2, {1e-4, 1., 1e-4}), 2000., 4e7).output_dt_s == 5e-9);
    fine.output.seismograms.segy = "ieee";
    CHECK(contains(time_axis_error(fine, grid_spaced(2, {1e-4, 1., 1e-4}), 2000., 4e7),
                   "output.seismograms.segy: the sample interval of the seismograms"));
}

TEST_CASE("the Bessel function of the Kaiser window is that of the standard library") {
    for (double x = 0.; x <= 25.; x += 0.01) {
        CAPTURE(x);
        REQUIRE(std::abs(bessel_i0(x) / std::cyl_bessel_i(0., x) - 1.) <= 1e-13);
    }
}

TEST_CASE("resampling keeps what lies below 0.9 of the lower Nyquist frequency") {
    for (const auto& row : {std::pair{0.004, 0.001}, {0.004, 0.00137}, {0.001, 0.004}, {0.00083, 0.002}}) {
        const double dt_in = row.first, dt_out = row.second;
        CAPTURE(dt_in);
        CAPTURE(dt_out);
        CHECK(resampling_error(dt_in, dt_out, 0.88 * 0.5 / std::max(dt_in, dt_out)) <= 1e-4);
    }
}

TEST_CASE("what lies above the output's Nyquist frequency is removed, not folded") {
    std::vector<double> input;
    for (int i = 0; i < 4000; ++i) {
        const double t = i * 0.0005, s = std::sin(pi * t / 2.);
        input.push_back(std::sin(2. * pi * 200. * t) * s * s * s * s);  // output Nyquist: 125 Hz
    }
    double largest = 0.;
    for (const double x : resample(input, 0.0005, 0.004, 500, Tail::zero)) largest = std::max(largest, std::abs(x));
    CHECK(largest <= 1e-4);
}

TEST_CASE("equal steps copy, a cut recording does not ring at its end, many traces equal one by one") {
    std::vector<double> wave;
    for (int i = 0; i <= 1000; ++i) wave.push_back(std::sin(2. * pi * 20. * i * 0.001 + 0.4));
    CHECK(resample(wave, 0.001, 0.001, 1001) == wave);
    CHECK(resample({}, 0.001, 0.002, 3) == std::vector<double>{0., 0., 0.});

    const auto fine = resample(wave, 0.001, 0.0004, 2501);
    double error = 0., cut = 0.;
    const auto over = resample(wave, 0.001, 0.0004, 2501, Tail::zero);
    for (int i = 2400; i <= 2500; ++i) {
        const double exact = std::sin(2. * pi * 20. * i * 0.0004 + 0.4);
        error = std::max(error, std::abs(fine[i] - exact));
        cut = std::max(cut, std::abs(over[i] - exact));
    }
    CHECK(error <= 2e-3);
    CHECK(cut >= 0.05);  // what the continuation is for

    const std::vector<float> one(wave.begin(), wave.end());
    std::vector<float> traces;
    for (int i = 0; i < 700; ++i) traces.insert(traces.end(), one.begin(), one.end());
    const auto resampled = [](std::span<const float> input, std::int64_t count) {
        std::vector<float> output(static_cast<std::size_t>(count * 334));
        resample_traces<float, float>({input, count}, 0.001, 0.003, {std::span(output), count});
        return output;
    };
    const auto single = resampled(one, 1);
    const auto all = resampled(traces, 700);
    REQUIRE(all.size() == 700u * 334u);
    for (const int trace : {0, 511, 512, 699})
        CHECK(std::equal(single.begin(), single.end(), all.begin() + trace * 334));
}
