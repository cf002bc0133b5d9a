#include "solver/survey/positions.hpp"

#include <algorithm>
#include <cmath>

#include "io/text/saturating.hpp"

namespace onda {
namespace {

constexpr std::array<int, 3> kAxes{0, 1, 2};

/// The first index of 0 … count - 1 that does not pass, of those that pass first and fail then.
template <typename Passes>
std::int64_t first_failing(std::int64_t count, Passes&& passes) {
    std::int64_t low = 0, high = count;
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        passes(middle) ? void(low = middle + 1) : void(high = middle);
    }
    return low;
}

/// The sum of values(0) … values(count - 1), from a sample if there are more than `walked`.
template <typename Values>
double sum_of(std::int64_t count, std::int64_t walked, Values&& values) {
    double sum = 0.;
    if (count <= walked) {
        for (std::int64_t i = 0; i < count; ++i) sum += values(i);
        return sum;
    }
    for (std::int64_t k = 0; k < walked; ++k) sum += values(sampled_index(k, count));
    return sum * (static_cast<double>(count) / static_cast<double>(walked));
}

double nodes_along(const Grid& grid, int axis, double coordinate_m) {
    if (!grid.has_axis(axis)) return 1.;
    const double index = (coordinate_m - grid.origin_m[axis]) / grid.spacing_m[axis];
    return std::abs(index - std::round(index)) > kSamePlace ? 8. : 1.;
}

}  // namespace

/// Multiples of the golden ratio.
std::int64_t sampled_index(std::int64_t k, std::int64_t count) {
    constexpr double golden = 0.6180339887498949;
    const double turns = golden * static_cast<double>(k);
    return std::min(count - 1, static_cast<std::int64_t>((turns - std::floor(turns)) * static_cast<double>(count)));
}

void PositionBox::include(const Position& position_m) {
    for (const int a : kAxes) {
        low[a] = std::min(low[a], position_m[a]);
        high[a] = std::max(high[a], position_m[a]);
    }
}

std::vector<FaceLayer> face_layers(const Grid& grid, const std::array<double, 6>& depth_nodes) {
    std::vector<FaceLayer> layers;
    for (int face = 0; face < 6; ++face) {
        const int a = face / 2;
        if (depth_nodes[face] > 0.)
            layers.push_back({a, face % 2 == 1, grid.origin_m[a], grid.spacing_m[a], static_cast<double>(grid.n[a] - 1),
                              depth_nodes[face]});
    }
    return layers;
}

const FaceLayer* layer_with(std::span<const FaceLayer> layers, const Position& position_m) {
    for (const FaceLayer& layer : layers)
        if (layer.holds(position_m[layer.axis])) return &layer;
    return nullptr;
}

Positions::Positions(std::vector<Position> stored)
    : stored_(std::make_shared<const std::vector<Position>>(std::move(stored))),
      size_(static_cast<std::int64_t>(stored_->size())) {}

Positions Positions::line(const Position& first, const Position& last, std::int64_t count) {
    Positions positions;
    positions.kind_ = Kind::line;
    positions.first_ = first;
    positions.last_ = last;
    positions.size_ = count;
    return positions;
}

Positions Positions::grid(const Position& first, const Position& last, const std::array<std::int64_t, 3>& count) {
    Positions positions = line(first, last, saturating_product(count[0], count[1], count[2]));
    positions.kind_ = Kind::grid;
    positions.count_ = count;
    return positions;
}

Positions Positions::stepped_line(const Position& first, const Position& step, std::int64_t count) {
    Positions positions = line(first, first, count);
    positions.step_ = step;
    positions.stepped_ = true;
    return positions;
}

Positions Positions::stepped_grid(const Position& first, const Position& step,
                                  const std::array<std::int64_t, 3>& count) {
    Positions positions = grid(first, first, count);
    positions.step_ = step;
    positions.stepped_ = true;
    return positions;
}

Positions Positions::part(std::int64_t first, std::int64_t count) const {
    Positions positions = *this;
    positions.offset_ += first;
    positions.size_ = count;
    return positions;
}

double Positions::coordinate(int axis, std::int64_t index, std::int64_t count) const {
    if (stepped_) return first_[axis] + static_cast<double>(index) * step_[axis];
    const double t = count > 1 ? static_cast<double>(index) / static_cast<double>(count - 1) : 0.;
    return (1. - t) * first_[axis] + t * last_[axis];
}

Position Positions::operator[](std::int64_t i) const {
    Position p{};
    if (kind_ == Kind::stored) p = (*stored_)[static_cast<std::size_t>(offset_ + i)];
    if (kind_ == Kind::line)
        for (const int a : kAxes) p[a] = coordinate(a, i, size_);
    if (kind_ == Kind::grid)
        p = {coordinate(0, i % count_[0], count_[0]), coordinate(1, i / count_[0] % count_[1], count_[1]),
             coordinate(2, i / (count_[0] * count_[1]), count_[2])};
    for (const int a : kAxes) p[a] = placed(a, p[a]);
    return p;
}

