#include "solver/verify/adjoint_box.hpp"

#include <string>
#include <utility>

#include "kernels/shot/source_density.hpp"
#include "solver/imaging/applied_traces.hpp"

namespace onda::verify {
namespace {

constexpr std::int64_t kWidth = 6;  ///< of absorbing layers, in nodes

std::vector<Position> in_metres(const Grid& grid, std::span<const Position> cells) {
    std::vector<Position> places(cells.begin(), cells.end());
    for (Position& place : places)
        for (std::size_t a = 0; a < 3; ++a) place[a] *= grid.has_axis(int(a)) ? grid.spacing_m[a] : 0.;
    return places;
}

}  // namespace

Experiment box_of(const Case& c, int dimensions, Precision precision) {
    Experiment e;
    e.scheme = make_scheme(c.equation, c.order);
    e.scheme.time_order = c.time_order;
    e.grid.dimensions = dimensions;
    e.grid.n = {38, dimensions == 3 ? 33 : 1, 34};
    e.grid.spacing_m = {10., c.equation == Equation::compact ? 10. : 9., c.equation == Equation::compact ? 10. : 8.};
    e.precision = precision;
    if (has_parameter(c.equation, "epsilon")) e.scheme.anisotropy = kScatteredAnisotropy;
    e.dt_s = 0.9 * stable_dt_in_layers_s(e.grid, e.scheme, kFastest);
    if (absorbs(c)) {
        e.scheme.relaxation = {20., 8., 50., kMostMechanisms};
        const std::array lowest{double(kLowestScatteredQ)};
        e.dt_s *= kFastest / e.scheme.stiffest_m_s(kFastest, lowest, e.dt_s);
    }
    e.steps = 160;
    BoundaryConfig boundary;
    boundary.cpml_width = boundary.sponge_width = kWidth;
    boundary.z_min = c.top;
    boundary.x_min = c.left;
    for (std::string* face : {&boundary.x_max, &boundary.y_min, &boundary.y_max, &boundary.z_max}) *face = c.others;
    const Boundary made = make_boundary(boundary, e.grid, {e.scheme, kFastest, e.dt_s, 25.}, {});
    e.halos = made.halos;
    e.strips = made.strips;
    return e;
}

std::vector<double> noise(std::int64_t count, std::int64_t seed) {
    std::vector<double> values(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) values[std::size_t(i)] = 2. * scatter(seed + i) - 1.;
    return values;
}

double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0.;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

AdjointBox::AdjointBox(const Experiment& e, const VerifyOptions& options) : e_(e), time_(e_.time_axis()) {
    const auto scattered = [this](float (*value)(std::int64_t), const std::vector<float>& change) -> RowReader {
        return [this, value, &change](std::int64_t y, std::int64_t z, std::span<float> row) {
            for (std::size_t x = 0; x < row.size(); ++x) {
                const std::int64_t node = e_.grid.at(std::int64_t(x), y, z);
                row[x] = value(node) + (change.empty() ? 0.f : change[std::size_t(node)]);
            }
        };
    };
    readers_.push_back(scattered(scattered_velocity, change_[0]));
    if (has_density()) readers_.push_back(scattered(scattered_density, change_[1]));
    if (has_parameter(e_.scheme.equation, "q")) readers_.push_back(scattered(scattered_q, change_[2]));
    if (has_parameter(e_.scheme.equation, "epsilon")) {
        readers_.push_back(scattered(scattered_epsilon, change_[3]));
        readers_.push_back(scattered(scattered_delta, change_[4]));
    }
    device_ = &usable_device(options.backend);
    setup_ = make_setup(e_, options);
    setup_.stepping = Stepping::single;
    setup_.keeps_applied = e_.scheme.time_order == 4;
    setup_ = with_kernel(setup_);
    sources_ = in_metres(e_.grid, kSources);
    receivers_ = in_metres(e_.grid, kReceivers);
}

Setup AdjointBox::with_kernel(Setup setup) const {
    try {
        device_->check_setup(setup);
    } catch (const SetupFault&) {
        setup.kernel = "auto";
    }
    return setup;
}

ShotPoints AdjointBox::points_of(std::span<const double> signals) const {
    ShotPoints points;
    points.sources.nodes = point_weights(sources_, e_.grid, e_.halos, PointKind::source);
    const auto samples = std::size_t(time_.steps + 1);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        const auto signal = signals.subspan(i * samples, samples);
        points.sources.signal.emplace_back(signal.begin(), signal.end());
        points.sources.place.push_back(in_nodes(e_.grid, sources_[i]));
    }
    points.receivers = point_weights(receivers_, e_.grid, e_.halos, PointKind::receiver);
    return points;
}

AdjointPoints AdjointBox::adjoint_of(std::span<const double> traces, bool records) const {
    const auto samples = std::ssize(traces) / std::ssize(receivers_);
    OwnedTraces of_receivers;
    for (auto next = traces.begin(); next != traces.end(); next += samples)
        of_receivers.emplace_back(next, next + samples);
    return adjoint_points({sources_, receivers_}, e_.grid, e_.halos, std::move(of_receivers), records);
}

std::vector<double> AdjointBox::traces_of(const Wavefield& field, std::size_t count, int shot) const {
    std::vector<double> traces(count * std::size_t(time_of(field.medium()).recorded_samples()));
    field.download_traces(std::span<double>(traces), shot);
    return traces;
}

std::vector<double> AdjointBox::forward(Medium& medium, std::span<const double> signals) const {
    const auto field = medium.make_wavefield();
    Propagator propagator(*field, std::vector{points_of(signals)}, time_of(medium));
    propagator.advance(time_.steps);
    return traces_of(*field, receivers_.size());
}

std::vector<double> AdjointBox::adjoint(Medium& medium, std::span<const double> traces) const {
    const auto field = medium.make_wavefield();
    const AdjointPoints adjoint = adjoint_of(traces, true);
    const TimeAxis time = time_of(medium);
    AppliedTraces applied(field->fields(), time.recorded_samples());
    applied.add_shot(adjoint.points.receivers);
    Propagator propagator(*field, std::vector{adjoint.points}, time);
    propagator.set_hook(applied.hook());
    propagator.advance(time_.steps);
    const std::vector<double> recorded = traces_of(*field, sources_.size());
    const std::vector<double> density = source_densities(medium, points_of(source_signals()).sources);
    const auto samples = std::size_t(time.recorded_samples());
    std::vector<double> signals;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
        const auto one = adjoint_signal(std::span(recorded).subspan(i * samples, samples), adjoint.scale, density[i],
                                        e_.grid, applied.trace(0, i));
        signals.insert(signals.end(), one.begin(), one.end());
    }
    return signals;
}

std::vector<double> AdjointBox::source_signals(std::int64_t seed) const {
    std::vector<double> signals = noise(std::ssize(sources_) * (time_.steps + 1), seed);
    for (std::size_t i = 1; i <= sources_.size(); ++i) signals[i * std::size_t(time_.steps + 1) - 1] = 0.;
    return signals;
}

std::vector<double> AdjointBox::data(std::int64_t seed) const {
    std::vector<double> traces = noise(std::ssize(receivers_) * (time_.steps + 1), seed);
    for (std::size_t i = 0; i < receivers_.size(); ++i) traces[i * std::size_t(time_.steps + 1)] = 0.;
    return traces;
}

}  // namespace onda::verify
