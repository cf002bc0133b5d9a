#include "kernels/plan/medium_code.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string>

namespace onda {
namespace {

constexpr std::uint32_t kMostCode = 65535;

}  // namespace

std::string MediumCode::description() const {
    return storage == Storage::full ? std::string() : ", model as " + std::string(name(storage));
}

std::uint16_t MediumCode::encoded(float k) const {
    if (storage == Storage::codes) {
        if (!(k > 0.f)) return 0;
        const auto above = static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(k)) -
                           static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(code.decoded(kMostCode)));
        // Whole steps below the highest, rounded to the nearest.
        const std::int64_t steps = (-above + code.step / 2) / code.step;
        return static_cast<std::uint16_t>(kMostCode - std::clamp<std::int64_t>(steps, 0, kMostCode - 1));
    }
    const auto next = std::ranges::lower_bound(table, k);
    if (next == table.end()) return static_cast<std::uint16_t>(table.size() - 1);
    const auto index = static_cast<std::uint16_t>(next - table.begin());
    return index > 0 && k - table[index - 1U] < *next - k ? static_cast<std::uint16_t>(index - 1) : index;
}

float MediumCode::decoded(std::uint16_t q) const {
    return storage == Storage::codes ? code.decoded(q) : table.at(q);
}

double MediumCode::largest_change() const {
    if (storage != Storage::codes || code.step == 1) return 0.;
    // Half a step. It is worth most at a power of two, or at the lowest number if there is none above it.
    int exponent_low = 0, exponent_high = 0;
    const double mantissa = 2. * std::frexp(static_cast<double>(code.decoded(1)), &exponent_low);
    std::frexp(static_cast<double>(code.decoded(kMostCode)), &exponent_high);
    return 0.5 * code.step * 0x1p-23 / (exponent_high > exponent_low ? 1. : mantissa);
}

MediumCode medium_of_codes(float lowest, float highest) {
    const auto low = std::bit_cast<std::uint32_t>(lowest), high = std::bit_cast<std::uint32_t>(highest);
    if (!(lowest > 0.f) || !(highest >= lowest)) throw std::invalid_argument("codes of k need a range above zero");
    MediumCode medium{Storage::codes, {}, {}};
    medium.code.step = std::max(1U, (high - low + kMostCode - 2) / (kMostCode - 1));
    medium.code.base = high - kMostCode * medium.code.step;
    return medium;
}

MediumCode medium_of_table(std::span<const float> values) {
    MediumCode medium{Storage::table, {}, {values.begin(), values.end()}};
    medium.table.push_back(0.f);
    std::ranges::sort(medium.table);
    medium.table.erase(std::unique(medium.table.begin(), medium.table.end()), medium.table.end());
    if (medium.table.size() > MediumCode::kMostTableValues)
        throw std::invalid_argument("a table of k has at most " + std::to_string(MediumCode::kMostTableValues - 1) +
                                    " values beside zero, not " + std::to_string(medium.table.size() - 1));
    return medium;
}

}  // namespace onda
