#include "solver/data/trace_matching.hpp"

#include <algorithm>
#include <cmath>

namespace onda {

std::vector<std::size_t> PlaceIndex::near(const Position& place) const {
    std::vector<std::size_t> found;
    const Cell middle = cell_of(place);
    for (std::int64_t dz = -1; dz <= 1; ++dz)
        for (std::int64_t dy = -1; dy <= 1; ++dy)
            for (std::int64_t dx = -1; dx <= 1; ++dx) {
                const auto cell = items_.find({middle[0] + dx, middle[1] + dy, middle[2] + dz});
                if (cell == items_.end()) continue;
                for (const auto& [at, item] : cell->second)
                    if (is_near(at, place)) found.push_back(item);
            }
    std::ranges::sort(found);
    return found;
}

PlaceIndex::Cell PlaceIndex::cell_of(const Position& place) const {
    Cell cell{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        cell[axis] = static_cast<std::int64_t>(std::floor(place[axis] / (2. * tolerance_m_)));
    return cell;
}

bool PlaceIndex::is_near(const Position& a, const Position& b) const {
    return std::abs(a[0] - b[0]) <= tolerance_m_ && std::abs(a[1] - b[1]) <= tolerance_m_ &&
           std::abs(a[2] - b[2]) <= tolerance_m_;
}

TraceMatching::TraceMatching(const std::vector<RecordedTrace>& traces, double tolerance_m)
    : traces_(traces), tolerance_m_(tolerance_m), sources_(tolerance_m) {
    for (std::size_t i = 0; i < traces.size(); ++i) sources_.add(traces[i].source_m, i);
}

std::vector<std::vector<std::size_t>> TraceMatching::of_receivers(const Position& source,
                                                                  const std::vector<Position>& receivers) const {
    PlaceIndex places(tolerance_m_);
    for (const std::size_t trace : sources_.near(source)) places.add(traces_[trace].receiver_m, trace);
    std::vector<std::vector<std::size_t>> found;
    found.reserve(receivers.size());
    for (const Position& receiver : receivers) found.push_back(places.near(receiver));
    return found;
}

}  // namespace onda
