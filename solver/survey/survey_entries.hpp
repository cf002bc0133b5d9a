/// \file
/// What one entry under `sources` or `receivers` makes, checked against the grid.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "kernels/grid/grid.hpp"
#include "solver/survey/positions.hpp"

namespace onda {

/// The positions of one entry of the config, all inside the grid, with the words that a fault needs.
struct Places {
    std::string key;   ///< where in the config, e.g. "sources[2].file"
    std::string name;  ///< what precedes the number of a position, e.g. "shots.csv, position "; empty: none
    Positions positions;
};

/// "(500, 20) m".
std::string describe(const Grid& grid, const Position& position);

/// The sources of one entry: where, in which shot, how strong.
struct SourceGroup {
    Places places;
    std::vector<std::int64_t> shot;  ///< of each; empty: 1, 2, …
    std::vector<double> amplitude;   ///< of each; one for all
};
/// \param room how many more sources the run may have. \throws Error(config).
SourceGroup read_source_entry(const Config& config, const Grid& grid, std::size_t index, std::int64_t room);

/// The receivers of one entry.
struct ReceiverGroup {
    Places places;
    std::vector<std::int64_t> shot;  ///< of each; one for all; empty: every shot has all of them
    std::string shot_key;            ///< where the shots are named
};
/// \throws Error(config).
ReceiverGroup read_receiver_entry(const Config& config, const Grid& grid, std::size_t index);

}  // namespace onda
