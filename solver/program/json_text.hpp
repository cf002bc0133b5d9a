/// \file
/// JSON as files and terminals get it.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace onda {

/// The text of a JSON value, indented, without a newline at the end. Never throws for what a text holds: bytes that are
/// no UTF-8 are written as U+FFFD, and characters that a terminal would obey as JSON's own escapes, which readers turn
/// back.
std::string json_text(const nlohmann::json& json);
std::string json_text(const nlohmann::ordered_json& json);

/// Why a text is no JSON value, and where.
struct JsonFault {
    std::size_t line = 0, column = 0;  ///< from 1
    std::string what;                  ///< empty where there is none
};

/// The value of a JSON text; null, with the error, for a text that is none or holds a number that no double can, such
/// as 1e400.
nlohmann::ordered_json parse_json(std::string_view text, JsonFault& fault);

}  // namespace onda
