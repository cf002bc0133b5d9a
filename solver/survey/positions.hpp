/// \file
/// Lists of positions, however long, that take no memory: a line or a grid of them is its ends and counts.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "kernels/grid/grid.hpp"
#include "solver/discretisation/grid.hpp"

namespace onda {

/// What lies within so many spacings of a face of the grid, and beyond the face.
struct FaceLayer {
    int axis = 0;
    bool high = false;  ///< of the two faces across the axis
    double origin_m = 0., spacing_m = 1., last_node = 0.;
    double depth_nodes = 0.;

    [[nodiscard]] bool holds(double coordinate_m) const {
        const double index = (coordinate_m - origin_m) / spacing_m;
        return (high ? last_node - index : index) <= depth_nodes;
    }
};

/// Layers of these depths inside the six faces; none where the depth is 0.
std::vector<FaceLayer> face_layers(const Grid& grid, const std::array<double, 6>& depth_nodes);
/// The first layer that holds a position, or nullptr.
const FaceLayer* layer_with(std::span<const FaceLayer> layers, const Position& position_m);

/// How many nodes carry a point: 8 along every axis on which it lies off the nodes, as point_weights() makes them.
std::int64_t weighted_nodes(const Grid& grid, const Position& position);

/// One of the indices 0 … count - 1, for k = 0, 1, … spread evenly and without a period.
std::int64_t sampled_index(std::int64_t k, std::int64_t count);

/// Parallel to the axes, corners included.
struct PositionBox {
    Position low{}, high{};
    void include(const Position& position_m);
};

/// Positions in a fixed order. Copies share what is stored.
class Positions {
public:
    Positions() = default;
    explicit Positions(std::vector<Position> stored);
    /// `count` positions from first to last, both included.
    static Positions line(const Position& first, const Position& last, std::int64_t count);
    /// `count` positions from first on, each by `step` farther than the one before it.
    static Positions stepped_line(const Position& first, const Position& step, std::int64_t count);
    /// Evenly spaced along each axis from first to last; x fastest, then y, then z.
    static Positions grid(const Position& first, const Position& last, const std::array<std::int64_t, 3>& count);
    /// Positions at the nodes of a grid from first on, by a step along each axis; x fastest, then y, then z.
    static Positions stepped_grid(const Position& first, const Position& step,
                                  const std::array<std::int64_t, 3>& count);
    /// The `count` positions from `first` on, of a stored list.
    [[nodiscard]] Positions part(std::int64_t first, std::int64_t count) const;

    [[nodiscard]] std::int64_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] Position operator[](std::int64_t i) const;

    /// The positions of a stored list in another order.
    [[nodiscard]] Positions reordered(std::span<const std::int64_t> order) const;
    /// These positions moved by an offset. They are moved before they are clamped, and once at most.
    [[nodiscard]] Positions shifted(const Position& by) const;
    [[nodiscard]] bool is_stored() const { return kind_ == Kind::stored; }

    /// The box around all positions, of which there is one at least. A line and a grid are not walked.
    [[nodiscard]] PositionBox box() const;
    /// The index of one that lies outside: the first of a stored list, an end or corner of a line or grid; -1 if none
    /// does.
    [[nodiscard]] std::int64_t find_outside(const Grid& grid) const;
    /// Brings every coordinate into low … high.
    void clamp_to(const Position& low, const Position& high);
    /// How many lie in one of the layers at least. A line and a grid are not walked.
    [[nodiscard]] std::int64_t count_in_any(std::span<const FaceLayer> layers) const;
    /// How many nodes carry the positions. Beyond `walked` positions of a line or of an axis, from a sample of as many.
    [[nodiscard]] std::int64_t weighted_nodes(const Grid& grid, std::int64_t walked) const;

private:
    [[nodiscard]] double coordinate(int axis, std::int64_t index, std::int64_t count) const;
    /// Moved and clamped.
    [[nodiscard]] double placed(int axis, double coordinate_m) const;
    /// Indices that every coordinate has its extremes at, or all of a stored list: the k-th, of so many.
    [[nodiscard]] std::int64_t extreme(std::int64_t k) const;
    [[nodiscard]] std::int64_t extremes() const;
    /// How many of `count` positions that differ along `axes` lie in none of the layers across them.
    [[nodiscard]] std::int64_t count_in_none(std::span<const FaceLayer> layers, std::span<const int> axes,
                                             std::int64_t count) const;

    static constexpr double kInfinity = std::numeric_limits<double>::infinity();
    enum class Kind { stored, line, grid } kind_ = Kind::stored;
    Position first_{}, last_{};
    Position step_{};                             ///< in the place of last_
    bool stepped_ = false;                        ///< whether it is
    std::array<std::int64_t, 3> count_{1, 1, 1};  ///< of a grid
    std::shared_ptr<const std::vector<Position>> stored_;
    std::int64_t offset_ = 0, size_ = 0;
    Position shift_{};
    bool shifted_ = false;
    Position low_{-kInfinity, -kInfinity, -kInfinity}, high_{kInfinity, kInfinity, kInfinity};
};

/// Several lists after one another.
class PositionList {
public:
    PositionList() = default;
    PositionList(std::vector<Position> positions);  // NOLINT: a list is one
    void append(Positions part);

    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(size_); }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] Position operator[](std::size_t i) const;
    /// The positions of all parts, as one list.
    [[nodiscard]] std::vector<Position> list() const;
    bool operator==(const std::vector<Position>& other) const { return list() == other; }

private:
    std::vector<Positions> parts_;
    std::vector<std::int64_t> first_;  ///< of each part
    std::int64_t size_ = 0;
};

}  // namespace onda
