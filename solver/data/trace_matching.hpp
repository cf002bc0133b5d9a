/// \file
/// Recorded traces found by where they were shot and received.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "io/results/trace_reader.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

/// Points by where they are.
class PlaceIndex {
public:
    /// \param tolerance_m by which a point that is found may be off along each axis; positive.
    explicit PlaceIndex(double tolerance_m) : tolerance_m_(tolerance_m) {}

    void add(const Position& place, std::size_t item) { items_[cell_of(place)].emplace_back(place, item); }
    /// The items there, ascending.
    [[nodiscard]] std::vector<std::size_t> near(const Position& place) const;

private:
    using Cell = std::array<std::int64_t, 3>;

    [[nodiscard]] Cell cell_of(const Position& place) const;
    [[nodiscard]] bool is_near(const Position& a, const Position& b) const;

    double tolerance_m_;
    std::map<Cell, std::vector<std::pair<Position, std::size_t>>> items_;
};

/// The traces of a survey's shots and receivers: those whose source lies where the first source of the shot does, and
/// whose receiver lies where that of the shot does.
class TraceMatching {
public:
    /// Refers to the traces.
    TraceMatching(const std::vector<RecordedTrace>& traces, double tolerance_m);

    [[nodiscard]] double tolerance_m() const { return tolerance_m_; }
    /// The traces that were shot at a place, ascending.
    [[nodiscard]] std::vector<std::size_t> shot_at(const Position& source) const { return sources_.near(source); }
    /// [receiver] the traces of each receiver of a shot, ascending.
    [[nodiscard]] std::vector<std::vector<std::size_t>> of_receivers(const Position& source,
                                                                     const std::vector<Position>& receivers) const;

private:
    const std::vector<RecordedTrace>& traces_;
    double tolerance_m_;
    PlaceIndex sources_;  ///< of all traces
};

}  // namespace onda
