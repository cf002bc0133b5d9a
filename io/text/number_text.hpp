/// \file
/// Numbers as text, independent of the locale.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>

namespace onda {

/// The shortest text that reads back as the same number.
inline std::string shortest(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}
inline std::string shortest(std::int64_t value) {
    return std::to_string(value);
}

}  // namespace onda
