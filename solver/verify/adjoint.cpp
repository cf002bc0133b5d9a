#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>
#include <string_view>

#include "kernels/equations/vti/stiffness.hpp"
#include "solver/imaging/anisotropy_gradient.hpp"
#include "solver/imaging/gradient_run.hpp"
#include "solver/imaging/q_gradient.hpp"
#include "solver/imaging/rho_gradient.hpp"
#include "solver/imaging/vp_gradient.hpp"
#include "solver/verify/adjoint_box.hpp"
#include "solver/verify/born.hpp"
#include "solver/verify/groups.hpp"

namespace onda::verify {
namespace {

/// |<F s, d> - <s, F' d>| / (|F s| |d|).
double mismatch_of_products(std::span<const double> fs, std::span<const double> d, std::span<const double> s,
                            std::span<const double> back) {
    return std::abs(dot(fs, d) - dot(s, back)) / std::sqrt(dot(fs, fs) * dot(d, d));
}

/// That of a box.
double mismatch_of_products(const AdjointBox& box) {
    const auto medium = box.make_medium();
    const std::vector<double> s = box.source_signals(), d = box.data();
    const std::vector<double> fs = box.forward(*box.make_medium_of_runs(), s), back = box.adjoint(*medium, d);
    return mismatch_of_products(fs, d, s, back);
}

/// Every second value of rows, from the first on, or 0 at the others.
std::vector<double> at_even_steps(std::span<const double> rows, std::size_t samples, bool keeps_length) {
    std::vector<double> values;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (const bool is_even = i % samples % 2 == 0; is_even || keeps_length)
            values.push_back(is_even ? rows[i] : 0.);
    return values;
}

/// The same of leaps, whose traces are known at even steps: against the transpose by single steps, and for signals of
/// even steps against that by leaps.
double mismatch_of_leaps(const AdjointBox& box) {
    const auto leaping = box.make_medium_of_runs(Stepping::leap), stepping = box.make_medium();
    const auto samples = std::size_t(box.time().signal_samples());
    const std::vector<double> s = box.source_signals(), even_s = at_even_steps(s, samples, true),
                              d = at_even_steps(box.data(), samples, true), short_d = at_even_steps(d, samples, false);
    return worse(mismatch_of_products(box.forward(*leaping, s), short_d, s, box.adjoint(*stepping, d)),
                 mismatch_of_products(box.forward(*leaping, even_s), short_d, at_even_steps(s, samples, false),
                                      box.adjoint(*leaping, d)));
}

float after_step(float before, double by) {
    return before + float(by);
}
double stepped_itself(float value) {
    return value;
}
double unit_slope(float) {
    return 1.;
}
/// d of kernels, where epsilon is larger than delta.
double coupling_of(float delta) {
    const double stiffness[]{0., 1., double(delta)};
    return stiffness_coupling(stiffness, 0.);
}

/// A parameter of the medium that a gradient is of.
struct GradientOf {
    const char* name;
    float (*value)(std::int64_t node);
    void (*change)(AdjointBox& box, std::vector<float> change);
    NodeValues (*gradient)(const GradientRun& run, const AdjointBox& box);
    double step = 1. / 16;  ///< of central differences
    ImageSums sums = {};
    /// Of Taylor expansions: the largest step, and how many sizes there are.
    double largest_step = 1. / 4;
    int sizes = 16;
    /// A value after a step of the quantity that is stepped, and that quantity: itself, unless kernels round it.
    float (*moved)(float before, double by) = after_step;
    double (*quantity)(float value) = stepped_itself;
    double (*slope)(float value) = unit_slope;  ///< of the value over the quantity
};
constexpr GradientOf kOfVp{"vp", scattered_velocity,
                           [](AdjointBox& box, std::vector<float> change) { box.change_velocity(std::move(change)); },
                           [](const GradientRun& run, const AdjointBox& box) {
                               return gradient_of_vp(run.image(0), box.setup(), box.readers(), box.time().dt_s);
                           }};
constexpr GradientOf kOfRho{"rho",
                            scattered_density,
                            [](AdjointBox& box, std::vector<float> change) { box.change_density(std::move(change)); },
                            [](const GradientRun& run, const AdjointBox& box) {
                                return gradient_of_rho(run.image(0), run.density_images(0), box.setup(), box.readers(),
                                                       box.time().dt_s);
                            },
                            1. / 16,
                            {.density = true}};
/// Within rows of the table of strengths: a step from one to another would see the mean of two derivatives.
constexpr GradientOf kOfQ{"q",
                          scattered_q,
                          [](AdjointBox& box, std::vector<float> change) { box.change_q(std::move(change)); },
                          [](const GradientRun& run, const AdjointBox& box) {
                              return gradient_of_q(run.image(0), run.memory_images(0), box.setup(), box.readers(),
                                                   box.time().dt_s);
                          },
                          1. / 1024,
                          {},
                          1. / 256,
                          4};
/// Nodes without anisotropy stay so: there both parameters have but one side.
constexpr GradientOf kOfEpsilon{
    "epsilon",
    scattered_epsilon,
    [](AdjointBox& box, std::vector<float> change) { box.change_epsilon(std::move(change)); },
    [](const GradientRun& run, const AdjointBox& box) {
        return gradient_of_anisotropy(run.anisotropy_images(0), box.setup(), box.readers(), box.time().dt_s).epsilon;
    },
    1. / 65536,
    {.anisotropy = true},
    1. / 4096,
    1,
    [](float value, double by) { return value == 0.f ? value : value + float(by); }};
/// It is d that is stepped, in whole quanta.
constexpr GradientOf kOfDelta{
    "delta",
    scattered_delta,
    [](AdjointBox& box, std::vector<float> change) { box.change_delta(std::move(change)); },
    [](const GradientRun& run, const AdjointBox& box) {
        return gradient_of_anisotropy(run.anisotropy_images(0), box.setup(), box.readers(), box.time().dt_s).delta;
    },
    1. / 131072,
    {.anisotropy = true},
    1. / 4096,
    1,
    [](float value, double by) { return value == 0.f ? value : delta_of_coupling(coupling_of(value) + by); },
    coupling_of,
    [](float value) { return std::sqrt(1. + 2. * double(value)); }};

/// J = 1/2 |F s - d|^2, and its gradient with respect to a parameter.
class Misfit {
public:
    Misfit(AdjointBox& box, const GradientOf& of) : Misfit(box, of, box.source_signals()) {}
    Misfit(AdjointBox& box, const GradientOf& of, std::vector<double> signals)
        : box_(box), of_(of), signals_(std::move(signals)), data_(box.data()) {}

