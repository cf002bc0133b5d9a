// What interfaces that no row of nodes follows send back, against exact solutions, frequency by frequency: a dipping
// plane, a cylinder and a sphere, made by the builders of models.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <functional>
#include <numbers>
#include <spdlog/fmt/fmt.h>
#include <string>

#include "solver/model/model.hpp"
#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"

namespace onda::verify {
namespace {

using std::numbers::pi;
using Complex = std::complex<double>;
constexpr Complex kI{0., 1.};

constexpr double kVp = kVelocity, kRho = 1800.;  // of the rock that the source is in
constexpr double kDenser = 2.2 * kRho;           // of the other rock where the density alone changes
constexpr double kNodesPerWavelength = 12.;      // at the peak frequency
constexpr double kPeak = kVp / (kNodesPerWavelength * kSpacing);
constexpr int kFrequencies = 33;  // from 0.4 to 2 times the peak

/// Two rocks, and where they meet.
struct Scene {
    std::string name;
    ModelConfig model;
    double vp = 0., rho = 0.;  ///< of the other rock; rho is 0 where the density is constant
    Position source{};
    std::vector<Position> receivers;
    double reach_m = 0.;  ///< the longest way in the first rock that is recorded
    int dimensions = 2;
    /// The spectrum of what the interface sends to a receiver, for a unit source, at a complex angular frequency.
    std::function<Complex(const Scene&, const Position&, Complex omega)> exact;
    double damping = 0.;  ///< imaginary part of the frequencies [1/s]

