// The matrix of NAS CG is the one that NPB makes, and inverse iteration with the conjugate gradients of least-squares
// migration finds the published eigenvalue to 1e-10, the same to the bit for any number of threads.
// Takes 2 s.
#include "solver/companions/nas_cg.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <map>
#include <omp.h>
#include <string>
#include <utility>
#include <vector>

#include "io/text/error.hpp"

using namespace onda;

namespace {

const SparseMatrix& matrix_s() {
    static const SparseMatrix matrix = make_nas_matrix(nas_class("S"));
    return matrix;
}

}  // namespace

TEST_CASE("zeta of class S is the published one, by every product and by Eigen") {
    const NasClass& s = nas_class("S");
    for (const cpu::SparseProduct& product : cpu::sparse_products()) {
        CAPTURE(product.name);
        CHECK(s.error_of(make_nas_solver(s, matrix_s(), product)->zeta(s.steps)) <= kNasTolerance);
    }
    const auto eigen = make_eigen_solver(s, matrix_s());
    CHECK((eigen == nullptr) == eigen_name().empty());
    if (eigen != nullptr) CHECK(s.error_of(eigen->zeta(s.steps)) <= kNasTolerance);
}

TEST_CASE("fewer steps do not reach it: the tolerance tells") {
    const NasClass& s = nas_class("S");
    CHECK(s.error_of(make_nas_solver(s, matrix_s(), cpu::sparse_products().front())->zeta(3)) > kNasTolerance);
    CHECK_FALSE(s.error_of(std::nan("")) <= kNasTolerance);
}

TEST_CASE("zeta of class W is the published one") {
    const NasClass& w = nas_class("W");
    const SparseMatrix matrix = make_nas_matrix(w);
    CHECK(matrix.elements() == 508402);
    CHECK(w.error_of(make_nas_solver(w, matrix, cpu::sparse_products().front())->zeta(w.steps)) <= kNasTolerance);
}

TEST_CASE("the matrix has the non-zeros of NPB, rows that ascend, symmetric up to rounding, and a strong diagonal") {
    const SparseMatrix& matrix = matrix_s();
    matrix.check();
    CHECK(matrix.rows == 1400);
    CHECK(matrix.elements() == 78148);
    std::map<std::pair<std::int64_t, std::int64_t>, double> value;
    std::int64_t descending = 0;
    for (std::int64_t r = 0; r < matrix.rows; ++r)
        for (std::int64_t at = matrix.row_begin[r]; at < matrix.row_begin[r + 1]; ++at) {
            descending += at > matrix.row_begin[r] && matrix.column[at] <= matrix.column[at - 1];
            value[{r, matrix.column[at]}] = matrix.value[at];
        }
    CHECK(descending == 0);
    double asymmetry = 0.;
    for (const auto& [place, here] : value) {
        const auto there = value.find({place.second, place.first});
        REQUIRE(there != value.end());
        asymmetry = std::fmax(asymmetry, std::fabs(here - there->second));
    }
    CHECK(asymmetry <= 1e-15);
    for (std::int64_t r = 0; r < matrix.rows; ++r) CHECK(value.at({r, r}) > 0.);
}

TEST_CASE("matrix and zeta have the same bits for any number of threads") {
    const NasClass& s = nas_class("S");
    const int before = omp_get_max_threads();
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        const SparseMatrix matrix = make_nas_matrix(s);
        CHECK(matrix.value == matrix_s().value);
        CHECK(matrix.column == matrix_s().column);
        const double zeta = make_nas_solver(s, matrix, cpu::sparse_products().front())->zeta(2);
        omp_set_num_threads(1);
        CHECK(zeta == make_nas_solver(s, matrix, cpu::sparse_products().front())->zeta(2));
    }
    omp_set_num_threads(before);
}

TEST_CASE("a class that there is not is refused with those there are") {
    CHECK(nas_class("C").rows == 150000);
    try {
        static_cast<void>(nas_class("D"));
        FAIL("taken");
    } catch (const Error& error) {
        CHECK(error.code() == ExitCode::usage);
        CHECK(std::string(error.what()) == "there is no class 'D' of NAS CG: the classes are S, W, A, B, C");
    }
}

TEST_CASE("the operations are those that NPB counts") {
    // 2 NITER NA (3 + NONZER (NONZER + 1) + 25 (5 + NONZER (NONZER + 1)) + 3)
    CHECK(nas_class("S").operations() == 2. * 15. * 1400. * (3. + 56. + 25. * 61. + 3.));
}