    /// F s - d in a changed medium.
    [[nodiscard]] std::vector<double> residual(const std::vector<float>& change) {
        of_.change(box_, change);
        std::vector<double> residual = box_.forward(*box_.make_medium_of_runs(), signals_);
        of_.change(box_, {});
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
        GradientRun run(*medium, 1, box_.time(), plan, of_.sums);
        PhaseTimes times;
        Onwards control;
        run.run(std::array{box_.points_of(signals_)},
                [&](const Wavefield& field) {
                    std::vector<double> residual = box_.traces_of(field, kReceivers.size());
                    for (std::size_t i = 0; i < residual.size(); ++i) residual[i] -= data_[i];
                    return std::vector{box_.adjoint_of(residual, of_.sums.density)};
                },
                {times, control});
        const NodeValues gradient = of_.gradient(run, box_);
        return {gradient.begin(), gradient.end()};
    }

private:
    AdjointBox& box_;
    GradientOf of_;
    std::vector<double> signals_, data_;
};

/// The nodes whose derivatives are compared: in the middle, at a source and a receiver, on faces, in layers, on edges.
/// In 3-D the first twelve, in 2-D at all sources and receivers, too.
constexpr std::array<std::array<std::int64_t, 3>, 20> kNodes{
    {{20, 16, 17}, {17, 15, 14}, {25, 12, 20}, {12, 29, 2},  {0, 14, 11}, {37, 10, 20}, {2, 30, 32},
     {22, 3, 4},   {33, 17, 28}, {18, 16, 0},  {37, 32, 33}, {0, 0, 33},  {18, 0, 15},  {3, 0, 9},
     {12, 0, 1},   {35, 0, 30},  {17, 0, 12},  {0, 0, 0},    {37, 0, 0},  {6, 0, 17}}};

/// The largest difference between the gradient and central differences at single nodes, over the largest of the
/// derivatives.
double mismatch_at_nodes(AdjointBox& box, const GradientOf& of = kOfVp) {
    Misfit misfit(box, of);
    const std::vector<double> gradient = misfit.gradient();
    const Grid& grid = box.experiment().grid;
    double worst = 0., largest = 0.;
    for (const auto& [x, y, z] : std::span(kNodes).first(grid.dimensions == 3 ? 12 : kNodes.size())) {
        const auto node = std::size_t(grid.at(x, grid.dimensions == 3 ? y : 0, z));
        std::vector<float> above(std::size_t(box.points())), below = above;
        const float before = of.value(std::int64_t(node));
        const float higher = of.moved(before, of.step), lower = of.moved(before, -of.step);
        above[node] = higher - before;
        below[node] = lower - before;
        const double width = of.quantity(higher) - of.quantity(lower);
        if (width == 0.) continue;
        const double expected = misfit.difference(above, below) / width;
        worst = worse(worst, std::abs(gradient[node] * of.slope(before) - expected));
        largest = worse(largest, std::abs(expected));
    }
    return worst / largest;
}

/// How far the slopes of |J(m + h dm) - J(m)| and of |J(m + h dm) - J(m) - h g dm| over six halvings of h are from 1
/// and 2; dm lies along the gradient, up to 1/4 m/s or kg/m3, in steps that single precision adds to any velocity
/// without rounding.
double mismatch_of_slopes(AdjointBox& box, const GradientOf& of = kOfVp) {
    Misfit misfit(box, of);
    const std::vector<double> gradient = misfit.gradient();
    std::vector<double> of_steps;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        const float before = of.value(std::int64_t(i));
        const bool moves = of.moved(before, of.step) != before;
        of_steps.push_back(moves ? gradient[i] * of.slope(before) : 0.);
    }
    double largest = 0.;
    for (const double g : of_steps) largest = std::max(largest, std::abs(g));
    std::vector<double> direction;
    for (const double g : of_steps)
        direction.push_back(std::round(of.sizes * g / largest) / of.sizes * of.largest_step);
    constexpr int halvings = 6;
    std::array<double, 2> first{}, last{};
    for (const int halving : {0, halvings}) {
        const double h = std::ldexp(1., -halving);
        std::vector<float> change;
        double expected = 0.;
        for (std::size_t i = 0; i < direction.size(); ++i) {
            const float before = of.value(std::int64_t(i));
            const float after = direction[i] == 0. ? before : of.moved(before, h * direction[i]);
            change.push_back(after - before);
            expected += of_steps[i] * (of.quantity(after) - of.quantity(before));
        }
        const double difference = misfit.difference(change, {});
        (halving == 0 ? first : last) = std::array{std::abs(difference), std::abs(difference - expected)};
    }
    return worse(std::abs(std::log2(first[0] / last[0]) / halvings - 1.),
                 std::abs(std::log2(first[1] / last[1]) / halvings - 2.));
}

/// The largest difference between two gradients, over the largest value.
double mismatch_of_gradients(const std::vector<double>& gradient, const std::vector<double>& expected) {
    double worst = 0., largest = 0.;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        worst = worse(worst, std::abs(gradient[i] - expected[i]));
        largest = worse(largest, std::abs(expected[i]));
    }
    return worst / largest;
}

