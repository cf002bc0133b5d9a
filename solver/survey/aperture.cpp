#include "solver/survey/aperture.hpp"

#include <algorithm>
#include <cmath>

namespace onda {
namespace {

constexpr std::array<std::size_t, 2> kHorizontal{0, 1};

}  // namespace

Window Aperture::part(const PositionBox& spread) const {
    Window part = Window::whole(grid_);
    for (const std::size_t a : kHorizontal) {
        if (!grid_.has_axis(static_cast<int>(a))) continue;
        const auto index = [&](double at_m) { return (at_m - grid_.origin_m[a]) / grid_.spacing_m[a]; };
        // A position that lies on a node but for rounding counts as that node.
        const double low = std::floor(index(spread.low[a] - limit_m_) + kSamePlace);
        const double high = std::ceil(index(spread.high[a] + limit_m_) - kSamePlace);
        const double last_node = static_cast<double>(grid_.n[a] - 1);
        auto first = static_cast<std::int64_t>(std::clamp(low, 0., last_node));
        auto last = static_cast<std::int64_t>(std::clamp(high, 0., last_node));
        last = std::min(grid_.n[a] - 1, std::max(last, first + least_nodes_ - 1));
        first = std::max<std::int64_t>(0, std::min(first, last - least_nodes_ + 1));
        part.first[a] = first;
        part.count[a] = last - first + 1;
    }
    return part;
}

Grid grid_of_part(const Grid& grid, const Window& part) {
    Grid of_part = grid;
    of_part.n = part.count;
    for (std::size_t a = 0; a < 3; ++a) of_part.origin_m[a] += static_cast<double>(part.first[a]) * grid.spacing_m[a];
    return of_part;
}

WindowInPart window_in_part(const Window& of_grid, const Window& part) {
    WindowInPart in_part{of_grid, {}};
    for (std::size_t a = 0; a < 3; ++a) {
        const std::int64_t step = of_grid.step[a];
        const std::int64_t before = std::max<std::int64_t>(0, part.first[a] - of_grid.first[a]);
        const std::int64_t first = (before + step - 1) / step;
        const std::int64_t node = of_grid.first[a] + first * step, end = part.first[a] + part.count[a];
        const std::int64_t points = node < end ? (end - node + step - 1) / step : 0;
        in_part.first[a] = first;
        in_part.window.first[a] = node - part.first[a];
        in_part.window.count[a] = std::clamp<std::int64_t>(of_grid.count[a] - first, 0, points);
    }
    return in_part;
}

namespace {

/// Calls `row` with where each row of the part begins in its values, and in those of the whole window.
template <typename Row>
void for_rows(const Window& of_grid, const WindowInPart& in_part, const Row& row) {
    const auto [nx, ny, nz] = in_part.window.count;
    const auto& at = in_part.first;
    for (std::int64_t z = 0; z < nz; ++z)
        for (std::int64_t y = 0; y < ny; ++y)
            row((z * ny + y) * nx, ((at[2] + z) * of_grid.count[1] + at[1] + y) * of_grid.count[0] + at[0]);
}

}  // namespace

void put_into_window(const Window& of_grid, const WindowInPart& in_part, std::span<const float> values,
                     std::span<float> whole) {
    for_rows(of_grid, in_part, [&](std::int64_t from, std::int64_t to) {
        std::copy_n(values.begin() + from, in_part.window.count[0], whole.begin() + to);
    });
}

std::vector<float> taken_from_window(const Window& of_grid, const WindowInPart& in_part, std::span<const float> whole) {
    std::vector<float> values(static_cast<std::size_t>(in_part.window.points()));
    for_rows(of_grid, in_part, [&](std::int64_t to, std::int64_t from) {
        std::copy_n(whole.begin() + from, in_part.window.count[0], values.begin() + to);
    });
    return values;
}

}  // namespace onda
