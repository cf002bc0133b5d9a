/// \file
/// The survey that traces were recorded in, as their headers tell it, or as the field wrote it down.
#pragma once

#include <filesystem>
#include <string>

#include "io/models/points_file.hpp"
#include "io/results/trace_bytes.hpp"

namespace onda {

/// Whether a file tells a survey, by its name or, of HDF5, by its format, and is no table of positions: it holds
/// traces, or is SPS or P1/90.
bool tells_survey(const std::filesystem::path& file);

/// The sources of the traces of a file, of strength 1, one for each shot of SEG-Y, SU and arrays, and their receivers,
/// one for each trace of a shot in the order of the file; where all shots have the same ones, these once.
///
/// Shots have the numbers of a seismograms.h5. Of the others a shot is what has one source position, and has the number
/// of its field record, or that in the table of an array, where each number is one shot and each shot one number; else
/// they are numbered from 1 in the order of the file.
/// Traces that are marked as dead have receivers like others. Of SPS and P1/90 shots have the numbers of their field
/// records or points, under the same condition; without a relation sources have no shots, and all receivers record all.
struct RecordedSurvey {
    SourceTable sources;
    ReceiverTable receivers;
    bool has_source_depths = true;  ///< else the z of all sources is 0
    std::string units{};            ///< a line on how coordinates became metres; empty: they were metres
};
/// \param bytes where SEG-Y and SU have their fields. \throws Error(missing_input | bad_data), naming file, trace and
/// bytes.
RecordedSurvey read_recorded_survey(const std::filesystem::path& file, const TraceBytes& bytes = {});

}  // namespace onda
