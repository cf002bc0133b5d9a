/// \file
/// Anisotropy in a plan: how much velocities depend on the direction, and what is said of it.
#pragma once

#include <string>

#include "solver/plan/plan.hpp"

namespace onda {

/// Sets the bounds of epsilon and delta of the scheme, by which time steps are limited, from what is known of the
/// model. Nothing where velocities depend on no direction.
void set_anisotropy(Plan& plan);

/// The lowest phase velocity of any direction [m/s], by which the sampling is judged.
double slowest_m_s(const Plan& plan);

/// A line on the velocities of directions; empty where they depend on none.
std::string describe_anisotropy(const Plan& plan);

}  // namespace onda
