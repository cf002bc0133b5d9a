#include "solver/discretisation/computed_grid.hpp"

#include <algorithm>
#include <utility>

namespace onda {

ComputedGrid::ComputedGrid(const Grid& inner, const std::array<std::int64_t, 6>& nodes_beyond)
    : inner_(inner), grid_(inner), nodes_beyond_(nodes_beyond) {
    for (std::size_t a = 0; a < 3; ++a) {
        grid_.n[a] += nodes_beyond[2 * a] + nodes_beyond[2 * a + 1];
        grid_.origin_m[a] -= static_cast<double>(first(a)) * grid_.spacing_m[a];
    }
}

Window ComputedGrid::window(const Window& of_inner) const {
    Window window = of_inner;
    for (std::size_t a = 0; a < 3; ++a) window.first[a] += first(a);
    return window;
}

std::array<std::int64_t, 3> ComputedGrid::inner_node(std::int64_t index) const {
    auto node = grid_.node(index);
    for (std::size_t a = 0; a < 3; ++a) node[a] -= first(a);
    return node;
}

bool ComputedGrid::is_inner(const std::array<std::int64_t, 3>& node) const {
    for (std::size_t a = 0; a < 3; ++a)
        if (node[a] < 0 || node[a] >= inner_.n[a]) return false;
    return true;
}

RowReader ComputedGrid::extended(RowReader of_inner) const {
    if (!is_extended()) return of_inner;
    return [*this, read = std::move(of_inner)](std::int64_t y, std::int64_t z, std::span<float> values) {
        const auto nearest = [this](std::size_t axis, std::int64_t i) {
            return std::clamp<std::int64_t>(i - first(axis), 0, inner_.n[axis] - 1);
        };
        const auto before = static_cast<std::size_t>(first(0)), inside = static_cast<std::size_t>(inner_.n[0]);
        const std::span<float> row = values.subspan(before, inside);
        read(nearest(1, y), nearest(2, z), row);
        std::ranges::fill(values.first(before), row.front());
        std::ranges::fill(values.subspan(before + inside), row.back());
    };
}

}  // namespace onda
