#include "solver/signal/time_dispersion.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "solver/verify/analytic.hpp"
#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"
#include "solver/verify/point_source.hpp"

namespace onda::verify {
namespace {

constexpr double kWavelengths = 100.;
constexpr double kLimit = 0.01;
constexpr std::int64_t kRefinement = 3;

/// A source and receivers 100 wavelengths away, off the nodes, in a 2-D grid whose faces are not heard.
struct LongWay {
    int space_order;
    double points_per_wavelength;
    int time_order = 2;

    /// The wavelength meant is that of the band's end, kRickerBand times this.
    [[nodiscard]] double peak_frequency() const { return kVelocity / (points_per_wavelength * kSpacing) / kRickerBand; }
    [[nodiscard]] double distance() const { return kWavelengths * points_per_wavelength * kSpacing; }
    [[nodiscard]] Wavelet wavelet() const { return smooth_ricker(peak_frequency()); }
    [[nodiscard]] std::array<SourcePoint, 1> source() const { return {SourcePoint{{3.7, 0., 4.4}, 1., 0}}; }
    /// \param angle_deg from the x axis.
    [[nodiscard]] std::array<Position, 1> receiver(double angle_deg) const {
        const Position from = source()[0].position_m;
        const double angle = angle_deg * std::acos(-1.) / 180.;
        return {Position{from[0] + distance() * std::cos(angle), 0., from[2] + distance() * std::sin(angle)}};
    }
    /// 0.9 of the stability limit until the wavelet has passed.
    [[nodiscard]] Experiment experiment(double angle_deg) const {
        const double reach = distance() + kVelocity * kRickerPeriods / peak_frequency();
        Experiment e;
        e.grid = silent_grid(2, {kSpacing, kSpacing, kSpacing}, {}, source(), receiver(angle_deg), reach);
        e.scheme = time_order == 4 ? of_order_4_in_time(space_order) : make_scheme(Equation::star, space_order);
        e.dt_s = 0.9 * stable_dt_s(e.grid, e.scheme, kVelocity);
        e.steps = std::int64_t(reach / kVelocity / e.dt_s);
        return e;
    }
    [[nodiscard]] std::vector<double> trace(const Experiment& e, double angle_deg, const VerifyOptions& options) const {
        const auto backend = make_wavefield(e, constant_velocity(kVelocity), options);
        return seismograms(*backend, e, wavelet(), source(), receiver(angle_deg));
    }
    /// As a run returns it: samples 0 … steps of the experiment.
    [[nodiscard]] std::vector<double> corrected(const Experiment& e, double angle_deg,
                                                const VerifyOptions& options) const {
        TimeAxis time = e.time_axis();
        correct_dispersion(time, wavelet().highest_frequency_hz, true);
        Experiment longer = e;
        longer.steps = time.steps;
        longer.correction = time.correction;
        return correct_traces<double>(trace(longer, angle_deg, options), 1, *time.correction, {e.dt_s, 1, time_order},
                                      e.dt_s, e.steps + 1);
    }
};

/// Every third sample of the same grid's run by steps of order 4 in time, of dt / 3.
std::vector<double> fine_trace(const LongWay& way, const VerifyOptions& options) {
    Experiment fine = way.experiment(0.);
    fine.scheme = of_order_4_in_time(way.space_order);
    fine.steps *= kRefinement;
    fine.dt_s /= double(kRefinement);
    const auto all = way.trace(fine, 0., options);
    std::vector<double> trace;
    for (std::size_t n = 0; n < all.size(); n += kRefinement) trace.push_back(all[n]);
    return trace;
}

Measurement against_fine_steps(const LongWay& way, const VerifyOptions& options) {
    const Experiment e = way.experiment(0.);
    const auto fine = fine_trace(way, options);
    const double kept = relative_l2(way.trace(e, 0., options), fine);
    const double removed = relative_l2(way.corrected(e, 0., options), fine);
    char detail[64];
    std::snprintf(detail, sizeof detail, "%.4f without the correction", kept);
    // A tenth of what it was is asked for as well as the limit.
    return {worse(removed, kLimit * removed / (0.1 * kept)), detail};
}

Measurement against_exact(const LongWay& way, double angle_deg, const VerifyOptions& options) {
    const Experiment e = way.experiment(angle_deg);
    const double f0 = way.peak_frequency();
    const Signature s = [f0](double t) { return t < 0. ? 0. : ricker(f0, 1.5 / f0, t); };
    std::vector<double> exact;
    for (std::int64_t n = 0; n <= e.steps; ++n)
        exact.push_back(greens_function_2d(s, way.distance(), kVelocity, double(n) * e.dt_s));
    char detail[64];
    std::snprintf(detail, sizeof detail, "%.4f without the correction",
                  relative_l2(way.trace(e, angle_deg, options), exact));
    return {relative_l2(way.corrected(e, angle_deg, options), exact), detail};
}

}  // namespace

PromiseGroup time_dispersion() {
    PromiseGroup group;
    group.id = "T1";
    group.title = "Removal of numerical time dispersion";
    group.quantity = "relative L2 difference";
    group.method =
        "A unit source with a Ricker wavelet in a 2-D medium, 100 wavelengths from the receiver, dt = 0.9 of the "
        "stability limit; wavelength and points per wavelength are those at 2.5 times the peak frequency, as in R3. "
        "The trace as a run returns it, with time.dispersion_correction (Koene et al. 2018), is compared with that of "
        "a run on the same grid by steps of order 4 in time, of dt / 3, whose time dispersion is at least 81 times "
        "smaller, and with the exact solution. Compared with these short steps the correction must also reduce the "
        "difference to a tenth or less. "
        "Double precision.";
    for (const LongWay& way : {LongWay{8, 6.}, {16, 6.}, {8, 6., 4}}) {
        group.promises.push_back({"order " + std::to_string(way.space_order) +
                                      (way.time_order == 4 ? ", order 4 in time" : "") +
                                      ", 6 points per wavelength, from steps of order 4, dt / 3",
                                  kLimit, way.space_order == 8,
                                  [way](const VerifyOptions& options) { return against_fine_steps(way, options); }});
        group.promises.back().takes_long = way.space_order == 16;  // which is compared with what is exact, below
    }
    for (const int angle : {0, 30}) {
        const LongWay way{16, 7.};
        group.promises.push_back(
            {"order 16, 7 points per wavelength, from the Green's function, " + std::to_string(angle) +
                 " degrees from an axis",
             kLimit, false, [way, angle](const VerifyOptions& options) { return against_exact(way, angle, options); }});
    }
    return group;
}

}  // namespace onda::verify
