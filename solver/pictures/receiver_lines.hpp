/// \file
/// The lines that receivers lie on.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "io/pictures/picture.hpp"

namespace onda {

/// Receivers [first, first + count) of a list, which lie evenly on a straight line, and the axis that tells them apart:
/// the coordinate that changes most along the line ("Receiver x [m]"), or their numbers in the list.
struct ReceiverLine {
    std::size_t first = 0, count = 0;
    PictureAxis axis;
    std::vector<double> places;  ///< of each on the axis
    std::string at{};  ///< where it lies among others: "y = 100 m"; empty for a single line, and an oblique one
};

/// All receivers by number.
ReceiverLine all_receivers(std::size_t count);

/// The lines of a list, in its order: a grid has many. Receivers between them that lie on none are left out; where
/// there is no line of eight receivers, or of all where there are fewer, all receivers by number are the only one.
std::vector<ReceiverLine> receiver_lines(std::span<const std::array<double, 3>> receivers_m);

/// The number in the list of the line to be shown of several: of those at least half as long as the longest the one
/// that comes nearest to the first source, or the longest where no source is known.
std::size_t shown_line(std::span<const ReceiverLine> lines, std::span<const std::array<double, 3>> receivers_m,
                       std::span<const std::array<double, 3>> sources_m);
/// That line of the lines of a list.
ReceiverLine line_to_show(std::span<const std::array<double, 3>> receivers_m,
                          std::span<const std::array<double, 3>> sources_m);
/// What titles say after the name of a shot: ", y = 100 m"; empty where nothing is to be said.
std::string place_of(const ReceiverLine& line);
/// The same with the receivers: ", y = 100 m, receivers 21 to 40 of 60, every 2nd trace". \param all
/// receivers of the shot. \param every one of how many of the line is shown.
std::string title_of(const ReceiverLine& line, std::size_t all, std::size_t every = 1);

}  // namespace onda
