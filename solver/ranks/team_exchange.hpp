/// \file
/// Halo planes from one process to the next.
#pragma once

#include <memory>

#include "kernels/plan/allocations.hpp"
#include "kernels/setup.hpp"
#include "kernels/slabs/slabs.hpp"
#include "solver/ranks/rank_place.hpp"
#include "solver/ranks/team.hpp"

namespace onda {

/// The exchange of what this process steps with the processes before and after it in the team: the members' parts
/// follow each other along z. The planes go through memory of the host, unless Team::link() connects devices. \param
/// slab of setup_of_slab(): it has a neighbour below or above where the team has a member there.
std::unique_ptr<Exchange> make_team_exchange(Team& team, Wavefield& slab);

/// What makes it for the slab of this process.
MakeExchange exchange_in(Team& team);

/// Adds the rows of what processes that are connected take for their messages. \param setup of the whole grid. \param
/// wavefields that are there at the same time, each with `batch` shots. \param linked whether the devices at all cuts
/// are.
void add_exchange_memory(Allocations& list, const RankPlace& place, int ranks_per_grid, const Setup& setup,
                         int wavefields, int batch, bool linked);

}  // namespace onda
