/// \file
/// Commented configurations to start from.
#pragma once

#include <string>

#include "io/config/config.hpp"

namespace onda {

/// A commented configuration that runs (`onda init`).
/// \param names_schema whether its first line tells editors of kSchemaName, which must then be beside it.
std::string config_template(const Vocabulary& vocabulary, bool names_schema = false);

/// A commented configuration with the values of another: those that are not the defaults, and behind '#' what else
/// there is. read_config() makes the same Config of it, but for parameters without effect. \param about what it is, one
/// line.
std::string config_like(const Config& config, const std::string& about, const Vocabulary& vocabulary,
                        bool names_schema = false);

}  // namespace onda
