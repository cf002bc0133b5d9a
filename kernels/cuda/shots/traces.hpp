/// \file
/// Seismogram samples on their way from the device: collected there, flushed in batches while later steps run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cpu/denormals.hpp"
#include "kernels/cuda/buffers.hpp"
#include "kernels/cuda/field_operations.hpp"
#include "kernels/cuda/memory.hpp"
#include "kernels/shot/shot.hpp"

namespace onda::cuda {

/// Records every receiver of some shots. The device holds two batches of samples: one is filled while the other is
/// copied.
template <typename T>
class TraceRecorder {
public:
    /// Sets the receivers, of which nothing has been recorded. Memory that is as large as it was is kept: page-locked
    /// memory takes longer to get than to fill. \param element of each weighted node in the padded field.
    void begin(const NodeWeights& receivers, const std::vector<std::int64_t>& element, std::int64_t samples) {
        clear();
        receivers_ = receivers.rows();
        samples_ = samples;
        batch_ = trace_batch(receivers_, samples, sizeof(T));
        if (receivers_ == 0) return;
        Allocations planned;
        add_receivers(planned, {receivers_, std::ssize(element), samples}, sizeof(T));
        first_ = upload_vector(planned.of("receivers.first"), receivers.first);
        element_ = upload_vector(planned.of("receivers.element"), element);
        weight_ = upload_vector(planned.of("receivers.weight"),
                                std::vector<T>(receivers.weight.begin(), receivers.weight.end()));
        make_room(device_, planned.of("batches of samples"));
        make_room(pinned_, planned.of("batches of samples on their way"));
        const std::int64_t all = planned.of("traces").elements;
        if (all != traces_size_) {
            traces_.reset();
            traces_ = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(all));
            traces_size_ = all;
        }
        if (!filled_) {
            copied_ = std::make_unique<Event[]>(2);
            filled_ = std::make_unique<Event>();
        }
    }
    /// Forgets receivers and samples. Nothing may be under way.
    void clear() {
        receivers_ = samples_ = recorded_ = 0;
        batch_ = 1;
        waiting_[0] = waiting_[1] = -1;
    }

    /// Sample *base + offset of p, one that records() it. The caller flushes: see samples_until_flush().
    void record(const ObservedField<T>& p, const std::int64_t* base, int offset, cudaStream_t stream) const {
        sample_receivers(p, nodes(), base, offset, stream);
    }
    /// Where record() writes, for kernels that record by themselves.
    [[nodiscard]] ReceiverNodes<T> nodes() const {
        return {first_.data(), element_.data(), weight_.data(), device_.data(), receivers_, 2 * batch_};
    }
    /// Whether there is anything to record at sample n.
    [[nodiscard]] bool records(std::int64_t n) const { return receivers_ > 0 && n < samples_; }
    /// How many samples from n on may be queued before flush() must be called.
    [[nodiscard]] std::int64_t samples_until_flush(std::int64_t n) const {
        if (!records(n)) return INT64_MAX;
        return std::min(batch_ - n % batch_, samples_ - n);
    }
    /// After sample n was queued: starts copying its batch if that is complete.
    void flush(std::int64_t n, const Stream& compute, const Stream& copy) {
        if (!records(n)) return;
        recorded_ = n + 1;
        if (recorded_ % batch_ != 0 && recorded_ != samples_) return;
        const int half = static_cast<int>(n / batch_ % 2);
        store(half);
        filled_->record(compute);
        filled_->hold(copy);
        ONDA_CUDA_TRY(cudaMemcpyAsync(half_of(pinned_.data(), half), half_of(device_.data(), half),
                                      static_cast<std::size_t>((n % batch_ + 1) * receivers_) * sizeof(T),
                                      cudaMemcpyDeviceToHost, copy.get()));
        copied_[half].record(copy);
        waiting_[half] = n / batch_ * batch_;
        // The next samples go to the other half: not before its last copy is done.
        if (waiting_[1 - half] >= 0) copied_[1 - half].hold(compute);
    }
    /// [receiver][sample] of receivers first … first + count - 1: what was recorded so far; later samples are zero.
    /// Waits for the device.
    template <typename U>
    void copy(std::span<U> values, std::int64_t first, std::int64_t count, const Stream& compute) {
        for (const int half : {0, 1}) store(half);
        const std::int64_t begin = recorded_ / batch_ * batch_;
        if (recorded_ > begin && recorded_ != samples_) {
            compute.wait();
            ONDA_CUDA_TRY(cudaMemcpy(
                traces_.get() + begin * receivers_, half_of(device_.data(), static_cast<int>(begin / batch_ % 2)),
                static_cast<std::size_t>((recorded_ - begin) * receivers_) * sizeof(T), cudaMemcpyDeviceToHost));
        }
        constexpr std::int64_t line = 16;  // receivers whose samples share a cache line
#pragma omp parallel
        {
            const cpu::FlushDenormals<U> flush;
#pragma omp for schedule(static)
            for (std::int64_t r = 0; r < count; r += line) {
                const std::int64_t end = std::min(r + line, count);
                for (std::int64_t n = 0; n < samples_; ++n)
                    for (std::int64_t i = r; i < end; ++i)
                        values[i * samples_ + n] =
                            n < recorded_ ? static_cast<U>(traces_[n * receivers_ + first + i]) : U(0);
            }
        }
    }
    [[nodiscard]] std::int64_t device_bytes() const {
        return first_.bytes() + element_.bytes() + weight_.bytes() + device_.bytes();
    }

private:
    [[nodiscard]] T* half_of(T* both, int half) const {
        return both + half * batch_ * receivers_;
    }
    /// Moves a batch that has arrived in pinned memory to its place among the traces.
    void store(int half) {
        if (waiting_[half] < 0) return;
        copied_[half].wait();
        const std::int64_t count = std::min(batch_, samples_ - waiting_[half]) * receivers_;
        std::copy_n(half_of(pinned_.data(), half), count, traces_.get() + waiting_[half] * receivers_);
        waiting_[half] = -1;
    }

    std::int64_t receivers_ = 0, samples_ = 0, batch_ = 1, recorded_ = 0;
    DeviceBuffer<std::int64_t> first_, element_;
    DeviceBuffer<T> weight_, device_;
    PinnedBuffer<T> pinned_;
    std::unique_ptr<T[]> traces_;  ///< [sample][receiver]
    std::int64_t traces_size_ = 0;
    std::unique_ptr<Event[]> copied_;
    std::unique_ptr<Event> filled_;
    std::int64_t waiting_[2] = {-1, -1};  ///< first sample of the batch on its way, or -1
};

}  // namespace onda::cuda
