/// \file
/// Other spellings of units.
#pragma once

#include <string>
#include <string_view>

namespace onda {

/// A unit as Onda writes it, with a slash and without signs of powers: "m s-1", "m.s^-1" and "m·s**-1" are "m/s", and
/// "kg m-3" and "kg/m^3" are "kg/m3". Anything else comes back as it is.
std::string plain_unit(std::string_view unit);

}  // namespace onda
