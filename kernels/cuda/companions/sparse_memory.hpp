/// \file
/// What vectors and matrices of kernels/cuda/companions/sparse.hpp hold on the device.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/companions/double_vectors.hpp"
#include "kernels/companions/sparse_matrix.hpp"
#include "kernels/cuda/buffers.hpp"
#include "kernels/cuda/runtime.hpp"

namespace onda::cuda {

/// The stream of some vectors, their memory and that of their sums.
struct VectorMemory {
    explicit VectorMemory(int gpu) : scope(gpu), sum(pinned("a sum", Owner::wavefield, 1, sizeof(double))) {}
    VectorMemory(const VectorMemory&) = delete;
    VectorMemory& operator=(const VectorMemory&) = delete;
    ~VectorMemory() {
        for (const auto& [size, data] : free) cudaFree(data);
    }

    /// Uninitialised, kept from before where there is any of this size.
    double* take(std::int64_t size) {
        if (const auto found = free.find(size); found != free.end()) {
            double* const data = found->second;
            free.erase(found);
            return data;
        }
        return size > 0 ? static_cast<double*>(allocate_device(size * std::int64_t{sizeof(double)})) : nullptr;
    }
    void give(std::int64_t size, double* data) {
        if (data != nullptr) free.emplace(size, data);
    }

    DeviceScope scope;
    Stream stream;
    PinnedBuffer<double> sum;  ///< which the GPU writes: a copy less for each
    std::multimap<std::int64_t, double*> free;
};

/// A matrix by compressed rows, as it lies in memory.
struct DeviceRows {
    /// \throws std::invalid_argument for more elements than 32 bits can count.
    explicit DeviceRows(const SparseMatrix& matrix)
        : rows(matrix.rows),
          columns(matrix.columns),
          elements(matrix.elements()),
          row_begin(upload_for_a_moment(short_rows(matrix))),
          column(upload_for_a_moment(matrix.column)),
          value(upload_for_a_moment(matrix.value)) {}

    std::int64_t rows, columns, elements;
    DeviceBuffer<std::int32_t> row_begin, column;
    DeviceBuffer<double> value;

private:
    static std::vector<std::int32_t> short_rows(const SparseMatrix& matrix) {
        constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 32;  // a warp counts beyond the last
        if (matrix.elements() > most)
            throw std::invalid_argument("sparse matrix: " + std::to_string(matrix.elements()) +
                                        " elements, where a GPU takes up to " + std::to_string(most));
        return {matrix.row_begin.begin(), matrix.row_begin.end()};
    }
};

}  // namespace onda::cuda
