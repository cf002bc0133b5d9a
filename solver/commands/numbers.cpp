#include "solver/commands/numbers.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

/// What stands for the value of an option in the help, where it is no number.
constexpr std::array<std::string_view, 11> kTexts{"TEXT",           "FILE",      "DIR",    "NAME", "LETTERS",
                                                  "FIELD=BYTE,...", "KEY=VALUE", "CONFIG", "HxD",  "TXxTZ",
                                                  "STAGE-ITERATION"};
/// What stands for the value of an option in the help, where it is a whole number.
constexpr std::array<std::string_view, 4> kWholeNumbers{"INT", "UINT", "N", "N,..."};

template <typename Integer>
bool is_all_of(std::string_view digits) {
    Integer value{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size();
}

/// A whole number without the zeros and the plus sign that C reads in its own way.
std::string plain_digits(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size() - 1));
    return (negative ? "-" : "") + std::string(text);
}

}  // namespace

std::string number_fault(std::string& text, bool whole) {
    const auto refused = [&text](const char* wanted) { return "'" + printable(text) + "': must be " + wanted; };
    const std::string_view digits = std::string_view(text).substr(text.starts_with('+') ? 1 : 0);
    const bool two_signs = digits.size() < text.size() && digits.starts_with('-');
    if (!whole)
        return !two_signs && finite_number(digits)
                   ? ""
                   : refused("a finite number in decimal notation, such as 0.5 or 2e-3");
    if (two_signs || !(is_all_of<std::int64_t>(digits) || is_all_of<std::uint64_t>(digits)))
        return refused("a whole number in decimal notation");
    text = plain_digits(text);
    return "";
}

void check_numbers(CLI::App& app) {
    for (CLI::Option* const option : app.get_options()) {
        // What CLI11 says of the checks follows a colon.
        const std::string all = option->get_type_name();
        const std::string type = all.substr(0, all.find(':'));
        if (option->get_items_expected_max() == 0 || type.empty() || std::ranges::count(kTexts, type) > 0) continue;
        const bool whole = std::ranges::count(kWholeNumbers, type) > 0;
        option->transform(CLI::Validator([whole](std::string& text) { return number_fault(text, whole); }, ""));
    }
    for (CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) check_numbers(*command);
}

}  // namespace onda
