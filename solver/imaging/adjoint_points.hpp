/// \file
/// The adjoint run of a shot: the forward loop with sources at the receivers and time reversed.
///
/// A run maps the signals s of its sources to traces, d = R P B s: B injects k w / (rho V) s[n] into p[n+1], P is the
/// loop over the time steps, R samples by interpolation weights. P is its own transpose in these variables: with
/// absorbing layers, sponges and mirrors the adjoint field nu[n] = Y lambda[n] obeys the recursion of p itself, run
/// from n = N down, where Y = k W^-1 G Prod (1 + Z) of kernels/shot/layer_sources.hpp. So R' d is what sources at the
/// receivers inject, plainly, k w d[N - j] at step j, and B' of it what receivers at the sources record:
///     nu[n + 1] = p~[N - n],   (B' lambda)[n] = 1 / (rho V) sum over nodes of w p~[N - n],
/// p~ being the levels of that run. It holds to rounding for the star and for variable density, single steps and leaps,
/// and for the compact operator where all layers lie across one axis.
///
/// Of order 4 in time R' d is injected plainly (Sources::plain), and B' takes what solver/imaging/applied_traces.hpp
/// says. s[0] counts for nothing (Propagator).
#pragma once

#include <cstdint>
#include <span>

#include "kernels/grid/grid.hpp"
#include "solver/propagation/propagator.hpp"
#include "solver/signal/resampling.hpp"
#include "solver/survey/positions.hpp"

namespace onda {

/// The power of two that brings a value between 1 and 2, so that single precision keeps all of its digits of whatever
/// it is the largest of; 1 for 0 and for what is not finite.
double scale_to_one(double largest);

/// What an adjoint run needs of a shot.
struct AdjointPoints {
    ShotPoints points;
    /// What the run's fields are to be multiplied with: a power of two, by which signals are brought near 1, so that
    /// residuals of any size keep all digits of single precision.
    double scale = 1.;
};

/// Where the sources and receivers of a forward run are.
struct ShotPlaces {
    std::span<const Position> sources, receivers;
};

/// The adjoint run of traces d. \param grid that is computed, and its halos. \param traces of the receivers, samples
/// 0 … N, of which the first has no effect; their memory becomes that of the signals. \param records whether it records
/// at the sources.
AdjointPoints adjoint_points(const ShotPlaces& places, const Grid& grid, const FaceHalos& halos, OwnedTraces traces,
                             bool records);

/// The signals that an adjoint run gives, B' of it, from what it recorded at one source: value n, for n = 0 … steps - 1
/// (value `steps` is 0), of dJ/ds. \param recorded samples 0 … steps. \param density that the source acts in.
/// \param applied of order 4 in time, as many samples of A p~ there: then for n = 1 … steps (value 0 is 0).
std::vector<double> adjoint_signal(std::span<const double> recorded, double scale, double density, const Grid& grid,
                                   std::span<const double> applied = {});

}  // namespace onda
