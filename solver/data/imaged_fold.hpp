/// \file
/// The fold of what is imaged.
#pragma once

#include "io/config/config.hpp"
#include "solver/survey/fold.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

/// The fold of the traces of a survey that imaging compares: those of its receivers and its range of offsets.
Fold fold_of(const ImagingConfig& imaging, const Shots& shots);

}  // namespace onda
