// Least squares over a band of frequencies: few unknowns, none of which may be negative.
#include "kernels/equations/attenuation/relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <numbers>
#include <utility>
#include <vector>

namespace onda {
namespace {

using Complex = std::complex<double>;

constexpr int kFrequencies = 161, kUnknowns = kMostMechanisms + 1;
/// Q of the media that the times are best for: errors of 1/Q matter where it is low, and hardly grow above.
constexpr double kTimesForQ = 30.;
/// Most that c_U may be over the velocity at the upper end of the band, or over vp where that is faster. Strengths that
/// grow without limit would fit a power of the frequency best, and take c_U and the time step with them.
constexpr double kMostStiffening = 1.5;
/// Least k, over that of vp, that this begins with: powers of the frequency come to any velocity, even an infinite one.
constexpr double kLeastWavenumber = 0.5;
using Times = std::array<double, kMostMechanisms>;

/// The frequencies of a fit, evenly spaced in their logarithm, and J that is wanted there, for velocity 1.
struct Target {
    std::vector<double> hz;
    std::vector<Complex> compliance;
    double least_unrelaxed = 0.;  ///< J_U of the largest c_U that is allowed: it falls as Q does, if at all

    Target(const Relaxation& r, double q) {
        for (int i = 0; i < kFrequencies; ++i) {
            hz.push_back(r.low_hz * std::pow(r.high_hz / r.low_hz, static_cast<double>(i) / (kFrequencies - 1)));
            const Complex k = wanted_wavenumber(r, q, hz.back());
            compliance.push_back(k * k);
            least_unrelaxed = std::pow(std::clamp(k.real(), kLeastWavenumber, 1.) / kMostStiffening, 2.);
        }
    }
    /// Times beyond which a mechanism is a power of the frequency in all of the band. Shorter ones would do the same
    /// with strengths that grow without limit, and c_U with them.
    [[nodiscard]] double shortest_s() const { return 0.1 / (2. * std::numbers::pi * hz.back()); }
    [[nodiscard]] double longest_s() const { return 30. / (2. * std::numbers::pi * hz.front()); }
};

/// 1 / (1 + i omega tau) as steps of dt see it.
Complex response(double frequency_hz, double time_s, double dt_s) {
    const double omega = 2. * std::numbers::pi * frequency_hz, chord = 0.5 * omega * dt_s;
    return 1. / Complex(1., time_s * omega / std::sqrt(1. - chord * chord));
}

/// The normal equations of sum |x_0 + sum_l x_l H_l - (J - 1)|^2 / |J|^2: x_0 = J_U - 1, x_l = J_U j_l. Without the 1
/// the unknowns are as small as 1/Q, and so are the rounding errors.
struct NormalEquations {
    double matrix[kUnknowns][kUnknowns] = {}, right[kUnknowns] = {}, square = 0., least_first;
    int unknowns = 1;

