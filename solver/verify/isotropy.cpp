#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include "solver/verify/analytic.hpp"
#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"

namespace onda::verify {
namespace {

using std::numbers::pi;

Scheme star() {
    return make_scheme(Equation::star, 2);
}
Scheme compact() {
    return make_scheme(Equation::compact, 2);
}

struct Range {
    double smallest = 1e300, largest = -1e300;
    void take(double value) {
        smallest = std::isnan(value) ? value : std::min(smallest, value);
        largest = std::isnan(value) ? value : std::max(largest, value);
    }
    [[nodiscard]] double spread() const { return largest - smallest; }
};

/// sqrt(-L(p) / p) / |k| of the plane wave p = cos(k x) in the middle of a small grid, from one step of the backend:
/// with p[-1] = 2 p[0] and vp dt = 1 it leaves p[1] = L(p[0]).
double phase_velocity_ratio(const Experiment& e, const std::array<double, 3>& k, const VerifyOptions& options) {
    std::vector<double> p(std::size_t(e.grid.points()));
    for (std::size_t i = 0; i < p.size(); ++i) {
        const auto [x, y, z] = e.grid.node(std::int64_t(i));
        p[i] = std::cos(k[0] * double(x) + k[1] * double(y) + k[2] * double(z) + 0.3);
    }
    std::vector<double> twice(p);
    for (double& value : twice) value *= 2.;
    const std::vector<double> laplacian = evolve(e, constant_velocity(1.), options, p, twice);
    double product = 0., square = 0.;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const auto node = e.grid.node(std::int64_t(i));
        bool inside = true;
        for (int a = 0; a < 3; ++a)
            inside = inside && (!e.grid.has_axis(a) ||
                                (node[std::size_t(a)] > 0 && node[std::size_t(a)] < e.grid.n[std::size_t(a)] - 1));
        if (!inside) continue;
        product -= p[i] * laplacian[i];
        square += p[i] * p[i];
    }
    return std::sqrt(product / square) / std::hypot(k[0], k[1], k[2]);
}

/// Over directions 5 degrees apart in the part of the circle or sphere that the grid repeats.
Range phase_velocities(const Scheme& scheme, int dimensions, double points_per_wavelength,
                       const VerifyOptions& options) {
    Experiment e;
    e.grid.dimensions = dimensions;
    e.grid.n = {13, dimensions == 3 ? 12 : 1, 14};
    e.scheme = scheme;
    e.dt_s = 1.;
    e.steps = 1;
    const double k = 2. * pi / points_per_wavelength, degree = pi / 180.;
    Range range;
    for (int dip = 0; dip <= 90; dip += 5)
        for (int azimuth = 0; azimuth <= (dimensions == 3 ? 45 : 0); azimuth += 5)
            range.take(phase_velocity_ratio(
                e,
                {k * std::cos(dip * degree) * std::cos(azimuth * degree),
                 k * std::cos(dip * degree) * std::sin(azimuth * degree), k * std::sin(dip * degree)},
                options));
    return range;
}

struct WaveCase {
    int dimensions;
    double points_per_wavelength, limit;
};
// (kh)^4 / 1440 and the next power: half of the symbol's (kh)^4 / 720.
constexpr std::array kWaves{WaveCase{2, 5., 2e-3}, WaveCase{2, 10., 1.2e-4}, WaveCase{3, 5., 2e-3},
                            WaveCase{3, 10., 1.2e-4}};

Measurement spread(const WaveCase& c, const VerifyOptions& options) {
    const Range ours = phase_velocities(compact(), c.dimensions, c.points_per_wavelength, options);
    const Range theirs = phase_velocities(star(), c.dimensions, c.points_per_wavelength, options);
    char detail[96];
    std::snprintf(detail, sizeof detail, "star of order 2: %.2g; compact27 is slow by %.2g to %.2g", theirs.spread(),
                  1. - ours.largest, 1. - ours.smallest);
    return {ours.spread(), detail};
}

/// Receivers on nodes at the same distance from the source in different directions.
std::vector<Position> equally_far(int dimensions) {
    if (dimensions == 2) return {{500., 0., 0.}, {480., 0., 140.}, {400., 0., 300.}};
    return {{450., 0., 0.}, {400., 200., 50.}, {350., 200., 200.}, {300., 300., 150.}};
}

/// Largest difference between the traces of two directions, over the L2 norm of the exact trace.
double difference_of_directions(const Scheme& scheme, int dimensions, const VerifyOptions& options) {
    const double peak_hz = kVelocity / (10. * kSpacing) / 2.5;  // 10 points per wavelength at 2.5 peak frequencies
    const auto receivers = equally_far(dimensions);
    const std::array source{SourcePoint{}};
    const double distance = receivers.front()[0], duration = distance / kVelocity + kRickerPeriods / peak_hz;
    Experiment e;
    e.precision = Precision::float32;
    e.scheme = scheme;
    e.grid = silent_grid(dimensions, {kSpacing, kSpacing, kSpacing}, {}, source, receivers, kVelocity * duration);
    e.dt_s = 0.25 * kSpacing / kVelocity;
    e.steps = std::int64_t(duration / e.dt_s);
    const auto backend = make_wavefield(e, constant_velocity(kVelocity), options);
    const auto traces = seismograms(*backend, e, smooth_ricker(peak_hz), source, receivers);
    const std::size_t samples = std::size_t(e.steps + 1);
    const auto trace = [&](std::size_t i) { return std::span(traces).subspan(i * samples, samples); };
    double largest = 0.;
    for (std::size_t i = 0; i < receivers.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) largest = worse(largest, relative_l2(trace(i), trace(j)));
    return largest;
}

Measurement directions_agree(int dimensions, const VerifyOptions& options) {
    char detail[48];
    std::snprintf(detail, sizeof detail, "star of order 2: %.3f",
                  difference_of_directions(star(), dimensions, options));
    return {difference_of_directions(compact(), dimensions, options), detail};
}

std::string describe(const WaveCase& c) {
    char text[96];
    std::snprintf(text, sizeof text, "%d-D, plane waves, %.0f points per wavelength: spread of the phase velocity",
                  c.dimensions, c.points_per_wavelength);
    return text;
}

}  // namespace

PromiseGroup isotropy() {
    PromiseGroup group;
    group.id = "S1";
    group.title = "Isotropy of the compact stencil";
    group.quantity = "difference between directions";
    group.method =
        "The error of compact27 is h^2 / 12 of the biharmonic operator, the same in all directions; what differs is of "
        "order h^4: (kh)^4 / 1440 of the phase velocity. Plane waves: one step of the backend from p[-1] = 2 p[0] with "
        "(vp dt)^2 = 1 leaves p[1] = L(p[0]), and sqrt(-L(p) / p) / |k| is the phase velocity over the true one; its "
        "range over directions 5 degrees apart is measured, and beside it that of the star of order 2, about (kh)^2 / "
        "36 in 3-D. Shots: a source in free space and receivers on nodes at the same distance (45 or 50 cells) in "
        "different directions, 10 points per wavelength at 2.5 peak frequencies; the largest relative L2 difference "
        "between two traces.";
    for (const WaveCase& c : kWaves)
        group.promises.push_back({describe(c), c.limit, c.points_per_wavelength < 10.,
                                  [c](const VerifyOptions& options) { return spread(c, options); }});
    for (const int dimensions : {2, 3})
        group.promises.push_back(
            {std::to_string(dimensions) + "-D, shots: traces in different directions, float", 0.002, dimensions == 2,
             [dimensions](const VerifyOptions& options) { return directions_agree(dimensions, options); }});
    return group;
}

}  // namespace onda::verify
