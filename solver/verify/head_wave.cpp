// The wave that runs along the faster side of an interface and arrives first at long offsets.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "solver/verify/analytic.hpp"
#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"

namespace onda::verify {
namespace {

using std::numbers::pi;

constexpr double kUpper = 2000., kLower = 3000.;  // m/s
constexpr double kUpperRho = 1800., kLowerRho = 2400.;
constexpr double kDepth = 10.5 * kSpacing;  // of the interface below source and receivers
constexpr double kHeadWavePeak = 15.;       // Hz
constexpr double kWindow = 0.35;            // s from the head wave's arrival on: before the direct wave

double travel_time_s(double offset_m) {
    const double sine = kUpper / kLower;
    return offset_m / kLower + 2. * kDepth * std::sqrt(1. - sine * sine) / kUpper;
}

/// Traces at the offsets of a line source in the upper of two half-spaces.
std::vector<double> shoot(const Scheme& scheme, const std::vector<Position>& receivers, Experiment& e,
                          const VerifyOptions& options) {
    const double duration = travel_time_s(receivers.back()[0]) + kWindow + 0.1;
    const std::array source{SourcePoint{}};
    e.grid = silent_grid(2, {kSpacing, kSpacing, kSpacing}, {}, source, receivers, kLower * duration);
    e.scheme = scheme;
    e.dt_s = 0.9 * stable_dt_s(e.grid, scheme, kLower);
    e.steps = std::int64_t(duration / e.dt_s);
    const auto halves = [&e](double upper, double lower) -> RowReader {
        return [&e, upper, lower](std::int64_t, std::int64_t z, std::span<float> row) {
            std::fill(row.begin(), row.end(), float(e.grid.position_m(0, 0, z)[2] < kDepth ? upper : lower));
        };
    };
    const auto backend = make_wavefield(e, halves(kUpper, kLower), options, halves(kUpperRho, kLowerRho));
    return seismograms(*backend, e, smooth_ricker(kHeadWavePeak), source, receivers);
}

using Complex = std::complex<double>;

/// R at the interface for a plane wave of horizontal wavenumber kx.
Complex reflection(Complex omega, double kx, bool has_density, Complex kz) {
    const Complex below = std::sqrt(omega * omega / (kLower * kLower) - kx * kx);
    const double heavier = has_density ? kLowerRho / kUpperRho : 1.;
    const Complex a = kz * heavier, b = below.imag() < 0. ? -below : below;
    return (a - b) / (a + b);
}

/// The reflected pressure, head wave included, of a unit line source: (i / 4 pi) int R exp(i (kx x + 2 kz z)) / kz dkx,
/// as a sum over an array of sources so wide apart that their neighbours are not heard (Bouchon & Aki 1977, BSSA 67).
Complex reflected(Complex omega, double offset_m, bool has_density) {
    constexpr double apart = 24000.;
    Complex sum = 0.;
    for (int m = 0;; ++m) {
        const double kx = 2. * pi * m / apart;
        Complex kz = std::sqrt(omega * omega / (kUpper * kUpper) - kx * kx);
        if (kz.imag() < 0.) kz = -kz;
        if (kz.imag() * 2. * kDepth > 20.) return sum;
        const Complex wave = reflection(omega, kx, has_density, kz) * std::exp(Complex(0., 2. * kDepth) * kz) / kz;
        sum += (m == 0 ? 0.5 : 1.) * std::cos(kx * offset_m) * wave * Complex(0., 1. / apart);
    }
}

/// The exact trace from `begin` on, as the scheme sees time: omega stands for 2 sin(omega dt / 2) / dt in space. With a
/// little damping, that the discrete spectrum does not wrap around.
std::vector<double> exact_trace(double offset_m, bool has_density, double dt, std::size_t begin, std::size_t count) {
    constexpr double period = 4., damping = 6. / period;
    std::vector<double> trace(count, 0.);
    for (int j = 1; j <= int(3.5 * kHeadWavePeak * period); ++j) {
        const Complex omega(2. * pi * j / period, damping);
        Complex signal = 0.;
        for (double t = 0.; t < 3. / kHeadWavePeak; t += dt)
            signal += dt * ricker(kHeadWavePeak, 1.5 / kHeadWavePeak, t) * std::exp(Complex(0., 1.) * omega * t);
        const Complex spectrum = signal * reflected(2. * std::sin(0.5 * omega * dt) / dt, offset_m, has_density);
        for (std::size_t n = 0; n < count; ++n) {
            const double t = double(begin + n) * dt;
            trace[n] += 2. / period * (spectrum * std::exp(Complex(0., -1.) * omega * t)).real();
        }
    }
    return trace;
}

/// How much later a comes than b: the slope of the phase of the ratio of their spectra, through zero.
double delay_s(std::span<const double> a, std::span<const double> b, double dt) {
    double phases = 0., squares = 0.;
    for (double f = 0.4 * kHeadWavePeak; f <= 1.6 * kHeadWavePeak; f += 0.05 * kHeadWavePeak) {
        const double omega = 2. * pi * f;
        Complex of_a = 0., of_b = 0.;
        for (std::size_t n = 0; n < a.size(); ++n) {
            const double fade = 0.5 + 0.5 * std::cos(pi * double(n) / double(a.size()));
            const Complex wave = fade * std::polar(1., omega * double(n) * dt);
            of_a += wave * a[n];
            of_b += wave * b[n];
        }
        const double weight = std::abs(of_a * of_b);
        phases += weight * omega * std::arg(of_a / of_b);
        squares += weight * omega * omega;
    }
    return phases / squares;
}

/// The largest error of the arrival times in time steps.
Measurement arrival_error(const Scheme& scheme, const VerifyOptions& options) {
    const std::vector<Position> receivers{{2600., 0., 0.}, {3000., 0., 0.}, {3400., 0., 0.}};
    const bool has_density = has_parameter(scheme.equation, "rho");
    Experiment e;
    const auto traces = shoot(scheme, receivers, e, options);
    const auto samples = std::size_t(e.steps + 1);
    Measurement worst;
    for (std::size_t i = 0; i < receivers.size(); ++i) {
        const auto begin = std::size_t(travel_time_s(receivers[i][0]) / e.dt_s);
        const auto head = std::span(traces).subspan(i * samples + begin, std::size_t(kWindow / e.dt_s));
        const auto exact = exact_trace(receivers[i][0], has_density, e.dt_s, begin, head.size());
        const double late = delay_s(head, exact, e.dt_s);
        char detail[96];
        std::snprintf(detail, sizeof detail, "at %.0f m: %+.3f ms of %.2f ms; waveform to %.1e", receivers[i][0],
                      1e3 * late, 1e3 * e.dt_s, relative_l2(head, exact));
        worst = worse(worst, {std::abs(late) / e.dt_s, detail});
    }
    return worst;
}

}  // namespace

PromiseGroup head_waves() {
    PromiseGroup group;
    group.id = "R5h";
    group.title = "Arrival of the head wave";
    group.quantity = "largest error in time steps";
    group.method =
        "A line source 105 m above a half-space of 3,000 m/s, in 2,000 m/s; receivers at the same depth, at offsets of "
        "2,600 to 3,400 m, where the head wave arrives at x / vp2 + 2 z cos(ic) / vp1, 0.35 s before the direct wave. "
        "In that window the trace is compared with the exact one, a sum of plane waves times their reflection "
        "coefficients (Bouchon & Aki 1977): the delay is the slope of the phase of the ratio of their spectra.";
    for (const auto equation : {Equation::star, Equation::variable_density})
        for (const int order : {4, 8}) {
            const Scheme scheme = make_scheme(equation, order);
            group.promises.push_back({std::string(equation == Equation::star ? "constant" : "variable") +
                                          " density, order " + std::to_string(order),
                                      1., order == 8,
                                      [=](const VerifyOptions& options) { return arrival_error(scheme, options); }});
        }
    return group;
}

}  // namespace onda::verify
