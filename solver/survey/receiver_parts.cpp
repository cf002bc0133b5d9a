#include "solver/survey/receiver_parts.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>
#include <tuple>
#include <utility>

#include "io/text/saturating.hpp"

namespace onda {
namespace {

/// The box around the first sources of all shots.
PositionBox box_of_sources(const Shots::Data& data) {
    PositionBox box{data.source_m(0), data.source_m(0)};
    for (std::size_t shot = 1; shot < data.id.size(); ++shot) box.include(data.source_m(shot));
    return box;
}

Position sum(const Position& a, const Position& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

/// Whether all sums of a position in one box and one in the other lie in the grid.
bool sums_lie_inside(const Grid& grid, const PositionBox& a, const PositionBox& b) {
    return axis_outside(grid, sum(a.low, b.low)) < 0 && axis_outside(grid, sum(a.high, b.high)) < 0;
}

/// "receivers[0].last_m": where the position with this index is written, or the key of the whole list.
std::string key_of(const Places& places, std::int64_t index) {
    if (places.written.empty()) return places.key;
    return (index == 0 ? places.written.front() : places.written.back()).key;
}

/// "receiver 5 of 10", "cable.csv:6 (position 5)".
std::string number_of(const Places& places, std::int64_t index) {
    if (places.written.empty()) return places.listed(index);
    return fmt::format("receiver {} of {}", index + 1, places.positions.size());
}

}  // namespace

ReceiverParts::ReceiverParts(const Grid& grid, Shots::Data& data, StageFaults& faults)
    : grid_(grid), data_(data), faults_(faults), sources_m_(box_of_sources(data)) {}

void ReceiverParts::add(const ReceiverGroup& entry) {
    if (!shots_exist(entry)) return;
    const Positions& positions = entry.places.positions;
    if (entry.relative && !offsets_fit(entry)) return;
    if (positions.size() != 1 || !entry.carried.empty()) {
        flush();
        add_part(positions, entry.relative, entry.shot, entry.carried);
        return;
    }
    if (entry.shot.empty() != shot_.empty() || entry.relative != relative_) flush();
    relative_ = entry.relative;
    points_.push_back(positions[0]);
    shot_.insert(shot_.end(), entry.shot.begin(), entry.shot.end());
}

void ReceiverParts::flush() {
    if (points_.empty()) return;
    add_part(Positions(std::exchange(points_, {})), relative_, std::exchange(shot_, {}));
}

/// Whether all shots that an entry names are fired; an error has been added if not.
bool ReceiverParts::shots_exist(const ReceiverGroup& entry) {
    const auto fired = [this](std::int64_t id) { return std::ranges::binary_search(data_.id, id); };
    const auto missing = std::ranges::find_if_not(entry.shot, fired);
    if (missing == entry.shot.end()) return true;
    const std::size_t shots = data_.id.size();
    if (entry.shot_is_written)
        faults_.add_of_value(entry.shot_key, "no source fires in this shot");
    else
        faults_.add(entry.shot_key, fmt::format("{}: there is no shot {}: the sources make {} from {} to {}",
                                                entry.places.listed(missing - entry.shot.begin()), *missing,
                                                shots == 1 ? "one shot," : fmt::format("{} shots,", shots),
                                                data_.id.front(), data_.id.back()));
    return false;
}

bool ReceiverParts::offsets_fit(const ReceiverGroup& entry) {
    const Positions& offsets = entry.places.positions;
    if (entry.shot.size() == 1) return offsets_fit(entry, data_.index_of(entry.shot[0]), offsets, 0);
    for (std::size_t row = 0; row < entry.shot.size(); ++row) {
        const auto i = static_cast<std::int64_t>(row);
        if (!offsets_fit(entry, data_.index_of(entry.shot[row]), offsets.part(i, 1), i)) return false;
    }
    const PositionBox box = offsets.box();
    if (!entry.shot.empty() || sums_lie_inside(grid_, sources_m_, box)) return true;
    for (std::size_t shot = 0; shot < data_.id.size(); ++shot) {
        const Position& source_m = data_.source_m(shot);
        if (!sums_lie_inside(grid_, {source_m, source_m}, box)) return offsets_fit(entry, shot, offsets, 0);
    }
    return true;
}

/// In one shot. \param first_row the index of the first of `offsets` in the entry.
bool ReceiverParts::offsets_fit(const ReceiverGroup& entry, std::size_t shot, const Positions& offsets,
                                std::int64_t first_row) {
    const Position& source_m = data_.source_m(shot);
    const Positions positions = offsets.shifted(source_m);
    const std::int64_t outside = positions.find_outside(grid_);
    if (outside < 0) return true;
    const Position p = positions[outside];
    const int axis = axis_outside(grid_, p);
    const bool every_shot = entry.shot.empty();
    const double low_m = every_shot ? sources_m_.low[axis] : source_m[axis];
    const double high_m = every_shot ? sources_m_.high[axis] : source_m[axis];
    faults_.add(key_of(entry.places, first_row + outside),
                fmt::format("{} lies at {} in shot {}, whose source is at {}: outside the grid, {}; offsets along {} "
                            "from {:.8g} to {:.8g} m stay inside in {}",
                            number_of(entry.places, first_row + outside), describe(grid_, p), data_.id[shot],
                            describe(grid_, source_m), extent(grid_), "xyz"[axis], grid_.origin_m[axis] - low_m,
                            last_m(grid_, axis) - high_m, every_shot ? "every shot" : "this shot"));
    return false;
}

void ReceiverParts::add_part(Positions positions, bool relative, std::vector<std::int64_t> shot,
                             std::vector<CarriedColumn> carried) {
    if (relative) clamp_to_grid(grid_, positions);
    for (const CarriedColumn& column : carried) data_.add_carried_kind(column);
    if (shot.size() == 1)
        return data_.receivers.push_back({positions, relative, shot, {0, positions.size()}, std::move(carried), {}});
    if (!std::ranges::is_sorted(shot)) {
        const auto order = ascending(shot);
        positions = positions.reordered(order);
        permute(shot, order);
        for (CarriedColumn& column : carried) permute(column.text, order);
    }
    auto first = shot.empty() ? std::vector<std::int64_t>{} : group(shot);
    const PositionBox box = shot.empty() && !relative ? positions.box() : PositionBox{};
    data_.receivers.push_back(
        {std::move(positions), relative, std::move(shot), std::move(first), std::move(carried), box});
}

namespace {

/// A receiver of one shot, or of all.
struct PlacedReceiver {
    static constexpr std::int64_t every_shot = -1;
    Position position_m{};
    std::int64_t shot = every_shot;
};

/// Position i of a part in the shot with this index, as an offset if it is one: what is relative is brought into the
/// grid where it lies, so that only a shot tells.
Position position_in(const Shots::Data& data, const ReceiverPart& part, std::int64_t i, std::size_t shot) {
    if (!part.relative) return part.positions[i];
    const Position& source_m = data.source_m(shot);
    Position p = part.positions.shifted(source_m)[i];
    for (std::size_t a = 0; a < 3; ++a) p[a] -= source_m[a];
    return p;
}

/// The first receivers whose positions are offsets, or are not, by their places.
std::vector<PlacedReceiver> by_place(const Shots::Data& data, bool relative) {
    constexpr std::size_t most = 1 << 18;
    std::vector<PlacedReceiver> placed;
    for (const ReceiverPart& part : data.receivers) {
        if (part.relative != relative) continue;
        std::size_t group = 0;
        for (std::int64_t i = 0; i < part.positions.size() && placed.size() < most; ++i) {
            while (group < part.shot.size() && i >= part.first[group + 1]) ++group;
            const bool every = part.shot.empty();
            const std::size_t shot = every ? 0 : data.index_of(part.shot[group]);
            placed.push_back({position_in(data, part, i, shot), every ? PlacedReceiver::every_shot : part.shot[group]});
        }
    }
    std::ranges::sort(placed, [](const PlacedReceiver& a, const PlacedReceiver& b) {
        return std::tie(a.position_m, a.shot) < std::tie(b.position_m, b.shot);
    });
    return placed;
}

}  // namespace

std::vector<std::string> doubts_of_receivers(const Grid& grid, const Shots::Data& data) {
    std::vector<std::string> warnings;
    for (const bool relative : {false, true}) {
        const auto placed = by_place(data, relative);
        std::int64_t doubled = 0;
        std::string first;
        for (std::size_t i = 1, begin = 0; i < placed.size(); ++i) {
            if (placed[i].position_m != placed[begin].position_m) begin = i;
            // At each place receivers of every shot come first.
            const bool of_every = placed[begin].shot == PlacedReceiver::every_shot;
            if (i == begin || !(of_every || placed[i].shot == placed[i - 1].shot)) continue;
            if (doubled++ == 0) first = describe(grid, placed[i].position_m);
        }
        const char* const where = relative ? "an offset" : "a place";
        if (doubled > 0)
            warnings.push_back(
                doubled == 1
                    ? fmt::format("a receiver is at {} that has one already, {}: its trace is recorded twice", where,
                                  first)
                    : fmt::format("{} receivers are at {} that has one already, such as {}: their traces are recorded "
                                  "twice",
                                  doubled, where, first));
    }
    return warnings;
}

std::int64_t ReceiverCounts::of(std::size_t shot) const {
    return own.empty() ? common : saturating_sum(common, own[shot]);
}

std::int64_t ReceiverCounts::nodes_of(std::size_t shot) const {
    return own.empty() ? common_nodes : saturating_sum(common_nodes, own_nodes[shot]);
}

namespace {

/// How many of the shots are looked at, where each costs as many steps, not to take more than `most_steps`.
std::int64_t shots_within(const Shots::Data& data, std::int64_t steps_of_shot, std::int64_t most_steps) {
    constexpr std::int64_t at_least = 16;
    const auto shots = static_cast<std::int64_t>(data.id.size());
    return std::min(shots, std::max(at_least, most_steps / std::max<std::int64_t>(1, steps_of_shot)));
}

/// The receivers of a part that every shot records, in the k-th of as many sampled shots.
Positions in_sampled_shot(const Shots::Data& data, const ReceiverPart& part, std::int64_t k, std::int64_t sampled) {
    const auto shots = static_cast<std::int64_t>(data.id.size());
    const auto shot = static_cast<std::size_t>(sampled == shots ? k : sampled_index(k, shots));
    return part.of(data.id[shot], data.source_m(shot));
}

/// Nodes that carry the receivers of a part which every shot records, in the shot with most of them.
std::int64_t most_nodes(const Grid& grid, const Shots::Data& data, const ReceiverPart& part, std::int64_t walked) {
    if (!part.relative) return part.positions.weighted_nodes(grid, walked);
    constexpr std::int64_t walked_of_shot = 1024;
    const std::int64_t steps = part.positions.is_stored() ? part.positions.size() : walked_of_shot;
    const std::int64_t sampled = shots_within(data, std::min(part.positions.size(), steps), walked);
    std::int64_t most = 0;
    for (std::int64_t k = 0; k < sampled; ++k)
        most = std::max(most, in_sampled_shot(data, part, k, sampled).weighted_nodes(grid, walked_of_shot));
    return most;
}

}  // namespace

ReceiverCounts count_receivers(const Grid& grid, const Shots::Data& data) {
    constexpr std::int64_t walked_in_all = 1 << 20, walked_at_least = 64;
    const auto parts = static_cast<std::int64_t>(data.receivers.size());
    const std::int64_t walked = std::max(walked_at_least, walked_in_all / std::max<std::int64_t>(1, parts));
    ReceiverCounts counts;
    for (const ReceiverPart& part : data.receivers) {
        if (part.shot.empty()) {
            counts.common = saturating_sum(counts.common, part.positions.size());
            counts.common_nodes = saturating_sum(counts.common_nodes, most_nodes(grid, data, part, walked));
            continue;
        }
        counts.own.resize(data.id.size());
        counts.own_nodes.resize(data.id.size());
        for (const std::int64_t id : part.shot) {
            const std::size_t shot = data.index_of(id);
            const Positions positions = part.of(id, data.source_m(shot));
            counts.own[shot] = saturating_sum(counts.own[shot], positions.size());
            counts.own_nodes[shot] = saturating_sum(counts.own_nodes[shot], positions.weighted_nodes(grid, walked));
        }
    }
    return counts;
}

namespace {

/// Counts the receivers of one part in layers, over all its shots.
LayerCount count_part_in(const Shots::Data& data, const ReceiverPart& part, std::span<const FaceLayer> layers) {
    const auto shots = static_cast<std::int64_t>(data.id.size());
    LayerCount in_layers;
    if (part.shot.empty() && !part.relative) return {saturating_product(shots, part.positions.count_in_any(layers))};
    if (!part.relative) return {part.positions.count_in_any(layers)};
    if (!part.shot.empty()) {
        for (const std::int64_t id : part.shot)
            in_layers.count += part.of(id, data.source_m(data.index_of(id))).count_in_any(layers);
        return in_layers;
    }
    constexpr std::int64_t most_steps = 1 << 24, steps_of_line = 64;
    const std::int64_t steps = part.positions.is_stored() ? part.positions.size() : steps_of_line;
    const std::int64_t sampled = shots_within(data, steps, most_steps);
    for (std::int64_t k = 0; k < sampled; ++k)
        in_layers.count = saturating_sum(in_layers.count, in_sampled_shot(data, part, k, sampled).count_in_any(layers));
    in_layers.exact = sampled == shots;
    const double scale = static_cast<double>(shots) / static_cast<double>(sampled);
    const double scaled = std::round(static_cast<double>(in_layers.count) * scale);
    if (!in_layers.exact) in_layers.count = scaled < 9e18 ? static_cast<std::int64_t>(scaled) : kTooMany;
    return in_layers;
}

}  // namespace

LayerCount count_receivers_in(const Shots::Data& data, std::span<const FaceLayer> layers) {
    LayerCount in_layers;
    if (layers.empty()) return in_layers;
    for (const ReceiverPart& part : data.receivers) {
        const LayerCount of_part = count_part_in(data, part, layers);
        in_layers.count = saturating_sum(in_layers.count, of_part.count);
        in_layers.exact = in_layers.exact && of_part.exact;
    }
    return in_layers;
}

}  // namespace onda
