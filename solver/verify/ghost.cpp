#include <array>
#include <cstdio>
#include <string>

#include "solver/discretisation/boundary.hpp"
#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"
#include "solver/verify/point_source.hpp"

namespace onda::verify {
namespace {

constexpr double kSpacing = 5.;
constexpr std::array kDepths{1., 2.5, 10.};

/// A source `depth` below a free surface on `face`, and a receiver 30 cells along the surface.
PointSourceCase make_case(int dimensions, std::size_t face, double depth, double receiver_depth) {
    const std::size_t across = face / 2, along = across == 0 ? 2 : 0;
    const double inwards = face % 2 == 0 ? 1. : -1.;
    PointSourceCase shot;
    shot.dimensions = dimensions;
    shot.spacing_m = {kSpacing, kSpacing, kSpacing};
    shot.points_per_wavelength = 10.;
    shot.precision = Precision::float64;
    shot.walls[face] = Halo::mirror_negative;
    Position source{1.9, dimensions == 3 ? 1.1 : 0., 2.2};
    source[across] = inwards * depth;
    Position receiver = source;
    receiver[along] += 30. * kSpacing;
    receiver[across] = inwards * receiver_depth;
    shot.sources = {{source, 1., 0}};
    shot.receivers = {receiver};
    return shot;
}

Measurement worst_error(int dimensions, std::size_t face, double receiver_depth, const VerifyOptions& options) {
    Measurement worst;
    for (const double depth : kDepths) {
        const double error = trace_errors(make_case(dimensions, face, depth, receiver_depth), options)[0];
        worst.value = worse(error, worst.value);
        char text[48];
        std::snprintf(text, sizeof text, "%s%g m: %.4f", worst.detail.empty() ? "" : ", ", depth, error);
        worst.detail += text;
    }
    return worst;
}

}  // namespace

PromiseGroup ghost_reflection() {
    PromiseGroup group;
    group.id = "R4g";
    group.title = "Ghosts of shallow sources and receivers";
    group.quantity = "relative L2 error, the worst of three depths";
    group.method =
        "A source 1, 2.5 and 10 m below a free surface, on each face in turn, and a receiver 150 m along the surface: "
        "against the source and its negative image in closed form, relative to their difference, which is small. "
        "Nodes 5 m apart, 10 points per wavelength, order 8 and c dt as in R3; the wavelength of the peak frequency "
        "is 125 m. All positions lie off the nodes along the surface. Source and image 1 m from the surface, a fifth "
        "of a spacing, leave 4 % of the source's pressure at a receiver 60 m deep, and 0.2 % at one 2.5 m deep. The "
        "sinc interpolation (Hicks 2002) reproduces that dipole to 1 %; if the depth is a whole or half number of "
        "nodes the error is no larger than in R3. All faces must be equally accurate.";
    for (const int dimensions : {2, 3})
        for (std::size_t face = 0; face < 6; ++face) {
            if (dimensions == 2 && face / 2 == 1) continue;
            for (const double receiver_depth : {2.5, 60.}) {
                char text[96];
                std::snprintf(text, sizeof text, "%d-D, free surface on %s, receiver at %g m", dimensions,
                              std::string(face_name(static_cast<int>(face))).c_str(), receiver_depth);
                group.promises.push_back({text, 0.015, dimensions == 2, [=](const VerifyOptions& options) {
                                              return worst_error(dimensions, face, receiver_depth, options);
                                          }});
            }
        }
    return group;
}

}  // namespace onda::verify