    NormalEquations(const Target& target, int mechanisms, double dt_s, const Times& times)
        : least_first(target.least_unrelaxed - 1.), unknowns(1 + mechanisms) {
        for (std::size_t f = 0; f < target.hz.size(); ++f) {
            const Complex weight = 1. / target.compliance[f], value = 1. - weight;
            Complex row[kUnknowns] = {weight};
            for (int l = 0; l < mechanisms; ++l)
                row[l + 1] = response(target.hz[f], times[static_cast<std::size_t>(l)], dt_s) * weight;
            square += std::norm(value);
            for (int i = 0; i < unknowns; ++i) {
                right[i] += real_product(row[i], value);
                for (int j = 0; j <= i; ++j) matrix[i][j] += real_product(row[i], row[j]);
            }
        }
    }
    /// Re(conj(a) b)
    static double real_product(const Complex& a, const Complex& b) { return a.real() * b.real() + a.imag() * b.imag(); }
};

/// The unknowns, and the sum of squares that they leave.
struct Solution {
    std::array<double, kUnknowns> x{};
    double residual = std::numeric_limits<double>::infinity();
};

/// Solves for the unknowns of a subset, by Cholesky's method; the other strengths are 0.
/// \param chosen bit l: mechanism l. \param is_held whether x_0 is at its least.
Solution solve(const NormalEquations& equations, unsigned chosen, bool is_held) {
    int index[kUnknowns], n = 0;
    if (!is_held) index[n++] = 0;
    for (int l = 0; l + 1 < equations.unknowns; ++l)
        if ((chosen >> l) & 1U) index[n++] = l + 1;
    const double held = is_held ? equations.least_first : 0.;
    double factor[kUnknowns][kUnknowns] = {}, x[kUnknowns] = {};
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = equations.matrix[index[i]][index[j]];
            for (int k = 0; k < j; ++k) sum -= factor[i][k] * factor[j][k];
            if (i == j && !(sum > 0.)) return {};  // mechanisms that are alike
            factor[i][j] = i == j ? std::sqrt(sum) : sum / factor[j][j];
        }
        x[i] = equations.right[index[i]] - held * equations.matrix[index[i]][0];
        for (int k = 0; k < i; ++k) x[i] -= factor[i][k] * x[k];
        x[i] /= factor[i][i];
    }
    Solution solution;
    solution.x[0] = held;
    solution.residual = equations.square - held * (2. * equations.right[0] - held * equations.matrix[0][0]);
    for (int i = 0; i < n; ++i) solution.residual -= x[i] * x[i];
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) x[i] -= factor[k][i] * x[k];
        x[i] /= factor[i][i];
        solution.x[static_cast<std::size_t>(index[i])] = x[i];
    }
    return solution;
}

/// The best solution without negative strengths and with c_U within its bound. Of so few mechanisms every subset can be
/// tried.
Solution solve_within_bounds(const NormalEquations& equations) {
    Solution best;
    for (const bool is_held : {false, true}) {
        for (unsigned chosen = 0; chosen < 1U << (equations.unknowns - 1); ++chosen) {
            const Solution one = solve(equations, chosen, is_held);
            const bool allowed = one.x[0] >= equations.least_first &&
                                 std::all_of(one.x.begin() + 1, one.x.end(), [](double x) { return x >= 0.; });
            if (allowed && one.residual < best.residual) best = one;
        }
    }
    return best;
}

/// A search along the logarithms of the times, by steps that halve: the fit is flat near its best, and smooth.
/// \param residual of the result.
Times searched_from(const Target& target, int mechanisms, double dt_s, Times times, double step, double& residual) {
    const auto residual_of = [&](const Times& of) {
        return solve_within_bounds(NormalEquations(target, mechanisms, dt_s, of)).residual;
    };
    residual = residual_of(times);
    for (; step > 1e-4; step *= 0.5)
        for (bool better = true; better;) {
            better = false;
            for (int l = 0; l < mechanisms; ++l)
                for (const double factor : {std::exp(step), std::exp(-step)}) {
                    Times other = times;
                    const double time_s = other[static_cast<std::size_t>(l)] *= factor;
                    if (time_s < target.shortest_s() || time_s > target.longest_s()) continue;
                    if (const double left = residual_of(other); left < residual) {
                        times = other;
                        residual = left;
                        better = true;
                    }
                }
        }
    return times;
}

/// What the times are searched for: Q of kTimesForQ at the centre of the band, wherever vp is the velocity.
Relaxation around_centre(Relaxation r) {
    r.reference_hz = centre_hz(r);
    return r;
}

/// The best times of continuous time, from several beginnings.
Times best_times(const Relaxation& r) {
    const double centre_s = 1. / (2. * std::numbers::pi * r.reference_hz);
    const double width = std::log(r.high_hz / r.low_hz);
    const Target target(r, kTimesForQ);
    Times best{};
    double least = std::numeric_limits<double>::infinity();
    for (const double spread : {0.5, 0.8, 1.1, 1.5}) {
        Times times{};
        for (int l = 0; l < r.mechanisms; ++l) {
            const double place = r.mechanisms == 1 ? 0. : 0.5 - static_cast<double>(l) / (r.mechanisms - 1);
            times[static_cast<std::size_t>(l)] = centre_s * std::exp(place * width * spread);
        }
        double residual = 0.;
        times = searched_from(target, r.mechanisms, 0., times, 0.25, residual);
        if (residual < least) {
            least = residual;
            best = times;
        }
    }
    std::sort(best.begin(), best.end(), std::greater<>());  // those that there are not stay last, as zeros
    return best;
}

