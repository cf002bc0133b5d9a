/// \file
/// Models as files that `model.type: file` reads back to the bit.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "kernels/equations/equation.hpp"
#include "kernels/grid/grid.hpp"

namespace onda {

/// Writes the parameters of an equation on the nodes of a grid, [z][y][x] each, in the order of the equation; those
/// that are missing at its end are left out. \param provenance who made the model, from what.
/// \throws as write_model_file().
void store_model(const std::filesystem::path& file, const Grid& grid, const Equation& equation,
                 const std::vector<std::span<const float>>& parameters, const std::string& provenance, bool overwrite);

}  // namespace onda
