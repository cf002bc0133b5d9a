#include <array>
#include <cstdio>
#include <string>

#include "solver/discretisation/boundary.hpp"
#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"
#include "solver/verify/point_source.hpp"

namespace onda::verify {
namespace {

constexpr double kGhostSpacing = 5.;
constexpr std::array kDepths{1., 2.5, 10.};      // of the source [m]
constexpr std::array kReceiverDepths{2.5, 60.};  // [m]

/// A source `depth` below a free surface on `face`, and receivers 30 cells along the surface.
PointSourceCase make_case(int dimensions, std::size_t face, double depth) {
    const std::size_t across = face / 2, along = across == 0 ? 2 : 0;
    const double inwards = face % 2 == 0 ? 1. : -1.;
    PointSourceCase shot;
    shot.dimensions = dimensions;
    shot.spacing_m = {kGhostSpacing, kGhostSpacing, kGhostSpacing};
    shot.points_per_wavelength = 10.;
    shot.precision = Precision::float64;
    shot.walls[face] = Halo::mirror_negative;
    Position source{1.9, dimensions == 3 ? 1.1 : 0., 2.2};
    source[across] = inwards * depth;
    shot.sources = {{source, 1., 0}};
    for (const double receiver_depth : kReceiverDepths) {
        Position receiver = source;
        receiver[along] += 30. * kGhostSpacing;
        receiver[across] = inwards * receiver_depth;
        shot.receivers.push_back(receiver);
    }
    return shot;
}

Measurement worst_error(int dimensions, std::size_t face, const VerifyOptions& options) {
    Measurement worst;
    for (const double depth : kDepths) {
        const std::vector<double> errors = trace_errors(make_case(dimensions, face, depth), options);
        for (const double error : errors) worst.value = worse(error, worst.value);
        char text[64];
        std::snprintf(text, sizeof text, "%s%g m: %.4f and %.4f", worst.detail.empty() ? "" : ", ", depth, errors[0],
                      errors[1]);
        worst.detail += text;
    }
    return worst;
}

}  // namespace

PromiseGroup ghost_reflection() {
    PromiseGroup group;
    group.id = "R4g";
    group.title = "Ghosts of shallow sources and receivers";
    group.quantity = "relative L2 error, the worst of three depths of the source and two of the receiver";
    group.method =
        "A source 1, 2.5 and 10 m below a free surface, on each face in turn, and receivers 150 m along the surface: "
        "against the source and its negative image in closed form, relative to their difference, which is small. "
        "Nodes 5 m apart, 10 points per wavelength, order 8 and c dt as in R3; the wavelength of the peak frequency "
        "is 125 m. All positions lie off the nodes along the surface. Source and image 1 m from the surface, a fifth "
        "of a spacing, leave 4 % of the source's pressure at a receiver 60 m deep, and 0.2 % at one 2.5 m deep. The "
        "sinc interpolation (Hicks 2002) reproduces that dipole to 1 %; if the depth is a whole or half number of "
        "nodes the error is no larger than in R3. All faces must be equally accurate.";
    for (const int dimensions : {2, 3})
        for (std::size_t face = 0; face < 6; ++face) {
            if (dimensions == 2 && face / 2 == 1) continue;
            char text[96];
            std::snprintf(text, sizeof text, "%d-D, free surface on %s, receivers at 2.5 and 60 m", dimensions,
                          std::string(face_name(static_cast<int>(face))).c_str());
            group.promises.push_back({text, 0.015, dimensions == 2, [=](const VerifyOptions& options) {
                                          return worst_error(dimensions, face, options);
                                      }});
            // A face an axis, low and high ones; that all six reflect alike, modes of a free box (R1) hold to rounding.
            group.promises.back().takes_long = dimensions == 3 && (face == 0 || face == 3 || face == 5);
        }
    return group;
}

}  // namespace onda::verify
