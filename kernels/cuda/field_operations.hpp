/// \file
/// The kernels that surround the stencil, as functions of the host: each queues one launch on a stream.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "kernels/equations/observed_field.hpp"
#include "kernels/storage.hpp"

namespace onda::cuda {

/// Extents and strides of one padded array.
struct FieldShape {
    int nx = 0, ny = 0, nz = 0;
    std::int64_t pitch = 0, plane = 0;
    int x_halo = 0, y_halo = 0;  ///< in memory: whole vectors along x; 0 along y in 2-D
    int halo = 0;                ///< nodes that a step reads beyond a face
};

/// Layer `to` of an axis takes sign * layer `from` (kernels/grid/halo.hpp).
struct LayerCopy {
    int to, from, sign;
};

/// Rows [y, y + ny) x [z, z + nz) in whole vectors, of which the last may reach beyond nx: those before node
/// x_gap_begin, and those from x_gap_end on. The strips at both ends of x are one box: the end of a row and the
/// beginning of the next are neighbours in memory.
struct SpongeBox {
    int y, z, ny, nz;
    int x_gap_begin, x_gap_end;  ///< multiples of the vector
    int vectors;                 ///< of a row
};

/// Boxes that do not overlap; box b owns vectors first[b] … first[b + 1] - 1 of all their vectors together.
struct SpongeBoxes {
    static constexpr int most = 6;
    SpongeBox box[most] = {};
    std::int64_t first[most + 1] = {};
    int count = 0;
};

/// Source nodes, each with its contributions in the order of the source rows: [first[i], first[i + 1]).
template <typename T>
struct SourceNodes {
    const std::int64_t* element = nullptr;
    const std::int64_t* first = nullptr;
    const std::int32_t* row = nullptr;
    const T* amplitude = nullptr;
    const T* signal = nullptr;              ///< rows one after the other
    const std::int64_t* samples = nullptr;  ///< row r is signal[samples[r]] … signal[samples[r + 1] - 1]
    int nodes = 0;
};

/// Receivers as weighted nodes; samples lie [sample % capacity][receiver].
template <typename T>
struct ReceiverNodes {
    const std::int64_t* first = nullptr;
    const std::int64_t* element = nullptr;
    const T* weight = nullptr;
    T* samples = nullptr;
    std::int64_t receivers = 0, capacity = 0;
};

/// |p| as its bits, which order like the numbers and put infinities and NaNs above them all, and the compact index.
struct Largest {
    std::uint64_t bits;
    std::int64_t node;
};

/// The nodes first + i * step of a field, from row `first_row` of the window on.
struct WindowRows {
    std::int64_t element;                 ///< of the first node
    std::int64_t step_x, step_y, step_z;  ///< in elements
    std::int64_t count_x, count_y, first_row, rows;
};

// All throw Error if the launch fails. T is float or double.

/// \throws Error if this build has no code for the GPU.
void require_code();
/// Fills the halo layers of one axis (0 x, 1 y, 2 z).
template <typename T>
void fill_halo(T* p, const FieldShape& shape, int axis, const LayerCopy* copies, int count, cudaStream_t stream);
/// The sponge, on p[n+1] and p[n], or on memory fields: on p, and on q unless it is null. Tapers are readable to the
/// end of the last vector of a row.
template <typename T>
void damp(T* p, T* q, const FieldShape& shape, const SpongeBoxes& boxes, const T* const (&taper)[3],
          cudaStream_t stream);
/// Adds sample *base + offset of the sources.
template <typename T>
void add_sources(T* p, const SourceNodes<T>& sources, const std::int64_t* base, int offset, cudaStream_t stream);
/// Records sample *base + offset.
template <typename T>
void sample_receivers(const ObservedField<T>& p, const ReceiverNodes<T>& receivers, const std::int64_t* base,
                      int offset, cudaStream_t stream);
/// k at some elements of an array of codes.
void decode_elements(const CodedK& k, const std::int64_t* element, std::int64_t count, float* values,
                     cudaStream_t stream);
void set_counter(std::int64_t* counter, std::int64_t value, cudaStream_t stream);
/// Blocks that find_largest() runs for all fields together, unless there are more fields: each has one result.
inline constexpr int kLargestBlocks = 1024;
/// The blocks for each of so many fields.
constexpr int largest_blocks(int fields) {
    return fields < kLargestBlocks ? kLargestBlocks / fields : 1;
}
/// Results of all blocks of the first field, then of the next. \param p of the first field. \param step elements from a
/// field to the next.
template <typename T>
void find_largest(const T* p, const FieldShape& shape, int fields, std::int64_t step, Largest* results,
                  cudaStream_t stream);
/// U is float or double, whatever T is.
template <typename T, typename U>
void gather(const ObservedField<T>& field, const WindowRows& window, U* values, cudaStream_t stream);
template <typename T, typename U>
void scatter(T* field, const WindowRows& window, const U* values, cudaStream_t stream);

}  // namespace onda::cuda
