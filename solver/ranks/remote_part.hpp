/// \file
/// The slab of a grid that another process computes, as the process that leads sees it: a medium and a wavefield like
/// any other, whose calls become messages.
///
/// The leader sends orders to each member of its team, which carries them out one after the other (serve_part()) and
/// answers those that ask for something. Steps are ordered many at a time; the planes at cuts go from member to member
/// (solver/ranks/team_exchange.hpp) without the leader.
#pragma once

#include <functional>
#include <memory>

#include "kernels/medium.hpp"
#include "kernels/slabs/slabs.hpp"
#include "solver/ranks/team.hpp"

namespace onda {

/// What a member is asked to make the medium of.
struct PartRequest {
    Window part;            ///< of the configuration's grid: of a shot with an aperture, else all of it
    Slab slab;              ///< of the computed grid of that part
    bool exchanges = true;  ///< false: planes stay where they are, to time steps without
};

/// A medium that stands for that of a member's slab. \param setup of the slab. \throws Error: what the member met, with
/// its number.
std::shared_ptr<Medium> make_remote_medium(Team& team, int member, const Setup& setup, const PartRequest& request);

/// Ends what serve_part() does in all other members. To be called by the leader once it needs them no more.
void dismiss(Team& team);

/// Makes the medium of a slab of this process.
using MakePart = std::function<std::shared_ptr<Medium>(const PartRequest& request)>;

/// Carries out the leader's orders until it dismisses. What goes wrong while a medium or a wavefield is made, or values
/// are asked for, is the leader's to tell. \throws what the steps met, Interrupted: then the run cannot go on.
void serve_part(Team& team, const MakePart& make_part);

}  // namespace onda
