/// \file
/// Directions along which a misfit J(x) falls, within bounds on x: L-BFGS, conjugate gradients or steepest descent,
/// with a preconditioner.
///
/// This is own code although libraries for it exist (L-BFGS-B, LBFGSpp, libLBFGS, NLopt, TAO). No kept library was
/// found that takes a preconditioner, works on the single-precision vectors of the wave kernels, and goes on after an
/// interruption to the same bits, all three together.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "solver/inversion/host_vectors.hpp"

namespace onda {

enum class DescentMethod { lbfgs, conjugate_gradients, steepest_descent };

/// lowest[i] <= x[i] <= highest[i]. A variable whose bounds are equal is held; infinite bounds are none.
struct VariableBounds {
    std::span<const float> lowest, highest;
};

/// Moves each value that lies outside its bounds onto the nearer one. \throws Error(internal) if sizes differ.
void project(HostVectors::Vector& x, const VariableBounds& box);

/// P(x + step p), P as project(): each value is rounded once to single precision. \throws Error(internal) if sizes
/// differ.
[[nodiscard]] HostVectors::Vector moved(const HostVectors::Vector& x, double step, const HostVectors::Vector& p,
                                        const VariableBounds& box);

/// The 2-norm of the gradient over the free variables: neither held, nor at a bound that -gradient points beyond. It
/// is zero where x fulfils the first-order conditions of a minimum, and scales with J: whether it is small, the norm at
/// the first x says. \throws Error(internal) if sizes differ.
[[nodiscard]] double projected_gradient_norm(const HostVectors::Vector& x, const HostVectors::Vector& gradient,
                                             const VariableBounds& box);

/// What is told one point after the other, with its gradient, and says where to go from there.
///
/// Methods, all on the free variables of projected_gradient_norm() alone (an active set that is chosen anew at each
/// point: Bertsekas 1982, SIAM J. Control Optim. 20(2), two-metric projection), with g the gradient there and M the
/// preconditioner:
/// - steepest descent: p = -M g;
/// - L-BFGS: the two-loop recursion (Nocedal and Wright, Numerical Optimization, 2nd ed., algorithm 7.4) over the last
///   `memory` pairs s = x - x_before, y = g - g_before, from gamma M with gamma = s'y / y'My of the last pair. With M =
///   I gamma is their equation 7.20. Pairs, too, are restricted to the free variables, on which y = A s stays true for
///   a quadratic J once bound variables rest. Those of no positive curvature there are left out; if all are, gamma is
///   that of the last one unrestricted. So where there are pairs, a step of 1 along p is that of Newton's method,
///   nearly;
/// - conjugate gradients: p = -M g + beta p_before, beta = (g - g_before)'z / g_before'z_before, z = M g (Polak and
///   Ribiere 1969, Rev. Franc. Inform. Rech. Oper. 16). It restarts from -M g where successive gradients are far from
///   orthogonal, |g_before'z| >= 0.2 g'z (Powell 1977, Math. Program. 12), and so wherever beta would be negative, as
///   PR+ does (Gilbert and Nocedal 1992, SIAM J. Optim. 2(1)).
///
/// No result depends on the number of threads, or on anything but what the object has been told: another one that is
/// told the same points, gradients and preconditioners, with forget() at the same places, returns the same bits. That
/// is how an interrupted inversion goes on.
class DescentDirections {
public:
    using Vector = HostVectors::Vector;
    /// Replaces v by M v. M is symmetric and positive semidefinite, and may differ from call to call.
    using Preconditioner = std::function<void(Vector&)>;

    /// \param memory pairs that L-BFGS keeps, of two vectors each; the other methods keep none.
    /// \throws Error(internal) if it is negative.
    DescentDirections(DescentMethod method, std::int64_t memory);

    /// \param x within the box. \param gradient of J at x.
    /// \return p, with p'gradient < 0, and zero for held variables and for those at a bound that p would leave; along
    /// moved(x, a, p, box) J falls for small a. All of p is zero where the projected gradient is, or where M takes all
    /// of it away. Where rounding leaves no descent, forgets and returns -M g.
    /// \throws Error(internal) if sizes differ, or are not those of the pairs; Error(unstable) if x or the gradient is
    /// not finite.
    [[nodiscard]] Vector direction(const Vector& x, const Vector& gradient, const VariableBounds& box,
                                   const Preconditioner& precondition);

    /// Drops pairs, the last point and the last direction: J has changed.
    void forget();

    /// Whether the last direction is that of the preconditioned gradient alone, so that forget() would not change it.
    [[nodiscard]] bool was_steepest() const { return steepest_; }
    /// Pairs that are kept.
    [[nodiscard]] std::int64_t pairs() const { return static_cast<std::int64_t>(pairs_.size()); }
    /// Pairs that were not kept, since J does not curve upwards along s (s'y > 0, the curvature condition), or by too
    /// little to be told from rounding. forget() leaves this number as it is.
    [[nodiscard]] std::int64_t skipped() const { return skipped_; }

private:
    /// The present gradient, zero but for the free variables, and which are free: one byte each, 1 or 0.
    struct Reduced {
        Vector gradient;
        std::vector<std::uint8_t> free;
    };
    struct Pair {
        Vector s, y;
    };

    void learn_pair(const Vector& x, const Vector& gradient);
    [[nodiscard]] Vector steepest(const Reduced& reduced, const Preconditioner& precondition);
    [[nodiscard]] Vector conjugate(const Reduced& reduced, const Vector& gradient, const Preconditioner& precondition);
    [[nodiscard]] Vector quasi_newton(const Reduced& reduced, const Preconditioner& precondition) const;

    DescentMethod method_;
    std::int64_t memory_, skipped_ = 0;
    std::deque<Pair> pairs_;             ///< the oldest first
    Vector x_before_, gradient_before_;  ///< of the last call; an empty gradient: none
    Vector p_before_;                    ///< conjugate gradients alone
    bool steepest_ = true;
    double slope_before_ = 0.;  ///< g'Mg of the last call, of conjugate gradients
};

}  // namespace onda
