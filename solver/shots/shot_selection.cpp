#include "solver/shots/shot_selection.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

[[noreturn]] void refuse(const std::string& text, std::string_view part) {
    throw Error(ExitCode::usage, fmt::format("--shots {}: '{}' is no shot number and no range of them; "
                                             "shots are listed like 3-7,12",
                                             printable(text), printable(part)));
}

}  // namespace

ShotSelection::ShotSelection(const std::string& text) {
    std::string_view rest = text;
    while (true) {
        const std::string_view part = rest.substr(0, rest.find(','));
        const char* const end = part.data() + part.size();
        std::int64_t first = 0, last = 0;
        auto read = std::from_chars(part.data(), end, first);
        last = first;
        if (read.ec == std::errc{} && read.ptr != end && *read.ptr == '-')
            read = std::from_chars(read.ptr + 1, end, last);
        if (read.ec != std::errc{} || read.ptr != end || first < 0 || last < first) refuse(text, part);
        ranges_.emplace_back(first, last);
        if (part.size() == rest.size()) return;
        rest.remove_prefix(part.size() + 1);
    }
}

bool ShotSelection::contains(std::int64_t shot) const {
    return ranges_.empty() || std::ranges::any_of(ranges_, [shot](const auto& range) {
               return range.first <= shot && shot <= range.second;
           });
}

void ShotSelection::check_against(const Shots& shots) const {
    check_against(shots.size(), [&shots](std::size_t i) { return shots.id(i); });
}

std::vector<std::int64_t> ShotSelection::among(const std::vector<std::int64_t>& numbers) const {
    check_against(numbers.size(), [&numbers](std::size_t i) { return numbers[i]; });
    std::vector<std::int64_t> selected;
    std::ranges::copy_if(numbers, std::back_inserter(selected), [this](std::int64_t shot) { return contains(shot); });
    return selected;
}

void ShotSelection::check_against(std::size_t count, const std::function<std::int64_t(std::size_t i)>& number) const {
    if (count == 0) return;
    const std::int64_t lowest = number(0), highest = number(count - 1);
    for (const auto& [first, last] : ranges_) {
        bool found = false;
        for (std::size_t i = 0; i < count && !found; ++i) found = first <= number(i) && number(i) <= last;
        if (found && lowest <= first && last <= highest) continue;
        throw Error(
            ExitCode::usage,
            fmt::format("--shots: there is no shot {}: the survey has {} shot{}, numbered {} to {}",
                        !found || first < lowest ? first : last, count, count == 1 ? "" : "s", lowest, highest));
    }
}

}  // namespace onda
