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

/// p~ + (A p~ + d^2 p~) / 12, reversed. Levels 0 and before are zero; beyond the last there is none, nor a value 0.
std::vector<double> of_fourth_order(std::span<const double> recorded, std::span<const double> applied) {
    const std::int64_t last = std::ssize(recorded) - 1;
    const auto level = [&](std::int64_t n) { return n < 0 ? 0. : recorded[static_cast<std::size_t>(n)]; };
    std::vector<double> signal(recorded.size());
    for (std::int64_t n = 1; n <= last; ++n) {
        const std::int64_t at = last - n;
        signal[static_cast<std::size_t>(n)] =
            level(at) + (applied[static_cast<std::size_t>(at)] + level(at + 1) - 2. * level(at) + level(at - 1)) / 12.;
    }
    return signal;
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
    sources.plain = true;
    if (records) adjoint.points.receivers = point_weights(places.sources, grid, halos, PointKind::receiver);
    return adjoint;
}

std::vector<double> adjoint_signal(std::span<const double> recorded, double scale, double density, const Grid& grid,
                                   std::span<const double> applied) {
    std::vector<double> signal(recorded.rbegin(), recorded.rend());  // [n] = p~[N - n]
    signal.back() = 0.;
    if (!applied.empty()) signal = of_fourth_order(recorded, applied);
    const double factor = scale / (density * grid.cell_volume());
    for (double& value : signal) value *= factor;
    return signal;
}

}  // namespace onda