/// The same of two ways to keep the forward field.
double mismatch_of_histories(AdjointBox& box, const HistoryPlan& plan, const GradientOf& of = kOfVp) {
    Misfit misfit(box, of);
    return mismatch_of_gradients(misfit.gradient(plan), misfit.gradient({plan.every, box.time().steps, 0}));
}

/// The signals of a box, smoothed so that they have fallen to 1 % at a frequency, and nothing before the first and
/// after the last step.
std::vector<double> smooth_signals(const AdjointBox& box, double periods_in_a_step) {
    const std::vector<double> noise = box.source_signals();
    const std::int64_t samples = box.time().signal_samples();
    const double width = std::sqrt(2. * std::log(100.)) / (2. * std::numbers::pi * periods_in_a_step);
    std::vector<double> smooth(noise.size());
    for (std::size_t i = 0; i < smooth.size(); ++i) {
        const std::int64_t n = std::int64_t(i) % samples, first = std::int64_t(i) - n;
        for (std::int64_t m = 2 * samples / 5; m < 3 * samples / 5; ++m)
            smooth[i] += noise[std::size_t(first + m)] * std::exp(-0.5 * std::pow(double(n - m) / width, 2));
    }
    return smooth;
}

/// What interpolated rings change of the gradient, at the longest interval that `auto` takes.
double mismatch_of_thinned_rings(AdjointBox& box, std::int64_t every) {
    double periods_in_a_step = 0.01;  // the largest that has this interval
    while (longest_ring_interval(periods_in_a_step + 1e-4, 1.) >= every) periods_in_a_step += 1e-4;
    Misfit misfit(box, kOfVp, smooth_signals(box, periods_in_a_step));
    HistoryPlan plan{1, 1, 0, RingPlace::device};
    plan.ring_every = every;
    return mismatch_of_gradients(misfit.gradient(plan), misfit.gradient());
}

