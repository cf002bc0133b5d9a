/// \file
/// A run from configuration to results: config -> model -> survey -> propagator -> outputs, shot by shot.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "solver/program/log.hpp"
#include "solver/run/summary.hpp"

namespace onda {

struct RunOptions {
    std::filesystem::path folder;  ///< where the results go
    bool overwrite = false;        ///< replace the results of an earlier run there
    std::string command_line;      ///< for provenance
};

/// Runs every shot and leaves seismograms.h5, snapshots.h5 and .xdmf, pictures, config.yaml, summary.json and onda.log.
///
/// Faults of the configuration, memory and disk are found before the folder is created. A run that fails later leaves
/// onda.log and no other file; files of an earlier run stay as they were until the new ones are complete. From when the
/// folder is created, signals that are watched are only noticed.
/// \throws Error; std::bad_alloc; Interrupted.
RunFacts run_simulation(const Config& config, const RunOptions& options, Log& log);

}  // namespace onda
