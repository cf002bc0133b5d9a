#include "solver/verify/experiment.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/equations/vti/vti.hpp"
#include "kernels/plan/shell.hpp"
#include "solver/propagation/devices.hpp"
#include "solver/propagation/propagator.hpp"
#include "solver/signal/resampling.hpp"

namespace onda::verify {

TimeAxis Experiment::time_axis() const {
    TimeAxis time;
    time.dt_s = dt_s;
    time.order = scheme.time_order;
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

double stable_dt_in_layers_s(const Grid& grid, const Scheme& scheme, double vp_max_m_s) {
    return scheme.stability_limit_in_layers_s(grid.derivative_spacings_m(), vp_max_m_s);
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

float scattered_velocity(std::int64_t node) {
    return float(kSlowest + (kFastest - kSlowest) * scatter(node));
}

float scattered_q(std::int64_t node) {
    return float(kLowestScatteredQ * std::pow(20., scatter(node + 2'000'003)));
}

float delta_of_coupling(double d) {
    const double middle = d + 0.5 * kAnisotropyQuantum;
    return float(0.5 * (middle * middle - 1.));
}

float scattered_delta(std::int64_t node) {
    if (scatter(node + 4'000'037) < 0.25) return 0.f;
    return delta_of_coupling(1. + std::ldexp(std::round(-50. + 150. * scatter(node + 3'000'017)), -10));
}

float scattered_epsilon(std::int64_t node) {
    const float delta = scattered_delta(node);
    if (delta == 0.f) return 0.f;
    return float(std::ldexp(std::ceil(std::ldexp(double(delta) + 0.025 + 0.14 * scatter(node + 5'000'011), 12)), -12));
}

float scattered_density(std::int64_t node) {
    return float(1000. + 1700. * scatter(node + 1'000'003));
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
    if (options.stepping == "leap" && experiment.scheme.equation == Equation::star &&
        experiment.scheme.time_order == 2 && !experiment.every_level)
        setup.stepping = Stepping::leap;
    return setup;
}

std::unique_ptr<Wavefield> make_wavefield(const Experiment& experiment, const RowReader& vp,
                                          const VerifyOptions& options, const RowReader& rho, const RowReader& q) {
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
    if (has_parameter(experiment.scheme.equation, "q")) readers.push_back(q);
    return onda::make_wavefield(device, setup, readers, experiment.dt_s);
}

void set_levels(Wavefield& leaps, std::span<const double> now, std::span<const double> odd,
                std::span<const double> before) {
    leaps.upload(now, before);
    const Setup& setup = leaps.medium().setup();
    const std::array<Box, 6> boxes = odd_boxes(shell_of(setup));
    for (const StatePart& part : leaps.state_parts()) {
        if (!part.name.starts_with("p_odd.")) continue;
        int face = 0;
        while (!part.name.ends_with(face_name(face))) ++face;
        const auto& low = boxes[std::size_t(face)].low;
        leaps.write_state(0, part, [&](const StatePart&, std::int64_t z, std::span<std::byte> plane) {
            for (std::int64_t y = 0; y < part.extents[1]; ++y)
                for (std::int64_t x = 0; x < part.extents[0]; ++x) {
                    const double value = odd[std::size_t(setup.grid.at(low[0] + x, low[1] + y, low[2] + z))];
                    const auto at = std::size_t(x + part.extents[0] * y);
                    if (setup.precision == Precision::float32)
                        reinterpret_cast<float*>(plane.data())[at] = float(value);
                    else
                        reinterpret_cast<double*>(plane.data())[at] = value;
                }
        });
    }
}

std::vector<double> evolve(const Experiment& experiment, const RowReader& vp, const VerifyOptions& options,
                           std::span<const double> p, std::span<const double> p_previous) {
    const auto whole = Window::whole(experiment.grid);
    VerifyOptions single = options;
    single.stepping = "single";
    const auto singles = make_wavefield(experiment, vp, single);
    singles->reset();
    singles->upload(p, p_previous);
    const bool leaps = make_setup(experiment, options).stepping == Stepping::leap;
    const std::int64_t begun = leaps ? 2 - experiment.steps % 2 : experiment.steps;
    singles->advance(0, begun);
    std::vector<double> result(p.size());
    singles->download(whole, std::span<double>(result));
    if (!leaps || begun == experiment.steps) return result;
    std::vector<double> odd(p.size());
    singles->fields().download(whole, odd, 0, kPreviousLevel);
    const auto backend = make_wavefield(experiment, vp, options);
    set_levels(*backend, result, odd, begun == 2 ? p : p_previous);
    backend->advance(0, experiment.steps - begun);
    backend->download(whole, std::span<double>(result));
    return result;
}

std::vector<double> record(Wavefield& backend, const Experiment& experiment, const Sources& sources,
                           const NodeWeights& receivers) {
    TimeAxis time = experiment.time_axis();
    if (backend.problem().stepping == Stepping::leap) take_leaps(time);
    Propagator propagator(backend, sources, receivers, time);
    propagator.advance(time.steps);
    std::vector<double> recorded(std::size_t(receivers.rows() * time.recorded_samples()));
    backend.download_traces(std::span<double>(recorded));
    if (time.stride == 1) return recorded;
    std::vector<double> traces;
    for (std::int64_t r = 0; r < receivers.rows(); ++r) {
        const auto one =
            std::span(recorded).subspan(std::size_t(r * time.recorded_samples()), std::size_t(time.recorded_samples()));
        const auto all = resample(one, time.recorded_dt_s(), time.dt_s, experiment.steps + 1);
        traces.insert(traces.end(), all.begin(), all.end());
    }
    return traces;
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
    return record(backend, experiment, make_sources(shot, survey, experiment.grid, experiment.halos, time),
                  point_weights(receivers, experiment.grid, experiment.halos, PointKind::receiver));
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
