#include <algorithm>
#include <cmath>
#include <map>

#include "io/text/saturating.hpp"
#include "solver/signal/kaiser_sinc.hpp"
#include "solver/survey/survey.hpp"

namespace onda {
namespace {

// Hicks (2002), table 1: eight nodes, for wavenumbers up to half of Nyquist (4 points per wavelength). His b is 6.31.
// With the line of interpolation_weights() 6.42, of 6.31, 6.36 and 6.42, was the one that kept the limits of the test
// of plane waves; it costs at 4 points per wavelength (2.0e-3 for 1.3e-3) what it gains from 6 on.
constexpr KaiserSinc kKernel(kPointRadius, 6.42);

// Of derivatives: twelve nodes. Eight would leave an error of 1 % at 8 points per wavelength; with these it is at most
// 2.5e-4 from 5 points on and 1.5e-3 at 4, less than that of the interpolation along the other axes. 10.5 of 10 to 11
// is where neither 4 nor 10 points have more of it than pressure has.
constexpr KaiserSinc kSlopeKernel(kSlopeRadius, 10.5);

/// The weights of one position along one axis, one entry a node.
struct AxisWeights {
    std::array<std::int64_t, 2 * kSlopeRadius> node{};
    std::array<double, 2 * kSlopeRadius> weight{};
    int count = 0;

    void add(std::int64_t i, double w) {
        const auto* const end = node.begin() + count;
        const auto at = std::find(node.cbegin(), end, i) - node.cbegin();
        if (at == count) node[count++] = i;
        weight[at] += w;
    }
};

/// Where the field beyond a mirror comes from: p(-j) = sign p(j) about the plane's node, for low and high face.
struct Mirrors {
    std::int64_t last = 0;
    Halo low = Halo::zero, high = Halo::zero;

    /// Brings `i` into 0 … last; the factor that goes with it, 0 where nothing is beyond the face.
    double fold(std::int64_t& i) const {
        double factor = 1.;
        while (i < 0 || i > last) {
            const Halo halo = i < 0 ? low : high;
            if (halo == Halo::zero) return 0.;
            if (halo == Halo::mirror_negative) factor = -factor;
            i = i < 0 ? -i : 2 * last - i;
        }
        return factor;
    }

    /// What a source's weight on this node is multiplied with: source and image coincide on a mirror's plane, where
    /// they add up (rigid) or cancel (free surface).
    [[nodiscard]] double own_image(std::int64_t i) const {
        double factor = 1.;
        if (i == 0 && low != Halo::zero) factor *= low == Halo::mirror_positive ? 2. : 0.;
        if (i == last && high != Halo::zero) factor *= high == Halo::mirror_positive ? 2. : 0.;
        return factor;
    }

