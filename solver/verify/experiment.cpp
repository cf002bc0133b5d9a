#include "solver/verify/experiment.hpp"

#include <algorithm>
#include <cmath>

#include "solver/propagation/devices.hpp"
#include "solver/propagation/propagator.hpp"

namespace onda::verify {

TimeAxis Experiment::time_axis() const {
    TimeAxis time;
    time.dt_s = dt_s;
    time.steps = steps;
    time.output_dt_s = dt_s;
    time.output_samples = steps + 1;
    time.correction = correction;
    return time;
}

const char* name(Precision precision) {
    return precision == Precision::float32 ? "float" : "double";
}

double stable_dt_s(const Grid& grid, const Scheme& scheme, double vp_max_m_s) {
    return scheme.stability_limit_s(grid.derivative_spacings_m(), vp_max_m_s);
}

RowReader constant_velocity(double vp_m_s) {
    return [vp_m_s](std::int64_t, std::int64_t, std::span<float> row) {
        std::fill(row.begin(), row.end(), float(vp_m_s));
    };
}

double scatter(std::int64_t node) {
    auto bits = std::uint64_t(node) + 0x9e3779b97f4a7c15ULL;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
    bits ^= bits >> 31;
    return double(bits >> 11) * 0x1p-53;
}

Setup make_setup(const Experiment& experiment, const VerifyOptions& options) {
    Setup setup;
    setup.grid = experiment.grid;
    setup.scheme = experiment.scheme;
    setup.precision = experiment.precision;
    setup.halos = experiment.halos;
    setup.strips = experiment.strips;
    setup.kernel = options.kernel;
    setup.isa = options.isa;
    setup.threads = experiment.grid.points() < 50000 ? 1 : options.threads;
    return setup;
}

std::unique_ptr<Wavefield> make_wavefield(const Experiment& experiment, const RowReader& vp,
                                          const VerifyOptions& options, const RowReader& rho) {
    const Device& device = usable_device(options.backend);
    Setup setup = make_setup(experiment, options);
    try {
        device.check_setup(setup);
    } catch (const SetupFault& fault) {
        if (fault.key != "kernel" || !device.has_kernel(setup.kernel)) throw;
        setup.kernel = "auto";  // it does not have this operator
    }
    MediumReaders readers{vp};
    if (has_parameter(experiment.scheme.equation, "rho")) readers.push_back(rho);
    return onda::make_wavefield(device, setup, readers, experiment.dt_s);
}

std::vector<double> evolve(Wavefield& backend, const Experiment& experiment, std::span<const double> p,
                           std::span<const double> p_previous) {
    Propagator propagator(backend, Sources{}, NodeWeights{}, experiment.time_axis());
    backend.upload(p, p_previous);
    propagator.advance(experiment.steps);
    std::vector<double> result(p.size());
    backend.download(Window::whole(experiment.grid), std::span<double>(result));
    return result;
}

Wavelet smooth_ricker(double peak_frequency_hz) {
    WaveletConfig ricker;
    ricker.type = "ricker";
    ricker.peak_frequency_hz = peak_frequency_hz;
    ricker.t0_s = 1.5 / peak_frequency_hz;
    return make_wavelet(ricker, "wavelet", {});
}

std::vector<double> seismograms(Wavefield& backend, const Experiment& experiment, const Wavelet& wavelet,
                                std::span<const SourcePoint> sources, std::span<const Position> receivers) {
    Shot shot;
    shot.sources.assign(sources.begin(), sources.end());
    Survey survey;
    survey.wavelets = {wavelet};
    const TimeAxis time = experiment.time_axis();
    Propagator propagator(backend, make_sources(shot, survey, experiment.grid, experiment.halos, time),
                          point_weights(receivers, experiment.grid, experiment.halos, PointKind::receiver), time);
    propagator.advance(experiment.steps);
    std::vector<double> traces(receivers.size() * std::size_t(experiment.steps + 1));
    backend.download_traces(std::span<double>(traces));
    return traces;
}

namespace {

/// Where a face across `axis` on side +1 or -1 must lie at least, times side, so that it is not heard.
double silent_distance(std::size_t axis, double side, std::span<const SourcePoint> sources,
                       std::span<const Position> receivers, double reach_m) {
    double distance = 0.;
    for (const SourcePoint& source : sources)
        for (const Position& receiver : receivers) {
            double across = 0.;
            for (std::size_t other = 0; other < 3; ++other)
                if (other != axis) across += std::pow(source.position_m[other] - receiver[other], 2);
            const double detour = std::sqrt(std::max(0., reach_m * reach_m - across));
            distance = std::max(distance, 0.5 * (side * (source.position_m[axis] + receiver[axis]) + detour));
        }
    return distance;
}

}  // namespace

Grid silent_grid(int dimensions, const std::array<double, 3>& spacing_m, const FaceHalos& walls,
                 std::span<const SourcePoint> sources, std::span<const Position> receivers, double reach_m) {
    Grid grid;
    grid.dimensions = dimensions;
    grid.spacing_m = spacing_m;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!grid.has_axis(int(axis))) continue;
        const auto nodes_beyond_origin = [&](double side, Halo wall) -> std::int64_t {
            if (wall != Halo::zero) return 0;
            return std::int64_t(std::ceil(silent_distance(axis, side, sources, receivers, reach_m) / spacing_m[axis]));
        };
        const std::int64_t below = nodes_beyond_origin(-1., walls[2 * axis]);
        const std::int64_t above = nodes_beyond_origin(+1., walls[2 * axis + 1]);
        grid.n[axis] = below + above + 1;
        grid.origin_m[axis] = -double(below) * spacing_m[axis];
    }
    return grid;
}

}  // namespace onda::verify
