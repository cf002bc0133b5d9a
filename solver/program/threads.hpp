/// \file
/// The threads of the program, and whether the system lets it have them: the OpenMP library ends the program where it
/// does not.
#pragma once

#include "io/config/config.hpp"

namespace onda {

/// The most threads that may be asked for (backend.threads allows as many).
inline constexpr int kMostThreads = 4096;

/// The number of threads, this one included, that run together of `wanted`: starts them, parked, and ends them. They
/// have the stacks that OMP_STACKSIZE asks for.
int startable_threads(int wanted);

/// Takes a fair share of the processors, for one of so many processes that may use the same ones, unless
/// OMP_NUM_THREADS says how many threads.
void share_processors(int processes);

/// Checks the threads of a configuration, before the first parallel loop. \throws Error(config) if backend.threads, or
/// without it OMP_NUM_THREADS or the processors, ask for more threads than the system starts: naming the place, and how
/// many it does.
void check_threads(const BackendConfig& config, const ConfigOrigin& origin);
/// Checks the threads of a command without a configuration, before the first parallel loop. \param option that named
/// them, such as "--threads"; may be empty.
/// \throws Error(usage).
void check_threads(int threads, const char* option);

}  // namespace onda
