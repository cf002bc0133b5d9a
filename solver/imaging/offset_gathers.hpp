/// \file
/// Subsurface-offset gathers: what an image is made of where both fields are taken apart from each other. In a model
/// with the right velocities it comes together at no offset.
#pragma once

#include <vector>

#include "io/config/config.hpp"
#include "io/results/image_file.hpp"
#include "solver/discretisation/computed_grid.hpp"
#include "solver/imaging/gradient_run.hpp"

namespace onda {

/// Lines at every so many metres from the origin of a grid on, but for its faces, on their nearest nodes.
/// \throws Error(config) where none lies in it, or it is not wide enough for the offsets.
OffsetLines offset_lines(const OffsetGatherConfig& config, const Grid& grid, const ConfigOrigin& origin);

/// Those in a part of the grid, as nodes of the grid that is computed around it. \param kept which of all they are.
OffsetLines lines_of_part(const OffsetLines& of_run, const Window& part, const ComputedGrid& computed,
                          std::vector<std::size_t>* kept = nullptr);

/// What a run that has ended leaves of a shot on the lines of the whole grid, minus the sums as cross_correlation has
/// them; zero beyond the shot's part. \param of_run on nodes of `grid`.
OffsetGathers offset_gathers_of(const GradientRun& run, int slot, const OffsetLines& of_run, const Grid& grid,
                                const Window& part, const ComputedGrid& computed);

}  // namespace onda
