#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include "solver/boundary.hpp"
#include "solver/verify/analytic.hpp"
#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"

namespace onda::verify {
namespace {

constexpr double kVelocity = 2000., kSpacing = 10.;
constexpr double kDistance = 300.;  // of source and receiver from the sponge's inner edge [m]

struct SpongeCase {
    double angle_deg;         ///< of incidence
    double wavelength_nodes;  ///< at the peak frequency
    double limit_db;
    bool quick;
};
constexpr std::array kCases{
    SpongeCase{0., 16., -40., true},  SpongeCase{30., 16., -38., false}, SpongeCase{45., 16., -35., false},
    SpongeCase{60., 16., -28., true}, SpongeCase{0., 32., -28., false},  SpongeCase{60., 32., -18., false},
};

double peak_frequency(const SpongeCase& c) {
    return kVelocity / (c.wavelength_nodes * kSpacing);
}

/// Where the ray that the inner edge reflects at this angle arrives, on the nearest node.
std::array<Position, 1> receiver(const SpongeCase& c) {
    const double offset = 2. * kDistance * std::tan(c.angle_deg * std::numbers::pi / 180.);
    return {Position{std::round(offset / kSpacing) * kSpacing, 0., 0.}};
}

Boundary default_sponge(bool on_every_face, const Grid& grid, double dt_s) {
    Config config;
    config.grid.shape = {grid.nx(), grid.nz()};
    if (!on_every_face) config.boundary.x_min = config.boundary.x_max = config.boundary.z_min = "zero";
    return make_boundary(config, grid, kVelocity, dt_s);
}

/// A source in a 2-D box: the far sides are out of reach; so is z_max, unless a sponge begins kDistance away.
Experiment half_space(const SpongeCase& c, bool sponge) {
    const double width = double(BoundaryConfig{}.sponge_width) * kSpacing;
    // long enough for a wave to come back from the far side of the sponge
    const double path = std::hypot(receiver(c)[0][0], 2. * (kDistance + width));
    const double duration = path / kVelocity + (kRickerPeriods + 1.) / peak_frequency(c);
    const std::array source{SourcePoint{}};
    Experiment e;
    e.grid = silent_grid(2, {kSpacing, kSpacing, kSpacing}, {}, source, receiver(c), kVelocity * duration);
    e.dt_s = 0.9 * stable_dt_s(e.grid, e.scheme, kVelocity);
    e.steps = std::int64_t(duration / e.dt_s);
    if (!sponge) return e;
    e.grid.n[2] = std::int64_t(std::round((kDistance + width - e.grid.origin_m[2]) / kSpacing)) + 1;
    e.sponge = default_sponge(false, e.grid, e.dt_s).sponge;
    return e;
}

std::vector<double> trace(const SpongeCase& c, const Experiment& e, const VerifyOptions& options) {
    const std::array source{SourcePoint{}};
    const auto backend = make_backend(e, constant_velocity(kVelocity), options);
    return seismograms(*backend, e, smooth_ricker(peak_frequency(c)), source, receiver(c));
}

/// 20 log10 of what the sponge sends back over what a perfect mirror at its inner edge would.
Measurement reflection_db(const SpongeCase& c, const VerifyOptions& options) {
    const Experiment with_sponge = half_space(c, true);
    const auto absorbed = trace(c, with_sponge, options);
    const auto open = trace(c, half_space(c, false), options);
    const double f0 = peak_frequency(c), image_distance = std::hypot(receiver(c)[0][0], 2. * kDistance);
    const Signature s = [f0](double t) { return t < 0. ? 0. : ricker(f0, 1.5 / f0, t); };
    double reflected = 0., mirrored = 0.;
    for (std::size_t n = 0; n < absorbed.size(); ++n) {
        reflected = worse(reflected, std::abs(absorbed[n] - open[n]));
        const double p = greens_function_2d(s, image_distance, kVelocity, double(n) * with_sponge.dt_s);
        mirrored = worse(mirrored, std::abs(p));
    }
    return {20. * std::log10(reflected / mirrored), ""};
}

/// 20 log10 of the largest pressure left of a field of random signs, all wavenumbers at once, in a box of sponges.
Measurement left_over_db(std::int64_t steps, const VerifyOptions& options) {
    Experiment e;
    e.grid.dimensions = 2;
    e.grid.n = {140, 1, 120};
    e.grid.spacing_m = {kSpacing, kSpacing, kSpacing};
    e.dt_s = 0.9 * stable_dt_s(e.grid, e.scheme, kVelocity);
    e.steps = steps;
    e.sponge = default_sponge(true, e.grid, e.dt_s).sponge;
    std::vector<double> p(std::size_t(e.grid.points()));
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = scatter(std::int64_t(i)) < 0.5 ? -1. : 1.;
    const auto backend = make_backend(e, constant_velocity(kVelocity), options);
    double left = 0.;
    for (const double value : evolve(*backend, e, p, p)) left = worse(left, std::abs(value));
    return {20. * std::log10(left), ""};
}

std::string describe(const SpongeCase& c) {
    char text[64];
    std::snprintf(text, sizeof text, "incidence at %.0f degrees, %.0f nodes per wavelength", c.angle_deg,
                  c.wavelength_nodes);
    return text;
}

}  // namespace

PromiseGroup sponge_reflection() {
    PromiseGroup group;
    group.id = "R6";
    group.title = "Reflection of the sponge";
    group.quantity = "amplitude over that of a perfect mirror";
    group.unit = "dB";
    group.method =
        "The default sponge (40 nodes) on one face of a 2-D box, source and receiver 30 nodes before its inner edge. "
        "The same shot in a box so large that no face is heard is subtracted; the largest amplitude of the difference "
        "is divided by that of the image source, the reflection of a perfect mirror at the inner edge. The wavelength "
        "is that of the peak frequency of a Ricker wavelet: 40 nodes are 2.5 or 1.25 wavelengths. A sponge is no "
        "perfectly matched layer: it sends back several per cent of long and of oblique waves, so widen it where that "
        "matters. The last row asks that nothing grows: what is left of a field of random signs, amplitude 1 and all "
        "wavenumbers at once, in a box with sponges on all sides.";
    for (const SpongeCase& c : kCases)
        group.promises.push_back({describe(c), c.limit_db, c.quick,
                                  [c](const VerifyOptions& options) { return reflection_db(c, options); }});
    group.promises.push_back({"largest pressure of a random field after 5,000 steps", 0., false,
                              [](const VerifyOptions& options) { return left_over_db(5000, options); }});
    return group;
}

}  // namespace onda::verify
