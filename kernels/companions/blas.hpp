/// \file
/// Products of matrices by the BLAS of the system, which is looked for when it is first needed: neither build nor
/// program needs it otherwise.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace onda {

/// The library with BLAS, of OpenBLAS or, failing that, whatever the system has as libblas.so.3.
struct Blas {
    std::string name;     ///< "libopenblas.so.0"; empty where there is none
    std::string problem;  ///< why there is none, and what to do
};
const Blas& blas();

/// product = matrix values by sgemm, or sgemv for a width of 1; all row-major, the matrix (rows, columns). OpenBLAS
/// takes as many threads as OpenMP would. \throws std::runtime_error if blas() has a problem; std::invalid_argument
/// when sizes do not fit, or are more than 32 bits can count.
void multiply_by_blas(std::span<const float> matrix, std::int64_t rows, std::int64_t columns,
                      std::span<const float> values, std::int64_t width, std::span<float> product);

}  // namespace onda
