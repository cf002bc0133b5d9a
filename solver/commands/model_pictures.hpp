/// \file
/// Pictures of a model before a run.
#pragma once

#include <filesystem>
#include <vector>

#include "solver/plan/plan.hpp"

namespace onda {

/// The model of a plan on a grid of the same extents with no more nodes than sections need: its own where that is small
/// enough, else one that is coarser by the same factor along every axis.
/// \throws Error(config | bad_data | missing_input | out_of_memory).
Model model_to_draw(const Plan& plan);

/// Draws sections of the model through the first source, with the survey over them: STEM_xz.png, in 3-D STEM_yz.png and
/// STEM_xy.png, all of them or none. \return the files.
std::vector<std::filesystem::path> write_model_pictures(const Plan& plan, const Model& model,
                                                        const std::filesystem::path& stem, bool overwrite);

/// Refuses a model that does not fit the memory. \throws Error(out_of_memory).
void refuse_large_model(const Plan& plan, const Grid& grid);

}  // namespace onda
