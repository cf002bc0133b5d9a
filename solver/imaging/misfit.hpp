/// \file
/// Misfits: how far a synthetic trace is from an observed one, as a number, and its derivative.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

#include "io/config/config.hpp"

namespace onda {

/// The misfit J of one pair of traces d and d_obs, weighted as they are to be compared.
/// \param synthetic d [sample]; \param observed d_obs [sample], of which one at least is not zero.
/// \param adjoint dJ/dd [sample] is written: what is injected in reversed time at the receiver (Tarantola 1984).
/// \return J. Any number of threads may call one object.
using TraceMisfit = std::function<double(std::span<const double> synthetic, std::span<const double> observed,
                                         std::span<double> adjoint)>;

/// One row of the table in misfit.cpp.
struct MisfitRow {
    std::string_view name;
    std::string_view help;
    /// Whether J divides by the norm of the synthetic trace: then one of zeros has none, like an observed one.
    bool divides_by_synthetic = false;
    /// For traces of one length and sample interval.
    TraceMisfit (*make)(const ImagingConfig&, std::size_t samples, double dt_s);
};
std::span<const MisfitRow> misfits();

}  // namespace onda
