/// \file
/// Where a process stands among those that compute a run together.
#pragma once

#include <vector>

#include "kernels/slabs/slabs.hpp"

namespace onda {

struct RankPlace {
    int rank = 0, size = 1;
    int local_rank = 0, local_size = 1;     ///< among those on the same host
    int same_processors = 1;                ///< that may use the processors that this one may, itself included
    int device_rank = 0, same_devices = 1;  ///< among those of the same host that see the same GPUs
    bool is_connected = false;              ///< so that several can share a grid
    /// What the first one has chosen, and the processes for each grid; empty until it has. Others might choose
    /// otherwise, from the devices that they see and what is known of those.
    std::vector<Slab> slabs_of_first{};
    int ranks_per_grid = 1;
};

}  // namespace onda
