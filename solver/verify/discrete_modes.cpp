#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/equations/star/stencil.hpp"
#include "solver/verify/analytic.hpp"
#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"

namespace onda::verify {
namespace {

constexpr std::int64_t kModeSteps = 1000;
constexpr Halo kZero = Halo::zero;

/// The pairs of faces along x, y, z that are tried, and what they are called.
struct ModeBox {
    const char* name;
    FaceHalos halos;
    bool order_2_only;
};
constexpr std::array kBoxes{
    ModeBox{"free", {kFree, kFree, kFree, kFree, kFree, kFree}, false},
    ModeBox{"rigid", {kRigid, kRigid, kRigid, kRigid, kRigid, kRigid}, false},
    ModeBox{"mixed", {kFree, kRigid, kRigid, kRigid, kRigid, kFree}, false},
    ModeBox{"zero", {kZero, kZero, kZero, kZero, kZero, kZero}, true},
};

Grid box_grid(int dimensions, const Scheme& scheme) {
    Grid grid;
    grid.dimensions = dimensions;
    grid.n = {17, dimensions == 3 ? 13 : 1, 15};
    grid.spacing_m = {10., 8., 9.};
    if (scheme.equation == Equation::compact) grid.spacing_m.fill(10.);
    return grid;
}

/// The mode with between four and five nodes a wavelength on every axis: far from trivially smooth.
struct BoxMode {
    std::vector<double> shape;
    double omega = 0.;
};

BoxMode box_mode(const Experiment& e) {
    constexpr std::array<int, 3> half_waves{7, 5, 6};
    std::array<AxisMode, 3> axis;
    std::vector<double> k;
    for (std::size_t a = 0; a < 3; ++a) {
        axis[a].shape = {1.};
        if (!e.grid.has_axis(int(a))) continue;
        axis[a] = axis_mode(e.halos[2 * a], e.halos[2 * a + 1], e.grid.n[a], half_waves[a], e.scheme.radius());
        k.push_back(axis[a].kh / e.grid.spacing_m[a]);
    }
    BoxMode mode;
    mode.omega = discrete_frequency(e.scheme, k, e.grid.derivative_spacings_m(), kVelocity, e.dt_s);
    for (const double z : axis[2].shape)
        for (const double y : axis[1].shape)
            for (const double x : axis[0].shape) mode.shape.push_back(x * y * z);
    return mode;
}

/// max |p - cos(omega t) mode| after kModeSteps steps.
double mode_error(const Experiment& e, const VerifyOptions& options) {
    const BoxMode mode = box_mode(e);
    std::vector<double> previous(mode.shape);
    for (double& value : previous) value *= std::cos(mode.omega * e.dt_s);
    const std::vector<double> p = evolve(e, constant_velocity(kVelocity), options, mode.shape, previous);
    const double amplitude = std::cos(mode.omega * e.dt_s * double(e.steps));
    double error = 0.;
    for (std::size_t i = 0; i < p.size(); ++i) error = worse(error, std::abs(p[i] - amplitude * mode.shape[i]));
    return error;
}

Measurement worst_box(const Scheme& scheme, Precision precision, const VerifyOptions& options) {
    Measurement worst;
    for (const int dimensions : {2, 3})
        for (const ModeBox& box : kBoxes) {
            if (box.order_2_only && scheme.space_order != 2) continue;
            Experiment e;
            e.grid = box_grid(dimensions, scheme);
            e.scheme = scheme;
            e.precision = precision;
            for (std::size_t face = 0; face < 6; ++face)
                if (e.grid.has_axis(int(face / 2))) e.halos[face] = box.halos[face];
            e.dt_s = 0.9 * stable_dt_s(e.grid, e.scheme, kVelocity);
            e.steps = kModeSteps;
            worst = worse(worst, {mode_error(e, options), std::to_string(dimensions) + "-D " + box.name});
        }
    return worst;
}

}  // namespace

PromiseGroup discrete_modes() {
    PromiseGroup group;
    group.id = "R1";
    group.title = "Exact discrete modes of a box";
    group.quantity = "largest error, amplitude 1, 1,000 steps";
    group.method =
        "A product of sines (free surface) or cosines (rigid) is an eigenvector of the discrete Laplacian of every "
        "order, because mirrored halos continue it for ever. It must oscillate as cos(omega t) with sin(omega dt / 2) "
        "= (c dt / 2) sqrt(symbol(k)), the dispersion relation of the scheme itself, so only rounding may differ. "
        "Boxes of 2-D and 3-D with unequal spacings, free, rigid and mixed faces (and zero faces at order 2, where "
        "the mode is exact too), between four and five nodes a wavelength, dt = 0.9 of the stability limit. The "
        "compact stencil has the same modes, on equal spacings, if the edges and corners of the halo are mirrored, "
        "too. Of order 4 in time sin^2(omega dt / 2) = (S - S^2 / 12) / 4 with S = (c dt)^2 symbol(k).";
    const auto add = [&group](const std::string& scheme_name, const Scheme& scheme, Precision precision, bool quick) {
        const double single_steps = precision == Precision::float64 ? 1e-12 : 2e-4;
        group.promises.push_back(
            {scheme_name + ", " + name(precision), scheme.time_order == 4 ? 3. * single_steps : single_steps, quick,
             [scheme, precision](const VerifyOptions& options) { return worst_box(scheme, precision, options); }});
    };
    for (const Precision precision : {Precision::float64, Precision::float32}) {
        for (const Equation equation : {Equation::star, Equation::variable_density}) {
            const bool star = equation == Equation::star;
            const std::string prefix = star ? "order " : "variable density, order ";
            for (int order = 2; order <= kMaxSpaceOrder; order += 2)
                add(prefix + std::to_string(order), make_scheme(equation, order), precision,
                    (star && order == 2) || order == 8);
            for (int order = 4; order <= kMaxSpaceOrder; order += 2)
                add(prefix + std::to_string(order) + " optimised",
                    make_scheme(equation, order, Coefficients::optimised), precision, false);
        }
        add("compact27", make_scheme(Equation::compact, 2), precision, true);
        for (const int order : {2, 8, 16})
            add("order " + std::to_string(order) + ", order 4 in time", of_order_4_in_time(order), precision,
                order == 8);
    }
    return group;
}

}  // namespace onda::verify
