#include "solver/imaging/adjoint_points.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solver/survey/survey.hpp"

namespace onda {
namespace {

double largest_of(const OwnedTraces& traces) {
    double largest = 0.;
#pragma omp parallel for reduction(max : largest)
    for (std::size_t i = 0; i < traces.size(); ++i)
        for (const double value : traces[i]) largest = std::max(largest, std::abs(value));
    return largest;
}

/// Samples N … 1 of each trace, scaled.
void reverse(OwnedTraces& traces, double factor) {
#pragma omp parallel for
    for (std::size_t i = 0; i < traces.size(); ++i) {
        std::ranges::reverse(traces[i]);
        traces[i].pop_back();
        for (double& value : traces[i]) value *= factor;
    }
}

}  // namespace

double scale_to_one(double largest) {
    return largest == 0. || !std::isfinite(largest) ? 1. : std::ldexp(1., -std::ilogb(largest));
}

AdjointPoints adjoint_points(const ShotPlaces& places, const Grid& grid, const FaceHalos& halos, OwnedTraces traces,
                             bool records) {
    AdjointPoints adjoint;
    const double factor = scale_to_one(largest_of(traces)), volume = grid.cell_volume();
    adjoint.scale = 1. / factor;
    reverse(traces, factor * volume);
    Sources& sources = adjoint.points.sources;
    sources.nodes = point_weights(places.receivers, grid, halos, PointKind::source);
    sources.signal = std::move(traces);
    sources.density.assign(places.receivers.size(), 1.);
    for (const Position& receiver : places.receivers) sources.place.push_back(in_nodes(grid, receiver));
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
