/// \file
/// Tile sweeps as a heat map: a panel for each strategy, a row of panels for each device.
#pragma once

#include <filesystem>

#include "solver/performance/thesis/sweep_report.hpp"

namespace onda {

/// Draws both sweeps of a pair, times in milliseconds, colours by how many times the device's best that is.
/// PDF or SVG if the name ends with ".pdf" or ".svg", else PNG. \throws Error(cannot_create | io_error).
void write_sweep_picture(const std::filesystem::path& file, const SweepPair& pair, bool overwrite);

}  // namespace onda
