#include "solver/propagation/snapshot_queue.hpp"

#include <omp.h>
#include <utility>

namespace onda {

SnapshotQueue::SnapshotQueue(Write write)
    : write_(std::move(write)), thread_([this, threads = omp_get_max_threads()](const std::stop_token& stop) {
          omp_set_num_threads(threads);
          write_all(stop);
      }) {}

void SnapshotQueue::take(Wavefield& wavefield, const Window& window, double time_s, int shot) {
    wait_until_left(FieldSet::kDownloads - 1);
    Frame frame{shot, time_s, wavefield.fields().start_download(window, shot)};
    {
        const std::lock_guard lock(mutex_);
        frames_.push_back(std::move(frame));
    }
    changed_.notify_all();
}

void SnapshotQueue::drain() {
    wait_until_left(0);
}

void SnapshotQueue::wait_until_left(std::size_t frames) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failure_ || frames_.size() <= frames; });
    if (failure_) std::rethrow_exception(failure_);
}

void SnapshotQueue::write_all(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return !frames_.empty(); }) && !stop.stop_requested()) {
        Frame& oldest = frames_.front();
        std::exception_ptr failure;
        lock.unlock();
        try {
            write_(oldest.shot, oldest.time_s, oldest.download->wait());
        } catch (...) {
            failure = std::current_exception();
        }
        oldest.download.reset();  // first: whoever finds room here must find it in the backend
        lock.lock();
        frames_.pop_front();
        failure_ = failure;
        changed_.notify_all();
        if (failure_) return;
    }
}

}  // namespace onda
