/// \file
/// The grid that is computed: that of the configuration and the absorbing strips beyond its faces. Here alone is known
/// where the one lies in the other.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/grid/grid.hpp"
#include "kernels/medium.hpp"

namespace onda {

/// A grid that surrounds another, the inner one, on which models are made and results are given.
class ComputedGrid {
public:
    ComputedGrid() = default;
    /// \param nodes_beyond each face of the inner grid, 2 * axis + (0 low, 1 high).
    ComputedGrid(const Grid& inner, const std::array<std::int64_t, 6>& nodes_beyond = {});  // NOLINT: a grid is one

    /// All nodes, at their positions: the origin lies outside the inner grid where nodes lie beyond its low faces.
    [[nodiscard]] const Grid& grid() const { return grid_; }
    /// Whether there are other nodes than those of the inner grid.
    [[nodiscard]] bool is_extended() const { return grid_.n != inner_.n; }
    /// The grid that surrounds another inner grid by as many nodes.
    [[nodiscard]] ComputedGrid around(const Grid& inner) const { return {inner, nodes_beyond_}; }

    /// A window of the inner grid, in nodes of the whole: what a wavefield is asked for.
    [[nodiscard]] Window window(const Window& of_inner) const;
    /// The nodes of the inner grid.
    [[nodiscard]] Window inner() const { return window(Window::whole(inner_)); }
    /// The node of the whole with this Grid::at index, as the inner grid numbers its nodes: below 0, or from n on,
    /// beyond its faces.
    [[nodiscard]] std::array<std::int64_t, 3> inner_node(std::int64_t index) const;
    /// Whether a node, numbered as inner_node() does, is one of the inner grid.
    [[nodiscard]] bool is_inner(const std::array<std::int64_t, 3>& node) const;

    /// Rows of a parameter on the whole, from a reader of its rows on the inner grid: a node beyond takes the value of
    /// the nearest inner node.
    [[nodiscard]] RowReader extended(RowReader of_inner) const;

private:
    [[nodiscard]] std::int64_t first(std::size_t axis) const { return nodes_beyond_[2 * axis]; }

    Grid inner_, grid_;
    std::array<std::int64_t, 6> nodes_beyond_{};
};

}  // namespace onda
