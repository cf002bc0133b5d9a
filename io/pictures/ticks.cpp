#include "io/pictures/ticks.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <iterator>

#include "io/text/number_text.hpp"

namespace onda {
namespace {

double round_step(double least) {
    const double power = std::pow(10., std::floor(std::log10(least)));
    for (const double factor : {1., 2., 5.})
        if (factor * power >= least * (1. - 1e-9)) return factor * power;
    return 10. * power;
}

int exponent_for(double largest) {
    if (largest == 0. || (largest >= 1e-2 && largest < 1e6)) return 0;
    return 3 * static_cast<int>(std::floor(std::log10(largest) / 3.));
}

}  // namespace

std::string fixed_number(double value, int decimals) {
    std::array<char, 400> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals);
    return {text.data(), end.ptr};
}

Ticks make_ticks(double first, double last, int most) {
    const double low = std::min(first, last), high = std::max(first, last);
    Ticks result;
    result.exponent = exponent_for(std::max(std::abs(low), std::abs(high)));
    const double unit = std::pow(10., result.exponent);
    // A range lost in the rounding of its ends has no round numbers inside.
    if (!(high - low > 1e-12 * std::max(std::abs(low), std::abs(high)))) {
        result.ticks.push_back({low, fixed_number(low / unit, 3)});
        return result;
    }
    result.step = round_step((high - low) / std::max(1, most));
    const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(result.step / unit * (1. + 1e-9)))), 0, 12);
    const double slack = 1e-6;
    for (double k = std::ceil(low / result.step - slack); k <= high / result.step + slack; ++k) {
        const double value = k * result.step;
        std::string label = fixed_number(std::abs(value) / unit, decimals);
        result.ticks.push_back({value, value < 0. && k != 0. ? "\xe2\x88\x92" + label : label});
    }
    return result;
}

const char* unit_prefix(int exponent) {
    switch (exponent) {
        case -12: return "p";
        case -9: return "n";
        case -6: return "\xc2\xb5";
        case -3: return "m";
        case 3: return "k";
        case 6: return "M";
        case 9: return "G";
        default: return nullptr;
    }
}

std::string printed_number(double value) {
    return (value < 0. ? "\xe2\x88\x92" : "") + number_text(std::abs(value));
}

std::string superscript(int number) {
    constexpr std::array<const char*, 10> digits{"\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",
                                                 "\xe2\x81\xb4", "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7",
                                                 "\xe2\x81\xb8", "\xe2\x81\xb9"};
    std::string text = number < 0 ? "\xe2\x81\xbb" : "";
    for (const char digit : std::to_string(std::abs(number))) text += digits[static_cast<std::size_t>(digit - '0')];
    return text;
}

namespace {

std::string power_of_ten(int exponent) {
    return "10" + superscript(exponent);
}

/// 0.05, 2, 5000 as they are, and others as powers of ten: a tick is 1, 2 or 5 times one.
std::string label_of_tick(double mantissa, int exponent) {
    const double value = mantissa * std::pow(10., exponent);
    if (exponent >= -3 && exponent < 6) return fixed_number(value, std::max(0, -exponent));
    return (mantissa == 1. ? "" : fixed_number(mantissa, 0) + "\xc3\x97") + power_of_ten(exponent);
}

}  // namespace

Ticks make_logarithmic_ticks(double first, double last, int most) {
    const double slack = 1e-9;
    const double low = std::min(first, last) * (1. - slack), high = std::max(first, last) * (1. + slack);
    const int begin = static_cast<int>(std::floor(std::log10(low))),
              end = static_cast<int>(std::ceil(std::log10(high)));
    const auto at = [&](std::initializer_list<double> mantissas, int every) {
        Ticks result;
        for (int exponent = begin; exponent <= end; ++exponent)
            for (const double mantissa : mantissas)
                if (const double value = mantissa * std::pow(10., exponent);
                    exponent % every == 0 && value >= low && value <= high)
                    result.ticks.push_back({value, label_of_tick(mantissa, exponent)});
        return result;
    };
    const auto fits = [most](const Ticks& ticks) { return std::ssize(ticks.ticks) <= most; };
    Ticks result = at({1., 2., 5.}, 1);
    for (int every = 1; !fits(result) && every <= end - begin; ++every) result = at({1.}, every);
    return result;
}

std::string scaled_title(const std::string& title, int exponent) {
    if (exponent == 0) return title;
    const std::string factor = power_of_ten(exponent);
    const auto bracket = title.find('[');
    if (bracket == std::string::npos) return title + " [" + factor + "]";
    const char* const prefix = unit_prefix(exponent);
    const bool takes_prefix = title.compare(bracket, 3, "[Pa") == 0 || title.compare(bracket, 4, "[m/s") == 0;
    if (prefix != nullptr && takes_prefix) return title.substr(0, bracket + 1) + prefix + title.substr(bracket + 1);
    return title.substr(0, bracket + 1) + factor + " " + title.substr(bracket + 1);
}

}  // namespace onda
