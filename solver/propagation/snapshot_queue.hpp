/// \file
/// Snapshots on their way from the backend to the disk while the next steps run.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <thread>

#include "kernels/wavefield.hpp"

namespace onda {

/// Writes frames in the order in which they were taken, on a thread of its own, which may use as many OpenMP threads as
/// the one that made it.
///
/// At most FieldSet::kDownloads frames are alive. What fails in the thread, the download or the writing, is thrown by
/// the next take() or drain() and by all that follow; no later frame is written. The destructor gives up what is not
/// written yet: only drain() says that all is.
class SnapshotQueue {
public:
    /// Gives a frame, [z][y][x], of a shot of the wavefield to its file; called on the thread of the queue.
    using Write = std::function<void(int shot, double time_s, std::span<const float> values)>;
    explicit SnapshotQueue(Write write);

    /// Starts the download of p[n] in `window`; waits first for room, until the oldest frame has been written.
    void take(Wavefield& wavefield, const Window& window, double time_s, int shot = 0);
    /// Waits until everything taken has been written.
    void drain();

private:
    struct Frame {
        int shot;
        double time_s;
        std::unique_ptr<Download> download;
    };
    void wait_until_left(std::size_t frames);
    void write_all(const std::stop_token& stop);

    Write write_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Frame> frames_;  ///< the first one is being written
    std::exception_ptr failure_;
    std::jthread thread_;  ///< last: joined before the rest goes
};

}  // namespace onda
