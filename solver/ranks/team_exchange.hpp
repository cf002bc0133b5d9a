/// \file
/// Halo planes from one process to the next.
#pragma once

#include <memory>

#include "kernels/slabs.hpp"
#include "solver/ranks/team.hpp"

namespace onda {

/// The exchange of what this process steps with the processes before and after it in the team: the members' parts
/// follow each other along z. The planes go through memory of the host, unless Team::link() connects devices. \param
/// slab of setup_of_slab(): it has a neighbour below or above where the team has a member there.
std::unique_ptr<Exchange> make_team_exchange(Team& team, Wavefield& slab);

/// What makes it for the slab of this process.
MakeExchange exchange_in(Team& team);

/// The bytes that it takes.
struct ExchangeBytes {
    std::int64_t host = 0;
    std::int64_t device = 0;  ///< instead, where the devices at all cuts are linked
};
/// \param slab the problem of a slab, \param cuts of it: 1 or 2.
ExchangeBytes team_exchange_bytes(const Problem& slab, std::int64_t shots, int cuts);

}  // namespace onda
