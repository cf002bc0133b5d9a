// Equations in a medium that absorbs, each the one without loss with memory fields, or drag, beside it.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>
#include <vector>

#include "kernels/equations/attenuation/drag.hpp"
#include "kernels/equations/attenuation/relaxation.hpp"
#include "kernels/equations/constant_density.hpp"
#include "kernels/equations/scheme.hpp"

namespace onda {
namespace {

constexpr std::array kParameters{kVp, kQ};
constexpr std::array kParametersWithDensity{kVp, kRho, kQ};
constexpr std::array<std::string_view, 2> kMemories{"r", "r_2"};
constexpr MediumArray kK{"k", false, true}, kG{"g", false, true}, kSecondG{"g_2", false, true};
constexpr std::array kArrays{kK, kG, kSecondG};
constexpr MediumArray kHalfRho{
    "half_rho", true, false,
    [](const double* parameters, double dt_s) { return kDensityEquation.arrays[1].value(parameters, dt_s); },
    [](std::span<const std::vector<float>> parameters, double dt_s, std::span<double> values) {
        kDensityEquation.arrays[1].row(parameters, dt_s, values);
    }};
constexpr std::array kArraysWithDensity{kK, kHalfRho, kG, kSecondG};

/// The strengths of the mechanisms for every Q, from a table: both strength times Q and what is left of c_U / vp - 1
/// are nearly straight lines of 1/Q. Its Q are those at the centre of the band.
class StrengthTable {
public:
    explicit StrengthTable(const RelaxationFit& fit) : of_q_(q_at_centre(fit.relaxation(), 1.)) {
        for (int i = 0; i <= kIntervals; ++i) {
            const double loss = kLeast + (kMost - kLeast) * i / kIntervals;
            Mechanisms row = fit.mechanisms(1. / (of_q_ * loss));
            for (double& strength : row.strength) strength /= loss;
            row.compliance = (row.compliance - 1.) / loss;
            rows_.push_back(row);
        }
    }
    /// Whether a medium absorbs: by its Q where the waves are, at the centre of the band.
    [[nodiscard]] bool absorbs(double q) const { return of_q_ * q < kLossless; }
    /// \param q of a medium that absorbs.
    [[nodiscard]] Mechanisms at(double q) const {
        const Place place(of_q_ * q);
        const auto between = [&](double low, double high) { return place.loss * (low + place.part * (high - low)); };
        Mechanisms found = interpolated(place, between);
        found.compliance += 1.;
        return found;
    }
    /// Their derivatives with respect to Q: at a row of the table those towards the smaller Q, and 0 below the last.
    [[nodiscard]] Mechanisms slopes_at(double q) const {
        const Place place(of_q_ * q);
        const double slope_of_loss = of_q_ * q < kQ.lowest ? 0. : -place.loss / q;
        return interpolated(place, [&](double low, double high) {
            return slope_of_loss * (low + (place.part + place.loss * kPerLoss) * (high - low));
        });
    }

private:
    /// Where a Q at the centre is between the rows.
    struct Place {
        double loss, part;
        std::size_t row;

        explicit Place(double q) : loss(std::clamp(1. / q, kLeast, kMost)) {
            const double place = (loss - kLeast) / (kMost - kLeast) * kIntervals;
            row = static_cast<std::size_t>(std::min(place, kIntervals - 1.));
            part = place - static_cast<double>(row);
        }
    };
    /// \param between makes a value of those of the row before and the row behind.
    template <typename Between>
    [[nodiscard]] Mechanisms interpolated(const Place& place, const Between& between) const {
        const Mechanisms &before = rows_[place.row], &behind = rows_[place.row + 1];
        Mechanisms found{between(before.compliance, behind.compliance), {}};
        for (std::size_t l = 0; l < kMostMechanisms; ++l)
            found.strength[l] = between(before.strength[l], behind.strength[l]);
        return found;
    }

