#include "kernels/boundaries/sponge.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "kernels/setup.hpp"

namespace onda {

bool Sponge::empty() const {
    return std::ranges::all_of(taper, [](const std::vector<double>& of_axis) { return of_axis.empty(); });
}

void Sponge::check(const Problem& problem) const {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (!taper[axis].empty() && std::ssize(taper[axis]) != problem.grid.n[axis])
            throw std::invalid_argument("the taper of the sponge along " + std::string(1, "xyz"[axis]) + " has " +
                                        std::to_string(taper[axis].size()) + " values; the grid has " +
                                        std::to_string(problem.grid.n[axis]) + " nodes");
}

double Sponge::work(const Grid& grid) const {
    double untouched = 1.;
    for (std::size_t axis = 0; axis < 3; ++axis)
        untouched *= taper[axis].empty() ? static_cast<double>(grid.n[axis])
                                         : static_cast<double>(std::ranges::count(taper[axis], 1.));
    return static_cast<double>(grid.points()) - untouched;
}

std::int64_t Sponge::reach(const Problem&, int face) const {
    const std::vector<double>& values = taper[static_cast<std::size_t>(face / 2)];
    const auto undamped = [](double factor) { return factor == 1.; };
    return face % 2 == 0 ? std::ranges::find_if(values, undamped) - values.begin()
                         : std::find_if(values.rbegin(), values.rend(), undamped) - values.rbegin();
}

// Tapers lose or gain nodes in the middle, where they are 1.
std::shared_ptr<const Strip> Sponge::resized(const std::array<std::int64_t, 3>& n) const {
    auto other = std::make_shared<Sponge>(*this);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::vector<double>& values = other->taper[axis];
        if (values.empty()) continue;
        const std::int64_t nodes = std::ssize(values);
        const auto middle = values.begin() + std::min(nodes, n[axis]) / 2;
        if (nodes > n[axis])
            values.erase(middle, middle + (nodes - n[axis]));
        else
            values.insert(middle, static_cast<std::size_t>(n[axis] - nodes), 1.);
    }
    return other;
}

std::shared_ptr<const Strip> Sponge::of_planes(std::int64_t first, std::int64_t planes, std::int64_t) const {
    auto part = std::make_shared<Sponge>(*this);
    if (!taper[2].empty()) part->taper[2].assign(taper[2].begin() + first, taper[2].begin() + first + planes);
    return part;
}

void Sponge::filter_source(const Grid&, const std::array<std::int64_t, 3>& node, NodeFilter& filter) const {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (!taper[axis].empty()) filter.gain *= taper[axis][static_cast<std::size_t>(node[axis])];
}

}  // namespace onda
