// A source between the nodes beside a jump of the density: its plane wave behind the jump, against the exact one.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "solver/model/model.hpp"
#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"

namespace onda::verify {
namespace {

constexpr double kLight = 1000., kHeavy = 2200.;
constexpr double kPlanePeak = kVelocity / (40. * kSpacing), kPlaneDuration = 5. / kPlanePeak;
constexpr std::array kDistances{0.25, 0.5, 0.75, 1., 2., 3., 4.};  ///< of the source from the jump, in nodes
constexpr double kBehind = 20.;                                    ///< of the receiver, from the node at 0

struct Jump {
    const char* name;
    double at_nodes;         ///< from the node at 0
    const char* interfaces;  ///< model.interfaces
};
constexpr std::array kJumps{
    Jump{"midway between nodes, sampled", 0.5, "sampled"}, Jump{"midway between nodes, averaged", 0.5, "averaged"},
    Jump{"on a node, averaged", 0., "averaged"}, Jump{"0.3 nodes below a node, averaged", 0.3, "averaged"}};

/// Two nodes across between rigid walls: a source on each radiates a plane wave along z.
struct JumpDuct {
    Experiment e;
    std::vector<SourcePoint> sources;
    std::array<Position, 1> receiver;
};

/// \param side -1: the source is above the jump and the receiver below; 1: the other way round.
JumpDuct make_duct(const Jump& jump, double distance_nodes, double side) {
    JumpDuct duct;
    const double z = (jump.at_nodes + side * distance_nodes) * kSpacing;
    for (const double x : {0., kSpacing}) duct.sources.push_back({{x, 0., z}, 1., 0});
    duct.receiver = {{{0., 0., -side * kBehind * kSpacing}}};
    Experiment& e = duct.e;
    e.halos[0] = e.halos[1] = Halo::mirror_positive;
    const double reach_m = 1.1 * kVelocity * kPlaneDuration;
    e.grid = silent_grid(2, {kSpacing, kSpacing, kSpacing}, e.halos, duct.sources, duct.receiver, reach_m);
    e.grid.n[0] = 2;
    e.grid.origin_m[0] = 0.;
    e.scheme = make_scheme(Equation::variable_density, 8);
    e.dt_s = 0.9 * stable_dt_s(e.grid, e.scheme, kVelocity);
    e.steps = std::int64_t(kPlaneDuration / e.dt_s);
    return duct;
}

/// \param jump null: the same density everywhere.
std::vector<double> shoot(const JumpDuct& duct, const Jump* jump, const VerifyOptions& options) {
    RowReader rho = constant_velocity(kLight);
    Model model;
    if (jump != nullptr) {
        ModelConfig config;
        config.type = "layered";
        config.interfaces = jump->interfaces;
        config.layers = {{-1e6, kVelocity, kLight}, {jump->at_nodes * kSpacing, kVelocity, kHeavy}};
        model = make_model(config, duct.e.scheme.equation, duct.e.grid, {});
        rho = [&](std::int64_t y, std::int64_t z, std::span<float> row) {
            std::copy_n(model.find("rho")->values.begin() + duct.e.grid.at(0, y, z), row.size(), row.begin());
        };
    }
    const auto backend = make_wavefield(duct.e, constant_velocity(kVelocity), options, rho);
    return seismograms(*backend, duct.e, smooth_ricker(kPlanePeak), duct.sources, duct.receiver);
}

/// By how much the wave that a jump lets through is too strong or too weak, as the least-squares multiple of the exact
/// one: with one velocity the wave without the jump times 2 rho / (rho_light + rho_heavy), rho of the side of the
/// receiver. What is left over are shifts in time by the interface and by the interpolation of a field with a kink.
double error_of(const Jump& jump, double distance_nodes, double side, const VerifyOptions& options) {
    const JumpDuct duct = make_duct(jump, distance_nodes, side);
    const std::vector<double> through = shoot(duct, &jump, options), without = shoot(duct, nullptr, options);
    const double coefficient = 2. * (side < 0. ? kHeavy : kLight) / (kLight + kHeavy);
    double product = 0., square = 0.;
    for (std::size_t n = 0; n < through.size(); ++n) {
        product += through[n] * without[n];
        square += without[n] * without[n];
    }
    return std::abs(product / (coefficient * square) - 1.);
}

Measurement worst_error(const Jump& jump, double side, const VerifyOptions& options) {
    double worst = 0., at = 0.;
    for (const double distance : kDistances) {
        const double error = error_of(jump, distance, side, options);
        if (!(error <= worst)) at = distance;
        worst = worse(worst, error);
    }
    char detail[48];
    std::snprintf(detail, sizeof detail, "largest at %.2f nodes", at);
    return {worst, detail};
}

}  // namespace

PromiseGroup source_strength() {
    PromiseGroup group;
    group.id = "R5s";
    group.title = "Sources beside a jump of the density";
    group.quantity = "error of the amplitude behind the jump";
    group.method =
        "A source adds s / rho(x_s): beside a jump of the density its amplitude is right only with the density of its "
        "own side. A plane source 0.25, 0.5, 0.75, 1, 2, 3 and 4 nodes from a jump between 1,000 and 2,200 kg/m3 at "
        "2,000 m/s, which lies midway between nodes, on a node, or between; the wave behind the jump against that "
        "without it times the transmission coefficient, which is exact where the velocity does not change, by least "
        "squares. Order 8, 40 nodes per wavelength at the peak frequency. The worst of all distances.";
    for (const Jump& jump : kJumps)
        for (const double side : {-1., 1.})
            group.promises.push_back(
                {std::string(jump.name) + (side < 0. ? ", source in 1000 kg/m3" : ", source in 2200 kg/m3"), 4e-3, true,
                 [=](const VerifyOptions& options) { return worst_error(jump, side, options); }});
    return group;
}

}  // namespace onda::verify