    static constexpr int kIntervals = 512;
    static constexpr double kLeast = 1. / kLossless, kMost = 1. / kQ.lowest, kPerLoss = kIntervals / (kMost - kLeast);
    double of_q_;  ///< Q at the centre over that at the reference frequency
    std::vector<Mechanisms> rows_;
};

/// A fit and its strengths.
struct Fitted {
    RelaxationFit fit;
    StrengthTable table;

    Fitted(const Relaxation& relaxation, double dt_s) : fit(relaxation, dt_s), table(fit) {}
};

/// The same for all media of a run, which may be as many as its shots.
std::shared_ptr<const Fitted> remembered_fit(const Relaxation& relaxation, double dt_s) {
    constexpr std::size_t most = 64;
    static std::mutex mutex;
    static std::vector<std::pair<double, std::shared_ptr<const Fitted>>> known;
    const std::lock_guard lock(mutex);
    for (const auto& [known_dt_s, fitted] : known)
        if (known_dt_s == dt_s && fitted->fit.relaxation() == relaxation) return fitted;
    if (known.size() == most) known.erase(known.begin());
    return known.emplace_back(dt_s, std::make_shared<Fitted>(relaxation, dt_s)).second;
}

/// k, g and a of kernels/equations/attenuation/memory.hpp: with k_0 of the equation without loss at c_U = vp, beta =
/// dt / (2 tau + dt), and the strengths j of a node
///     k = k_0 (c_U / vp)^2 / (1 + sum j beta),  g = 2 j beta / (1 + sum j beta) 2 tau / (2 tau + dt),  a = 2 beta.
class AttenuationFit final : public MediumFit {
public:
    /// \param lossless the equation without loss.
    AttenuationFit(const EquationRow& lossless, const Relaxation& relaxation, int fields, double dt_s)
        : lossless_(lossless), fitted_(remembered_fit(relaxation, dt_s)), fields_(fields), dt_s_(dt_s) {}

