#include "solver/imaging/vp_gradient.hpp"

#include <algorithm>
#include <array>

#include "kernels/imaging/scattering.hpp"
#include "solver/imaging/at_nodes.hpp"

namespace onda {
namespace {

/// Which computed nodes take their values from which inner ones, along each axis.
class Nearest {
public:
    Nearest(const ComputedGrid& computed, const Grid& inner)
        : first_(computed.inner_node(0)), computed_(computed.grid().n), inner_(inner.n) {}

    /// The inner node of a computed one.
    [[nodiscard]] std::int64_t of(std::int64_t node, std::size_t axis) const {
        return std::clamp<std::int64_t>(node + first_[axis], 0, inner_[axis] - 1);
    }
    /// The first computed node of an inner one, and that after the last.
    [[nodiscard]] std::int64_t begin(std::int64_t inner, std::size_t axis) const {
        return inner == 0 ? 0 : inner - first_[axis];
    }
    [[nodiscard]] std::int64_t end(std::int64_t inner, std::size_t axis) const {
        return inner == inner_[axis] - 1 ? computed_[axis] : inner + 1 - first_[axis];
    }

private:
    std::array<std::int64_t, 3> first_;  ///< computed node 0 as the inner grid numbers its nodes: 0 or less
    std::array<std::int64_t, 3> computed_, inner_;
};

}  // namespace

NodeValues gradient_of_vp(NodeValues image, const Problem& problem, const MediumReaders& readers, double dt_s) {
    const MediumArray& array = problem.scheme.equation->arrays.front();
    const bool damps = has_gains(problem);
    set_every_node(image, problem, readers, [&](const auto& node, std::size_t at, const auto& parameters) {
        const double k = array.value(parameters.data(), dt_s), vp = parameters[0];
        return 2. * weight_of(problem, node, damps) / (vp * k) * image[at];
    });
    return image;
}

std::vector<double> relative_change_of_k(std::span<const double> dvp, const Problem& problem,
                                         const MediumReaders& readers) {
    return at_every_node(problem, readers, [&](const auto& node, const auto& parameters) {
        const auto at = static_cast<std::size_t>(problem.grid.at(node[0], node[1], node[2]));
        return weight_of(problem, node, false) == 0. ? 0. : 2. * dvp[at] / parameters[0];
    });
}

template <typename T>
std::vector<T> fold_to_inner(std::span<const double> gradient, const ComputedGrid& computed, const Grid& inner) {
    const Grid& grid = computed.grid();
    const Nearest nearest(computed, inner);
    std::vector<T> folded(static_cast<std::size_t>(inner.points()));
#pragma omp parallel
    {
        std::vector<double> sum(static_cast<std::size_t>(inner.nx()));
#pragma omp for
        for (std::int64_t row = 0; row < inner.ny() * inner.nz(); ++row) {
            const std::int64_t y = row % inner.ny(), z = row / inner.ny();
            std::ranges::fill(sum, 0.);
            for (std::int64_t from_z = nearest.begin(z, 2); from_z < nearest.end(z, 2); ++from_z)
                for (std::int64_t from_y = nearest.begin(y, 1); from_y < nearest.end(y, 1); ++from_y) {
                    const double* const from = gradient.data() + grid.at(0, from_y, from_z);
                    for (std::int64_t x = 0; x < grid.nx(); ++x)
                        sum[static_cast<std::size_t>(nearest.of(x, 0))] += from[x];
                }
            std::ranges::transform(sum, folded.begin() + row * inner.nx(), [](double v) { return static_cast<T>(v); });
        }
    }
    return folded;
}

template std::vector<float> fold_to_inner<float>(std::span<const double>, const ComputedGrid&, const Grid&);
template std::vector<double> fold_to_inner<double>(std::span<const double>, const ComputedGrid&, const Grid&);

template <typename T>
std::vector<T> values_in(const Window& window, std::span<const double> values, const Grid& grid) {
    const auto& first = window.first;
    const auto& count = window.count;
    std::vector<T> inside(static_cast<std::size_t>(window.points()));
#pragma omp parallel for
    for (std::int64_t row = 0; row < count[1] * count[2]; ++row) {
        const auto from = values.begin() + grid.at(first[0], first[1] + row % count[1], first[2] + row / count[1]);
        std::transform(from, from + count[0], inside.begin() + row * count[0],
                       [](double v) { return static_cast<T>(v); });
    }
    return inside;
}

template std::vector<float> values_in<float>(const Window&, std::span<const double>, const Grid&);
template std::vector<double> values_in<double>(const Window&, std::span<const double>, const Grid&);

std::vector<double> extend_from_inner(std::span<const double> values, const ComputedGrid& computed, const Grid& inner) {
    const Grid& grid = computed.grid();
    const Nearest nearest(computed, inner);
    std::vector<double> extended(static_cast<std::size_t>(grid.points()));
#pragma omp parallel for
    for (std::int64_t row = 0; row < grid.ny() * grid.nz(); ++row) {
        const std::int64_t y = row % grid.ny(), z = row / grid.ny();
        const double* const from = values.data() + inner.at(0, nearest.of(y, 1), nearest.of(z, 2));
        for (std::int64_t x = 0; x < grid.nx(); ++x)
            extended[static_cast<std::size_t>(row * grid.nx() + x)] = from[nearest.of(x, 0)];
    }
    return extended;
}

}  // namespace onda
