/// \file
/// What a run that computes gradients compares data by, and how it keeps the forward fields.
#pragma once

#include <string>

#include "solver/imaging/history_plan.hpp"
#include "solver/imaging/shot_misfit.hpp"

namespace onda {

/// A value of the plan, present where gradients are computed.
struct ImagingPlan {
    MisfitSettings misfit;
    HistoryPlan history;
    bool illuminations = false;    ///< whether those of both fields are computed, beside gradients
    bool adjoint_sources = false;  ///< whether gradient.h5 holds those of every shot
    std::string chosen_by;         ///< what put numbers in place of "auto"
};

}  // namespace onda