/// The gradient of a rebuilt field in single precision against that of all levels in double precision.
double mismatch_of_single_precision(const Case& c, int dimensions, const HistoryPlan& plan,
                                    const VerifyOptions& options) {
    AdjointBox single(box_of(c, dimensions, Precision::float32), options),
        exact(box_of(c, dimensions, Precision::float64), options);
    return mismatch_of_gradients(Misfit(single, kOfVp).gradient(plan),
                                 Misfit(exact, kOfVp).gradient({plan.every, exact.time().steps, 0}));
}

/// The rows of fields that are rebuilt, by every operator and at every face that allows it.
template <typename Add>
void add_rings(const Add& add) {
    const auto add_double = [&add](const Case& c, int dimensions, std::int64_t every) {
        add("ring, every " + std::to_string(every) + ", " + c.name + ", " + std::to_string(dimensions) + "-D, double",
            1e-12, dimensions == 2, [=](const VerifyOptions& options) {
                AdjointBox box(box_of(c, dimensions, Precision::float64), options);
                return mismatch_of_histories(box, {every, 1, 0, RingPlace::device});
            });
    };
    for (const Case& c : kAdjointCases) {
        if (!has_rings(c)) continue;
        add_double(c, 2, 1);
        if (c.equation == Equation::variable_density)
            add("ring, of density, every 2, " + std::string(c.name) + ", 2-D, double", 1e-12, true,
                [=](const VerifyOptions& options) {
                    AdjointBox box(box_of(c, 2, Precision::float64), options);
                    HistoryPlan plan{2, 1, 0, RingPlace::device};
                    plan.ring_pressures = true;
                    return mismatch_of_histories(box, plan, kOfRho);
                });
        if (std::string_view(c.others) == "sponge") continue;
        add_double(c, 2, 3);
        add_double(c, 3, 3);
        for (const std::int64_t every : {2, 3}) {
            if (std::string_view(c.others) != "cpml") break;  // without layers there are no rings
            add("thinned ring, one level in " + std::to_string(every) + ", " + std::string(c.name) + ", 2-D, double",
                1e-5, true, [=](const VerifyOptions& options) {
                    AdjointBox box(box_of(c, 2, Precision::float64), options);
                    return mismatch_of_thinned_rings(box, every);
                });
        }
        for (const RingValues values : {RingValues::full, RingValues::of_16_bits})
            add((values == RingValues::full ? "ring, every 1, " : "ring in 16 bits, every 1, ") + std::string(c.name) +
                    ", 2-D, float against double",
                1e-4, true, [=](const VerifyOptions& options) {
                    return mismatch_of_single_precision(c, 2, {1, 1, 0, RingPlace::host, values}, options);
                });
    }
}

}  // namespace

