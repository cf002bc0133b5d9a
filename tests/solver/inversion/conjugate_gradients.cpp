// Conjugate gradients: the exact solution after as many steps as a matrix has different eigenvalues, in the range of
// the preconditioner, and what they say of a residual that they do not hold.
#include "kernels/companions/conjugate_gradients.hpp"

#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "kernels/companions/double_vectors.hpp"
#include "solver/inversion/host_vectors.hpp"

using namespace onda;

namespace {

/// Vectors in double precision.
using Values = DoubleVectors::Vector;

/// -d^2/dx^2 with walls: eigenvalues 2 - 2 cos(pi k / (n + 1)), all different.
double apply_differences(const Values& p, Values& product) {
    for (std::size_t i = 0; i < p.size(); ++i)
        product[i] = 2. * p[i] - (i > 0 ? p[i - 1] : 0.) - (i + 1 < p.size() ? p[i + 1] : 0.);
    return DoubleVectors::dot(p, product);
}

struct Solved {
    Values x;
    std::vector<double> slopes;
    std::int64_t iterations = 0;
};

template <typename Apply, typename Precondition>
Solved solve(Values b, const Apply& apply, const Precondition& precondition, std::int64_t most, double least = 0.) {
    Solved solved;
    solve_by_conjugate_gradients(DoubleVectors{}, std::move(b), apply, precondition,
                                 [&](const IterationState<Values>& state) {
                                     solved.x = state.solution;
                                     solved.slopes.push_back(state.slope);
                                     solved.iterations = state.iteration;
                                     return state.iteration < most && state.slope > least;
                                 });
    return solved;
}

Values itself(const Values& r) {
    return r;
}

}  // namespace

TEST_CASE("conjugate gradients end after as many steps as there are different eigenvalues") {
    constexpr std::size_t n = 40;
    Values expected(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = std::sin(1. + double(i * i % 17));
    Values b(n);
    apply_differences(expected, b);
    const Solved solved = solve(b, apply_differences, itself, n);
    CHECK(solved.iterations == n);
    for (std::size_t i = 0; i < n; ++i) CHECK(solved.x[i] == doctest::Approx(expected[i]).epsilon(1e-10));
    CHECK(solved.slopes[n / 2] > 1e-7);  // not before

    // Three eigenvalues, however many unknowns; and with the inverse as preconditioner one step.
    const auto apply = [](const Values& p, Values& product) {
        for (std::size_t i = 0; i < p.size(); ++i) product[i] = (1. + 4. * double(i % 3)) * p[i];
        return DoubleVectors::dot(p, product);
    };
    const auto inverse = [](const Values& r) {
        Values z = r;
        for (std::size_t i = 0; i < z.size(); ++i) z[i] /= 1. + 4. * double(i % 3);
        return z;
    };
    CHECK(solve(Values(n, 1.), apply, itself, 100, 1e-24).iterations == 3);
    CHECK(solve(Values(n, 1.), apply, inverse, 100, 1e-24).iterations == 1);
}

TEST_CASE("a preconditioner that is zero somewhere keeps the solution zero there") {
    const auto left_half = [](const Values& r) {
        Values z = r;
        for (std::size_t i = z.size() / 2; i < z.size(); ++i) z[i] = 0.;
        return z;
    };
    const Solved solved = solve(Values(20, 1.), apply_differences, left_half, 100, 1e-24);
    CHECK(solved.iterations == 5);  // half the eigenvectors of ten unknowns are odd
    // -x'' = 1 on ten nodes between walls, whatever lies beyond.
    for (std::size_t i = 0; i < 10; ++i) CHECK(solved.x[i] == doctest::Approx(0.5 * double(i + 1) * double(10 - i)));
    for (std::size_t i = 10; i < 20; ++i) CHECK(solved.x[i] == 0.);
}

TEST_CASE("gains add up to what the squared residual of a least-squares problem falls by") {
    // J: differences of neighbours and half the values; d beyond its range.
    constexpr std::size_t n = 12;
    const auto j = [](const Values& x) {
        Values y;
        for (std::size_t i = 0; i + 1 < n; ++i) y.push_back(x[i + 1] - x[i]);
        for (std::size_t i = 0; i < n; ++i) y.push_back(0.5 * x[i]);
        return y;
    };
    const auto transposed = [](const Values& y) {
        Values x(n);
        for (std::size_t i = 0; i + 1 < n; ++i) {
            x[i + 1] += y[i];
            x[i] -= y[i];
        }
        for (std::size_t i = 0; i < n; ++i) x[i] += 0.5 * y[n - 1 + i];
        return x;
    };
    Values d(2 * n - 1);
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = std::cos(double(i * i));
    double squared = DoubleVectors::dot(d, d), last = squared;
    solve_by_conjugate_gradients(
        DoubleVectors{}, transposed(d),
        [&](const Values& p, Values& product) {
            const Values predicted = j(p);
            product = transposed(predicted);
            return DoubleVectors::dot(predicted, predicted);
        },
        itself,
        [&](const IterationState<Values>& state) {
            squared -= state.gain;
            Values r = d;
            DoubleVectors::add(r, -1., j(state.solution));
            CHECK(DoubleVectors::dot(r, r) == doctest::Approx(squared).epsilon(1e-12));
            CHECK((state.iteration == 0 || squared < last));
            last = squared;
            return state.iteration < 8;
        });
    CHECK(squared > 0.1);  // what no x explains
}

TEST_CASE("sums of vectors on the host do not depend on the number of threads, and what they do is what it says") {
    HostVectors::Vector a, b;
    for (int i = 0; i < 10'001; ++i) {
        a.push_back(float(std::sin(i)));
        b.push_back(float(std::cos(3. * i)));
    }
    double expected = 0.;
    for (std::size_t i = 0; i < a.size(); ++i) expected += double(a[i]) * double(b[i]);
    CHECK(HostVectors::dot(a, b) == doctest::Approx(expected).epsilon(1e-13));
    CHECK(HostVectors::dot(a, b) == HostVectors::dot(b, a));
    HostVectors::Vector y = a;
    HostVectors::add(y, -0.5, b);
    CHECK(y[77] == doctest::Approx(a[77] - 0.5F * b[77]));
    y = a;
    HostVectors::combine(y, 2., b);
    CHECK(y[78] == doctest::Approx(b[78] + 2.F * a[78]));
    CHECK(HostVectors::zeros(a) == HostVectors::Vector(a.size()));
}
