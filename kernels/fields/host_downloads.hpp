/// \file
/// Downloads of fields that whoever asks copies at once: into one of kDownloads buffers of the host.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <span>
#include <vector>

#include "kernels/fields/field_set.hpp"

namespace onda {

/// The buffers of start_download, each used again when the others have been: two downloads in a row always hold two
/// buffers, however soon the first one ends, so that memory does not depend on timing.
class FrameBuffers {
public:
    /// A list of one buffer: lists hand their elements over without allocating, so that give_back() cannot fail.
    using Buffer = std::list<std::vector<float>>;

    /// Waits until a buffer is free.
    Buffer take() {
        std::unique_lock lock(mutex_);
        returned_.wait(lock, [this] { return !free_.empty(); });
        Buffer buffer;
        buffer.splice(buffer.end(), free_, free_.begin());
        return buffer;
    }
    void give_back(Buffer& buffer) noexcept {
        {
            const std::lock_guard lock(mutex_);
            free_.splice(free_.end(), buffer);
        }
        returned_.notify_one();
    }

private:
    std::mutex mutex_;
    std::condition_variable returned_;
    Buffer free_ = Buffer(FieldSet::kDownloads);
};

/// Has arrived when it is made: what copies also computes.
class HostDownload final : public Download {
public:
    HostDownload(FrameBuffers& buffers, std::int64_t points)
        : buffers_(buffers), buffer_(buffers.take()), points_(static_cast<std::size_t>(points)) {
        try {
            if (buffer_.front().size() < points_) buffer_.front().resize(points_);
        } catch (...) {
            buffers_.give_back(buffer_);
            throw;
        }
    }
    ~HostDownload() override { buffers_.give_back(buffer_); }
    HostDownload(const HostDownload&) = delete;
    HostDownload& operator=(const HostDownload&) = delete;

    std::span<const float> wait() override { return values(); }
    [[nodiscard]] std::span<float> values() { return std::span(buffer_.front()).first(points_); }

private:
    FrameBuffers& buffers_;
    FrameBuffers::Buffer buffer_;
    std::size_t points_;
};

}  // namespace onda
