#include "kernels/shot/leap_sources.hpp"

#include <map>
#include <vector>

#include "kernels/shot/layer_sources.hpp"
#include "kernels/shot/source_entries.hpp"

namespace onda {
namespace {

using Weights = std::map<std::int64_t, double>;  ///< by node: their order does not depend on that of a survey's nodes

/// Calls body(node, weight of L) for every node of the grid that the operator takes from, or gives to, a node.
template <typename Body>
void for_neighbours(const Grid& grid, const Stencil<double>& stencil, std::int64_t of, const Body& body) {
    const std::array<std::int64_t, 3> node = grid.node(of);
    body(of, stencil.centre);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!grid.has_axis(static_cast<int>(axis))) continue;
        for (int k = 1; k <= stencil.radius; ++k)
            for (const int sign : {-1, 1}) {
                auto other = node;
                other[axis] += sign * k;
                if (other[axis] < 0 || other[axis] >= grid.n[axis]) continue;
                body(grid.at(other[0], other[1], other[2]), stencil.axis[axis][k]);
            }
    }
}

/// Adds a source: nodes with their weights, and its signal. Nothing if it has no nodes.
void add(Sources& to, const Weights& weights, const std::vector<double>& signal, double density) {
    if (weights.empty()) return;
    for (const auto& [node, weight] : weights) {
        to.nodes.node.push_back(node);
        to.nodes.weight.push_back(weight);
    }
    to.nodes.first.push_back(static_cast<std::int64_t>(to.nodes.node.size()));
    to.signal.push_back(signal);
    to.density.push_back(density);
}

/// Value n of the result is value n + shift of the signal, -1 or 1; it has as many values as are not zero.
std::vector<double> shifted(const std::vector<double>& signal, std::int64_t shift) {
    std::vector<double> result(signal.size() + 1);
    for (std::int64_t n = 0; n < std::ssize(result); ++n)
        if (n + shift >= 0 && n + shift < std::ssize(signal))
            result[static_cast<std::size_t>(n)] = signal[static_cast<std::size_t>(n + shift)];
    return result;
}

/// What the next level takes of f[n-1], f[n] and f[n+1] at the source, and of A f[n], where nodes leap; and in the
/// shell, beside f[n] to the odd level or to u.
struct Shares {
    double before, at, after, of_a;
    double before_in_shell, at_in_shell, after_in_shell, to_odd;
};
constexpr Shares kOfLeap{1., 2., 1., 1., 0., 0., 1., 1.};
constexpr double kTwelfth = 1. / 12.;
constexpr Shares kOfFourthOrder{kTwelfth, 1. - 2. * kTwelfth, kTwelfth, kTwelfth,
                                kTwelfth, -2. * kTwelfth,     kTwelfth, 1.};
constexpr Shares kPlain{0., 1., 0., 0., 0., 1., 0., 0.};

Shares shares_of(const Problem& problem, const Sources& sources) {
    if (problem.stepping == Stepping::leap) return kOfLeap;
    return sources.plain ? kPlain : kOfFourthOrder;
}

/// Adds a share of a weight, if there is any.
void add(Weights& to, std::int64_t node, double share, double weight) {
    if (share != 0.) to[node] += share * weight;
}

}  // namespace

LeapSources leap_sources(const Medium& medium, const Sources& sources, const Shell& shell) {
    const Problem& problem = medium.setup();
    const Grid& grid = problem.grid;
    const Shares shares = shares_of(problem, sources);
    const bool leaps = problem.stepping == Stepping::leap;
    // Sources in a sponge come with its gains, which it takes itself of what they give to u, and not of A f.
    const auto gain_at = [&](const std::array<std::int64_t, 3>& node) {
        return leaps ? 1. : filter_of_strips(problem, node).gain;
    };
    const auto stencil = make_stencil<double>(problem.scheme, grid.spacing_m, grid.dimensions);
    const std::vector<double> density = source_densities(medium, sources);
    LeapSources result;
    for (std::int64_t row = 0; row < sources.nodes.rows(); ++row) {
        const auto r = static_cast<std::size_t>(row);
        const auto first = static_cast<std::size_t>(sources.nodes.first[r]);
        const std::span nodes =
            std::span(sources.nodes.node).subspan(first, static_cast<std::size_t>(sources.nodes.first[r + 1]) - first);
        std::vector<double> k(nodes.size());
        medium.values_at(0, nodes, k);
        Weights odd, before, at, after;  // f[n] to the odd level; f[n-1], f[n] and f[n+1] to the next
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const double weight = sources.nodes.weight[first + i];
            const auto node = grid.node(nodes[i]);
            const double undamped = weight / gain_at(node);
            const bool in_box = shell.leap.contains(node);
            if (!shell.no_odd.contains(node)) add(odd, nodes[i], shares.to_odd, undamped);
            add(before, nodes[i], in_box ? shares.before : shares.before_in_shell, weight);
            add(at, nodes[i], in_box ? shares.at : shares.at_in_shell, weight);
            add(after, nodes[i], in_box ? shares.after : shares.after_in_shell, weight);
            // A node's amplitude is its k times its weight: the k that stands here is that of the source.
            for_neighbours(grid, stencil, nodes[i], [&](std::int64_t other, double l) {
                const auto there = grid.node(other);
                if (shell.leap.contains(there)) add(at, other, shares.of_a * l * k[i] * gain_at(there), undamped);
            });
        }
        // Rows of samples as they are, not sums of two: rounded to single precision, those would be noise that (2 + A)
        // no longer takes from waves of which A is -2.
        const std::vector<double>& signal = sources.signal[r];
        add(result.odd, odd, signal, density[r]);
        add(result.even, before, shifted(signal, -1), density[r]);
        add(result.even, at, signal, density[r]);
        add(result.even, after, shifted(signal, 1), density[r]);
    }
    return result;
}

ShotSize most_of_leaps(const Problem& problem, ShotSize shot) {
    if (shot.source_nodes == 0) return shot;
    const std::int64_t star = 2 * problem.scheme.radius() * problem.grid.dimensions + 1;
    shot.source_nodes *= star + 3;
    shot.sources *= 4;
    ++shot.signal_samples;
    return shot;
}

}  // namespace onda
