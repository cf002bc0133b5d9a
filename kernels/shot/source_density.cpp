#include "kernels/shot/source_density.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "kernels/equations/equation.hpp"
#include "kernels/grid/cell_below_plane.hpp"

namespace onda {
namespace {

using Node = std::array<std::int64_t, 3>;
using Offset = std::array<double, 3>;  ///< in nodes

constexpr double kTie = 1e-4;  ///< in cells: so near an interface a place is on both sides

/// The densities about a node.
struct Surroundings {
    const Grid& grid;
    const MediumAt& medium_at;
    Node centre;

    [[nodiscard]] std::int64_t index(const Node& steps) const {
        Node node{};
        for (std::size_t a = 0; a < 3; ++a) node[a] = std::clamp<std::int64_t>(centre[a] + steps[a], 0, grid.n[a] - 1);
        return grid.at(node[0], node[1], node[2]);
    }
    [[nodiscard]] CellMedium at(const Node& steps) const { return medium_at(index(steps)); }
    [[nodiscard]] double rho(const Node& steps) const { return at(steps).rho; }
    [[nodiscard]] double along(std::size_t axis, std::int64_t steps) const {
        Node node{};
        node[axis] = steps;
        return rho(node);
    }
};

/// The cells whose boxes hold a place: one, or those that meet there.
std::vector<Node> cells_at(const Grid& grid, const Offset& place) {
    std::vector<Node> cells{Node{}};
    for (std::size_t a = 0; a < 3; ++a) {
        if (!grid.has_axis(static_cast<int>(a))) continue;
        const auto low = static_cast<std::int64_t>(std::ceil(place[a] - 0.5 - kTie)),
                   high = static_cast<std::int64_t>(std::floor(place[a] + 0.5 + kTie));
        const std::size_t before = cells.size();
        for (std::size_t i = 0; i < before; ++i) {
            cells[i][a] = std::clamp<std::int64_t>(low, 0, grid.n[a] - 1);
            if (high == low) continue;
            cells.push_back(cells[i]);
            cells.back()[a] = std::clamp<std::int64_t>(high, 0, grid.n[a] - 1);
        }
    }
    return cells;
}

/// The density at an offset from the centre where it changes smoothly, within the densities of the neighbours.
double smooth_density(const Surroundings& around, const Offset& offset) {
    const double here = around.rho({});
    double sum = here, low = here, high = here;
    for (std::size_t a = 0; a < 3; ++a) {
        const double before = here - around.along(a, -1), after = around.along(a, 1) - here;
        if (before * after <= 0.) continue;
        sum += (std::abs(before) < std::abs(after) ? before : after) * offset[a];
        low = std::min(low, here - std::max(before, -after));
        high = std::max(high, here + std::max(after, -before));
    }
    return std::clamp(sum, low, high);
}

/// How much of a cell is of the lighter of two media: by the compliance, of which every model has the mean, if it is
/// known and tells them apart, else by the density.
double light_share(const CellMedium& light, const CellMedium& mean, const CellMedium& heavy) {
    const double of_density = (heavy.rho - mean.rho) / (heavy.rho - light.rho);
    if (!(light.modulus > 0. && mean.modulus > 0. && heavy.modulus > 0.)) return of_density;
    const double contrast = 1. / light.modulus - 1. / heavy.modulus;
    const double share = (1. / mean.modulus - 1. / heavy.modulus) / contrast;
    constexpr double least = 0.02;
    return std::abs(contrast) * heavy.modulus > least && share >= 0. && share <= 1. ? share : of_density;
}

/// The density at an offset from the centre of a cell that an interface may cross.
double density_in_cell(const Surroundings& around, const Offset& offset) {
    Offset slope{};
    double steepest = 0.;
    for (std::size_t a = 0; a < 3; ++a) {
        slope[a] = around.along(a, 1) - around.along(a, -1);
        steepest = std::max(steepest, std::abs(slope[a]));
    }
    // Up the gradient, towards the corner of the cell: there an interface that crosses the cell lies behind.
    Node up{}, down{}, far_up{}, far_down{};
    Offset widths{};
    double ahead = 0.;
    for (std::size_t a = 0; a < 3; ++a) {
        widths[a] = std::abs(slope[a]);
        if (widths[a] <= kTie * steepest) continue;
        up[a] = slope[a] > 0. ? 1 : -1;
        down[a] = -up[a];
        far_up[a] = 2 * up[a];
        far_down[a] = 2 * down[a];
        ahead += slope[a] * offset[a];
    }
    const double here = around.rho({}), above = around.rho(up), below = around.rho(down);
    const double drift_above = around.rho(far_up) - above, drift_below = below - around.rho(far_down);
    const bool is_sharp = above - below > 2. * (std::abs(drift_above) + std::abs(drift_below));
    // What the two sides would have at the centre.
    const double heavy = above - drift_above, light = below + drift_below;
    if (!is_sharp || here <= light || here >= heavy) return smooth_density(around, offset);
    const double below_place = CellBelowPlane(widths).share_above(ahead);
    const double of_light =
        light_share({light, around.at(down).modulus}, around.at({}), {heavy, around.at(up).modulus});
    if (std::abs(below_place - of_light) <= kTie) return here;
    return below_place > of_light ? heavy : light;
}

void sort_unique(std::vector<std::int64_t>& nodes) {
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

/// Where each row is.
std::vector<Offset> places_of(const Grid& grid, const Sources& sources) {
    if (!sources.place.empty()) return sources.place;
    std::vector<Offset> places;
    for (std::int64_t row = 0; row < sources.nodes.rows(); ++row) {
        const auto first = sources.nodes.weight.begin() + sources.nodes.first[static_cast<std::size_t>(row)],
                   last = sources.nodes.weight.begin() + sources.nodes.first[static_cast<std::size_t>(row) + 1];
        Offset place{};
        if (first != last) {
            const auto largest =
                std::max_element(first, last, [](double a, double b) { return std::abs(a) < std::abs(b); });
            const Node node =
                grid.node(sources.nodes.node[static_cast<std::size_t>(largest - sources.nodes.weight.begin())]);
            for (std::size_t a = 0; a < 3; ++a) place[a] = static_cast<double>(node[a]);
        }
        places.push_back(place);
    }
    return places;
}

/// The media of nodes, from the arrays of an equation.
std::vector<CellMedium> media_of(const Medium& medium, const std::vector<std::int64_t>& nodes) {
    const EquationRow& equation = *medium.setup().scheme.equation;
    std::vector<std::vector<double>> arrays;
    for (std::size_t array = 0; array < equation.arrays.size(); ++array) {
        arrays.emplace_back(nodes.size());
        medium.values_at(array, nodes, arrays.back());
    }
    std::vector<CellMedium> media;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        std::array<double, kMaxMediumArrays> values{};
        for (std::size_t array = 0; array < arrays.size(); ++array) values[array] = arrays[array][i];
        media.push_back({equation.source_density(values.data()), values[0]});
    }
    return media;
}

}  // namespace

double density_at(const Grid& grid, const std::array<double, 3>& place, const MediumAt& medium_at) {
    const std::vector<Node> cells = cells_at(grid, place);
    double sum = 0.;
    for (const Node& cell : cells) {
        Offset offset{};
        for (std::size_t a = 0; a < 3; ++a)
            if (grid.has_axis(static_cast<int>(a))) offset[a] = place[a] - static_cast<double>(cell[a]);
        sum += density_in_cell({grid, medium_at, cell}, offset);
    }
    return sum / static_cast<double>(cells.size());
}

std::vector<std::int64_t> nodes_of_density(const Grid& grid, const std::array<double, 3>& place) {
    const MediumAt none;
    std::vector<std::int64_t> nodes;
    for (const Node& cell : cells_at(grid, place)) {
        const Surroundings around{grid, none, cell};
        for (const std::int64_t far : {1, 2})
            for (std::int64_t z = -1; z <= 1; ++z)
                for (std::int64_t y = -1; y <= 1; ++y)
                    for (std::int64_t x = -1; x <= 1; ++x) nodes.push_back(around.index({far * x, far * y, far * z}));
    }
    sort_unique(nodes);
    return nodes;
}

std::vector<DensityOfSource> source_density_slopes(const Medium& medium, const Sources& sources) {
    std::vector<DensityOfSource> result;
    for (const double density : source_densities(medium, sources)) result.push_back({density, {}});
    if (!sources.density.empty() || medium.setup().scheme.equation->source_density == nullptr) return result;
    const Grid& grid = medium.setup().grid;
    for (std::size_t row = 0; const Offset& place : places_of(grid, sources)) {
        const std::vector<std::int64_t> nodes = nodes_of_density(grid, place);
        std::vector<CellMedium> media = media_of(medium, nodes);
        const MediumAt medium_at = [&](std::int64_t node) {
            return media[static_cast<std::size_t>(std::ranges::lower_bound(nodes, node) - nodes.begin())];
        };
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const double rho = media[i].rho, step = 1e-6 * rho;
            media[i].rho = rho + step;
            const double above = density_at(grid, place, medium_at);
            media[i].rho = rho - step;
            const double slope = (above - density_at(grid, place, medium_at)) / (2. * step);
            media[i].rho = rho;
            if (slope != 0.) result[row].slopes.push_back({nodes[i], slope});
        }
        ++row;
    }
    return result;
}

