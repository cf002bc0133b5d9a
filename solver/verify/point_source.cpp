#include "solver/verify/point_source.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solver/signal/time_integral.hpp"
#include "solver/verify/analytic.hpp"
#include "solver/verify/experiment.hpp"

namespace onda::verify {
namespace {

double distance(const Position& a, const Position& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

double peak_frequency(const PointSourceCase& shot) {
    const double largest = *std::max_element(shot.spacing_m.begin(), shot.spacing_m.end());
    return kVelocity / (shot.points_per_wavelength * largest) / kRickerBand;
}

/// Runs until the slowest arrival has passed, in a grid whose open faces stay silent until then.
Experiment make_experiment(const PointSourceCase& shot) {
    double longest = 0.;
    for (const SourcePoint& source : with_images(shot.sources, shot.walls))
        for (const Position& receiver : shot.receivers)
            longest = std::max(longest, distance(source.position_m, receiver));
    const double reach = longest + kVelocity * kRickerPeriods / peak_frequency(shot);
    Experiment e;
    e.grid = silent_grid(shot.dimensions, shot.spacing_m, shot.walls, shot.sources, shot.receivers, reach);
    e.scheme = shot.scheme;
    e.precision = shot.precision;
    e.halos = shot.walls;
    e.dt_s = shot.courant * *std::min_element(shot.spacing_m.begin(), shot.spacing_m.end()) / kVelocity;
    e.steps = std::int64_t(reach / kVelocity / e.dt_s);
    return e;
}

std::vector<double> exact_trace(const PointSourceCase& shot, const Experiment& e, const Position& receiver) {
    const double f0 = peak_frequency(shot);
    const Signature s = [f0](double t) { return t < 0. ? 0. : ricker(f0, 1.5 / f0, t); };
    const auto green = shot.dimensions == 3 ? greens_function_3d : greens_function_2d;
    const auto sources = with_images(shot.sources, shot.walls);
    std::vector<double> trace;
    for (std::int64_t n = 0; n <= e.steps; ++n) {
        double p = 0.;
        for (const SourcePoint& source : sources)
            p += source.amplitude * green(s, distance(source.position_m, receiver), kVelocity, double(n) * e.dt_s);
        trace.push_back(p);
    }
    return trace;
}

constexpr double kDensityOfMotion = 2000.;  // that of make_wavefield()

/// What the derivatives of a source's pressure along the axes come to at a receiver, times -1/rho: of the pressure of a
/// signature, an acceleration; of that of its integral, a velocity. \return [axis][sample].
std::vector<double> exact_motion(const PointSourceCase& shot, const Experiment& e, const Signature& s,
                                 std::span<const int> axes) {
    constexpr double step_m = 0.01;  // a thousandth of a node: differences are exact to 1e-8
    const auto green = shot.dimensions == 3 ? greens_function_3d : greens_function_2d;
    const Position& receiver = shot.receivers.front();
    std::vector<double> motion(axes.size() * std::size_t(e.steps + 1));
    for (const SourcePoint& source : with_images(shot.sources, shot.walls)) {
        const double r = distance(source.position_m, receiver);
        for (std::int64_t n = 0; n <= e.steps; ++n) {
            const double t = double(n) * e.dt_s;
            const double slope =
                (green(s, r + step_m, kVelocity, t) - green(s, r - step_m, kVelocity, t)) / (2. * step_m);
            for (std::size_t i = 0; i < axes.size(); ++i) {
                const std::size_t a = std::size_t(axes[i]);
                motion[i * std::size_t(e.steps + 1) + std::size_t(n)] -=
                    source.amplitude * slope * (receiver[a] - source.position_m[a]) / r / kDensityOfMotion;
            }
        }
    }
    return motion;
}

}  // namespace

MotionErrors motion_errors(const PointSourceCase& shot, const VerifyOptions& options) {
    const Experiment e = make_experiment(shot);
    const auto backend = make_wavefield(e, constant_velocity(kVelocity), options, constant_velocity(kDensityOfMotion));
    const std::vector<int> axes = shot.dimensions == 3 ? std::vector{0, 1, 2} : std::vector{0, 2};
    const double f0 = peak_frequency(shot), t0 = 1.5 / f0;
    Shot fired;
    fired.sources = shot.sources;
    Survey survey;
    survey.wavelets = {smooth_ricker(f0)};
    const std::vector<double> rows = record(*backend, e, make_sources(fired, survey, e.grid, e.halos, e.time_axis()),
                                            receiver_rows(shot.receivers, e.grid, e.halos, axes));
    const std::size_t samples = std::size_t(e.steps + 1);
    std::vector<double> acceleration, velocity;
    for (std::size_t i = samples; i < rows.size(); ++i) acceleration.push_back(-rows[i] / kDensityOfMotion);
    std::vector<float> integral(acceleration.begin(), acceleration.end());
    for (std::size_t i = 0; i < integral.size(); i += samples)
        integrate(std::span(integral).subspan(i, samples), e.dt_s, std::span(integral).subspan(i, samples));
    velocity.assign(integral.begin(), integral.end());
    const Signature s = [f0, t0](double t) { return t < 0. ? 0. : ricker(f0, t0, t); };
    const Signature of_velocity = [f0, t0](double t) {
        return t < 0. ? 0. : (t - t0) * std::exp(-std::pow(std::numbers::pi * f0 * (t - t0), 2));
    };
    return {relative_l2(acceleration, exact_motion(shot, e, s, axes)),
            relative_l2(velocity, exact_motion(shot, e, of_velocity, axes))};
}

std::vector<SourcePoint> with_images(const std::vector<SourcePoint>& sources, const FaceHalos& walls) {
    std::vector<SourcePoint> all(sources);
    for (std::size_t face = 0; face < walls.size(); ++face) {
        if (walls[face] == Halo::zero) continue;
        const std::size_t count = all.size();  // images of images, where two walls meet
        for (std::size_t i = 0; i < count; ++i) {
            SourcePoint image = all[i];
            image.position_m[face / 2] *= -1.;
            if (walls[face] == Halo::mirror_negative) image.amplitude *= -1.;
            all.push_back(image);
        }
    }
    return all;
}

std::vector<double> trace_errors(const PointSourceCase& shot, const VerifyOptions& options) {
    const Experiment e = make_experiment(shot);
    const auto backend = make_wavefield(e, constant_velocity(kVelocity), options);
    const auto traces = seismograms(*backend, e, smooth_ricker(peak_frequency(shot)), shot.sources, shot.receivers);
    const std::size_t samples = std::size_t(e.steps + 1);
    std::vector<double> errors;
    for (std::size_t i = 0; i < shot.receivers.size(); ++i)
        errors.push_back(
            relative_l2(std::span(traces).subspan(i * samples, samples), exact_trace(shot, e, shot.receivers[i])));
    return errors;
}

}  // namespace onda::verify
