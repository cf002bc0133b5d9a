// Correlation by cuFFT. The library is opened when it is first needed, so that Onda starts without it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <dlfcn.h>
#include <limits>

#include "kernels/cuda/buffers.hpp"
#include "kernels/cuda/companions/correlation.hpp"
#include "kernels/cuda/launch_kernel.hpp"
#include "kernels/cuda/runtime.hpp"

#if __has_include(<cufft.h>) && !defined(ONDA_CUDA_ON_HOST)
#include <cufft.h>
#endif

namespace onda::cuda {
namespace {

// What is used of cuFFT's interface, which is that of versions 10 to 12: its header is not needed. Where there is one,
// the compiler compares.
using Plan = int;
constexpr int kSuccess = 0, kRealToComplex = 0x2a, kComplexToReal = 0x2c, kMajor = 0, kMinor = 1;
struct Complex {
    float re, im;
};

struct Fft {
    int (*get_property)(int kind, int* value) = nullptr;
    int (*plan_many)(Plan*, int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
                     int odist, int type, int batch) = nullptr;
    int (*set_stream)(Plan, cudaStream_t) = nullptr;
    int (*forward)(Plan, float*, Complex*) = nullptr;
    int (*inverse)(Plan, Complex*, float*) = nullptr;
    int (*destroy)(Plan) = nullptr;
    FftLibrary about;
};

#ifdef CUFFT_VERSION
static_assert(sizeof(cufftHandle) == sizeof(Plan) && sizeof(cufftComplex) == sizeof(Complex));
static_assert(sizeof(cufftResult) == sizeof(int) && sizeof(cufftType) == sizeof(int));
static_assert(int{CUFFT_SUCCESS} == kSuccess && int{CUFFT_R2C} == kRealToComplex && int{CUFFT_C2R} == kComplexToReal);
static_assert(int{MAJOR_VERSION} == kMajor && int{MINOR_VERSION} == kMinor);
#endif

template <typename Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

/// cuFFT of CUDA 13 and 12, or of 11 and 10; null where there is none.
void* open_fft() {
    // A program that Onda is a part of may have it already.
    if (dlsym(RTLD_DEFAULT, "cufftPlanMany") != nullptr) return dlopen(nullptr, RTLD_NOW | RTLD_LOCAL);
#if !defined(ONDA_CUDA_ON_HOST)
    for (const char* name : {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"})
        if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL); library != nullptr) return library;
#endif
    return nullptr;
}

Fft load_fft() {
    Fft fft;
    void* const library = open_fft();
    if (library == nullptr) {
        fft.about.problem =
            "cuFFT (libcufft.so) is not found: install NVIDIA's package libcufft, or name the folder of another one in "
            "LD_LIBRARY_PATH";
        return fft;
    }
    int major = 0, minor = 0;
    if (find(library, "cufftGetProperty", fft.get_property) && find(library, "cufftPlanMany", fft.plan_many) &&
        find(library, "cufftSetStream", fft.set_stream) && find(library, "cufftExecR2C", fft.forward) &&
        find(library, "cufftExecC2R", fft.inverse) && find(library, "cufftDestroy", fft.destroy) &&
        fft.get_property(kMajor, &major) == kSuccess && fft.get_property(kMinor, &minor) == kSuccess)
        fft.about.name = "cuFFT " + std::to_string(major) + "." + std::to_string(minor);
    else
        fft.about.problem = "libcufft.so lacks functions of cuFFT 10 and later";
    return fft;
}

const Fft& fft() {
    static const Fft one = load_fft();
    return one;
}

void check_fft(int result, const char* call) {
    if (result == kSuccess) return;
    constexpr int no_memory = 2;  // CUFFT_ALLOC_FAILED
    throw Error(std::string("cuFFT: ") + call + " failed with code " + std::to_string(result) +
                    (result == no_memory ? ": too little free memory on the GPU" : ""),
                result == no_memory);
}

// ---- Kernels ----

constexpr unsigned kThreads = 256;
constexpr std::int64_t kChunk = 4096;  // lags of a block that looks for peaks
constexpr int kSums = 256;             // blocks that sum squares

struct Box3 {
    std::int64_t n[3];
};
Box3 box_of(const std::int64_t (&n)[3]) {
    return {{n[0], n[1], n[2]}};
}
std::int64_t points_of(const std::int64_t (&n)[3]) {
    return n[0] * n[1] * n[2];
}

__device__ __forceinline__ std::int64_t thread_index() {
    return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/// Puts a compact volume at the beginning of the periodic grid, and zeros everywhere else.
__global__ void place_volume(const float* values, Box3 volume, Box3 padded, float* grid) {
    const std::int64_t i = thread_index(), x = i % padded.n[0], y = i / padded.n[0] % padded.n[1],
                       z = i / padded.n[0] / padded.n[1];
    if (z >= padded.n[2]) return;
    const bool inside = x < volume.n[0] && y < volume.n[1] && z < volume.n[2];
    grid[i] = inside ? values[(z * volume.n[1] + y) * volume.n[0] + x] : 0.f;
}

/// Likewise with the turned template.
__global__ void place_turned(const float* values, TemplateTurn turn, Box3 padded, float* grid) {
    const std::int64_t i = thread_index(), x = i % padded.n[0], y = i / padded.n[0] % padded.n[1],
                       z = i / padded.n[0] / padded.n[1];
    if (z >= padded.n[2]) return;
    const bool inside = x < turn.canvas[0] && y < turn.canvas[1] && z < turn.canvas[2];
    grid[i] = inside ? turned_value(values, turn, x, y, z) : 0.f;
}

/// Each block sums the squares of every kSums-th stretch of kThreads values, in a tree: the host adds the blocks.
__global__ void sum_squares(const float* values, std::int64_t count, double* sums) {
    double* const shared = reinterpret_cast<double*>(shared_memory());
    double sum = 0.;
    for (std::int64_t i = thread_index(); i < count; i += static_cast<std::int64_t>(kSums) * kThreads)
        sum += static_cast<double>(values[i]) * values[i];
    shared[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = shared[0];
}

/// product = fixed conj(product) scale
__global__ void multiply_by_conjugate(const Complex* fixed, Complex* product, std::int64_t count, float scale) {
    const std::int64_t i = thread_index();
    if (i >= count) return;
    const Complex a = fixed[i], b = product[i];
    product[i] = {(a.re * b.re + a.im * b.im) * scale, (a.im * b.re - a.re * b.im) * scale};
}

struct LagShape {
    std::int64_t first[3], count[3], padded[3];
};

/// Takes the lags that are wanted from the periodic grid.
__global__ void take_lags(const float* grid, LagShape shape, float* lags) {
    const std::int64_t i = thread_index();
    const std::int64_t at[3] = {i % shape.count[0], i / shape.count[0] % shape.count[1],
                                i / shape.count[0] / shape.count[1]};
    if (at[2] >= shape.count[2]) return;
    std::int64_t place[3];
    for (int axis = 0; axis < 3; ++axis) {
        const std::int64_t n = shape.padded[axis], wrapped = (shape.first[axis] + at[axis]) % n;
        place[axis] = wrapped < 0 ? wrapped + n : wrapped;
    }
    lags[i] = grid[(place[2] * shape.padded[1] + place[1]) * shape.padded[0] + place[0]];
}

/// Whether a lag has the largest value around it, and is the first of those that have.
__device__ __forceinline__ bool is_local_maximum(const float* lags, const Box3& box, std::int64_t here,
                                                 std::int64_t apart) {
    const float value = lags[here];
    const std::int64_t at[3] = {here % box.n[0], here / box.n[0] % box.n[1], here / box.n[0] / box.n[1]};
    // Most lags end here.
    if ((at[0] > 0 && lags[here - 1] > value) || (at[0] + 1 < box.n[0] && lags[here + 1] > value)) return false;
    std::int64_t first[3], last[3];
    for (int axis = 0; axis < 3; ++axis) {
        first[axis] = at[axis] > apart ? at[axis] - apart : 0;
        last[axis] = at[axis] + apart < box.n[axis] ? at[axis] + apart : box.n[axis] - 1;
    }
    for (std::int64_t z = first[2]; z <= last[2]; ++z)
        for (std::int64_t y = first[1]; y <= last[1]; ++y)
            for (std::int64_t x = first[0]; x <= last[0]; ++x) {
                const std::int64_t there = (z * box.n[1] + y) * box.n[0] + x;
                if (lags[there] > value || (lags[there] == value && there < here)) return false;
            }
    return true;
}

/// No peak: behind all others in their order.
constexpr std::int64_t kNoIndex = std::int64_t{1} << 62;

/// The order of peaks: larger values first, the first index of equal ones.
__device__ __forceinline__ bool is_before(float value, std::int64_t index, float other, std::int64_t other_index) {
    if (index == kNoIndex || other_index == kNoIndex) return index != kNoIndex && other_index == kNoIndex;
    return value > other || (value == other && index < other_index);
}

/// What a block shares while it orders peaks.
struct SharedPeaks {
    float value[kThreads];
    std::int64_t index[kThreads];
};

/// Leaves the first of the threads' peaks in place 0 of shared memory.
__device__ __forceinline__ void first_of_block(SharedPeaks& shared, float value, std::int64_t index) {
    shared.value[threadIdx.x] = value;
    shared.index[threadIdx.x] = index;
    __syncthreads();
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half && is_before(shared.value[threadIdx.x + half], shared.index[threadIdx.x + half],
                                            shared.value[threadIdx.x], shared.index[threadIdx.x])) {
            shared.value[threadIdx.x] = shared.value[threadIdx.x + half];
            shared.index[threadIdx.x] = shared.index[threadIdx.x + half];
        }
        __syncthreads();
    }
}

/// The first `count` local maxima of each chunk of lags, in their order, and behind them none.
__global__ void peaks_of_chunks(const float* lags, Box3 box, std::int64_t apart, int count, float* values,
                                std::int64_t* indices) {
    constexpr int each = static_cast<int>(kChunk / kThreads);
    SharedPeaks& shared = *reinterpret_cast<SharedPeaks*>(shared_memory());
    const std::int64_t all = box.n[0] * box.n[1] * box.n[2], begin = blockIdx.x * kChunk + threadIdx.x;
    unsigned maxima = 0;  // a bit for each of this thread's lags
    for (int i = 0; i < each; ++i) {
        const std::int64_t lag = begin + i * static_cast<std::int64_t>(kThreads);
        if (lag < all && is_local_maximum(lags, box, lag, apart)) maxima |= 1u << i;
    }
    for (int rank = 0; rank < count; ++rank) {
        float value = 0.f;
        std::int64_t index = kNoIndex;
        int mine = 0;
        for (int i = 0; i < each; ++i) {
            const std::int64_t lag = begin + i * static_cast<std::int64_t>(kThreads);
            if ((maxima >> i & 1u) != 0 && is_before(lags[lag], lag, value, index)) {
                value = lags[lag];
                index = lag;
                mine = i;
            }
        }
        first_of_block(shared, value, index);
        const std::int64_t best = shared.index[0];
        if (threadIdx.x == 0) {
            values[blockIdx.x * count + rank] = shared.value[0];
            indices[blockIdx.x * count + rank] = best;
        }
        if (best == index && index != kNoIndex) maxima &= ~(1u << mine);
        __syncthreads();
    }
}

/// One block: the first `count` of a list of peaks, in their order. Each round takes the first behind the one before.
__global__ void first_of_list(const float* values, const std::int64_t* indices, std::int64_t entries, int count,
                              float* first_values, std::int64_t* first_indices) {
    SharedPeaks& shared = *reinterpret_cast<SharedPeaks*>(shared_memory());
    float last = 0.f;
    std::int64_t last_index = -1;  // none yet
    for (int rank = 0; rank < count; ++rank) {
        float value = 0.f;
        std::int64_t index = kNoIndex;
        for (std::int64_t i = threadIdx.x; i < entries; i += kThreads) {
            const bool is_left = last_index < 0 || is_before(last, last_index, values[i], indices[i]);
            if (is_left && is_before(values[i], indices[i], value, index)) {
                value = values[i];
                index = indices[i];
            }
        }
        first_of_block(shared, value, index);
        last = shared.value[0];
        last_index = shared.index[0];
        if (threadIdx.x == 0) {
            first_values[rank] = last;
            first_indices[rank] = last_index;
        }
        __syncthreads();
    }
}

// ---- The correlation ----

unsigned blocks_for(std::int64_t threads) {
    return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

template <typename T>
DeviceBuffer<T> device_array(const char* name, std::int64_t elements) {
    return DeviceBuffer<T>(on_device(name, Owner::wavefield, elements, sizeof(T)));
}

/// A plan of the axes with more than one sample.
class FftPlan {
public:
    FftPlan(const std::int64_t (&padded)[3], int type, const Stream& stream) {
        std::array<int, 3> n{};
        int rank = 0;
        for (const int axis : {2, 1, 0})
            if (padded[axis] > 1) n[static_cast<std::size_t>(rank++)] = static_cast<int>(padded[axis]);
        check_fft(fft().plan_many(&plan_, rank, n.data(), nullptr, 1, 0, nullptr, 1, 0, type, 1), "cufftPlanMany");
        const int status = fft().set_stream(plan_, stream.get());
        if (status != 0) fft().destroy(plan_);
        check_fft(status, "cufftSetStream");
    }
    ~FftPlan() { fft().destroy(plan_); }
    FftPlan(const FftPlan&) = delete;
    FftPlan& operator=(const FftPlan&) = delete;
    [[nodiscard]] Plan get() const { return plan_; }

private:
    Plan plan_ = 0;
};

std::int64_t spectrum_points(const CorrelationSize& size) {
    return (size.padded[0] / 2 + 1) * size.padded[1] * size.padded[2];
}

class CorrelationOnGpu : public GpuCorrelation {
public:
    CorrelationOnGpu(const CorrelationSize& size, int ordinal)
        : device_(ordinal),
          size_(size),
          to_spectrum_(size.padded, kRealToComplex, stream_),
          from_spectrum_(size.padded, kComplexToReal, stream_),
          grid_(device_array<float>("correlation: grid", points_of(size.padded))),
          lags_(device_array<float>("correlation: lags", points_of(size.lags))),
          fixed_(device_array<Complex>("correlation: fixed spectrum", spectrum_points(size))),
          product_(device_array<Complex>("correlation: spectrum", spectrum_points(size))),
          sums_(device_array<double>("correlation: sums", kSums)) {}

    void set_fixed(std::span<const float> values) override {
        device_.enter();
        place(values, size_.fixed);
        check_fft(fft().forward(to_spectrum_.get(), grid_.data(), fixed_.data()), "cufftExecR2C");
        stream_.wait();
    }
    void set_moving(std::span<const float> values) override {
        device_.enter();
        place(values, size_.moving);
    }
    void set_template(std::span<const float> values) override {
        device_.enter();
        upload(values, template_);
    }
    void rotate(const TemplateTurn& turn) override {
        device_.enter();
        launch<float>(place_turned, {blocks_for(grid_.size()), kThreads}, stream_.get(),
                      static_cast<const float*>(template_.data()), turn, box_of(size_.padded), grid_.data());
    }
    double moving_energy() override;
    void forward() override {
        device_.enter();
        check_fft(fft().forward(to_spectrum_.get(), grid_.data(), product_.data()), "cufftExecR2C");
    }
    void multiply() override {
        device_.enter();
        const float scale = 1.f / static_cast<float>(points_of(size_.padded));
        launch<float>(multiply_by_conjugate, {blocks_for(product_.size()), kThreads}, stream_.get(),
                      static_cast<const Complex*>(fixed_.data()), product_.data(), product_.size(), scale);
    }
    void inverse() override {
        device_.enter();
        check_fft(fft().inverse(from_spectrum_.get(), product_.data(), grid_.data()), "cufftExecC2R");
        LagShape shape{};
        for (int axis = 0; axis < 3; ++axis) {
            shape.first[axis] = size_.first_lag[axis];
            shape.count[axis] = size_.lags[axis];
            shape.padded[axis] = size_.padded[axis];
        }
        launch<float>(take_lags, {blocks_for(lags_.size()), kThreads}, stream_.get(),
                      static_cast<const float*>(grid_.data()), shape, lags_.data());
    }
    void wait() override {
        device_.enter();
        stream_.wait();
    }
    std::vector<float> lags() override {
        device_.enter();
        return downloaded(lags_);
    }
    std::vector<IndexedPeak> peaks(int count, std::int64_t apart) override;

private:
    void upload(std::span<const float> values, DeviceBuffer<float>& buffer) {
        // The kernel that reads the values of before must be done.
        stream_.wait();
        make_room(buffer, on_device("correlation: volume", Owner::wavefield, std::ssize(values), sizeof(float)));
        copy_to_device(buffer.data(), values.data(), buffer.size());
    }
    void place(std::span<const float> values, const std::int64_t (&volume)[3]) {
        upload(values, values_);
        launch<float>(place_volume, {blocks_for(grid_.size()), kThreads}, stream_.get(),
                      static_cast<const float*>(values_.data()), box_of(volume), box_of(size_.padded), grid_.data());
    }
    template <typename T>
    std::vector<T> downloaded(const DeviceBuffer<T>& buffer) {
        std::vector<T> values(static_cast<std::size_t>(buffer.size()));
        ONDA_CUDA_TRY(cudaMemcpyAsync(values.data(), buffer.data(), values.size() * sizeof(T), cudaMemcpyDeviceToHost,
                                      stream_.get()));
        stream_.wait();
        return values;
    }

    DeviceScope device_;
    CorrelationSize size_;
    Stream stream_;
    FftPlan to_spectrum_, from_spectrum_;
    DeviceBuffer<float> values_, template_, grid_, lags_;
    DeviceBuffer<Complex> fixed_, product_;
    DeviceBuffer<double> sums_;
    DeviceBuffer<float> chunk_values_, best_values_;
    DeviceBuffer<std::int64_t> chunk_indices_, best_indices_;
};

double CorrelationOnGpu::moving_energy() {
    device_.enter();
    launch<double>(sum_squares, {kSums, kThreads, kThreads * sizeof(double)}, stream_.get(),
                   static_cast<const float*>(grid_.data()), grid_.size(), sums_.data());
    double sum = 0.;
    for (const double part : downloaded(sums_)) sum += part;
    return sum;
}

std::vector<IndexedPeak> CorrelationOnGpu::peaks(int count, std::int64_t apart) {
    device_.enter();
    const std::int64_t chunks = (lags_.size() + kChunk - 1) / kChunk, entries = chunks * count;
    const auto row = [](const char* name, std::int64_t elements, std::int64_t bytes) {
        return on_device(name, Owner::wavefield, elements, bytes);
    };
    make_room(chunk_values_, row("correlation: peaks of chunks", entries, sizeof(float)));
    make_room(chunk_indices_, row("correlation: their lags", entries, sizeof(std::int64_t)));
    make_room(best_values_, row("correlation: peaks", count, sizeof(float)));
    make_room(best_indices_, row("correlation: lags of peaks", count, sizeof(std::int64_t)));
    launch<float>(peaks_of_chunks, {static_cast<unsigned>(chunks), kThreads, sizeof(SharedPeaks)}, stream_.get(),
                  static_cast<const float*>(lags_.data()), box_of(size_.lags), apart, count, chunk_values_.data(),
                  chunk_indices_.data());
    launch<float>(first_of_list, {1, kThreads, sizeof(SharedPeaks)}, stream_.get(),
                  static_cast<const float*>(chunk_values_.data()),
                  static_cast<const std::int64_t*>(chunk_indices_.data()), entries, count, best_values_.data(),
                  best_indices_.data());
    const std::vector<float> values = downloaded(best_values_);
    const std::vector<std::int64_t> indices = downloaded(best_indices_);
    std::vector<IndexedPeak> peaks;
    for (std::size_t i = 0; i < indices.size() && indices[i] != kNoIndex; ++i) peaks.push_back({indices[i], values[i]});
    return peaks;
}

}  // namespace

const FftLibrary& fft_library() {
    return fft().about;
}

std::unique_ptr<GpuCorrelation> make_gpu_correlation(const CorrelationSize& size, int ordinal) {
    if (!fft_library().problem.empty()) throw Error(fft_library().problem);
    if (std::ranges::any_of(size.padded, [](std::int64_t n) { return n > std::numeric_limits<int>::max(); }))
        throw Error("cuFFT: a grid of so many samples along an axis cannot be transformed");
    return std::make_unique<CorrelationOnGpu>(size, ordinal);
}

}  // namespace onda::cuda
