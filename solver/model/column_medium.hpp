/// \file
/// Earths made of surfaces: what depends on (x, y) alone, such as depths of horizons, is computed once for each column
/// of nodes; the rock at a depth follows from its column. At the nodes, or as means of their cells.
///
/// An Earth has
///   Column                                what depends on (x, y); default-constructible
///   Column column(double x, double y)     at fractions of the grid's extents
///   double section_y()                    the fraction along y at which a 2-D grid cuts it
///   double vp(const Column&, double z)    [m/s] at a fraction of the grid's depth
///   Column mix(const Column&, const Column&, double t)   found by its argument: a column at t of the way between two
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "solver/model/cell_mean.hpp"
#include "solver/model/model_builders.hpp"
#include "solver/program/loop_failure.hpp"

namespace onda {

/// A number at t of the way between two.
inline float between(float from, float to, double t) {
    return static_cast<float>(from + t * (to - from));
}

/// Columns at places one spacing apart along x and y: nodes, or the corners of their cells.
template <typename Earth>
class Columns {
public:
    using Column = typename Earth::Column;

    /// \param shift of the first column from the first node, in spacings, along each axis that the grid has.
    Columns(const Earth& earth, const Grid& grid, double shift)
        : nx_(grid.nx() + (shift != 0. ? 1 : 0)), ny_(grid.ny() + (shift != 0. && grid.dimensions == 3 ? 1 : 0)) {
        const auto fraction = [&](int axis, std::int64_t i) {
            return grid.has_axis(axis) ? (static_cast<double>(i) + shift) / static_cast<double>(grid.n[axis] - 1)
                                       : earth.section_y();
        };
        columns_.resize(nx_ * ny_);
        LoopFailure failure;
#pragma omp parallel for schedule(static)
        for (std::int64_t y = 0; y < ny_; ++y)
            failure.guard([&] {
                for (std::int64_t x = 0; x < nx_; ++x)
                    columns_[y * nx_ + x] = earth.column(fraction(0, x), fraction(1, y));
            });
        failure.rethrow();
    }
    static std::int64_t bytes(const Grid& grid, bool corners) {
        const std::int64_t more = corners ? 1 : 0, more_y = grid.dimensions == 3 ? more : 0;
        return static_cast<std::int64_t>(sizeof(Column)) * (grid.nx() + more) * (grid.ny() + more_y);
    }
    [[nodiscard]] const Column& at(std::int64_t x, std::int64_t y) const {
        return columns_[y * nx_ + x];
    }

private:
    std::int64_t nx_, ny_;
    std::vector<Column> columns_;
};

/// The rocks of an Earth on a grid, row by row. A copy for each thread: it remembers the corners that neighbouring rows
/// share.
template <typename Earth>
class ColumnRows {
public:
    ColumnRows(std::shared_ptr<const Earth> earth, const Grid& grid, bool averaged)
        : earth_(std::move(earth)),
          grid_(grid),
          nodes_(std::make_shared<const Columns<Earth>>(*earth_, grid, 0.)),
          corners_(averaged ? std::make_shared<const Columns<Earth>>(*earth_, grid, -0.5) : nullptr) {}

    void operator()(std::int64_t y, std::int64_t z, std::span<float> row) {
        for (std::int64_t x = 0; x < std::ssize(row); ++x) row[x] = vp(nodes_->at(x, y), static_cast<double>(z));
        if (!corners_) return;
        move_corners_to(y, z);
        for (std::int64_t x = 0; x < std::ssize(row); ++x)
            if (is_crossed(x, row[x])) row[x] = mean(x, y, z);
    }

private:
    using Column = typename Earth::Column;

