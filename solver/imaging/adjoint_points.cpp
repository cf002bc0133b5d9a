#include "solver/imaging/adjoint_points.hpp"

#include <algorithm>
#include <cmath>

#include "solver/survey/survey.hpp"

namespace onda {
namespace {

/// The power of two that brings the largest value between 1 and 2; 1 where there is none.
double normaliser(std::span<const double> values) {
    double largest = 0.;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    if (largest == 0. || !std::isfinite(largest)) return 1.;
    return std::ldexp(1., -std::ilogb(largest));
}

}  // namespace

AdjointPoints adjoint_points(const ShotPlaces& places, const Grid& grid, const FaceHalos& halos,
                             std::span<const double> traces, std::int64_t steps, bool records) {
    AdjointPoints adjoint;
    const double factor = normaliser(traces), volume = grid.cell_volume();
    adjoint.scale = 1. / factor;
    Sources& sources = adjoint.points.sources;
    sources.nodes = point_weights(places.receivers, grid, halos, PointKind::source);
    const auto samples = static_cast<std::size_t>(steps + 1);
    for (std::size_t i = 0; i < places.receivers.size(); ++i) {
        const std::span<const double> trace = traces.subspan(i * samples, samples);
        auto& signal = sources.signal.emplace_back(trace.rbegin(), trace.rend() - 1);
        for (double& value : signal) value *= factor * volume;
        sources.density.push_back(1.);
        sources.place.push_back(in_nodes(grid, places.receivers[i]));
    }
    if (records) adjoint.points.receivers = point_weights(places.sources, grid, halos, PointKind::receiver);
    return adjoint;
}

std::vector<double> adjoint_signal(std::span<const double> recorded, double scale, double density, const Grid& grid) {
    std::vector<double> signal(recorded.rbegin(), recorded.rend());  // [n] = p~[N - n]
    signal.back() = 0.;
    const double factor = scale / (density * grid.cell_volume());
    for (double& value : signal) value *= factor;
    return signal;
}

}  // namespace onda
