/// \file
/// Windows of a field on their way to the host while later steps run.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "kernels/cuda/buffers.hpp"
#include "kernels/cuda/field_operations.hpp"
#include "kernels/cuda/memory.hpp"
#include "kernels/fields/field_set.hpp"

namespace onda::cuda {

/// One frame on the device and FieldSet::kDownloads pinned ones on the host. A frame is gathered on the device between
/// two steps; the copy to the host runs on a stream of its own. Any thread may wait for it.
class Downloads : public std::enable_shared_from_this<Downloads> {
public:
    explicit Downloads(const DeviceScope& scope) : scope_(scope) {}
    template <typename T>
    std::unique_ptr<Download> start(const ObservedField<T>& field, const WindowRows& window, const Stream& compute,
                                    const Stream& copy) {
        const std::int64_t points = window.rows * window.count_x;
        auto download = std::make_unique<Arriving>(shared_from_this(), take_free(points), points);
        Frame& frame = download->frame;
        if (device_.size() < points) {
            copy.wait();
            device_ = {};
            device_ = DeviceBuffer<float>(frame_on_device(points));
        }
        device_free_.hold(compute);
        gather(field, window, device_.data(), compute.get());
        gathered_.record(compute);
        gathered_.hold(copy);
        ONDA_CUDA_TRY(cudaMemcpyAsync(frame.values.data(), device_.data(),
                                      static_cast<std::size_t>(points) * sizeof(float), cudaMemcpyDeviceToHost,
                                      copy.get()));
        frame.arrived.record(copy);
        device_free_.record(copy);
        return download;
    }
    [[nodiscard]] std::int64_t device_bytes() const { return device_.bytes(); }

private:
    struct Frame {
        PinnedBuffer<float> values;
        Event arrived;
        bool taken = false;
    };
    struct Arriving final : Download {
        Arriving(std::shared_ptr<Downloads> owner, Frame& taken, std::int64_t count)
            : downloads(std::move(owner)), frame(taken), points(count) {}
        ~Arriving() override {
            downloads->scope_.enter_to_free();
            cudaEventSynchronize(frame.arrived.get());  // a copy may still be writing; an error is reported elsewhere
            downloads->give_back(frame);
        }
        std::span<const float> wait() override {
            downloads->scope_.enter();
            frame.arrived.wait();
            return {frame.values.data(), static_cast<std::size_t>(points)};
        }
        std::shared_ptr<Downloads> downloads;
        Frame& frame;
        std::int64_t points;
    };

    Frame& take_free(std::int64_t points) {
        std::unique_lock lock(mutex_);
        Frame* frame = nullptr;
        freed_.wait(lock, [&] {
            for (Frame& candidate : frames_)
                if (!candidate.taken) frame = &candidate;
            return frame != nullptr;
        });
        if (frame->values.size() < points) {
            frame->values = {};
            frame->values = PinnedBuffer<float>(frames_on_host(points));
        }
        frame->taken = true;
        return *frame;
    }
    void give_back(Frame& frame) {
        {
            const std::lock_guard lock(mutex_);
            frame.taken = false;
        }
        freed_.notify_one();
    }

    DeviceScope scope_;
    DeviceBuffer<float> device_;
    Event gathered_, device_free_;
    Frame frames_[FieldSet::kDownloads];
    std::mutex mutex_;
    std::condition_variable freed_;
};

}  // namespace onda::cuda
