/// \file
/// The domain of a run: its grids, and the parts of them that single shots are computed on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/grid/grid.hpp"
#include "kernels/medium.hpp"
#include "solver/discretisation/boundary.hpp"
#include "solver/discretisation/computed_grid.hpp"
#include "solver/survey/aperture.hpp"

namespace onda {

/// Where waves are computed. In the plan of a shot with a part of its own (plan_of_shot()), `grid` and `computed` are
/// those of that part.
struct Domain {
    Grid grid;  ///< of the configuration: models are made, and results are given, on its nodes
    std::vector<std::string> keys_of_file;  ///< keys of the grid that were left to the model's file
    Faces faces;                            ///< of `grid`, as the configuration describes them
    /// `grid` with the absorbing strips beyond it. With an aperture, the plan of a run has the largest part here.
    ComputedGrid computed;
    std::optional<Aperture> aperture;       ///< where shots are computed on parts of the grid
    Window part;                            ///< the nodes of the run's grid that are computed, strips aside
    std::int64_t nodes_of_shots = 0;        ///< computed nodes of all shots together, strips included
    std::int64_t inner_nodes_of_shots = 0;  ///< those of them that are nodes of `grid`
};

}  // namespace onda
