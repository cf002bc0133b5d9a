// Particle velocity and acceleration at receivers against mathematics: exact motion around a point source in 3-D with
// its near field, below and on a free surface; p = rho c v of plane waves, up and down, in one medium and in two of
// different density; walls; and the same bits whatever computes them.
// Takes 15 s.
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <numbers>
#include <spdlog/fmt/fmt.h>

#include "io/results/seismograms.hpp"
#include "tests/solver/quiet_run.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;
using std::numbers::pi;

namespace {

constexpr double kSpeed = 2000., kDensity = 1200., kPeakHz = 10., kCentre_s = 0.15;

/// Ricker's wavelet, its integral and its derivative.
struct Pulse {
    double s, integral, slope;
    explicit Pulse(double t) {
        const double tau = t - kCentre_s, b = std::pow(pi * kPeakHz, 2), a = b * tau * tau, e = std::exp(-a);
        s = (1. - 2. * a) * e;
        integral = tau * e;
        slope = -2. * b * tau * (3. - 2. * a) * e;
    }
};

struct Motion {
    double pressure = 0.;
    std::array<double, 3> velocity{}, acceleration{};
    void add(const Position& from, const Position& to, double amplitude, double t) {
        const Position d{to[0] - from[0], to[1] - from[1], to[2] - from[2]};
        const double r = std::hypot(d[0], d[1], d[2]), strength = amplitude / (4. * pi * r);
        const Pulse pulse(t - r / kSpeed);
        pressure += strength * pulse.s;
        for (std::size_t a = 0; a < 3; ++a) {
            velocity[a] += strength / kDensity * (pulse.s / kSpeed + pulse.integral / r) * d[a] / r;
            acceleration[a] += strength / kDensity * (pulse.slope / kSpeed + pulse.s / r) * d[a] / r;
        }
    }
};

const std::vector<float>& component_of(const ShotGather& gather, const std::string& name) {
    if (name == "pressure") return gather.pressure;
    for (const GatherComponent& component : gather.motion)
        if (component.quantity->name == name) return component.values;
    FAIL("no " << name);
    return gather.pressure;
}

/// |a - exact| over |scale|, root mean square, of a receiver's trace.
double trace_error(const ShotGather& gather, const std::string& name, std::size_t receiver,
                   const std::function<double(double)>& exact, const std::function<double(double)>& scale) {
    const std::vector<float>& traces = component_of(gather, name);
    double difference = 0., size = 0.;
    for (std::int64_t n = 0; n < gather.samples; ++n) {
        const double t = double(n) * gather.dt_s;
        difference += std::pow(double(traces[receiver * std::size_t(gather.samples) + std::size_t(n)]) - exact(t), 2);
        size += std::pow(scale(t), 2);
    }
    REQUIRE(size > 0.);
    return std::sqrt(difference / size);
}
double trace_error(const ShotGather& gather, const std::string& name, std::size_t receiver,
                   const std::function<double(double)>& exact) {
    return trace_error(gather, name, receiver, exact, exact);
}

/// A source and five receivers: on a node, off the nodes along all axes, near the source, and, where there is a
/// surface, on it, on and off its nodes.
constexpr Position kMotionSource{303., 296., 141.};
constexpr std::array<Position, 5> kMotionReceivers{Position{300., 300., 330.}, Position{427.3, 361.9, 224.6},
                                                   Position{335.5, 296., 170.2}, Position{400., 260., 0.},
                                                   Position{253.7, 391.1, 0.}};
const std::string kInSpace = fmt::format(R"(schema_version: 1
grid: {{shape: [61, 61, 45], spacing_m: 10}}
model: {{type: constant, vp_m_s: {}}}
time: {{duration_s: 0.45}}
scheme: {{space_order: 12}}
wavelet: {{type: ricker, peak_frequency_hz: {}, t0_s: {}}}
sources: [{{position_m: [303, 296, 141]}}]
receivers:
  - {{position_m: [300, 300, 330]}}
  - {{position_m: [427.3, 361.9, 224.6]}}
  - {{position_m: [335.5, 296, 170.2]}}
  - {{position_m: [400, 260, 0]}}
  - {{position_m: [253.7, 391.1, 0]}}
output:
  seismograms:
    particle_motion: [velocity_x, velocity_y, velocity_z, acceleration_x, acceleration_y, acceleration_z]
    rho_kg_m3: {}
)",
                                         kSpeed, kPeakHz, kCentre_s, kDensity);