    /// A receiver on a free surface samples p = 0, whatever rounding leaves there.
    [[nodiscard]] double sample_of(std::int64_t i) const {
        const bool on_free_surface =
            (i == 0 && low == Halo::mirror_negative) || (i == last && high == Halo::mirror_negative);
        return on_free_surface ? 0. : 1.;
    }
};

/// Weights of the eight nodes 0 … 7 around position `at`, between nodes 3 and 4.
///
/// The windowed sinc sums to 1 within 4e-4 only, and its centre lies up to 2e-4 nodes off: errors that no finer grid
/// removes. The least change that mends both is a straight line over the nodes. The error then falls with the square of
/// the spacing for long waves, and is Hicks' own for short ones.
std::array<double, 2 * kPointRadius> interpolation_weights(double at) {
    constexpr double n = 2 * kPointRadius, middle = kPointRadius - 0.5, squares = n * (n * n - 1.) / 12.;
    std::array<double, 2 * kPointRadius> weight{};
    double sum = 0., centre = 0.;
    for (std::size_t i = 0; i < weight.size(); ++i) {
        weight[i] = kKernel(at - static_cast<double>(i));
        sum += weight[i];
        centre += weight[i] * (static_cast<double>(i) - middle);
    }
    for (std::size_t i = 0; i < weight.size(); ++i)
        weight[i] += (1. - sum) / n + (at - middle - centre) * (static_cast<double>(i) - middle) / squares;
    return weight;
}

/// \param at position in nodes.
AxisWeights axis_weights(double at, const Mirrors& mirrors, PointKind kind) {
    AxisWeights out;
    const auto add = [&](std::int64_t i, double w) {
        w *= mirrors.fold(i);
        w *= kind == PointKind::source ? mirrors.own_image(i) : mirrors.sample_of(i);
        if (w != 0.) out.add(i, w);
    };
    const double nearest = std::round(at);
    if (std::abs(at - nearest) <= kSamePlace) {
        add(static_cast<std::int64_t>(nearest), 1.);
        return out;
    }
    const auto first = static_cast<std::int64_t>(std::floor(at)) - kPointRadius + 1;
    const auto weight = interpolation_weights(at - static_cast<double>(first));
    for (std::int64_t i = 0; i < 2 * kPointRadius; ++i) add(first + i, weight[i]);
    return out;
}

/// Weights of the twelve nodes 0 … 11 around position `at`, between nodes 5 and 6, for the derivative in nodes: the
/// slopes of the kernel with the least change, a parabola over the nodes, that makes the derivative of constant, linear
/// and quadratic fields exact. For long waves its error falls with the square of the spacing.
std::array<double, 2 * kSlopeRadius> slope_weights(double at) {
    constexpr double n = 2 * kSlopeRadius, middle = kSlopeRadius - 0.5, squares = n * (n * n - 1.) / 12.,
                     mean_square = squares / n, bends = squares * (n * n - 4.) / 15.;
    const auto place = [](std::size_t i) { return static_cast<double>(i) - middle; };
    const auto bend = [&](std::size_t i) { return place(i) * place(i) - mean_square; };
    std::array<double, 2 * kSlopeRadius> weight{};
    double sum = 0., slope = 0., bent = 0.;
    for (std::size_t i = 0; i < weight.size(); ++i) {
        weight[i] = kSlopeKernel.slope(at - static_cast<double>(i));
        sum += weight[i];
        slope += weight[i] * place(i);
        bent += weight[i] * bend(i);
    }
    for (std::size_t i = 0; i < weight.size(); ++i)
        weight[i] += (1. - slope) / squares * place(i) - sum / n + (2. * (at - middle) - bent) / bends * bend(i);
    return weight;
}

/// The weights of the nodes 1, 2, …, 5 beyond a node for the derivative there; those before it have the opposite sign,
/// to the bit, so that nothing is left of them on a rigid wall.
std::array<double, kSlopeRadius - 1> slope_weights_on_node() {
    std::array<double, kSlopeRadius - 1> weight{};
    double slope = 0., squares = 0.;
    for (std::size_t i = 0; i < weight.size(); ++i) {
        const double distance = static_cast<double>(i + 1);
        weight[i] = kSlopeKernel.slope(-distance);
        slope += 2. * weight[i] * distance;
        squares += 2. * distance * distance;
    }
    for (std::size_t i = 0; i < weight.size(); ++i) weight[i] += (1. - slope) / squares * static_cast<double>(i + 1);
    return weight;
}

/// The weights of a receiver for the derivative along an axis, in nodes. \param at position in nodes.
AxisWeights axis_slopes(double at, const Mirrors& mirrors) {
    AxisWeights out;
    const auto add = [&](std::int64_t i, double w) {
        w *= mirrors.fold(i);
        w *= mirrors.sample_of(i);
        if (w != 0.) out.add(i, w);
    };
    const double nearest = std::round(at);
    if (std::abs(at - nearest) <= kSamePlace) {
        const auto node = static_cast<std::int64_t>(nearest);
        const auto weight = slope_weights_on_node();
        for (std::size_t i = 0; i < weight.size(); ++i) {
            const auto distance = static_cast<std::int64_t>(i + 1);
            add(node - distance, -weight[i]);
            add(node + distance, weight[i]);
        }
        return out;
    }
    const auto first = static_cast<std::int64_t>(std::floor(at)) - kSlopeRadius + 1;
    const auto weight = slope_weights(at - static_cast<double>(first));
    for (std::size_t i = 0; i < weight.size(); ++i) add(first + static_cast<std::int64_t>(i), weight[i]);
    return out;
}

constexpr int kNoAxis = -1;

/// The weights of a point along each axis, whose tensor product are those of its nodes.
struct PointAxes {
    std::array<AxisWeights, 3> axis;

