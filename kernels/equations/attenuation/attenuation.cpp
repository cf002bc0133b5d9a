// The star in a medium that absorbs.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/equations/attenuation/relaxation.hpp"
#include "kernels/equations/constant_density.hpp"
#include "kernels/equations/scheme.hpp"

namespace onda {
namespace {

constexpr std::array kParameters{kVp, kQ};
constexpr std::array<std::string_view, 1> kOneMemory{"r"};
constexpr std::array<std::string_view, 2> kTwoMemories{"r", "r_2"};
constexpr MediumArray kK{"k", false, true}, kG{"g", false, true}, kSecondG{"g_2", false, true};
constexpr std::array kOneG{kK, kG};
constexpr std::array kTwoG{kK, kG, kSecondG};

/// The strengths of the mechanisms for every Q, from a table: both strength times Q and what is left of c_U / vp - 1
/// are nearly straight lines of 1/Q.
class StrengthTable {
public:
    explicit StrengthTable(const RelaxationFit& fit) {
        for (int i = 0; i <= kIntervals; ++i) {
            const double loss = kLeast + (kMost - kLeast) * i / kIntervals;
            Mechanisms row = fit.mechanisms(1. / loss);
            for (double& strength : row.strength) strength /= loss;
            row.compliance = (row.compliance - 1.) / loss;
            rows_.push_back(row);
        }
    }
    /// \param q below kLossless.
    [[nodiscard]] Mechanisms at(double q) const {
        const double loss = std::clamp(1. / q, kLeast, kMost), place = (loss - kLeast) / (kMost - kLeast) * kIntervals;
        const auto i = static_cast<std::size_t>(std::min(place, kIntervals - 1.));
        const double part = place - static_cast<double>(i);
        const auto between = [&](double low, double high) { return loss * (low + part * (high - low)); };
        Mechanisms found{1. + between(rows_[i].compliance, rows_[i + 1].compliance), {}};
        for (std::size_t l = 0; l < kMostMechanisms; ++l)
            found.strength[l] = between(rows_[i].strength[l], rows_[i + 1].strength[l]);
        return found;
    }

private:
    static constexpr int kIntervals = 512;
    static constexpr double kLeast = 1. / kLossless, kMost = 1. / kQ.lowest;
    std::vector<Mechanisms> rows_;
};

/// k, g and a of kernels/equations/attenuation/memory.hpp: with beta = dt / (2 tau + dt) and the strengths j of a node
///     k = (c_U dt)^2 / (1 + sum j beta),  g = 2 j beta / (1 + sum j beta) 2 tau / (2 tau + dt),  a = 2 beta.
class AttenuationFit final : public MediumFit {
public:
    AttenuationFit(const Relaxation& relaxation, int fields, double dt_s)
        : fit_(relaxation, dt_s), table_(fit_), fields_(fields), dt_s_(dt_s) {}

