/// \file
/// What is kept of a shot that is finished.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "solver/program/file_record.hpp"

namespace onda {

/// What a finished shot left.
struct ShotRecord {
    std::int64_t shot = 0;
    std::string seismograms;  ///< hash of its samples; empty without receivers
    std::string wavefield;    ///< hash of its last wavefield
    /// [Pa]; of traces, as recorded and as written, and of the wavefield on the user's grid at every check of
    /// stability, at every snapshot and at the end.
    double largest_observed_pressure = 0.;
    /// One for each output format that has a file of each shot, in the order of output_formats(); without a name where
    /// the shot has none.
    std::vector<FileRecord> files;

    bool operator==(const ShotRecord&) const = default;
};

}  // namespace onda
