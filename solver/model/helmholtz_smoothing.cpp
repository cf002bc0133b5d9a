#include "solver/model/helmholtz_smoothing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <spdlog/fmt/fmt.h>
#include <string>

#include "io/text/error.hpp"
#include "kernels/companions/conjugate_gradients.hpp"
#include "kernels/companions/double_vectors.hpp"

namespace onda {
namespace {

[[noreturn]] void refuse_smoothing(const std::string& what) {
    throw Error(ExitCode::config, "smoothing: " + what);
}

void check_smoothing(const Grid& grid, const std::vector<double>& values, std::span<const double> lengths_m,
                     const SmoothingGoal& goal) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (grid.n[axis] < 1 || !(grid.spacing_m[axis] > 0.) || !std::isfinite(grid.spacing_m[axis]))
            refuse_smoothing(
                fmt::format("axis {} of the grid has {} nodes {} m apart: it needs 1 or more, and a "
                            "spacing above 0",
                            "xyz"[axis], grid.n[axis], grid.spacing_m[axis]));
    if (std::ssize(values) != grid.points())
        refuse_smoothing(fmt::format("{} values on a grid of {} nodes", values.size(), grid.points()));
    if (lengths_m.size() != 1 && std::ssize(lengths_m) != grid.points())
        refuse_smoothing(fmt::format("{} lengths: give 1, or {}, one for each node", lengths_m.size(), grid.points()));
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isfinite(values[i])) refuse_smoothing(fmt::format("the value of node {} is {}", i, values[i]));
    for (std::size_t i = 0; i < lengths_m.size(); ++i)
        if (!(lengths_m[i] >= 0.) || !std::isfinite(lengths_m[i]))
            refuse_smoothing(
                fmt::format("the length of node {} is {} m: it must be finite, 0 or more", i, lengths_m[i]));
    if (!(goal.tolerance >= 1e-14 && goal.tolerance <= 1.) || goal.most_iterations < 1)
        refuse_smoothing(fmt::format("a tolerance of {} in {} iterations: give 1e-14 to 1, in 1 or more",
                                     goal.tolerance, goal.most_iterations));
}

/// I - div lambda^2 grad.
class HelmholtzOperator {
public:
    HelmholtzOperator(const Grid& grid, std::span<const double> lengths_m) : n_(grid.n) {
        // Along z and y neighbours are whole rows apart.
        for (std::size_t axis = 0; axis < 3; ++axis)
            weight_[axis] = grid.n[axis] > 1 ? 0.5 / (grid.spacing_m[axis] * grid.spacing_m[axis]) : 0.;
        square_m2_.resize(static_cast<std::size_t>(grid.points()));
        for (std::size_t i = 0; i < square_m2_.size(); ++i) {
            const double length = lengths_m[lengths_m.size() == 1 ? 0 : i];
            square_m2_[i] = length * length;
        }
    }

    /// to = A u
    void apply(const std::vector<double>& u, std::vector<double>& to) const {
        const std::int64_t rows = n_[1] * n_[2];
#pragma omp parallel for schedule(static)
        for (std::int64_t row = 0; row < rows; ++row) {
            const std::int64_t begin = row * n_[0], y = row % n_[1], z = row / n_[1];
            std::copy_n(u.data() + begin, n_[0], to.data() + begin);
            add_along_row(u.data() + begin, begin, to.data() + begin);
            if (y > 0) add_from_row(u.data(), begin, -n_[0], weight_[1], to.data());
            if (y + 1 < n_[1]) add_from_row(u.data(), begin, n_[0], weight_[1], to.data());
            if (z > 0) add_from_row(u.data(), begin, -n_[0] * n_[1], weight_[2], to.data());
            if (z + 1 < n_[2]) add_from_row(u.data(), begin, n_[0] * n_[1], weight_[2], to.data());
        }
    }

private:
    /// What flows out of the nodes of a row to their neighbours along x, on the right and then on the left.
    void add_along_row(const double* u, std::int64_t begin, double* to) const {
        const double* const square = square_m2_.data() + begin;
        for (std::int64_t x = 0; x + 1 < n_[0]; ++x)
            to[x] += weight_[0] * (square[x] + square[x + 1]) * (u[x] - u[x + 1]);
        for (std::int64_t x = 1; x < n_[0]; ++x) to[x] += weight_[0] * (square[x] + square[x - 1]) * (u[x] - u[x - 1]);
    }
    /// What flows out of the nodes of a row to those of the row that begins `step` nodes further.
    void add_from_row(const double* u, std::int64_t begin, std::int64_t step, double weight, double* to) const {
        const double* const square = square_m2_.data();
        for (std::int64_t at = begin; at < begin + n_[0]; ++at)
            to[at] += weight * (square[at] + square[at + step]) * (u[at] - u[at + step]);
    }

