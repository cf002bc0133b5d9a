/// \file
/// Stands in for NVIDIA's header of the same name: the part of the CUDA run-time library that kernels/cuda uses, on the
/// host, so that the whole CUDA backend runs where there is no GPU: its set-up, copies, streams, events and graphs.
///
/// There are two devices of 1 GiB. A stream runs what was queued when somebody waits for it, or at once: see
/// cuda_on_host::run_late. Copies and sets that name no stream happen at once, whatever other streams still have to do,
/// as with streams that were made non-blocking. What a graph's streams do not wait for runs never, and is an error.
/// What a stream does under another device than its own is an error. Threads may call it side by side; one at a time
/// does what streams hold.
///
/// A call can be told to fail: cuda_on_host::let_call_fail(), or in the environment of a program
///   ONDA_GPU_FAULT   "cudaErrorECCUncorrectable@12": the twelfth call fails so
///   ONDA_GPU_CALLS   a file that the number of calls is written to when the process ends by exit()
#pragma once

#include <cstddef>
#include <functional>

#include "dim3.hpp"

/// Sources of CUDA kernels are compiled for the host.
#define ONDA_CUDA_ON_HOST 1

enum cudaError_t {
    cudaSuccess,
    cudaErrorInvalidValue,
    cudaErrorMemoryAllocation,
    cudaErrorInvalidConfiguration,
    cudaErrorInsufficientDriver,
    cudaErrorNoDevice,
    cudaErrorInvalidDevice,
    cudaErrorNoKernelImageForDevice,
    cudaErrorUnsupportedPtxVersion,
    cudaErrorECCUncorrectable,
    cudaErrorHardwareStackError,
    cudaErrorIllegalAddress,
    cudaErrorLaunchFailure,
    cudaErrorMisalignedAddress,
    cudaErrorIllegalInstruction,
    cudaErrorAssert,
    cudaErrorLaunchTimeout,
    cudaErrorInvalidResourceHandle,
    cudaErrorPeerAccessAlreadyEnabled,
    cudaErrorDevicesUnavailable,
    cudaErrorNvlinkUncorrectable,
    cudaErrorUnknown,
    cudaErrorStreamCaptureUnsupported,
    cudaErrorStreamCaptureUnjoined,
    cudaErrorStreamCaptureInvalidated,
    cudaErrorStreamCaptureIsolation
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum cudaDeviceAttr {
    cudaDevAttrComputeCapabilityMajor,
    cudaDevAttrComputeCapabilityMinor,
    cudaDevAttrClockRate,
    cudaDevAttrMultiProcessorCount,
    cudaDevAttrMaxSharedMemoryPerBlockOptin,
    cudaDevAttrL2CacheSize
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal };
constexpr unsigned cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2;
constexpr unsigned long long cudaGraphInstantiateFlagUseNodePriority = 8;

struct cudaUUID_t {
    char bytes[16];
};
struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    int major, minor, multiProcessorCount;
    std::size_t totalGlobalMem;
};
struct cudaFuncAttributes {
    int numRegs;
    std::size_t localSizeBytes, sharedSizeBytes;
};

struct CUstream_st;

namespace cuda_on_host {

using Stream = CUstream_st;
struct Event;
struct Graph;

/// Whether streams wait with their work until somebody waits for them. Both must give the same results.
extern bool run_late;
/// Whether the devices can copy from each other's memory.
extern bool has_peer_access;
/// Whether copies from device to device can be captured into graphs.
extern bool captures_several_devices;
extern std::size_t launched_graphs;
/// Where page-locked memory ends.
extern std::size_t most_pinned_bytes;

/// Bytes that are allocated now, on all devices together and in page-locked memory.
std::size_t held_device_bytes();
std::size_t held_pinned_bytes();

/// Lets a call fail with this status: of all threads the n-th from the start of the process, from 1; none with 0. Want
/// of memory passes; after anything else the device of the thread is lost, as CUDA has it: nothing that was queued
/// runs, and every later call fails in the same way.
void let_call_fail(long number, cudaError_t status);
/// Calls so far.
long calls();

/// Queues work on a stream, or captures it.
void enqueue(Stream* stream, std::function<void()> work);

}  // namespace cuda_on_host

using cudaStream_t = cuda_on_host::Stream*;
using cudaEvent_t = cuda_on_host::Event*;
using cudaGraph_t = cuda_on_host::Graph*;
using cudaGraphExec_t = cuda_on_host::Graph*;
constexpr cudaStream_t cudaStreamLegacy = nullptr;

const char* cudaGetErrorString(cudaError_t status);
const char* cudaGetErrorName(cudaError_t status);
cudaError_t cudaGetLastError();
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetPCIBusId(char* bus_id, int length, int device);
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int other);
cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned flags);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaMalloc(void** data, std::size_t bytes);
cudaError_t cudaFree(void* data);
cudaError_t cudaMallocHost(void** data, std::size_t bytes);
cudaError_t cudaFreeHost(void* data);
constexpr unsigned cudaHostRegisterPortable = 1;
cudaError_t cudaHostRegister(void* data, std::size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* data);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t bytes, std::size_t rows, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemset(void* data, int value, std::size_t bytes);
cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value);
template <typename Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel) {
    *attributes = {32, 0, 0};
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int threads,
                                                          std::size_t shared_bytes);
