#include <cmath>
#include <cstdio>
#include <string>

#include "solver/propagation/propagator.hpp"
#include "solver/verify/analytic.hpp"
#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"
#include "solver/verify/point_source.hpp"

namespace onda::verify {
namespace {

constexpr double kPointsPerWavelength = 6.;  // at the end of the band
constexpr double kSnapshotWavelengths = 25.;
constexpr std::int64_t kFinerSteps = 4;

/// The wavefield of a point source when its waves have gone 25 wavelengths, by steps of this fraction of the limit.
struct SnapshotInTime {
    int time_order;
    double cfl_fraction;

    [[nodiscard]] double peak_frequency() const { return kVelocity / (kPointsPerWavelength * kSpacing) / kRickerBand; }
    [[nodiscard]] Experiment experiment(std::int64_t finer = 1) const {
        const double way = kSnapshotWavelengths * kPointsPerWavelength * kSpacing;
        const double duration = way / kVelocity + 1.5 / peak_frequency();
        Experiment e;
        e.grid.dimensions = 2;
        const std::int64_t half = std::int64_t((way + kVelocity / peak_frequency()) / kSpacing);
        e.grid.n = {2 * half + 1, 1, 2 * half + 1};
        e.grid.spacing_m.fill(kSpacing);
        e.scheme = time_order == 4 ? of_order_4_in_time(kMaxSpaceOrder) : make_scheme(Equation::star, kMaxSpaceOrder);
        e.steps = std::int64_t(std::ceil(duration / (cfl_fraction * stable_dt_s(e.grid, e.scheme, kVelocity)))) * finer;
        e.dt_s = duration / double(e.steps);
        e.every_level = true;
        return e;
    }
    [[nodiscard]] std::vector<double> wavefield(const Experiment& e, const VerifyOptions& options) const {
        const auto backend = make_wavefield(e, constant_velocity(kVelocity), options);
        const std::array source{SourcePoint{e.grid.position_m(e.grid.n[0] / 2, 0, e.grid.n[2] / 2), 1., 0}};
        seismograms(*backend, e, smooth_ricker(peak_frequency()), source, {});
        std::vector<double> p(std::size_t(e.grid.points()));
        backend->download(Window::whole(e.grid), std::span<double>(p));
        return p;
    }
};

Measurement against_finer_snapshot(const SnapshotInTime& snapshot, const VerifyOptions& options) {
    const Experiment e = snapshot.experiment();
    const SnapshotInTime exact{4, 0.9};
    char detail[64];
    std::snprintf(detail, sizeof detail, "%lld steps of %.3g ms", static_cast<long long>(e.steps), e.dt_s * 1e3);
    return {relative_l2(snapshot.wavefield(e, options), exact.wavefield(exact.experiment(kFinerSteps), options)),
            detail};
}

}  // namespace

PromiseGroup time_order() {
    PromiseGroup group;
    group.id = "T2";
    group.title = "Snapshots by steps of order 2 and 4 in time";
    group.quantity = "relative L2 difference";
    group.method =
        "A point source with a Ricker wavelet in the middle of a 2-D medium, order 16, 6 points per wavelength at 2.5 "
        "times the peak frequency. When its waves have gone 25 of these wavelengths, the wavefield is compared with "
        "that by steps of order 4, 4 times as short as 0.9 of their limit, on the same grid. The limit of order 4 is "
        "1.73 times that of order 2, 1.22 times with CPML. Double precision.";
    const auto add = [&group](int order, const char* of_limit, double cfl_fraction, double limit) {
        group.promises.push_back({"order " + std::to_string(order) + ", dt = " + of_limit, limit,
                                  order == 4 && cfl_fraction == 0.9, [=](const VerifyOptions& options) {
                                      return against_finer_snapshot({order, cfl_fraction}, options);
                                  }});
    };
    add(2, "0.9 of the limit", 0.9, 0.3);
    add(2, "0.45 of the limit", 0.45, 0.1);
    add(2, "0.225 of the limit", 0.225, 0.03);
    add(2, "0.1125 of the limit", 0.1125, 0.005);
    add(4, "0.9 of the limit", 0.9, 0.01);
    add(4, "0.9 of the limit with CPML", 0.9 / std::sqrt(2.), 0.003);
    add(4, "0.45 of the limit", 0.45, 0.001);
    return group;
}

}  // namespace onda::verify
