#include "solver/shots/shot_selection.hpp"

#include <algorithm>
#include <iterator>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"

namespace onda {

ShotSelection::ShotSelection(const std::string& text) {
    auto parsed = NumberSelection::parse(text);
    if (const auto* const wrong = std::get_if<std::string>(&parsed))
        throw Error(ExitCode::usage, fmt::format("--shots {}: '{}' is neither a shot number nor a range of them; "
                                                 "shots are listed like 3-7,12",
                                                 printable(text), printable(*wrong)));
    numbers_ = std::get<NumberSelection>(std::move(parsed));
}

void ShotSelection::check_against(const Shots& shots) const {
    check_against(
        shots.size(), [&shots](std::size_t i) { return shots.id(i); },
        shots.are_all() ? "the survey has" : "imaging.shots leaves");
}

std::vector<std::int64_t> ShotSelection::among(const std::vector<std::int64_t>& numbers) const {
    check_against(
        numbers.size(), [&numbers](std::size_t i) { return numbers[i]; }, "the survey has");
    std::vector<std::int64_t> selected;
    std::ranges::copy_if(numbers, std::back_inserter(selected), [this](std::int64_t shot) { return contains(shot); });
    return selected;
}

void ShotSelection::check_against(std::size_t count, const std::function<std::int64_t(std::size_t i)>& number,
                                  const char* there_are) const {
    if (const auto missing = numbers_.missing_from(count, number))
        throw Error(ExitCode::usage,
                    fmt::format("--shots: there is no shot {}: {} {} shot{}, numbered {} to {}", *missing, there_are,
                                count, count == 1 ? "" : "s", number(0), number(count - 1)));
}

}  // namespace onda
