#include "solver/inversion/regularisation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace onda {
namespace {

using NodeTriple = std::array<std::int64_t, 3>;

/// Both penalties as functions of the length g of the gradient at a node.
class RoughnessPenalty {
public:
    RoughnessPenalty(const Grid& grid, const InversionConfig& config, std::span<const float> x)
        : grid_(grid), x_(x), tikhonov_(config.tikhonov), total_variation_(config.total_variation) {
        double smallest_m = std::numeric_limits<double>::infinity();
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (grid.n[axis] > 1) smallest_m = std::min(smallest_m, grid.spacing_m[axis]);
        for (std::size_t axis = 0; axis < 3; ++axis)
            weight_[axis] = grid.n[axis] > 1 ? std::pow(smallest_m / grid.spacing_m[axis], 2.) : 0.;
    }

    /// sqrt(g^2 + eps^2) - eps is g^2 over a sum, which keeps its digits where g is small.
    [[nodiscard]] double value_at(const NodeTriple& node) const {
        const double square = square_at(node);
        return 0.5 * tikhonov_ * square + total_variation_ * square / (length_of(square) + kSmallStep);
    }
    /// The derivative of the sum over all nodes with respect to x of one: of its own g, and of those of the nodes
    /// before it along each axis.
    [[nodiscard]] double slope_at(const NodeTriple& node) const {
        const double own = flow_at(node);
        double slope = 0.;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            slope -= own * weight_[axis] * step(node, axis);
            if (node[axis] == 0) continue;
            NodeTriple before = node;
            --before[axis];
            slope += flow_at(before) * weight_[axis] * step(before, axis);
        }
        return slope;
    }

private:
    /// The forward difference.
    [[nodiscard]] double step(const NodeTriple& node, std::size_t axis) const {
        if (node[axis] + 1 == grid_.n[axis]) return 0.;
        NodeTriple next = node;
        ++next[axis];
        return value(next) - value(node);
    }
    [[nodiscard]] double value(const NodeTriple& node) const {
        return static_cast<double>(x_[static_cast<std::size_t>(grid_.at(node[0], node[1], node[2]))]);
    }
    [[nodiscard]] double square_at(const NodeTriple& node) const {
        double square = 0.;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double difference = step(node, axis);
            square += weight_[axis] * difference * difference;
        }
        return square;
    }
    [[nodiscard]] static double length_of(double square) { return std::sqrt(square + kSmallStep * kSmallStep); }
    /// Twice the derivative with respect to g^2.
    [[nodiscard]] double flow_at(const NodeTriple& node) const {
        return tikhonov_ + (total_variation_ > 0. ? total_variation_ / length_of(square_at(node)) : 0.);
    }

    const Grid& grid_;
    std::span<const float> x_;
    std::array<double, 3> weight_{};  ///< (h / h_a)^2
    double tikhonov_, total_variation_;
};

}  // namespace

double add_penalty(const Grid& grid, const InversionConfig& config, std::span<const float> x, double misfit_scale,
                   std::span<float> gradient) {
    if (config.tikhonov == 0. && config.total_variation == 0.) return 0.;
    const RoughnessPenalty penalty(grid, config, x);
    const double scale = misfit_scale / static_cast<double>(grid.points());
    const std::int64_t rows = grid.ny() * grid.nz();
    std::vector<double> sums(static_cast<std::size_t>(rows));  // of rows, which are then added in their order
#pragma omp parallel for
    for (std::int64_t row = 0; row < rows; ++row) {
        double sum = 0.;
        for (std::int64_t i = 0; i < grid.nx(); ++i) {
            const NodeTriple node{i, row % grid.ny(), row / grid.ny()};
            float& of_node = gradient[static_cast<std::size_t>(row * grid.nx() + i)];
            sum += penalty.value_at(node);
            of_node = static_cast<float>(static_cast<double>(of_node) + scale * penalty.slope_at(node));
        }
        sums[static_cast<std::size_t>(row)] = sum;
    }
    double whole = 0.;
    for (const double sum : sums) whole += sum;
    return scale * whole;
}

}  // namespace onda
