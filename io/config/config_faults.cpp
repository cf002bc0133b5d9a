#include "io/config/config_faults.hpp"

#include <algorithm>
#include <tuple>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"

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

/// Characters [first, first + count) of a line, each as wide as it was: what printable() would escape, and damaged
/// bytes, are shown as '?'.
std::string characters(std::string_view line, std::size_t first, std::size_t count) {
    std::string text;
    for (std::size_t index = 0; !line.empty() && index < first + count; ++index) {
        const std::size_t length = utf8_length(line);
        const std::string_view character = line.substr(0, std::max<std::size_t>(length, 1));
        if (index >= first) {
            if (character == "\t")
                text += ' ';
            else
                text += length == 0 || is_hidden(character) ? "?" : character;
        }
        line.remove_prefix(character.size());
    }
    return text;
}

/// `key=value` as it was given, or its beginning and end.
std::string brief(const std::string& override_text) {
    constexpr std::size_t most = 160;
    const std::string text = printable_whole(override_text);
    if (text.size() <= most) return text;
    std::size_t head = most / 2, tail = text.size() - most / 4;
    while ((static_cast<unsigned char>(text[head]) >> 6) == 2) --head;
    while ((static_cast<unsigned char>(text[tail]) >> 6) == 2) ++tail;
    return text.substr(0, head) + "..." + text.substr(tail);
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
        return "--set " + brief(overrides_[static_cast<std::size_t>(fault.at.source) - 1]) + ": " + fault.message;
    const auto& place = fault.at.place;
    if (place.line == 0) return name_ + ": " + fault.message;
    std::string_view text = text_;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    return name_ + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": " + fault.message +
           pointed(line_of(text, place.line), place);
}

void FaultList::add_instead(const SourcePlace& at, std::string message) {
    const auto place = [](const SourcePlace& p) { return std::tuple(p.source, p.place.line, p.place.column); };
    std::erase_if(faults_, [&](const Fault& fault) { return place(fault.at) == place(at); });
    add(at, std::move(message));
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
    if (sorted.size() > 1) message += "\n" + std::to_string(sorted.size()) + " errors in " + name_;
    if (sorted.size() > kMostFaults) message += ", the first " + std::to_string(kMostFaults) + " shown";
    const bool lacks_file =
        std::any_of(sorted.begin(), sorted.end(), [](const Fault& fault) { return fault.missing_file; });
    throw Error(lacks_file ? ExitCode::missing_input : ExitCode::config, message);
}

}  // namespace onda
