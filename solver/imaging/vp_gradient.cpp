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

/// Sums up what lies beyond the faces of the inner grid at these faces.
class Folding {
public:
    Folding(const ComputedGrid& computed, const Grid& inner)
        : grid_(computed.grid()), inner_(inner), nearest_(computed, inner) {}

    /// The first computed plane of an inner one, and that after the last.
    [[nodiscard]] std::int64_t begin(std::int64_t z) const { return nearest_.begin(z, 2); }
    [[nodiscard]] std::int64_t end(std::int64_t z) const { return nearest_.end(z, 2); }
    /// Sets the inner planes [z, z_end) of `folded`. \param planes computed ones, from plane `first` on.
    template <typename T>
    void fold(std::span<const double> planes, std::int64_t first, std::int64_t z, std::int64_t z_end,
              std::span<T> folded) const {
#pragma omp parallel
        {
            std::vector<double> sum(static_cast<std::size_t>(inner_.nx()));
#pragma omp for
            for (std::int64_t row = z * inner_.ny(); row < z_end * inner_.ny(); ++row) {
                sum_up(planes.data() - grid_.at(0, 0, first), row % inner_.ny(), row / inner_.ny(), sum);
                std::ranges::transform(sum, folded.begin() + row * inner_.nx(),
                                       [](double v) { return static_cast<T>(v); });
            }
        }
    }

private:
    /// The sum of the computed rows of an inner one. \param origin where the first computed plane is, or would be.
    void sum_up(const double* origin, std::int64_t y, std::int64_t z, std::span<double> sum) const {
        const std::int64_t last = inner_.nx() - 1, low = nearest_.end(0, 0), high = nearest_.begin(last, 0);
        std::ranges::fill(sum, 0.);
        for (std::int64_t from_z = begin(z); from_z < end(z); ++from_z)
            for (std::int64_t from_y = nearest_.begin(y, 1); from_y < nearest_.end(y, 1); ++from_y) {
                const double* const from = origin + grid_.at(0, from_y, from_z);
                double* const between = sum.data() + (nearest_.of(low, 0) - low);
                for (std::int64_t x = 0; x < std::min(low, high); ++x) sum.front() += from[x];
                for (std::int64_t x = low; x < high; ++x) between[x] += from[x];
                for (std::int64_t x = high; x < grid_.nx(); ++x) sum.back() += from[x];
            }
    }

    const Grid &grid_, &inner_;
    Nearest nearest_;
};

/// The planes of an image that are on the host at the same time.
std::int64_t planes_together(const Grid& grid) {
    constexpr std::int64_t nodes = 4 << 20;
    return std::max<std::int64_t>(1, nodes / (grid.nx() * grid.ny()));
}

/// gradient_of_vp() of the planes from `first` on, in their place. \param damps has_gains().
void make_gradient_of_vp(std::span<double> planes, std::int64_t first, bool damps, const Problem& problem,
                         const MediumReaders& readers, double dt_s) {
    const Grid& grid = problem.grid;
    const KOfRows k_of(problem, dt_s);
    const std::int64_t end = first + std::ssize(planes) / (grid.nx() * grid.ny());
    const std::int64_t last = grid.nx() - 1;
    for_rows_of_planes(first, end, problem, readers, [&](std::int64_t y, std::int64_t z, ParameterRows& rows) {
        k_of.write(y, z, rows);
        const float* const vp = rows.parameters.front().data();
        const double* const k = rows.values.data();
        double* const row = planes.data() + (grid.at(0, y, z) - grid.at(0, 0, first));
        const auto scale = [&](std::int64_t x, double weight) { row[x] = 2. * weight / (vp[x] * k[x]) * row[x]; };
        const auto scale_alone = [&](std::int64_t x) { scale(x, weight_of(problem, {x, y, z}, damps)); };
        // Between the ends of a row weights differ only where strips damp.
        const double between_ends = weight_of(problem, {1, y, z}, false);
        scale_alone(0);
        if (damps)
            for (std::int64_t x = 1; x < last; ++x) scale_alone(x);
        else
            for (std::int64_t x = 1; x < last; ++x) scale(x, between_ends);
        if (last > 0) scale_alone(last);
    });
}

}  // namespace

