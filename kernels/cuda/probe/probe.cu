// Runs the kernels that are bound by one thing, and tells how fast they were.
#include <algorithm>
#include <chrono>
#include <vector>

#include "kernels/cuda/launch_kernel.hpp"
#include "kernels/cuda/probe/probe.hpp"
#include "kernels/cuda/probe/probe_kernels.hpp"
#include "kernels/cuda/runtime.hpp"

namespace onda::cuda {
namespace {

/// Device memory that goes with its owner.
class Scratch {
public:
    explicit Scratch(std::int64_t bytes) : data_(allocate_device(bytes)) {
        if (cudaMemset(data_, 0, static_cast<std::size_t>(bytes)) != cudaSuccess) {
            cudaFree(data_);
            throw Error("CUDA: the memory that a probe was given cannot be written");
        }
    }
    ~Scratch() { cudaFree(data_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    template <typename T>
    [[nodiscard]] T* as() const {
        return static_cast<T*>(data_);
    }

private:
    void* data_;
};

/// Seconds of one launch: the best of three rounds of as many launches as take 30 ms, after one that warms up.
template <typename Launch>
double seconds_of(const Stream& stream, const Launch& launch) {
    using Clock = std::chrono::steady_clock;
    const auto round = [&](int launches) {
        const Clock::time_point start = Clock::now();
        for (int i = 0; i < launches; ++i) launch();
        stream.wait();
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    round(1);
    constexpr double wanted_s = 0.03;
    const int launches = std::clamp(static_cast<int>(wanted_s / std::max(1e-6, round(1))), 1, 2000);
    double best = round(launches);
    for (int i = 0; i < 2; ++i) best = std::min(best, round(launches));
    return best / launches;
}

constexpr unsigned kThreads = 256;

class Probe {
public:
    Probe(int multiprocessors, std::int64_t free_bytes)
        : blocks_(static_cast<unsigned>(8 * multiprocessors)),
          bytes_(std::clamp<std::int64_t>(free_bytes / 8, 1 << 26, std::int64_t{1} << 31) / 3 / 512 * 512),
          memory_(3 * bytes_) {}

    [[nodiscard]] double dram_bytes_s() const {
        auto* const a = memory_.as<float>();
        const std::int64_t elements = bytes_ / 4;
        const double seconds = seconds_of(stream_, [&] {
            launch<float>(probe_triad<float>, {blocks_, kThreads}, stream_.get(), a,
                          static_cast<const float*>(a + elements), static_cast<const float*>(a + 2 * elements),
                          elements / 4);
        });
        return 3. * static_cast<double>(bytes_) / seconds;
    }
    [[nodiscard]] double l2_bytes_s() const {
        auto* const a = memory_.as<float>();
        constexpr int rounds = 32;
        const std::int64_t vectors = std::int64_t{4} * blocks_ * kThreads;  // 17 MB on an H200
        const double seconds = seconds_of(stream_, [&] {
            launch<float>(probe_cache<float>, {blocks_, kThreads}, stream_.get(), a, static_cast<const float*>(a),
                          vectors, rounds);
        });
        return 16. * static_cast<double>(vectors) * rounds / seconds;
    }
    [[nodiscard]] double shared_bytes_s() const {
        constexpr int rounds = 2000, loads = 8;
        const LaunchShape shape{blocks_, kThreads, 16384};
        const double seconds = seconds_of(
            stream_, [&] { launch<float>(probe_shared<float>, shape, stream_.get(), memory_.as<float>(), rounds); });
        return 16. * loads * rounds * blocks_ * kThreads / seconds;
    }
    template <typename T>
    [[nodiscard]] double operations_s() const {
        constexpr int rounds = 1000;
        const double seconds = seconds_of(stream_, [&] {
            launch<T>(probe_issue<T>, {blocks_, kThreads}, stream_.get(), memory_.as<T>(), T(0.5), rounds);
        });
        return static_cast<double>(kProbeOperations) * rounds * blocks_ * kThreads / seconds;
    }
    /// \param bytes of the places that a thread visits, a line of 128 bytes each, in an order that nothing foresees.
    [[nodiscard]] double latency_s(std::int64_t bytes) const {
        constexpr std::uint32_t line = 32;
        const auto lines = static_cast<std::uint32_t>(std::min(bytes, bytes_) / 128);
        std::vector<std::uint32_t> order(lines), next(static_cast<std::size_t>(lines) * line, 0);
        for (std::uint32_t i = 0; i < lines; ++i) order[i] = i;
        std::uint32_t random = 1;
        for (std::uint32_t i = lines - 1; i > 1; --i) {  // the first stays where it is: the walk begins there
            random = random * 1664525u + 1013904223u;
            std::swap(order[i], order[1 + random % i]);
        }
        for (std::uint32_t i = 0; i < lines; ++i)
            next[static_cast<std::size_t>(order[i]) * line] = order[(i + 1) % lines] * line;
        auto* const places = memory_.as<std::uint32_t>();
        ONDA_CUDA_TRY(cudaMemcpy(places, next.data(), next.size() * sizeof next[0], cudaMemcpyHostToDevice));
        const int loads = static_cast<int>(std::min<std::uint32_t>(lines, 50'000));
        const double seconds = seconds_of(stream_, [&] {
            launch<float>(probe_latency<float>, {1, 1}, stream_.get(), memory_.as<float>(),
                          static_cast<const std::uint32_t*>(places), loads);
        });
        return seconds / loads;
    }

private:
    unsigned blocks_;
    std::int64_t bytes_;  ///< of one of three arrays
    Scratch memory_;
    Stream stream_;
};

}  // namespace

ProbedRates probe(int ordinal, int multiprocessors, std::int64_t free_bytes) {
    const DeviceScope scope(ordinal);
    ProbedRates rates;
    const Probe probe(multiprocessors, free_bytes);
    rates.dram_bytes_s = probe.dram_bytes_s();
    rates.l2_bytes_s = probe.l2_bytes_s();
    rates.shared_bytes_s = probe.shared_bytes_s();
    rates.instructions_s = probe.operations_s<float>();
    rates.double_operations_s = probe.operations_s<double>();
    rates.l2_latency_s = probe.latency_s(std::int64_t{8} << 20);
    rates.dram_latency_s = probe.latency_s(std::int64_t{256} << 20);
    return rates;
}

}  // namespace onda::cuda
