#include "solver/performance/model/log_fit.hpp"

#include <algorithm>
#include <cmath>

namespace onda {
namespace {

/// The normal equations of one step: a positive definite matrix, row by row, and the right-hand side.
struct NormalEquations {
    std::size_t n;
    std::vector<double> matrix, right;

    explicit NormalEquations(std::size_t size) : n(size), matrix(size * size, 0.), right(size, 0.) {}
    double& at(std::size_t row, std::size_t column) { return matrix[row * n + column]; }
};

/// Solves normal equations by Cholesky's method, with `damping` times the diagonal added to it. Empty if that is not
/// possible.
std::vector<double> solve(NormalEquations e, double damping) {
    for (std::size_t i = 0; i < e.n; ++i) e.at(i, i) *= 1. + damping;
    for (std::size_t j = 0; j < e.n; ++j) {
        for (std::size_t k = 0; k < j; ++k)
            for (std::size_t i = j; i < e.n; ++i) e.at(i, j) -= e.at(i, k) * e.at(j, k);
        if (!(e.at(j, j) > 0.)) return {};
        const double root = std::sqrt(e.at(j, j));
        for (std::size_t i = j; i < e.n; ++i) e.at(i, j) /= root;
    }
    std::vector<double>& x = e.right;
    for (std::size_t i = 0; i < e.n; ++i) {
        for (std::size_t k = 0; k < i; ++k) x[i] -= e.at(i, k) * x[k];
        x[i] /= e.at(i, i);
    }
    for (std::size_t i = e.n; i-- > 0;) {
        for (std::size_t k = i + 1; k < e.n; ++k) x[i] -= e.at(k, i) * x[k];
        x[i] /= e.at(i, i);
    }
    return x;
}

class LogFit {
public:
    LogFit(std::span<const LogPrior> priors, std::span<const double> measured, const LogModel& model, double tolerance)
        : priors_(priors), measured_(measured), model_(model), tolerance_(tolerance), x_(priors.size(), 0.) {}

    std::vector<double> run() {
        std::vector<double> residuals = residuals_of(x_);
        double cost = cost_of(x_, residuals), damping = 1e-3;
        constexpr int most_steps = 200;
        for (int step = 0; step < most_steps && damping < 1e8; ++step) {
            const NormalEquations equations = linearise(residuals);
            double better = cost;
            for (; damping < 1e8; damping *= 4.) {
                const std::vector<double> change = solve(equations, damping);
                if (change.empty()) continue;
                std::vector<double> next = x_;
                for (std::size_t i = 0; i < next.size(); ++i) next[i] += std::clamp(change[i], -1., 1.);
                const std::vector<double> found = residuals_of(next);
                better = cost_of(next, found);
                if (!(better < cost)) continue;
                x_ = next;
                residuals = found;
                damping = std::max(1e-9, damping / 9.);
                break;
            }
            if (!(better < cost * (1. - 1e-7))) break;
            cost = better;
        }
        return constants_of(x_);
    }

private:
    /// \param x logarithms, in units of twice their spreads, from the priors on.
    [[nodiscard]] std::vector<double> constants_of(const std::vector<double>& x) const {
        std::vector<double> constants;
        for (std::size_t i = 0; i < x.size(); ++i)
            constants.push_back(priors_[i].value * std::exp(2. * priors_[i].spread * x[i]));
        return constants;
    }
    [[nodiscard]] std::vector<double> residuals_of(const std::vector<double>& x) const {
        std::vector<double> values(measured_.size());
        model_(constants_of(x), values);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::log(values[i] / measured_[i]) / tolerance_;
        return values;
    }
    [[nodiscard]] static double cost_of(const std::vector<double>& x, const std::vector<double>& residuals) {
        double cost = 0.;
        for (const double r : residuals) cost += 2. * (std::sqrt(1. + r * r) - 1.);
        for (const double each : x) cost += each * each;
        return cost;
    }
    /// rho is taken for a weight of each residual, that of where it is now.
    [[nodiscard]] NormalEquations linearise(const std::vector<double>& residuals) const {
        constexpr double apart = 1e-4;
        NormalEquations equations(x_.size());
        std::vector<std::vector<double>> slopes;
        for (std::size_t i = 0; i < x_.size(); ++i) {
            std::vector<double> beside = x_;
            beside[i] += apart;
            slopes.push_back(residuals_of(beside));
            for (std::size_t m = 0; m < residuals.size(); ++m) slopes[i][m] = (slopes[i][m] - residuals[m]) / apart;
        }
        for (std::size_t i = 0; i < x_.size(); ++i) {
            equations.at(i, i) = 1.;
            equations.right[i] = -x_[i];
        }
        for (std::size_t m = 0; m < residuals.size(); ++m) {
            const double weight = 1. / std::sqrt(1. + residuals[m] * residuals[m]);
            for (std::size_t i = 0; i < x_.size(); ++i) {
                if (slopes[i][m] == 0.) continue;
                equations.right[i] -= weight * slopes[i][m] * residuals[m];
                for (std::size_t j = 0; j <= i; ++j) equations.at(i, j) += weight * slopes[i][m] * slopes[j][m];
            }
        }
        return equations;
    }

    std::span<const LogPrior> priors_;
    std::span<const double> measured_;
    const LogModel& model_;
    double tolerance_;
    std::vector<double> x_;
};

}  // namespace

std::vector<double> fit_logs(std::span<const LogPrior> priors, std::span<const double> measured, const LogModel& model,
                             double tolerance) {
    return LogFit(priors, measured, model, tolerance).run();
}

}  // namespace onda
