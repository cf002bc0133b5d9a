// The CUDA run-time library on the host: see cuda_runtime_api.h.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuda_runtime_api.h"

namespace cuda_on_host {

struct Capture;

/// What a stream was told while it was captured.
struct CapturedStream {
    struct Step {
        std::function<void()> work;       ///< or, if that is empty,
        CapturedStream* other = nullptr;  ///< one that
        std::size_t number = 0;           ///< must have come as far as this
    };
    Stream* stream;
    std::vector<Step> steps;
    std::size_t done = 0;

    void run_until(std::size_t number, bool only_waits) {
        while (done < number) {
            const Step& step = steps[done++];
            if (step.other != nullptr)
                step.other->run_until(step.number, only_waits);
            else if (!only_waits)
                step.work();
        }
    }
};

/// Streams that are captured together: the first by itself, others since they wait for what one of them does.
struct Capture {
    std::deque<CapturedStream> streams;
    bool is_open = true, is_valid = true;
    int runs = 0;

    /// Whether the first stream comes after everything that the others do.
    bool is_joined() {
        forget();
        streams.front().run_until(streams.front().steps.size(), true);
        return std::ranges::all_of(streams, [](const auto& stream) { return stream.done == stream.steps.size(); });
    }
    /// Streams run one after another, but for their waits: forwards and backwards in turn.
    void run() {
        forget();
        const auto finish = [](CapturedStream& stream) { stream.run_until(stream.steps.size(), false); };
        if (++runs % 2 == 0)
            std::ranges::for_each(streams, finish);
        else
            std::ranges::for_each(std::views::reverse(streams), finish);
    }

private:
    void forget() {
        for (CapturedStream& stream : streams) stream.done = 0;
    }
};

}  // namespace cuda_on_host

namespace cuda_on_host {
namespace {

constexpr int kDevices = 2;

/// Calls so far, the one that is to fail, and what each device was lost by.
std::atomic<long> calls_so_far{0}, call_that_fails{0};
std::atomic<cudaError_t> status_of_fault{cudaSuccess};
std::atomic<cudaError_t> lost_by[kDevices]{};

}  // namespace
}  // namespace cuda_on_host

/// The work of a stream, numbered: `done` of it are done, the queue holds the rest.
struct CUstream_st {
    int device = 0;
    std::deque<std::function<void()>> queue;
    std::size_t done = 0;
    std::shared_ptr<cuda_on_host::Capture> capture;
    cuda_on_host::CapturedStream* captured = nullptr;

    [[nodiscard]] std::size_t queued() const { return done + queue.size(); }
    void run_until(std::size_t number) {
        while (done < number) {
            const auto work = std::move(queue.front());
            queue.pop_front();
            ++done;
            if (cuda_on_host::lost_by[device] == cudaSuccess) work();
        }
    }
};

