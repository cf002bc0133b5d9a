#include "io/text/number_selection.hpp"

#include <algorithm>
#include <charconv>

namespace onda {
namespace {

std::string_view without_blanks(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

/// A number that a text begins with, which is cut off it.
bool take_number(std::string_view& text, std::int64_t& number) {
    if (text.empty() || text.front() < '0' || text.front() > '9') return false;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return fault == std::errc();
}

bool take(std::string_view& text, char sign) {
    if (!text.starts_with(sign)) return false;
    text.remove_prefix(1);
    return true;
}

}  // namespace

std::optional<NumberSelection::Range> NumberSelection::range_of(std::string_view part) {
    Range range;
    if (!take_number(part, range.first)) return std::nullopt;
    range.last = range.first;
    if (take(part, '-')) {
        if (!take_number(part, range.last) || range.last < range.first) return std::nullopt;
        if (take(part, ':') && (!take_number(part, range.step) || range.step < 1)) return std::nullopt;
    }
    if (!part.empty()) return std::nullopt;
    range.last -= (range.last - range.first) % range.step;
    return range;
}

std::variant<NumberSelection, std::string> NumberSelection::parse(std::string_view text) {
    NumberSelection selection;
    while (true) {
        const std::string_view part = text.substr(0, text.find(','));
        const auto range = range_of(without_blanks(part));
        if (!range) return std::string(part);
        selection.ranges_.push_back(*range);
        if (part.size() == text.size()) return selection;
        text.remove_prefix(part.size() + 1);
    }
}

bool NumberSelection::contains(std::int64_t number) const {
    return ranges_.empty() ||
           std::ranges::any_of(ranges_, [number](const Range& range) { return range.contains(number); });
}

std::optional<std::int64_t> NumberSelection::missing_from(
    std::size_t count, const std::function<std::int64_t(std::size_t i)>& number) const {
    if (count == 0) return std::nullopt;
    const std::int64_t lowest = number(0), highest = number(count - 1);
    for (const Range& range : ranges_) {
        bool found = false;
        for (std::size_t i = 0; i < count && !found; ++i) found = range.contains(number(i));
        if (!found || range.first < lowest) return range.first;
        if (range.last > highest) return range.last;
    }
    return std::nullopt;
}

std::int64_t NumberSelection::largest() const {
    return ranges_.empty() ? 0 : std::ranges::max_element(ranges_, {}, &Range::last)->last;
}

std::string NumberSelection::text() const {
    std::string text;
    for (const Range& range : ranges_) {
        text += (text.empty() ? "" : ",") + std::to_string(range.first);
        if (range.last != range.first) text += "-" + std::to_string(range.last);
        if (range.last != range.first && range.step != 1) text += ":" + std::to_string(range.step);
    }
    return text;
}

}  // namespace onda
