#include "kernels/cuda/runtime.hpp"

#include <cstddef>
#include <new>
#include <string_view>
#include <sys/mman.h>

#include "kernels/cuda/cuda.hpp"

namespace onda::cuda {
namespace {

/// The GPU that the calling thread has entered; -1 before it enters one.
thread_local int entered_gpu = -1;

/// What a status means, and what to do. `-i GPU` stands for the option of nvidia-smi that names the GPU.
std::string remedy_for(cudaError_t status) {
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
            return "the memory of the GPU has lost bits that its error correction (ECC) cannot restore: "
                   "`nvidia-smi -q -d ECC,ROW_REMAPPER -i GPU` counts such errors; if they come again, reset the GPU "
                   "(nvidia-smi --gpu-reset -i GPU), and have it replaced if that does not help";
        case cudaErrorNvlinkUncorrectable:
            return "the link between GPUs (NVLink) has an error that it cannot correct: see nvidia-smi nvlink -e -i "
                   "GPU; backend.exchange: host does without the link";
        case cudaErrorDevicesUnavailable:
        case cudaErrorUnknown:
            return "the GPU was lost, or another program has it for itself: `nvidia-smi -i GPU` shows whether it is "
                   "there and who uses it, and `dmesg | grep Xid` why the driver lost it; one that is gone needs a "
                   "reset (nvidia-smi --gpu-reset -i GPU) or a reboot";
        case cudaErrorHardwareStackError:
            return "the GPU reports a hardware fault: see nvidia-smi -q -i GPU, and run elsewhere until it is mended";
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchFailure:
        case cudaErrorMisalignedAddress:
        case cudaErrorIllegalInstruction:
        case cudaErrorAssert:
            return "a kernel failed, by a bug in Onda or a fault of the GPU (`dmesg | grep Xid`): if it comes again, "
                   "please report it with the output of `onda info`";
        case cudaErrorInvalidConfiguration:
        case cudaErrorInvalidValue:
            return "a bug in Onda: please report it with the output of `onda info`; another backend.kernel may do";
        case cudaErrorLaunchTimeout: return "the display driver stops long kernels: compute on a GPU without a display";
        default: return "see nvidia-smi for the state of the GPU";
    }
}

/// The text with this in place of each " -i GPU".
std::string with_option(std::string text, const std::string& gpu) {
    constexpr std::string_view place = " -i GPU";
    for (std::size_t at = 0; (at = text.find(place, at)) != std::string::npos; at += gpu.size())
        text.replace(at, place.size(), gpu);
    return text;
}

}  // namespace

void check_call(cudaError_t status, const char* call, const char* file, int line) {
    if (status == cudaSuccess) return;
    const std::string path = file;
    std::string where, option;
    if (const Gpu* const gpu = known_gpu(entered_gpu)) {
        where = " on GPU " + std::to_string(entered_gpu) + " (" + gpu->name + ", " + gpu->bus_id + ")";
        option = " -i " + gpu->bus_id;
    }
    throw Error(std::string("CUDA: ") + call + " failed" + where + ": " + cudaGetErrorString(status) + " (" +
                    cudaGetErrorName(status) + ", " + path.substr(path.rfind('/') + 1) + ":" + std::to_string(line) +
                    ")\n  " + with_option(remedy_for(status), option),
                status == cudaErrorMemoryAllocation);
}

void DeviceScope::enter() const {
    entered_gpu = ordinal_;
    ONDA_CUDA_TRY(cudaSetDevice(ordinal_));
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

namespace {

/// From here on all threads provide the pages, in large ones where the system has them: the driver does it with one
/// thread, some seconds for 10 GB.
constexpr std::int64_t kLargePinnedBytes = 64 << 20;

void check_host_call(cudaError_t status, const char* call, int line) {
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        throw std::bad_alloc();
    }
    check_call(status, call, __FILE__, line);
}

void* allocate_large_pinned(std::int64_t bytes) {
    constexpr std::int64_t page = 4096;
    const auto length = static_cast<std::size_t>(bytes);
    void* const data = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) throw std::bad_alloc();
    ::madvise(data, length, MADV_HUGEPAGE);
#pragma omp parallel for schedule(static)
    for (std::int64_t at = 0; at < bytes; at += page) static_cast<volatile std::byte*>(data)[at] = std::byte{0};
    const cudaError_t status = cudaHostRegister(data, length, cudaHostRegisterPortable);
    if (status != cudaSuccess) ::munmap(data, length);
    check_host_call(status, "cudaHostRegister", __LINE__);
    return data;
}

}  // namespace

void* allocate_pinned(std::int64_t bytes) {
    if (bytes >= kLargePinnedBytes) return allocate_large_pinned(bytes);
    void* data = nullptr;
    if (bytes > 0) check_host_call(cudaMallocHost(&data, static_cast<std::size_t>(bytes)), "cudaMallocHost", __LINE__);
    return data;
}

void free_pinned(void* data, std::int64_t bytes) {
    if (bytes < kLargePinnedBytes) {
        cudaFreeHost(data);
    } else if (data != nullptr) {
        cudaHostUnregister(data);
        ::munmap(data, static_cast<std::size_t>(bytes));
    }
}

}  // namespace onda::cuda