std::vector<double> source_densities(const Medium& medium, const Sources& sources) {
    if (!sources.density.empty()) return sources.density;
    const Grid& grid = medium.setup().grid;
    if (medium.setup().scheme.equation->source_density == nullptr)
        return std::vector(static_cast<std::size_t>(sources.nodes.rows()), 1.);
    const std::vector<Offset> places = places_of(grid, sources);
    std::vector<double> densities;
    constexpr std::size_t together = 1024;  // each asks for up to 53 nodes in 3-D
    for (std::size_t first = 0; first < places.size(); first += together) {
        const auto some = std::span(places).subspan(first, std::min(together, places.size() - first));
        std::vector<std::int64_t> nodes;
        for (const Offset& place : some) {
            const std::vector<std::int64_t> its = nodes_of_density(grid, place);
            nodes.insert(nodes.end(), its.begin(), its.end());
        }
        sort_unique(nodes);
        const std::vector<CellMedium> media = media_of(medium, nodes);
        const MediumAt medium_at = [&](std::int64_t node) {
            return media[static_cast<std::size_t>(std::ranges::lower_bound(nodes, node) - nodes.begin())];
        };
        for (const Offset& place : some) densities.push_back(density_at(grid, place, medium_at));
    }
    return densities;
}

}  // namespace onda
