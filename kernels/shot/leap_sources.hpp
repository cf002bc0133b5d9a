/// \file
/// The sources of a shot as leaps, and steps of order 4 in time, add them.
#pragma once

#include "kernels/medium.hpp"
#include "kernels/plan/shell.hpp"
#include "kernels/shot/shot.hpp"

namespace onda {

/// What a leap from level n (even) to n + 2, or a step from n to n + 1, adds: signals at index n, nodes and weights as
/// in Sources.
struct LeapSources {
    Sources odd;   ///< in the shell to p[n+1] of a leap, or to u
    Sources even;  ///< to the next level
};

/// The sources f[n] that single steps would add to p[n+1], as leaps add them: f[n] to p[n+1] and f[n+1] to p[n+2] in
/// the shell, and f[n-1] + (2 + k L) f[n] + f[n+1] to p[n+2] where the grid leaps, near the shell also of sources
/// inside it. The weights of k L are made in double precision.
///
/// A step of order 4 in time adds what keeps its order: f + (A f + d^2 f / dt^2) / 12, the derivative as the second
/// difference of f[n]. In the shell A f comes of f[n] in u, images and layers included. What a first value f[0] gives
/// to p[0] is lost. Plain sources add f alone. \param medium whose k weighs the sources.
LeapSources leap_sources(const Medium& medium, const Sources& sources, const Shell& shell);

/// The size of a shot with as many source nodes, rows and samples as its LeapSources have at most.
ShotSize most_of_leaps(const Problem& problem, ShotSize shot);

}  // namespace onda
