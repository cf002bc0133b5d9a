#include "io/config_faults.hpp"

#include <algorithm>
#include <tuple>

#include "io/error.hpp"

namespace onda {
namespace {

constexpr std::size_t kMostFaults = 50;
constexpr std::size_t kWidestLine = 110;

std::string_view line_of(std::string_view text, int number) {
    for (int i = 1; i < number; ++i) {
        const auto end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    text = text.substr(0, text.find('\n'));
    return text.ends_with('\r') ? text.substr(0, text.size() - 1) : text;
}

bool starts_character(char c) {
    return (static_cast<unsigned char>(c) >> 6) != 2;
}

/// Characters [first, first + count) of a line, control characters and damaged bytes shown as '?'.
std::string characters(std::string_view line, std::size_t first, std::size_t count) {
    std::string shown;
    std::size_t index = 0;
    bool valid = true;
    for (const char c : line) {
        if (starts_character(c)) ++index;
        if (index <= first || index > first + count) continue;
        const auto byte = static_cast<unsigned char>(c);
        valid = valid && byte != 0xc0 && byte != 0xc1 && byte < 0xf5;
        shown += (byte < 0x20 && c != '\t') || byte == 0x7f || (byte >= 0x80 && !valid) ? '?' : (c == '\t' ? ' ' : c);
    }
    return shown;
}

/// The line with a caret under the column; of a very long line, the part around it.
std::string pointed(std::string_view line, const TextPlace& place) {
    const auto column = static_cast<std::size_t>(std::max(place.column, 1));
    const std::size_t first = column > kWidestLine ? column - kWidestLine / 2 : 0;
    const std::string number = std::to_string(place.line);
    const std::string gutter(std::max<std::size_t>(number.size(), 4), ' ');
    return "\n" + gutter.substr(number.size()) + number + " | " + characters(line, first, kWidestLine) + "\n" + gutter +
           " | " + std::string(column - 1 - first, ' ') + "^";
}

}  // namespace

std::string FaultList::format(const Fault& fault) const {
    if (fault.at.source > 0)
        return "--set " + overrides_[static_cast<std::size_t>(fault.at.source) - 1] + ": " + fault.message;
    const auto& place = fault.at.place;
    if (place.line == 0) return name_ + ": " + fault.message;
    std::string_view text = text_;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    return name_ + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": " + fault.message +
           pointed(line_of(text, place.line), place);
}

void FaultList::raise() const {
    auto sorted = faults_;
    const auto order = [](const Fault& fault) {
        return std::tuple(fault.at.source, fault.at.place.line, fault.at.place.column);
    };
    std::stable_sort(sorted.begin(), sorted.end(), [&](const Fault& a, const Fault& b) { return order(a) < order(b); });
    std::string message;
    for (std::size_t i = 0; i < std::min(sorted.size(), kMostFaults); ++i)
        message += (i > 0 ? "\n" : "") + format(sorted[i]);
    if (sorted.size() > 1) message += "\n" + std::to_string(sorted.size()) + " faults in " + name_;
    if (sorted.size() > kMostFaults) message += ", the first " + std::to_string(kMostFaults) + " shown";
    const bool only_files = !sorted.empty() && std::all_of(sorted.begin(), sorted.end(),
                                                           [](const Fault& fault) { return fault.missing_file; });
    throw Error(only_files ? ExitCode::missing_input : ExitCode::config, message);
}

}  // namespace onda
