/// \file
/// Threads that advance shots of a batch side by side.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <omp.h>
#include <stop_token>
#include <system_error>
#include <thread>
#include <vector>

namespace onda::cpu {

/// Runs work on several threads at once. At the end of an OpenMP loop its threads spin for milliseconds until the last
/// has come, which on a machine that others use takes from that one the processor it waits for: a batch of two shots
/// took twice as long as one shot after the other. These sleep, and work ends without those that came too late for it.
class ShotThreads {
public:
    /// \param threads that work, the caller's included; where the system starts fewer, fewer do.
    explicit ShotThreads(int threads) : others_(static_cast<std::size_t>(threads - 1)) {
        if (others_.empty()) return;
            // Begun by OpenMP's, each inherits the processors that OMP_PROC_BIND gives that one, not all those of the
            // caller.
#pragma omp parallel num_threads(threads)
        if (const int self = omp_get_thread_num(); self > 0) begin(others_[static_cast<std::size_t>(self - 1)]);
    }

    /// Calls `work` on this thread and on those that come before it is done, and returns when every call has.
    /// \param work shares what there is to do among its calls by itself, and throws nothing.
    void run(const std::function<void()>& work) {
        {
            const std::lock_guard lock(mutex_);
            work_ = &work;
            ++round_;
        }
        begun_.notify_all();
        work();
        std::unique_lock lock(mutex_);
        work_ = nullptr;
        done_.wait(lock, [this] { return working_ == 0; });
    }

private:
    void begin(std::jthread& thread) noexcept {
        try {
            thread = std::jthread([this](const std::stop_token& stop) { serve(stop); });
        } catch (const std::system_error&) {  // EAGAIN: those that there are do it
        }
    }

    void serve(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        for (std::int64_t seen = 0; begun_.wait(lock, stop, [&] { return work_ != nullptr && round_ != seen; });) {
            seen = round_;
            ++working_;
            const std::function<void()>& work = *work_;
            lock.unlock();
            work();
            lock.lock();
            if (--working_ == 0) done_.notify_one();
        }
    }

    std::mutex mutex_;
    std::condition_variable_any begun_;
    std::condition_variable done_;
    const std::function<void()>* work_ = nullptr;
    std::int64_t round_ = 0;
    int working_ = 0;                   ///< of the others
    std::vector<std::jthread> others_;  ///< the last, so that they end before what they use
};

}  // namespace onda::cpu
