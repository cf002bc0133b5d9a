#include "solver/imaging/misfit.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "solver/signal/hilbert.hpp"

namespace onda {
namespace {

/// The square root of the sum of squares, which neither overflow nor vanish: 0 for zeros alone.
double norm(std::span<const double> trace) {
    double largest = 0., sum = 0.;
    for (const double x : trace) largest = std::max(largest, std::abs(x));
    if (largest == 0.) return 0.;
    for (const double x : trace) sum += (x / largest) * (x / largest);
    return largest * std::sqrt(sum);
}

TraceMisfit make_l2(const ImagingConfig&, std::size_t, double dt_s) {
    return [dt_s](std::span<const double> d, std::span<const double> observed, std::span<double> adjoint) {
        double sum = 0.;
        for (std::size_t i = 0; i < d.size(); ++i) {
            const double residual = d[i] - observed[i];
            sum += residual * residual;
            adjoint[i] = dt_s * residual;
        }
        return 0.5 * dt_s * sum;
    };
}

/// With u = d/|d| and v = d_obs/|d_obs|, J = 1/2 |u - v|^2 = 1 - <u, v>. The first form keeps its digits where the
/// traces are nearly alike, and dJ/dd = (r - u <u, r>) / |d|, r = u - v, is exactly zero where they are equal.
TraceMisfit make_normalised(const ImagingConfig&, std::size_t, double) {
    return [](std::span<const double> d, std::span<const double> observed, std::span<double> adjoint) {
        const double of_synthetic = norm(d), of_observed = norm(observed);
        double square = 0., along = 0.;
        for (std::size_t i = 0; i < d.size(); ++i) {
            const double u = d[i] / of_synthetic, r = u - observed[i] / of_observed;
            square += r * r;
            along += r * u;
            adjoint[i] = r;
        }
        for (std::size_t i = 0; i < d.size(); ++i)
            adjoint[i] = (adjoint[i] - along * (d[i] / of_synthetic)) / of_synthetic;
        return 0.5 * square;
    };
}

/// Part of a value in a whole, and 0 of nothing: where the envelope vanishes it has no derivative, and its least
/// subgradient is taken.
double part_of(double part, double whole) {
    return whole == 0. ? 0. : part / whole;
}

/// E = sqrt(d^2 + (H d)^2) (Bozdag, Trampert and Tromp 2011, GJI 185). With r = E - E_obs and H^T = -H,
/// dJ/dd = dt (r d/E - H(r H d/E)).
TraceMisfit make_envelope(const ImagingConfig&, std::size_t samples, double dt_s) {
    const auto hilbert = std::make_shared<const HilbertTransform>(samples);
    return [hilbert, dt_s](std::span<const double> d, std::span<const double> observed, std::span<double> adjoint) {
        std::vector<double> of_synthetic(d.size()), of_observed(d.size());
        (*hilbert)(d, of_synthetic);
        (*hilbert)(observed, of_observed);
        double sum = 0.;
        for (std::size_t i = 0; i < d.size(); ++i) {
            const double envelope = std::sqrt(d[i] * d[i] + of_synthetic[i] * of_synthetic[i]);
            const double residual = envelope - std::sqrt(observed[i] * observed[i] + of_observed[i] * of_observed[i]);
            sum += residual * residual;
            adjoint[i] = dt_s * residual * part_of(d[i], envelope);
            of_synthetic[i] = dt_s * residual * part_of(of_synthetic[i], envelope);
        }
        (*hilbert)(of_synthetic, of_synthetic);
        for (std::size_t i = 0; i < d.size(); ++i) adjoint[i] -= of_synthetic[i];
        return 0.5 * dt_s * sum;
    };
}

/// Huber (1964); for seismic data Guitton and Symes (2003), Geophysics 68(4). The threshold is a part of the root mean
/// square of the observed trace: it does not depend on the synthetic one, nor on the unit of either.
TraceMisfit make_huber(const ImagingConfig& config, std::size_t, double dt_s) {
    return [part = config.huber_threshold, dt_s](std::span<const double> d, std::span<const double> observed,
                                                 std::span<double> adjoint) {
        const double threshold = part * norm(observed) / std::sqrt(static_cast<double>(observed.size()));
        double sum = 0.;
        for (std::size_t i = 0; i < d.size(); ++i) {
            const double residual = d[i] - observed[i], size = std::abs(residual);
            sum += size <= threshold ? 0.5 * residual * residual : threshold * (size - 0.5 * threshold);
            adjoint[i] = dt_s * std::clamp(residual, -threshold, threshold);
        }
        return dt_s * sum;
    };
}

constexpr MisfitRow kMisfits[] = {
    {.name = "l2", .help = "half the integral of (d - d_obs)^2 over time", .make = make_l2},
    {.name = "normalised_l2",
     .help = "half the squared norm of d/|d| - d_obs/|d_obs|, each trace divided by its norm: amplitudes do not count",
     .divides_by_synthetic = true,
     .make = make_normalised},
    {.name = "normalised_correlation",
     .help = "1 - <d, d_obs>/(|d| |d_obs|), the zero-lag cross-correlation: another name of normalised_l2, whose value "
             "it is (Choi and Alkhalifah 2012)",
     .divides_by_synthetic = true,
     .make = make_normalised},
    {.name = "envelope",
     .help = "l2 of the envelopes, the moduli of the analytic signals: phases do not count, which makes cycle skipping "
             "rarer",
     .make = make_envelope},
    {.name = "huber",
     .help = "l2 of differences up to a threshold, beyond which they count linearly: outliers weigh less",
     .make = make_huber},
};

}  // namespace

std::span<const MisfitRow> misfits() {
    return kMisfits;
}

}  // namespace onda
