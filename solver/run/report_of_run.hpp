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

/// Gives a file its name. One that a run may leave in the folder, the page or seismograms.segy, is listed in the
/// folder's summary.json as if the run had left it, so that --force may replace it: before it has its name, too, so
/// that the run is proven whenever this is killed or fails. Nothing is listed where the summary cannot be proven to be
/// Onda's, or the file has another name or lies elsewhere. \throws Error(cannot_create | io_error).
void commit_listed(const std::filesystem::path& folder, AtomicFile file);

}  // namespace onda
