/// \file
/// A product on a GPU, with the times of its parts.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>

#include "kernels/cuda/buffers.hpp"
#include "kernels/cuda/companions/packed_codes.hpp"
#include "kernels/cuda/runtime.hpp"

namespace onda::cuda {

inline double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// The time between two points of a stream, by the clock of the GPU.
class StreamTimer {
public:
#if defined(ONDA_CUDA_ON_HOST)
    void start(const Stream& stream) {
        stream.wait();
        start_ = std::chrono::steady_clock::now();
    }
    double stop_ms(const Stream& stream) {
        stream.wait();
        return milliseconds_since(start_);
    }

private:
    std::chrono::steady_clock::time_point start_;
#else
    void start(const Stream& stream) {
        ONDA_CUDA_TRY(cudaEventRecord(start_.event, stream.get()));
    }
    double stop_ms(const Stream& stream) {
        float ms = 0.F;
        ONDA_CUDA_TRY(cudaEventRecord(stop_.event, stream.get()));
        ONDA_CUDA_TRY(cudaEventSynchronize(stop_.event));
        ONDA_CUDA_TRY(cudaEventElapsedTime(&ms, start_.event, stop_.event));
        return static_cast<double>(ms);
    }

private:
    struct TimedEvent {
        TimedEvent() { ONDA_CUDA_TRY(cudaEventCreate(&event)); }
        ~TimedEvent() { cudaEventDestroy(event); }
        TimedEvent(const TimedEvent&) = delete;
        TimedEvent& operator=(const TimedEvent&) = delete;
        cudaEvent_t event = nullptr;
    };
    TimedEvent start_, stop_;
#endif
};

/// Times a launch, round after round. \returns ms of one launch in each round.
template <typename Launch>
std::vector<double> timed_rounds(const Stream& stream, int rounds, const Launch& launch) {
    constexpr double wanted_ms = 1.;
    StreamTimer timer;
    const auto round = [&](int launches) {
        timer.start(stream);
        for (int i = 0; i < launches; ++i) launch();
        return timer.stop_ms(stream) / launches;
    };
    const int launches = std::clamp(static_cast<int>(wanted_ms / std::max(1e-3, round(1))), 1, 1000);
    std::vector<double> result;
    for (int i = 0; i < rounds; ++i) result.push_back(round(launches));
    return result;
}

/// Computes product = codes values with a launch, and times its parts.
/// \param launch queues it for (codes, values, product) in device memory on a stream.
template <typename Code, typename Launch>
PackedTimes timed_product(std::span<const Code> codes, std::span<const float> values, std::span<float> product,
                          int rounds, const Launch& launch) {
    PackedTimes times;
    const auto buffer = [](const char* name, std::size_t elements, std::size_t bytes) {
        return on_device(name, Owner::wavefield, static_cast<std::int64_t>(elements), static_cast<std::int64_t>(bytes));
    };
    auto start = std::chrono::steady_clock::now();
    const Stream stream;
    const DeviceBuffer<Code> codes_there(buffer("codes", codes.size(), sizeof(Code)));
    const DeviceBuffer<float> values_there(buffer("values", values.size(), sizeof(float))),
        product_there(buffer("product", product.size(), sizeof(float)));
    ONDA_CUDA_TRY(cudaMemset(codes_there.data(), 0, codes.size_bytes()));
    ONDA_CUDA_TRY(cudaMemset(values_there.data(), 0, values.size_bytes()));
    ONDA_CUDA_TRY(cudaStreamSynchronize(cudaStreamLegacy));
    const auto queue = [&] { launch(codes_there.data(), values_there.data(), product_there.data(), stream.get()); };
    queue();
    stream.wait();
    times.start_up_ms = milliseconds_since(start);

    start = std::chrono::steady_clock::now();
    copy_to_device(codes_there.data(), codes.data(), codes_there.size());
    copy_to_device(values_there.data(), values.data(), values_there.size());
    times.transfer_ms = milliseconds_since(start);

    times.execution_ms = timed_rounds(stream, rounds, queue);

    start = std::chrono::steady_clock::now();
    ONDA_CUDA_TRY(cudaMemcpy(product.data(), product_there.data(), product.size_bytes(), cudaMemcpyDeviceToHost));
    times.transfer_ms += milliseconds_since(start);
    return times;
}

}  // namespace onda::cuda
