/// \file
/// What the shots of a survey are made from: nothing in it grows with shots times receivers.
#pragma once

#include <cstdint>
#include <vector>

#include "solver/survey/survey.hpp"

namespace onda {

/// Receivers of every shot, or the rows of a list that belong to each of some shots.
struct ReceiverPart {
    Positions positions;
    bool relative = false;               ///< the positions are offsets from the first source of the shot
    std::vector<std::int64_t> shot;      ///< ascending ids; empty: every shot records all of them
    std::vector<std::int64_t> first;     ///< row of each of `shot`, and the end
    std::vector<CarriedColumn> carried;  ///< one text a row
    PositionBox box{};                   ///< round the positions, if every shot records them where they are

    /// The rows of a shot: the first, and how many; none where the shot records none of them.
    struct Rows {
        std::int64_t first = 0, count = 0;
    };
    [[nodiscard]] Rows rows_of(std::int64_t id) const;
    /// The positions of the receivers that shot `id` records; offsets are added to `source_m`.
    [[nodiscard]] Positions of(std::int64_t id, const Position& source_m) const;
};

struct Shots::Data {
    std::vector<std::int64_t> id;            ///< ascending
    std::vector<std::int64_t> first_source;  ///< of each shot, and the end
    std::vector<SourcePoint> sources;
    std::vector<ReceiverPart> receivers;
    std::vector<CarriedKind> carried_kinds;

    /// Counts a column of a receiver table in.
    void add_carried_kind(const CarriedColumn& column);

    /// Position of the first source of the shot with this index: what relative positions are relative to.
    [[nodiscard]] const Position& source_m(std::size_t shot) const {
        return sources[static_cast<std::size_t>(first_source[shot])].position_m;
    }
    /// The index of a shot that is there.
    [[nodiscard]] std::size_t index_of(std::int64_t shot_id) const;
};

/// Indices that put `keys` in ascending order, equal ones as they are.
std::vector<std::int64_t> ascending(const std::vector<std::int64_t>& keys);
/// Leaves every id once; returns where each began, and the end.
std::vector<std::int64_t> group(std::vector<std::int64_t>& ascending_ids);

template <typename T>
void permute(std::vector<T>& values, const std::vector<std::int64_t>& order) {
    std::vector<T> permuted;
    permuted.reserve(values.size());
    for (const std::int64_t i : order) permuted.push_back(values[static_cast<std::size_t>(i)]);
    values = std::move(permuted);
}

}  // namespace onda