Motion exact_motion(const Position& receiver, bool surface, double t) {
    Motion motion;
    motion.add(kMotionSource, receiver, 1., t);
    if (surface) motion.add({kMotionSource[0], kMotionSource[1], -kMotionSource[2]}, receiver, -1., t);
    return motion;
}

/// Checks all components of all receivers. \param limit of each relative to the magnitude of its vector.
void check_point_source(const ShotGather& gather, bool surface, double limit) {
    for (std::size_t r = 0; r < kMotionReceivers.size(); ++r) {
        CAPTURE(r);
        const bool is_silent = surface && kMotionReceivers[r][2] == 0.;
        if (!is_silent)
            CHECK(trace_error(gather, "pressure", r, [&](double t) {
                      return exact_motion(kMotionReceivers[r], surface, t).pressure;
                  }) < limit);
        for (std::size_t a = 0; a < 3; ++a) {
            const std::string axis(1, "xyz"[a]);
            CAPTURE(axis);
            const auto v = [&](double t) { return exact_motion(kMotionReceivers[r], surface, t).velocity; };
            const auto g = [&](double t) { return exact_motion(kMotionReceivers[r], surface, t).acceleration; };
            const auto size = [](const std::array<double, 3>& x) { return std::hypot(x[0], x[1], x[2]); };
            CHECK(trace_error(
                      gather, "velocity_" + axis, r, [&](double t) { return v(t)[a]; },
                      [&](double t) { return size(v(t)); }) < limit);
            CHECK(trace_error(
                      gather, "acceleration_" + axis, r, [&](double t) { return g(t)[a]; },
                      [&](double t) { return size(g(t)); }) < limit);
        }
    }
}

ShotGather motion_gather(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return run_quietly(cpu_config(text, overrides)).shots.front().gather;
}

/// Nothing but plane waves along z: rigid sides, and sources at equal strength on all nodes of a row. The outer ones
/// stand for half a cell.
std::string plane_waves(const std::string& model) {
    std::string text = fmt::format(R"(schema_version: 1
grid: {{shape: [5, 241], spacing_m: 10}}
model: {}
time: {{duration_s: 0.9}}
boundary: {{x_min: rigid, x_max: rigid}}
wavelet: {{type: ricker, peak_frequency_hz: {}, t0_s: {}}}
receivers:
  - {{position_m: [10, 460]}}
  - {{position_m: [13.7, 734.2]}}
  - {{position_m: [0, 1300]}}
  - {{position_m: [40, 1647.1]}}
output: {{seismograms: {{particle_motion: [velocity_x, velocity_z, acceleration_z]}}}}
sources:
)",
                                   model, kPeakHz, kCentre_s);
    for (int x = 0; x < 5; ++x)
        text += fmt::format("  - {{position_m: [{}, 1000], shot: 1, amplitude: {}}}\n", 10 * x,
                            x == 0 || x == 4 ? 500 : 1000);
    return text;
}

/// |p - impedance v| over |p|, root mean square.
double impedance_mismatch(const ShotGather& gather, std::size_t receiver, double impedance) {
    const std::vector<float>& v = component_of(gather, "velocity_z");
    const auto at = [&](const std::vector<float>& traces, double t) {
        return double(traces[receiver * std::size_t(gather.samples) + std::size_t(std::llround(t / gather.dt_s))]);
    };
    return trace_error(gather, "pressure", receiver, [&](double t) { return impedance * at(v, t); });
}

}  // namespace

