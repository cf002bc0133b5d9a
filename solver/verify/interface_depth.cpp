#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <string>

#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"

namespace onda::verify {
namespace {

using std::numbers::pi;

constexpr double kUpperVelocity = 2000., kPeakInDuct = 8.;
constexpr std::int64_t kSourceNode = 150, kReceiverNode = 190, kInterfaceNode = 260, kNodesDown = 500, kNodesAcross = 9,
                       kReceiversApart = 40;

/// A plane wave going down a duct with rigid walls, whose rows from kInterfaceNode on are of the lower medium. Its ends
/// are too far away to be heard.
struct TwoMediumDuct {
    Scheme scheme;
    double lower_m_s, lower_kg_m3;
};

/// Pressure at kReceiverNode and, kReceiversApart nodes deeper, between it and the interface.
std::vector<double> traces(const TwoMediumDuct& duct, bool layered, Experiment& e, const VerifyOptions& options) {
    e.grid.dimensions = 2;
    e.grid.n = {kNodesAcross, 1, kNodesDown};
    e.grid.spacing_m.fill(kSpacing);
    e.scheme = duct.scheme;
    e.halos[0] = e.halos[1] = Halo::mirror_positive;
    e.dt_s = 0.5 * stable_dt_s(e.grid, e.scheme, std::max(kUpperVelocity, duct.lower_m_s));
    e.steps = std::llround(1.55 / e.dt_s);
    const auto rows = [layered](double upper, double lower) -> RowReader {
        return [=](std::int64_t, std::int64_t z, std::span<float> row) {
            std::fill(row.begin(), row.end(), float(layered && z >= kInterfaceNode ? lower : upper));
        };
    };
    const auto backend =
        make_wavefield(e, rows(kUpperVelocity, duct.lower_m_s), options, rows(1000., duct.lower_kg_m3));
    std::vector<SourcePoint> plane;
    for (std::int64_t x = 0; x < kNodesAcross; ++x) plane.push_back({e.grid.position_m(x, 0, kSourceNode), 1., 0});
    const std::array<Position, 2> receivers{e.grid.position_m(4, 0, kReceiverNode),
                                            e.grid.position_m(4, 0, kReceiverNode + kReceiversApart)};
    return seismograms(*backend, e, smooth_ricker(kPeakInDuct), plane, receivers);
}

std::complex<double> spectrum(std::span<const double> trace, double dt_s) {
    std::complex<double> sum = 0.;
    for (std::size_t n = 0; n < trace.size(); ++n)
        sum += trace[n] * std::polar(1., -2. * pi * kPeakInDuct * double(n) * dt_s);
    return sum;
}

/// Where the interface acts, in nodes below the first row of the lower medium: from the phase of the reflection at the
/// peak frequency, by the wavenumber that the grid itself has, which two receivers of the incident wave show.
double apparent_depth(const TwoMediumDuct& duct, const VerifyOptions& options) {
    Experiment e;
    const std::vector<double> incident = traces(duct, false, e, options), whole = traces(duct, true, e, options);
    const std::size_t samples = incident.size() / 2;
    std::vector<double> reflected(samples);
    for (std::size_t n = 0; n < samples; ++n) reflected[n] = whole[n] - incident[n];
    const auto first = std::span(incident).first(samples), second = std::span(incident).last(samples);
    const double turns =
        kReceiversApart * kSpacing * kPeakInDuct / kUpperVelocity;  // whole number of wavelengths but for dispersion
    const double k = 2. * pi * std::round(turns) - std::arg(spectrum(second, e.dt_s) / spectrum(first, e.dt_s));
    const double per_node = k / kReceiversApart;
    const double impedance =
        duct.lower_m_s * (has_parameter(duct.scheme.equation, "rho") ? duct.lower_kg_m3 / 1000. : 1.) / kUpperVelocity;
    const double sign = impedance > 1. ? 1. : -1.;
    const std::complex<double> ratio = sign * spectrum(reflected, e.dt_s) / spectrum(first, e.dt_s);
    const double nominal = 2. * double(kInterfaceNode - kReceiverNode) * per_node;
    return -std::arg(ratio * std::polar(1., nominal)) / (2. * per_node);
}

}  // namespace

PromiseGroup interface_depth() {
    PromiseGroup group;
    group.id = "R5d";
    group.title = "Position of an interface on a node";
    group.quantity = "distance from half a node above the first node of the lower medium, in nodes";
    group.method =
        "Velocity and density belong to nodes, and an interface acts midway between the last node of the upper medium "
        "and the first of the lower one: half a spacing too shallow where its depth is that of a node, which builders "
        "give to the lower medium. A plane wave falls onto it in a duct with rigid walls, 25 nodes a wavelength; the "
        "depth is that of the phase of its reflection.";
    const auto add = [&group](const Scheme& scheme, double lower_m_s, double lower_kg_m3) {
        char what[96];
        std::snprintf(what, sizeof what, "%s, 2000 over %.0f m/s%s", scheme.description().c_str(), lower_m_s,
                      has_parameter(scheme.equation, "rho") ? ", 1000 over 2200 kg/m3" : "");
        group.promises.push_back({what, 0.005, true, [=](const VerifyOptions& options) {
                                      const double depth = apparent_depth({scheme, lower_m_s, lower_kg_m3}, options);
                                      char detail[48];
                                      std::snprintf(detail, sizeof detail, "acts at %+.3f nodes", depth);
                                      return Measurement{std::abs(depth + 0.5), detail};
                                  }});
    };
    for (const int order : {2, 8, 16}) {
        for (const double lower : {1500., 2500., 4000.}) add(make_scheme(Equation::star, order), lower, 1000.);
        add(make_scheme(Equation::variable_density, order), 2500., 2200.);
    }
    return group;
}

}  // namespace onda::verify
