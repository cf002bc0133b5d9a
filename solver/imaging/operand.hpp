/// \file
/// What the linear operators of a survey take, and what they make of each shot.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernels/grid/grid.hpp"

namespace onda {

/// Rows of values, one for each source or receiver of a shot: signals at the time steps of a run, [source][step] for
/// steps 0 … TimeAxis::steps, or traces, [receiver][sample], at the sampling of the seismograms.
struct ShotRows {
    std::int64_t rows = 0, samples = 0;  ///< of each row
    std::vector<double> values;          ///< [row][sample]
};

/// What an operator is applied to: one of these.
struct Operand {
    std::vector<double> vp;                  ///< a change of the velocity [m/s] of every node, [z][y][x], x fastest
    std::map<std::int64_t, ShotRows> shots;  ///< by number
};

/// What an operator makes of a shot: one of these.
struct ShotProduct {
    ShotRows rows;
    Window part;             ///< nodes of the run's grid, all of them unless the shot has an aperture
    std::vector<double> vp;  ///< [z][y][x] on the nodes of `part`
};

}  // namespace onda
