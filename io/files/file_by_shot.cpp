#include "io/files/file_by_shot.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace onda {
namespace {

bool is_decimal_digit(char c) {
    return c >= '0' && c <= '9';
}

/// A name with the place of the number in it.
struct NameByShot {
    std::string before, after;
    std::size_t digits = 0;  ///< at least

    [[nodiscard]] std::string of(std::int64_t shot) const {
        const std::string number = std::to_string(shot);
        return before + std::string(digits - std::min(digits, number.size()), '0') + number + after;
    }
};

/// The least digits that the end of `{shot}` or `{shot:0N}`, N of one or two digits, asks for; none for another end.
std::optional<std::size_t> digits_asked_for(std::string_view format) {
    if (format.empty()) return 0;
    if (format.size() < 3 || format.size() > 4 || !format.starts_with(":0") ||
        !std::ranges::all_of(format.substr(2), is_decimal_digit))
        return std::nullopt;
    std::size_t digits = 0;
    std::from_chars(format.data() + 2, format.data() + format.size(), digits);
    return digits;
}

std::optional<NameByShot> name_by_shot(const std::filesystem::path& pattern) {
    constexpr std::string_view opening = "{shot";
    const std::string name = pattern.filename().string();
    for (std::size_t begin = name.find(opening); begin != std::string::npos; begin = name.find(opening, begin + 1)) {
        const std::size_t inside = begin + opening.size(), end = name.find('}', inside);
        if (end == std::string::npos) return std::nullopt;
        if (const auto digits = digits_asked_for(std::string_view(name).substr(inside, end - inside)))
            return NameByShot{name.substr(0, begin), name.substr(end + 1), *digits};
    }
    return std::nullopt;
}

}  // namespace

bool is_by_shot(const std::filesystem::path& pattern) {
    return name_by_shot(pattern).has_value();
}

std::filesystem::path file_of_shot(const std::filesystem::path& pattern, std::int64_t shot) {
    return pattern.parent_path() / name_by_shot(pattern).value().of(shot);
}

std::map<std::int64_t, std::filesystem::path> files_by_shot(const std::filesystem::path& pattern) {
    const NameByShot wanted = name_by_shot(pattern).value();
    const std::filesystem::path folder = pattern.has_parent_path() ? pattern.parent_path() : ".";
    std::map<std::int64_t, std::filesystem::path> files;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        const std::size_t around = wanted.before.size() + wanted.after.size();
        if (name.size() <= around || !name.starts_with(wanted.before)) continue;
        const char* const first = name.data() + wanted.before.size();
        std::int64_t shot = 0;
        const auto [rest, fault] = std::from_chars(first, first + (name.size() - around), shot);
        if (fault == std::errc() && is_decimal_digit(*first) && wanted.of(shot) == name)
            files.emplace(shot, entry->path());
    }
    return files;
}

}  // namespace onda
