/// \file
/// A run from configuration to results: config -> model -> survey -> propagator -> outputs, shot by shot.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "solver/imaging/operand.hpp"
#include "solver/program/log.hpp"
#include "solver/program/progress.hpp"
#include "solver/ranks/ranks.hpp"
#include "solver/run/summary.hpp"
#include "solver/shots/shot_selection.hpp"

namespace onda {

struct InversionIteration;
struct TaskRow;

struct RunOptions {
    std::filesystem::path folder;              ///< where the results go
    bool overwrite = false;                    ///< replace the results of an earlier run there
    std::string command_line;                  ///< for provenance
    ShotSelection shots{};                     ///< those that this process may compute
    const TaskRow* task = nullptr;             ///< what is done with them; null: the first of tasks()
    std::shared_ptr<const Operand> operand{};  ///< what the task is applied to; null where it is to nothing
    bool is_pass = false;                      ///< of an inversion, which has more on disk than this run's folder
    bool replaces_others = false;  ///< replace results of another configuration there, and keep those of this one
    /// When no further batch of shots is begun.
    std::chrono::steady_clock::time_point end_by = std::chrono::steady_clock::time_point::max();
    Progress* progress = nullptr;  ///< who is told how far the run is; null: whoever looks at stderr and the log
    /// Between publications of what iterations have found, which are pictures and pages.
    std::chrono::seconds publish_pause{10};
    /// Told of each iteration of an inversion that was made, on the thread that runs it: what it throws ends the run,
    /// which goes on from there another time.
    std::function<void(const InversionIteration&)> after_iteration{};
};

/// Computes the shots of a survey that are missing and that no other process computes. With the last of them it leaves
/// seismograms.h5, snapshots.h5 and .xdmf, pictures, config.yaml, summary.json and onda.log.
///
/// Errors of the configuration, memory and disk are found before the folder is created. A run that ends before all
/// shots are there leaves onda.log and, in the folder's `unfinished`, the shots that are finished: the next run of the
/// same survey goes on with the others. Files of an earlier run stay as they were until the new ones are complete. From
/// when the folder is created, signals that are watched are only noticed.
///
/// Of several ranks, those that are connected begin together, share grids where the plan says so, and the first one
/// ends the survey. Only its log should be shown.
/// \throws Error, with time_limit if shots are missing at end_by; std::bad_alloc; Interrupted; ToldByFirstRank.
RunFacts run_simulation(const Config& config, const RunOptions& options, Log& log, const Ranks& ranks = {});

}  // namespace onda
