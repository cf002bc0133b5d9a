#include "solver/verify/born.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "solver/imaging/born_run.hpp"
#include "solver/imaging/vp_gradient.hpp"
#include "solver/verify/adjoint_box.hpp"

namespace onda::verify {
namespace {

/// J of the random medium, and its transpose; dm changes the velocity of every node.
class BornOperator {
public:
    explicit BornOperator(AdjointBox& box) : box_(box), medium_(box.make_medium()) {}

    /// J dm of shots that advance together, one for each of the signals.
    [[nodiscard]] std::vector<std::vector<double>> apply(std::span<const double> dm,
                                                         std::span<const std::vector<double>> signals) {
        BornRun run(*medium_, int(signals.size()), box_.time());
        run.set_perturbation(relative_change_of_k(dm, box_.setup(), box_.readers()));
        run.run(points_of(signals), {times_, control_});
        std::vector<std::vector<double>> traces;
        for (int shot = 0; shot < run.shots(); ++shot)
            traces.push_back(box_.traces_of(run.scattered_field(), kReceivers.size(), shot));
        return traces;
    }
    [[nodiscard]] std::vector<double> apply(std::span<const double> dm) {
        return apply(dm, std::array{box_.source_signals()}).front();
    }
    /// J' y of shots that advance together.
    [[nodiscard]] std::vector<std::vector<double>> transposed(std::span<const std::vector<double>> y,
                                                              std::span<const std::vector<double>> signals,
                                                              const HistoryPlan& plan) {
        GradientRun run(*medium_, int(signals.size()), box_.time(), plan);
        const auto adjoint_of = [&](const Wavefield&) {
            std::vector<AdjointPoints> points;
            for (const std::vector<double>& traces : y) points.push_back(box_.adjoint_of(traces, false));
            return points;
        };
        run.run(points_of(signals), adjoint_of, {times_, control_});
        return gradients_of(run);
    }
    [[nodiscard]] std::vector<double> transposed(const std::vector<double>& y) {
        return transposed(std::array{y}, std::array{box_.source_signals()}, all_levels()).front();
    }
    /// J'J dm in one run.
    [[nodiscard]] std::vector<double> normal(std::span<const double> dm, const HistoryPlan& plan) {
        GaussNewtonRun run(*medium_, 1, box_.time(), plan);
        run.set_perturbation(relative_change_of_k(dm, box_.setup(), box_.readers()));
        const auto adjoint_of = [&](const Wavefield& scattered) {
            return std::vector{box_.adjoint_of(box_.traces_of(scattered, kReceivers.size()), false)};
        };
        run.run(points_of(std::array{box_.source_signals()}), adjoint_of, {times_, control_});
        return gradients_of(run.gradient()).front();
    }
    [[nodiscard]] HistoryPlan all_levels() const { return {1, box_.time().steps, 0}; }

private:
    [[nodiscard]] std::vector<ShotPoints> points_of(std::span<const std::vector<double>> signals) const {
        std::vector<ShotPoints> points;
        for (const std::vector<double>& of_shot : signals) points.push_back(box_.points_of(of_shot));
        return points;
    }
    [[nodiscard]] std::vector<std::vector<double>> gradients_of(const GradientRun& run) const {
        std::vector<std::vector<double>> gradients;
        for (int shot = 0; shot < run.shots(); ++shot)
            gradients.push_back(gradient_of_vp(run.image(shot), box_.setup(), box_.readers(), box_.time().dt_s));
        return gradients;
    }

