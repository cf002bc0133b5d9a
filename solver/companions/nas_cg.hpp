/// \file
/// The benchmark CG of the NAS Parallel Benchmarks (Bailey et al. 1991, Int. J. Supercomputer Appl. 5(3); matrix and
/// verification of NPB 3): the eigenvalue of a random sparse matrix that is nearest to a shift, by inverse iteration,
/// where each system is solved by 25 iterations of solve_by_conjugate_gradients().
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kernels/companions/sparse_matrix.hpp"
#include "kernels/cuda/companions/sparse.hpp"

namespace onda {

/// A class of the benchmark, with the result that NPB publishes for it.
struct NasClass {
    std::string_view name;
    std::int64_t rows;
    int elements;  ///< of each of the vectors whose outer products make the matrix ("NONZER")
    int steps;     ///< of inverse iteration ("NITER")
    double shift, zeta;

    /// Operations of a run as NPB counts them: its Mop/s are 1e-6 of these a second.
    [[nodiscard]] double operations() const;
    /// |zeta - published| / published
    [[nodiscard]] double error_of(double found) const;
};
/// S, W, A, B, C.
[[nodiscard]] std::span<const NasClass> nas_classes();
/// \throws Error(usage) with the names there are.
[[nodiscard]] const NasClass& nas_class(const std::string& name);

inline constexpr double kNasTolerance = 1e-10;  ///< of NasClass::error_of()
inline constexpr int kNasIterations = 25;       ///< of conjugate gradients in each step

/// shift I - A, with A the matrix of NPB: its eigenvalues lie below the shift, so that this matrix is positive
/// definite, where A - shift I, which NPB solves with, is negative definite. Its solutions are those of NPB with the
/// opposite sign, bit for bit. The columns of each row ascend.
[[nodiscard]] SparseMatrix make_nas_matrix(const NasClass& of);

/// Something that runs the benchmark.
class NasSolver {
public:
    virtual ~NasSolver() = default;
    /// So many steps of inverse iteration from x = 1 on. \returns zeta.
    /// \throws Error(internal) if a solution needs fewer than 25 iterations, which no matrix of a class does.
    virtual double zeta(int steps) = 0;
    /// One product with the matrix of x = 1, done when this returns.
    /// \param times queued one after the other.
    virtual void multiply(int times) = 0;
    [[nodiscard]] virtual std::int64_t elements() const = 0;  ///< of the matrix, with those that pad rows
};

[[nodiscard]] std::unique_ptr<NasSolver> make_nas_solver(const NasClass& of, const SparseMatrix& matrix,
                                                         const cpu::SparseProduct& product);
/// \throws what cuda::make_gpu_matrix() throws.
[[nodiscard]] std::unique_ptr<NasSolver> make_nas_solver(const NasClass& of, const SparseMatrix& matrix,
                                                         const cuda::SparseProduct& product, int ordinal = 0);
[[nodiscard]] std::unique_ptr<NasSolver> make_nas_solver(const NasClass& of, const SparseMatrix& matrix,
                                                         const cuda::LibraryProduct& product, int ordinal = 0);

/// "Eigen 3.4.0", if this program was built with it; otherwise empty.
[[nodiscard]] const std::string& eigen_name();
/// The benchmark with matrix, vectors and conjugate gradients of Eigen on the CPU, to compare with; null without Eigen.
[[nodiscard]] std::unique_ptr<NasSolver> make_eigen_solver(const NasClass& of, const SparseMatrix& matrix);

}  // namespace onda
