// Onda as a library: one source in a homogeneous medium, one receiver, and the trace beside the exact solution.
//
//     build/default/examples/library_use
//
// Prints time, pressure and exact pressure as CSV; the last line is a comment with the relative error.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "kernels/cpu/cpu.hpp"
#include "kernels/wavefield.hpp"
#include "solver/propagation/propagator.hpp"
#include "solver/survey/survey.hpp"

using namespace onda;

namespace {

constexpr double kVelocity = 2000.;                             // [m/s]
constexpr double kPeakFrequency = 15.;                          // [Hz]
constexpr double kDuration = 0.35;                              // [s]: before the first echo from an edge
constexpr std::array<double, 3> kSource{400., 400., 400.};      // [m]
constexpr std::array<double, 3> kReceiver{523.4, 498.7, 365.};  // [m]; need not lie on a node

double ricker(double time_s) {
    const double a = std::pow(std::numbers::pi * kPeakFrequency * (time_s - 1. / kPeakFrequency), 2.);
    return (1. - 2. * a) * std::exp(-a);
}

/// A cube of 81 nodes a side; the faces are left at zero, for nothing returns from them in time.
Setup make_setup() {
    Setup setup;
    setup.grid = {3, {81, 81, 81}, {10., 10., 10.}, {0., 0., 0.}};
    setup.scheme = make_scheme(Equation::star, 8);
    setup.halos.fill(Halo::zero);
    return setup;
}

TimeAxis make_time(const Setup& setup) {
    TimeAxis time;
    time.stability_limit_s = setup.scheme.stability_limit_s({10., 10., 10.}, kVelocity);
    time.dt_s = 0.4 * time.stability_limit_s;
    time.steps = std::lround(kDuration / time.dt_s);
    return time;
}

Sources make_source(const Setup& setup, const TimeAxis& time) {
    Sources sources{point_weights({&kSource, 1}, setup.grid, setup.halos, PointKind::source), {{}}};
    for (std::int64_t n = 0; n <= time.steps; ++n)
        sources.signal[0].push_back(ricker(static_cast<double>(n) * time.dt_s));
    return sources;
}

}  // namespace

int main() {
    const Setup setup = make_setup();
    const TimeAxis time = make_time(setup);
    const RowReader vp = [](std::int64_t, std::int64_t, std::span<float> row) { std::ranges::fill(row, kVelocity); };
    const auto medium = cpu::make_medium(setup, {vp}, time.dt_s);
    const auto wavefield = medium->make_wavefield();

    const auto receiver = point_weights({&kReceiver, 1}, setup.grid, setup.halos, PointKind::receiver);
    Propagator propagator(*wavefield, make_source(setup, time), receiver, time);
    propagator.advance(time.steps);
    std::vector<float> trace(static_cast<std::size_t>(time.steps) + 1);
    wavefield->download_traces(std::span<float>(trace));

    // A unit source gives p = s(t - r/c) / (4 pi r).
    const double r = std::hypot(kReceiver[0] - kSource[0], kReceiver[1] - kSource[1], kReceiver[2] - kSource[2]);
    double error = 0., norm = 0.;
    std::printf("# %s\ntime_s,pressure_pa,exact_pa\n", medium->description().c_str());
    for (std::size_t n = 0; n < trace.size(); ++n) {
        const double t = static_cast<double>(n) * time.dt_s;
        const double exact = ricker(t - r / kVelocity) / (4. * std::numbers::pi * r);
        std::printf("%.6f,%.6e,%.6e\n", t, static_cast<double>(trace[n]), exact);
        error += std::pow(trace[n] - exact, 2.);
        norm += exact * exact;
    }
    const double relative_error = std::sqrt(error / norm);
    std::printf("# relative error %.4f\n", relative_error);
    return relative_error <= 0.02 ? 0 : 1;
}
