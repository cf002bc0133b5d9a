#include "solver/verify/point_source.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace

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
