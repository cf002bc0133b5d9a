/// \file
/// The files of solver/performance/devices/, solver/performance/calibrations/ and solver/performance/reference/, as
/// they were when the program was built.
#pragma once

#include <span>

#include "solver/program/embedded_file.hpp"

namespace onda {

/// By the names "devices/k40.yaml", "reference/k40_tile_sweep.csv", … in the order of the alphabet.
std::span<const EmbeddedFile> reference_files();

}  // namespace onda
