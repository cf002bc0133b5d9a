/// \file
/// What shots give, in the order of the shots, and its sums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "kernels/grid/grid.hpp"

namespace onda {

/// Passes on what shots give in the order of the shots, whichever comes first.
template <typename Given>
class InOrderOfShots {
public:
    /// \param shots of the survey that give something, by index, ascending; others are left out. \param take is called
    /// by one thread at a time. \param most_early with more of them that came before their turn nothing is passed on
    /// any more.
    InOrderOfShots(std::vector<std::size_t> shots, std::function<void(Given&)> take, std::size_t most_early = SIZE_MAX)
        : shots_(std::move(shots)), take_(std::move(take)), most_early_(most_early) {}

    void add(std::size_t index, Given&& given) {
        const std::lock_guard lock(mutex_);
        const auto to_come = shots_.begin() + static_cast<std::ptrdiff_t>(next_);
        if (has_ended_ || !std::binary_search(to_come, shots_.end(), index)) return;
        early_.emplace(index, std::move(given));
        for (; next_ < shots_.size() && early_.contains(shots_[next_]); ++next_) {
            take_(early_.at(shots_[next_]));
            early_.erase(shots_[next_]);
        }
        has_ended_ = next_ == shots_.size() || early_.size() > most_early_;
        if (has_ended_) early_.clear();
    }

private:
    std::mutex mutex_;
    std::vector<std::size_t> shots_;
    std::function<void(Given&)> take_;
    std::size_t most_early_, next_ = 0;
    bool has_ended_ = false;
    std::map<std::size_t, Given> early_;
};

/// Adds what a shot leaves on a part of a grid to planes of the grid from z = `plane` on, which have that part.
template <typename Values>
void add_part(std::span<double> planes, const Grid& grid, std::int64_t plane, const Window& part,
              const Values& values) {
    const auto& first = part.first;
    const auto& count = part.count;
#pragma omp parallel for
    for (std::int64_t row = 0; row < count[1] * count[2]; ++row) {
        const std::int64_t y = row % count[1], z = row / count[1];
        const auto* const from = values.data() + row * count[0];
        double* const to = planes.data() + grid.at(first[0], first[1] + y, first[2] + z - plane);
        for (std::int64_t x = 0; x < count[0]; ++x) to[x] += static_cast<double>(from[x]);
    }
}
/// The same of all planes. \param sum of no shots: empty, or zeros.
template <typename Values>
void add_part(std::vector<double>& sum, const Grid& grid, const Window& part, const Values& values) {
    sum.resize(static_cast<std::size_t>(grid.points()));
    add_part(std::span(sum), grid, 0, part, values);
}

}  // namespace onda
