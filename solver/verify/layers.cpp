// Plane waves through layers: reflection and transmission coefficients against the exact ones, in one frequency.
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <iterator>
#include <numbers>
#include <string>
#include <vector>

#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"

namespace onda::verify {
namespace {

using std::numbers::pi;

constexpr double kPacket = 7.;       // half the packet in standard deviations: 2e-11 at its ends
constexpr std::int64_t kApart = 20;  // nodes from source to receiver, and from there to the first interface
using Complex = std::complex<double>;

struct Layer {
    double vp, rho;
    std::int64_t nodes = 0;  ///< between the two half-spaces
};

struct Stack {
    const char* name;
    std::vector<Layer> layers;  ///< the half-space of the source first
};

/// A duct along x between rigid walls that carries one mode cos(kz z): a plane wave and its mirror image, at an angle
/// that the frequency decides.
struct ObliqueWave {
    double points_per_wavelength;  ///< in the slowest layer
    double angle_deg;              ///< aimed at, in the first layer; the width of the duct is whole nodes

    /// Standard deviation of the wave packet's spectrum over its frequency: narrow where the slow waves near the
    /// cut-off of the duct, cos(theta) = 0, would take long to pass.
    [[nodiscard]] double bandwidth() const { return angle_deg < 45. ? 0.075 : 0.04; }
};

struct LayeredDuct {
    Experiment e;
    double kz = 0.;     ///< [rad/m]
    double omega = 0.;  ///< [rad/s]
    double bandwidth = 0.;
    std::int64_t source = 0, interface = 0;  ///< planes; the interface lies half a spacing before its plane
    std::int64_t behind = 0;                 ///< the plane one spacing and a half behind the last interface
};

double slowest(const Stack& stack) {
    double vp = stack.layers.front().vp;
    for (const Layer& layer : stack.layers) vp = std::min(vp, layer.vp);
    return vp;
}
double fastest(const Stack& stack) {
    double vp = 0.;
    for (const Layer& layer : stack.layers) vp = std::max(vp, layer.vp);
    return vp;
}

/// So long that no end is heard while the packet and what it leaves in the layers pass.
LayeredDuct make_duct(const Stack& stack, const Scheme& scheme, const ObliqueWave& wave) {
    LayeredDuct duct;
    const double omega = 2. * pi * slowest(stack) / (wave.points_per_wavelength * kSpacing);
    const double aimed = omega / stack.layers.front().vp * std::sin(wave.angle_deg * pi / 180.);
    const std::int64_t intervals = aimed > 0. ? std::llround(pi / (aimed * kSpacing)) : 1;
    duct.kz = aimed > 0. ? pi / (double(intervals) * kSpacing) : 0.;
    duct.omega = omega;
    duct.bandwidth = wave.bandwidth();
    const double duration = (2. * kPacket / duct.bandwidth + 60.) / omega;
    // Along the duct the packet's highest frequency is the fastest, vp cos(theta); an evanescent wave has fallen to
    // exp(-12) at the end and to its square when it is back.
    const auto reach = [&](double vp) {
        const auto k2 = [&](double w) { return w * w / (vp * vp) - duct.kz * duct.kz; };
        const double highest = omega * (1. + kPacket * duct.bandwidth);
        const double way = 0.5 * duration * vp * vp / highest * std::sqrt(std::max(0., k2(highest)));
        const double decay = k2(omega) < 0. ? 12. / std::sqrt(-k2(omega)) : 0.;
        return std::int64_t((way + decay) / kSpacing) + 2 * kApart;
    };
    Experiment& e = duct.e;
    e.scheme = scheme;
    e.grid.dimensions = 2;
    duct.source = reach(stack.layers.front().vp);
    duct.interface = duct.source + 2 * kApart;
    duct.behind = duct.interface + 1;
    for (const Layer& layer : stack.layers) duct.behind += layer.nodes;
    e.grid.n = {duct.behind + reach(stack.layers.back().vp), 1, intervals + 1};
    e.grid.spacing_m = {kSpacing, kSpacing, kSpacing};
    e.halos[4] = e.halos[5] = Halo::mirror_positive;
    e.dt_s = 0.9 * stable_dt_s(e.grid, scheme, fastest(stack));
    e.steps = std::int64_t(duration / e.dt_s);
    return duct;
}

/// A duct without the interfaces of another, cut at the plane of the source, of which the wavefield there is its own
/// mirror image.
LayeredDuct without_layers(LayeredDuct duct) {
    duct.e.grid.n[0] = duct.source;
    duct.e.halos[0] = Halo::mirror_positive;
    duct.source = 0;
    duct.interface = duct.behind = 2 * kApart;
    return duct;
}

/// The layer of plane x.
const Layer& layer_at(const LayeredDuct& duct, const Stack& stack, std::int64_t x) {
    std::int64_t end = duct.interface;
    std::size_t i = 0;
    while (i + 1 < stack.layers.size() && x >= end) end += stack.layers[++i].nodes;
    return stack.layers[i];
}

/// The mode of the source, one node wide along x, with the signal of the packet.
Sources mode_source(const LayeredDuct& duct) {
    Sources sources;
    const Grid& grid = duct.e.grid;
    for (std::int64_t z = 0; z < grid.nz(); ++z) {
        sources.nodes.node.push_back(grid.at(duct.source, 0, z));
        sources.nodes.weight.push_back(std::cos(duct.kz * double(z) * kSpacing));
    }
    sources.nodes.first.push_back(grid.nz());
    std::vector<double> signal;
    for (std::int64_t n = 0; n < duct.e.steps; ++n) {
        const double phase = duct.omega * double(n) * duct.e.dt_s - kPacket / duct.bandwidth;
        signal.push_back(std::exp(-0.5 * std::pow(phase * duct.bandwidth, 2)) * std::cos(phase));
    }
    sources.signal = {signal};
    return sources;
}

/// The mode's amplitude at omega, at the receiver before the interface and the one behind the last.
struct Spectra {
    Complex before, behind;
};

Spectra shoot(const LayeredDuct& duct, const Stack& stack, const VerifyOptions& options) {
    const auto rows = [&](double Layer::*value) -> RowReader {
        return [&duct, &stack, value](std::int64_t, std::int64_t, std::span<float> row) {
            for (std::size_t x = 0; x < row.size(); ++x) row[x] = float(layer_at(duct, stack, std::int64_t(x)).*value);
        };
    };
    const auto backend = make_wavefield(duct.e, rows(&Layer::vp), options, rows(&Layer::rho));
    NodeWeights receivers;
    for (const std::int64_t x : {duct.source + kApart, duct.behind}) {
        receivers.node.push_back(duct.e.grid.at(x, 0, 0));
        receivers.weight.push_back(1.);
        receivers.first.push_back(std::int64_t(receivers.node.size()));
    }
    const auto samples = std::size_t(duct.e.steps + 1);
    const std::vector<double> traces = record(*backend, duct.e, mode_source(duct), receivers);
    Spectra spectra;
    for (std::size_t n = 0; n < samples; ++n) {
        const Complex wave = std::polar(1., duct.omega * double(n) * duct.e.dt_s);
        spectra.before += wave * traces[n];
        spectra.behind += wave * traces[samples + n];
    }
    return spectra;
}

/// kx of the discrete wave in a layer, for phases over many nodes; imaginary where the wave is evanescent.
/// \param of_symbol whether kx solves the scheme's own dispersion relation, or is that of the continuum with the same
/// frequency and the same kz.
Complex wavenumber_along(const LayeredDuct& duct, double vp, bool of_symbol) {
    const double dt = duct.e.dt_s, h = kSpacing;
    const double slowness_part = std::pow(2. * std::sin(0.5 * duct.omega * dt) / (vp * dt), 2);
    const double kx2 = slowness_part - duct.e.scheme.axis_symbol(duct.kz * h) / (h * h);
    if (kx2 <= 0.) return {0., std::sqrt(-kx2)};
    if (!of_symbol) return std::sqrt(kx2);
    double low = 0., high = pi / h;
    for (int i = 0; i < 80; ++i) {
        const double middle = 0.5 * (low + high);
        (duct.e.scheme.axis_symbol(middle * h) < kx2 * h * h ? low : high) = middle;
    }
    return low;
}

/// The exact response of a stack: the continuum at the frequency and transverse wavenumber of the discrete wave. The
/// recursion of e.g. Aki & Richards (2002), Quantitative Seismology, ch. 5 and 7, for fluids.
struct Response {
    Complex reflection, transmission;  ///< of pressure, at the first interface, and there and at the last
};

Response exact_response(const LayeredDuct& duct, const Stack& stack) {
    const std::size_t n = stack.layers.size();
    const auto kx = [&](std::size_t i) { return wavenumber_along(duct, stack.layers[i].vp, false); };
    const auto single = [&](std::size_t i) {
        const Complex before = kx(i) / stack.layers[i].rho, after = kx(i + 1) / stack.layers[i + 1].rho;
        return (before - after) / (before + after);
    };
    Response r{single(n - 2), 1. + single(n - 2)};
    for (std::size_t i = n - 2; i-- > 0;) {
        const Complex way = std::exp(Complex(0., 1.) * kx(i + 1) * (double(stack.layers[i + 1].nodes) * kSpacing));
        const Complex echo = 1. + single(i) * r.reflection * way * way;
        r = {(single(i) + r.reflection * way * way) / echo, (1. + single(i)) * way * r.transmission / echo};
    }
    return r;
}

struct Errors {
    double reflection, transmission, angle_deg, exact;
};

/// |measured - exact| of both coefficients; the incident wave is that of a duct without layers.
Errors coefficient_errors(const Stack& stack, const Scheme& scheme, const ObliqueWave& wave,
                          const VerifyOptions& options) {
    const LayeredDuct duct = make_duct(stack, scheme, wave);
    const Stack homogeneous{"", {stack.layers.front()}};
    const Spectra incident = shoot(without_layers(duct), homogeneous, options), total = shoot(duct, stack, options);
    const Complex i(0., 1.);
    const Complex kx = wavenumber_along(duct, stack.layers.front().vp, true);
    const Complex kx_last = wavenumber_along(duct, stack.layers.back().vp, true);
    const Complex there = std::exp(i * kx * ((double(kApart) - 0.5) * kSpacing));
    const Complex measured = (total.before - incident.before) / incident.before / (there * there);
    const Complex behind = std::exp(i * kx_last * (1.5 * kSpacing));
    const Complex passed = total.behind / incident.before / there;
    const Response exact = exact_response(duct, stack);
    const double angle = std::asin(std::min(1., duct.kz * stack.layers.front().vp / duct.omega)) * 180. / pi;
    return {std::abs(measured - exact.reflection), std::abs(passed - exact.transmission * behind), angle,
            std::abs(exact.reflection)};
}

Measurement worst_coefficient(const Stack& stack, const Scheme& scheme, double angle_deg,
                              const VerifyOptions& options) {
    const Errors e = coefficient_errors(stack, scheme, {30., angle_deg}, options);
    char detail[96];
    std::snprintf(detail, sizeof detail, "%.1f degrees, |R| = %.4f; of R %.1e, of T %.1e", e.angle_deg, e.exact,
                  e.reflection, e.transmission);
    return {worse(e.reflection, e.transmission), detail};
}

/// 2 less the order at which the error of R falls from 20 to 40 points per wavelength.
Measurement order_shortfall(const Stack& stack, const Scheme& scheme, double angle_deg, const VerifyOptions& options) {
    const double coarse = coefficient_errors(stack, scheme, {20., angle_deg}, options).reflection;
    const double fine = coefficient_errors(stack, scheme, {40., angle_deg}, options).reflection;
    char detail[96];
    constexpr double rounding = 1e-10;
    if (coarse < rounding && fine < rounding) {
        std::snprintf(detail, sizeof detail, "%.1e and %.1e: exact to rounding", coarse, fine);
        return {0., detail};
    }
    const double order = std::log2(coarse / fine);
    std::snprintf(detail, sizeof detail, "%.1e and %.1e: order %.2f", coarse, fine, order);
    return {2. - order, detail};
}

const std::vector<Stack>& stacks(bool with_density) {
    static const std::vector<Stack> constant{
        {"vp 2000 over 3000 m/s", {{2000., 1., 0}, {3000., 1., 0}}},
        {"vp 3000 over 2000 m/s", {{3000., 1., 0}, {2000., 1., 0}}},
        {"three layers, vp 2000, 2600, 3400 m/s", {{2000., 1., 0}, {2600., 1., 13}, {3400., 1., 0}}}};
    static const std::vector<Stack> variable{
        {"vp 2000 over 3000 m/s", {{2000., 2000., 0}, {3000., 2000., 0}}},
        {"rho 1000 over 2200 kg/m3", {{2000., 1000., 0}, {2000., 2200., 0}}},
        {"water over rock", {{1500., 1000., 0}, {2300., 2100., 0}}},
        {"fast light over slow heavy", {{3000., 1500., 0}, {2000., 2500., 0}}},
        {"three layers, a soft one", {{2000., 2000., 0}, {1500., 1000., 13}, {3000., 2400., 0}}}};
    return with_density ? variable : constant;
}

constexpr const char* kMethodOfLayers =
    "Between rigid walls a mode cos(kz z) is an exact wave of the scheme, two plane waves at the angle sin(theta) = "
    "kz vp / omega. A narrow-band packet of it meets an interface that lies midway between two planes of nodes; the "
    "spectrum of the difference to a duct without the interface, over that of the incident wave, is the reflection "
    "coefficient, and that behind the interface the transmission coefficient. Both are compared, with their phase, "
    "with the exact ones of the continuum, R = (kx1/rho1 - kx2/rho2) / (kx1/rho1 + kx2/rho2), and of three layers "
    "with all multiples, at the frequency 2 sin(omega dt / 2) / dt and the transverse wavenumber of the discrete "
    "wave: what remains is the error of the interface. 30 points per wavelength in the slowest layer; up to 60 "
    "degrees, beyond the critical angle where there is one. Two orders of the scheme, and the order at which the "
    "error of R falls from 20 to 40 points per wavelength at normal incidence, which must be 1.8 or more (the value "
    "is 2 less the order). At order 2 a contrast in density alone is exact, as is its series average.";

}  // namespace

PromiseGroup layered_media() {
    PromiseGroup group;
    group.id = "R5";
    group.title = "Reflection and transmission coefficients of layers";
    group.quantity = "largest error of the two complex coefficients";
    group.method = kMethodOfLayers;
    for (const bool density : {false, true}) {
        const auto equation = density ? Equation::variable_density : Equation::star;
        for (const Stack& stack : stacks(density))
            for (const int order : {2, 8}) {
                const Scheme scheme = make_scheme(equation, order);
                const std::string prefix = std::string(density ? "variable density, " : "constant density, ") +
                                           stack.name + ", order " + std::to_string(order);
                const auto add = [&](double angle) {
                    group.promises.push_back({prefix + ", " + std::to_string(int(angle)) + " degrees", 5e-3,
                                              angle == 0., [=](const VerifyOptions& options) {
                                                  return worst_coefficient(stack, scheme, angle, options);
                                              }});
                };
                add(30.);
                if (order == 8)
                    for (const double angle : {0., 50., 60.}) add(angle);
                // The longest ducts: of layers with densities 30 degrees has the same, and of others 50; the first ones
                // have all angles.
                if (order == 8 && &stack != &stacks(density).front()) {
                    group.promises.back().takes_long = true;
                    std::prev(group.promises.end(), 2)->takes_long = density;
                }
                if (stack.layers.size() == 2)
                    group.promises.push_back(
                        {prefix + ", shortfall of order 2", 0.2, false,
                         [=](const VerifyOptions& options) { return order_shortfall(stack, scheme, 0., options); }});
            }
    }
    return group;
}

}  // namespace onda::verify
