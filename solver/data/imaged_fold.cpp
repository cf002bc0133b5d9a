#include "solver/data/imaged_fold.hpp"

#include <algorithm>
#include <vector>

#include "solver/data/data_weights.hpp"

namespace onda {
namespace {

/// The distances from one receiver to the next in some shots of a survey.
std::vector<double> some_distances_m(const Shots& shots) {
    constexpr std::size_t most_shots = 50;
    std::vector<double> distances;
    for (std::size_t i = 0; i < std::min(most_shots, shots.size()); ++i) {
        const std::vector<Position> receivers = shots[i].receivers.list();
        for (std::size_t r = 1; r < receivers.size(); ++r)
            distances.push_back(absolute_offset_m(receivers[r - 1], receivers[r]));
    }
    return distances;
}

}  // namespace

Fold fold_of(const ImagingConfig& imaging, const Shots& shots) {
    const Midpoints midpoints = [&](const std::function<void(const Midpoint&)>& take) {
        for (const Shot& shot : shots) {
            TracePlace place{.source_m = shot.sources.front().position_m, .shot = shot.id, .receiver = 0};
            for (const Position& receiver_m : shot.receivers.list()) {
                place.receiver_m = receiver_m;
                ++place.receiver;
                if (is_compared(imaging, place)) take(midpoint_of(place.source_m, receiver_m));
            }
        }
    };
    return fold_of(midpoints, usual_bin_m(some_distances_m(shots)));
}

}  // namespace onda
