/// \file
/// Quantities that an inversion may take its steps in, in place of the velocity.
#pragma once

#include <span>
#include <string_view>

namespace onda {

/// A quantity m(vp) that steps are taken in, monotone in vp: one row of the table in parameterisation.cpp.
struct ParameterisationRow {
    std::string_view name;
    std::string_view help;
    double (*of_vp)(double vp_m_s);     ///< m
    double (*vp_of)(double m);          ///< vp [m/s]
    double (*vp_slope)(double vp_m_s);  ///< dvp/dm
};
std::span<const ParameterisationRow> parameterisations();

}  // namespace onda
