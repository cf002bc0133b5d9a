// Vectors of doubles, their sums and products with sparse matrices have the bits of the CPU on GPUs, and conjugate
// gradients too. Skipped where no GPU can compute; the host's stand-in runs it, too.
#include <doctest/doctest.h>
#include <random>
#include <stdexcept>
#include <vector>

#include "kernels/companions/double_vectors.hpp"
#include "kernels/cuda/companions/sparse.hpp"
#include "solver/companions/nas_cg.hpp"
#include "tests/gpu/gpu_support.hpp"

using namespace onda;
using namespace onda::test;

namespace {

std::vector<double> noise_of(std::size_t size, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1., 1.);
    std::vector<double> values(size);
    for (double& value : values) value = uniform(random);
    return values;
}

/// The product of the CPU with as many lanes.
const cpu::SparseProduct& with_lanes_of(const cuda::SparseProduct& product) {
    for (const cpu::SparseProduct& each : cpu::sparse_products())
        if (each.lanes == product.lanes && each.padding == 1) return each;
    FAIL("no product of the CPU has as many lanes");
    return cpu::sparse_products().front();
}

constexpr NasClass kSmallNas{"small", 333, 6, 3, 10., 1.};

}  // namespace

TEST_CASE("sums and updates of vectors of all lengths have the bits of the CPU") {
    need_gpu();
    const cuda::GpuVectors space;
    for (const std::size_t size : {0u, 1u, 255u, 256u, 257u, 2048u, 2049u, 600'000u}) {
        CAPTURE(size);
        std::vector<double> y = noise_of(size, 3);
        const std::vector<double> x = noise_of(size, 5);
        auto y_there = space.upload(y);
        const auto x_there = space.upload(x);
        CHECK(space.dot(y_there, x_there) == DoubleVectors::dot(y, x));
        space.add(y_there, 0.3, x_there);
        DoubleVectors::add(y, 0.3, x);
        CHECK(space.download(y_there) == y);
        space.combine(y_there, -0.7, x_there);
        DoubleVectors::combine(y, -0.7, x);
        CHECK(space.download(y_there) == y);
        const auto copy = y_there;
        space.scale(y_there, 0.1, x_there);
        CHECK(space.download(copy) == y);
        DoubleVectors::scale(y, 0.1, x);
        CHECK(space.download(y_there) == y);
        CHECK(space.download(space.zeros(copy)) == std::vector<double>(size));
    }
}

TEST_CASE("products with a sparse matrix have the bits of the CPU") {
    need_gpu();
    const cuda::GpuVectors space;
    SparseMatrix matrix = make_nas_matrix(kSmallNas);
    matrix.row_begin.insert(matrix.row_begin.begin() + 5, matrix.row_begin[5]);  // a row without elements
    ++matrix.rows;
    const std::vector<double> x = noise_of(static_cast<std::size_t>(matrix.columns), 7);
    const auto x_there = space.upload(x);
    for (const cuda::SparseProduct& product : cuda::kSparseProducts) {
        CAPTURE(product.name);
        std::vector<double> y(static_cast<std::size_t>(matrix.rows));
        auto y_there = space.upload(y);
        cuda::make_gpu_matrix(space, matrix, product)->multiply(x_there, y_there);
        cpu::SparseOperator(matrix, with_lanes_of(product)).multiply(x, y);
        CHECK(space.download(y_there) == y);
    }
}

TEST_CASE("inverse iteration by conjugate gradients has the bits of the CPU") {
    need_gpu();
    const SparseMatrix matrix = make_nas_matrix(kSmallNas);
    for (const cuda::SparseProduct& product : cuda::kSparseProducts) {
        CAPTURE(product.name);
        CHECK(make_nas_solver(kSmallNas, matrix, product)->zeta(3) ==
              make_nas_solver(kSmallNas, matrix, with_lanes_of(product))->zeta(3));
    }
}

TEST_CASE("cuSPARSE, where it is, finds the same zeta to rounding") {
    need_gpu();
    if (!cuda::cusparse_problem().empty()) {
        CHECK(cuda::cusparse_name().empty());
        return;
    }
    const SparseMatrix matrix = make_nas_matrix(kSmallNas);
    const double zeta = make_nas_solver(kSmallNas, matrix, cpu::sparse_products().front())->zeta(3);
    for (const cuda::LibraryProduct& product : cuda::kLibraryProducts)
        CHECK(make_nas_solver(kSmallNas, matrix, product)->zeta(3) == doctest::Approx(zeta).epsilon(1e-12));
}

TEST_CASE("a GPU refuses matrices that do not fit") {
    need_gpu();
    const cuda::GpuVectors space;
    const SparseMatrix bad{1, 1, {0, 1}, {1}, {1.}};
    for (const cuda::SparseProduct& product : cuda::kSparseProducts)
        CHECK_THROWS_AS(static_cast<void>(cuda::make_gpu_matrix(space, bad, product)), std::invalid_argument);
}
