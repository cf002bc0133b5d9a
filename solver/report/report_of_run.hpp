/// \file
/// The report of a run that is over, from what is in its folder.
#pragma once

#include <filesystem>

#include "io/files/atomic_file.hpp"

namespace onda {

/// The page of the run in a folder, ready for its name. Gathers come from seismograms.h5, wavefields from snapshots.h5,
/// the model is made again from config.yaml; of what is not there the page says so.
/// \throws Error(missing_input) if the folder holds no complete run; Error(bad_data) for damaged files;
/// Error(cannot_create | io_error).
AtomicFile stage_report_of_run(const std::filesystem::path& folder, const std::filesystem::path& page, bool overwrite);

/// Lists a file that a run may leave in the folder's summary.json, as if it had left it, so that --force may replace
/// it: the page, or seismograms.segy. Does nothing where the summary cannot be proven to be Onda's, or the file has
/// another name or lies elsewhere.
void list_in_summary(const std::filesystem::path& folder, const std::filesystem::path& file);

}  // namespace onda
