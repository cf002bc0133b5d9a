/// \file
/// The smallest way to put a medium on a device and shoot in it, without a configuration file.
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/medium.hpp"
#include "kernels/wavefield.hpp"
#include "solver/survey/survey.hpp"
#include "solver/verify/verify.hpp"

namespace onda::verify {

/// A grid, a scheme, and how long to run.
struct Experiment {
    Grid grid;
    Scheme scheme = make_scheme(Equation::star, 8);
    Precision precision = Precision::float64;
    FaceHalos halos{};
    StripList strips;
    double dt_s = 0.;
    std::int64_t steps = 0;
    std::optional<FrequencyBand> correction;  ///< of the wavelets; traces stay as recorded
    bool every_level = false;                 ///< whether the measurement looks at neighbouring levels: no leaps then

    [[nodiscard]] TimeAxis time_axis() const;
};

/// The star of order 4 in time.
inline Scheme of_order_4_in_time(int space_order) {
    Scheme scheme = make_scheme(Equation::star, space_order);
    scheme.time_order = 4;
    return scheme;
}

/// The worse of two errors, which is the larger; a NaN is worse than anything.
inline double worse(double a, double b) {
    return a > b || std::isnan(a) ? a : b;
}
inline Measurement worse(const Measurement& a, const Measurement& b) {
    return a.value > b.value || std::isnan(a.value) ? a : b;
}

/// What tables of cases are made of.
inline constexpr Precision kFloat = Precision::float32, kDouble = Precision::float64;
inline constexpr Halo kFree = Halo::mirror_negative, kRigid = Halo::mirror_positive;

/// The velocity [m/s] and the spacing [m] of media in which wavelengths are counted in nodes.
inline constexpr double kVelocity = 2000., kSpacing = 10.;

/// The name of a precision, "float" or "double", as in the configuration.
const char* name(Precision precision);
/// The largest stable dt [s], and that of grids with perfectly matched layers.
double stable_dt_s(const Grid& grid, const Scheme& scheme, double vp_max_m_s);
double stable_dt_in_layers_s(const Grid& grid, const Scheme& scheme, double vp_max_m_s);
RowReader constant_velocity(double vp_m_s);  ///< or density, or Q
/// The Q of media that absorb where no other is given.
inline constexpr double kUsualQ = 50.;

/// A number in [0, 1) for a node, unrelated to its neighbours' and the same everywhere: the finaliser of SplitMix64
/// (Steele, Lea and Flood 2014).
double scatter(std::int64_t node);
/// Media in which every node scatters: a velocity [m/s] that has nothing to do with its neighbours', and a density
/// [kg/m3] that has nothing to do with the velocity either.
inline constexpr double kSlowest = 1500., kFastest = 3000.;
float scattered_velocity(std::int64_t node);
float scattered_density(std::int64_t node);
/// And a Q from kLowestScatteredQ to 100.
inline constexpr float kLowestScatteredQ = 5.f;
float scattered_q(std::int64_t node);
/// And anisotropy within kScatteredAnisotropy, epsilon above delta but for a quarter of the nodes, which have none.
/// sqrt(1 + 2 delta) lies in the middle of a quantum of d, and 1 + 2 epsilon is a multiple of 2^-11, so that kernels
/// see whole quanta of a step.
inline constexpr Anisotropy kScatteredAnisotropy{0., 0.3, -0.06, 0.12};
float scattered_epsilon(std::int64_t node);
float scattered_delta(std::int64_t node);
/// The delta whose sqrt(1 + 2 delta) lies in the middle of the quantum from d on.
float delta_of_coupling(double d);

/// The set-up that make_wavefield asks of the device.
Setup make_setup(const Experiment& experiment, const VerifyOptions& options);
/// A wavefield on a medium of its own; with kernel "auto" where the one asked for does not have the operator. Small
/// grids get one thread: a barrier would cost more than the sweep.
/// \param rho, q where the scheme has a density, or Q; by default the same everywhere, and kUsualQ.
std::unique_ptr<Wavefield> make_wavefield(const Experiment& experiment, const RowReader& vp,
                                          const VerifyOptions& options, const RowReader& rho = constant_velocity(2000.),
                                          const RowReader& q = constant_velocity(kUsualQ));

/// Advances a field without sources, and without strips, from p[0] and p[-1], [z][y][x]. Leaps begin after a step or
/// two, when there are two even levels.
/// \return p[steps].
std::vector<double> evolve(const Experiment& experiment, const RowReader& vp, const VerifyOptions& options,
                           std::span<const double> p, std::span<const double> p_previous);

/// Sets the levels n, n - 1 and n - 2, [z][y][x], of a wavefield that leaps. Its strips begin in silence.
void set_levels(Wavefield& leaps, std::span<const double> now, std::span<const double> odd,
                std::span<const double> before);

/// Advances a wavefield by all steps of an experiment, or one more where it leaps. \return the pressure [receiver]
/// [sample] at samples 0 … steps; of leaps it is interpolated from the even ones.
std::vector<double> record(Wavefield& backend, const Experiment& experiment, const Sources& sources,
                           const NodeWeights& receivers);

/// The Ricker wavelet of the survey, with t0 = 1.5 / f0 so that it begins below 1e-8 of its peak.
Wavelet smooth_ricker(double peak_frequency_hz);
/// The number of periods from t = 0 after which smooth_ricker is below 1e-6 of its peak for good.
inline constexpr double kRickerPeriods = 2.8;

/// The pressure [receiver][sample], samples 0 … steps, of sources that share one wavelet.
std::vector<double> seismograms(Wavefield& backend, const Experiment& experiment, const Wavelet& wavelet,
                                std::span<const SourcePoint> sources, std::span<const Position> receivers);

/// A grid with nodes on the multiples of its spacing whose faces cannot be heard: every path from a source over a
/// face to a receiver is longer than `reach_m`. A mirror face of `walls` is instead the plane through coordinate 0.
Grid silent_grid(int dimensions, const std::array<double, 3>& spacing_m, const FaceHalos& walls,
                 std::span<const SourcePoint> sources, std::span<const Position> receivers, double reach_m);

}  // namespace onda::verify