TEST_CASE("around a point source particles move as they should, in its near field, too") {
    check_point_source(motion_gather(kInSpace), false, 0.002);
    check_point_source(motion_gather(kInSpace, {"scheme.precision=double", "output.seismograms.dt_s=0.001"}), false,
                       0.002);
    check_point_source(motion_gather(kInSpace, {"time.stepping=leap"}), false, 0.002);
    check_point_source(motion_gather(kInSpace, {"time.order=4"}), false, 0.002);
}

TEST_CASE("on and below a free surface particles move as source and image have it; along the surface nothing does") {
    const ShotGather gather = motion_gather(kInSpace, {"boundary.z_min=free_surface"});
    check_point_source(gather, true, 0.002);
    for (const char* const name : {"pressure", "velocity_x", "velocity_y", "acceleration_x"})
        for (std::size_t i = 3 * std::size_t(gather.samples); i < gather.pressure.size(); ++i)
            REQUIRE(component_of(gather, name)[i] == 0.F);
}

TEST_CASE("on a rigid wall nothing moves through it, and along it particles move with the image's") {
    const ShotGather gather = motion_gather(kInSpace, {"boundary.z_min=rigid"});
    for (const char* const name : {"velocity_z", "acceleration_z"})
        for (std::size_t i = 3 * std::size_t(gather.samples); i < gather.pressure.size(); ++i)
            REQUIRE(component_of(gather, name)[i] == 0.F);
    const auto exact = [](double t) { return 2. * exact_motion(kMotionReceivers[3], false, t).velocity[0]; };
    CHECK(trace_error(gather, "velocity_x", 3, exact) < 0.002);
}

TEST_CASE("plane waves have the pressure rho c v, up and down, and none of their motion is across") {
    const std::string text = plane_waves(
        fmt::format("{{type: layered, rho_kg_m3: {}, layers: [{{top_m: 0, vp_m_s: {}}}]}}", kDensity, kSpeed));
    for (const auto& settings : {std::vector<std::string>{}, {"output.seismograms.dt_s=0.002"}, {"time.order=4"}}) {
        const ShotGather gather = motion_gather(text, settings);
        for (std::size_t r = 0; r < 4; ++r) {
            CAPTURE(r);
            CHECK(impedance_mismatch(gather, r, (r < 2 ? -1. : 1.) * kDensity * kSpeed) < 2.5e-4);
        }
        float across = 0.F, along = 0.F;
        for (const float v : component_of(gather, "velocity_x")) across = std::max(across, std::abs(v));
        for (const float v : component_of(gather, "velocity_z")) along = std::max(along, std::abs(v));
        CHECK(along > 0.F);
        CHECK(across < 1e-5F * along);
    }
}

TEST_CASE("with variable density each receiver has that of its own place") {
    const std::string text = plane_waves(
        "{type: layered, layers: [{top_m: 0, vp_m_s: 2000, rho_kg_m3: 1200}, {top_m: 1145, vp_m_s: 2600, rho_kg_m3: "
        "2100}]}");
    const ShotGather gather = motion_gather(text);
    for (const std::size_t r : {2u, 3u}) CHECK(impedance_mismatch(gather, r, 2600. * 2100.) < 3e-4);
    // Above the interface the wave from the source and its reflection go the same way.
    for (const std::size_t r : {0u, 1u}) CHECK(impedance_mismatch(gather, r, -2000. * 1200.) < 3e-4);
}