namespace cuda_on_host {

struct Event {
    int device = 0;
    Stream* stream = nullptr;
    std::size_t number = 0;
    std::shared_ptr<Capture> capture{};
    CapturedStream* captured = nullptr;
};

struct Graph {
    std::shared_ptr<Capture> capture;
};

bool run_late = true;
bool has_peer_access = true;
bool captures_several_devices = true;
std::size_t launched_graphs = 0;
std::size_t most_pinned_bytes = std::numeric_limits<std::size_t>::max();

namespace {

constexpr std::size_t kMemory = std::size_t{1} << 30, kUnit = 512;

/// The device of the calling thread.
thread_local int current_device = 0;
thread_local cudaError_t last_error = cudaSuccess;
thread_local bool is_capturing = false;

struct State {
    std::recursive_mutex mutex;  ///< work of a stream may queue more, or wait for another stream
    bool connected[kDevices][kDevices] = {};
    std::map<void*, std::pair<int, std::size_t>> memory;  ///< device and bytes
    std::size_t taken[kDevices] = {};
    std::map<void*, std::size_t> pinned;  ///< bytes
    std::set<Stream*> streams;
};
State& state() {
    static State one;
    return one;
}

using Lock = std::lock_guard<std::recursive_mutex>;

int device_of(const void* data) {
    return std::prev(state().memory.upper_bound(const_cast<void*>(data)))->second.first;
}

/// Runs everything that is queued, as CUDA does before it frees memory.
void run_everything() {
    for (Stream* stream : state().streams) stream->run_until(stream->queued());
}

cudaError_t report(cudaError_t status) {
    if (status != cudaSuccess) last_error = status;
    return status;
}

/// Counts a call. \returns the status that it fails with.
cudaError_t begin_call() {
    std::atomic<cudaError_t>& lost = lost_by[current_device];
    if (lost != cudaSuccess) return lost;
    if (++calls_so_far != call_that_fails) return cudaSuccess;
    const cudaError_t status = status_of_fault;
    if (status != cudaErrorMemoryAllocation) lost = status;
    return report(status);
}
#define ONDA_BEGIN_CALL() \
    if (const cudaError_t fault = begin_call(); fault != cudaSuccess) return fault

/// The same for a call that releases something, which it does after a fault, too, and needs no memory for.
cudaError_t begin_release() {
    return status_of_fault == cudaErrorMemoryAllocation ? cudaSuccess : begin_call();
}

struct StatusRow {
    cudaError_t status;
    std::string_view name;
    const char* text;
};
/// The faults that can be asked for, in CUDA's words.
constexpr StatusRow kFaults[] = {
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorDevicesUnavailable, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
    {cudaErrorECCUncorrectable, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
    {cudaErrorNvlinkUncorrectable, "cudaErrorNvlinkUncorrectable",
     "uncorrectable NVLink error detected during the execution"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

/// Does what the environment asks for.
struct Wishes {
    Wishes() {
        const char* const wanted = std::getenv("ONDA_GPU_FAULT");
        if (wanted == nullptr) return;
        const std::string_view wish = wanted;
        const std::size_t at = std::min(wish.find('@'), wish.size());
        const StatusRow* const row = std::ranges::find(kFaults, wish.substr(0, at), &StatusRow::name);
        if (row == std::end(kFaults) || at == wish.size()) {
            std::fprintf(stderr, "ONDA_GPU_FAULT=%s: no such fault\n", wanted);
            std::abort();
        }
        let_call_fail(std::atol(wanted + at + 1), row->status);
    }
    ~Wishes() {
        if (const char* const file = std::getenv("ONDA_GPU_CALLS")) std::ofstream(file) << calls();
    }
    Wishes(const Wishes&) = delete;
    Wishes& operator=(const Wishes&) = delete;
};

}  // namespace

void let_call_fail(long number, cudaError_t status) {
    status_of_fault = status;
    call_that_fails = number;
}
long calls() {
    return calls_so_far;
}

namespace {
const Wishes wishes;
}  // namespace

std::size_t held_device_bytes() {
    const Lock lock(state().mutex);
    std::size_t bytes = 0;
    for (const std::size_t of_device : state().taken) bytes += of_device;
    return bytes;
}
std::size_t held_pinned_bytes() {
    const Lock lock(state().mutex);
    std::size_t bytes = 0;
    for (const auto& [data, of_array] : state().pinned) bytes += of_array;
    return bytes;
}

void enqueue(Stream* stream, std::function<void()> work) {
    const Lock lock(state().mutex);
    if (stream->device != current_device) {
        report(cudaErrorInvalidResourceHandle);
        return;
    }
    if (stream->captured != nullptr) {
        stream->captured->steps.push_back({std::move(work)});
        return;
    }
    stream->queue.push_back(std::move(work));
    if (!run_late) stream->run_until(stream->queued());
}

namespace {

void join_capture(Stream* stream, std::shared_ptr<Capture> capture) {
    capture->streams.push_back({stream, {}, 0});
    stream->captured = &capture->streams.back();
    stream->capture = std::move(capture);
}

cudaError_t queued(Stream* stream, std::function<void()> work) {
    enqueue(stream, std::move(work));
    return std::exchange(last_error, cudaSuccess);
}

}  // namespace
}  // namespace cuda_on_host

using namespace cuda_on_host;

const char* cudaGetErrorString(cudaError_t status) {
    const StatusRow* const row = std::ranges::find(kFaults, status, &StatusRow::status);
    return row != std::end(kFaults) ? row->text : "a fault on the host";
}
const char* cudaGetErrorName(cudaError_t status) {
    if (const StatusRow* const row = std::ranges::find(kFaults, status, &StatusRow::status); row != std::end(kFaults))
        return row->name.data();
    static char text[32];
    std::snprintf(text, sizeof text, "error %d", static_cast<int>(status));
    return text;
}
cudaError_t cudaGetLastError() {
    ONDA_BEGIN_CALL();
    return std::exchange(last_error, cudaSuccess);
}
cudaError_t cudaDriverGetVersion(int* version) {
    ONDA_BEGIN_CALL();
    *version = 13000;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
    ONDA_BEGIN_CALL();
    *version = 13000;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
    ONDA_BEGIN_CALL();
    *count = kDevices;
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
    ONDA_BEGIN_CALL();
    *device = current_device;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
    if (device < 0 || device >= kDevices) return report(cudaErrorInvalidDevice);
    current_device = device;
    ONDA_BEGIN_CALL();
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    ONDA_BEGIN_CALL();
    *properties = {{}, {}, 8, 0, 4, kMemory};
    properties->uuid.bytes[15] = static_cast<char>(0xa0 + device);
    std::snprintf(properties->name, sizeof properties->name, "host device");
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
    ONDA_BEGIN_CALL();
    switch (attribute) {
        case cudaDevAttrComputeCapabilityMajor: *value = 8; break;
        case cudaDevAttrComputeCapabilityMinor: *value = 0; break;
        case cudaDevAttrMultiProcessorCount: *value = 4; break;
        case cudaDevAttrClockRate: *value = 1'000'000; break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = 163 * 1024; break;
        case cudaDevAttrL2CacheSize: *value = 256 * 1024; break;
    }
    return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* bus_id, int length, int device) {
    ONDA_BEGIN_CALL();
    std::snprintf(bus_id, static_cast<std::size_t>(length), "0000:%02x:00.0", device);
    return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int other) {
    ONDA_BEGIN_CALL();
    *can = has_peer_access && device != other ? 1 : 0;
    return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned) {
    ONDA_BEGIN_CALL();
    const Lock lock(state().mutex);
    bool& connected = state().connected[current_device][other];
    if (std::exchange(connected, true)) return report(cudaErrorPeerAccessAlreadyEnabled);
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    ONDA_BEGIN_CALL();
    const Lock lock(state().mutex);
    *total = kMemory;
    *free = kMemory - state().taken[current_device];
    return cudaSuccess;
}
// Poisoned: nothing may rely on what it holds.
cudaError_t cudaMalloc(void** data, std::size_t bytes) {
    ONDA_BEGIN_CALL();
    const Lock lock(state().mutex);
    State& s = state();
    if (is_capturing) return report(cudaErrorStreamCaptureUnsupported);
    if (bytes > kMemory - s.taken[current_device]) return report(cudaErrorMemoryAllocation);
    *data = std::aligned_alloc(kUnit, (bytes + kUnit - 1) / kUnit * kUnit);
    std::memset(*data, 0xFF, bytes);
    s.memory[*data] = {current_device, bytes};
    s.taken[current_device] += bytes;
    return cudaSuccess;
}
cudaError_t cudaFree(void* data) {
    const cudaError_t fault = begin_release();
    const Lock lock(state().mutex);
    if (data == nullptr) return fault;
    const auto entry = state().memory.find(data);
    if (entry == state().memory.end()) return report(cudaErrorInvalidValue);
    run_everything();
    state().taken[entry->second.first] -= entry->second.second;
    state().memory.erase(entry);
    std::free(data);
    return fault;
}
cudaError_t cudaMallocHost(void** data, std::size_t bytes) {
    ONDA_BEGIN_CALL();
    const Lock lock(state().mutex);
    if (held_pinned_bytes() + bytes > most_pinned_bytes) return report(cudaErrorMemoryAllocation);
    *data = std::aligned_alloc(kUnit, (bytes + kUnit - 1) / kUnit * kUnit);
    std::memset(*data, 0xFF, bytes);
    state().pinned[*data] = bytes;
    return cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) {
    const cudaError_t fault = begin_release();
    const Lock lock(state().mutex);
    if (data != nullptr) run_everything();
    state().pinned.erase(data);
    std::free(data);
    return fault;
}
cudaError_t cudaHostRegister(void* data, std::size_t bytes, unsigned) {
    ONDA_BEGIN_CALL();
    const Lock lock(state().mutex);
    state().pinned[data] = bytes;
    return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* data) {
    const cudaError_t fault = begin_release();
    const Lock lock(state().mutex);
    run_everything();
    state().pinned.erase(data);
    return fault;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
    ONDA_BEGIN_CALL();
    if (is_capturing) return report(cudaErrorStreamCaptureUnsupported);
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    ONDA_BEGIN_CALL();
    const Lock lock(state().mutex);
    if (stream->capture && kind == cudaMemcpyDefault && device_of(to) != device_of(from) && !captures_several_devices) {
        stream->capture->is_valid = false;
        return report(cudaErrorStreamCaptureUnsupported);
    }
    return queued(stream, [=] { std::memcpy(to, from, bytes); });
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t bytes, std::size_t rows, cudaMemcpyKind, cudaStream_t stream) {
    ONDA_BEGIN_CALL();
    return queued(stream, [=] {
        for (std::size_t row = 0; row < rows; ++row)
            std::memcpy(static_cast<std::byte*>(to) + row * to_pitch,
                        static_cast<const std::byte*>(from) + row * from_pitch, bytes);
    });
}
cudaError_t cudaMemset(void* data, int value, std::size_t bytes) {
    ONDA_BEGIN_CALL();
    std::memset(data, value, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream) {
    ONDA_BEGIN_CALL();
    return queued(stream, [=] { std::memset(data, value, bytes); });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    ONDA_BEGIN_CALL();
    const Lock lock(state().mutex);
    *stream = new Stream{current_device, {}, 0, nullptr, nullptr};
    state().streams.insert(*stream);
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
    ONDA_BEGIN_CALL();
    return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    ONDA_BEGIN_CALL();
    *least = *greatest = 0;
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    const cudaError_t fault = begin_release();
    const Lock lock(state().mutex);
    if (stream == nullptr) return fault;
    stream->run_until(stream->queued());
    state().streams.erase(stream);
    delete stream;
    return fault;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    ONDA_BEGIN_CALL();
    const Lock lock(state().mutex);
    if (stream == cudaStreamLegacy) return cudaSuccess;
    if (stream->captured != nullptr) return report(cudaErrorInvalidValue);
    stream->run_until(stream->queued());
    return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    ONDA_BEGIN_CALL();
    const Lock lock(state().mutex);
    if (stream->device != current_device) return report(cudaErrorInvalidResourceHandle);
    if (const auto& capture = event->capture) {
        if (!capture->is_open || (stream->capture && stream->capture != capture))
            return report(cudaErrorStreamCaptureIsolation);
        if (!stream->capture) join_capture(stream, capture);
        stream->captured->steps.push_back({{}, event->captured, event->number});
        return cudaSuccess;
    }
    if (event->stream == nullptr) return cudaSuccess;
    if (stream->capture) return report(cudaErrorStreamCaptureIsolation);
    return queued(stream, [recorded = *event] { recorded.stream->run_until(recorded.number); });
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    ONDA_BEGIN_CALL();
    *event = new Event{.device = current_device};
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    const cudaError_t fault = begin_release();
    delete event;
    return fault;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    ONDA_BEGIN_CALL();
    const Lock lock(state().mutex);
    if (event->device != stream->device) return report(cudaErrorInvalidResourceHandle);
    if (stream->captured != nullptr)
        *event = {event->device, nullptr, stream->captured->steps.size(), stream->capture, stream->captured};
    else
        *event = {event->device, stream, stream->queued(), nullptr, nullptr};
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    ONDA_BEGIN_CALL();
    const Lock lock(state().mutex);
    if (event->stream != nullptr) event->stream->run_until(event->number);
    return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    ONDA_BEGIN_CALL();
    const Lock lock(state().mutex);
    if (stream->capture) return report(cudaErrorInvalidValue);
    join_capture(stream, std::make_shared<Capture>());
    is_capturing = true;
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    ONDA_BEGIN_CALL();
    const Lock lock(state().mutex);
    const std::shared_ptr<Capture> capture = stream->capture;
    is_capturing = capture->is_open = false;
    for (const CapturedStream& captured : capture->streams) {
        captured.stream->captured = nullptr;
        captured.stream->capture.reset();
    }
    if (!capture->is_valid) return report(cudaErrorStreamCaptureInvalidated);
    if (!capture->is_joined()) return report(cudaErrorStreamCaptureUnjoined);
    *graph = new Graph{capture};
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
    ONDA_BEGIN_CALL();
    *executable = new Graph(*graph);
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    ONDA_BEGIN_CALL();
    ++launched_graphs;
    return queued(stream, [capture = executable->capture] { capture->run(); });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    const cudaError_t fault = begin_release();
    delete graph;
    return fault;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    const cudaError_t fault = begin_release();
    delete executable;
    return fault;
}
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) {
    ONDA_BEGIN_CALL();
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int, std::size_t) {
    ONDA_BEGIN_CALL();
    *blocks = 2;
    return cudaSuccess;
}