    [[nodiscard]] float vp(const Column& column, double z) const {
        return static_cast<float>(earth_->vp(column, z / static_cast<double>(grid_.nz() - 1)));
    }
    /// Corner row 0 to 3 of the cells of a row of nodes: that at the lower y, or at the higher one (1); at the top, or
    /// at the bottom (2). In 2-D there is no second row along y.
    void find_corners(std::size_t which, std::int64_t y, std::int64_t z) {
        std::vector<float>& row = around_[which];
        row.resize(static_cast<std::size_t>(grid_.nx() + 1));
        const auto along_y = static_cast<std::int64_t>(which & 1), below = static_cast<std::int64_t>(which >> 1);
        for (std::int64_t x = 0; x <= grid_.nx(); ++x)
            row[static_cast<std::size_t>(x)] = vp(corners_->at(x, y + along_y), static_cast<double>(z + below) - 0.5);
    }
    void move_corners_to(std::int64_t y, std::int64_t z) {
        const bool flat = grid_.dimensions == 2;
        const bool next_y = !flat && z == z_ && y == y_ + 1, next_z = flat && z == z_ + 1;
        if (next_y) {
            around_[0].swap(around_[1]);
            around_[2].swap(around_[3]);
        }
        if (next_z) around_[0].swap(around_[2]);
        if (!next_y && !next_z) find_corners(0, y, z);
        if (!next_y) find_corners(2, y, z);
        if (!flat) {
            find_corners(1, y, z);
            find_corners(3, y, z);
        }
        y_ = y;
        z_ = z;
    }
    /// Whether an interface crosses a cell: within a rock vp changes by less between the node and the corners.
    [[nodiscard]] bool is_crossed(std::int64_t x, float at_node) const {
        constexpr float contrast = 0.01f;
        for (const std::vector<float>& row : around_)
            for (std::size_t i = 0; i < 2 && !row.empty(); ++i)
                if (std::abs(row[static_cast<std::size_t>(x) + i] - at_node) > contrast * at_node) return true;
        return false;
    }
    /// Not inlined: where one mixture goes into the next within a function, GCC 12's vectoriser leaves out the rounding
    /// to single precision between them, and the bits of a model would depend on the compiler.
    [[gnu::noinline]] static Column mixed(const Column& a, const Column& b, double t) { return mix(a, b, t); }
    /// The column through a point of a cell.
    [[nodiscard]] Column column_in_cell(std::int64_t x, std::int64_t y, const std::array<double, 3>& offset) const {
        const Column front = mixed(corners_->at(x, y), corners_->at(x + 1, y), offset[0] + 0.5);
        if (grid_.dimensions == 2) return front;
        const Column back = mixed(corners_->at(x, y + 1), corners_->at(x + 1, y + 1), offset[0] + 0.5);
        return mixed(front, back, offset[1] + 0.5);
    }
    [[nodiscard]] float mean(std::int64_t x, std::int64_t y, std::int64_t z) const {
        std::array<Column, kMostColumnsOfCell> columns;
        return mean_of_points(
                   grid_.dimensions,
                   [&](std::size_t column, const std::array<double, 3>& offset) {
                       columns[column] = column_in_cell(x, y, offset);
                   },
                   [&](std::size_t column, const std::array<double, 3>& offset) {
                       return Rock{vp(columns[column], static_cast<double>(z) + offset[2]), 0.f, 0.f};
                   })
            .vp;
    }

    std::shared_ptr<const Earth> earth_;
    Grid grid_;
    std::shared_ptr<const Columns<Earth>> nodes_, corners_;  ///< corners: null where nodes have what lies at them
    std::array<std::vector<float>, 4> around_;               ///< vp at the corners of the cells of row (y_, z_)
    std::int64_t y_ = -2, z_ = -2;                           ///< next to no row yet
};

/// The rules of an Earth on a grid, which gives vp alone.
template <typename Earth>
MediumRules column_medium(const std::shared_ptr<const Earth>& earth, const ModelConfig& config, const Grid& grid,
                          const VelocityRange& bounds, const std::string& description) {
    const bool averaged = config.interfaces == "averaged";
    const auto rule = [earth, grid, averaged]() -> MediumRules::Row {
        return ColumnRows<Earth>(earth, grid, averaged);
    };
    const std::int64_t bytes = Columns<Earth>::bytes(grid, false) + (averaged ? Columns<Earth>::bytes(grid, true) : 0);
    return {rule, bounds, description, {}, bytes, averaged ? 5. : 1.};
}

}  // namespace onda
