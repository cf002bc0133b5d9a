/// \file
/// Tile sweeps as text: the thesis' tables with another GPU's times beside them, which strategy wins on each, and what
/// speaks for it.
#pragma once

#include <optional>
#include <string>

#include "solver/performance/device_description.hpp"
#include "solver/performance/thesis/tile_sweep.hpp"

namespace onda {

/// A sweep and, if it is one of another device on the same grid and order, that of the thesis beside it.
struct SweepPair {
    TileSweep here;
    std::optional<TileSweep> thesis;
};
/// \returns the sweep beside the thesis' where they can be compared.
SweepPair beside_thesis(TileSweep here);

/// The lines above the rows of tiles.
std::string sweep_heading(const SweepPair& pair);
/// The row of one tile, and above it the number of its table where a new one begins, that is where tz changes.
/// \param before the row above; null for the first.
std::string sweep_row(const SweepPair& pair, const SweptTile& tile, const SweptTile* before);

/// The best tile of each strategy, the other kernels, what a block does there, and how often more of it means more
/// time. \param device of the sweep; without one, resident blocks are left out.
std::string sweep_findings(const SweepPair& pair, const std::optional<DeviceDescription>& device);

}  // namespace onda
