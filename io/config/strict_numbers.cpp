// The grammar of numbers and booleans in configurations.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/config/strict_yaml.hpp"

namespace onda {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
    std::string_view digits = text;
    if (!digits.empty() && (digits.front() == '-' || digits.front() == '+')) digits.remove_prefix(1);
    if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
    if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
    if (text.front() == '+') text.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<double> parse_number(std::string_view text) {
    const bool has_sign = !text.empty() && (text.front() == '-' || text.front() == '+');
    const auto digits = text.substr(has_sign ? 1 : 0);
    // from_chars also takes "inf", "nan" and leading zeros.
    const auto begins_with_digit = [](std::string_view part) { return !part.empty() && is_digit(part.front()); };
    if (!begins_with_digit(digits) && !(digits.starts_with('.') && begins_with_digit(digits.substr(1))))
        return std::nullopt;
    if (digits.front() == '0' && begins_with_digit(digits.substr(1))) return std::nullopt;
    double value = 0.;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(value)) return std::nullopt;
    return text.front() == '-' ? -value : value;
}

std::optional<bool> parse_boolean(std::string_view text) {
    if (text == "true") return true;
    if (text == "false") return false;
    return std::nullopt;
}

std::optional<std::vector<std::int64_t>> parse_extents(std::string_view text, std::size_t count) {
    constexpr std::int64_t most = 1'000'000;
    constexpr std::string_view spaces = " \t\r";
    std::vector<std::int64_t> extents;
    for (;;) {
        const std::size_t end = text.find('x');
        std::string_view part = text.substr(0, end);
        part.remove_prefix(std::min(part.find_first_not_of(spaces), part.size()));
        part = part.substr(0, part.find_last_not_of(spaces) + 1);
        const auto value = parse_integer(part);
        if (!value || *value < 1 || *value > most) return std::nullopt;
        extents.push_back(*value);
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    if (extents.size() != count) return std::nullopt;
    return extents;
}

}  // namespace onda
