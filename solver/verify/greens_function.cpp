#include <array>
#include <cstdio>
#include <string>

#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"
#include "solver/verify/point_source.hpp"

namespace onda::verify {
namespace {

struct FreeSpaceCase {
    int dimensions;
    double points_per_wavelength;
    bool on_grid;
    bool equal_spacings;
    Precision precision;
    bool quick;
    bool takes_long = false;
};

// In 3-D tests leave out what lies between sources on nodes of a cube and beside those of other boxes: in 2-D they are
// all there.
constexpr std::array kFreeSpaceCases{
    FreeSpaceCase{3, 6., true, true, kFloat, true},     FreeSpaceCase{3, 6., false, true, kFloat, false, true},
    FreeSpaceCase{3, 6., false, false, kDouble, false}, FreeSpaceCase{3, 10., true, true, kFloat, false, true},
    FreeSpaceCase{3, 10., false, false, kFloat, false}, FreeSpaceCase{2, 6., true, true, kFloat, true},
    FreeSpaceCase{2, 6., false, true, kFloat, true},    FreeSpaceCase{2, 6., false, false, kDouble, true},
    FreeSpaceCase{2, 10., true, true, kFloat, true},    FreeSpaceCase{2, 10., false, true, kFloat, true},
    FreeSpaceCase{2, 10., false, false, kDouble, true},
};

/// A source, and receivers 30 of the largest cells away: along an axis and obliquely.
PointSourceCase make_case(const FreeSpaceCase& c) {
    PointSourceCase shot;
    shot.dimensions = c.dimensions;
    if (!c.equal_spacings) shot.spacing_m = {10., 9., 7.5};
    shot.points_per_wavelength = c.points_per_wavelength;
    shot.precision = c.precision;
    const Position source = c.on_grid ? Position{0., 0., 0.} : Position{3.7, 2.1, 4.4};
    const bool flat = c.dimensions == 2;
    shot.sources = {{{source[0], flat ? 0. : source[1], source[2]}, 1., 0}};
    // 300 m from the source; the second and third lie on nodes of the equal spacing as well
    const std::array<Position, 2> offsets{Position{300., 0., 0.},
                                          flat ? Position{180., 0., 240.} : Position{200., 200., 100.}};
    for (const Position& offset : offsets)
        shot.receivers.push_back({source[0] + offset[0], flat ? 0. : source[1] + offset[1], source[2] + offset[2]});
    return shot;
}

/// Optimised weights where Taylor's of the same order would need more points per wavelength.
struct OptimisedCase {
    int space_order;
    double points_per_wavelength;
    double limit;
    bool quick;
};
constexpr std::array kOptimised{
    OptimisedCase{4, 7., 0.02, false},
    OptimisedCase{8, 3.5, 0.02, true},
    OptimisedCase{12, 2.8, 0.02, false},
    OptimisedCase{16, 2.6, 0.02, false},
};

Measurement optimised_error(const OptimisedCase& c, const VerifyOptions& options) {
    PointSourceCase shot = make_case({2, c.points_per_wavelength, true, true, kDouble, c.quick});
    shot.courant = 0.02;  // leaves the error of space
    for (Position& receiver : shot.receivers)
        for (double& coordinate : receiver) coordinate *= 7.;  // 210 cells
    const auto error = [&](Coefficients coefficients) {
        shot.scheme = make_scheme(Equation::star, c.space_order, coefficients);
        const auto errors = trace_errors(shot, options);
        return worse(errors[0], errors[1]);
    };
    char detail[64];
    std::snprintf(detail, sizeof detail, "Taylor coefficients: %.4f", error(Coefficients::taylor));
    return {error(Coefficients::optimised), detail};
}

std::string describe(const OptimisedCase& c) {
    char text[96];
    std::snprintf(text, sizeof text, "2-D, order %d optimised, %.2g points per wavelength, r = 210 cells, double",
                  c.space_order, c.points_per_wavelength);
    return text;
}

std::string describe(const FreeSpaceCase& c) {
    return std::to_string(c.dimensions) + "-D, " + std::to_string(int(c.points_per_wavelength)) +
           " points per wavelength, " + (c.on_grid ? "on" : "off") + " the nodes, " +
           (c.equal_spacings ? "equal" : "unequal") + " spacings, " + name(c.precision);
}

}  // namespace

PromiseGroup greens_functions() {
    PromiseGroup group;
    group.id = "R3";
    group.title = "Green's functions of free space";
    group.quantity = "relative L2 error of the worse trace";
    group.method =
        "A unit source with a Ricker wavelet must give p = s(t - r/c) / (4 pi r) in 3-D and p = 1/(2 pi) int s(t - "
        "tau) H(tau - r/c) / sqrt(tau^2 - r^2/c^2) dtau (the Hankel solution) in 2-D, for any spacing and position. "
        "Order 8, c dt = 0.2 of the smallest spacing, r = 30 of the largest; the points per wavelength are those of "
        "the largest spacing at 2.5 times the peak frequency. The grid is so large that no reflections from its faces "
        "arrive. Most of the error is numerical time dispersion of second order. Optimised coefficients are measured "
        "over r = 210 cells at c dt = 0.02 h, which leaves spatial dispersion only, with fewer points per wavelength "
        "than Taylor coefficients of the same order need; the error of the latter is given in the last column.";
    for (const FreeSpaceCase& c : kFreeSpaceCases)
        group.promises.push_back({describe(c), c.points_per_wavelength < 10. ? 0.01 : 0.003, c.quick,
                                  [c](const VerifyOptions& options) {
                                      const auto errors = trace_errors(make_case(c), options);
                                      return Measurement{worse(errors[0], errors[1]), ""};
                                  },
                                  c.takes_long});
    for (const OptimisedCase& c : kOptimised)
        group.promises.push_back(
            {describe(c), c.limit, c.quick, [c](const VerifyOptions& options) { return optimised_error(c, options); }});
    return group;
}

}  // namespace onda::verify
