/// \file
/// Misfits alone as an output format: what trial steps of an inversion leave.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "solver/outputs/output.hpp"

namespace onda {

/// misfit.csv of a survey, a row for each shot with receivers, and 00012.misfit.csv of a shot.
extern const OutputFormat kMisfitFormat;

/// The rows of such a file; of a shot's file one. \throws Error(missing_input | bad_data).
std::vector<ListedMisfit> read_misfits(const std::filesystem::path& file);

}  // namespace onda