PromiseGroup adjoint() {
    PromiseGroup group;
    group.id = "A1";
    group.title = "Adjoint and gradient";
    group.quantity = "difference";
    group.method =
        "F maps the signals of two sources to four traces, F' back; random signals, every node with its own random "
        "velocity (and density, Q, epsilon and delta), points on and off nodes, near faces and in absorbing layers, "
        "160 steps. "
        "*Products*: "
        "|<F s, d> - <s, F' d>| over |F s| |d|. *Products of leaps*: of an F that leaps, against the transpose by "
        "single "
        "steps and, for signals at even steps, that by leaps. *Gradient*: dJ/dvp of J = 1/2 |F s - d|^2 against "
        "central differences "
        "of J at twenty nodes, in 3-D twelve (middle, sources, receivers, faces, layers, edges), over the largest of "
        "these derivatives, and likewise dJ/drho with variable density, dJ/dQ in media that absorb, dJ/depsilon and "
        "dJ/ddelta in VTI. *Slopes*: "
        "how far the orders in h of J(m + h dm) - J(m), and of that less h g dm, are from 1 and 2 over six halvings of "
        "h. *Checkpoints*: the gradient from states that are kept, and levels that are computed again, against that of "
        "all levels, which has the same bits. *Ring*: the gradient of a forward field that is computed backward from "
        "its "
        "last levels and a ring around it, against that of all levels; *thinned*: with a ring of some levels alone, of "
        "signals that have fallen to 1 % where `ring_every: auto` takes this interval. *Born products*: |<J dm, y> - "
        "<dm, J' y>| over "
        "|J dm| |y| of the Born "
        "operator J, random dm at every node, layers included. *Born*: |J dm - (F(m + h dm) - F(m - h dm)) / 2 h| over "
        "the latter. *J'J*: J'J dm in one run against J' of J dm in two, which has the same bits. *Batches*: J dm and "
        "J' y of three shots together against those of each alone, which have the same bits.";
    const auto add = [&group](const std::string& name_of_row, double limit, bool quick, auto measure) {
        group.promises.push_back({name_of_row, limit, quick, [measure](const VerifyOptions& options) {
                                      return Measurement{measure(options), ""};
                                  }});
    };
    for (const Case& c : kAdjointCases)
        for (const int dimensions : {2, 3})
            for (const Precision precision : {Precision::float64, Precision::float32}) {
                const std::string which =
                    std::string(c.name) + ", " + std::to_string(dimensions) + "-D, " + name(precision);
                const bool is_double = precision == Precision::float64;
                add("products, " + which, is_double ? 1e-13 : 1e-6, dimensions == 2, [=](const VerifyOptions& options) {
                    return mismatch_of_products(AdjointBox(box_of(c, dimensions, precision), options));
                });
                group.promises.back().takes_long = is_long_in_order_4(c, dimensions);
                if (c.equation == Equation::star && c.time_order == 2 && is_double) {
                    add("products of leaps, " + which, 1e-13, dimensions == 2, [=](const VerifyOptions& options) {
                        return mismatch_of_leaps(AdjointBox(box_of(c, dimensions, precision), options));
                    });
                    group.promises.back().takes_long = dimensions == 3 && c.order != 8;
                }
                if (is_double)
                    add("gradient, " + which, 1e-6, dimensions == 2, [=](const VerifyOptions& options) {
                        AdjointBox box(box_of(c, dimensions, precision), options);
                        return mismatch_at_nodes(box);
                    });
                // Order 16 has the stencil of 2-D; layers beside densities are those of order 8, and of order 2 in 2-D.
                // Layers beside a free surface and a wall, at order 8, hold for mirrors and layers alone, also at order
                // 4 of the star, and the mirrors of the compact stencil for its sponges.
                const std::string_view others = c.others;
                const bool of_density = c.equation == Equation::variable_density, is_sponge = others == "sponge",
                           has_both = std::string_view(c.left) == "rigid" && others == "cpml";
                const bool takes_long =
                    dimensions == 3 &&
                    (c.order == 16 || (c.order == 2 && of_density) || (c.order == 8 && !has_both && !is_sponge) ||
                     (c.equation == Equation::star && others == "rigid") ||
                     (c.equation == Equation::compact && is_sponge) || c.time_order == 4);
                // Where there is a density, its gradient stands for both at order 8.
                if (is_double)
                    group.promises.back().takes_long = takes_long || (dimensions == 3 && of_density && has_both);
                if (is_double && has_parameter(c.equation, "rho")) {
                    add("gradient of rho, " + which, 1e-6, dimensions == 2, [=](const VerifyOptions& options) {
                        AdjointBox box(box_of(c, dimensions, precision), options);
                        return mismatch_at_nodes(box, kOfRho);
                    });
                    group.promises.back().takes_long = takes_long;
                }
                for (const GradientOf& of : {kOfQ, kOfEpsilon, kOfDelta})
                    if (is_double && has_parameter(c.equation, of.name))
                        add("gradient of " + std::string(of.name) + ", " + which, 1e-6, dimensions == 2,
                            [=](const VerifyOptions& options) {
                                AdjointBox box(box_of(c, dimensions, precision), options);
                                return mismatch_at_nodes(box, of);
                            });
            }
    for (const Case& c :
         {kAdjointCases[1], kAdjointCases[6], kAdjointCases[12], kAdjointCases[16], kAdjointCases[19]}) {
        add("slopes, " + std::string(c.name) + ", 2-D, double", 0.02, true, [=](const VerifyOptions& options) {
            AdjointBox box(box_of(c, 2, Precision::float64), options);
            return mismatch_of_slopes(box);
        });
        for (const HistoryPlan& plan : {HistoryPlan{1, 40, 0}, HistoryPlan{1, 20, 1}, HistoryPlan{3, 5, 3}})
            for (const Precision precision : {Precision::float64, Precision::float32})
                add("checkpoints, " + std::to_string(plan.checkpoints) + " states, " + std::to_string(plan.slots) +
                        " levels, " + c.name + ", 2-D, " + name(precision),
                    0., precision == Precision::float64, [=](const VerifyOptions& options) {
                        AdjointBox box(box_of(c, 2, precision), options);
                        return mismatch_of_histories(box, plan);
                    });
    }
    for (const GradientOf& of : {kOfRho, kOfQ, kOfEpsilon, kOfDelta})
        for (const Case& c : kAdjointCases) {
            if (!has_parameter(c.equation, of.name)) continue;
            const std::string of_what = " of " + std::string(of.name) + ", ";
            add("slopes" + of_what + c.name + ", 2-D, double", 0.02, true, [=](const VerifyOptions& options) {
                AdjointBox box(box_of(c, 2, Precision::float64), options);
                return mismatch_of_slopes(box, of);
            });
            for (const HistoryPlan& plan : {HistoryPlan{1, 20, 1}, HistoryPlan{3, 5, 3}})
                add("checkpoints" + of_what + std::to_string(plan.checkpoints) + " states, " +
                        std::to_string(plan.slots) + " levels, " + c.name + ", 2-D, float",
                    0., true, [=](const VerifyOptions& options) {
                        AdjointBox box(box_of(c, 2, Precision::float32), options);
                        return mismatch_of_histories(box, plan, of);
                    });
        }
    add_rings(add);
    add_born_promises(group);
    return group;
}

}  // namespace onda::verify