    void row(std::size_t array, std::span<const std::vector<float>> parameters, std::int64_t y, std::int64_t z,
             std::span<double> values) const override {
        set_row(array, parameters, y, z, values, [&](double k, double q, int its_class) {
            return fitted_->table.absorbs(q) ? value(array, k, q, its_class) : k;
        });
    }
    void slope_row(std::size_t array, std::span<const std::vector<float>> parameters, std::int64_t y, std::int64_t z,
                   std::span<double> slopes) const override {
        set_row(array, parameters, y, z, slopes, [&](double k, double q, int its_class) {
            return fitted_->table.absorbs(q) ? slope(array, k, q, its_class) : 0.;
        });
    }
    [[nodiscard]] std::array<double, kNodeClasses> of_class(std::size_t field) const override {
        std::array<double, kNodeClasses> a{};
        for (int c = 0; c < kNodeClasses; ++c)
            a[static_cast<std::size_t>(c)] = 2. * beta(of(static_cast<int>(field), c).mechanism);
        return a;
    }

private:
    [[nodiscard]] MechanismOfClass of(int field, int its_class) const {
        return mechanism_of_class(fitted_->fit.relaxation().mechanisms, fields_, field, its_class);
    }
    /// Of a field without a mechanism: 0, and its memory stays empty.
    [[nodiscard]] double beta(int mechanism) const {
        return mechanism < fitted_->fit.relaxation().mechanisms ? dt_s_ / (2. * fitted_->fit.time_s(mechanism) + dt_s_)
                                                                : 0.;
    }
    /// Sets the nodes of a row to of_node(k without loss, which is 0 for other arrays than k, Q, class).
    template <typename OfNode>
    void set_row(std::size_t array, std::span<const std::vector<float>> parameters, std::int64_t y, std::int64_t z,
                 std::span<double> values, const OfNode& of_node) const {
        const std::vector<float>& q = parameters.back();
        for (std::size_t x = 0; x < values.size(); ++x) {
            double node[kMaxParameters] = {};
            for (std::size_t i = 0; i < parameters.size(); ++i) node[i] = static_cast<double>(parameters[i][x]);
            const double k = array == 0 ? lossless_.arrays.front().value(node, dt_s_) : 0.;
            values[x] = of_node(k, static_cast<double>(q[x]), node_class(static_cast<std::int64_t>(x), y, z));
        }
    }
    /// j beta of a field, and, of their derivatives, that of it.
    [[nodiscard]] double taken_at_once(const Mechanisms& mechanisms, int field, int its_class) const {
        const MechanismOfClass own = of(field, its_class);
        return mechanisms.strength[static_cast<std::size_t>(own.mechanism)] * own.times_stronger * beta(own.mechanism);
    }
    [[nodiscard]] int field_of(std::size_t array) const { return static_cast<int>(array - lossless_.arrays.size()); }
    /// \param k without loss.
    [[nodiscard]] double value(std::size_t array, double k, double q, int its_class) const {
        const Mechanisms mechanisms = fitted_->table.at(q);
        double all = 1.;
        for (int field = 0; field < fields_; ++field) all += taken_at_once(mechanisms, field, its_class);
        if (array == 0) return k / (mechanisms.compliance * all);
        const int field = field_of(array);
        return 2. * taken_at_once(mechanisms, field, its_class) / all * (1. - beta(of(field, its_class).mechanism));
    }
    /// The derivative of value() with respect to Q.
    [[nodiscard]] double slope(std::size_t array, double k, double q, int its_class) const {
        const Mechanisms mechanisms = fitted_->table.at(q), slopes = fitted_->table.slopes_at(q);
        double all = 1., of_all = 0.;
        for (int field = 0; field < fields_; ++field) {
            all += taken_at_once(mechanisms, field, its_class);
            of_all += taken_at_once(slopes, field, its_class);
        }
        if (array == 0)
            return -k / (mechanisms.compliance * all) * (slopes.compliance / mechanisms.compliance + of_all / all);
        const int field = field_of(array);
        const double taken = taken_at_once(mechanisms, field, its_class),
                     of_taken = taken_at_once(slopes, field, its_class);
        return 2. * (of_taken - taken * of_all / all) / all * (1. - beta(of(field, its_class).mechanism));
    }

