/// \file
/// Where a run computes: the device, the parts that the grid is cut into, and who computes which of them.
#pragma once

#include <string>
#include <vector>

#include "kernels/slabs/slabs.hpp"
#include "solver/propagation/devices.hpp"
#include "solver/ranks/rank_place.hpp"

namespace onda {

/// Devices, slabs, workers and processes of a run. None of them changes a bit of its results.
struct Placement {
    const Device* device = nullptr;
    std::vector<std::string> notes;         ///< why a faster device is not taken
    bool busy_host = false;                 ///< whether shots take the host nearly as long as a GPU
    int batch = 1;                          ///< shots that advance together
    std::vector<Slab> slabs;                ///< parts of the computed grid that exchange planes; one where it is whole
    std::string slabs_by;                   ///< what decided on the number of slabs
    std::vector<std::vector<int>> workers;  ///< of each worker the devices of its slabs; all draw shots from one queue
    RankPlace ranks;                        ///< of this process among those of the run
    int ranks_per_grid = 1;                 ///< consecutive processes that share the slabs of a grid
};

}  // namespace onda
