/// \file
/// Conjugate gradients with a preconditioner (Hestenes and Stiefel 1952, J. Res. Natl. Bur. Stand. 49; Golub and Van
/// Loan, Matrix Computations, 4th ed., algorithm 11.5.1) for A x = b, A symmetric and positive semidefinite.
///
/// For A = J'J and b = J'd this is CGLS: it is given |J p|^2 as the curvature of a direction p, and the squared norm of
/// the residual d - J x, which it does not hold, falls by IterationState::gain with each iteration. J'(d - J x) follows
/// from products with J'J (Bjoerck, Elfving and Strakos 1998, SIAM J. Matrix Anal. Appl. 19(3), CGLS2), so that an
/// iteration takes one of these, and not one with J and one with J'.
#pragma once

#include <cstdint>
#include <utility>

namespace onda {

/// Where an iteration has come to.
template <typename Vector>
struct IterationState {
    std::int64_t iteration;  ///< 0: x = 0
    const Vector& solution;  ///< x
    double step;             ///< along the last direction; 0 of iteration 0
    double gain;             ///< what |d - J x|^2 has fallen by with it
    double slope;            ///< <r, M r>, r = b - A x: 0 where nothing is left to be gained
};

/// Solves A x = b from x = 0 on.
/// \tparam Space what vectors do, wherever they are: the type `Vector`, which moves, and
///     Vector zeros(const Vector& like);
///     double dot(const Vector& a, const Vector& b);
///     void add(Vector& y, double a, const Vector& x);      y += a x
///     void combine(Vector& y, double b, const Vector& x);  y = x + b y
/// \param apply (const Vector& p, Vector& product) makes the product A p and returns its curvature <p, A p>.
/// \param precondition (const Vector& r) returns M r, or a reference to it; M is symmetric and positive semidefinite,
/// and
///     x stays in its range.
/// \param watch (const IterationState&) sees x = 0 and x after every iteration, and returns whether to go on.
/// Ends, too, where the slope or the curvature of a direction is not positive: x is the solution to rounding.
template <typename Space, typename Apply, typename Precondition, typename Watch>
void solve_by_conjugate_gradients(const Space& space, typename Space::Vector b, const Apply& apply,
                                  const Precondition& precondition, const Watch& watch) {
    using Vector = typename Space::Vector;
    Vector x = space.zeros(b), product = space.zeros(b);
    Vector& r = b;
    Vector p = precondition(r);
    double slope = space.dot(r, p);
    bool goes_on = watch(IterationState<Vector>{0, x, 0., 0., slope});
    for (std::int64_t iteration = 1; goes_on && slope > 0.; ++iteration) {
        const double curvature = apply(std::as_const(p), product);
        if (!(curvature > 0.)) return;
        const double step = slope / curvature, gain = step * slope;
        space.add(x, step, p);
        space.add(r, -step, product);
        const Vector& z = precondition(r);
        const double before = std::exchange(slope, space.dot(r, z));
        space.combine(p, slope / before, z);
        goes_on = watch(IterationState<Vector>{iteration, x, step, gain, slope});
    }
}

}  // namespace onda
