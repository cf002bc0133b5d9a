#include "solver/discretisation/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <spdlog/fmt/fmt.h>

namespace onda {
namespace {

constexpr double kPhaseError = 0.005;  // of the phase velocity: what "needed" points per wavelength stand for

/// The fewest points per wavelength down to which the phase velocity along an axis, where it errs most, is right to
/// kPhaseError. Optimised weights err up and down: the first wavenumber that fails is between two of a scan; bisection.
double needed_points_per_wavelength(const Scheme& scheme) {
    const auto fails = [&](double kh) {
        return !(std::abs(1. - std::sqrt(scheme.axis_symbol(kh)) / kh) <= kPhaseError);
    };
    constexpr double step = std::numbers::pi / 1000;
    double good = 1e-3, bad = step;
    while (bad < std::numbers::pi && !fails(bad)) {
        good = bad;
        bad += step;
    }
    for (int i = 0; i < 60; ++i) {
        const double kh = 0.5 * (good + bad);
        (fails(kh) ? bad : good) = kh;
    }
    return 2. * std::numbers::pi / good;
}

/// A number rounded down to three digits, so that the one named in a message passes. \param x positive, normal.
double floor3(double x) {
    const double digit = std::pow(10., std::floor(std::log10(x)) - 2.);
    return std::floor(x / digit) * digit;
}

/// What would give `wanted` points per wavelength instead of the verdict's.
std::string advice(const SamplingVerdict& verdict, double wanted, double coarsest_m, const HighestFrequency& highest) {
    const double shrink = verdict.points_per_wavelength / wanted;
    const auto can_be_named = [](double x) { return std::isnormal(x) && x > 1e-300; };
    if (!can_be_named(coarsest_m * shrink) || !can_be_named(highest.hz * shrink) ||
        (highest.given_peak_hz > 0. && !can_be_named(highest.given_peak_hz * shrink)))
        return "no spacing and no frequency would do: check both, the velocities, and that number";
    std::string text =
        fmt::format("use a spacing of {:.3g} m or less (now {:.6g} m), or a highest frequency of {:.3g} Hz or less",
                    floor3(coarsest_m * shrink), coarsest_m, floor3(highest.hz * shrink));
    if (highest.given_peak_hz > 0.)
        text += fmt::format(" (a peak frequency of {:.3g} Hz, now {:.4g} Hz)", floor3(highest.given_peak_hz * shrink),
                            highest.given_peak_hz);
    return text;
}

}  // namespace

SamplingVerdict judge_sampling(const SchemeConfig& config, const Grid& grid, const HighestFrequency& highest,
                               const Scheme& scheme, double vp_min_m_s) {
    double coarsest_m = 0.;
    for (int axis = 0; axis < 3; ++axis)
        if (grid.has_axis(axis)) coarsest_m = std::max(coarsest_m, grid.spacing_m[axis]);

    SamplingVerdict verdict;
    verdict.points_per_wavelength = vp_min_m_s / (highest.hz * coarsest_m);
    verdict.needed = needed_points_per_wavelength(scheme);
    verdict.message =
        fmt::format("{:.3g} points per wavelength at {:.4g} Hz, where the {} has fallen to 1 %, and {:.6g} m/s",
                    verdict.points_per_wavelength, highest.hz,
                    highest.filtered ? "low-pass of what is compared" : "wavelet's spectrum", vp_min_m_s);
    const double least = config.min_points_per_wavelength;
    if (!(verdict.points_per_wavelength >= least)) {  // NaN, too
        verdict.level = SamplingVerdict::Level::refuse;
        verdict.message += fmt::format(": below scheme.min_points_per_wavelength = {:.3g}; {}", least,
                                       advice(verdict, std::max(least, verdict.needed), coarsest_m, highest));
    } else if (verdict.points_per_wavelength < verdict.needed) {
        verdict.level = SamplingVerdict::Level::warn;
        verdict.message +=
            fmt::format(": {} needs {:.3g} to keep the phase velocity within {:.1f} %; {}", scheme.description(),
                        verdict.needed, 100. * kPhaseError, advice(verdict, verdict.needed, coarsest_m, highest));
    }
    return verdict;
}

}  // namespace onda
