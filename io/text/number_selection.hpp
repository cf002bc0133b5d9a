/// \file
/// Some of the things that are numbered, such as shots and receivers, as users list them: "3-7,12,100-200:10".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace onda {

/// Numbers from 0 on, and ranges of them, of which a step may be taken.
class NumberSelection {
public:
    /// All numbers.
    NumberSelection() = default;
    /// What a text lists. Blanks may be beside commas. \returns otherwise the first part that is no number and no
    /// range.
    static std::variant<NumberSelection, std::string> parse(std::string_view text);

    [[nodiscard]] bool is_all() const { return ranges_.empty(); }
    [[nodiscard]] bool contains(std::int64_t number) const;
    /// A number that is listed by itself or as an end, and others do not have; none where they have all of these, and
    /// some of each range. \param count how many others there are. \param number of the i-th of them, ascending.
    [[nodiscard]] std::optional<std::int64_t> missing_from(
        std::size_t count, const std::function<std::int64_t(std::size_t i)>& number) const;
    /// The largest number that is listed; 0 where all are.
    [[nodiscard]] std::int64_t largest() const;
    /// As parse() takes it, without blanks; empty where all numbers are selected.
    [[nodiscard]] std::string text() const;

    bool operator==(const NumberSelection&) const = default;

private:
    struct Range {
        std::int64_t first = 0, last = 0, step = 1;  ///< the last is one of the steps

        [[nodiscard]] bool contains(std::int64_t number) const {
            return first <= number && number <= last && (number - first) % step == 0;
        }
        bool operator==(const Range&) const = default;
    };
    static std::optional<Range> range_of(std::string_view part);

    std::vector<Range> ranges_;  ///< none: all numbers
};

}  // namespace onda
