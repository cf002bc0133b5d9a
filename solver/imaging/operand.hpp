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

/// Values of every node of a grid, [z][y][x], x fastest: a change of the model, or the derivative of something with
/// respect to it.
struct ModelValues {
    std::vector<double> vp;   ///< [m/s], or per m/s
    std::vector<double> rho;  ///< [kg/m3], or per kg/m3; empty for operators of velocity alone
};

/// What an operator is applied to: one of these.
struct Operand {
    ModelValues change;                      ///< of the model
    std::map<std::int64_t, ShotRows> shots;  ///< by number
};

/// What an operator makes of a shot: one of these.
struct ShotProduct {
    ShotRows rows;
    Window part;        ///< nodes of the run's grid, all of them unless the shot has an aperture
    ModelValues image;  ///< on the nodes of `part`
};

}  // namespace onda
