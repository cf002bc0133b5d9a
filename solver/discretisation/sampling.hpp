/// \file
/// Whether the grid is fine enough for the waves on it.
#pragma once

#include <string>

#include "io/config/config.hpp"
#include "kernels/equations/scheme.hpp"
#include "kernels/grid/grid.hpp"

namespace onda {

/// The highest frequency of a survey, and what a configuration would change to lower it.
struct HighestFrequency {
    double hz = 0.;
    double given_peak_hz = 0.;  ///< peak frequency of that wavelet in the configuration; 0 for types without it
    bool filtered = false;      ///< lowered by the filter of what is compared
};

/// Points per wavelength at the highest frequency and slowest velocity, against what the order needs: as many as keep
/// the error of the phase velocity by the weights of the second derivative, whose symbol is exact, within 0.5 %.
struct SamplingVerdict {
    double points_per_wavelength = 0.;
    double needed = 0.;
    enum class Level { good, warn, refuse } level = Level::good;
    std::string message;  ///< names the number to change: spacing or frequency
};
/// \param highest of the frequencies of the wavelets. \param vp_min_m_s of the model.
SamplingVerdict judge_sampling(const SchemeConfig& config, const Grid& grid, const HighestFrequency& highest,
                               const Scheme& scheme, double vp_min_m_s);

}  // namespace onda
