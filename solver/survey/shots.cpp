#include <algorithm>
#include <numeric>

#include "solver/survey/shots_data.hpp"

namespace onda {

std::vector<std::int64_t> ascending(const std::vector<std::int64_t>& keys) {
    std::vector<std::int64_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&keys](std::int64_t i) { return keys[static_cast<std::size_t>(i)]; });
    return order;
}

std::vector<std::int64_t> group(std::vector<std::int64_t>& ascending_ids) {
    std::vector<std::int64_t> first;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < ascending_ids.size(); ++i) {
        if (kept > 0 && ascending_ids[kept - 1] == ascending_ids[i]) continue;
        ascending_ids[kept++] = ascending_ids[i];
        first.push_back(static_cast<std::int64_t>(i));
    }
    first.push_back(static_cast<std::int64_t>(ascending_ids.size()));
    ascending_ids.resize(kept);
    return first;
}

Positions ReceiverPart::of(std::int64_t id, const Position& source_m) const {
    const auto placed = [&](const Positions& listed) { return relative ? listed.shifted(source_m) : listed; };
    if (shot.empty()) return placed(positions);
    const auto at = std::ranges::lower_bound(shot, id);
    if (at == shot.end() || *at != id) return {};
    const auto i = static_cast<std::size_t>(at - shot.begin());
    return placed(positions.part(first[i], first[i + 1] - first[i]));
}

std::size_t Shots::Data::index_of(std::int64_t shot_id) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(id, shot_id) - id.begin());
}

Shots::Shots() : data_(std::make_shared<const Data>()) {}

std::size_t Shots::size() const {
    return data_->id.size();
}

std::int64_t Shots::id(std::size_t i) const {
    return data_->id[i];
}

Shot Shots::operator[](std::size_t i) const {
    Shot shot{data_->id[i],
              {data_->sources.begin() + data_->first_source[i], data_->sources.begin() + data_->first_source[i + 1]},
              {}};
    for (const ReceiverPart& part : data_->receivers) shot.receivers.append(part.of(shot.id, data_->source_m(i)));
    return shot;
}

}  // namespace onda
