/// \file
/// How the phases of two time axes follow from each other where a scheme disperses waves in time
/// (time_dispersion.hpp, whose equations are meant here), and the weights by which series are brought from one to the
/// other.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "solver/signal/fourier.hpp"
#include "solver/signal/resampling.hpp"

namespace onda {

/// How theta and x follow from each other: (1), or of order 4 in time (4).
struct StepRelation {
    int order;

    [[nodiscard]] bool fourth() const { return order == 4; }
    /// The largest x of waves that the scheme has, and tells apart.
    [[nodiscard]] double largest_x() const { return fourth() ? std::sqrt(6.) : 2.; }
    [[nodiscard]] double theta(double x) const { return 2. * std::asin(0.5 * chord(x)); }
    [[nodiscard]] double x(double theta) const {
        const double chord = 2. * std::sin(0.5 * theta);
        return fourth() ? chord * std::sqrt(2. / (1. + std::sqrt(1. - chord * chord / 3.))) : chord;
    }
    [[nodiscard]] double dtheta_dx(double x) const { return of_cosine(x) / std::sqrt(1. - 0.25 * chord(x) * chord(x)); }
    [[nodiscard]] double dx_dtheta(double theta) const { return std::cos(0.5 * theta) / of_cosine(x(theta)); }
    /// What the spectrum of a source is multiplied with, (5).
    [[nodiscard]] double of_source(double x) const {
        const double half = 1. - x * x / 12.;
        return fourth() ? (1. - x * x / 6.) / (half * half) : 1.;
    }

private:
    /// 2 sin(theta / 2).
    [[nodiscard]] double chord(double x) const { return fourth() ? x * std::sqrt(1. - x * x / 12.) : x; }
    /// cos(theta / 2) dtheta / dx.
    [[nodiscard]] double of_cosine(double x) const {
        return fourth() ? (1. - x * x / 6.) / std::sqrt(1. - x * x / 12.) : 1.;
    }
};

/// Largest x of a band, over the largest x of all: there theta turns infinitely fast.
constexpr double kLargestX = 0.95;
/// The shape of all tapers: their transform falls to exp(-14) = 8e-7.
constexpr double kTaperBeta = 14.;

/// A band of phases, in radians a sample.
struct PhaseBand {
    double pass = 0., stop = 0.;
};

/// 1 up to the pass phase, 0 from the stop phase, between them the integral over a Kaiser window: of all tapers of that
/// width nearly the one whose transform falls soonest (Kaiser and Schafer 1980).
double taper(const PhaseBand& band, double y);

constexpr double kFadingSteps = 100.;  ///< at the end of a record of order 4 in time
/// The end of records of order 4 in time: a cut has all frequencies, of which the highest would come late, and be moved
/// into the record. These fade instead.
double fading(std::int64_t samples, std::int64_t index);

/// A map between two time axes by their phases: y, of a frequency, in radians per input sample, and phi(y) in radians
/// per output sample. No phase of the band is beyond the one of kLargestX.
struct PhaseMap {
    PhaseBand band;  ///< of y
    double ratio;    ///< dt_out / dt_in
    bool injects;    ///< (2), to the run's axis; or (3), from it
    StepRelation relation;
    double stride = 1.;  ///< of (3): time steps of the run in dt_in, so that y is stride theta

    [[nodiscard]] double phi(double y) const {
        return injects ? relation.theta(y * ratio) : ratio * stride * relation.x(y / stride);
    }
    /// The y of a phi of (3).
    [[nodiscard]] double y_of(double phi) const { return stride * relation.theta(phi / (ratio * stride)); }
    /// dphi / dy: how many input samples a wave of this phase advances in an output sample.
    [[nodiscard]] double slope(double y) const {
        return ratio * (injects ? relation.dtheta_dx(y * ratio) : relation.dx_dtheta(y / stride));
    }
    /// What a spectrum is multiplied with beside the taper.
    [[nodiscard]] double factor(double y) const { return injects ? relation.of_source(y * ratio) : 1.; }
    /// Beyond the fastest and the slowest wave of the band, in input samples: by the taper's transform, and by the Airy
    /// function of the longest waves, whose scale is the cube root of half the third derivative of the phase. Of order
    /// 4 in time it is the fifth root of 1 / 24 of the fifth derivative, the first that is not zero.
    [[nodiscard]] double margin(double i) const;
    /// First and last input sample that output sample i needs.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> window(std::int64_t sample) const;
    [[nodiscard]] std::size_t transform_length(std::int64_t sample) const;
};

/// w(i, b) = dt_in / (pi dt_out) int taper(y) cos(phi(y) i - y b) phi'(y) dy by the trapezoidal rule with L points on
/// the circle of y: a transform of length L gives all b at once, each with the sum of w(i, b + m L), m not 0, for
/// error. With L no shorter than the window these are below 1e-6.
class MappedTaps {
public:
    /// The weights of output samples first … end - 1.
    /// \param stretches false: without phi', for a series that stays on its time axis.
    MappedTaps(const PhaseMap& map, std::int64_t first, std::int64_t end, bool stretches = true);

    static std::int64_t bytes(const PhaseMap& map, std::int64_t first, std::int64_t end);

    Taps operator()(std::int64_t sample) const;

private:
    /// What weights of all output samples of one transform length share.
    struct Circle {
        FourierTransform transform;
        std::vector<double> phi, amplitude;  ///< at each point of the circle below the band's end

        Circle(const PhaseMap& map, std::size_t length, bool stretches);
    };

    PhaseMap map_;
    std::map<std::size_t, Circle> circles_;  ///< by the length of their transform
};

}  // namespace onda
