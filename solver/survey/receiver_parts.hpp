/// \file
/// The receivers of the entries, collected for the shots; checked where only a shot tells where they lie; counted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "solver/survey/shots_data.hpp"
#include "solver/survey/survey_entries.hpp"

namespace onda {

/// Collects the receivers of the entries in their order; single points that follow one another become one list.
class ReceiverParts {
public:
    /// \param data has its sources; gets the receivers.
    ReceiverParts(const Grid& grid, Shots::Data& data, StageFaults& faults);

    /// Adds an error for a shot that no source fires in, and for an offset that leads out of the grid in a shot.
    void add(const ReceiverGroup& entry);
    /// After the last entry.
    void flush();

private:
    bool shots_exist(const ReceiverGroup& entry);
    /// Whether all offsets of an entry lead into the grid; an error of the first shot in which one does not.
    bool offsets_fit(const ReceiverGroup& entry);
    bool offsets_fit(const ReceiverGroup& entry, std::size_t shot, const Positions& offsets, std::int64_t first_row);
    void add_part(Positions positions, bool relative, std::vector<std::int64_t> shot,
                  std::vector<CarriedColumn> carried = {});

    const Grid& grid_;
    Shots::Data& data_;
    StageFaults& faults_;
    PositionBox sources_m_{};  ///< around what relative positions are relative to, of all shots
    std::vector<Position> points_;
    bool relative_ = false;  ///< of points_
    std::vector<std::int64_t> shot_;
};

/// What runs, but probably is not meant: receivers where a shot has one already. Of more than a quarter of a million
/// positions the first are looked at.
std::vector<std::string> doubts_of_receivers(const Grid& grid, const Shots::Data& data);

/// The receivers of each shot, as positions and as weighted nodes.
struct ReceiverCounts {
    std::int64_t common = 0, common_nodes = 0;  ///< of every shot; nodes: of the one with most
    std::vector<std::int64_t> own, own_nodes;   ///< of each; empty: none has any

    [[nodiscard]] std::int64_t of(std::size_t shot) const;
    [[nodiscard]] std::int64_t nodes_of(std::size_t shot) const;
};
/// Counts the receivers of each shot. In a survey of many shots the nodes of receivers that move with the source are
/// counted for a sample of the shots.
ReceiverCounts count_receivers(const Grid& grid, const Shots::Data& data);

/// Receivers of all shots together that lie in one of the layers.
struct LayerCount {
    std::int64_t count = 0;
    bool exact = true;  ///< false: scaled from a sample of the shots
};
LayerCount count_receivers_in(const Shots::Data& data, std::span<const FaceLayer> layers);

}  // namespace onda
