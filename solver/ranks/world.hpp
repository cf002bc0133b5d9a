/// \file
/// The interface to the library that connects the processes of a launcher: MPI, in a module of its own
/// (solver/ranks/mpi_world.cpp), which the program loads when it was started by a launcher. Neither build nor program
/// needs it otherwise.
#pragma once

#include "solver/ranks/team.hpp"

namespace onda {

/// All processes that the launcher has started, connected.
class World : public Team {
public:
    /// The rank of this process among those on the same host.
    [[nodiscard]] virtual int local_rank() const = 0;
    [[nodiscard]] virtual int local_size() const = 0;
    /// Disconnects, once all have come here.
    virtual void leave() = 0;
    /// Ends all processes.
    virtual void abort(int exit_code) = 0;
};

/// Called while a process waits for another one; may throw, which ends the waiting.
using WhileWaiting = void (*)();

/// What the module offers, under the name kJoinWorld: connects this process with the others. \returns null if the
/// library cannot.
using JoinWorld = World* (*)(WhileWaiting while_waiting);
inline constexpr const char* kJoinWorld = "onda_join_world";
inline constexpr const char* kWorldModule = "libonda_mpi.so";

}  // namespace onda
