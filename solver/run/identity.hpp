/// \file
/// What the results of a survey follow from: by it a run knows whether shots that it finds are shots of its own survey.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "io/config/config.hpp"

namespace onda {

/// Whatever changes a bit of a shot, by name: the parameters of the configuration but for titles, folders and devices,
/// the hash of the model and of every file that the configuration names, and the version of the program.
using Identity = std::map<std::string, std::string>;

/// \param version of the program. \param model_hash of the model on its grid. \param kernel that computes the shots.
/// \param task what is done with them: TaskRow::name; empty: the first of tasks(), of which the section `imaging`
/// changes nothing.
/// \throws Error(missing_input | io_error) for a file that cannot be read.
Identity identity_of(const Config& config, const std::string& version, const std::string& model_hash,
                     const std::string& kernel, std::string_view task = {});

/// A line for each name: "time.duration_s: 0.5".
std::string text_of(const Identity& identity);
/// One hash for all of it.
std::string hash_of(const Identity& identity);

inline constexpr const char* kDurationKey = "time.duration_s";
inline constexpr const char* kPicturesKey = "output.pictures";
inline constexpr const char* kReportKey = "output.report";

/// One hash for what the steps of a shot follow from before its record ends: with the first task all but the length of
/// the record, pictures and report.
std::string hash_of_steps(const Identity& identity);
/// Whether a survey of the first task is another one with a longer record, and with no more pictures and report.
bool is_longer_record(const Identity& before, const Identity& longer);

/// The names whose values differ, a line each with both values; empty if none do.
std::string differences(const Identity& there, const Identity& here);

}  // namespace onda
