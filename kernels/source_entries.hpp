/// \file
/// The order in which sources are added to nodes, the same on every backend.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/backend.hpp"

namespace onda {

/// One weighted node of one source.
struct SourceEntry {
    std::int64_t node;  ///< Grid::at index
    std::int64_t row;   ///< of Sources::signal
    double weight;
};

/// All entries by node, and for one node in the order of the source rows: every node has one sum, in one order, however
/// the nodes are shared out.
inline std::vector<SourceEntry> source_entries(const NodeWeights& nodes) {
    std::vector<SourceEntry> entries;
    entries.reserve(nodes.node.size());
    for (std::int64_t row = 0; row < nodes.rows(); ++row)
        for (std::int64_t i = nodes.first[row]; i < nodes.first[row + 1]; ++i)
            entries.push_back({nodes.node[i], row, nodes.weight[i]});
    std::stable_sort(entries.begin(), entries.end(),
                     [](const SourceEntry& a, const SourceEntry& b) { return a.node < b.node; });
    return entries;
}

}  // namespace onda
