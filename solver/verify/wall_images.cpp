#include <array>
#include <cstdio>
#include <string>

#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"
#include "solver/verify/point_source.hpp"

namespace onda::verify {
namespace {

/// Depths below the wall z = 0 [m] of the source and of two receivers; the nodes are 10 m apart, the sinc reaches 40 m.
struct Depths {
    const char* name;
    double source, first_receiver, second_receiver;
    double shift_x;  ///< of the source, off its node
};
constexpr Depths kOnNodes{"on the nodes", 120., 120., 300., 0.};
constexpr Depths kOffNodes{"off the nodes", 116.3, 92.6, 284.1, 3.7};
constexpr Depths kWithinSinc{"sinc across the wall", 13.4, 26.2, 238.7, 3.7};
constexpr Depths kOnWall{"both on the wall", 0., 0., 250., 3.7};

struct WallCase {
    int dimensions;
    double points_per_wavelength;
    Halo z_min, x_min;
    Depths depths;
    Precision precision;
    bool quick;
    Equation equation = Equation::star;
};

constexpr auto kNone = Halo::zero;
constexpr std::array kWallCases{
    WallCase{2, 6., kFree, kNone, kOnNodes, kFloat, true},
    WallCase{2, 6., kFree, kNone, kOffNodes, kFloat, false},
    WallCase{2, 6., kFree, kNone, kWithinSinc, kFloat, true},
    WallCase{2, 10., kFree, kNone, kWithinSinc, kDouble, false},
    WallCase{2, 6., kRigid, kNone, kOnNodes, kFloat, true},
    WallCase{2, 6., kRigid, kNone, kOffNodes, kFloat, false},
    WallCase{2, 6., kRigid, kNone, kWithinSinc, kFloat, true},
    WallCase{2, 10., kRigid, kNone, kWithinSinc, kDouble, false},
    WallCase{2, 6., kRigid, kNone, kOnWall, kFloat, true},
    WallCase{2, 6., kFree, kRigid, kWithinSinc, kFloat, false},
    WallCase{3, 6., kFree, kNone, kOnNodes, kFloat, false},
    WallCase{3, 6., kFree, kNone, kWithinSinc, kFloat, false},
    WallCase{3, 6., kRigid, kNone, kWithinSinc, kFloat, false},
    WallCase{2, 10., kFree, kRigid, kWithinSinc, kFloat, true, Equation::compact},
    WallCase{3, 10., kRigid, kFree, kWithinSinc, kFloat, false, Equation::compact},
};

PointSourceCase make_case(const WallCase& c) {
    PointSourceCase shot;
    shot.dimensions = c.dimensions;
    if (c.equation == Equation::compact) shot.scheme = make_scheme(c.equation, 2);
    shot.points_per_wavelength = c.points_per_wavelength;
    shot.precision = c.precision;
    shot.walls[0] = c.x_min;
    shot.walls[4] = c.z_min;
    const double y = c.dimensions == 3 ? c.depths.shift_x : 0.;
    const double x = (c.x_min == kNone ? 0. : 20.) + c.depths.shift_x;  // a second wall is within the sinc, too
    shot.sources = {{{x, y, c.depths.source}, 1., 0}};
    shot.receivers = {{x + 300., y, c.depths.first_receiver}, {x + 240., y, c.depths.second_receiver}};
    return shot;
}

/// The case without its walls and with the same pressure: the source and its images as sources of free space.
PointSourceCase without_walls(const PointSourceCase& shot) {
    PointSourceCase open(shot);
    open.sources = with_images(shot.sources, shot.walls);
    open.walls.fill(Halo::zero);
    return open;
}

Measurement error_ratio(const WallCase& c, const VerifyOptions& options) {
    const PointSourceCase shot = make_case(c);
    const auto wall = trace_errors(shot, options);
    const auto open = trace_errors(without_walls(shot), options);
    char detail[64];
    std::snprintf(detail, sizeof detail, "relative L2 errors %.4f, %.4f", wall[0], wall[1]);
    return {worse(wall[0] / open[0], wall[1] / open[1]), detail};
}

std::string describe(const WallCase& c) {
    const auto wall = [](Halo halo) { return halo == kFree ? "free surface" : "rigid wall"; };
    std::string text = std::to_string(c.dimensions) + "-D, " + wall(c.z_min);
    if (c.x_min != kNone) text += std::string(" and ") + wall(c.x_min);
    return text + ", " + std::to_string(int(c.points_per_wavelength)) + " points per wavelength, " + c.depths.name +
           ", " + name(c.precision) + (c.equation == Equation::compact ? ", compact27" : "");
}

}  // namespace

PromiseGroup wall_images() {
    PromiseGroup group;
    group.id = "R4";
    group.title = "Free surface and rigid wall by images";
    group.quantity = "error over error of the same pressure without the wall";
    group.method =
        "A free surface must act as an image source of opposite sign, a rigid wall as one of the same sign, two walls "
        "as three images. The relative L2 error against the sum of the Green's functions of R3, at r = 30 cells, is "
        "divided by the error of the same sum when source and images are shot as sources of free space: 1 means that "
        "the wall adds no error of its own. (A single source is not a fair reference: the image is more than 30 cells "
        "away, and a source just below a free surface radiates as a dipole, with a spectrum shifted to higher "
        "frequencies.) Sources and receivers lie on the nodes, off them, on the wall, and so close to it that their "
        "sinc interpolation crosses it. The last column gives the relative L2 errors of the two traces themselves.";
    for (const WallCase& c : kWallCases)
        group.promises.push_back(
            {describe(c), 1.2, c.quick, [c](const VerifyOptions& options) { return error_ratio(c, options); }});
    return group;
}

}  // namespace onda::verify
