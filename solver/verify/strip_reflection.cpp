#include "solver/verify/strip_reflection.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "solver/verify/analytic.hpp"

namespace onda::verify {
namespace {

constexpr double kHaste = 1.3;  // short waves run ahead: the time step makes them faster

double peak_frequency(const Incidence& c) {
    return kVelocity / (c.wavelength_nodes * kSpacing);
}

double distance_m(const Incidence& c) {
    return c.distance_nodes * kSpacing;
}

/// Where the ray that the inner edge reflects at this angle arrives, on the nearest node.
std::array<Position, 1> receiver(const Incidence& c) {
    const double offset = 2. * distance_m(c) * std::tan(c.angle_deg * std::numbers::pi / 180.);
    return {Position{std::round(offset / kSpacing) * kSpacing, 0., 0.}};
}

/// A source in a 2-D box: the far sides are out of reach; so is z_max, unless a strip begins distance_m(c) away.
Experiment half_space(const Incidence& c, bool strip) {
    const double width = double(c.kind == "sponge" ? BoundaryConfig{}.sponge_width : c.cpml_width);
    // long enough for a wave to come back from the far side of the strip
    const double path = std::hypot(receiver(c)[0][0], 2. * (distance_m(c) + width * kSpacing));
    const double duration = path / kVelocity + (kRickerPeriods + 1.) / peak_frequency(c);
    const std::array source{SourcePoint{}};
    Experiment e;
    e.scheme = c.scheme;
    e.grid = silent_grid(2, {kSpacing, kSpacing, kSpacing}, {}, source, receiver(c), kHaste * kVelocity * duration);
    e.dt_s = 0.9 * stable_dt_in_layers_s(e.grid, e.scheme, kVelocity);
    e.steps = std::int64_t(duration / e.dt_s);
    if (!strip) return e;
    e.grid.n[2] = std::int64_t(std::round((distance_m(c) - e.grid.origin_m[2]) / kSpacing + width)) + 1;
    const Boundary boundary = default_strips({"zero", "zero", "zero", "zero", "zero", c.kind}, e.grid, e.scheme,
                                             kVelocity, e.dt_s, peak_frequency(c), c.cpml_width);
    e.strips = boundary.strips;
    return e;
}

std::vector<double> trace(const Incidence& c, const Experiment& e, const VerifyOptions& options) {
    const std::array source{SourcePoint{}};
    const auto backend = make_wavefield(e, constant_velocity(kVelocity), options, constant_velocity(1.));
    return seismograms(*backend, e, smooth_ricker(peak_frequency(c)), source, receiver(c));
}

/// Nodes about the origin; a large box has as many more as are needed for silence: sources and receivers lie between
/// the layers of the small one.
Experiment medium_box(const SmallBox& box, bool layers, double duration_s, double frequency_hz) {
    Experiment e;
    e.grid.dimensions = box.dimensions;
    e.grid.spacing_m = {kSpacing, kSpacing, kSpacing};
    e.grid.n = box.dimensions == 2 ? std::array<std::int64_t, 3>{121, 1, 101} : std::array<std::int64_t, 3>{57, 55, 59};
    for (std::size_t a = 0; a < 3; ++a) e.grid.origin_m[a] = -double(e.grid.n[a] / 2) * kSpacing;
    e.dt_s = 0.9 * stable_dt_s(e.grid, e.scheme, box.vp_max_m_s);
    e.steps = std::int64_t(duration_s / e.dt_s);
    if (box.free_surface) e.halos[4] = Halo::mirror_negative;
    if (layers) {
        e.strips = default_strips({"cpml", "cpml", "cpml", "cpml", box.free_surface ? "free_surface" : "cpml", "cpml"},
                                  e.grid, e.scheme, box.vp_max_m_s, e.dt_s, frequency_hz)
                       .strips;
        return e;
    }
    const double way_nodes = 0.5 * kHaste * box.vp_max_m_s * duration_s / kSpacing;
    const auto beyond = std::int64_t(std::ceil(way_nodes)) - BoundaryConfig{}.cpml_width;
    for (std::size_t a = 0; a < 3; ++a) {
        if (!e.grid.has_axis(int(a))) continue;
        const std::int64_t below = e.halos[2 * a] == Halo::zero ? beyond : 0;
        e.grid.n[a] += below + beyond;
        e.grid.origin_m[a] -= double(below) * kSpacing;
    }
    return e;
}

/// A shot and its receivers, between the layers of a small box.
struct Spread {
    SourcePoint source;
    std::vector<Position> receivers;
    double duration_s, frequency_hz;
};

Spread spread(int dimensions) {
    if (dimensions == 2) {
        Spread s{{{-100., 0., -120.}}, {}, 0.9, 12.};
        for (double x = -390.; x <= 390.; x += 130.)
            for (const double z : {-280., 0., 280.}) s.receivers.push_back({x, 0., z});
        return s;
    }
    Spread s{{{-20., 30., 10.}}, {}, 0.5, 15.};
    for (const double x : {-70., 0., 70.})
        for (const double y : {-70., 0., 60.})
            for (const double z : {-80., 0., 80.}) s.receivers.push_back({x, y, z});
    return s;
}

}  // namespace

Boundary default_strips(const std::array<std::string, 6>& kinds, const Grid& grid, const Scheme& scheme,
                        double vp_max_m_s, double dt_s, double frequency_hz, std::int64_t cpml_width) {
    BoundaryConfig b;
    b.cpml_width = cpml_width;
    const std::array faces{&b.x_min, &b.x_max, &b.y_min, &b.y_max, &b.z_min, &b.z_max};
    for (std::size_t face = 0; face < faces.size(); ++face) *faces[face] = kinds[face];
    return make_boundary(b, grid, {scheme, vp_max_m_s, dt_s, frequency_hz}, {});
}

RowReader rows_of(const ValueAt& value, const Grid& grid) {
    return [value, grid](std::int64_t y, std::int64_t z, std::span<float> row) {
        for (std::size_t x = 0; x < row.size(); ++x) {
            const Position at = grid.position_m(std::int64_t(x), y, z);
            row[x] = float(value(at[0], at[2]));
        }
    };
}

Measurement reflection_db(const Incidence& c, const VerifyOptions& options) {
    const Experiment with_strip = half_space(c, true);
    const auto absorbed = trace(c, with_strip, options);
    const auto open = trace(c, half_space(c, false), options);
    const double f0 = peak_frequency(c), image_distance = std::hypot(receiver(c)[0][0], 2. * distance_m(c));
    const Signature s = [f0](double t) { return t < 0. ? 0. : ricker(f0, 1.5 / f0, t); };
    double reflected = 0., mirrored = 0.;
    for (std::size_t n = 0; n < absorbed.size(); ++n) {
        reflected = worse(reflected, std::abs(absorbed[n] - open[n]));
        const double p = greens_function_2d(s, image_distance, kVelocity, double(n) * with_strip.dt_s);
        mirrored = worse(mirrored, std::abs(p));
    }
    return {20. * std::log10(reflected / mirrored), ""};
}

Measurement box_difference_db(const SmallBox& box, const VerifyOptions& options) {
    const Spread s = spread(box.dimensions);
    const auto shoot = [&](bool layers) {
        const Experiment e = medium_box(box, layers, s.duration_s, s.frequency_hz);
        const auto backend = make_wavefield(e, rows_of(box.vp_m_s, e.grid), options);
        return seismograms(*backend, e, smooth_ricker(s.frequency_hz), std::span(&s.source, 1), s.receivers);
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
