/// \file
/// What a launcher (mpirun, srun) says of this process in its environment, with or without MPI.
#pragma once

#include <optional>
#include <string>

namespace onda {

/// One of the processes that a launcher has started.
struct LaunchedRank {
    int rank = 0, size = 1;
    int local_rank = 0, local_size = 1;  ///< among those on the same host
    std::string launcher;                ///< "Open MPI", "PMI", "Slurm"
    /// Whether MPI may be started: under srun without --mpi=pmix it would end the program.
    bool may_connect = false;
};

/// The variables of Open MPI, of PMI (MPICH, Intel MPI), and of a step of Slurm, the first that are complete; nothing
/// outside launchers, in particular in a batch script of Slurm, whose variables are those of the allocation.
/// \throws Error(usage) naming a variable whose value makes no sense.
std::optional<LaunchedRank> launched_rank();

}  // namespace onda
