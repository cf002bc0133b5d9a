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

/// J of the random medium, and its transpose; dm changes the velocity of every node and, if it is of density, the
/// density of every node, which come after them.
class BornOperator {
public:
    explicit BornOperator(AdjointBox& box, bool of_density = false)
        : box_(box), of_density_(of_density), medium_(box.make_medium()) {}

    /// J dm of shots that advance together, one for each of the signals.
    [[nodiscard]] std::vector<std::vector<double>> apply(std::span<const double> dm,
                                                         std::span<const std::vector<double>> signals) {
        BornRun run(*medium_, int(signals.size()), box_.time(), of_density_);
        perturb(run, dm);
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
        GradientRun run(*medium_, int(signals.size()), box_.time(), plan, {.density = of_density_});
        const auto adjoint_of = [&](const Wavefield&) {
            std::vector<AdjointPoints> points;
            for (const std::vector<double>& traces : y) points.push_back(box_.adjoint_of(traces, of_density_));
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
        GaussNewtonRun run(*medium_, 1, box_.time(), plan, {.density = of_density_});
        perturb(run, dm);
        const auto adjoint_of = [&](const Wavefield& scattered) {
            return std::vector{box_.adjoint_of(box_.traces_of(scattered, kReceivers.size()), of_density_)};
        };
        run.run(points_of(std::array{box_.source_signals()}), adjoint_of, {times_, control_});
        return gradients_of(run.gradient()).front();
    }
    [[nodiscard]] HistoryPlan all_levels() const { return {1, box_.time().steps, 0}; }

private:
    template <typename Run>
    void perturb(Run& run, std::span<const double> dm) const {
        if (!of_density_)
            run.set_perturbation(relative_change_of_k(dm, box_.setup(), box_.readers()));
        else {
            const auto points = std::size_t(box_.points());
            run.set_perturbation(
                perturbation_of(dm.first(points), dm.last(points), box_.setup(), box_.readers(), box_.time().dt_s));
        }
    }
    [[nodiscard]] std::vector<ShotPoints> points_of(std::span<const std::vector<double>> signals) const {
        std::vector<ShotPoints> points;
        for (const std::vector<double>& of_shot : signals) points.push_back(box_.points_of(of_shot));
        return points;
    }
    [[nodiscard]] std::vector<std::vector<double>> gradients_of(const GradientRun& run) const {
        std::vector<std::vector<double>> gradients;
        const double dt_s = box_.time().dt_s;
        for (int shot = 0; shot < run.shots(); ++shot) {
            const NodeValues of_vp = gradient_of_vp(run.image(shot), box_.setup(), box_.readers(), dt_s);
            gradients.emplace_back(of_vp.begin(), of_vp.end());
            if (!of_density_) continue;
            const NodeValues of_rho =
                gradient_of_rho(run.image(shot), run.density_images(shot), box_.setup(), box_.readers(), dt_s);
            gradients.back().insert(gradients.back().end(), of_rho.begin(), of_rho.end());
        }
        return gradients;
    }

    AdjointBox& box_;
    bool of_density_;
    std::shared_ptr<Medium> medium_;
    PhaseTimes times_;
    Onwards control_;
};

/// Up to 1 m/s at every node, and 1 kg/m3, in steps of which single precision adds 1/64 to any velocity or density
/// without rounding.
std::vector<double> direction(const AdjointBox& box, bool of_density) {
    std::vector<double> dm = noise((of_density ? 2 : 1) * box.points(), 777'777);
    for (double& value : dm) value = std::round(64. * value) / 64.;
    return dm;
}

double norm(std::span<const double> values) {
    return std::sqrt(dot(values, values));
}

/// |<J dm, y> - <dm, J' y>| / (|J dm| |y|).
double mismatch_of_born_products(AdjointBox& box, bool of_density = false) {
    BornOperator born(box, of_density);
    const std::vector<double> dm = direction(box, of_density), y = box.data(), jdm = born.apply(dm),
                              back = born.transposed(y);
    return std::abs(dot(jdm, y) - dot(dm, back)) / (norm(jdm) * norm(y));
}

/// |J dm - (F(m + h dm) - F(m - h dm)) / 2 h| over the latter, with h = 1/64.
double mismatch_of_differences(AdjointBox& box, bool of_density = false) {
    const std::vector<double> dm = direction(box, of_density), signals = box.source_signals();
    std::vector<double> jdm = BornOperator(box, of_density).apply(dm);
    const auto changed = [&](double h) {
        std::vector<float> change;
        for (const double value : dm) change.push_back(float(h * value));
        const auto of_rho = change.begin() + std::ptrdiff_t(box.points());
        if (of_density) box.change_density({of_rho, change.end()});
        change.erase(of_rho, change.end());
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
double mismatch_of_normal_products(AdjointBox& box, const HistoryPlan& plan, bool of_density = false) {
    BornOperator born(box, of_density);
    const std::vector<double> dm = direction(box, of_density);
    const std::vector<double> expected =
        born.transposed(std::array{born.apply(dm)}, std::array{box.source_signals()}, plan).front();
    return mismatch(born.normal(dm, plan), expected);
}

/// J dm and J' y of three shots together against those of each alone.
double mismatch_of_batches(AdjointBox& box, bool of_density = false) {
    BornOperator born(box, of_density);
    const std::vector<double> dm = direction(box, of_density);
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
    const auto add = [&group](const std::string& name_of_row, double limit, bool quick, const Case& c, int dimensions,
                              Precision precision, auto measure) {
        const std::string which =
            name_of_row + ", " + c.name + ", " + std::to_string(dimensions) + "-D, " + name(precision);
        group.promises.push_back({which, limit, quick, [=](const VerifyOptions& options) {
                                      AdjointBox box(box_of(c, dimensions, precision), options);
                                      return Measurement{measure(box), ""};
                                  }});
        group.promises.back().takes_long = is_long_in_order_4(c, dimensions);
    };
    for (const Case& c : kAdjointCases) {
        if (!has_born(c)) continue;
        for (const int dimensions : {2, 3})
            for (const Precision precision : {Precision::float64, Precision::float32}) {
                const bool is_double = precision == Precision::float64, quick = dimensions == 2;
                for (const bool of_density : {false, true}) {
                    if (of_density && !has_parameter(c.equation, "rho")) continue;
                    const std::string of = of_density ? " of vp and rho" : "";
                    add("Born products" + of, is_double ? 1e-12 : 1e-5, quick, c, dimensions, precision,
                        [of_density](AdjointBox& box) { return mismatch_of_born_products(box, of_density); });
                    if (is_double)
                        add("Born" + of, 1e-6, quick, c, dimensions, precision,
                            [of_density](AdjointBox& box) { return mismatch_of_differences(box, of_density); });
                }
            }
    }
    for (const Case& c : {kAdjointCases[1], kAdjointCases[4], kAdjointCases[6], kAdjointCases[12], kAdjointCases[19]})
        for (const Precision precision : {Precision::float64, Precision::float32}) {
            add("J'J", 0., true, c, 2, precision, [](AdjointBox& box) {
                return mismatch_of_normal_products(box, {1, box.time().steps, 0});
            });
            add("J'J, every 3 steps, 1 state, 20 levels", 0., precision == Precision::float64, c, 2, precision,
                [](AdjointBox& box) {
                    return mismatch_of_normal_products(box, {3, 20, 1});
                });
            add("batches", 0., true, c, 2, precision, [](AdjointBox& box) { return mismatch_of_batches(box); });
        }
    for (const Precision precision : {Precision::float64, Precision::float32}) {
        const Case& c = kAdjointCases[6];
        add("J'J of vp and rho, every 3 steps, 1 state, 20 levels", 0., precision == Precision::float64, c, 2,
            precision, [](AdjointBox& box) {
                return mismatch_of_normal_products(box, {3, 20, 1}, true);
            });
        add("batches of vp and rho", 0., true, c, 2, precision,
            [](AdjointBox& box) { return mismatch_of_batches(box, true); });
    }
}

}  // namespace onda::verify