    [[nodiscard]] bool is_body() const { return model.type == "inclusions"; }
    [[nodiscard]] double density_ratio() const { return rho > 0. ? rho / kRho : 1.; }
};

Complex spectrum(std::span<const double> trace, double dt_s, Complex omega) {
    Complex sum = 0.;
    for (std::size_t n = 0; n < trace.size(); ++n) sum += trace[n] * std::exp(kI * omega * (double(n) * dt_s));
    return sum * dt_s;
}

Experiment experiment_of(const Scene& scene) {
    Experiment e;
    const std::array<SourcePoint, 1> source{{{scene.source, 1., 0}}};
    const double fastest = std::max(kVp, scene.vp), heard = scene.is_body() ? kVp : fastest;
    e.grid = silent_grid(scene.dimensions, {kSpacing, kSpacing, kSpacing}, e.halos, source, scene.receivers,
                         scene.reach_m * heard / kVp);
    e.scheme = make_scheme(scene.rho > 0. ? Equation::variable_density : Equation::star, 8);
    e.dt_s = 0.8 * stable_dt_s(e.grid, e.scheme, fastest);
    e.steps = std::int64_t(scene.reach_m / kVp / e.dt_s);
    return e;
}

/// The traces of a model, or of the first rock alone.
/// \param interfaces of the configuration; empty: the first rock alone.
std::vector<double> shoot(const Scene& scene, const Experiment& e, const std::string& interfaces,
                          const VerifyOptions& options) {
    RowReader vp = constant_velocity(kVp), rho = constant_velocity(kRho);
    Model model;
    if (!interfaces.empty()) {
        ModelConfig config = scene.model;
        config.interfaces = interfaces;
        if (config.type == "layered")  // depths are given at the first node
            for (LayerConfig& layer : config.layers)
                layer.top_m += std::tan(config.dip_deg * pi / 180.) * e.grid.origin_m[0];
        model = make_model(config, e.scheme.equation, e.grid, {});
        const auto row_of = [&](std::span<const float> values) -> RowReader {
            return [&e, values](std::int64_t y, std::int64_t z, std::span<float> row) {
                std::copy_n(values.begin() + e.grid.at(0, y, z), row.size(), row.begin());
            };
        };
        vp = row_of(model.vp().values);
        if (const ParameterValues* const given = model.find("rho")) rho = row_of(given->values);
    }
    const auto backend = make_wavefield(e, vp, options, rho);
    const std::array<SourcePoint, 1> source{{{scene.source, 1., 0}}};
    return seismograms(*backend, e, smooth_ricker(kPeak), source, scene.receivers);
}

/// The relative error of what the interface sends to all receivers, over the band. The step in time is no part of it:
/// a leapfrog at omega is the exact answer of space at (2 / dt) sin(omega dt / 2).
double error_of(const Scene& scene, const Experiment& e, std::span<const double> without, const std::string& interfaces,
                const VerifyOptions& options) {
    std::vector<double> sent = shoot(scene, e, interfaces, options);
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] -= without[i];
    const Wavelet wavelet = smooth_ricker(kPeak);
    const std::size_t samples = sent.size() / scene.receivers.size();
    std::vector<double> signal(samples);
    for (std::size_t n = 0; n < samples; ++n) signal[n] = wavelet.value(double(n) * e.dt_s);
    double difference = 0., whole = 0.;
    for (int i = 0; i < kFrequencies; ++i) {
        const Complex omega{2. * pi * kPeak * (0.4 + 1.6 * i / (kFrequencies - 1)), scene.damping};
        const Complex in_space = 2. / e.dt_s * std::sin(0.5 * omega * e.dt_s);
        const Complex s = spectrum(signal, e.dt_s, omega);
        for (std::size_t r = 0; r < scene.receivers.size(); ++r) {
            const Complex exact = s * scene.exact(scene, scene.receivers[r], in_space);
            const auto trace = std::span(sent).subspan(r * samples, samples);
            difference += std::norm(spectrum(trace, e.dt_s, omega) - exact);
            whole += std::norm(exact);
        }
    }
    return std::sqrt(difference / whole);
}

Measurement measure(const Scene& scene, const VerifyOptions& options) {
    const Experiment e = experiment_of(scene);
    const std::vector<double> without = shoot(scene, e, "", options);
    char detail[64];
    std::snprintf(detail, sizeof detail, "sampled at the nodes: %.3f", error_of(scene, e, without, "sampled", options));
    return {error_of(scene, e, without, "averaged", options), detail};
}

// A dipping plane --------------------------------------------------------------------------------------------------

constexpr double kAbove = 250.;  // of the source over the plane, at a right angle to it [m]

/// A sum of plane waves, each with its reflection coefficient: along the plane at horizontal wavenumbers kx, with
/// frequencies off the real axis, where the sum converges like exp(-kx z).
Complex reflection(const Scene& scene, const Position& receiver, Complex omega) {
    const double dip = scene.model.dip_deg * pi / 180.;
    const double along = receiver[0] * std::cos(dip) + receiver[2] * std::sin(dip);
    const double up = receiver[0] * std::sin(dip) - receiver[2] * std::cos(dip);  // from the source, off the plane
    const double way = 2. * kAbove + up, density = scene.density_ratio();
    const Complex k1 = omega / kVp, k2 = omega / scene.vp;
    const double step = 2. * pi / (40. * (way + std::abs(along))), end = 3. * std::abs(k1) + 40. / way;
    const auto vertical = [](Complex k, double kx) {
        const Complex kz = std::sqrt(k * k - kx * kx);
        return kz.imag() < 0. ? -kz : kz;
    };
    Complex sum = 0.;
    for (double kx = 0.5 * step; kx < end; kx += step) {
        const Complex z1 = vertical(k1, kx), z2 = vertical(k2, kx);
        sum += (density * z1 - z2) / (density * z1 + z2) * std::exp(kI * z1 * way) / z1 * std::cos(kx * along);
    }
    return kI / (2. * pi) * sum * step;
}

Scene dipping_plane(double dip_deg, double vp, double rho) {
    Scene scene;
    scene.name = fmt::format("plane dipping by {:.0f} degrees, {:.0f} over {:.0f} m/s", dip_deg, kVp, vp);
    if (rho > 0.) scene.name += fmt::format(", {:.0f} over {:.0f} kg/m3", kRho, rho);
    const auto of = [&](double value) { return rho > 0. ? std::optional(value) : std::nullopt; };
    scene.model.type = "layered";
    scene.model.dip_deg = dip_deg;
    scene.model.layers = {{-1e6, kVp, of(kRho)}, {kAbove / std::cos(dip_deg * pi / 180.), vp, of(rho)}};
    scene.vp = vp;
    scene.rho = rho;
    for (const double x : {-200., -90., 60., 150., 240.}) scene.receivers.push_back({x, 0., -20.});
    scene.reach_m = 1500.;
    scene.damping = 6. / (scene.reach_m / kVp);
    scene.exact = reflection;
    return scene;
}

// Round bodies -----------------------------------------------------------------------------------------------------

/// Radial functions of one order: regular and outgoing, with their derivatives.
struct Radial {
    double j, dj;
    Complex h, dh;
};

/// Spherical Bessel functions, or those of a cylinder.
Radial radial(int dimensions, int order, double x) {
    const auto n = static_cast<unsigned>(order);
    const auto pair = [&](unsigned m) {
        return dimensions == 3 ? std::array{std::sph_bessel(m, x), std::sph_neumann(m, x)}
                               : std::array{std::cyl_bessel_j(double(m), x), std::cyl_neumann(double(m), x)};
    };
    const auto here = pair(n), above = pair(n + 1);
    const auto slope = [&](std::size_t i) { return double(order) / x * here[i] - above[i]; };
    return {here[0], slope(0), {here[0], here[1]}, {slope(0), slope(1)}};
}

constexpr double kRadius = 73.;

/// A fluid body in a fluid: a series of partial waves (Anderson 1950, J. Acoust. Soc. Am. 22, 426-431), for a source at
/// a finite distance.
Complex scattering(const Scene& scene, const Position& receiver, Complex omega) {
    const Position centre{scene.model.inclusions[0].center_m[0],
                          scene.dimensions == 3 ? scene.model.inclusions[0].center_m[1] : 0.,
                          scene.model.inclusions[0].center_m.back()};
    double to_source = 0., to_receiver = 0., dot = 0.;
    for (std::size_t a = 0; a < 3; ++a) {
        const double s = scene.source[a] - centre[a], r = receiver[a] - centre[a];
        to_source += s * s;
        to_receiver += r * r;
        dot += s * r;
    }
    to_source = std::sqrt(to_source);
    to_receiver = std::sqrt(to_receiver);
    const double cosine = std::clamp(dot / (to_source * to_receiver), -1., 1.), angle = std::acos(cosine);
    const double k = omega.real() / kVp, inside = omega.real() / scene.vp;
    const double beta = kVp / scene.vp / scene.density_ratio();
    const int orders = int(std::ceil(std::max(k, inside) * kRadius)) + 10;
    Complex sum = 0.;
    for (int n = 0; n <= orders; ++n) {
        const Radial out = radial(scene.dimensions, n, k * kRadius), in = radial(scene.dimensions, n, inside * kRadius);
        const Complex amplitude = -(beta * out.j * in.dj - out.dj * in.j) / (beta * out.h * in.dj - out.dh * in.j);
        const Complex waves =
            radial(scene.dimensions, n, k * to_source).h * radial(scene.dimensions, n, k * to_receiver).h;
        const double pattern = scene.dimensions == 3 ? (2 * n + 1) * std::legendre(unsigned(n), cosine)
                                                     : (n == 0 ? 1. : 2.) * std::cos(n * angle);
        sum += pattern * amplitude * waves;
    }
    return scene.dimensions == 3 ? kI * k / (4. * pi) * sum : kI / 4. * sum;
}

Scene round_body(int dimensions, double vp, double rho) {
    Scene scene;
    scene.name = fmt::format("{} of {:.1f} nodes, {:.0f} in {:.0f} m/s", dimensions == 3 ? "sphere" : "cylinder",
                             kRadius / kSpacing, vp, kVp);
    if (rho > 0.) scene.name += fmt::format(", {:.0f} in {:.0f} kg/m3", rho, kRho);
    scene.dimensions = dimensions;
    const auto of = [&](double value) { return rho > 0. ? std::optional(value) : std::nullopt; };
    InclusionConfig body;
    body.center_m = dimensions == 3 ? std::vector{3.1, -2.3, 4.7} : std::vector{3.1, 4.7};  // between nodes
    body.radius_m = kRadius;
    body.vp_m_s = vp;
    body.rho_kg_m3 = of(rho);
    scene.model.type = "inclusions";
    scene.model.vp_m_s = kVp;
    scene.model.rho_kg_m3 = of(kRho);
    scene.model.inclusions = {body};
    scene.vp = vp;
    scene.rho = rho;
    scene.source = {-160., 0., 0.};
    scene.receivers = {{-150., 0., 60.}, {-40., 0., 160.}, {80., 0., -140.}, {160., 0., 30.}};
    if (dimensions == 3) scene.receivers.push_back({-20., 150., 60.});
    scene.reach_m = dimensions == 3 ? 860. : 1400.;
    scene.exact = scattering;
    return scene;
}

}  // namespace

