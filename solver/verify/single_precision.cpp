#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "solver/verify/experiment.hpp"
#include "solver/verify/field_energy.hpp"
#include "solver/verify/groups.hpp"

namespace onda::verify {
namespace {

constexpr double kSoundInAir = 343.;  // m/s

constexpr std::array<std::int64_t, 3> kFloor{41, 1, 33}, kRoom{25, 21, 23};  // nodes

/// A box with rigid walls all around: every face an echo, and nothing that holds the mean pressure but the weights.
struct RigidBox {
    int dimensions, order;
    std::array<std::int64_t, 3> nodes;  ///< one along y in 2-D
    double spacing_m, vp_m_s, seconds;
};

Experiment experiment_in(const RigidBox& box, Precision precision) {
    Experiment e;
    e.grid.dimensions = box.dimensions;
    e.grid.n = {box.nodes[0], box.dimensions == 3 ? box.nodes[1] : 1, box.nodes[2]};
    e.grid.spacing_m.fill(box.spacing_m);
    e.scheme = make_scheme(Equation::star, box.order);
    e.precision = precision;
    for (std::size_t face = 0; face < 6; ++face)
        if (e.grid.has_axis(int(face / 2))) e.halos[face] = Halo::mirror_positive;
    e.dt_s = 0.9 * stable_dt_s(e.grid, e.scheme, box.vp_m_s);
    e.steps = std::llround(box.seconds / e.dt_s);
    return e;
}

/// |mean| over rms of the pressure after a burst of 800 Hz, whose own mean is below 1e-5 of its rms.
Measurement mean_pressure(const Experiment& e, const VerifyOptions& options) {
    const auto backend = make_wavefield(e, constant_velocity(kSoundInAir), options);
    Shot shot;
    shot.sources.push_back({e.grid.position_m(10, e.grid.dimensions == 3 ? 12 : 0, 15), 1., 0});
    Survey survey;
    survey.wavelets = {smooth_ricker(800.)};
    record(*backend, e, make_sources(shot, survey, e.grid, e.halos, e.time_axis()), NodeWeights{});
    std::vector<double> p(std::size_t(e.grid.points()));
    backend->download(Window::whole(e.grid), std::span<double>(p));
    double volume = 0., sum = 0., squares = 0.;
    for (std::int64_t i = 0; i < e.grid.points(); ++i) {
        const double share = node_share(e, e.grid.node(i));
        volume += share;
        sum += share * p[std::size_t(i)];
        squares += share * p[std::size_t(i)] * p[std::size_t(i)];
    }
    return {std::abs(sum / volume) / std::sqrt(squares / volume), std::to_string(e.steps) + " steps"};
}

/// A standing wave of `nodes` nodes a wavelength along x between rigid walls, for 20 s at 2,000 m/s and 10 m: the
/// largest difference between single and double precision.
Measurement long_wave(int dimensions, int order, std::int64_t nodes, const VerifyOptions& options) {
    const auto after_20_s = [&](Precision precision) {
        const Experiment e = experiment_in({dimensions, order, {nodes / 2 + 1, 9, 9}, 10., kVelocity, 20.}, precision);
        std::vector<double> p;
        for (std::int64_t i = 0; i < e.grid.points(); ++i)
            p.push_back(std::cos(2. * std::numbers::pi * double(e.grid.node(i)[0]) / double(nodes)));
        return evolve(e, constant_velocity(kVelocity), options, p, p);
    };
    const std::vector<double> exact = after_20_s(Precision::float64), single = after_20_s(Precision::float32);
    double difference = 0.;
    for (std::size_t i = 0; i < exact.size(); ++i) difference = worse(difference, std::abs(single[i] - exact[i]));
    return {difference, ""};
}

}  // namespace

PromiseGroup single_precision() {
    PromiseGroup group;
    group.id = "P1";
    group.title = "Closed rooms and long waves in single precision";
    group.quantity = "mean over rms pressure; largest difference, amplitude 1";
    group.method =
        "Finite-difference coefficients that do not sum to exactly zero act like a spring at every node: the mean "
        "pressure of a closed room grows or oscillates, and long waves have the wrong velocity, with an error that "
        "increases with wavelength. Rooms with rigid walls, 343 "
        "m/s, 25 x 21 x 23 nodes (41 x 33 in 2-D) of 0.04 m, after a Ricker burst of 800 Hz: the mean must stay far "
        "below the rms after 3 s and of its order after 60 s (with coefficients rounded one by one it is ten times as "
        "large after 3 s). What remains in single precision is a random walk of rounding errors, which grows like "
        "t^1.5. Standing waves of 20 to 400 nodes per wavelength between rigid walls, 2,000 m/s, 10 m, are compared "
        "with the same run in double precision after 20 s.";
    const auto add_room = [&group](int dimensions, int order, Precision precision, double seconds, double limit,
                                   bool quick) {
        group.promises.push_back({"room, " + std::to_string(dimensions) + "-D, order " + std::to_string(order) + ", " +
                                      std::to_string(int(seconds)) + " s, " + name(precision),
                                  limit, quick, [=](const VerifyOptions& options) {
                                      const RigidBox room{dimensions, order,       dimensions == 3 ? kRoom : kFloor,
                                                          0.04,       kSoundInAir, seconds};
                                      return mean_pressure(experiment_in(room, precision), options);
                                  }});
    };
    add_room(2, 8, Precision::float32, 3., 0.05, true);
    add_room(2, 16, Precision::float32, 60., 2., false);
    add_room(3, 8, Precision::float64, 3., 1e-5, false);
    add_room(3, 8, Precision::float32, 3., 0.05, false);
    add_room(3, 8, Precision::float32, 60., 2., false);
    group.promises.back().takes_long = true;  // the room in 2-D walks as long, and that in 3-D as far in 3 s
    for (const int dimensions : {2, 3})
        for (const int order : {4, 8, 16})
            for (const std::int64_t nodes : {20, 100, 400}) {
                group.promises.push_back({std::to_string(nodes) + " nodes a wavelength, " + std::to_string(dimensions) +
                                              "-D, order " + std::to_string(order),
                                          1e-3, dimensions == 2 && order == 8, [=](const VerifyOptions& options) {
                                              return long_wave(dimensions, order, nodes, options);
                                          }});
                // In 2-D every order has every length, in 3-D each has one of them in tests.
                const std::int64_t length_in_3d = order == 4 ? 20 : order == 8 ? 400 : 100;
                group.promises.back().takes_long = dimensions == 3 && nodes != length_in_3d;
            }
    return group;
}

}  // namespace onda::verify