/// The best times of continuous time, which every medium and every question of a plan begins with.
Times remembered_times(const Relaxation& r) {
    static std::mutex mutex;
    static std::vector<std::pair<Relaxation, Times>> known;
    const std::lock_guard lock(mutex);
    for (const auto& [relaxation, times] : known)
        if (relaxation == r) return times;
    return known.emplace_back(r, best_times(r)).second;
}

Times times_of_steps(const Relaxation& given, double dt_s) {
    double residual = 0.;
    const Relaxation r = around_centre(given);
    const Times times = remembered_times(r);
    return dt_s == 0. ? times : searched_from(Target(r, kTimesForQ), r.mechanisms, dt_s, times, 0.02, residual);
}

/// The larger of two; a NaN is larger than any number, and stays.
double larger(double so_far, double value) {
    return value <= so_far || std::isnan(so_far) ? so_far : value;
}

}  // namespace

FitError worse(const FitError& a, const FitError& b) {
    return {larger(a.loss, b.loss), larger(a.velocity, b.velocity)};
}

double centre_hz(const Relaxation& r) {
    return std::sqrt(r.low_hz * r.high_hz);
}

double q_at_centre(const Relaxation& r, double q) {
    return q * std::pow(centre_hz(r) / r.reference_hz, 1. - r.power);
}

Complex wanted_wavenumber(const Relaxation& r, double q, double frequency_hz) {
    const double ratio = frequency_hz / r.reference_hz, gamma = std::atan(1. / q) / std::numbers::pi;
    const double loss = std::tan(0.5 * std::numbers::pi * gamma);
    if (r.power == 1.) return std::pow(ratio, -gamma) * Complex(1., -loss);
    const double slower = loss * std::tan(0.5 * std::numbers::pi * r.power) * (std::pow(ratio, r.power - 1.) - 1.);
    return {1. + slower, -loss * std::pow(ratio, r.power - 1.)};
}

RelaxationFit::RelaxationFit(const Relaxation& relaxation, double dt_s)
    : relaxation_(relaxation), dt_s_(dt_s), time_s_(times_of_steps(relaxation, dt_s)) {}

Mechanisms RelaxationFit::mechanisms(double q) const {
    const Solution solution =
        solve_within_bounds(NormalEquations(Target(relaxation_, q), relaxation_.mechanisms, dt_s_, time_s_));
    Mechanisms mechanisms{1. + solution.x[0], {}};
    for (std::size_t l = 0; l < kMostMechanisms; ++l)
        mechanisms.strength[l] = solution.x[l + 1] / mechanisms.compliance;
    return mechanisms;
}

FitError RelaxationFit::error(double q) const {
    const Mechanisms mechanisms = this->mechanisms(q);
    FitError error;
    for (const double hz : Target(relaxation_, q).hz) {
        Complex compliance = 1.;
        for (std::size_t l = 0; l < kMostMechanisms; ++l)
            compliance += mechanisms.strength[l] * response(hz, time_s_[l], dt_s_);
        const Complex k = std::sqrt(mechanisms.compliance * compliance), wanted = wanted_wavenumber(relaxation_, q, hz);
        const auto loss = [](const Complex& value) { return -std::imag(value * value) / std::real(value * value); };
        error = worse(error, {std::abs(loss(k) / loss(wanted) - 1.), std::abs(wanted.real() / k.real() - 1.)});
    }
    return error;
}

MechanismOfClass mechanism_of_class(int mechanisms, int fields, int field, int node_class) {
    const bool odd = is_odd_in_plane(node_class);
    if (fields == 2) {
        if (mechanisms <= 2) return {field, 1.};
        if (mechanisms == 3) return field == 0 ? MechanismOfClass{1, 1.} : MechanismOfClass{odd ? 2 : 0, 2.};
        return {2 * field + (odd ? 1 : 0), 2.};
    }
    switch (mechanisms) {
        case 1: return {0, 1.};
        case 2: return {odd ? 1 : 0, 2.};
        case 3: return node_class % 2 == 1 ? MechanismOfClass{1, 2.} : MechanismOfClass{node_class, 4.};
        default: return {node_class, 4.};
    }
}

}  // namespace onda