    void row(std::size_t array, std::span<const std::vector<float>> parameters, std::int64_t y, std::int64_t z,
             std::span<double> values) const override {
        for (std::size_t x = 0; x < values.size(); ++x) {
            const double node[] = {static_cast<double>(parameters[0][x]), static_cast<double>(parameters[1][x])};
            const int its_class = node_class(static_cast<std::int64_t>(x), y, z);
            if (node[1] >= kLossless)
                values[x] = array == 0 ? squared_step(node, dt_s_) : 0.;
            else
                values[x] = value(array, node, its_class);
        }
    }
    [[nodiscard]] std::array<double, kNodeClasses> of_class(std::size_t field) const override {
        std::array<double, kNodeClasses> a{};
        for (int c = 0; c < kNodeClasses; ++c)
            a[static_cast<std::size_t>(c)] = 2. * beta(of(static_cast<int>(field), c).mechanism);
        return a;
    }

private:
    [[nodiscard]] MechanismOfClass of(int field, int its_class) const {
        return mechanism_of_class(fit_.relaxation().mechanisms, fields_, field, its_class);
    }
    /// Of a field without a mechanism: 0, and its memory stays empty.
    [[nodiscard]] double beta(int mechanism) const {
        return mechanism < fit_.relaxation().mechanisms ? dt_s_ / (2. * fit_.time_s(mechanism) + dt_s_) : 0.;
    }
    [[nodiscard]] double value(std::size_t array, const double* node, int its_class) const {
        const Mechanisms mechanisms = table_.at(node[1]);
        const auto taken_at_once = [&](int field) {  // j beta
            const MechanismOfClass own = of(field, its_class);
            return mechanisms.strength[static_cast<std::size_t>(own.mechanism)] * own.times_stronger *
                   beta(own.mechanism);
        };
        double all = 1.;
        for (int field = 0; field < fields_; ++field) all += taken_at_once(field);
        if (array == 0) return squared_step(node, dt_s_) / (mechanisms.compliance * all);
        const int field = static_cast<int>(array) - 1;
        return 2. * taken_at_once(field) / all * (1. - beta(of(field, its_class).mechanism));
    }

    RelaxationFit fit_;
    StrengthTable table_;
    int fields_;
    double dt_s_;
};

std::shared_ptr<const MediumFit> fit(const Scheme& scheme, int, double dt_s) {
    return std::make_shared<AttenuationFit>(scheme.relaxation, static_cast<int>(scheme.equation->memory.size()), dt_s);
}

/// c_U / vp, which grows as Q falls.
double stiffening(const Scheme& scheme, std::span<const double> lowest, double dt_s) {
    const double q = std::max(lowest.front(), kQ.lowest);
    if (q >= kLossless) return 1.;
    return 1. / std::sqrt(RelaxationFit(scheme.relaxation, dt_s).mechanisms(q).compliance);
}

Scheme of_star(const Equation& equation, int space_order, Coefficients coefficients) {
    Scheme scheme = make_scheme(Equation::star, space_order, coefficients);
    scheme.equation = equation;
    return scheme;
}

constexpr EquationRow kOfOne{
    .name = "attenuation",
    .help = "the Laplacian from neighbours on the axes, in a medium that absorbs",
    .title = "attenuation",
    .stencil = kStarStencil,
    .parameters = kParameters,
    .constants = kConstantDensityConstants,
    .fields = kPressure,
    .arrays = kOneG,
    .source_density = nullptr,
    .make_scheme = [](int space_order,
                      Coefficients coefficients) { return of_star(Equation::attenuation, space_order, coefficients); },
    .halo = [](int radius) { return radius; },
    .axis_symbol = second_derivative_axis_symbol,
    .symbol = sum_of_axes,
    .stability_limit_s = limit_of_sum_of_axes,
    .set_float = set_second_derivative_stencil<float>,
    .set_double = set_second_derivative_stencil<double>,
    .factor = &kStarFactor,
    // The star's, and of each memory field 2 for e and 2 fused multiply-adds.
    .operations = [](int radius, int dimensions) { return 11 + 3 * radius * (dimensions - 1) + 4 * radius; },
    .memory = kOneMemory,
    .fit = fit,
    .stiffening = stiffening,
};

constexpr EquationRow of_two() {
    EquationRow row = kOfOne;
    row.name = "attenuation2";
    row.help = "the same with two memory fields: four mechanisms in 2-D";
    row.arrays = kTwoG;
    row.make_scheme = [](int space_order, Coefficients coefficients) {
        return of_star(Equation::attenuation_of_two, space_order, coefficients);
    };
    row.operations = [](int radius, int dimensions) { return 17 + 3 * radius * (dimensions - 1) + 4 * radius; };
    row.memory = kTwoMemories;
    return row;
}

}  // namespace

const EquationRow kAttenuationEquation = kOfOne;
const EquationRow kAttenuationOfTwoEquation = of_two();

}  // namespace onda
