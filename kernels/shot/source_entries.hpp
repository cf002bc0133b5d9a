/// \file
/// The order in which sources are added to nodes, the same on every backend.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "kernels/equations/equation.hpp"
#include "kernels/medium.hpp"
#include "kernels/shot/shot.hpp"

namespace onda {

/// One weighted node of one source.
struct SourceEntry {
    std::int64_t node;  ///< Grid::at index
    std::int64_t row;   ///< index into Sources::signal
    double weight;
};

/// The density that each source acts in, one a row: the mean over its nodes, by the magnitude of their weights. All
/// nodes of a source radiate by this one density. Were it that of each node, a source between nodes would weigh them
/// otherwise than a receiver at the same place, and reciprocity (rho_A p_AB = rho_B p_BA) would be lost there.
/// \param rho_at of a node (Grid::at index).
template <typename RhoAt>
std::vector<double> source_densities(const NodeWeights& nodes, const RhoAt& rho_at) {
    std::vector<double> densities;
    for (std::int64_t row = 0; row < nodes.rows(); ++row) {
        double sum = 0., weights = 0.;
        for (std::int64_t i = nodes.first[row]; i < nodes.first[row + 1]; ++i) {
            const double weight = std::abs(nodes.weight[i]);
            sum += weight * rho_at(nodes.node[i]);
            weights += weight;
        }
        densities.push_back(sum / weights);
    }
    return densities;
}

/// The density of each row of sources on a medium: source_densities(), or 1 where the equation has none.
inline std::vector<double> source_densities(const Medium& medium, const NodeWeights& nodes) {
    const EquationRow& equation = *medium.setup().scheme.equation;
    if (equation.source_density == nullptr) return std::vector(static_cast<std::size_t>(nodes.rows()), 1.);
    std::vector<std::vector<double>> arrays;
    for (std::size_t array = 0; array < equation.arrays.size(); ++array) {
        arrays.emplace_back(nodes.node.size());
        medium.values_at(array, nodes.node, arrays.back());
    }
    std::map<std::int64_t, double> rho;
    for (std::size_t i = 0; i < nodes.node.size(); ++i) {
        double values[kMaxMediumArrays];
        for (std::size_t array = 0; array < arrays.size(); ++array) values[array] = arrays[array][i];
        rho[nodes.node[i]] = equation.source_density(values);
    }
    return source_densities(nodes, [&rho](std::int64_t node) { return rho.at(node); });
}

/// The scale of a source, what a unit of it adds to p[n+1] at its node: (vp dt)^2 over the volume of a cell.
/// \param k of the node as kernels have it; \param rho of source_densities() with variable density, whose k contains
/// the node's, else 1.
inline double source_scale(double k, double rho, double cell_volume) {
    return k / rho / cell_volume;
}

/// The entries of all sources by node, and for one node in the order of the source rows: every node has one sum, in one
/// order, however the nodes are shared out.
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

/// The amplitude of each entry: what it adds to p[n+1] per unit of its signal.
inline std::vector<double> source_amplitudes(const Medium& medium, const Sources& sources,
                                             const std::vector<SourceEntry>& entries) {
    const std::vector<double> density =
        sources.density.empty() ? source_densities(medium, sources.nodes) : sources.density;
    std::vector<std::int64_t> nodes;
    for (const SourceEntry& entry : entries) nodes.push_back(entry.node);
    std::vector<double> amplitudes(entries.size());
    medium.values_at(0, nodes, amplitudes);
    for (std::size_t i = 0; i < entries.size(); ++i)
        amplitudes[i] = source_scale(amplitudes[i], density[static_cast<std::size_t>(entries[i].row)],
                                     medium.setup().grid.cell_volume()) *
                        entries[i].weight;
    return amplitudes;
}

}  // namespace onda