TEST_CASE("beside a jump of the density motion is less accurate, and nowhere else") {
    const std::string text = plane_waves(
        "{type: layered, layers: [{top_m: 0, vp_m_s: 2000, rho_kg_m3: 1200}, {top_m: 1150, vp_m_s: 2600, rho_kg_m3: "
        "2100}]}");
    const ShotGather gather =
        motion_gather(text, {"receivers=[{type: line, first_m: [13, 1150], last_m: [13, 1220], spacing_m: 5}]"});
    const auto error = [&](std::size_t half_nodes) { return impedance_mismatch(gather, half_nodes, 2600. * 2100.); };
    CHECK(error(0) < 0.13);
    CHECK(error(1) < 0.13);
    CHECK(error(2) < 0.04);
    CHECK(error(4) < 0.007);
    for (const std::size_t half_nodes : {12u, 13u, 14u}) CHECK(error(half_nodes) < 3e-4);
}

TEST_CASE("a coarser or finer sampling of the record changes no velocity that it has a sample of") {
    const std::vector<std::string> few{"output.seismograms.particle_motion=[velocity_z]",
                                       "output.seismograms.rho_kg_m3=1000"};
    const auto sampled = [&](const char* interval) {
        std::vector<std::string> settings = few;
        settings.push_back(std::string("output.seismograms.dt_s=") + interval);
        return motion_gather(kSmall2d, settings);
    };
    const ShotGather fine = sampled("0.001"), coarse = sampled("0.006");
    const std::vector<float>&all = component_of(fine, "velocity_z"), &some = component_of(coarse, "velocity_z");
    double largest = 0., difference = 0.;
    for (std::size_t r = 0; r < fine.receivers_m.size(); ++r)
        for (std::int64_t n = 0; n < coarse.samples - 10; ++n) {  // the last of the coarse do not know what follows
            const double v = double(all[r * std::size_t(fine.samples) + std::size_t(6 * n)]);
            largest = std::max(largest, std::abs(v));
            difference =
                std::max(difference, std::abs(double(some[r * std::size_t(coarse.samples) + std::size_t(n)]) - v));
        }
    CHECK(largest > 0.);
    CHECK(difference < 2e-3 * largest);
}

TEST_CASE("motion has the same bits in slabs and batches and by any number of threads, and pressure those without it") {
    const std::vector<std::string> motion{
        "output.seismograms.particle_motion=[velocity_x, velocity_z, acceleration_y]",
        "output.seismograms.rho_kg_m3=1000", "grid.shape=[40, 36, 70]",
        "receivers=[{type: line, first_m: [103, 171, 100], last_m: [300, 171, 500], count: 5}]"};
    const auto with = [&](const std::string& setting) {
        std::vector<std::string> all = motion;
        all.push_back(setting);
        return motion_gather(kSmall3d, all);
    };
    const ShotGather whole = motion_gather(kSmall3d, motion);
    for (const char* const other :
         {"backend.slabs=2", "backend.slabs=3", "backend.threads=1", "backend.kernel=reference"}) {
        CAPTURE(other);
        const ShotGather same = with(other);
        CHECK(same.pressure == whole.pressure);
        REQUIRE(same.motion.size() == 3);
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(same.motion[i].quantity == whole.motion[i].quantity);
            CHECK(same.motion[i].values == whole.motion[i].values);
        }
    }
    const ShotGather alone = motion_gather(kSmall3d, {motion[2], motion[3]});
    CHECK(alone.motion.empty());
    CHECK(alone.pressure == whole.pressure);

    const std::vector<std::string> few{"output.seismograms.particle_motion=[velocity_z]", motion[1]};
    const SurveyInMemory together = run_quietly(cpu_config(kSmall2d, {few[0], few[1], "backend.batch=2"})),
                         apart = run_quietly(cpu_config(kSmall2d, {few[0], few[1], "backend.batch=1"}));
    for (const std::size_t shot : {0u, 1u}) {
        CHECK(component_of(together.shots[shot].gather, "velocity_z") ==
              component_of(apart.shots[shot].gather, "velocity_z"));
        CHECK(together.facts.shots[shot].seismograms == apart.facts.shots[shot].seismograms);
    }
}
