#include <algorithm>
#include <cstddef>
#include <dlfcn.h>
#include <string>
#include <type_traits>
#include <utility>

#include "kernels/cuda/companions/sparse.hpp"
#include "kernels/cuda/companions/sparse_memory.hpp"

#if __has_include(<cusparse.h>) && !defined(ONDA_CUDA_ON_HOST)
#include <cusparse.h>
#endif

namespace onda::cuda {
namespace {

// What is used of cuSPARSE's interface, which is that of every version 12: its header is not needed. Where there is
// one, the compiler compares.
using SparseHandle = void*;
constexpr int kSparseSuccess = 0, kIndex32 = 2, kFromZero = 0, kAsItIs = 0;
constexpr int kDouble = 1;  // CUDA_R_64F

struct Cusparse {
    int (*create)(SparseHandle* handle) = nullptr;
    int (*destroy)(SparseHandle handle) = nullptr;
    int (*get_version)(SparseHandle handle, int* version) = nullptr;
    int (*set_stream)(SparseHandle handle, cudaStream_t stream) = nullptr;
    const char* (*error_text)(int status) = nullptr;
    int (*create_rows)(SparseHandle* matrix, std::int64_t rows, std::int64_t columns, std::int64_t elements,
                       void* row_begin, void* column, void* value, int row_type, int column_type, int base,
                       int value_type) = nullptr;
    int (*destroy_matrix)(const void* matrix) = nullptr;
    int (*create_vector)(SparseHandle* vector, std::int64_t size, void* values, int value_type) = nullptr;
    int (*destroy_vector)(const void* vector) = nullptr;
    int (*set_values)(SparseHandle vector, void* values) = nullptr;
    int (*buffer_bytes)(SparseHandle handle, int operation, const void* alpha, const void* matrix, const void* x,
                        const void* beta, SparseHandle y, int compute_type, int algorithm,
                        std::size_t* bytes) = nullptr;
    using Multiply = int (*)(SparseHandle handle, int operation, const void* alpha, const void* matrix, const void* x,
                             const void* beta, SparseHandle y, int compute_type, int algorithm, void* buffer);
    Multiply prepare = nullptr;  ///< of versions from 12.3 on
    Multiply multiply = nullptr;
    std::string name, problem;
};

#ifdef CUSPARSE_VERSION
static_assert(int{CUSPARSE_STATUS_SUCCESS} == kSparseSuccess && int{CUSPARSE_INDEX_32I} == kIndex32);
static_assert(int{CUSPARSE_INDEX_BASE_ZERO} == kFromZero && int{CUSPARSE_OPERATION_NON_TRANSPOSE} == kAsItIs);
static_assert(int{CUDA_R_64F} == kDouble && sizeof(cudaDataType) == sizeof(int));
static_assert(int{CUSPARSE_SPMV_ALG_DEFAULT} == kLibraryProducts[0].algorithm &&
              int{CUSPARSE_SPMV_CSR_ALG2} == kLibraryProducts[1].algorithm);
static_assert(sizeof(cusparseStatus_t) == sizeof(int) && std::is_pointer_v<cusparseHandle_t> &&
              std::is_pointer_v<cusparseSpMatDescr_t> && std::is_pointer_v<cusparseDnVecDescr_t>);
static_assert(std::is_same_v<decltype(cusparseCreateCsr),
                             cusparseStatus_t(cusparseSpMatDescr_t*, std::int64_t, std::int64_t, std::int64_t, void*,
                                              void*, void*, cusparseIndexType_t, cusparseIndexType_t,
                                              cusparseIndexBase_t, cudaDataType)>);
static_assert(std::is_same_v<decltype(cusparseCreateDnVec),
                             cusparseStatus_t(cusparseDnVecDescr_t*, std::int64_t, void*, cudaDataType)>);
static_assert(std::is_same_v<decltype(cusparseSpMV_bufferSize),
                             cusparseStatus_t(cusparseHandle_t, cusparseOperation_t, const void*,
                                              cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, const void*,
                                              cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, std::size_t*)>);
static_assert(std::is_same_v<decltype(cusparseSpMV),
                             cusparseStatus_t(cusparseHandle_t, cusparseOperation_t, const void*,
                                              cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, const void*,
                                              cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, void*)>);
#endif

void* open_cusparse(std::string& problem) {
#if defined(ONDA_CUDA_ON_HOST)
    problem = "cuSPARSE needs a GPU";
#else
    for (const char* const name : {"libcusparse.so.12", "libcusparse.so"}) {
        if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL); library != nullptr) return library;
        if (const char* const why = dlerror(); problem.empty() && why != nullptr) problem = why;
    }
    problem += "; install NVIDIA's cuSPARSE (libcusparse-12-6 or newer), or name its folder in LD_LIBRARY_PATH";
#endif
    return nullptr;
}

std::string version_of(const Cusparse& library) {
    SparseHandle handle = nullptr;
    int version = 0;
    if (library.create(&handle) != kSparseSuccess) return {};
    library.get_version(handle, &version);
    library.destroy(handle);
    return "cuSPARSE " + std::to_string(version / 1000) + "." + std::to_string(version / 100 % 10) + "." +
           std::to_string(version % 100);
}

