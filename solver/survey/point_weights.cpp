#include <algorithm>
#include <cmath>
#include <map>

#include "solver/signal/kaiser_sinc.hpp"
#include "solver/survey/survey.hpp"

namespace onda {
namespace {

// Hicks (2002), table 1: eight nodes, for wavenumbers up to half of Nyquist (4 points per wavelength). His b is 6.31.
// With the line of interpolation_weights() 6.42, of 6.31, 6.36 and 6.42, was the one that kept the limits of the test
// of plane waves; it costs at 4 points per wavelength (2.0e-3 for 1.3e-3) what it gains from 6 on.
constexpr KaiserSinc kKernel(kPointRadius, 6.42);

/// The weights of one position along one axis, one entry a node.
struct AxisWeights {
    std::array<std::int64_t, 2 * kPointRadius> node{};
    std::array<double, 2 * kPointRadius> weight{};
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

/// The weights of a point along each axis, whose tensor product are those of its nodes.
struct PointAxes {
    std::array<AxisWeights, 3> axis;

    PointAxes() = default;
    PointAxes(const Position& position, const Grid& grid, const FaceHalos& halos, PointKind kind) {
        for (int a = 0; a < 3; ++a) {
            if (grid.has_axis(a))
                axis[a] =
                    axis_weights(in_nodes(grid, position)[a], {grid.n[a] - 1, halos[2 * a], halos[2 * a + 1]}, kind);
            else
                axis[a].add(0, 1.);
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

}  // namespace

std::array<double, 3> in_nodes(const Grid& grid, const Position& position_m) {
    std::array<double, 3> place{};
    for (std::size_t a = 0; a < 3; ++a)
        if (grid.has_axis(static_cast<int>(a))) place[a] = (position_m[a] - grid.origin_m[a]) / grid.spacing_m[a];
    return place;
}

NodeWeights point_weights(std::span<const Position> positions, const Grid& grid, const FaceHalos& halos,
                          PointKind kind) {
    constexpr std::size_t together = 4096, worth_threads = 2048;  // shots are also set up beside others
    NodeWeights rows;
    rows.first.reserve(positions.size() + 1);
    std::vector<PointAxes> points(std::min(together, positions.size()));
    for (std::size_t begin = 0; begin < positions.size(); begin += together) {
        const std::size_t count = std::min(together, positions.size() - begin);
#pragma omp parallel for if (count >= worth_threads)
        for (std::size_t i = 0; i < count; ++i) points[i] = PointAxes(positions[begin + i], grid, halos, kind);
        for (std::size_t i = 0; i < count; ++i) rows.first.push_back(rows.first.back() + points[i].nodes());
        if (begin == 0) {  // those of others are about as many
            const std::size_t all = static_cast<std::size_t>(rows.first.back()) / count * positions.size();
            rows.node.reserve(all);
            rows.weight.reserve(all);
        }
        rows.node.resize(static_cast<std::size_t>(rows.first.back()));
        rows.weight.resize(rows.node.size());
#pragma omp parallel for if (count >= worth_threads)
        for (std::size_t i = 0; i < count; ++i) points[i].write(rows, rows.first[begin + i], grid);
    }
    return rows;
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