    PointAxes() = default;
    /// \param along the axis of the derivative that is taken, of a receiver; kNoAxis: none is.
    PointAxes(const Position& position, const Grid& grid, const FaceHalos& halos, PointKind kind, int along) {
        for (int a = 0; a < 3; ++a) {
            if (!grid.has_axis(a)) {
                axis[a].add(0, 1.);
                continue;
            }
            const double at = in_nodes(grid, position)[a];
            const Mirrors mirrors{grid.n[a] - 1, halos[2 * a], halos[2 * a + 1]};
            axis[a] = a == along ? axis_slopes(at, mirrors) : axis_weights(at, mirrors, kind);
            if (a == along)
                for (double& weight : axis[a].weight) weight /= grid.spacing_m[a];
        }
    }
    [[nodiscard]] std::int64_t nodes() const { return std::int64_t{axis[0].count} * axis[1].count * axis[2].count; }
    /// Writes the nodes and their weights from an index on.
    void write(NodeWeights& rows, std::int64_t at, const Grid& grid) const {
        for (int c = 0; c < axis[2].count; ++c)
            for (int b = 0; b < axis[1].count; ++b)
                for (int a = 0; a < axis[0].count; ++a, ++at) {
                    rows.node[at] = grid.at(axis[0].node[a], axis[1].node[b], axis[2].node[c]);
                    rows.weight[at] = axis[2].weight[c] * axis[1].weight[b] * axis[0].weight[a];
                }
    }
};

/// Adds a row for each position. \param along as of PointAxes.
void add_rows(NodeWeights& rows, std::span<const Position> positions, const Grid& grid, const FaceHalos& halos,
              PointKind kind, int along) {
    constexpr std::size_t together = 4096, worth_threads = 2048;  // shots are also set up beside others
    std::vector<PointAxes> points(std::min(together, positions.size()));
    const std::size_t before = rows.node.size();
    for (std::size_t begin = 0; begin < positions.size(); begin += together) {
        const std::size_t count = std::min(together, positions.size() - begin), row = rows.first.size() - 1;
#pragma omp parallel for if (count >= worth_threads)
        for (std::size_t i = 0; i < count; ++i) points[i] = PointAxes(positions[begin + i], grid, halos, kind, along);
        for (std::size_t i = 0; i < count; ++i) rows.first.push_back(rows.first.back() + points[i].nodes());
        if (begin == 0) {  // those of others are about as many
            const std::size_t all =
                before + (static_cast<std::size_t>(rows.first.back()) - before) / count * positions.size();
            rows.node.reserve(all);
            rows.weight.reserve(all);
        }
        rows.node.resize(static_cast<std::size_t>(rows.first.back()));
        rows.weight.resize(rows.node.size());
#pragma omp parallel for if (count >= worth_threads)
        for (std::size_t i = 0; i < count; ++i) points[i].write(rows, rows.first[row + i], grid);
    }
}

}  // namespace

std::array<double, 3> in_nodes(const Grid& grid, const Position& position_m) {
    std::array<double, 3> place{};
    for (std::size_t a = 0; a < 3; ++a)
        if (grid.has_axis(static_cast<int>(a))) place[a] = (position_m[a] - grid.origin_m[a]) / grid.spacing_m[a];
    return place;
}

NodeWeights point_weights(std::span<const Position> positions, const Grid& grid, const FaceHalos& halos,
                          PointKind kind) {
    NodeWeights rows;
    rows.first.reserve(positions.size() + 1);
    add_rows(rows, positions, grid, halos, kind, kNoAxis);
    return rows;
}

NodeWeights receiver_rows(std::span<const Position> positions, const Grid& grid, const FaceHalos& halos,
                          std::span<const int> slopes_along) {
    NodeWeights rows = point_weights(positions, grid, halos, PointKind::receiver);
    for (const int axis : slopes_along) add_rows(rows, positions, grid, halos, PointKind::receiver, axis);
    return rows;
}

std::int64_t most_slope_nodes(const Grid& grid, std::int64_t receivers, std::int64_t nodes) {
    std::int64_t of_one = 2 * kSlopeRadius;
    for (int axis = 1; axis < grid.dimensions; ++axis) of_one *= 2 * kPointRadius;
    return std::min(saturating_product(nodes, std::int64_t{2 * kSlopeRadius - 2}),
                    saturating_product(receivers, of_one));
}

Sources make_sources(const Shot& shot, const Survey& survey, const Grid& grid, const FaceHalos& halos,
                     const TimeAxis& time) {
    const std::vector<Position> positions = shot.source_positions();
    Sources sources;
    sources.nodes = point_weights(positions, grid, halos, PointKind::source);
    for (const Position& position : positions) sources.place.push_back(in_nodes(grid, position));
    std::map<std::size_t, std::vector<double>> sampled;  // many sources may share a wavelet
    for (const SourcePoint& source : shot.sources) {
        if (!sampled.contains(source.wavelet))
            sampled[source.wavelet] = sample_wavelet(survey.wavelets.at(source.wavelet), time);
        auto& signal = sources.signal.emplace_back(sampled[source.wavelet]);
        for (double& s : signal) s *= source.amplitude;
    }
    return sources;
}

}  // namespace onda
