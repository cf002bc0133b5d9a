#include "solver/propagation/stability_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <spdlog/fmt/fmt.h>
#include <utility>
#include <vector>

#include "io/text/error.hpp"
#include "solver/model/density.hpp"

namespace onda {

double amplitude_bound(const Sources& sources, const Grid& grid, const TimeAxis& time, double vp_min_m_s,
                       double vp_max_m_s) {
    const double margin = 10.;
    const double k_max = vp_max_m_s * time.dt_s * vp_max_m_s * time.dt_s;
    const auto add_magnitude = [](double sum, double value) { return sum + std::abs(value); };
    double added = 0.;
    for (std::int64_t row = 0; row < sources.nodes.rows(); ++row) {
        const auto first = sources.nodes.weight.begin() + sources.nodes.first[static_cast<std::size_t>(row)];
        const auto last = sources.nodes.weight.begin() + sources.nodes.first[static_cast<std::size_t>(row) + 1];
        const auto& signal = sources.signal[static_cast<std::size_t>(row)];
        added += std::accumulate(first, last, 0., add_magnitude) *
                 std::accumulate(signal.begin(), signal.end(), 0., add_magnitude);
    }
    return margin * static_cast<double>(time.steps) * vp_max_m_s / vp_min_m_s * k_max / grid.cell_volume() * added;
}

StabilityWatch::StabilityWatch(const ComputedGrid& grid, const TimeAxis& time, Precision precision, double bound,
                               double density_contrast)
    : grid_(grid), time_(time), precision_(precision), bound_(bound), density_contrast_(density_contrast) {}

std::string StabilityWatch::likely_cause() const {
    if (time_.dt_s > time_.stability_limit_s)
        return fmt::format("dt = {:.6g} s exceeds the stability limit of {:.6g} s; leave time.dt_s out or lower it",
                           time_.dt_s, time_.stability_limit_s);
    if (!std::isfinite(bound_)) return "a source amplitude or wavelet is not finite";
    if (precision_ == Precision::float32 && !(bound_ < std::numeric_limits<float>::max()))
        return "the source amplitudes may exceed what single precision holds (3.4e38); lower sources[].amplitude; "
               "scheme.precision: double does not help, for results are stored in single precision";
    if (density_may_destabilise(density_contrast_, time_)) return density_remedy(density_contrast_, time_);
    return fmt::format(
        "dt is {:.3f} of the stability limit and the sources are in range, so neither explains it: the model or memory "
        "was damaged during the run, or this is a bug in Onda; repeat with backend.name: cpu, backend.kernel: "
        "reference and report it with the output of `onda info`",
        time_.cfl_fraction());
}

std::string StabilityWatch::place_of(std::int64_t node) const {
    const auto [x, y, z] = grid_.inner_node(node);
    const auto at = grid_.grid().node(node);
    const auto metres = grid_.grid().position_m(at[0], at[1], at[2]);
    const std::string place =
        grid_.grid().dimensions == 2
            ? fmt::format("node (x {}, z {}), at ({:g}, {:g}) m", x, z, metres[0], metres[2])
            : fmt::format("node (x {}, y {}, z {}), at ({:g}, {:g}, {:g}) m", x, y, z, metres[0], metres[1], metres[2]);
    return grid_.is_inner({x, y, z}) ? place : place + " in the absorbing zone outside the grid";
}

void StabilityWatch::check(const Extremum& seen, const Propagator& propagator) const {
    if (seen.finite && !(seen.max_abs > bound_)) return;
    const std::string what =
        seen.finite ? fmt::format("|p| has grown to {:.3g}, beyond the {:.3g} that the sources can explain,",
                                  seen.max_abs, bound_)
                    : std::string("p is not finite");
    throw Error(ExitCode::unstable,
                fmt::format("the run is unstable: {} at {}, at step {} of {}, t = {:.6g} s\n  likely cause: {}", what,
                            place_of(seen.node), propagator.step(), time_.steps, propagator.time_s(), likely_cause()));
}

double largest_pressure(const Wavefield& wavefield, const ComputedGrid& grid, const Extremum& seen, double so_far,
                        int shot) {
    if (!(seen.max_abs > so_far)) return so_far;
    if (grid.is_inner(grid.inner_node(seen.node))) return seen.max_abs;
    Window plane = grid.inner();
    const std::int64_t planes = std::exchange(plane.count[2], 1);
    std::vector<double> values(static_cast<std::size_t>(plane.points()));
    for (std::int64_t z = 0; z < planes; ++z, ++plane.first[2]) {
        wavefield.download(plane, std::span<double>(values), shot);
        for (const double p : values) so_far = std::max(so_far, std::abs(p));
    }
    return so_far;
}

}  // namespace onda
