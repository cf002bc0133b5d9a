/// \file
/// JSON as files and terminals get it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace onda {

/// The text of a JSON value, indented, without a newline at the end. Never throws for what a text holds: bytes that are
/// no UTF-8 are written as U+FFFD, and characters that a terminal would obey as JSON's own escapes, which readers turn
/// back.
std::string json_text(const nlohmann::json& json);
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace onda
