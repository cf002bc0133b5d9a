// What there is to compute on.
#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <string_view>

#include "kernels/cuda/choice.hpp"
#include "kernels/cuda/field_operations.hpp"
#include "kernels/cuda/runtime.hpp"

namespace onda::cuda {
namespace {

std::string version_text(int version) {
    return version == 0 ? std::string() : std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions".
void set_lanes(Gpu& gpu, int architecture) {
    gpu.lanes = architecture <= 80 ? 64 : 128;
    gpu.double_lanes = architecture == 80 ? 32 : architecture == 90 || architecture == 100 ? 64 : 2;
}

Gpu describe_gpu(int index) {
    cudaDeviceProp has{};
    ONDA_CUDA_TRY(cudaGetDeviceProperties(&has, index));
    Gpu gpu;
    gpu.name = has.name;
    gpu.architecture = "sm_" + std::to_string(has.major) + std::to_string(has.minor);
    gpu.multiprocessors = has.multiProcessorCount;
    gpu.memory_bytes = static_cast<std::int64_t>(has.totalGlobalMem);
    set_lanes(gpu, 10 * has.major + has.minor);
    int clock_khz = 0;
    ONDA_CUDA_TRY(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, index));
    gpu.most_clock_mhz = clock_khz / 1000;
    char bus_id[32] = {};
    ONDA_CUDA_TRY(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, index));
    gpu.bus_id = bus_id;
    for (const char byte : has.uuid.bytes) {
        constexpr std::string_view digits = "0123456789abcdef";
        const auto value = static_cast<unsigned char>(byte);
        gpu.uuid += {digits[value / 16], digits[value % 16]};
    }
    return gpu;
}

GpuState look_at(int ordinal) {
    const Gpu& gpu = platform().gpus[static_cast<std::size_t>(ordinal)];
    try {
        if (gpu_architecture(ordinal) < 75)
            return {gpu.name + " (" + gpu.architecture + ") is older than sm_75, the oldest GPU that Onda supports"};
        const DeviceScope scope(ordinal);
        require_code();
        return {{}, false, available_bytes(ordinal)};
    } catch (const Error& error) {
        cudaGetLastError();
        return {error.what(), error.out_of_memory};
    }
}

Platform look_around() {
    Platform platform;
    platform.compiled_in = true;
    int driver = 0, runtime = 0, count = 0;
    try {
        ONDA_CUDA_TRY(cudaRuntimeGetVersion(&runtime));
        platform.runtime_version = version_text(runtime);
        ONDA_CUDA_TRY(cudaDriverGetVersion(&driver));
        platform.driver_version = version_text(driver);
        if (driver == 0)
            throw Error("there is no NVIDIA driver on this machine\n  install one, or take backend.name: cpu");
        ONDA_CUDA_TRY(cudaGetDeviceCount(&count));
        if (count == 0) throw Error("no GPU is visible: see nvidia-smi and CUDA_VISIBLE_DEVICES");
        for (int i = 0; i < count; ++i) platform.gpus.push_back(describe_gpu(i));
    } catch (const Error& error) {
        cudaGetLastError();
        platform.gpus.clear();
        platform.problem = error.what();
    }
    return platform;
}

}  // namespace

namespace {
std::atomic<const Platform*> known_platform{nullptr};
}

const Platform& platform() {
    static const Platform found = look_around();
    known_platform = &found;
    return found;
}

const Gpu* known_gpu(int ordinal) {
    const Platform* const known = known_platform;
    return known != nullptr && ordinal >= 0 && ordinal < std::ssize(known->gpus)
               ? &known->gpus[static_cast<std::size_t>(ordinal)]
               : nullptr;
}

const GpuState& gpu_state(int ordinal) {
    static const GpuState none{platform().problem};
    static std::mutex mutex;
    static std::map<int, GpuState> found;
    if (ordinal < 0 || ordinal >= std::ssize(platform().gpus)) return none;
    const std::lock_guard lock(mutex);
    const auto known = found.find(ordinal);
    return known != found.end() ? known->second : found.emplace(ordinal, look_at(ordinal)).first->second;
}

namespace {
/// 0 without such a GPU. \throws Error.
int attribute(cudaDeviceAttr which, int ordinal) {
    int value = 0;
    if (ordinal >= 0 && ordinal < std::ssize(platform().gpus))
        ONDA_CUDA_TRY(cudaDeviceGetAttribute(&value, which, ordinal));
    return value;
}
}  // namespace

int gpu_architecture(int ordinal) {
    return 10 * attribute(cudaDevAttrComputeCapabilityMajor, ordinal) +
           attribute(cudaDevAttrComputeCapabilityMinor, ordinal);
}

int gpu_shared_bytes(int ordinal) {
    return attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal);
}

int gpu_cache_bytes(int ordinal) {
    return attribute(cudaDevAttrL2CacheSize, ordinal);
}

std::int64_t available_bytes(int ordinal) {
    const DeviceScope scope(ordinal);
    std::size_t free = 0, total = 0;
    ONDA_CUDA_TRY(cudaMemGetInfo(&free, &total));
    // Modules are loaded and graphs are made later on.
    constexpr std::int64_t reserve = 64 << 20;
    return std::max<std::int64_t>(0, static_cast<std::int64_t>(free) - reserve);
}

bool connect_gpus(int one, int other) {
    if (one == other) return true;
    bool both = true;
    for (const auto& [from, to] : {std::pair(one, other), std::pair(other, one)}) {
        int can = 0;
        ONDA_CUDA_TRY(cudaDeviceCanAccessPeer(&can, from, to));
        if (can == 0) {
            both = false;
            continue;
        }
        const DeviceScope scope(from);
        const cudaError_t status = cudaDeviceEnablePeerAccess(to, 0);
        if (status == cudaErrorPeerAccessAlreadyEnabled)
            cudaGetLastError();  // so that no later call reports it
        else
            check_call(status, "cudaDeviceEnablePeerAccess", __FILE__, __LINE__);
    }
    return both;
}

}  // namespace onda::cuda
