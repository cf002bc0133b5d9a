#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "kernels/shot/source_density.hpp"
#include "solver/imaging/gradient_run.hpp"
#include "solver/imaging/vp_gradient.hpp"
#include "solver/propagation/devices.hpp"
#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"

namespace onda::verify {
namespace {

constexpr double kSlowest = 1500., kFastest = 3000.;
constexpr std::int64_t kWidth = 6;  ///< of absorbing layers, in nodes

float scattered_velocity(std::int64_t node) {
    return float(kSlowest + (kFastest - kSlowest) * scatter(node));
}
float scattered_density(std::int64_t node) {
    return float(1000. + 1700. * scatter(node + 1'000'003));
}

/// An equation, its order and what is at the faces of a box: "free_surface, rigid and zero", …
struct Case {
    const char* name;
    Equation equation;
    int order;
    const char *top, *left, *others;
};
constexpr std::array kCases{
    Case{"order 8, CPML", Equation::star, 8, "cpml", "cpml", "cpml"},
    Case{"order 8, CPML, free surface and wall", Equation::star, 8, "free_surface", "rigid", "cpml"},
    Case{"order 2, CPML", Equation::star, 2, "cpml", "cpml", "cpml"},
    Case{"order 16, CPML and free surface", Equation::star, 16, "free_surface", "cpml", "cpml"},
    Case{"order 8, sponge and free surface", Equation::star, 8, "free_surface", "sponge", "sponge"},
    Case{"order 4, mirrors", Equation::star, 4, "free_surface", "rigid", "rigid"},
    Case{"variable density, order 8, CPML, free surface and wall", Equation::variable_density, 8, "free_surface",
         "rigid", "cpml"},
    Case{"variable density, order 2, CPML", Equation::variable_density, 2, "cpml", "cpml", "cpml"},
    Case{"compact, mirrors", Equation::compact, 2, "free_surface", "rigid", "rigid"},
    Case{"compact, sponge", Equation::compact, 2, "sponge", "sponge", "sponge"},
};

Experiment box_of(const Case& c, int dimensions, Precision precision) {
    Experiment e;
    e.scheme = make_scheme(c.equation, c.order);
    e.grid.dimensions = dimensions;
    e.grid.n = {38, dimensions == 3 ? 33 : 1, 34};
    e.grid.spacing_m = {10., c.equation == Equation::compact ? 10. : 9., c.equation == Equation::compact ? 10. : 8.};
    e.precision = precision;
    e.dt_s = 0.9 * stable_dt_in_layers_s(e.grid, e.scheme, kFastest);
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

/// Places in cells from the first node: on and off nodes, near faces, and in layers.
constexpr std::array kSources{Position{17.3, 15.6, 14.45}, Position{3.4, 20.2, 8.7}};
constexpr std::array kReceivers{Position{25., 12., 20.}, Position{12.3, 29.4, 1.6}, Position{35.2, 17.7, 30.1},
                                Position{17.3, 15.6, 12.}};

std::vector<Position> in_metres(const Grid& grid, std::span<const Position> cells) {
    std::vector<Position> places(cells.begin(), cells.end());
    for (Position& place : places)
        for (std::size_t a = 0; a < 3; ++a) place[a] *= grid.has_axis(int(a)) ? grid.spacing_m[a] : 0.;
    return places;
}

/// Numbers between -1 and 1 that fade in and out, so that records are over when they end.
std::vector<double> noise(std::int64_t count, std::int64_t seed) {
    std::vector<double> values(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) values[std::size_t(i)] = 2. * scatter(seed + i) - 1.;
    return values;
}

/// A shot in a scattering medium, and its transposes.
class AdjointBox {
public:
    AdjointBox(const Experiment& e, const VerifyOptions& options) : e_(e), time_(e_.time_axis()) {
        const auto scattered = [this](float (*value)(std::int64_t), bool is_velocity) -> RowReader {
            return [this, value, is_velocity](std::int64_t y, std::int64_t z, std::span<float> row) {
                for (std::size_t x = 0; x < row.size(); ++x) {
                    const std::int64_t node = e_.grid.at(std::int64_t(x), y, z);
                    row[x] = value(node) + (is_velocity && !change_.empty() ? change_[std::size_t(node)] : 0.f);
                }
            };
        };
        readers_.push_back(scattered(scattered_velocity, true));
        if (has_parameter(e_.scheme.equation, "rho")) readers_.push_back(scattered(scattered_density, false));
        device_ = &usable_device(options.backend);
        setup_ = make_setup(e_, options);
        setup_.stepping = Stepping::single;
        try {
            device_->check_setup(setup_);
        } catch (const SetupFault&) {
            setup_.kernel = "auto";
        }
        sources_ = in_metres(e_.grid, kSources);
        receivers_ = in_metres(e_.grid, kReceivers);
    }

    [[nodiscard]] const TimeAxis& time() const { return time_; }
    [[nodiscard]] const Experiment& experiment() const { return e_; }
    [[nodiscard]] std::int64_t points() const { return e_.grid.points(); }
    /// Adds to the velocities of the medium that is made from now on.
    void change_velocity(std::vector<float> change) { change_ = std::move(change); }
    [[nodiscard]] std::shared_ptr<Medium> make_medium() const {
        return device_->make_medium(setup_, readers_, e_.dt_s);
    }
    [[nodiscard]] ShotPoints points_of(std::span<const double> signals) const {
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
    [[nodiscard]] AdjointPoints adjoint_of(std::span<const double> traces, bool records) const {
        return adjoint_points({sources_, receivers_}, e_.grid, e_.halos, traces, time_.steps, records);
    }
    [[nodiscard]] std::vector<double> traces_of(const Wavefield& field, std::size_t count) const {
        std::vector<double> traces(count * std::size_t(time_.recorded_samples()));
        field.download_traces(std::span<double>(traces));
        return traces;
    }
    /// d = F s.
    [[nodiscard]] std::vector<double> forward(Medium& medium, std::span<const double> signals) const {
        const auto field = medium.make_wavefield();
        Propagator propagator(*field, std::array{points_of(signals)}, time_);
        propagator.advance(time_.steps);
        return traces_of(*field, receivers_.size());
    }
    /// F' d.
    [[nodiscard]] std::vector<double> adjoint(Medium& medium, std::span<const double> traces) const {
        const auto field = medium.make_wavefield();
        const AdjointPoints adjoint = adjoint_of(traces, true);
        Propagator propagator(*field, std::array{adjoint.points}, time_);
        propagator.advance(time_.steps);
        const std::vector<double> recorded = traces_of(*field, sources_.size());
        const std::vector<double> density = source_densities(medium, points_of(source_signals()).sources);
        const auto samples = std::size_t(time_.steps + 1);
        std::vector<double> signals;
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            const auto one =
                adjoint_signal(std::span(recorded).subspan(i * samples, samples), adjoint.scale, density[i], e_.grid);
            signals.insert(signals.end(), one.begin(), one.end());
        }
        return signals;
    }
    /// Signals of the sources: noise, in which every frequency counts.
    [[nodiscard]] std::vector<double> source_signals() const {
        std::vector<double> signals = noise(std::ssize(sources_) * (time_.steps + 1), 7);
        for (std::size_t i = 1; i <= sources_.size(); ++i) signals[i * std::size_t(time_.steps + 1) - 1] = 0.;
        return signals;
    }
    [[nodiscard]] std::vector<double> data() const {
        std::vector<double> traces = noise(std::ssize(receivers_) * (time_.steps + 1), 100'007);
        for (std::size_t i = 0; i < receivers_.size(); ++i) traces[i * std::size_t(time_.steps + 1)] = 0.;
        return traces;
    }
    [[nodiscard]] const MediumReaders& readers() const { return readers_; }
    [[nodiscard]] const Setup& setup() const { return setup_; }

private:
    Experiment e_;
    TimeAxis time_;
    Setup setup_;
    const Device* device_ = nullptr;
    MediumReaders readers_;
    std::vector<float> change_;
    std::vector<Position> sources_, receivers_;
};

double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0.;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

/// |<F s, d> - <s, F' d>| / (|F s| |d|).
double mismatch_of_products(const AdjointBox& box) {
    const auto medium = box.make_medium();
    const std::vector<double> s = box.source_signals(), d = box.data();
    const std::vector<double> fs = box.forward(*medium, s), back = box.adjoint(*medium, d);
    return std::abs(dot(fs, d) - dot(s, back)) / std::sqrt(dot(fs, fs) * dot(d, d));
}

/// Lets loops go on.
class Onwards final : public StepControl {
public:
    std::int64_t begin_stretch() override { return 1'000'000; }
    void end_stretch(std::int64_t, double) override {}
    void tell(std::int64_t, double, double) override {}
};

/// J = 1/2 |F s - d|^2, and its gradient.
class Misfit {
public:
    explicit Misfit(AdjointBox& box) : box_(box), signals_(box.source_signals()), data_(box.data()) {}

    /// F s - d in a changed medium.
    [[nodiscard]] std::vector<double> residual(const std::vector<float>& change) {
        box_.change_velocity(change);
        std::vector<double> residual = box_.forward(*box_.make_medium(), signals_);
        box_.change_velocity({});
        for (std::size_t i = 0; i < residual.size(); ++i) residual[i] -= data_[i];
        return residual;
    }
    /// J of one change less that of another: no digits are lost to the data, which both have.
    [[nodiscard]] double difference(const std::vector<float>& above, const std::vector<float>& below) {
        const std::vector<double> a = residual(above), b = residual(below);
        double sum = 0.;
        for (std::size_t i = 0; i < a.size(); ++i) sum += 0.5 * (a[i] - b[i]) * (a[i] + b[i]);
        return sum;
    }
    [[nodiscard]] std::vector<double> gradient() { return gradient({1, box_.time().steps, 0}); }
    [[nodiscard]] std::vector<double> gradient(const HistoryPlan& plan) {
        const auto medium = box_.make_medium();
        GradientRun run(*medium, 1, box_.time(), plan);
        PhaseTimes times;
        Onwards control;
        run.run(std::array{box_.points_of(signals_)},
                [&](const Wavefield& field) {
                    std::vector<double> residual = box_.traces_of(field, kReceivers.size());
                    for (std::size_t i = 0; i < residual.size(); ++i) residual[i] -= data_[i];
                    return std::vector{box_.adjoint_of(residual, false)};
                },
                {times, control});
        return gradient_of_vp(run.image(0), box_.setup(), box_.readers(), box_.time().dt_s);
    }

private:
    AdjointBox& box_;
    std::vector<double> signals_, data_;
};

/// The nodes whose derivatives are compared: in the middle, at a source and a receiver, on faces, in layers.
constexpr std::array<std::array<std::int64_t, 3>, 9> kNodes{{{20, 16, 17},
                                                             {17, 15, 14},
                                                             {25, 12, 20},
                                                             {12, 29, 2},
                                                             {0, 14, 11},
                                                             {37, 10, 20},
                                                             {2, 30, 32},
                                                             {22, 3, 4},
                                                             {33, 17, 28}}};

/// The largest difference between the gradient and central differences at single nodes, over the largest of the
/// derivatives.
double mismatch_at_nodes(AdjointBox& box) {
    Misfit misfit(box);
    const std::vector<double> gradient = misfit.gradient();
    const Grid& grid = box.experiment().grid;
    constexpr float step = 1.f / 16;
    double worst = 0., largest = 0.;
    for (const auto& [x, y, z] : kNodes) {
        const auto node = std::size_t(grid.at(x, grid.dimensions == 3 ? y : 0, z));
        std::vector<float> above(std::size_t(box.points())), below = above;
        const float before = scattered_velocity(std::int64_t(node));
        above[node] = step;
        below[node] = -step;
        const double width = double(before + step) - double(before - step);
        const double expected = misfit.difference(above, below) / width;
        worst = worse(worst, std::abs(gradient[node] - expected));
        largest = worse(largest, std::abs(expected));
    }
    return worst / largest;
}

/// How far the slopes of |J(m + h dm) - J(m)| and of |J(m + h dm) - J(m) - h g dm| over six halvings of h are from 1
/// and 2; dm lies along the gradient, up to 1/4 m/s, in steps that single precision adds to any velocity without
/// rounding.
double mismatch_of_slopes(AdjointBox& box) {
    Misfit misfit(box);
    const std::vector<double> gradient = misfit.gradient();
    double largest = 0.;
    for (const double g : gradient) largest = std::max(largest, std::abs(g));
    std::vector<double> direction;
    for (const double g : gradient) direction.push_back(std::round(16. * g / largest) / 64.);
    const double slope = dot(gradient, direction);
    constexpr int halvings = 6;
    std::array<double, 2> first{}, last{};
    for (const int halving : {0, halvings}) {
        const double h = std::ldexp(1., -halving);
        std::vector<float> change;
        for (const double d : direction) change.push_back(float(h * d));
        const double difference = misfit.difference(change, {});
        (halving == 0 ? first : last) = {std::abs(difference), std::abs(difference - h * slope)};
    }
    return worse(std::abs(std::log2(first[0] / last[0]) / halvings - 1.),
                 std::abs(std::log2(first[1] / last[1]) / halvings - 2.));
}

/// The largest difference between gradients of two ways to keep the forward field, over the largest value.
double mismatch_of_histories(AdjointBox& box, const HistoryPlan& plan) {
    Misfit misfit(box);
    const std::vector<double> expected = misfit.gradient({plan.every, box.time().steps, 0}), g = misfit.gradient(plan);
    double worst = 0., largest = 0.;
    for (std::size_t i = 0; i < g.size(); ++i) {
        worst = worse(worst, std::abs(g[i] - expected[i]));
        largest = worse(largest, std::abs(expected[i]));
    }
    return worst / largest;
}

}  // namespace

PromiseGroup adjoint() {
    PromiseGroup group;
    group.id = "A1";
    group.title = "Adjoint and gradient";
    group.quantity = "difference";
    group.method =
        "F maps the signals of two sources to four traces, F' back; random signals, every node with its own random "
        "velocity (and density), points on and off nodes, near faces and in absorbing layers, 160 steps. *Products*: "
        "|<F s, d> - <s, F' d>| over |F s| |d|. *Gradient*: dJ/dvp of J = 1/2 |F s - d|^2 against central differences "
        "of J at nine nodes (middle, source, receiver, faces, layers), over the largest of these derivatives. "
        "*Slopes*: "
        "how far the orders in h of J(m + h dm) - J(m), and of that less h g dm, are from 1 and 2 over six halvings of "
        "h. *Checkpoints*: the gradient from states that are kept, and levels that are computed again, against that of "
        "all levels, which has the same bits.";
    const auto add = [&group](const std::string& name_of_row, double limit, bool quick, auto measure) {
        group.promises.push_back({name_of_row, limit, quick, [measure](const VerifyOptions& options) {
                                      return Measurement{measure(options), ""};
                                  }});
    };
    for (const Case& c : kCases)
        for (const int dimensions : {2, 3})
            for (const Precision precision : {Precision::float64, Precision::float32}) {
                const std::string which =
                    std::string(c.name) + ", " + std::to_string(dimensions) + "-D, " + name(precision);
                const bool is_double = precision == Precision::float64;
                add("products, " + which, is_double ? 1e-13 : 1e-6, dimensions == 2, [=](const VerifyOptions& options) {
                    return mismatch_of_products(AdjointBox(box_of(c, dimensions, precision), options));
                });
                if (is_double)
                    add("gradient, " + which, 1e-6, dimensions == 2, [=](const VerifyOptions& options) {
                        AdjointBox box(box_of(c, dimensions, precision), options);
                        return mismatch_at_nodes(box);
                    });
            }
    for (const Case& c : {kCases[1], kCases[6]}) {
        add("slopes, " + std::string(c.name) + ", 2-D, double", 0.02, true, [=](const VerifyOptions& options) {
            AdjointBox box(box_of(c, 2, Precision::float64), options);
            return mismatch_of_slopes(box);
        });
        for (const auto& [states, slots, every] : {std::array{0, 40, 1}, std::array{1, 20, 1}, std::array{3, 5, 3}})
            for (const Precision precision : {Precision::float64, Precision::float32})
                add("checkpoints, " + std::to_string(states) + " states, " + std::to_string(slots) + " levels, " +
                        c.name + ", 2-D, " + name(precision),
                    0., precision == Precision::float64, [=](const VerifyOptions& options) {
                        AdjointBox box(box_of(c, 2, precision), options);
                        return mismatch_of_histories(box, {every, slots, states});
                    });
    }
    return group;
}

}  // namespace onda::verify
