#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "io/models/model_file.hpp"
#include "io/models/unit_names.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

using Triple = std::array<std::int64_t, 3>;

constexpr std::array kVelocityUnits{VelocityUnit{"m/s", 1.}, VelocityUnit{"km/s", 1000.}};

/// "vp(ix = 3, iz = 7) at (x = 22.5 m, z = 52.5 m)".
std::string node(const FileGeometry& geometry, const Triple& index, const std::string& quantity = "vp") {
    std::string indices, position;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (geometry.dimensions == 2 && axis == 1) continue;
        const std::string name(1, "xyz"[axis]);
        const double at = geometry.origin_m[axis] + static_cast<double>(index[axis]) * geometry.spacing_m[axis];
        indices += (axis > 0 ? ", i" : "i") + name + " = " + std::to_string(index[axis]);
        position += (axis > 0 ? ", " : "") + name + " = " + shortest(at) + " m";
    }
    return quantity + "(" + indices + ") at (" + position + ")";
}

/// The node of the n-th value of a box.
Triple index_of(std::size_t n, const Triple& first, const Triple& count) {
    const auto at = static_cast<std::int64_t>(n);
    return {first[0] + at % count[0], first[1] + at / count[0] % count[1], first[2] + at / (count[0] * count[1])};
}

/// Why a value is no velocity in this unit, and which unit it may be in.
std::string objection(double value, const std::string& remedy) {
    if (!(value > 0.) || !std::isfinite(value)) return "must be finite and positive";
    for (const auto& other : kVelocityUnits)
        if (value * other.m_s >= lowest_vp_m_s && value * other.m_s <= highest_vp_m_s)
            return "looks like " + std::string(other.name) + "; " + remedy + " " + std::string(other.name);
    return "must lie between " + shortest(lowest_vp_m_s) + " and " + shortest(highest_vp_m_s) + " m/s";
}

}  // namespace

const VelocityUnit& velocity_unit(const std::string& name, const std::string& place, ExitCode fault) {
    const auto found = std::ranges::find(kVelocityUnits, plain_unit(name), &VelocityUnit::name);
    if (found == kVelocityUnits.end()) throw Error(fault, place + " = '" + printable(name) + "': must be m/s or km/s");
    return *found;
}

const Quantity::Unit& unit_of(const Quantity& quantity, const std::string& name, const std::string& place,
                              ExitCode fault) {
    if (name.empty()) return quantity.units.front();
    const auto found = std::ranges::find(quantity.units, plain_unit(name), &Quantity::Unit::name);
    if (found != quantity.units.end()) return *found;
    std::string names;
    for (const Quantity::Unit& unit : quantity.units) names += (names.empty() ? "" : " or ") + std::string(unit.name);
    throw Error(fault, place + " = '" + printable(name) + "': must be " + names);
}

void to_metres_per_second(std::span<float> vp, const VelocityUnit& unit, const FileGeometry& geometry, Triple first,
                          Triple count, const std::string& place, const std::string& remedy) {
    for (std::size_t n = 0; n < vp.size(); ++n) {
        const double converted = static_cast<double>(vp[n]) * unit.m_s;
        if (!(converted >= lowest_vp_m_s && converted <= highest_vp_m_s)) {
            const Triple index = index_of(n, first, count);
            throw Error(ExitCode::bad_data, place + ": " + node(geometry, index) + " = " +
                                                shortest(static_cast<double>(vp[n])) + " " + std::string(unit.name) +
                                                ": " + objection(static_cast<double>(vp[n]), remedy));
        }
        vp[n] = static_cast<float>(converted);
    }
}

std::string describe_limits(const Quantity& quantity) {
    if (std::isinf(quantity.highest)) return shortest(quantity.lowest) + " or more, or infinite";
    const std::string unit(quantity.units.front().name);
    return std::string("finite") + (quantity.lowest > 0. ? " and positive" : "") + ", from " +
           shortest(quantity.lowest) + " to " + shortest(quantity.highest) + (unit.empty() ? "" : " ") + unit;
}

void to_first_unit(std::span<float> values, const Quantity& quantity, double factor, const FileGeometry& geometry,
                   Triple first, Triple count, const std::string& place) {
    for (std::size_t n = 0; n < values.size(); ++n) {
        const double converted = static_cast<double>(values[n]) * factor;
        if (!(converted >= quantity.lowest && converted <= quantity.highest))
            throw Error(ExitCode::bad_data,
                        place + ": " + node(geometry, index_of(n, first, count), std::string(quantity.name)) + " = " +
                            shortest(static_cast<double>(values[n])) + ": must be " + describe_limits(quantity));
        values[n] = static_cast<float>(converted);
    }
}

}  // namespace onda
