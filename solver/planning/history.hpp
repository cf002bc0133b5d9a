/// \file
/// How a run that computes gradients keeps the forward field: what the configuration leaves open, by the memory there
/// is.
#pragma once

#include <cstdint>
#include <string>

#include "solver/plan/plan.hpp"

namespace onda {

/// Whether gradients of a plan are exact, and there is what they are compared with. \throws Error(config) with what
/// stands against them and what would do.
void check_gradients(const Plan& plan);

/// Sets the levels that are kept, for the plan's batch. \returns whether all of them fit, so that nothing is computed
/// twice; otherwise the plan has checkpoints. \throws Error(config) where the configuration asks for what does not fit.
bool set_history(Plan& plan);
/// The same for the batch that is computed, and notes in the configuration of the plan whether fields are rebuilt: the
/// one choice that changes bits.
void settle_history(Plan& plan);

/// Keeps so many levels at most, for processes that share a grid: each has found memory for as many as it says.
void limit_history(Plan& plan, std::int64_t slots);

}  // namespace onda