Positions Positions::reordered(std::span<const std::int64_t> order) const {
    std::vector<Position> sorted;
    sorted.reserve(order.size());
    for (const std::int64_t i : order) sorted.push_back((*stored_)[static_cast<std::size_t>(offset_ + i)]);
    Positions positions = *this;
    positions.stored_ = std::make_shared<const std::vector<Position>>(std::move(sorted));
    positions.offset_ = 0;
    return positions;
}

Positions Positions::shifted(const Position& by) const {
    Positions positions = *this;
    positions.shift_ = by;
    positions.shifted_ = true;
    return positions;
}

std::int64_t Positions::extremes() const {
    return kind_ == Kind::stored ? size_ : kind_ == Kind::line ? 2 : 4;
}

/// The corners of a grid are its first position, and the last along each axis.
std::int64_t Positions::extreme(std::int64_t k) const {
    if (kind_ == Kind::stored) return k;
    if (kind_ == Kind::line) return k == 0 ? 0 : size_ - 1;
    const std::array<std::int64_t, 4> corner{0, count_[0] - 1, (count_[1] - 1) * count_[0],
                                             (count_[2] - 1) * count_[0] * count_[1]};
    return corner[static_cast<std::size_t>(k)];
}

PositionBox Positions::box() const {
    PositionBox box{(*this)[0], (*this)[0]};
    for (std::int64_t k = 1; k < extremes(); ++k) box.include((*this)[extreme(k)]);
    return box;
}

std::int64_t Positions::find_outside(const Grid& grid) const {
    for (std::int64_t k = 0; k < extremes(); ++k)
        if (axis_outside(grid, (*this)[extreme(k)]) >= 0) return extreme(k);
    return -1;
}

double Positions::placed(int axis, double coordinate_m) const {
    return std::clamp(shifted_ ? coordinate_m + shift_[axis] : coordinate_m, low_[axis], high_[axis]);
}

void Positions::clamp_to(const Position& low, const Position& high) {
    low_ = low;
    high_ = high;
}

/// Each layer holds a beginning or an end of the positions, all of them or none.
std::int64_t Positions::count_in_none(std::span<const FaceLayer> layers, std::span<const int> axes,
                                      std::int64_t count) const {
    std::int64_t beginning = 0, end = 0;
    for (const FaceLayer& layer : layers) {
        if (std::ranges::find(axes, layer.axis) == axes.end()) continue;
        const auto holds = [&](std::int64_t i) {
            return layer.holds(placed(layer.axis, coordinate(layer.axis, i, count)));
        };
        const bool first = holds(0), last = holds(count - 1);
        if (first && last) return 0;
        if (first) beginning = std::max(beginning, first_failing(count, holds));
        if (last) end = std::max(end, count - first_failing(count, [&](std::int64_t i) { return !holds(i); }));
    }
    return std::max<std::int64_t>(0, count - beginning - end);
}

std::int64_t Positions::count_in_any(std::span<const FaceLayer> layers) const {
    if (kind_ == Kind::line) return size_ - count_in_none(layers, kAxes, size_);
    if (kind_ == Kind::grid) {
        std::int64_t none = 1;
        for (const int axis : kAxes)
            none = saturating_product(none, count_in_none(layers, {&axis, 1}, count_[static_cast<std::size_t>(axis)]));
        return size_ - none;
    }
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < size_; ++i) {
        const Position p = (*this)[i];
        count += layer_with(layers, p) != nullptr;
    }
    return count;
}

std::int64_t weighted_nodes(const Grid& grid, const Position& p) {
    return static_cast<std::int64_t>(nodes_along(grid, 0, p[0]) * nodes_along(grid, 1, p[1]) *
                                     nodes_along(grid, 2, p[2]));
}

std::int64_t Positions::weighted_nodes(const Grid& grid, std::int64_t walked) const {
    const auto nodes_of = [&](std::int64_t i) { return static_cast<double>(onda::weighted_nodes(grid, (*this)[i])); };
    double nodes = 1.;
    if (kind_ == Kind::grid)
        for (const int a : kAxes)
            nodes *= sum_of(count_[a], walked, [&](std::int64_t i) {
                return nodes_along(grid, a, placed(a, coordinate(a, i, count_[a])));
            });
    else
        nodes = sum_of(size_, kind_ == Kind::stored ? size_ : walked, nodes_of);
    return nodes < 9e18 ? std::llround(nodes) : kTooMany;
}

PositionList::PositionList(std::vector<Position> positions) {
    append(Positions(std::move(positions)));
}

void PositionList::append(Positions part) {
    if (part.empty()) return;
    first_.push_back(size_);
    size_ += part.size();
    parts_.push_back(std::move(part));
}

Position PositionList::operator[](std::size_t i) const {
    const auto at = static_cast<std::int64_t>(i);
    const auto part = std::ranges::upper_bound(first_, at) - first_.begin() - 1;
    return parts_[static_cast<std::size_t>(part)][at - first_[static_cast<std::size_t>(part)]];
}

std::vector<Position> PositionList::list() const {
    std::vector<Position> all;
    all.reserve(size());
    for (const Positions& part : parts_)
        for (std::int64_t i = 0; i < part.size(); ++i) all.push_back(part[i]);
    return all;
}

}  // namespace onda