PromiseGroup averaged_interfaces() {
    PromiseGroup group;
    group.id = "R5i";
    group.title = "Interfaces between the nodes";
    group.quantity =
        "relative L2 error of the waves scattered by the interface, over 0.4 to 2 times the peak frequency";
    group.method =
        "Models of the builders, averaged over cells, order 8, 12 nodes a wavelength at the peak of a Ricker wavelet. "
        "The "
        "same shot without the interface is subtracted. A plane that dips: the exact reflection is a sum of plane "
        "waves, each with its coefficient, at frequencies off the real axis (Bouchon & Aki 1977). A cylinder (2-D) and "
        "a "
        "sphere (3-D) between the nodes, of a fluid in a fluid: a series of partial waves (Anderson 1950). Time "
        "dispersion is accounted for exactly: the leapfrog solution at omega is the semi-discrete solution at (2 / dt) "
        "sin(omega dt / 2). The last column gives the error of a model sampled at its nodes, which exceeds every "
        "limit.";
    const auto add = [&group](const Scene& scene, double limit, bool quick) {
        group.promises.push_back(
            {scene.name, limit, quick, [scene](const VerifyOptions& options) { return measure(scene, options); }});
    };
    add(dipping_plane(8., 3000., 0.), 0.05, true);
    add(dipping_plane(30., 3000., 0.), 0.05, false);
    add(dipping_plane(8., 2500., 2300.), 0.09, false);
    add(dipping_plane(0., kVp, kDenser), 0.17, false);
    add(dipping_plane(8., kVp, kDenser), 0.125, true);
    add(dipping_plane(30., kVp, kDenser), 0.097, false);
    add(round_body(2, 3000., 0.), 0.012, true);
    add(round_body(2, 1500., 0.), 0.012, false);
    add(round_body(2, 2500., 2300.), 0.025, false);
    add(round_body(3, 3000., 0.), 0.012, false);
    return group;
}

}  // namespace onda::verify
