/// \file
/// Sparse matrices and vectors of doubles on a GPU, for conjugate gradients there.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/companions/sparse_matrix.hpp"

namespace onda::cuda {

/// How the product of a matrix with a vector is computed on a GPU. The order of each row's sum is that of
/// cpu::SparseProduct with as many lanes, and its bits are the same.
struct SparseProduct {
    std::string_view name, help;
    int lanes;    ///< 1: a thread a row; 32: a warp a row
    int padding;  ///< what the elements of each row are a multiple of, their first at a multiple of as many
};
/// All of them, the fastest known first.
inline constexpr std::array<SparseProduct, 3> kSparseProducts{{
    {"padded", "a warp a row, rows padded to 32", 32, 32},
    {"warp", "a warp a row", 32, 1},
    {"thread", "a thread a row", 1, 1},
}};

/// Products by NVIDIA's cuSPARSE, to compare with.
struct LibraryProduct {
    std::string_view name, help;
    int algorithm;  ///< cusparseSpMVAlg_t
};
inline constexpr std::array<LibraryProduct, 2> kLibraryProducts{{
    {"cusparse", "cuSPARSE, its default algorithm", 0},
    {"cusparse-csr2", "cuSPARSE, the algorithm that gives the same bits each time", 3},
}};
/// Why there is no cuSPARSE, and what to do; empty if there is. Looked for when it is first needed.
[[nodiscard]] const std::string& cusparse_problem();
/// "cuSPARSE 12.5.4"; empty where there is none.
[[nodiscard]] const std::string& cusparse_name();

struct VectorMemory;

/// What vectors of one GPU do: the space of solve_by_conjugate_gradients(). Sums have the bits of DoubleVectors::dot()
/// (kernels/companions/double_vectors.hpp). All is queued on one stream; what returns a number waits for it. Memory of
/// vectors that are gone is kept for the next ones of their size. Not for several threads at once.
class GpuVectors {
public:
    /// Values in the memory of the GPU. Copies are copies of the values.
    class Vector {
    public:
        Vector() = default;
        Vector(const Vector& other);
        Vector& operator=(const Vector& other);
        Vector(Vector&& other) noexcept;
        Vector& operator=(Vector&& other) noexcept;
        ~Vector();
        [[nodiscard]] std::int64_t size() const { return size_; }
        [[nodiscard]] double* data() const { return data_; }

    private:
        friend class GpuVectors;
        /// Uninitialised.
        Vector(std::shared_ptr<VectorMemory> memory, std::int64_t size);

        std::shared_ptr<VectorMemory> memory_;
        double* data_ = nullptr;
        std::int64_t size_ = 0;
    };

    /// \throws Error if the GPU cannot be used.
    explicit GpuVectors(int ordinal = 0);

    [[nodiscard]] Vector upload(std::span<const double> values) const;
    [[nodiscard]] std::vector<double> download(const Vector& a) const;
    [[nodiscard]] Vector zeros(const Vector& like) const;
    [[nodiscard]] double dot(const Vector& a, const Vector& b) const;
    void add(Vector& y, double a, const Vector& x) const;      ///< y += a x
    void combine(Vector& y, double b, const Vector& x) const;  ///< y = x + b y
    void scale(Vector& y, double a, const Vector& x) const;    ///< y = a x
    /// Waits for all that is queued.
    void wait() const;
    [[nodiscard]] const std::shared_ptr<VectorMemory>& memory() const { return memory_; }

private:
    std::shared_ptr<VectorMemory> memory_;
};

/// A matrix in the memory of a GPU. \throws of its functions: Error of CUDA.
class GpuMatrix {
public:
    virtual ~GpuMatrix() = default;
    /// Queues y = A x, vectors of the space that it was made with and of the sizes of the matrix.
    virtual void multiply(const GpuVectors::Vector& x, GpuVectors::Vector& y) const = 0;
    [[nodiscard]] virtual std::int64_t elements() const = 0;  ///< with those that pad rows
};

/// \throws what SparseMatrix::check() throws; std::invalid_argument for more than 2^31 - 33 elements; Error.
[[nodiscard]] std::unique_ptr<GpuMatrix> make_gpu_matrix(const GpuVectors& space, const SparseMatrix& matrix,
                                                         const SparseProduct& product);
/// The same with cuSPARSE. \throws Error, too, where there is none.
[[nodiscard]] std::unique_ptr<GpuMatrix> make_gpu_matrix(const GpuVectors& space, const SparseMatrix& matrix,
                                                         const LibraryProduct& product);

}  // namespace onda::cuda
