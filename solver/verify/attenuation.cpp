#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solver/propagation/propagator.hpp"
#include "solver/verify/analytic.hpp"
#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"

namespace onda::verify {
namespace {

using Spectrum = std::complex<double>;

constexpr double kFarWavelengths = 50., kNearWavelengths = 2.;
constexpr std::int64_t kAcross = 3;  ///< nodes of a bar across it, between rigid walls: an infinite plane

/// A medium of one velocity and one Q, and a Ricker wavelet whose peak the fit is made around.
struct AbsorbingMedium {
    double q = 50.;
    double nodes_per_wavelength = 24.;  ///< at the peak frequency
    int mechanisms = kMostMechanisms;

    [[nodiscard]] double peak_hz() const { return kVelocity / (nodes_per_wavelength * kSpacing); }
    [[nodiscard]] Scheme scheme(int dimensions) const {
        const bool needs_two = dimensions == 2 && mechanisms > 2;
        Scheme scheme = make_scheme(needs_two ? Equation::attenuation_of_two : Equation::attenuation, kMaxSpaceOrder);
        scheme.relaxation = {peak_hz(), 0.4 * peak_hz(), 2.5 * peak_hz(), mechanisms};
        return scheme;
    }
    /// 0.9 of the stability limit. \return the velocity that the limit is for.
    double set_dt(Experiment& e) const {
        const std::array lowest{q};
        double fastest = kVelocity;
        for (int round = 0; round < 3; ++round) {
            e.dt_s = 0.9 * stable_dt_s(e.grid, e.scheme, fastest);
            fastest = e.scheme.stiffest_m_s(kVelocity, lowest, e.dt_s);
        }
        return fastest;
    }
    /// The exact k [rad/m] at some parts of the peak frequency.
    [[nodiscard]] Spectrum wavenumber(double of_peak) const {
        const double hz = of_peak * peak_hz();
        return 2. * std::numbers::pi * hz / kVelocity *
               wanted_wavenumber({peak_hz(), 0.4 * peak_hz(), 2.5 * peak_hz(), mechanisms}, q, hz);
    }
    [[nodiscard]] std::unique_ptr<Wavefield> wavefield(const Experiment& e, const VerifyOptions& options) const {
        return make_wavefield(e, constant_velocity(kVelocity), options, constant_velocity(2000.), constant_velocity(q));
    }
    /// The Ricker wavelet at the steps of an experiment.
    [[nodiscard]] std::vector<double> signal(const Experiment& e) const {
        std::vector<double> values;
        for (std::int64_t n = 0; n <= e.steps; ++n)
            values.push_back(ricker(peak_hz(), 2. / peak_hz(), static_cast<double>(n) * e.dt_s));
        return values;
    }
};

/// The spectrum of samples at omega = (2 / dt) sin(theta / 2): without the dispersion of the steps.
Spectrum spectrum_of(std::span<const double> samples, double hz, double dt_s) {
    const double theta = 2. * std::asin(std::numbers::pi * hz * dt_s);
    Spectrum sum = 0.;
    for (std::size_t n = 0; n < samples.size(); ++n)
        sum += samples[n] * std::polar(1., -theta * static_cast<double>(n));
    return sum;
}

/// All nodes of a plane across x, alike or each as the part of the plane that it stands for.
void add_plane(NodeWeights& rows, const Experiment& e, std::int64_t x, bool is_mean) {
    for (std::int64_t z = 0; z < e.grid.nz(); ++z)
        for (std::int64_t y = 0; y < e.grid.ny(); ++y) {
            const auto share = [](std::int64_t i, std::int64_t n) { return n == 1 ? 1. : i == 1 ? 0.5 : 0.25; };
            rows.node.push_back(e.grid.at(x, y, z));
            rows.weight.push_back(is_mean ? share(y, e.grid.ny()) * share(z, e.grid.nz()) : 1.);
        }
    rows.first.push_back(std::ssize(rows.node));
}

/// Of a spectrum after 50 wavelengths, relative to the exact one.
struct FarError {
    double amplitude = 0., phase = 0.;
};

/// The worst over half to twice the peak frequency, each after 50 wavelengths of its own.
FarError plane_wave_error(int dimensions, const AbsorbingMedium& medium, const VerifyOptions& options) {
    Experiment e;
    e.grid.dimensions = dimensions;
    e.grid.n = {2, dimensions == 3 ? kAcross : 1, kAcross};
    e.grid.spacing_m.fill(kSpacing);
    e.halos = {kFree, kFree, kRigid, kRigid, kRigid, kRigid};
    if (dimensions == 2) e.halos[2] = e.halos[3] = Halo::zero;
    e.scheme = medium.scheme(dimensions);
    // The low frequencies of the wavelet, which are hardly absorbed, must have passed when the record ends: cut off,
    // they would drown the highest.
    const double fastest = medium.set_dt(e), duration_s = 2. * kFarWavelengths / medium.peak_hz();
    e.steps = static_cast<std::int64_t>(duration_s / e.dt_s);
    const auto nodes = [&](double wavelengths) {
        return static_cast<std::int64_t>(std::lround(wavelengths * medium.nodes_per_wavelength));
    };
    // From the source over an end to either receiver no wave is fast enough.
    const std::int64_t way = nodes(kFarWavelengths + 2.), reach = std::lround(duration_s * fastest / kSpacing);
    const std::int64_t source = reach / 2 + 20, near = source + nodes(2.), far = source + way;
    e.grid.n[0] = far + (reach - way) / 2 + 20;
    Sources sources;
    add_plane(sources.nodes, e, source, false);
    sources.signal = {medium.signal(e)};
    NodeWeights receivers;
    add_plane(receivers, e, near, true);
    add_plane(receivers, e, far, true);
    const auto wavefield = medium.wavefield(e, options);
    const std::vector<double> traces = record(*wavefield, e, sources, receivers);
    const std::size_t samples = traces.size() / 2;
    FarError worst;
    for (int i = -10; i <= 10; ++i) {
        const double of_peak = std::pow(2., 0.1 * i), hz = of_peak * medium.peak_hz();
        const Spectrum k = medium.wavenumber(of_peak);
        const double distance_m = static_cast<double>(far - near) * kSpacing;
        const Spectrum over = spectrum_of(std::span(traces).subspan(samples), hz, e.dt_s) /
                              spectrum_of(std::span(traces).first(samples), hz, e.dt_s) /
                              std::exp(Spectrum(0., -1.) * k * distance_m);
        const double own = kFarWavelengths * 2. * std::numbers::pi / (distance_m * k.real());
        const Spectrum error = std::log(over) * own;
        worst.amplitude = worse(worst.amplitude, std::abs(std::exp(error.real()) - 1.));
        worst.phase = worse(worst.phase, std::abs(error.imag()));
    }
    return worst;
}

/// What a plane wave is measured by, computed once for the row of its amplitude and that of its phase.
class MeasuredPlaneWave {
public:
    MeasuredPlaneWave(int dimensions, const AbsorbingMedium& medium) : dimensions_(dimensions), medium_(medium) {}
    const FarError& error(const VerifyOptions& options) {
        if (!of_options_ || of_options_->first != options)
            of_options_.emplace(options, plane_wave_error(dimensions_, medium_, options));
        return of_options_->second;
    }

private:
    int dimensions_;
    AbsorbingMedium medium_;
    std::optional<std::pair<VerifyOptions, FarError>> of_options_;
};

/// The worst of |p / exact - 1| near a point source, from 0.6 to 1.6 of the peak frequency: exp(-i k r) / (4 pi r).
Measurement point_source_error(const AbsorbingMedium& medium, const VerifyOptions& options) {
    const auto nodes = static_cast<double>(std::lround(kNearWavelengths * medium.nodes_per_wavelength));
    const double diagonal = std::floor(nodes / std::sqrt(2.)), oblique = std::floor(nodes / std::sqrt(3.));
    std::vector<Position> receivers{{nodes, 0., 0.}, {0., diagonal, diagonal}, {oblique, oblique + 1., oblique}};
    for (Position& receiver : receivers)
        for (double& coordinate : receiver) coordinate *= kSpacing;
    const std::array source{SourcePoint{{0., 0., 0.}, 1., 0}};
    const double periods = 4.;  // of the wavelet
    Experiment e;
    e.scheme = medium.scheme(3);
    const double reach_m = (kNearWavelengths + periods) * medium.nodes_per_wavelength * kSpacing;
    e.grid = silent_grid(3, {kSpacing, kSpacing, kSpacing}, {}, source, receivers, 1.1 * reach_m);
    medium.set_dt(e);
    e.steps = static_cast<std::int64_t>(reach_m / kVelocity / e.dt_s);
    Sources sources;
    const auto node_of = [&](const Position& at) {
        std::array<std::int64_t, 3> node{};
        for (std::size_t a = 0; a < 3; ++a) node[a] = std::lround((at[a] - e.grid.origin_m[a]) / kSpacing);
        return e.grid.at(node[0], node[1], node[2]);
    };
    sources.nodes = {{0, 1}, {node_of(source[0].position_m)}, {1.}};
    sources.signal = {medium.signal(e)};
    NodeWeights rows;
    for (const Position& receiver : receivers) {
        rows.node.push_back(node_of(receiver));
        rows.weight.push_back(1.);
        rows.first.push_back(std::ssize(rows.node));
    }
    const auto wavefield = medium.wavefield(e, options);
    const std::vector<double> traces = record(*wavefield, e, sources, rows);
    const auto samples = static_cast<std::size_t>(e.steps + 1);
    double worst = 0.;
    for (std::size_t i = 0; i < receivers.size(); ++i)
        for (const double of_peak : {0.6, 0.8, 1., 1.3, 1.6}) {
            const double hz = of_peak * medium.peak_hz();
            const double r = std::hypot(receivers[i][0], receivers[i][1], receivers[i][2]);
            const Spectrum exact = spectrum_of(sources.signal.front(), hz, e.dt_s) *
                                   std::exp(Spectrum(0., -r) * medium.wavenumber(of_peak)) /
                                   (4. * std::numbers::pi * r);
            const Spectrum p = spectrum_of(std::span(traces).subspan(i * samples, samples), hz, e.dt_s);
            worst = worse(worst, std::abs(p / exact - 1.));
        }
    return {worst, ""};
}

/// The largest difference of the seismogram from that without loss, in a medium of random velocities and densities
/// whose Q is beyond kLossless.
Measurement lossless_difference(int dimensions, Precision precision, Equation with, Equation without,
                                const VerifyOptions& options) {
    Experiment e;
    e.grid.dimensions = dimensions;
    e.grid.n = {44, dimensions == 3 ? 30 : 1, 36};
    e.grid.spacing_m = {10., 8., 9.};
    e.precision = precision;
    e.halos[4] = kFree;
    e.halos[0] = kRigid;
    e.dt_s = 0.9 * stable_dt_s(e.grid, make_scheme(without, 8), kFastest);
    e.steps = 300;
    const auto scattered = [&e](float (*value)(std::int64_t)) -> RowReader {
        return [&e, value](std::int64_t y, std::int64_t z, std::span<float> row) {
            for (std::size_t x = 0; x < row.size(); ++x) row[x] = value(e.grid.at(std::int64_t(x), y, z));
        };
    };
    const std::array sources{SourcePoint{{123., dimensions == 3 ? 77. : 0., 95.}, 1., 0}};
    const std::array<Position, 1> receivers{{{301., dimensions == 3 ? 160. : 0., 222.}}};
    std::vector<std::vector<double>> traces;
    for (const Equation equation : {without, with}) {
        e.scheme = make_scheme(equation, 8);
        const auto wavefield = make_wavefield(e, scattered(scattered_velocity), options, scattered(scattered_density),
                                              constant_velocity(1e6));
        traces.push_back(seismograms(*wavefield, e, smooth_ricker(25.), sources, receivers));
    }
    double largest = 0.;
    for (std::size_t i = 0; i < traces[0].size(); ++i) largest = worse(largest, std::abs(traces[0][i] - traces[1][i]));
    return {largest, ""};
}

constexpr double kNodesOfWave = 12.;
constexpr std::int64_t kStepsOfWave = 120, kCompared = 60;

/// The phase of a node of the discrete mode whose symbol along x is that of a wavenumber: Newton's method from there.
/// \param wavenumber [rad/m]
Spectrum phase_of_node(const Scheme& scheme, const Spectrum& wavenumber) {
    const Spectrum wanted = wavenumber * wavenumber * kSpacing * kSpacing;
    Spectrum phase = wavenumber * kSpacing;
    for (int iteration = 0; iteration < 20; ++iteration) {
        Spectrum symbol = 0., slope = 0.;
        for (std::size_t m = 1; m < scheme.weights.size(); ++m) {
            symbol += 2. * scheme.weights[m] * (1. - std::cos(double(m) * phase));
            slope += 2. * scheme.weights[m] * double(m) * std::sin(double(m) * phase);
        }
        phase -= (symbol - wanted) / slope;
    }
    return phase;
}

/// A bar along x between rigid walls, an infinite plane, so long that nothing comes from its ends.
Experiment bar_of_drag(int dimensions, int order, double q) {
    constexpr std::int64_t across = 3;
    Experiment e;
    e.grid.dimensions = dimensions;
    e.scheme = make_scheme(Equation::drag, order);
    e.grid.n = {2 * kStepsOfWave * e.scheme.radius() + kCompared, dimensions == 3 ? across : 1, across};
    e.grid.spacing_m.fill(kSpacing);
    for (const std::size_t face : {2U, 3U, 4U, 5U}) e.halos[face] = kRigid;
    if (dimensions == 2) e.halos[2] = e.halos[3] = Halo::zero;
    const double peak_hz = kVelocity / (kNodesOfWave * kSpacing);
    e.scheme.relaxation = {peak_hz, 0.4 * peak_hz, 2.5 * peak_hz, 0};
    e.dt_s = 0.9 * stable_dt_s(e.grid, e.scheme, e.scheme.stiffest_m_s(kVelocity, std::array{q}, 0.));
    e.steps = kStepsOfWave;
    e.every_level = true;
    return e;
}

/// The largest difference from the exact mode of the steps whose wavenumber k is that of Q at the reference frequency,
/// over its amplitude at the node: exp(i theta n - i kappa x), (2/dt) sin(theta/2) that frequency, -L(kappa) = k^2.
Measurement mode_error(int dimensions, int order, double q, const VerifyOptions& options) {
    const Experiment e = bar_of_drag(dimensions, order, q);
    const double hz = e.scheme.relaxation.reference_hz;
    const Spectrum k = 2. * std::numbers::pi * hz / kVelocity * wanted_wavenumber(e.scheme.relaxation, q, hz);
    const Spectrum kappa = phase_of_node(e.scheme, k);
    const double theta = 2. * std::asin(std::numbers::pi * hz * e.dt_s);
    const double middle = 0.5 * double(e.grid.nx());
    const auto mode = [&](std::int64_t x, double n) {
        return std::exp(Spectrum(0., 1.) * (theta * n - kappa * (double(x) - middle)));
    };
    const auto level = [&](double n) {
        std::vector<double> p;
        for (std::int64_t i = 0; i < e.grid.points(); ++i) p.push_back(mode(e.grid.node(i)[0], n).real());
        return p;
    };
    const auto backend =
        make_wavefield(e, constant_velocity(kVelocity), options, constant_velocity(2000.), constant_velocity(q));
    Propagator propagator(*backend, Sources{}, NodeWeights{}, e.time_axis());
    backend->upload(level(0.), level(-1.));
    propagator.advance(kStepsOfWave);
    std::vector<double> p(std::size_t(e.grid.points()));
    backend->download(Window::whole(e.grid), std::span<double>(p));
    double largest = 0.;
    for (std::int64_t x = (e.grid.nx() - kCompared) / 2; x < (e.grid.nx() + kCompared) / 2; ++x) {
        const Spectrum expected = mode(x, double(kStepsOfWave));
        const double found = p[std::size_t(e.grid.at(x, e.grid.ny() / 2, e.grid.nz() / 2))];
        largest = worse(largest, std::abs(found - expected.real()) / std::abs(expected));
    }
    return {largest, ""};
}

/// A plane wave, and the limits of its errors. In 3-D the classes of nodes add an error of the phase that falls with
/// the square of the wavelength over the spacing.
struct PlaneCase {
    int dimensions;
    AbsorbingMedium medium;
    double of_amplitude, of_phase;
};
constexpr std::array kPlaneCases{
    PlaneCase{3, {20., 32., 4}, 0.004, 0.03},   PlaneCase{3, {50., 24., 4}, 0.004, 0.01},
    PlaneCase{3, {100., 24., 4}, 0.004, 0.004}, PlaneCase{2, {20., 24., 4}, 0.004, 0.01},
    PlaneCase{2, {50., 24., 4}, 0.004, 0.004},  PlaneCase{2, {100., 24., 4}, 0.004, 0.004},
    PlaneCase{2, {50., 24., 3}, 0.015, 0.015},  PlaneCase{2, {50., 24., 2}, 0.12, 0.06},
};

}  // namespace

PromiseGroup attenuation() {
    PromiseGroup group;
    group.id = "Q1";
    group.title = "Attenuation";
    group.quantity = "error of the spectrum";
    group.method =
        "A plane wave of a Ricker wavelet in a medium of constant Q goes 50 wavelengths; at each frequency from half "
        "the peak to twice it, 50 wavelengths of its own. Its spectrum over that near the source is compared with "
        "exp(-i k x), k of Kjartansson (1979), at omega = (2/dt) sin(theta/2), as seismograms have it whose "
        "dispersion in time is removed. The mechanisms are fitted from 0.4 to 2.5 peak frequencies; what is left "
        "grows with the number of wavelengths over Q. 24 nodes per wavelength at the peak, in 3-D with Q 20 32, order "
        "16, 0.9 of the stability limit, double precision. In 3-D each node has one of the mechanisms, in 2-D two. A "
        "point source in 3-D, 2 wavelengths away, is compared with exp(-i k r) / (4 pi "
        "r), at 16 nodes per wavelength, where nodes of different classes differ a little. With Q = 1e6 the "
        "seismograms are those of the star, bit by bit.";
    for (const PlaneCase& c : kPlaneCases) {
        const std::string name_of_case = "plane wave, " + std::to_string(c.dimensions) + "-D, Q " +
                                         std::to_string(static_cast<int>(c.medium.q)) + ", " +
                                         std::to_string(c.medium.mechanisms) + " mechanisms: ";
        const bool quick = c.medium.q == 50. && c.medium.mechanisms == kMostMechanisms;
        const auto wave = std::make_shared<MeasuredPlaneWave>(c.dimensions, c.medium);
        group.promises.push_back(
            {name_of_case + "amplitude", c.of_amplitude, quick, [wave](const VerifyOptions& options) {
                 return Measurement{wave->error(options).amplitude, ""};
             }});
        group.promises.push_back(
            {name_of_case + "phase [rad]", c.of_phase, false, [wave](const VerifyOptions& options) {
                 return Measurement{wave->error(options).phase, ""};
             }});
    }
    for (const double q : {20., 50., 100.})
        group.promises.push_back({"point source, 3-D, Q " + std::to_string(static_cast<int>(q)), 0.01, q == 20.,
                                  [=](const VerifyOptions& options) {
                                      return point_source_error({q, 16., kMostMechanisms}, options);
                                  }});
    for (const int dimensions : {3, 2})
        for (const Precision precision : {kFloat, kDouble})
            group.promises.push_back(
                {"as the star without loss, " + std::to_string(dimensions) + "-D, " + name(precision), 0., true,
                 [=](const VerifyOptions& options) {
                     const Equation with = dimensions == 2 ? Equation::attenuation_of_two : Equation::attenuation;
                     return lossless_difference(dimensions, precision, with, Equation::star, options);
                 }});
    return group;
}

PromiseGroup drag() {
    PromiseGroup group;
    group.id = "Q2";
    group.title = "Attenuation by drag";
    group.quantity = "largest error";
    group.method =
        "A plane wave of the reference frequency, at 12 nodes per wavelength, decays along x as its Q says: it begins "
        "as the mode exp(i theta n - i kappa x) of the steps, (2/dt) sin(theta/2) the reference frequency and -L(kappa)"
        " the square of the wavenumber (omega/vp) (1 - i tan(atan(1/Q)/2)), and is compared with it after 120 steps, "
        "relative to its amplitude at each node. Velocity and absorption are therefore those that are asked for but "
        "for the errors of the star and of the steps without loss. 0.9 of the stability limit, double precision. With "
        "Q = 1e6 the seismograms are those without loss, bit by bit.";
    for (const int dimensions : {3, 2})
        for (const int order : {2, 8, 16})
            for (const double q : {5., 50.})
                group.promises.push_back({"plane wave, " + std::to_string(dimensions) + "-D, order " +
                                              std::to_string(order) + ", Q " + std::to_string(int(q)) + ", double",
                                          1e-12, order == 8, [=](const VerifyOptions& options) {
                                              return mode_error(dimensions, order, q, options);
                                          }});
    for (const auto& [with, without] :
         {std::pair{Equation::drag, Equation::star}, std::pair{Equation::drag_density, Equation::variable_density}})
        for (const int dimensions : {3, 2})
            for (const Precision precision : {kFloat, kDouble})
                group.promises.push_back({"as " + std::string(without->name) + " without loss, " +
                                              std::to_string(dimensions) + "-D, " + name(precision),
                                          0., true, [=, with = with, without = without](const VerifyOptions& options) {
                                              return lossless_difference(dimensions, precision, with, without, options);
                                          }});
    return group;
}

}  // namespace onda::verify
