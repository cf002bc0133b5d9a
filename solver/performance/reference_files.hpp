/// \file
/// The files of solver/performance/devices/, solver/performance/calibrations/ and solver/performance/reference/, as
/// they were when the program was built.
#pragma once

#include <span>

#include "solver/program/embedded_file.hpp"

namespace onda {

/// Reference data by name, "devices/k40.yaml", "reference/k40_tile_sweep.csv", …, in alphabetical order.
std::span<const EmbeddedFile> reference_files();

}  // namespace onda
