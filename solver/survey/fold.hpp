/// \file
/// Fold: how many traces have their midpoint where.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "solver/survey/positions.hpp"

namespace onda {

/// How many traces have their midpoint in each of a lattice of square bins, or of the bins along a line.
struct Fold {
    double bin_m = 0.;  ///< the side of a bin
    bool is_line = true;
    Position origin_m{};                  ///< the middle of the first bin
    std::array<double, 2> along{1., 0.};  ///< (x, y) of the direction of a line; of a lattice x
    std::int64_t columns = 0, rows = 1;
    std::vector<float> traces;  ///< [row][column]; rows of a lattice go along y

    [[nodiscard]] std::size_t fullest() const;
    /// The middle of a bin (x, y).
    [[nodiscard]] std::array<double, 2> place_m(std::size_t bin) const;
};

using Midpoint = std::array<double, 2>;  ///< (x, y) [m]
Midpoint midpoint_of(const Position& source_m, const Position& receiver_m);

/// Hands over the midpoints of all traces, the same ones whenever it is asked: there may be more than memory holds.
using Midpoints = std::function<void(const std::function<void(const Midpoint&)>& take)>;

/// Where midpoints lie along a line, whatever its direction, the bins follow it. \param bin_m is doubled until there
/// are 4 million bins at most. \returns one without bins where there are no midpoints.
Fold fold_of(const Midpoints& midpoints, double bin_m);
/// The same fold in bins that are twice, four times, … as wide, of which there are `most` at most.
Fold in_wider_bins(const Fold& fold, std::int64_t most);
/// Half of the median of the distances from one receiver of a shot to the next, of those that are not 0; 1 of none.
double usual_bin_m(std::vector<double> distances_m);

}  // namespace onda
