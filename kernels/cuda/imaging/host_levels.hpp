/// \file
/// Levels of values in page-locked memory that is provided while the first of them are written already.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <omp.h>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/cuda/buffers.hpp"

namespace onda::cuda {

/// The levels lie in chunks of some whole ones. The first is there from the beginning; a thread provides the others, in
/// order, beside whatever the device does: to provide and lock 70 GB takes as long as a few hundred steps of the grid
/// whose levels fill them.
template <typename Stored>
class HostLevels {
public:
    static constexpr std::int64_t kChunkBytes = std::int64_t{256} << 20;

    /// \param row of pinned(), of whole levels; its bytes are allocated to the byte. \param chunk_bytes at least, but
    /// for the last. \throws std::bad_alloc; std::logic_error if the row plans other elements.
    HostLevels(const Allocation& row, std::int64_t of_level, std::int64_t chunk_bytes = kChunkBytes)
        : size_(row.elements), of_level_(of_level) {
        check_element(row, sizeof(Stored));
        if (size_ == 0) return;
        const auto level_bytes = of_level_ * static_cast<std::int64_t>(sizeof(Stored));
        of_chunk_ = (chunk_bytes + level_bytes - 1) / level_bytes;
        const std::int64_t levels = size_ / of_level_;
        chunks_.resize(static_cast<std::size_t>((levels + of_chunk_ - 1) / of_chunk_));
        provide(0);
        if (chunks_.size() > 1) provide_beside();
    }

    [[nodiscard]] std::int64_t size() const { return size_; }
    /// The values of a level, once their memory is there. \throws std::bad_alloc if there was too little.
    [[nodiscard]] Stored* at(std::int64_t level) {
        const auto chunk = static_cast<std::size_t>(level / of_chunk_);
        await(chunk);
        return chunks_[chunk].data() + level % of_chunk_ * of_level_;
    }

private:
    void provide(std::size_t chunk) {
        const std::int64_t first = static_cast<std::int64_t>(chunk) * of_chunk_ * of_level_;
        chunks_[chunk] = PinnedBuffer<Stored>(pinned("levels on the host", Owner::wavefield,
                                                     std::min(of_chunk_ * of_level_, size_ - first), sizeof(Stored)));
        const std::lock_guard lock(mutex_);
        provided_ = chunk + 1;
        came_.notify_one();
    }
    /// The thread works for the device and with the threads of the one that makes this.
    void provide_beside() {
        int device = 0;
        ONDA_CUDA_TRY(cudaGetDevice(&device));
        const auto provide_others = [this, device, threads = omp_get_max_threads()](const std::stop_token& stop) {
            try {
                omp_set_num_threads(threads);
                const DeviceScope scope(device);
                for (std::size_t chunk = 1; chunk < chunks_.size() && !stop.stop_requested(); ++chunk) provide(chunk);
            } catch (...) {
                const std::lock_guard lock(mutex_);
                failure_ = std::current_exception();
                came_.notify_one();
            }
        };
        try {
            provider_ = std::jthread(provide_others);
        } catch (const std::system_error&) {  // a limit of threads: then it takes its time here
            provide_others({});
        }
    }
    void await(std::size_t chunk) {
        std::unique_lock lock(mutex_);
        came_.wait(lock, [&] { return provided_ > chunk || failure_; });
        if (provided_ <= chunk) std::rethrow_exception(failure_);
    }

    std::int64_t size_ = 0, of_level_ = 0;  ///< elements
    std::int64_t of_chunk_ = 1;             ///< levels
    std::vector<PinnedBuffer<Stored>> chunks_;
    std::mutex mutex_;
    std::condition_variable came_;
    std::size_t provided_ = 0;    ///< chunks, in order
    std::exception_ptr failure_;  ///< which ended the thread
    std::jthread provider_;       ///< the last, so that it ends before what it provides
};

}  // namespace onda::cuda
