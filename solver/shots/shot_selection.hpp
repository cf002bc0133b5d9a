/// \file
/// The shots that a process is asked to compute or to export: "3-7,12,100-200:10".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/text/number_selection.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

/// Some shots of a survey, by their numbers.
class ShotSelection {
public:
    /// Selects all shots.
    ShotSelection() = default;
    /// \param text numbers and ranges of them, separated by commas. \throws Error(usage) if it is something else.
    explicit ShotSelection(const std::string& text);

    [[nodiscard]] bool contains(std::int64_t shot) const { return numbers_.contains(shot); }
    /// \throws Error(usage) naming a number that none of the shots has.
    void check_against(const Shots& shots) const;
    /// \param numbers of shots, ascending. \returns the selected ones. \throws Error(usage) naming a selected number
    /// that is not among them.
    [[nodiscard]] std::vector<std::int64_t> among(const std::vector<std::int64_t>& numbers) const;

private:
    /// \param there_are what messages say before their number.
    void check_against(std::size_t count, const std::function<std::int64_t(std::size_t i)>& number,
                       const char* there_are) const;

    NumberSelection numbers_;
};

}  // namespace onda
