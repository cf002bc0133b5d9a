/// \file
/// Products of packed codes with a matrix of floats on a GPU, in several ways that `onda bench encode` compares. The
/// same interface whether CUDA was compiled in or not.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/companions/packed_codes.hpp"
#include "kernels/cuda/reports.hpp"

namespace onda::cuda {

/// One way to compute product = codes values in float.
struct PackedVariant {
    std::string name, what;
    double additions = 1.;                 ///< for a code and a value, without those that tables take
    bool on_tensor_cores = false;          ///< then they are multiply-adds of these
    double per_column = 1., further = 4.;  ///< see error_factor()
    /// The variant of packed_variants_cpu() whose bits it gives; empty if it sums in an order of its own.
    std::string bits_of;
    bool of_vector = false;        ///< computes products of one column alone
    int oldest_architecture = 75;  ///< sm_75

    /// An element has an error of at most this times eps (sum of |values| of its column), eps = 2^-24.
    [[nodiscard]] double error_factor(std::int64_t columns) const {
        return per_column * static_cast<double>(columns) + further;
    }
};

/// All variants of this build, none without CUDA; those of tensor cores are left out where nvcc does not compile.
const std::vector<PackedVariant>& packed_variants();

/// Why a GPU cannot run a variant for products of this width; empty if it can.
std::string packed_problem(const PackedVariant& variant, std::int64_t width, int ordinal = 0);

/// Registers, spills and shared memory of a variant. \throws Error; std::invalid_argument if there is none of this
/// name.
Resources packed_resources(const std::string& variant, int ordinal = 0);

/// How long the parts of a product took, which do not overlap.
struct PackedTimes {
    double start_up_ms = 0.;  ///< memory on the GPU, and a first launch, which loads the kernel
    double transfer_ms = 0.;  ///< codes and values to the GPU, and the product back, from and to pageable memory
    std::vector<double> execution_ms;  ///< of a product, one a round
};

/// Computes a product in one way, as multiply() does, and times it.
/// \param rounds of so many products that they take a millisecond; 1 or more.
/// \throws std::invalid_argument for sizes that do not fit, more than kMostPackedRows rows, or a name that is none;
/// Error if the GPU cannot do it.
PackedTimes multiply_packed(const std::string& variant, const PackedCodes& codes, std::span<const float> values,
                            std::int64_t width, std::span<float> product, int rounds = 1, int ordinal = 0);

/// Blocks that lie along the rows are counted with 16 bits, of eight rows each at least.
inline constexpr std::int64_t kMostPackedRows = 65'535 * 8;

/// cuBLAS, looked for when it is first needed.
struct Cublas {
    std::string name;     ///< "cuBLAS 13.1.0"; empty where there is none
    std::string problem;  ///< why there is none, and what to do
};
const Cublas& cublas();

/// The same product by cuBLAS, the codes as floats: cublasSgemm in FP32, without TF32.
/// \param codes (rows, columns), row-major. \throws as multiply_packed().
PackedTimes multiply_by_cublas(std::span<const float> codes, std::int64_t rows, std::int64_t columns,
                               std::span<const float> values, std::int64_t width, std::span<float> product,
                               int rounds = 1, int ordinal = 0);

}  // namespace onda::cuda
