/// \file
/// Filters along the axes of a grid. Beyond its faces values continue as their mirror images.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/grid/grid.hpp"

namespace onda {

/// The node that has the value of one which may lie beyond the ends of an axis of n nodes: its mirror image.
inline std::int64_t mirrored(std::int64_t node, std::int64_t n) {
    const std::int64_t period = std::max<std::int64_t>(1, 2 * (n - 1));
    const std::int64_t within = ((node % period) + period) % period;
    return within < n ? within : period - within;
}

/// The part of a node and its neighbours on an axis that a filter takes: weight 0 the node's, others that of both
/// neighbours at this distance.
using EvenTaps = std::vector<double>;

inline std::int64_t stride_along(const Grid& grid, std::size_t axis) {
    return axis == 0 ? 1 : axis == 1 ? grid.nx() : grid.nx() * grid.ny();
}

/// Calls use(line, filtered) for all lines of nodes along an axis, with the line filtered.
template <typename Use>
void for_filtered_lines(std::span<const float> values, const Grid& grid, std::size_t axis, const EvenTaps& taps,
                        const Use& use) {
    const std::int64_t n = grid.n[axis], stride = stride_along(grid, axis), reach = std::ssize(taps) - 1;
#pragma omp parallel
    {
        std::vector<double> extended(static_cast<std::size_t>(n + 2 * reach)), filtered(static_cast<std::size_t>(n));
#pragma omp for
        for (std::int64_t line = 0; line < grid.points() / n; ++line) {
            const std::int64_t begin = line / stride * stride * n + line % stride;
            for (std::int64_t i = -reach; i < n + reach; ++i)
                extended[static_cast<std::size_t>(i + reach)] =
                    static_cast<double>(values[static_cast<std::size_t>(begin + mirrored(i, n) * stride)]);
            const double* const at = extended.data() + reach;
            for (std::int64_t i = 0; i < n; ++i) {
                double sum = taps[0] * at[i];
                for (std::int64_t k = 1; k <= reach; ++k)
                    sum += taps[static_cast<std::size_t>(k)] * (at[i - k] + at[i + k]);
                filtered[static_cast<std::size_t>(i)] = sum;
            }
            use(begin, stride, filtered);
        }
    }
}

/// A Gaussian of this standard deviation, with a sum of 1, cut where it is 3e-4 of its peak.
inline EvenTaps gaussian(double sigma_nodes) {
    EvenTaps taps{1.};
    double sum = 1.;
    for (int k = 1; k <= static_cast<int>(std::ceil(4. * sigma_nodes)); ++k) {
        taps.push_back(std::exp(-0.5 * (k / sigma_nodes) * (k / sigma_nodes)));
        sum += 2. * taps.back();
    }
    for (double& tap : taps) tap /= sum;
    return taps;
}

/// Convolves values of all nodes, [z][y][x], with a Gaussian of this standard deviation [m] along each axis.
inline void smooth_values(std::span<float> values, const Grid& grid, double sigma_m) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!grid.has_axis(static_cast<int>(axis))) continue;
        for_filtered_lines(values, grid, axis, gaussian(sigma_m / grid.spacing_m[axis]),
                           [&](std::int64_t begin, std::int64_t stride, const std::vector<double>& filtered) {
                               for (std::size_t i = 0; i < filtered.size(); ++i)
                                   values[static_cast<std::size_t>(begin) + i * static_cast<std::size_t>(stride)] =
                                       static_cast<float>(filtered[i]);
                           });
    }
}

}  // namespace onda
