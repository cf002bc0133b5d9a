#include "kernels/cuda/runtime.hpp"

#include <new>

namespace onda::cuda {
namespace {

const char* remedy_for(cudaError_t status) {
    switch (status) {
        case cudaErrorMemoryAllocation:
            return "the GPU has too little free memory: `onda check CONFIG` says what the run needs; other programs "
                   "may "
                   "hold memory (nvidia-smi)";
        case cudaErrorNoKernelImageForDevice:
        case cudaErrorUnsupportedPtxVersion:
            return "this build has no code for this GPU: build with -DCMAKE_CUDA_ARCHITECTURES=native on this machine";
        case cudaErrorInsufficientDriver:
            return "the NVIDIA driver is older than the CUDA run-time library Onda was built with: update the driver";
        case cudaErrorNoDevice: return "no GPU is visible: see nvidia-smi and CUDA_VISIBLE_DEVICES";
        case cudaErrorECCUncorrectable:
        case cudaErrorHardwareStackError:
            return "the GPU reports a hardware fault: see nvidia-smi -q, and run elsewhere until it is mended";
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchFailure:
        case cudaErrorMisalignedAddress:
        case cudaErrorIllegalInstruction:
        case cudaErrorAssert:
            return "a kernel failed: please report it with the output of `onda info`; the results of this run are not "
                   "to be used";
        case cudaErrorInvalidConfiguration:
        case cudaErrorInvalidValue:
            return "a fault in Onda: please report it with the output of `onda info`; another backend.kernel may do";
        case cudaErrorLaunchTimeout: return "the display driver stops long kernels: compute on a GPU without a display";
        default: return "see nvidia-smi for the state of the GPU";
    }
}

}  // namespace

void check_call(cudaError_t status, const char* call, const char* file, int line) {
    if (status == cudaSuccess) return;
    const std::string path = file;
    throw Error(std::string("CUDA: ") + call + " failed: " + cudaGetErrorString(status) + " (" +
                    cudaGetErrorName(status) + ", " + path.substr(path.rfind('/') + 1) + ":" + std::to_string(line) +
                    ")\n  " + remedy_for(status),
                status == cudaErrorMemoryAllocation);
}

void* allocate_device(std::int64_t bytes) {
    void* data = nullptr;
    if (cudaMalloc(&data, static_cast<std::size_t>(bytes)) == cudaSuccess) return data;
    const cudaError_t status = cudaGetLastError();
    std::size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    const std::string call = "cudaMalloc of " + std::to_string(bytes) + " bytes (" + std::to_string(free) + " of " +
                             std::to_string(total) + " are free)";
    check_call(status, call.c_str(), __FILE__, __LINE__);
    return data;
}

void* allocate_pinned(std::int64_t bytes) {
    void* data = nullptr;
    if (bytes == 0) return data;
    const cudaError_t status = cudaMallocHost(&data, static_cast<std::size_t>(bytes));
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        throw std::bad_alloc();
    }
    check_call(status, "cudaMallocHost", __FILE__, __LINE__);
    return data;
}

}  // namespace onda::cuda
