/// \file
/// The forecast of the time that a run takes, from its start to its last file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "solver/planning/rehearsal.hpp"

namespace onda {

struct Plan;

/// What a run takes beside its work.
inline constexpr std::string_view kProgramItem = "start and end of the program";

struct TimeForecast {
    struct Item {
        std::string what;
        double seconds = 0.;
    };
    double gpt_per_s = 0.;    ///< of the time steps alone
    double seconds = 0.;      ///< of the whole run
    std::vector<Item> items;  ///< parts that add up to `seconds`
    std::string basis;        ///< how it was found
    MachineLoad load;         ///< while it was found: if it is busy and stays so, the run takes as long
};

/// Times micro-benchmarks of the parts of a run (solver/planning/rehearsal.hpp) for half a second and adds up. What is
/// done by other threads under the steps of the next shots counts as far as it holds them up. \param output_folder
/// where the results are to go: a few MB are written on its disk and removed.
TimeForecast forecast_time(const Plan& plan, const std::filesystem::path& output_folder);

}  // namespace onda
