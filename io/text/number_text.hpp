/// \file
/// Numbers as text, independent of the locale.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace onda {

/// The shortest text that reads back as the same number.
inline std::string shortest(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}
inline std::string shortest(std::int64_t value) {
    return std::to_string(value);
}

/// The finite number that a whole text is, in decimal or scientific notation; a sign may precede it.
inline std::optional<double> finite_number(std::string_view text) {
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    double value = 0.;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

/// The shortest text of a number as a configuration writes it: without an exponent from 1e-7 to 1e15.
inline std::string number_text(double value) {
    if (std::isinf(value)) return value < 0. ? "-.inf" : ".inf";
    char digits[32];
    const double size = std::abs(value);
    const bool plain = value == 0. || (size >= 1e-7 && size < 1e15);
    const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
    const auto end = std::to_chars(digits, digits + sizeof digits, value, format).ptr;
    std::string text(digits, end);
    // Other YAML readers take 1e-9 for text.
    const auto exponent = text.find('e');
    if (exponent != std::string::npos && text.find('.') == std::string::npos) text.insert(exponent, ".0");
    return text;
}

/// "1st", "2nd", "3rd", "4th", …
inline std::string ordinal_text(std::uint64_t n) {
    constexpr std::string_view ends[] = {"th", "st", "nd", "rd"};
    const bool is_teen = n / 10 % 10 == 1;
    return std::to_string(n).append(ends[is_teen || n % 10 > 3 ? 0 : n % 10]);
}

}  // namespace onda
