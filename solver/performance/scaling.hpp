/// \file
/// How steps of a grid that is cut into slabs scale over devices and processes, measured.
#pragma once

#include <string>
#include <vector>

#include "kernels/setup.hpp"
#include "kernels/slabs/slabs.hpp"
#include "solver/performance/measurement.hpp"
#include "solver/propagation/devices.hpp"
#include "solver/ranks/team.hpp"

namespace onda {

/// A grid and the devices that share it.
struct ScaleCase {
    Setup setup;               ///< of the whole grid, resolved, with its boundary
    std::vector<Slab> slabs;   ///< one for each device
    std::vector<int> devices;  ///< of this process: the slabs of one process alone, or the one of a rank
};

/// Measures steps on random values. \param team of ranks that each have a slab, which this process leads; null where it
/// has all of them. \param exchanges false: planes stay where they are; what is computed is as much.
/// \returns seconds of a step, one value a round.
Sample measure_steps(const Device& device, const ScaleCase& of, int rounds, bool exchanges, Team* team);

/// Seconds of a step of one part alone, without its neighbours, on random values: a few hundredths of a second are
/// timed. \param part of setup_of_slab(), resolved.
double seconds_of_step(const Device& device, const Setup& part);

/// What the other ranks do while the first one measures: once for each of its measurements.
void serve_measurement(const Device& device, const ScaleCase& of, Team& team);

}  // namespace onda
