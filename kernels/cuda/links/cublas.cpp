// Products of matrices by cuBLAS, which is looked for when it is first needed: neither build nor program needs it
// otherwise.
#include <dlfcn.h>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "kernels/cuda/companions/packed_codes.hpp"
#include "kernels/cuda/companions/timed_product.hpp"
#include "kernels/cuda/runtime.hpp"

#if __has_include(<cublas_v2.h>) && !defined(ONDA_CUDA_ON_HOST)
#include <cublas_v2.h>
#endif

namespace onda::cuda {
namespace {

// What is used of cuBLAS's interface, which is that of versions 12 and 13: its header is not needed. Where there
// is one, the compiler compares.
using BlasHandle = void*;
constexpr int kBlasSuccess = 0, kBlasAsItIs = 0, kBlasPlainMath = 0;  // CUBLAS_STATUS_SUCCESS, _OP_N, _DEFAULT_MATH

struct BlasLibrary {
    int (*create)(BlasHandle* handle) = nullptr;
    int (*destroy)(BlasHandle) = nullptr;
    int (*get_property)(int property, int* value) = nullptr;
    int (*set_stream)(BlasHandle, cudaStream_t) = nullptr;
    int (*set_math_mode)(BlasHandle, int mode) = nullptr;
    int (*sgemm)(BlasHandle, int operation_a, int operation_b, int m, int n, int k, const float* alpha, const float* a,
                 int lda, const float* b, int ldb, const float* beta, float* c, int ldc) = nullptr;
    Cublas about;
};

#ifdef CUBLAS_VER_MAJOR
static_assert(int{CUBLAS_STATUS_SUCCESS} == kBlasSuccess && int{CUBLAS_OP_N} == kBlasAsItIs &&
              int{CUBLAS_DEFAULT_MATH} == kBlasPlainMath);
static_assert(sizeof(cublasStatus_t) == sizeof(int) && sizeof(cublasOperation_t) == sizeof(int) &&
              sizeof(cublasMath_t) == sizeof(int) && std::is_pointer_v<cublasHandle_t>);
static_assert(std::is_same_v<decltype(cublasCreate_v2), cublasStatus_t(cublasHandle_t*)>);
static_assert(std::is_same_v<decltype(cublasSetStream_v2), cublasStatus_t(cublasHandle_t, cudaStream_t)>);
static_assert(std::is_same_v<decltype(cublasSetMathMode), cublasStatus_t(cublasHandle_t, cublasMath_t)>);
static_assert(
    std::is_same_v<decltype(cublasSgemm_v2),
                   cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const float*,
                                  const float*, int, const float*, int, const float*, float*, int)>);
#endif

template <typename Function>
bool find_in_cublas(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

void* open_cublas(std::string& problem) {
#if defined(ONDA_CUDA_ON_HOST)
    problem = "cuBLAS needs a GPU";
#else
    for (const char* const name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"}) {
        if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL); library != nullptr) return library;
        if (const char* const why = dlerror(); problem.empty() && why != nullptr) problem = why;
    }
    problem += "; install NVIDIA's cuBLAS (libcublas-13-0 or libcublas-12-6), or name its folder in LD_LIBRARY_PATH";
#endif
    return nullptr;
}

BlasLibrary load_cublas() {
    BlasLibrary blas;
    void* const library = open_cublas(blas.about.problem);
    if (library == nullptr) return blas;
    blas.about.problem.clear();
    if (find_in_cublas(library, "cublasCreate_v2", blas.create) &&
        find_in_cublas(library, "cublasDestroy_v2", blas.destroy) &&
        find_in_cublas(library, "cublasGetProperty", blas.get_property) &&
        find_in_cublas(library, "cublasSetStream_v2", blas.set_stream) &&
        find_in_cublas(library, "cublasSetMathMode", blas.set_math_mode) &&
        find_in_cublas(library, "cublasSgemm_v2", blas.sgemm)) {
        int part[3] = {};  // major, minor, patch
        for (int i = 0; i < 3; ++i) blas.get_property(i, &part[i]);
        blas.about.name =
            "cuBLAS " + std::to_string(part[0]) + "." + std::to_string(part[1]) + "." + std::to_string(part[2]);
    } else {
        blas.about.problem = "libcublas.so lacks a function of cuBLAS 12";
    }
    return blas;
}

const BlasLibrary& blas_library() {
    static const BlasLibrary one = load_cublas();
    return one;
}

void check_cublas(int status, const char* call) {
    if (status == kBlasSuccess) return;
    constexpr int no_memory = 3;  // CUBLAS_STATUS_ALLOC_FAILED
    throw Error(std::string("cuBLAS: ") + call + " failed with status " + std::to_string(status), status == no_memory);
}

/// A handle of cuBLAS for the current device of the calling thread.
class CublasHandle {
public:
    /// \throws Error if cublas() has a problem, or the GPU has no memory for it.
    CublasHandle() {
        if (!blas_library().about.problem.empty()) throw Error("cuBLAS: " + blas_library().about.problem);
        BlasHandle made = nullptr;
        check_cublas(blas_library().create(&made), "cublasCreate");
        handle_ = {made, blas_library().destroy};
        check_cublas(blas_library().set_math_mode(made, kBlasPlainMath), "cublasSetMathMode");
    }
    /// Queues c = a b in FP32, without TF32; all row-major in device memory: a (rows, inner), b (inner, width).
    /// Matrices of cuBLAS lie column by column: c' = b' a'. \throws Error
    void multiply(const float* a, const float* b, float* c, int rows, int inner, int width, cudaStream_t stream) const {
        const float one = 1.F, zero = 0.F;
        check_cublas(blas_library().set_stream(handle_.get(), stream), "cublasSetStream");
        check_cublas(blas_library().sgemm(handle_.get(), kBlasAsItIs, kBlasAsItIs, width, rows, inner, &one, b, width,
                                          a, inner, &zero, c, width),
                     "cublasSgemm");
    }

private:
    std::unique_ptr<void, int (*)(BlasHandle)> handle_{nullptr, nullptr};
};

}  // namespace

const Cublas& cublas() {
    return blas_library().about;
}

PackedTimes multiply_by_cublas(std::span<const float> codes, std::int64_t rows, std::int64_t columns,
                               std::span<const float> values, std::int64_t width, std::span<float> product, int rounds,
                               int ordinal) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    if (rows < 1 || columns < 1 || width < 1 || rows > most || columns > most || width > most ||
        std::ssize(codes) != rows * columns || std::ssize(values) != columns * width ||
        std::ssize(product) != rows * width)
        throw std::invalid_argument("matrices of " + std::to_string(codes.size()) + " and " +
                                    std::to_string(values.size()) + " elements do not fit");
    const DeviceScope scope(ordinal);
    const auto start = std::chrono::steady_clock::now();
    const CublasHandle handle;
    const double handle_ms = milliseconds_since(start);
    PackedTimes times = timed_product(codes, values, product, rounds,
                                      [&](const float* a, const float* b, float* c, cudaStream_t stream) {
                                          handle.multiply(a, b, c, static_cast<int>(rows), static_cast<int>(columns),
                                                          static_cast<int>(width), stream);
                                      });
    times.start_up_ms += handle_ms;
    return times;
}

}  // namespace onda::cuda
