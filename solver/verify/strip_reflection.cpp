#include "solver/verify/strip_reflection.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "solver/verify/analytic.hpp"

namespace onda::verify {
namespace {

constexpr double kVelocity = 2000., kSpacing = 10.;
constexpr double kDistance = 300.;  // of source and receiver from the strip's inner edge [m]
constexpr double kHaste = 1.3;      // short waves run ahead: the time step makes them faster

double peak_frequency(const Incidence& c) {
    return kVelocity / (c.wavelength_nodes * kSpacing);
}

/// Where the ray that the inner edge reflects at this angle arrives, on the nearest node.
std::array<Position, 1> receiver(const Incidence& c) {
    const double offset = 2. * kDistance * std::tan(c.angle_deg * std::numbers::pi / 180.);
    return {Position{std::round(offset / kSpacing) * kSpacing, 0., 0.}};
}

/// A source in a 2-D box: the far sides are out of reach; so is z_max, unless a strip begins kDistance away.
Experiment half_space(const Incidence& c, bool strip) {
    const double width = double(c.kind == "sponge" ? BoundaryConfig{}.sponge_width : BoundaryConfig{}.cpml_width);
    // long enough for a wave to come back from the far side of the strip
    const double path = std::hypot(receiver(c)[0][0], 2. * (kDistance + width * kSpacing));
    const double duration = path / kVelocity + (kRickerPeriods + 1.) / peak_frequency(c);
    const std::array source{SourcePoint{}};
    Experiment e;
    e.scheme = c.scheme;
    e.grid = silent_grid(2, {kSpacing, kSpacing, kSpacing}, {}, source, receiver(c), kHaste * kVelocity * duration);
    e.dt_s = 0.9 * stable_dt_s(e.grid, e.scheme, kVelocity);
    e.steps = std::int64_t(duration / e.dt_s);
    if (!strip) return e;
    e.grid.n[2] = std::int64_t(std::round((kDistance - e.grid.origin_m[2]) / kSpacing + width)) + 1;
    const Boundary boundary = default_strips({"zero", "zero", "zero", "zero", "zero", c.kind}, e.grid, e.scheme,
                                             kVelocity, e.dt_s, peak_frequency(c));
    e.sponge = boundary.sponge;
    e.cpml = boundary.cpml;
    return e;
}

std::vector<double> trace(const Incidence& c, const Experiment& e, const VerifyOptions& options) {
    const std::array source{SourcePoint{}};
    const auto backend = constant_medium(e, kVelocity, options);
    return seismograms(*backend, e, smooth_ricker(peak_frequency(c)), source, receiver(c));
}

/// 121 x 101 nodes about the origin; without layers as many more as are needed for silence.
Experiment medium_box(bool layers, double vp_max, bool free_surface, double frequency_hz) {
    constexpr double duration = 0.9;
    Experiment e;
    e.grid.dimensions = 2;
    e.grid.spacing_m = {kSpacing, kSpacing, kSpacing};
    e.grid.n = {121, 1, 101};
    e.grid.origin_m = {-600., 0., -500.};
    e.dt_s = 0.9 * stable_dt_s(e.grid, e.scheme, vp_max);
    e.steps = std::int64_t(duration / e.dt_s);
    if (free_surface) e.halos[4] = Halo::mirror_negative;
    if (layers) {
        e.cpml = default_strips({"cpml", "cpml", "cpml", "cpml", free_surface ? "free_surface" : "cpml", "cpml"},
                                e.grid, e.scheme, vp_max, e.dt_s, frequency_hz)
                     .cpml;
        return e;
    }
    const auto beyond = std::int64_t(std::ceil(0.5 * kHaste * vp_max * duration / kSpacing));
    const std::int64_t above = free_surface ? 0 : beyond;
    e.grid.n[0] += 2 * beyond;
    e.grid.n[2] += above + beyond;
    e.grid.origin_m[0] -= double(beyond) * kSpacing;
    e.grid.origin_m[2] -= double(above) * kSpacing;
    return e;
}

}  // namespace

Boundary default_strips(const std::array<std::string, 6>& kinds, const Grid& grid, const Scheme& scheme,
                        double vp_max_m_s, double dt_s, double frequency_hz) {
    Config config;
    BoundaryConfig& b = config.boundary;
    const std::array faces{&b.x_min, &b.x_max, &b.y_min, &b.y_max, &b.z_min, &b.z_max};
    for (std::size_t face = 0; face < faces.size(); ++face) *faces[face] = kinds[face];
    return make_boundary(config, grid, {scheme, vp_max_m_s, dt_s, frequency_hz});
}

std::unique_ptr<Backend> constant_medium(const Experiment& e, double vp_m_s, const VerifyOptions& options) {
    return make_backend(e, constant_velocity(vp_m_s), options, constant_velocity(1.));
}

Measurement reflection_db(const Incidence& c, const VerifyOptions& options) {
    const Experiment with_strip = half_space(c, true);
    const auto absorbed = trace(c, with_strip, options);
    const auto open = trace(c, half_space(c, false), options);
    const double f0 = peak_frequency(c), image_distance = std::hypot(receiver(c)[0][0], 2. * kDistance);
    const Signature s = [f0](double t) { return t < 0. ? 0. : ricker(f0, 1.5 / f0, t); };
    double reflected = 0., mirrored = 0.;
    for (std::size_t n = 0; n < absorbed.size(); ++n) {
        reflected = worse(reflected, std::abs(absorbed[n] - open[n]));
        const double p = greens_function_2d(s, image_distance, kVelocity, double(n) * with_strip.dt_s);
        mirrored = worse(mirrored, std::abs(p));
    }
    return {20. * std::log10(reflected / mirrored), ""};
}

Measurement box_difference_db(const Medium& vp_m_s, double vp_max_m_s, bool free_surface,
                              const VerifyOptions& options) {
    constexpr double frequency = 12.;
    const std::array source{SourcePoint{{-100., 0., -120.}}};
    std::vector<Position> receivers;
    for (double x = -390.; x <= 390.; x += 130.)
        for (const double z : {-280., 0., 280.}) receivers.push_back({x, 0., z});
    const auto shoot = [&](bool layers) {
        const Experiment e = medium_box(layers, vp_max_m_s, free_surface, frequency);
        const auto row = [&](std::int64_t, std::int64_t z, std::span<float> vp) {
            for (std::size_t x = 0; x < vp.size(); ++x) {
                const Position at = e.grid.position_m(std::int64_t(x), 0, z);
                vp[x] = float(vp_m_s(at[0], at[2]));
            }
        };
        const auto backend = make_backend(e, row, options);
        return seismograms(*backend, e, smooth_ricker(frequency), source, receivers);
    };
    const std::vector<double> small = shoot(true), large = shoot(false);
    double difference = 0., largest = 0.;
    for (std::size_t i = 0; i < small.size(); ++i) {
        difference = worse(difference, std::abs(small[i] - large[i]));
        largest = worse(largest, std::abs(large[i]));
    }
    return {20. * std::log10(difference / largest), ""};
}

}  // namespace onda::verify
