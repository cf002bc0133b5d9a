#include <algorithm>
#include <numeric>
#include <utility>

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

ReceiverPart::Rows ReceiverPart::rows_of(std::int64_t id) const {
    if (shot.empty()) return {0, positions.size()};
    const auto at = std::ranges::lower_bound(shot, id);
    if (at == shot.end() || *at != id) return {};
    const auto i = static_cast<std::size_t>(at - shot.begin());
    return {first[i], first[i + 1] - first[i]};
}

Positions ReceiverPart::of(std::int64_t id, const Position& source_m) const {
    const auto placed = [&](const Positions& listed) { return relative ? listed.shifted(source_m) : listed; };
    if (shot.empty()) return placed(positions);
    const Rows rows = rows_of(id);
    return rows.count == 0 ? Positions() : placed(positions.part(rows.first, rows.count));
}

void Shots::Data::add_carried_kind(const CarriedColumn& column) {
    const auto known = std::ranges::find(carried_kinds, column.name, &CarriedKind::name);
    CarriedKind& kind =
        known != carried_kinds.end() ? *known : carried_kinds.emplace_back(CarriedKind{column.name, column.numbers, 1});
    kind.numbers = kind.numbers && column.numbers;
    for (const std::string& text : column.text) kind.longest = std::max(kind.longest, std::ssize(text));
}

std::size_t Shots::Data::index_of(std::int64_t shot_id) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(id, shot_id) - id.begin());
}

Shots::Shots() : data_(std::make_shared<const Data>()) {}

Shots Shots::only(const NumberSelection& selection) const {
    if (selection.is_all()) return *this;
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < size(); ++i)
        if (selection.contains(id(i))) kept.push_back(in_data(i));
    Shots part = *this;
    part.kept_ = std::make_shared<const std::vector<std::size_t>>(std::move(kept));
    return part;
}

std::size_t Shots::size() const {
    return kept_ ? kept_->size() : data_->id.size();
}

std::int64_t Shots::id(std::size_t i) const {
    return data_->id[in_data(i)];
}

PositionBox Shots::spread(std::size_t shot) const {
    const std::size_t i = in_data(shot);
    PositionBox box{data_->source_m(i), data_->source_m(i)};
    for (std::int64_t s = data_->first_source[i]; s < data_->first_source[i + 1]; ++s)
        box.include(data_->sources[static_cast<std::size_t>(s)].position_m);
    for (const ReceiverPart& part : data_->receivers) {
        const bool everywhere_the_same = part.shot.empty() && !part.relative;
        const Positions positions = everywhere_the_same ? Positions() : part.of(data_->id[i], data_->source_m(i));
        if (!everywhere_the_same && positions.empty()) continue;
        const PositionBox of_part = everywhere_the_same ? part.box : positions.box();
        box.include(of_part.low);
        box.include(of_part.high);
    }
    return box;
}

const std::vector<CarriedKind>& Shots::carried_kinds() const {
    return data_->carried_kinds;
}

std::vector<CarriedColumn> Shots::carried_columns(std::int64_t id) const {
    std::vector<CarriedColumn> columns;
    for (const CarriedKind& kind : data_->carried_kinds) {
        CarriedColumn& column = columns.emplace_back(CarriedColumn{kind.name, kind.numbers, {}});
        for (const ReceiverPart& part : data_->receivers) {
            const auto [first, count] = part.rows_of(id);
            const auto listed = std::ranges::find(part.carried, kind.name, &CarriedColumn::name);
            if (listed == part.carried.end())
                column.text.resize(column.text.size() + static_cast<std::size_t>(count));
            else
                column.text.insert(column.text.end(), listed->text.begin() + first,
                                   listed->text.begin() + first + count);
        }
    }
    return columns;
}

std::size_t Shots::index_of(std::int64_t id) const {
    const std::size_t i = data_->index_of(id);
    return kept_ ? static_cast<std::size_t>(std::ranges::lower_bound(*kept_, i) - kept_->begin()) : i;
}

std::span<const SourcePoint> Shots::sources(std::size_t i) const {
    const auto first = static_cast<std::size_t>(data_->first_source[in_data(i)]),
               end = static_cast<std::size_t>(data_->first_source[in_data(i) + 1]);
    return std::span(data_->sources).subspan(first, end - first);
}

Shot Shots::operator[](std::size_t i) const {
    const std::span<const SourcePoint> its = sources(i);
    Shot shot{id(i), {its.begin(), its.end()}, {}};
    for (const ReceiverPart& part : data_->receivers) shot.receivers.append(part.of(shot.id, its.front().position_m));
    return shot;
}

}  // namespace onda