Cusparse load_cusparse() {
    Cusparse library;
    void* const opened = open_cusparse(library.problem);
    if (opened == nullptr) return library;
    bool complete = true;
    const auto find_function = [opened](auto& function, const char* name) {
        function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(opened, name));
        return function != nullptr;
    };
    complete = find_function(library.create, "cusparseCreate") && complete;
    complete = find_function(library.destroy, "cusparseDestroy") && complete;
    complete = find_function(library.get_version, "cusparseGetVersion") && complete;
    complete = find_function(library.set_stream, "cusparseSetStream") && complete;
    complete = find_function(library.error_text, "cusparseGetErrorString") && complete;
    complete = find_function(library.create_rows, "cusparseCreateCsr") && complete;
    complete = find_function(library.destroy_matrix, "cusparseDestroySpMat") && complete;
    complete = find_function(library.create_vector, "cusparseCreateDnVec") && complete;
    complete = find_function(library.destroy_vector, "cusparseDestroyDnVec") && complete;
    complete = find_function(library.set_values, "cusparseDnVecSetValues") && complete;
    complete = find_function(library.buffer_bytes, "cusparseSpMV_bufferSize") && complete;
    complete = find_function(library.multiply, "cusparseSpMV") && complete;
    find_function(library.prepare, "cusparseSpMV_preprocess");
    library.problem = complete ? "" : "libcusparse is older than version 12";
    if (complete) library.name = version_of(library);
    if (complete && library.name.empty()) library.problem = "cuSPARSE finds no GPU that it can use";
    return library;
}

const Cusparse& cusparse() {
    static const Cusparse one = load_cusparse();
    return one;
}

void check_sparse(int status, const char* call) {
    if (status != kSparseSuccess)
        throw Error(std::string("cuSPARSE: ") + call + " failed: " + cusparse().error_text(status));
}

constexpr double kAlpha = 1., kBeta = 0.;

class CusparseMatrix : public GpuMatrix {
public:
    CusparseMatrix(const GpuVectors& space, const SparseMatrix& matrix, const LibraryProduct& product)
        : memory_(space.memory()), algorithm_(product.algorithm), rows_(matrix) {
        try {
            describe();
            prepare();
        } catch (...) {
            release();
            throw;
        }
    }
    CusparseMatrix(const CusparseMatrix&) = delete;
    CusparseMatrix& operator=(const CusparseMatrix&) = delete;
    ~CusparseMatrix() override { release(); }

    void multiply(const GpuVectors::Vector& x, GpuVectors::Vector& y) const override {
        memory_->scope.enter();
        check_sparse(cusparse().set_values(x_, x.data()), "cusparseDnVecSetValues");
        check_sparse(cusparse().set_values(y_, y.data()), "cusparseDnVecSetValues");
        call(cusparse().multiply, "cusparseSpMV");
    }
    [[nodiscard]] std::int64_t elements() const override { return rows_.elements; }

private:
    void describe() {
        const Cusparse& library = cusparse();
        check_sparse(library.create(&handle_), "cusparseCreate");
        check_sparse(library.set_stream(handle_, memory_->stream.get()), "cusparseSetStream");
        check_sparse(
            library.create_rows(&matrix_, rows_.rows, rows_.columns, rows_.elements, rows_.row_begin.data(),
                                rows_.column.data(), rows_.value.data(), kIndex32, kIndex32, kFromZero, kDouble),
            "cusparseCreateCsr");
        // Vectors that nothing reads: a product names its own.
        place_ = DeviceBuffer<double>(on_device("for a moment", Owner::wavefield, std::max(rows_.rows, rows_.columns),
                                                std::int64_t{sizeof(double)}));
        check_sparse(library.create_vector(&x_, rows_.columns, place_.data(), kDouble), "cusparseCreateDnVec");
        check_sparse(library.create_vector(&y_, rows_.rows, place_.data(), kDouble), "cusparseCreateDnVec");
    }
    void prepare() {
        std::size_t bytes = 0;
        check_sparse(
            cusparse().buffer_bytes(handle_, kAsItIs, &kAlpha, matrix_, x_, &kBeta, y_, kDouble, algorithm_, &bytes),
            "cusparseSpMV_bufferSize");
        buffer_ = DeviceBuffer<std::byte>(
            on_device("for a moment", Owner::wavefield, static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1)), 1));
        if (cusparse().prepare != nullptr) call(cusparse().prepare, "cusparseSpMV_preprocess");
    }
    void call(Cusparse::Multiply function, const char* name) const {
        check_sparse(function(handle_, kAsItIs, &kAlpha, matrix_, x_, &kBeta, y_, kDouble, algorithm_, buffer_.data()),
                     name);
    }
    void release() noexcept {
        const Cusparse& library = cusparse();
        if (x_ != nullptr) library.destroy_vector(x_);
        if (y_ != nullptr) library.destroy_vector(y_);
        if (matrix_ != nullptr) library.destroy_matrix(matrix_);
        if (handle_ != nullptr) library.destroy(handle_);
    }

    std::shared_ptr<VectorMemory> memory_;
    int algorithm_;
    DeviceRows rows_;
    DeviceBuffer<double> place_;
    DeviceBuffer<std::byte> buffer_;
    SparseHandle handle_ = nullptr, matrix_ = nullptr, x_ = nullptr, y_ = nullptr;
};

}  // namespace

const std::string& cusparse_problem() {
    return cusparse().problem;
}

const std::string& cusparse_name() {
    return cusparse().name;
}

std::unique_ptr<GpuMatrix> make_gpu_matrix(const GpuVectors& space, const SparseMatrix& matrix,
                                           const LibraryProduct& product) {
    if (!cusparse_problem().empty()) throw Error("there is no cuSPARSE: " + cusparse_problem());
    matrix.check();
    space.wait();  // on the GPU of the space
    return std::make_unique<CusparseMatrix>(space, matrix, product);
}

}  // namespace onda::cuda