    const EquationRow& lossless_;
    std::shared_ptr<const Fitted> fitted_;
    int fields_;
    double dt_s_;
};

/// c_U / vp, which grows as Q falls.
double stiffening(const Scheme& scheme, std::span<const double> lowest, double dt_s) {
    const double q = std::max(lowest.back(), kQ.lowest);
    if (scheme.equation->memory.empty()) return drag_stiffening(q);
    if (q_at_centre(scheme.relaxation, q) >= kLossless) return 1.;
    return 1. / std::sqrt(RelaxationFit(scheme.relaxation, dt_s).mechanisms(q).compliance);
}

template <const EquationRow& lossless>
std::shared_ptr<const MediumFit> fit(const Scheme& scheme, int, double dt_s) {
    const int fields = static_cast<int>(scheme.equation->memory.size());
    if (fields == 0) return drag_fit(lossless, scheme.relaxation, dt_s);
    return std::make_shared<AttenuationFit>(lossless, scheme.relaxation, fields, dt_s);
}

/// The scheme of the equation without loss, for this one.
template <const EquationRow& lossless, const EquationRow& absorbing>
Scheme make_absorbing(int space_order, Coefficients coefficients) {
    Scheme scheme = make_scheme(lossless, space_order, coefficients);
    scheme.equation = absorbing;
    return scheme;
}

/// Operations beside those without loss: of each memory field 2 for e and two fused multiply-adds, of drag half of it.
template <const EquationRow& lossless, int fields>
int operations(int radius, int dimensions) {
    return lossless.operations(radius, dimensions) + (fields == 0 ? 3 : 6 * fields);
}

/// What two equations differ in beside the operator.
struct Kind {
    std::string_view title;
    std::span<const MediumParameter> parameters, constants;
    std::span<const MediumArray> arrays;  ///< with those of all memory fields, g, at the end
    double (*source_density)(const double* arrays);
    const FactorRow* factor;
};
constexpr Kind kConstantDensity{"attenuation", kParameters, kConstantDensityConstants, kArrays, nullptr, &kStarFactor};
constexpr Kind kVariableDensity{"attenuation, variable density",
                                kParametersWithDensity,
                                {},
                                kArraysWithDensity,
                                [](const double* arrays) { return kDensityEquation.source_density(arrays); },
                                &kDensityFactor};

/// The row of an equation without loss, with so many memory fields, or with drag. It asks that of the equation when it
/// is asked, not when it is made: rows are constants.
template <const EquationRow& lossless, const EquationRow& absorbing, int fields>
constexpr EquationRow row_of(std::string_view name, const Kind& kind, const EquationRow* with_more_memory = nullptr,
                             const EquationRow* with_drag = nullptr) {
    using Numbers = std::vector<double>;
    using Spacings = std::array<double, 3>;
    return {
        .name = name,
        .help = fields == 0 ? "the same in a medium that absorbs as is asked for at one frequency"
                            : "the same in a medium that absorbs",
        .title = kind.title,
        .stencil = kStarStencil,
        .parameters = kind.parameters,
        .constants = kind.constants,
        .fields = kPressureField,
        .arrays = kind.arrays.first(kind.arrays.size() - kMemories.size() + (fields == 0 ? 1 : fields)),
        .source_density = kind.source_density,
        .make_scheme = make_absorbing<lossless, absorbing>,
        .halo = [](int radius) { return lossless.halo(radius); },
        .axis_symbol = [](const Scheme& scheme, double kh) { return lossless.axis_symbol(scheme, kh); },
        .symbol = [](const Scheme& scheme, const Numbers& axis,
                     const Numbers& spacing_m) { return lossless.symbol(scheme, axis, spacing_m); },
        .stability_limit_s =
            [](const Scheme& scheme, const Numbers& spacing_m, double vp_max_m_s) {
                return lossless.stability_limit_s(scheme, spacing_m, vp_max_m_s);
            },
        .set_float = [](Stencil<float>& stencil, const Scheme& scheme,
                        const Spacings& spacing_m) { lossless.set_float(stencil, scheme, spacing_m); },
        .set_double = [](Stencil<double>& stencil, const Scheme& scheme,
                         const Spacings& spacing_m) { lossless.set_double(stencil, scheme, spacing_m); },
        .factor = kind.factor,
        .operations = operations<lossless, fields>,
        .memory = std::span(kMemories).first(fields),
        .fit = fit<lossless>,
        .stiffening = stiffening,
        .with_more_memory = with_more_memory,
        .with_drag = with_drag,
    };
}

}  // namespace

constinit const EquationRow kAttenuationEquation = row_of<kStarEquation, kAttenuationEquation, 1>(
    "attenuation", kConstantDensity, &kAttenuationOfTwoEquation, &kDragEquation);
constinit const EquationRow kAttenuationOfTwoEquation =
    row_of<kStarEquation, kAttenuationOfTwoEquation, 2>("attenuation2", kConstantDensity);
constinit const EquationRow kAttenuationDensityEquation = row_of<kDensityEquation, kAttenuationDensityEquation, 1>(
    "attenuation_density", kVariableDensity, &kAttenuationDensityOfTwoEquation, &kDragDensityEquation);
constinit const EquationRow kAttenuationDensityOfTwoEquation =
    row_of<kDensityEquation, kAttenuationDensityOfTwoEquation, 2>("attenuation_density2", kVariableDensity);
constinit const EquationRow kDragEquation = row_of<kStarEquation, kDragEquation, 0>("drag", kConstantDensity);
constinit const EquationRow kDragDensityEquation =
    row_of<kDensityEquation, kDragDensityEquation, 0>("drag_density", kVariableDensity);

}  // namespace onda
