/// \file
/// Attenuation in a plan: the mechanisms that the configuration asks for, and what is said of them.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "solver/plan/plan.hpp"

namespace onda {

/// Chooses the equation with as many memory fields as the mechanisms need, or that with drag. Nothing where nothing
/// absorbs.
void set_memory(Plan& plan);
/// Where vp is the velocity, and q the quality factor: as the configuration says, or the lowest peak frequency of the
/// wavelets.
double reference_frequency_hz(const Plan& plan);
/// Sets the relaxation of the scheme from the configuration and, where that is silent, the wavelets: vp is the velocity
/// at the lowest peak frequency, and the band goes from 0.4 of it to 2.5 of the highest. \throws Error(config) for a
/// band without width, and for a Q too low for a power of the frequency above 1.
void set_relaxation(Plan& plan);

/// The configuration of what set_relaxation() has set, so that a run whose wavelets are others has the same medium.
AttenuationConfig settled_attenuation(const Plan& plan);

/// The velocity that the stability limit is for: that of infinite frequency at the lowest known Q.
/// \param limit_s gives the largest stable dt [s] of a velocity [m/s].
/// \throws Error(config) for a band that the time step does not resolve.
double stiffest_m_s(const Plan& plan, const std::function<double(double)>& limit_s);

/// A line on mechanisms, band and the largest errors of 1/Q and velocity in it; empty where nothing absorbs.
std::string describe_attenuation(const Plan& plan);
/// The same as values; null where nothing absorbs.
nlohmann::ordered_json attenuation_json(const Plan& plan);
/// Warnings of Q below what the scheme is for, of mechanisms that hardly fit, and of wavelets beside the band.
std::vector<std::string> doubts_of_attenuation(const Plan& plan);

}  // namespace onda
