#include "solver/ranks/launcher.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

/// The names under which a launcher says it; those of the host may be missing.
struct Launcher {
    const char *name, *rank, *size, *local_rank, *local_size;
};

// SLURM_NTASKS and SLURM_PROCID are also set in batch scripts; SLURM_STEP_NUM_TASKS is srun's alone. It tells how many
// tasks a node has only as a list of all nodes ("4(x2),3"): the first number is taken.
constexpr std::array<Launcher, 3> kLaunchers{
    {{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
      "OMPI_COMM_WORLD_LOCAL_SIZE"},
     {"PMI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
     {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"}}};

/// The number that a variable begins with; nothing if it is not set. \throws Error(usage) if it begins with none.
std::optional<int> number_in(const char* variable) {
    const char* const text = std::getenv(variable);
    if (text == nullptr || *text == '\0') return {};
    int number = 0;
    if (std::from_chars(text, text + std::strlen(text), number).ec != std::errc() || number < 0)
        throw Error(ExitCode::usage,
                    fmt::format("environment: {}={} is not a number of processes; unset the variables of "
                                "the launcher, or start onda by it",
                                variable, printable(text)));
    return number;
}

}  // namespace

std::optional<LaunchedRank> launched_rank() {
    for (const Launcher& launcher : kLaunchers) {
        const std::optional<int> rank = number_in(launcher.rank), size = number_in(launcher.size);
        if (!rank || !size) continue;
        if (*rank >= *size)
            throw Error(ExitCode::usage, fmt::format("environment: {}={} is not below {}={}", launcher.rank, *rank,
                                                     launcher.size, *size));
        LaunchedRank launched{*rank, *size, 0, 1, launcher.name, false};
        launched.local_rank = number_in(launcher.local_rank).value_or(0);
        launched.local_size = std::max(number_in(launcher.local_size).value_or(1), launched.local_rank + 1);
        const bool is_step = std::getenv("SLURM_STEP_NUM_TASKS") != nullptr;
        launched.may_connect = std::getenv("PMIX_RANK") != nullptr || (launched.launcher != "Slurm" && !is_step);
        return launched;
    }
    return {};
}

}  // namespace onda
