#include "kernels/companions/blas.hpp"

#include <cstddef>
#include <dlfcn.h>
#include <limits>
#include <omp.h>
#include <stdexcept>

namespace onda {
namespace {

// The interface of Fortran, with integers of 32 bits: all arguments by address, matrices column by column,
// and behind them the lengths of the characters, which libraries written in C ignore.
using BlasSgemm = void (*)(const char* transposes_a, const char* transposes_b, const int* m, const int* n, const int* k,
                           const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
                           const float* beta, float* c, const int* ldc, std::size_t length_a, std::size_t length_b);
using BlasSgemv = void (*)(const char* transposes, const int* m, const int* n, const float* alpha, const float* a,
                           const int* lda, const float* x, const int* x_step, const float* beta, float* y,
                           const int* y_step, std::size_t length);

struct BlasFunctions {
    BlasSgemm sgemm = nullptr;
    BlasSgemv sgemv = nullptr;
    void (*set_threads)(int threads) = nullptr;  ///< of OpenBLAS alone
    Blas about;
};

BlasFunctions load_blas() {
    BlasFunctions blas;
    for (const char* const name : {"libopenblas.so.0", "libblas.so.3"}) {
        void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) continue;
        blas.sgemm = reinterpret_cast<BlasSgemm>(dlsym(library, "sgemm_"));
        blas.sgemv = reinterpret_cast<BlasSgemv>(dlsym(library, "sgemv_"));
        blas.set_threads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"));
        if (blas.sgemm == nullptr || blas.sgemv == nullptr) continue;
        blas.about.name = name;
        return blas;
    }
    blas.about.problem =
        "no BLAS is found: install OpenBLAS (Debian, Ubuntu: libopenblas0), or name its folder in LD_LIBRARY_PATH";
    return blas;
}

const BlasFunctions& blas_functions() {
    static const BlasFunctions one = load_blas();
    return one;
}

void check_blas_sizes(std::size_t matrix, std::int64_t rows, std::int64_t columns, std::size_t values,
                      std::int64_t width, std::size_t product) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    const auto size = [](std::int64_t one, std::int64_t other) {
        return static_cast<std::size_t>(one) * static_cast<std::size_t>(other);
    };
    if (rows >= 1 && columns >= 1 && width >= 1 && rows <= most && columns <= most && width <= most &&
        matrix == size(rows, columns) && values == size(columns, width) && product == size(rows, width))
        return;
    throw std::invalid_argument("a matrix of " + std::to_string(rows) + " x " + std::to_string(columns) + " (" +
                                std::to_string(matrix) + " elements), " + std::to_string(values) +
                                " values and a product of " + std::to_string(product) + " do not fit for " +
                                std::to_string(width) + " columns");
}

}  // namespace

const Blas& blas() {
    return blas_functions().about;
}

// Row-major matrices are, column by column, their transposes: product' = values' matrix'.
void multiply_by_blas(std::span<const float> matrix, std::int64_t rows, std::int64_t columns,
                      std::span<const float> values, std::int64_t width, std::span<float> product) {
    const BlasFunctions& functions = blas_functions();
    if (!functions.about.problem.empty()) throw std::runtime_error(functions.about.problem);
    check_blas_sizes(matrix.size(), rows, columns, values.size(), width, product.size());
    if (functions.set_threads != nullptr) functions.set_threads(omp_get_max_threads());
    const int m = static_cast<int>(rows), k = static_cast<int>(columns), n = static_cast<int>(width), step = 1;
    const float one = 1.F, zero = 0.F;
    const char as_it_is = 'N', transposed = 'T';
    if (n == 1)
        functions.sgemv(&transposed, &k, &m, &one, matrix.data(), &k, values.data(), &step, &zero, product.data(),
                        &step, 1);
    else
        functions.sgemm(&as_it_is, &as_it_is, &n, &m, &k, &one, values.data(), &n, matrix.data(), &k, &zero,
                        product.data(), &n, 1, 1);
}

}  // namespace onda
