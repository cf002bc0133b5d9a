#include "io/models/unit_names.hpp"

#include <vector>

namespace onda {
namespace {

/// The factors of a product, whatever sign stands between them; powers without a sign: {"m", "s-1"}.
std::vector<std::string> factors_of(std::string_view unit) {
    std::vector<std::string> factors(1);
    for (std::size_t i = 0; i < unit.size(); ++i) {
        const bool power = unit[i] == '^' || unit.substr(i, 2) == "**";
        const bool dot = unit.substr(i, 2) == "\xc2\xb7";
        if (power) {
            i += unit[i] == '*' ? 1 : 0;
        } else if (dot || unit[i] == ' ' || unit[i] == '.' || unit[i] == '*') {
            i += dot ? 1 : 0;
            if (!factors.back().empty()) factors.emplace_back();
        } else {
            factors.back() += unit[i];
        }
    }
    if (factors.back().empty()) factors.pop_back();
    return factors;
}

}  // namespace

std::string plain_unit(std::string_view unit) {
    const auto factors = factors_of(unit);
    if (factors.size() == 1) return factors[0];  // kg/m^3
    if (factors.size() != 2) return std::string(unit);
    const auto& divisor = factors[1];
    const auto sign = divisor.find('-');
    if (sign == 0 || sign == std::string::npos || sign + 2 != divisor.size()) return std::string(unit);
    const std::string power = divisor.substr(sign + 1);
    return factors[0] + "/" + divisor.substr(0, sign) + (power == "1" ? "" : power);
}

}  // namespace onda