    std::array<std::int64_t, 3> n_;
    std::array<double, 3> weight_{};  ///< 1 / (2 h^2) [1/m^2]: faces have the mean of two squares
    std::vector<double> square_m2_;   ///< lambda^2
};

/// f - A u
std::vector<double> residual_of(const HelmholtzOperator& helmholtz, const std::vector<double>& f,
                                const std::vector<double>& u) {
    std::vector<double> result(u.size());
    helmholtz.apply(u, result);
    DoubleVectors::combine(result, -1., f);
    return result;
}

}  // namespace

Smoothed smooth_by_lengths(const Grid& grid, const std::vector<double>& values, std::span<const double> lengths_m,
                           const SmoothingGoal& goal) {
    check_smoothing(grid, values, lengths_m, goal);
    const HelmholtzOperator helmholtz(grid, lengths_m);
    const double size = norm(values), enough = goal.tolerance * size;
    Smoothed smoothed{values, 0, 0.};
    bool is_reached = false;
    // What smoothing adds to the values: it sums to zero in every iteration.
    solve_by_conjugate_gradients(
        DoubleVectors{}, residual_of(helmholtz, values, values),
        [&helmholtz](const std::vector<double>& p, std::vector<double>& product) {
            helmholtz.apply(p, product);
            return DoubleVectors::dot(p, product);
        },
        [](const std::vector<double>& r) -> const std::vector<double>& { return r; },
        [&](const IterationState<std::vector<double>>& state) {
            is_reached = std::sqrt(state.slope) <= enough;
            if (!is_reached && state.iteration < goal.most_iterations) return true;
            DoubleVectors::add(smoothed.values, 1., state.solution);
            smoothed.iterations = state.iteration;
            return false;
        });
    smoothed.residual = size > 0. ? norm(residual_of(helmholtz, values, smoothed.values)) / size : 0.;
    if (!is_reached)
        throw Error(ExitCode::unstable,
                    fmt::format("smoothing: after {} iterations the residual is {:.1e} of the values, not {:.1e}: "
                                "smaller lengths, or a larger tolerance, take fewer",
                                smoothed.iterations, smoothed.residual, goal.tolerance));
    return smoothed;
}

std::vector<double> parts_of_wavelengths(std::span<const double> vp_m_s, double frequency_hz, double part) {
    if (!(frequency_hz > 0.) || !std::isfinite(frequency_hz) || !(part >= 0.) || !std::isfinite(part))
        refuse_smoothing(fmt::format(
            "{} of the wavelengths of {} Hz: give a part of 0 or more, and a frequency above 0", part, frequency_hz));
    std::vector<double> lengths_m(vp_m_s.size());
    for (std::size_t i = 0; i < vp_m_s.size(); ++i) {
        if (!(vp_m_s[i] > 0.) || !std::isfinite(vp_m_s[i]))
            refuse_smoothing(fmt::format("vp of node {} is {} m/s: it must be above 0", i, vp_m_s[i]));
        lengths_m[i] = part * vp_m_s[i] / frequency_hz;
    }
    return lengths_m;
}

}  // namespace onda
