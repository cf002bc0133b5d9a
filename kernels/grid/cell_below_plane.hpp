/// \file
/// How much of the cell of a node lies on either side of a plane.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace onda {

/// How far the points of a cell lie below a plane through its node, along z: a sum of up to three independent uniform
/// distances, one for each axis.
class CellBelowPlane {
public:
    /// \param height_m of the cell; \param rise_x_m, rise_y_m how much deeper the plane is at one side of the cell than
    /// at the other.
    CellBelowPlane(double height_m, double rise_x_m, double rise_y_m)
        : CellBelowPlane(std::array{height_m, std::abs(rise_x_m), std::abs(rise_y_m)}) {}
    /// \param widths how much the distance from the plane changes along each axis of the cell; none below 0, one above.
    explicit CellBelowPlane(const std::array<double, 3>& widths) {
        // A width that is nothing beside the others leaves the distribution as it is; its share of the sum would be
        // lost in rounding.
        const double least = 1e-4 * *std::max_element(widths.begin(), widths.end());
        for (const double width : widths)
            if (width > least) width_[static_cast<std::size_t>(count_++)] = width;
        for (int i = 0; i < count_; ++i) extent_ += width_[static_cast<std::size_t>(i)];
    }

    /// From the highest point of the cell to the lowest.
    [[nodiscard]] double extent_m() const { return extent_; }
    /// The share of the cell above the plane that lies `depth_m` below the node's: the distribution of a sum of uniform
    /// variables (Irwin 1927, Hall 1927).
    [[nodiscard]] double share_above(double depth_m) const {
        if (depth_m <= -0.5 * extent_) return 0.;
        if (depth_m >= 0.5 * extent_) return 1.;
        double sum = 0., scale = 1.;
        for (int corner = 0; corner < 1 << count_; ++corner) {
            double from = depth_m, sign = 1.;
            for (int i = 0; i < count_; ++i) {
                const bool low = (corner >> i & 1) != 0;
                from += low ? -0.5 * width_[static_cast<std::size_t>(i)] : 0.5 * width_[static_cast<std::size_t>(i)];
                if (low) sign = -sign;
            }
            if (from > 0.) sum += sign * std::pow(from, count_);
        }
        for (int i = 0; i < count_; ++i) scale *= width_[static_cast<std::size_t>(i)] * (i + 1);
        return std::clamp(sum / scale, 0., 1.);
    }

private:
    std::array<double, 3> width_{};
    int count_ = 0;
    double extent_ = 0.;
};

}  // namespace onda
