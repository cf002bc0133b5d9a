// L-BFGS against L-BFGS-B 3.0 of its authors (Zhu, Byrd, Lu and Nocedal 1997, ACM Trans. Math. Softw. 23(4); Morales
// and Nocedal 2011, 38(1)), which is in double precision: the same minimisers and active sets, in not many more
// evaluations.
#include <doctest/doctest.h>

#if ONDA_HAVE_LBFGSB

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/solver/inversion/descent_support.hpp"

using namespace onda;
using namespace onda::test;

/// As gfortran passes it: LOGICAL of four bytes, and after all else the lengths of the two strings, of 60 characters
/// each.
extern "C" void setulb_(const int* n, const int* m, double* x, const double* lowest, const double* highest,
                        const int* bounds, double* f, double* g, const double* factr, const double* pgtol, double* wa,
                        int* iwa, char* task, const int* iprint, char* csave, int* lsave, int* isave, double* dsave,
                        std::size_t task_length, std::size_t csave_length);

namespace {

struct LbfgsbFound {
    DoubleValues x;
    std::int64_t evaluations = 0;  // of J and its gradient at once
};

/// \param problem with bounds on all variables that are finite.
LbfgsbFound minimise_by_lbfgsb(const DescentProblem& problem, DoubleValues x, int memory, double tolerance) {
    const int n = int(x.size()), quiet = -1;
    const auto values = std::size_t(n), pairs = std::size_t(memory);
    DoubleValues g(values), wa((2 * pairs + 5) * values + 11 * pairs * pairs + 8 * pairs);
    const DoubleValues lowest(problem.lowest.begin(), problem.lowest.end());
    const DoubleValues highest(problem.highest.begin(), problem.highest.end());
    const std::vector<int> bounds(values, 2);  // both, of each variable
    std::vector<int> iwa(3 * values);
    std::array<char, 60> task, csave;
    task.fill(' ');
    csave.fill(' ');
    const std::string_view start = "START";
    std::copy(start.begin(), start.end(), task.begin());
    std::array<int, 4> lsave{};
    std::array<int, 44> isave{};
    std::array<double, 29> dsave{};
    const double factr = 0.;  // ends by the projected gradient alone
    double f = 0.;
    LbfgsbFound found;
    for (;;) {
        setulb_(&n, &memory, x.data(), lowest.data(), highest.data(), bounds.data(), &f, g.data(), &factr, &tolerance,
                wa.data(), iwa.data(), task.data(), &quiet, csave.data(), lsave.data(), isave.data(), dsave.data(),
                task.size(), csave.size());
        const std::string_view what(task.data(), task.size());
        if (what.starts_with("FG")) {
            f = problem.evaluate(x, g);
            ++found.evaluations;
        } else if (!what.starts_with("NEW_X")) {
            CHECK_MESSAGE(what.starts_with("CONV"), what);
            found.x = x;
            return found;
        }
    }
}

/// Both from the same point; evaluations of J and of its gradient are counted as one each, and L-BFGS-B's, which are of
/// both, as one. \return how many variables are on a bound in the end.
std::size_t compare_with_lbfgsb(const DescentProblem& problem, float start, double tolerance) {
    const std::size_t n = problem.lowest.size();
    const LbfgsbFound theirs = minimise_by_lbfgsb(problem, DoubleValues(n, double(start)), 5, tolerance);
    DescentDirections directions(DescentMethod::lbfgs, 5);
    const Minimised ours = minimise(problem, DescentValues(n, start), directions, tolerance);
    double difference = 0., size = 0.;
    std::size_t bound = 0;
    for (std::size_t i = 0; i < n; ++i) {
        difference = std::max(difference, std::abs(double(ours.x[i]) - theirs.x[i]));
        size = std::max(size, std::abs(theirs.x[i]));
        bound += ours.x[i] == problem.lowest[i] || ours.x[i] == problem.highest[i];
        CHECK((ours.x[i] == problem.lowest[i]) == (theirs.x[i] == double(problem.lowest[i])));
        CHECK((ours.x[i] == problem.highest[i]) == (theirs.x[i] == double(problem.highest[i])));
    }
    INFO("evaluations: " << ours.misfits << " + " << ours.gradients << " gradients, L-BFGS-B " << theirs.evaluations
                         << "; difference " << difference / size);
    CHECK(difference < 1e-4 * size);
    CHECK(ours.misfits + ours.gradients <= 3 * theirs.evaluations);
    return bound;
}

}  // namespace

TEST_CASE("L-BFGS-B and L-BFGS agree on a chain of Rosenbrock's function with active bounds") {
    for (const double lowest_odd : {-100., 0.5, 1.1, 1.5}) {
        CAPTURE(lowest_odd);
        CHECK((compare_with_lbfgsb(rosenbrock_chain(25, lowest_odd), 3.F, 2e-4) > 5) == (lowest_odd > 1.));
    }
}

TEST_CASE("L-BFGS-B and L-BFGS agree on quadratics with bounds") {
    // A = B'B + I/2, B of numbers in -1...1 that a linear congruential generator (Knuth's MMIX) gives.
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        CAPTURE(seed);
        constexpr std::size_t n = 60;
        std::uint64_t state = seed;
        const auto draw = [&] {
            state = state * 6364136223846793005U + 1442695040888963407U;
            return double(state >> 11U) * 0x1p-52 - 1.;
        };
        DoubleValues b(n * n), centre(n), a(n * n);
        for (double& value : b) value = draw();
        for (double& value : centre) value = 2. * draw();
        for (std::size_t i = 0; i < n * n; ++i) {
            a[i] = i / n == i % n ? 0.5 : 0.;
            for (std::size_t k = 0; k < n; ++k) a[i] += b[k * n + i / n] * b[k * n + i % n];
        }
        DescentProblem problem;
        problem.evaluate = [=](const DoubleValues& x, DoubleValues& g) {
            double f = 0.;
            for (std::size_t i = 0; i < n; ++i) {
                g[i] = 0.;
                for (std::size_t k = 0; k < n; ++k) g[i] += a[i * n + k] * (x[k] - centre[k]);
                f += 0.5 * g[i] * (x[i] - centre[i]);
            }
            return f;
        };
        problem.lowest.assign(n, -1.F);
        problem.highest.assign(n, 1.F);
        const std::size_t bound = compare_with_lbfgsb(problem, 0.25F, 1e-4);
        CHECK(bound > n / 4);
        CHECK(bound < n);
    }
}

#else

TEST_CASE("L-BFGS-B and L-BFGS agree") {
    MESSAGE("skipped: liblbfgsb (Debian: liblbfgsb-dev) was not found when this was built");
}

#endif
