/// \file
/// Gathers that are there, from files or from memory, as one file for other programs. Never more of them is in memory
/// than 64 MiB and what the largest shot's receivers are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "io/results/gather_file.hpp"
#include "io/results/result_reader.hpp"

namespace onda {

/// A survey whose gathers are there.
struct GatherSurvey {
    ResultOrigin origin;
    std::vector<std::int64_t> shots;  ///< numbers, ascending; all have receivers
    std::function<OpenGather(std::int64_t shot)> open;
};

/// The survey of a file of seismograms, which is read in a process of its own. \param reader outlives it.
GatherSurvey survey_of(const SeismogramReader& reader);

/// What is wanted of a survey.
struct GatherExport {
    const GatherFormat& format;
    GatherTarget target;
    std::vector<std::int64_t> shots;  ///< of the survey, ascending; one at least
    /// Told how many of all traces are written, several times a second at most; may be empty.
    std::function<void(std::int64_t written, std::int64_t all)> told;
    /// Gives each file its name; AtomicFile::commit() where empty.
    std::function<void(AtomicFile file)> commit = {};
};

/// What an export has made.
struct ExportedGathers {
    std::vector<std::filesystem::path> files;  ///< the file itself first
    GatherContents contents;
};

/// Writes a file, and those that belong to it, all of them or none: SEG-Y has the bytes that a run of these shots would
/// have written.
/// \throws Error(bad_data) for a survey that the format does not hold, shots that are sampled in different ways, and
/// damaged files; Error(missing_input); Error(cannot_create | io_error); Interrupted.
ExportedGathers export_gathers(const GatherSurvey& survey, const GatherExport& wanted);

}  // namespace onda
