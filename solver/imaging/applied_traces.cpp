#include "solver/imaging/applied_traces.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace onda {
namespace {

/// The nodes from the lowest to the highest of some along each axis; one node if there are none.
Window box_around(const Grid& grid, std::span<const std::int64_t> nodes) {
    Window box{{}, {1, 1, 1}, {1, 1, 1}};
    if (nodes.empty()) return box;
    std::array<std::int64_t, 3> low = grid.n, high{};
    for (const std::int64_t node : nodes) {
        const auto at = grid.node(node);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], at[axis]);
            high[axis] = std::max(high[axis], at[axis]);
        }
    }
    box.first = low;
    for (std::size_t axis = 0; axis < 3; ++axis) box.count[axis] = high[axis] - low[axis] + 1;
    return box;
}

}  // namespace

void AppliedTraces::add_shot(const NodeWeights& receivers) {
    const Grid& grid = fields_.problem().grid;
    std::vector<Row>& rows = shots_.emplace_back();
    for (std::size_t i = 0; i + 1 < receivers.first.size(); ++i) {
        const auto first = static_cast<std::size_t>(receivers.first[i]);
        const auto count = static_cast<std::size_t>(receivers.first[i + 1]) - first;
        const std::span nodes = std::span(receivers.node).subspan(first, count);
        Row row{box_around(grid, nodes), {}, std::vector<double>(static_cast<std::size_t>(samples_))};
        const auto &low = row.box.first, &extent = row.box.count;
        row.weight.resize(static_cast<std::size_t>(row.box.points()));
        for (std::size_t k = 0; k < count; ++k) {
            const auto at = grid.node(nodes[k]);
            const std::int64_t in_box = at[0] - low[0] + extent[0] * (at[1] - low[1] + extent[1] * (at[2] - low[2]));
            row.weight[static_cast<std::size_t>(in_box)] += receivers.weight[first + k];
        }
        rows.push_back(std::move(row));
    }
}

std::span<const double> AppliedTraces::trace(std::size_t shot, std::size_t row) const {
    if (!fields_.problem().keeps_applied) return {};
    return shots_.at(shot).at(row).trace;
}

QueuedHook AppliedTraces::hook() {
    if (!fields_.problem().keeps_applied) return {};
    return {[](std::int64_t step) { return step + 1; }, [this](std::int64_t step) { record(step - 1); }};
}

void AppliedTraces::record(std::int64_t level) {
    std::vector<double> values;
    for (int shot = 0; std::vector<Row> & rows : shots_) {
        for (Row& row : rows) {
            values.resize(row.weight.size());
            fields_.download(row.box, std::span(values), shot, kAppliedLevel);
            double& sum = row.trace.at(static_cast<std::size_t>(level));
            for (std::size_t i = 0; i < values.size(); ++i) sum += row.weight[i] * values[i];
        }
        ++shot;
    }
}

}  // namespace onda
