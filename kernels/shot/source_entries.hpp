/// \file
/// The order in which sources are added to nodes, the same on every backend.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/medium.hpp"
#include "kernels/shot/shot.hpp"
#include "kernels/shot/source_density.hpp"

namespace onda {

/// One weighted node of one source.
struct SourceEntry {
    std::int64_t node;  ///< Grid::at index
    std::int64_t row;   ///< index into Sources::signal
    double weight;
};

/// The scale of a source, what a unit of it adds to p[n+1] at its node: (vp dt)^2 over the volume of a cell.
/// \param k of the node as kernels have it; \param rho of source_densities() with variable density, whose k contains
/// the node's, else 1.
inline double source_scale(double k, double rho, double cell_volume) {
    return k / rho / cell_volume;
}

/// Sorts entries by node, those of a node in the order in which they come. The many of adjoint runs, whose sources are
/// receivers in a plane or two, are counted: they take a few times as many places as there are of them.
inline void sort_by_node(std::vector<SourceEntry>& entries) {
    if (entries.empty()) return;
    const auto by_node = [](const SourceEntry& a, const SourceEntry& b) { return a.node < b.node; };
    const auto [least, most] = std::ranges::minmax_element(entries, by_node);
    const std::int64_t first = least->node, range = most->node - first + 1;
    if (range > 16 * std::ssize(entries)) {
        std::ranges::stable_sort(entries, by_node);
        return;
    }
    std::vector<std::int64_t> place(static_cast<std::size_t>(range + 1));
    for (const SourceEntry& entry : entries) ++place[static_cast<std::size_t>(entry.node - first + 1)];
    for (std::size_t i = 1; i < place.size(); ++i) place[i] += place[i - 1];
    std::vector<SourceEntry> sorted(entries.size());
    for (const SourceEntry& entry : entries)
        sorted[static_cast<std::size_t>(place[static_cast<std::size_t>(entry.node - first)]++)] = entry;
    entries = std::move(sorted);
}

/// The entries of all sources by node, and for one node in the order of the source rows: every node has one sum, in one
/// order, however the nodes are shared out.
inline std::vector<SourceEntry> source_entries(const NodeWeights& nodes) {
    std::vector<SourceEntry> entries;
    entries.reserve(nodes.node.size());
    for (std::int64_t row = 0; row < nodes.rows(); ++row)
        for (std::int64_t i = nodes.first[row]; i < nodes.first[row + 1]; ++i)
            entries.push_back({nodes.node[i], row, nodes.weight[i]});
    sort_by_node(entries);
    return entries;
}

/// The fields that sources act on: the first, or all.
inline std::size_t fields_of_sources(const Equation& equation) {
    return equation->source_factor == nullptr ? 1 : equation->fields.size();
}

/// EquationRow::source_factor at nodes.
inline std::vector<double> source_factors(const Medium& medium, std::span<const std::int64_t> nodes,
                                          std::size_t field) {
    const EquationRow& equation = *medium.setup().scheme.equation;
    std::vector<double> factors(nodes.size(), 1.);
    if (equation.source_factor == nullptr) return factors;
    std::array<std::vector<double>, kMaxMediumArrays> values;
    for (std::size_t array = 0; array < equation.arrays.size(); ++array) {
        values[array].resize(nodes.size());
        medium.values_at(array, nodes, values[array]);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        std::array<double, kMaxMediumArrays> arrays{};
        for (std::size_t array = 0; array < equation.arrays.size(); ++array) arrays[array] = values[array][i];
        factors[i] = equation.source_factor(field, arrays.data(), medium.setup().grid.dimensions);
    }
    return factors;
}

/// The amplitude of each entry, which are sorted by node: what it adds to p[n+1] of a field per unit of its signal.
inline std::vector<double> source_amplitudes(const Medium& medium, const Sources& sources,
                                             const std::vector<SourceEntry>& entries, std::size_t field = 0) {
    const std::vector<double> density = source_densities(medium, sources);
    std::vector<std::int64_t> nodes;  // which receivers beside each other share
    for (const SourceEntry& entry : entries)
        if (nodes.empty() || nodes.back() != entry.node) nodes.push_back(entry.node);
    std::vector<double> k(nodes.size()), amplitudes(entries.size());
    medium.values_at(0, nodes, k);
    const std::vector<double> factors = source_factors(medium, nodes, field);
    const double volume = medium.setup().grid.cell_volume();
    for (std::size_t i = 0, at = 0; i < entries.size(); ++i) {
        if (entries[i].node != nodes[at]) ++at;
        amplitudes[i] = source_scale(factors[at] * k[at], density[static_cast<std::size_t>(entries[i].row)], volume) *
                        entries[i].weight;
    }
    return amplitudes;
}

}  // namespace onda
