#include "kernels/shot/layer_sources.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "kernels/shot/source_density.hpp"

namespace onda {
namespace {

using FilterMemory = decltype(NodeFilter::memory);

NodeFilter filter_at(const Problem& problem, std::int64_t node) {
    return filter_of_strips(problem, problem.grid.node(node));
}

bool has_memory(const FilterMemory& memory) {
    return memory != FilterMemory{};
}

/// The signal through the recursions, as long as it is heard: beyond, 1e-18 of its peak are lost.
std::vector<double> filtered(std::vector<double> signal, const FilterMemory& memory, std::int64_t samples) {
    double peak = 0.;
    for (const double value : signal) peak = std::max(peak, std::abs(value));
    signal.resize(std::max(signal.size(), static_cast<std::size_t>(samples)), 0.);
    for (const auto& [a, b] : memory) {
        if (a == 0.) continue;
        double z = 0.;
        for (double& value : signal) {
            z = b * z + a * value;
            value += z;
        }
    }
    const auto heard = [&](double value) { return std::abs(value) > 1e-18 * peak; };
    signal.erase(std::find_if(signal.rbegin(), signal.rend(), heard).base(), signal.end());
    return signal;
}

/// Adds one source: a row for each filter that its nodes have, and for those that have none. Takes its signal where
/// that is the only row.
void add_row(Sources& to, const Problem& problem, Sources& from, std::int64_t row, std::int64_t samples) {
    struct Nodes {
        std::vector<std::int64_t> node;
        std::vector<double> weight;
    };
    std::map<FilterMemory, Nodes> of_filter;
    const auto r = static_cast<std::size_t>(row);
    for (std::int64_t i = from.nodes.first[r]; i < from.nodes.first[r + 1]; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const NodeFilter filter = filter_at(problem, from.nodes.node[at]);
        Nodes& nodes = of_filter[filter.memory];
        nodes.node.push_back(from.nodes.node[at]);
        nodes.weight.push_back(filter.gain * from.nodes.weight[at]);
    }
    const bool only = of_filter.size() == 1;
    for (const auto& [memory, nodes] : of_filter) {
        to.nodes.node.insert(to.nodes.node.end(), nodes.node.begin(), nodes.node.end());
        to.nodes.weight.insert(to.nodes.weight.end(), nodes.weight.begin(), nodes.weight.end());
        to.nodes.first.push_back(std::ssize(to.nodes.node));
        std::vector<double> signal = only ? std::move(from.signal[r]) : from.signal[r];
        to.signal.push_back(has_memory(memory) ? filtered(std::move(signal), memory, samples) : std::move(signal));
    }
}

}  // namespace

NodeFilter filter_of_strips(const Problem& problem, const std::array<std::int64_t, 3>& node) {
    NodeFilter filter;
    for (const auto& strip : problem.strips) strip->filter_source(problem.grid, node, filter);
    return filter;
}

Sources with_filters_of_strips(const Medium& medium, Sources sources, std::int64_t samples) {
    const Problem& problem = medium.setup();
    const bool filters = std::ranges::any_of(sources.nodes.node, [&](std::int64_t node) {
        const NodeFilter filter = filter_at(problem, node);
        return filter.gain != 1. || has_memory(filter.memory);
    });
    if (!filters) return sources;
    Sources result;
    result.plain = sources.plain;
    const std::vector<double> density = source_densities(medium, sources);
    for (std::int64_t row = 0; row < sources.nodes.rows(); ++row) {
        add_row(result, problem, sources, row, samples);
        result.density.resize(result.signal.size(), density[static_cast<std::size_t>(row)]);
    }
    return result;
}

}  // namespace onda
