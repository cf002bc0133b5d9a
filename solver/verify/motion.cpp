#include <array>
#include <cstdio>
#include <string>

#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"
#include "solver/verify/point_source.hpp"

namespace onda::verify {
namespace {

/// Where a source and a receiver lie: z below the wall z = 0, or anywhere without one; nodes are 10 m apart.
struct MotionPlaces {
    const char* name;
    Position source, receiver;
};
constexpr MotionPlaces kMotionOnNodes{"on the nodes", {0., 0., 120.}, {180., 100., 240.}};
constexpr MotionPlaces kMotionOffNodes{"off the nodes", {3.7, 2.1, 116.3}, {183.2, 104.6, 234.9}};
constexpr MotionPlaces kMotionNear{"five nodes from the source", {3.7, 2.1, 116.3}, {38.2, 27.4, 140.8}};
constexpr MotionPlaces kMotionShallow{"1.3 nodes below the wall", {3.7, 2.1, 116.3}, {183.2, 104.6, 13.}};
constexpr MotionPlaces kMotionOnWall{"on the wall", {3.7, 2.1, 116.3}, {183.2, 104.6, 0.}};

struct MotionCase {
    int dimensions;
    Halo z_min;
    MotionPlaces places;
    Precision precision;
    bool quick;
    Equation equation = Equation::star;
};

constexpr std::array kMotionCases{
    MotionCase{2, Halo::zero, kMotionOnNodes, kFloat, true},
    MotionCase{2, Halo::zero, kMotionOffNodes, kFloat, true},
    MotionCase{2, Halo::zero, kMotionOffNodes, kDouble, false},
    MotionCase{2, kFree, kMotionShallow, kFloat, true},
    MotionCase{2, kFree, kMotionOnWall, kFloat, true},
    MotionCase{2, kRigid, kMotionShallow, kFloat, false},
    MotionCase{2, kRigid, kMotionOnWall, kFloat, true},
    MotionCase{2, Halo::zero, kMotionOffNodes, kFloat, false, Equation::variable_density},
    MotionCase{3, Halo::zero, kMotionOnNodes, kFloat, false},
    MotionCase{3, Halo::zero, kMotionOffNodes, kFloat, true},
    MotionCase{3, Halo::zero, kMotionNear, kFloat, true},
    MotionCase{3, kFree, kMotionShallow, kFloat, false},
    MotionCase{3, kFree, kMotionOnWall, kFloat, true},
    MotionCase{3, kRigid, kMotionOnWall, kFloat, false},
};

Measurement motion_error(const MotionCase& c, const VerifyOptions& options) {
    PointSourceCase shot;
    shot.dimensions = c.dimensions;
    shot.scheme = make_scheme(c.equation, 8);
    shot.points_per_wavelength = 10.;
    shot.precision = c.precision;
    shot.walls[4] = c.z_min;
    const auto placed = [&](Position position) {
        if (c.dimensions == 2) position[1] = 0.;
        return position;
    };
    shot.sources = {{placed(c.places.source), 1., 0}};
    shot.receivers = {placed(c.places.receiver)};
    const MotionErrors errors = motion_errors(shot, options);
    char detail[96];
    std::snprintf(detail, sizeof detail, "acceleration %.4f, velocity %.4f", errors.acceleration, errors.velocity);
    return {worse(errors.acceleration, errors.velocity), detail};
}

std::string describe(const MotionCase& c) {
    return std::to_string(c.dimensions) + "-D, " +
           (c.z_min == kFree    ? "free surface, "
            : c.z_min == kRigid ? "rigid wall, "
                                : "") +
           c.places.name + ", " + name(c.precision) +
           (c.equation == Equation::star ? "" : ", " + std::string(c.equation->name));
}

}  // namespace

PromiseGroup particle_motion() {
    PromiseGroup group;
    group.id = "R3m";
    group.title = "Particle velocity and acceleration";
    group.quantity = "relative L2 error of the motion's vector";
    group.method =
        "Around a unit source particles have the acceleration -1/rho grad p and its integral over time as velocity, p "
        "as in R3, with its image where there is a wall: the derivatives of the closed forms along r, and those of the "
        "wavelet's integral. All components of a receiver together, the worse of both. Order 8, nodes 10 m apart, 10 "
        "points per wavelength, c dt = 0.2 of the spacing; time dispersion is not removed, and is most of the error.";
    for (const MotionCase& c : kMotionCases)
        group.promises.push_back(
            {describe(c), 0.004, c.quick, [c](const VerifyOptions& options) { return motion_error(c, options); }});
    return group;
}

}  // namespace onda::verify
