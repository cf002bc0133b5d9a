#include "solver/propagation/stability_watch.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <spdlog/fmt/fmt.h>

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

StabilityWatch::StabilityWatch(const Grid& grid, const TimeAxis& time, Precision precision, double bound,
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
        "was damaged during the run, or this is a fault in Onda; repeat with backend.name: cpu, backend.kernel: "
        "reference and report it with the output of `onda info`",
        time_.cfl_fraction());
}

Extremum StabilityWatch::check(const Propagator& propagator, int shot) const {
    const Extremum extremum = propagator.wavefield().extremum(shot);
    if (extremum.finite && !(extremum.max_abs > bound_)) return extremum;
    const auto [x, y, z] = grid_.node(extremum.node);
    const auto metres = grid_.position_m(x, y, z);
    const std::string what = extremum.finite ? fmt::format(
                                                   "|p| has grown to {:.3g}, beyond the {:.3g} that the sources "
                                                   "can explain,",
                                                   extremum.max_abs, bound_)
                                             : std::string("p is not finite");
    const std::string where =
        grid_.dimensions == 2
            ? fmt::format("node (x {}, z {}), at ({:g}, {:g}) m", x, z, metres[0], metres[2])
            : fmt::format("node (x {}, y {}, z {}), at ({:g}, {:g}, {:g}) m", x, y, z, metres[0], metres[1], metres[2]);
    throw Error(ExitCode::unstable,
                fmt::format("the run is unstable: {} at {}, at step {} of {}, t = {:.6g} s\n  likely cause: {}", what,
                            where, propagator.step(), time_.steps, propagator.time_s(), likely_cause()));
}

}  // namespace onda