    AdjointBox& box_;
    std::shared_ptr<Medium> medium_;
    PhaseTimes times_;
    Onwards control_;
};

/// Up to 1 m/s at every node, in steps of which single precision adds 1/64 to any velocity without rounding.
std::vector<double> direction(const AdjointBox& box) {
    std::vector<double> dm = noise(box.points(), 777'777);
    for (double& value : dm) value = std::round(64. * value) / 64.;
    return dm;
}

double norm(std::span<const double> values) {
    return std::sqrt(dot(values, values));
}

/// |<J dm, y> - <dm, J' y>| / (|J dm| |y|).
double mismatch_of_born_products(AdjointBox& box) {
    BornOperator born(box);
    const std::vector<double> dm = direction(box), y = box.data(), jdm = born.apply(dm), back = born.transposed(y);
    return std::abs(dot(jdm, y) - dot(dm, back)) / (norm(jdm) * norm(y));
}

/// |J dm - (F(m + h dm) - F(m - h dm)) / 2 h| over the latter, with h = 1/64.
double mismatch_of_differences(AdjointBox& box) {
    const std::vector<double> dm = direction(box), signals = box.source_signals();
    std::vector<double> jdm = BornOperator(box).apply(dm);
    const auto changed = [&](double h) {
        std::vector<float> change;
        for (const double value : dm) change.push_back(float(h * value));
        box.change_velocity(change);
        return box.forward(*box.make_medium(), signals);
    };
    constexpr double h = 1. / 64;
    std::vector<double> expected = changed(h);
    const std::vector<double> below = changed(-h);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        expected[i] = (expected[i] - below[i]) / (2. * h);
        jdm[i] -= expected[i];
    }
    return norm(jdm) / norm(expected);
}

/// The largest difference between values, over the largest of those expected.
double mismatch(std::span<const double> values, std::span<const double> expected) {
    double worst = 0., largest = 0.;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        worst = worse(worst, std::abs(values[i] - expected[i]));
        largest = worse(largest, std::abs(expected[i]));
    }
    return worst / largest;
}

/// J'J dm in one run against J' of J dm in two.
double mismatch_of_normal_products(AdjointBox& box, const HistoryPlan& plan) {
    BornOperator born(box);
    const std::vector<double> dm = direction(box);
    const std::vector<double> expected =
        born.transposed(std::array{born.apply(dm)}, std::array{box.source_signals()}, plan).front();
    return mismatch(born.normal(dm, plan), expected);
}

/// J dm and J' y of three shots together against those of each alone.
double mismatch_of_batches(AdjointBox& box) {
    BornOperator born(box);
    const std::vector<double> dm = direction(box);
    std::vector<std::vector<double>> signals, y;
    for (const std::int64_t shot : {0, 1, 2}) {
        signals.push_back(box.source_signals(7 + 1000 * shot));
        y.push_back(box.data(100'007 + 1000 * shot));
    }
    const auto traces = born.apply(dm, signals), gradients = born.transposed(y, signals, born.all_levels());
    double worst = 0.;
    for (std::size_t shot = 0; shot < signals.size(); ++shot) {
        const std::array alone{signals[shot]}, its_y{y[shot]};
        worst = worse(worst, mismatch(traces[shot], born.apply(dm, alone).front()));
        worst = worse(worst, mismatch(gradients[shot], born.transposed(its_y, alone, born.all_levels()).front()));
    }
    return worst;
}

}  // namespace

void add_born_promises(PromiseGroup& group) {
    const auto add = [&group](const std::string& name_of_row, double limit, bool quick, auto c, int dimensions,
                              Precision precision, auto measure) {
        const std::string which =
            name_of_row + ", " + c.name + ", " + std::to_string(dimensions) + "-D, " + name(precision);
        group.promises.push_back({which, limit, quick, [=](const VerifyOptions& options) {
                                      AdjointBox box(box_of(c, dimensions, precision), options);
                                      return Measurement{measure(box), ""};
                                  }});
    };
    for (const Case& c : kAdjointCases)
        for (const int dimensions : {2, 3})
            for (const Precision precision : {Precision::float64, Precision::float32}) {
                const bool is_double = precision == Precision::float64, quick = dimensions == 2;
                add("Born products", is_double ? 1e-12 : 1e-5, quick, c, dimensions, precision,
                    mismatch_of_born_products);
                if (is_double) add("Born", 1e-6, quick, c, dimensions, precision, mismatch_of_differences);
            }
    for (const Case& c : {kAdjointCases[1], kAdjointCases[4], kAdjointCases[6]})
        for (const Precision precision : {Precision::float64, Precision::float32}) {
            add("J'J", 0., true, c, 2, precision, [](AdjointBox& box) {
                return mismatch_of_normal_products(box, {1, box.time().steps, 0});
            });
            add("J'J, every 3 steps, 1 state, 20 levels", 0., precision == Precision::float64, c, 2, precision,
                [](AdjointBox& box) {
                    return mismatch_of_normal_products(box, {3, 20, 1});
                });
            add("batches", 0., true, c, 2, precision, mismatch_of_batches);
        }
}

}  // namespace onda::verify