NodeValues gradient_of_vp(NodeValues image, const Problem& problem, const MediumReaders& readers, double dt_s) {
    make_gradient_of_vp(image, 0, has_gains(problem), problem, readers, dt_s);
    return image;
}

ImagePlanes planes_of(std::span<const double> values, const Grid& grid) {
    return [values, plane = grid.nx() * grid.ny()](std::int64_t first, std::span<double> planes) {
        std::copy_n(values.begin() + first * plane, planes.size(), planes.begin());
    };
}

template <typename T>
UnsetVector<T> folded_gradient_of_vp(const ImagePlanes& image, const Problem& problem, const MediumReaders& readers,
                                     double dt_s, const ComputedGrid& computed, const Grid& inner) {
    const bool damps = has_gains(problem);
    const Folding folding(computed, inner);
    UnsetVector<T> folded(static_cast<std::size_t>(inner.points()));
    NodeValues planes;
    for (std::int64_t z = 0; z < inner.nz(); z += planes_together(computed.grid())) {
        const std::int64_t end = std::min(z + planes_together(computed.grid()), inner.nz());
        const std::int64_t first = folding.begin(z), last = folding.end(end - 1);
        planes.resize(static_cast<std::size_t>((last - first) * computed.grid().nx() * computed.grid().ny()));
        image(first, planes);
        make_gradient_of_vp(planes, first, damps, problem, readers, dt_s);
        folding.fold(planes, first, z, end, std::span(folded));
    }
    return folded;
}

template UnsetVector<float> folded_gradient_of_vp<float>(const ImagePlanes&, const Problem&, const MediumReaders&,
                                                         double, const ComputedGrid&, const Grid&);
template UnsetVector<double> folded_gradient_of_vp<double>(const ImagePlanes&, const Problem&, const MediumReaders&,
                                                           double, const ComputedGrid&, const Grid&);

std::int64_t nodes_of_planes_together(const ComputedGrid& computed, const Grid& inner) {
    const Grid& grid = computed.grid();
    const std::int64_t planes = std::min(planes_together(grid), inner.nz()) + grid.nz() - inner.nz();
    return planes * grid.nx() * grid.ny();
}

std::vector<double> relative_change_of_k(std::span<const double> dvp, const Problem& problem,
                                         const MediumReaders& readers) {
    return at_every_node(problem, readers, [&](const auto& node, const auto& parameters) {
        const auto at = static_cast<std::size_t>(problem.grid.at(node[0], node[1], node[2]));
        return weight_of(problem, node, false) == 0. ? 0. : 2. * dvp[at] / parameters[0];
    });
}

template <typename T>
UnsetVector<T> fold_to_inner(std::span<const double> gradient, const ComputedGrid& computed, const Grid& inner) {
    UnsetVector<T> folded(static_cast<std::size_t>(inner.points()));
    Folding(computed, inner).fold(gradient, 0, 0, inner.nz(), std::span(folded));
    return folded;
}

template UnsetVector<float> fold_to_inner<float>(std::span<const double>, const ComputedGrid&, const Grid&);
template UnsetVector<double> fold_to_inner<double>(std::span<const double>, const ComputedGrid&, const Grid&);

template <typename T>
UnsetVector<T> values_in(const Window& window, const ImagePlanes& image, const Grid& grid) {
    const auto& first = window.first;
    const auto& count = window.count;
    const std::int64_t nx = grid.nx(), plane = nx * grid.ny();
    UnsetVector<T> inside(static_cast<std::size_t>(window.points()));
    NodeValues planes;
    for (std::int64_t z = 0; z < count[2]; z += planes_together(grid)) {
        const std::int64_t together = std::min(planes_together(grid), count[2] - z);
        planes.resize(static_cast<std::size_t>(together * plane));
        image(first[2] + z, planes);
#pragma omp parallel for
        for (std::int64_t row = 0; row < count[1] * together; ++row) {
            const auto from = planes.begin() + row / count[1] * plane + (first[1] + row % count[1]) * nx + first[0];
            std::transform(from, from + count[0], inside.begin() + (z * count[1] + row) * count[0],
                           [](double v) { return static_cast<T>(v); });
        }
    }
    return inside;
}

template UnsetVector<float> values_in<float>(const Window&, const ImagePlanes&, const Grid&);
template UnsetVector<double> values_in<double>(const Window&, const ImagePlanes&, const Grid&);

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
