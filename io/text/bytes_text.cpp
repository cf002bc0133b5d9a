#include "io/text/bytes_text.hpp"

#include <iterator>
#include <spdlog/fmt/fmt.h>

#include "io/text/saturating.hpp"

namespace onda {

std::string bytes_text(std::int64_t bytes) {
    if (bytes == kTooMany) return "more than 9 EB";
    const char* const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < std::size(units); ++unit) value /= 1000.;
    return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.3g} {}", value, units[unit]);
}

}  // namespace onda
