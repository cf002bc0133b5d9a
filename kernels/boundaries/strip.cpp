#include "kernels/boundaries/strip.hpp"

#include <algorithm>

#include "kernels/grid/grid.hpp"

namespace onda {

void StripList::set(std::shared_ptr<const Strip> strip) {
    for (auto& other : strips_)
        if (other->name() == strip->name()) {
            other = std::move(strip);
            return;
        }
    const auto order = [](const auto& of) { return of->order(); };
    strips_.insert(std::ranges::upper_bound(strips_, strip->order(), {}, order), std::move(strip));
}

bool StripList::empty() const {
    return std::ranges::all_of(strips_, [](const auto& strip) { return strip->empty(); });
}

Grid strip_grid(const Grid& grid, int face, std::int64_t width) {
    Grid strip = grid;
    strip.n[static_cast<std::size_t>(face / 2)] = width;
    return strip;
}

}  // namespace onda
