/// \file
/// What one entry under `sources` or `receivers` makes, checked against the grid.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/models/points_file.hpp"
#include "io/results/trace_bytes.hpp"
#include "kernels/grid/grid.hpp"
#include "solver/survey/positions.hpp"

namespace onda {

/// A position that is written in the configuration: a point, or an end of a line or grid.
struct WrittenPosition {
    std::string key;
    Position position_m{};
};

/// The positions of one entry of the config, with the words that an error needs.
struct Places {
    std::string key;   ///< where in the config, e.g. "sources[2].file"
    std::string name;  ///< of the file that lists the positions, as messages show it
    Positions positions;
    std::vector<WrittenPosition> written;  ///< those that all others lie between; empty: a file lists the positions
    std::vector<int> line{};               ///< of a CSV file, on which each position stands

    /// Where the file has this position: "shots.csv:3 (position 2)", "shots.h5, position 2".
    [[nodiscard]] std::string listed(std::int64_t index) const;
};

/// What an entry is read with. Errors of positions are collected, those of a file itself are thrown.
struct EntryReading {
    const Grid& grid;
    const ConfigOrigin& origin;
    StageFaults& faults;
    std::vector<std::string>& warnings;
    TraceBytes bytes{};  ///< where files of traces have their fields
};

/// "(500, 20) m".
std::string describe(const Grid& grid, const Position& position);
/// "x 0 to 1000 m, z 0 to 400 m".
std::string extent(const Grid& grid);
/// Brings what lies outside the grid by rounding to its face.
void clamp_to_grid(const Grid& grid, Positions& positions);

/// The sources of one entry: where, in which shot, how strong.
struct SourceGroup {
    Places places;
    std::vector<std::int64_t> shot;  ///< of each; empty: each is a shot of its own
    std::vector<double> amplitude;   ///< of each; one for all
};
/// \param room how many more sources the run may have. \param free_surfaces on which a source would radiate nothing.
/// \throws Error(config).
SourceGroup read_source_entry(const EntryReading& reading, const SourceConfig& source, std::size_t index,
                              std::int64_t room, std::span<const FaceLayer> free_surfaces);

/// The receivers of one entry.
struct ReceiverGroup {
    Places places;
    std::vector<std::int64_t> shot;        ///< of each; one for all; empty: every shot has all of them
    std::string shot_key;                  ///< where the shots are named
    bool shot_is_written = false;          ///< in the config, not in a file
    bool relative = false;                 ///< offsets from the source of the shot, which are not checked yet
    std::vector<CarriedColumn> carried{};  ///< of a table, one text a position
};
/// \throws Error(config).
ReceiverGroup read_receiver_entry(const EntryReading& reading, const ReceiverConfig& receiver, std::size_t index);

}  // namespace onda
