/// \file
/// Gradients, illuminations and misfits as an output format.
#pragma once

#include "solver/outputs/output.hpp"

namespace onda {

/// gradient.h5 of a survey, the sums over its shots, with misfit.csv and, of runs with pictures, gradient.png; and
/// 00012.gradient.h5 of a shot with receivers.
extern const OutputFormat kGradientFormat;
inline constexpr std::string_view kGradientName = "gradient.h5", kMisfitTableName = "misfit.csv",
                                  kGradientPictureName = "gradient.png";

}  // namespace onda
