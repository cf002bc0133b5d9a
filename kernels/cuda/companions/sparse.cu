// Vectors of doubles and products with sparse matrices. Products are rounded before they are added, and sums have the
// orders of kernels/companions/: their bits are those of the CPU.
#include <utility>

#include "kernels/cuda/companions/sparse.hpp"
#include "kernels/cuda/companions/sparse_memory.hpp"
#include "kernels/cuda/launch_kernel.hpp"

namespace onda::cuda {
namespace {

constexpr int kThreads = kSumLanes, kWarp = 32, kWarps = kThreads / kWarp;

unsigned blocks_for(std::int64_t count, std::int64_t of_block) {
    return static_cast<unsigned>((count + of_block - 1) / of_block);
}

/// A value that no kernel of this launch writes.
template <typename T>
__device__ __forceinline__ T read_only(const T* from) {
#if defined(__CUDACC__)
    return __ldg(from);
#else
    return *from;
#endif
}

/// The sum of the values of all threads, as a tree, in thread 0. Shared memory: a value a thread.
__device__ __forceinline__ double block_sum(double value) {
    double* const lane = reinterpret_cast<double*>(shared_memory());
    const int thread = static_cast<int>(threadIdx.x);
    lane[thread] = value;
    for (int half = kThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half) lane[thread] += lane[thread + half];
    }
    return lane[thread];
}

#if defined(__CUDACC__)
constexpr std::size_t kWarpSumBytes = 0;
#else
constexpr std::size_t kWarpSumBytes = kThreads * sizeof(double);
#endif
/// The sum of the values of the threads of a warp, as a tree, in its first thread. Every thread of the block calls it.
__device__ __forceinline__ double warp_sum(double value) {
#if defined(__CUDACC__)
    ONDA_UNROLL
    for (int half = kWarp / 2; half > 0; half /= 2) value += __shfl_xor_sync(0xFFFFFFFF, value, half);
    return value;
#else
    double* const lane = reinterpret_cast<double*>(shared_memory());
    const int thread = static_cast<int>(threadIdx.x);
    lane[thread] = value;
    for (int half = kWarp / 2; half > 0; half /= 2) {
        warp_sync();
        if (thread % kWarp < half) lane[thread] += lane[thread + half];
    }
    return lane[thread];
#endif
}

/// sums[block] = the products of a block of kSumBlock elements.
__global__ void __launch_bounds__(kThreads)
    block_products_kernel(const double* a, const double* b, std::int64_t size, double* sums) {
    const std::int64_t first = std::int64_t{blockIdx.x} * kSumBlock + threadIdx.x;
    double sum = 0.;
    ONDA_UNROLL
    for (int i = 0; i < kSumBlock / kSumLanes; ++i) {
        const std::int64_t at = first + i * kSumLanes;
        if (at < size) sum += a[at] * b[at];
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// One block: *result = the sum of all sums.
__global__ void __launch_bounds__(kThreads) sum_kernel(const double* sums, std::int64_t count, double* result) {
    double sum = 0.;
    for (std::int64_t at = threadIdx.x; at < count; at += kSumLanes) sum += sums[at];
    sum = block_sum(sum);
    if (threadIdx.x == 0) *result = sum;
}

/// What becomes of an element y, with x beside it.
enum class Update { add, combine, scale };

template <Update update>
__global__ void __launch_bounds__(kThreads) update_kernel(double* y, double a, const double* x, std::int64_t size) {
    const std::int64_t at = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
    if (at >= size) return;
    if constexpr (update == Update::add) y[at] += a * x[at];
    if constexpr (update == Update::combine) y[at] = x[at] + a * y[at];
    if constexpr (update == Update::scale) y[at] = a * x[at];
}

template <Update update>
void queue_update(VectorMemory& memory, double* y, double a, const double* x, std::int64_t size) {
    if (size == 0) return;
    memory.scope.enter();
    launch<double>(update_kernel<update>, {blocks_for(size, kThreads), kThreads}, memory.stream.get(), y, a, x, size);
}

__global__ void __launch_bounds__(kThreads)
    thread_rows_kernel(const std::int32_t* row_begin, const std::int32_t* column, const double* value,
                       std::int64_t rows, const double* x, double* y) {
    const std::int64_t row = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
    if (row >= rows) return;
    double sum = 0.;
    const std::int32_t end = read_only(row_begin + row + 1);
    ONDA_UNROLL_BY(4)
    for (std::int32_t at = read_only(row_begin + row); at < end; ++at)
        sum += read_only(value + at) * read_only(x + read_only(column + at));
    y[row] = sum;
}

/// The loads of several turns are under way at once; a thread's sum takes them in their order.
__global__ void __launch_bounds__(kThreads)
    warp_rows_kernel(const std::int32_t* row_begin, const std::int32_t* column, const double* value, std::int64_t rows,
                     const double* x, double* y) {
    const int thread = static_cast<int>(threadIdx.x), lane = thread % kWarp;
    const std::int64_t row = std::int64_t{blockIdx.x} * kWarps + thread / kWarp;
    double sum = 0.;
    if (row < rows) {
        const std::int32_t end = read_only(row_begin + row + 1);
        ONDA_UNROLL_BY(4)
        for (std::int32_t at = read_only(row_begin + row) + lane; at < end; at += kWarp)
            sum += read_only(value + at) * read_only(x + read_only(column + at));
    }
    sum = warp_sum(sum);
    if (lane == 0 && row < rows) y[row] = sum;
}

class OwnMatrix : public GpuMatrix {
public:
    OwnMatrix(const GpuVectors& space, const SparseMatrix& matrix, const SparseProduct& product)
        : memory_(space.memory()), product_(product), rows_(padded(matrix, product.padding)) {}

    void multiply(const GpuVectors::Vector& x, GpuVectors::Vector& y) const override {
        if (rows_.rows == 0) return;
        memory_->scope.enter();
        const bool by_warps = product_.lanes == kWarp;
        const LaunchShape shape{blocks_for(rows_.rows, by_warps ? kWarps : kThreads), kThreads, kWarpSumBytes};
        launch<double>(by_warps ? warp_rows_kernel : thread_rows_kernel, shape, memory_->stream.get(),
                       rows_.row_begin.data(), rows_.column.data(), rows_.value.data(), rows_.rows, x.data(), y.data());
    }
    [[nodiscard]] std::int64_t elements() const override { return rows_.elements; }

private:
    std::shared_ptr<VectorMemory> memory_;
    SparseProduct product_;
    DeviceRows rows_;
};

void copy_on_device(VectorMemory& memory, double* to, const double* from, std::int64_t size) {
    if (size == 0) return;
    memory.scope.enter();
    ONDA_CUDA_TRY(cudaMemcpyAsync(to, from, static_cast<std::size_t>(size) * sizeof(double), cudaMemcpyDeviceToDevice,
                                  memory.stream.get()));
}

}  // namespace

GpuVectors::Vector::Vector(std::shared_ptr<VectorMemory> memory, std::int64_t size)
    : memory_(std::move(memory)), size_(size) {
    memory_->scope.enter();
    data_ = memory_->take(size);
}

GpuVectors::Vector::Vector(const Vector& other) {
    if (other.memory_ == nullptr) return;
    Vector copy(other.memory_, other.size_);
    copy_on_device(*other.memory_, copy.data_, other.data_, other.size_);
    *this = std::move(copy);
}

GpuVectors::Vector& GpuVectors::Vector::operator=(const Vector& other) {
    return *this = Vector(other);
}

GpuVectors::Vector::Vector(Vector&& other) noexcept {
    *this = std::move(other);
}

GpuVectors::Vector& GpuVectors::Vector::operator=(Vector&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

GpuVectors::Vector::~Vector() {
    if (memory_ != nullptr) memory_->give(size_, data_);
}

GpuVectors::GpuVectors(int ordinal) : memory_(std::make_shared<VectorMemory>(ordinal)) {}

GpuVectors::Vector GpuVectors::upload(std::span<const double> values) const {
    Vector result(memory_, static_cast<std::int64_t>(values.size()));
    wait();  // its memory may still be read by what is queued
    if (!values.empty()) copy_to_device(result.data(), values.data(), result.size());
    return result;
}

std::vector<double> GpuVectors::download(const Vector& a) const {
    std::vector<double> result(static_cast<std::size_t>(a.size()));
    wait();
    if (!result.empty())
        ONDA_CUDA_TRY(cudaMemcpy(result.data(), a.data(), result.size() * sizeof(double), cudaMemcpyDeviceToHost));
    return result;
}

GpuVectors::Vector GpuVectors::zeros(const Vector& like) const {
    Vector result(memory_, like.size());
    if (result.size() > 0)
        ONDA_CUDA_TRY(cudaMemsetAsync(result.data(), 0, static_cast<std::size_t>(result.size()) * sizeof(double),
                                      memory_->stream.get()));
    return result;
}

double GpuVectors::dot(const Vector& a, const Vector& b) const {
    if (a.size() == 0) return 0.;
    const Vector sums(memory_, (a.size() + kSumBlock - 1) / kSumBlock);
    constexpr std::size_t shared_bytes = kThreads * sizeof(double);
    double* const result = memory_->sum.data();
    launch<double>(block_products_kernel, {static_cast<unsigned>(sums.size()), kThreads, shared_bytes},
                   memory_->stream.get(), a.data(), b.data(), a.size(), sums.data());
    launch<double>(sum_kernel, {1, kThreads, shared_bytes}, memory_->stream.get(), sums.data(), sums.size(), result);
    wait();
    return *result;
}

void GpuVectors::add(Vector& y, double a, const Vector& x) const {
    queue_update<Update::add>(*memory_, y.data(), a, x.data(), y.size());
}

void GpuVectors::combine(Vector& y, double b, const Vector& x) const {
    queue_update<Update::combine>(*memory_, y.data(), b, x.data(), y.size());
}

void GpuVectors::scale(Vector& y, double a, const Vector& x) const {
    queue_update<Update::scale>(*memory_, y.data(), a, x.data(), y.size());
}

void GpuVectors::wait() const {
    memory_->scope.enter();
    memory_->stream.wait();
}

std::unique_ptr<GpuMatrix> make_gpu_matrix(const GpuVectors& space, const SparseMatrix& matrix,
                                           const SparseProduct& product) {
    matrix.check();
    space.wait();  // on the GPU of the space
    return std::make_unique<OwnMatrix>(space, matrix, product);
}

}  // namespace onda::cuda
