#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "kernels/equations/star/stencil.hpp"
#include "solver/verify/analytic.hpp"
#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"

namespace onda::verify {
namespace {

using std::numbers::pi;

constexpr std::array<int, 3> kHalfWaves{3, 1, 2};

/// The unit box with free surfaces, `intervals` along each edge.
Experiment unit_box(int dimensions, std::int64_t intervals, const Scheme& scheme) {
    Experiment e;
    e.grid.dimensions = dimensions;
    e.grid.n = {intervals + 1, dimensions == 3 ? intervals + 1 : 1, intervals + 1};
    e.grid.spacing_m.fill(1. / double(intervals));
    e.scheme = scheme;
    for (std::size_t face = 0; face < 6; ++face)
        if (e.grid.has_axis(int(face / 2))) e.halos[face] = Halo::mirror_negative;
    return e;
}

/// sin(3 pi x) sin(pi y) sin(2 pi z) on the unit box, and minus its Laplacian over itself.
struct SmoothField {
    std::vector<double> p;
    double wavenumber_squared = 0.;
};

SmoothField smooth_field(const Grid& grid) {
    SmoothField field;
    std::array<std::vector<double>, 3> sine;
    for (std::size_t a = 0; a < 3; ++a) {
        sine[a] = {1.};
        if (!grid.has_axis(int(a))) continue;
        sine[a] = axis_mode(Halo::mirror_negative, Halo::mirror_negative, grid.n[a], kHalfWaves[a], 1).shape;
        field.wavenumber_squared += std::pow(kHalfWaves[a] * pi, 2);
    }
    for (const double z : sine[2])
        for (const double y : sine[1])
            for (const double x : sine[0]) field.p.push_back(x * y * z);
    return field;
}

/// Relative L2 error of the backend's Laplacian. With p[-1] = 2 p[0] and vp dt = 1 a step leaves p[1] = L(p[0]).
double laplacian_error(int dimensions, std::int64_t intervals, const Scheme& scheme, const VerifyOptions& options) {
    Experiment e = unit_box(dimensions, intervals, scheme);
    e.dt_s = 1.;
    e.steps = 1;
    const SmoothField field = smooth_field(e.grid);
    std::vector<double> twice(field.p), exact(field.p);
    for (double& value : twice) value *= 2.;
    for (double& value : exact) value *= -field.wavenumber_squared;
    return relative_l2(evolve(e, constant_velocity(1.), options, field.p, twice), exact);
}

struct ObservedOrder {
    double value;   ///< extrapolated to h = 0
    double finest;  ///< the plain slope between the two finest grids
};

/// The slopes between neighbouring grids deviate from the order as h^2, so they are extrapolated.
ObservedOrder observed_space_order(int dimensions, const Scheme& scheme, const VerifyOptions& options) {
    constexpr std::array<double, 3> intervals{12., 15., 18.};
    std::array<double, 3> error{};
    for (std::size_t i = 0; i < 3; ++i)
        error[i] = laplacian_error(dimensions, std::int64_t(intervals[i]), scheme, options);
    const auto slope = [&](std::size_t i) {
        return std::log(error[i] / error[i + 1]) / std::log(intervals[i + 1] / intervals[i]);
    };
    const double coarse_h2 = 1. / (intervals[0] * intervals[1]), fine_h2 = 1. / (intervals[1] * intervals[2]);
    return {slope(1) + (slope(1) - slope(0)) * fine_h2 / (coarse_h2 - fine_h2), slope(1)};
}

Measurement space_order_deviation(const Scheme& scheme, const VerifyOptions& options) {
    const ObservedOrder in_2d = observed_space_order(2, scheme, options);
    const ObservedOrder in_3d = observed_space_order(3, scheme, options);
    char detail[96];
    std::snprintf(detail, sizeof detail, "2-D %.3f, 3-D %.3f; before extrapolation %.2f, %.2f", in_2d.value,
                  in_3d.value, in_2d.finest, in_3d.finest);
    return {worse(std::abs(in_2d.value - scheme.space_order), std::abs(in_3d.value - scheme.space_order)), detail};
}

/// Error at a fixed time of a standing wave whose error in space is below rounding: order 16, 20 nodes a wavelength.
double time_error(int dimensions, const Scheme& scheme, std::int64_t steps, const VerifyOptions& options) {
    Experiment e = unit_box(dimensions, 30, scheme);
    const SmoothField field = smooth_field(e.grid);
    const double omega = std::sqrt(field.wavenumber_squared);
    const double duration = 2.25 * 2. * pi / omega;  // at a quarter period the error of phase is seen in full
    e.steps = steps;
    e.dt_s = duration / double(steps);
    std::vector<double> previous(field.p), exact(field.p);
    for (double& value : previous) value *= std::cos(omega * e.dt_s);
    for (double& value : exact) value *= std::cos(omega * duration);
    const std::vector<double> p = evolve(e, constant_velocity(1.), options, field.p, previous);
    double error = 0.;
    for (std::size_t i = 0; i < p.size(); ++i) error += std::pow(p[i] - exact[i], 2);
    return std::sqrt(error);
}

Measurement time_order_deviation(const Scheme& scheme, const VerifyOptions& options) {
    std::array<double, 2> order{};
    for (const int dimensions : {2, 3})
        order[std::size_t(dimensions - 2)] =
            std::log2(time_error(dimensions, scheme, 160, options) / time_error(dimensions, scheme, 320, options));
    char detail[64];
    std::snprintf(detail, sizeof detail, "2-D %.3f, 3-D %.3f", order[0], order[1]);
    return {worse(std::abs(order[0] - scheme.time_order), std::abs(order[1] - scheme.time_order)), detail};
}

}  // namespace

PromiseGroup order_of_accuracy() {
    PromiseGroup group;
    group.id = "R2";
    group.title = "Order of accuracy";
    group.quantity = "deviation of the observed from the nominal order";
    group.method =
        "Space: one step of the backend from p[-1] = 2 p[0] with (vp dt)^2 = 1 leaves p[1] = L(p[0]); its relative "
        "L2 error on sin(3 pi x) sin(pi y) sin(2 pi z) is measured on grids of 12, 15 and 18 intervals. The error "
        "of a scheme of order q is C h^q (1 + D h^2 + ...), so the slope between neighbouring grids deviates from q "
        "as h^2; the two slopes are extrapolated to h = 0. Coarse grids are needed because at order 16 the error falls "
        "below rounding soon; the slopes between the two finest grids are given in the last column. Time: a standing "
        "wave on a grid where the spatial error is below rounding, after 2.25 periods in 160 and 320 time steps.";
    const auto add = [&group](const std::string& scheme_name, const Scheme& scheme, bool quick) {
        group.promises.push_back({"space, " + scheme_name, 0.1, quick, [scheme](const VerifyOptions& options) {
                                      return space_order_deviation(scheme, options);
                                  }});
    };
    for (int order = 2; order <= kMaxSpaceOrder; order += 2)
        add("order " + std::to_string(order), make_scheme(Equation::star, order), order == 2 || order == 8);
    for (int order = 2; order <= kMaxSpaceOrder; order += 2)
        add("variable density, order " + std::to_string(order), make_scheme(Equation::variable_density, order),
            order == 8);
    add("compact27, order 2", make_scheme(Equation::compact, 2), true);
    for (const Scheme& scheme : {make_scheme(Equation::star, kMaxSpaceOrder), of_order_4_in_time(kMaxSpaceOrder)})
        group.promises.push_back(
            {"time, order " + std::to_string(scheme.time_order), 0.05, scheme.time_order == 4,
             [scheme](const VerifyOptions& options) { return time_order_deviation(scheme, options); }});
    return group;
}

}  // namespace onda::verify
