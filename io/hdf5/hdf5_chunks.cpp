// Whole chunks on their way to the file: made ready by several threads, stored one after the other.

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <cstring>
#include <fcntl.h>
#include <omp.h>
#include <sys/stat.h>

#include "io/hdf5/chunk_filters.hpp"
#include "io/hdf5/chunked_box.hpp"
#include "io/hdf5/hdf5_detail.hpp"
#include "io/hdf5/run_together.hpp"

namespace onda::hdf5 {

using detail::check;

namespace {

constexpr std::size_t kWrittenTogether = 16 << 20;  ///< bytes after which the disk is set to work

/// The bytes of the chunk that begins at `first`: where they lie among the values of a box, or in `copy`, with zeros
/// beyond the extents of the dataset.
std::span<const std::byte> bytes_of_chunk(const ChunkedBox& box, const Extents& first, const std::byte* values,
                                          std::vector<std::byte>& copy) {
    if (const auto at = box.in_one_piece(first)) return {values + *at, box.chunk_bytes()};
    copy.assign(box.chunk_bytes(), std::byte{0});
    box.for_each_row(first, [&](std::size_t in_box, std::size_t in_chunk, std::size_t bytes) {
        std::memcpy(copy.data() + in_chunk, values + in_box, bytes);
    });
    return copy;
}

/// Lets threads make items ready at the same time and hand them over one after the other, in order.
class InTurn {
public:
    explicit InTurn(std::size_t items) : items_(items) {}

    /// The next item that nobody has; none once all are taken or one has failed.
    std::optional<std::size_t> take() {
        const std::lock_guard lock(mutex_);
        if (failure_ || taken_ == items_) return {};
        return taken_++;
    }
    /// Calls hand_over() when all items before `item` have been handed over, unless one has failed.
    template <typename HandOver>
    void wait_for(std::size_t item, const HandOver& hand_over) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return failure_ || done_ == item; });
        if (failure_) return;
        hand_over();
        ++done_;
        changed_.notify_all();
    }
    void fail(std::exception_ptr failure) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::move(failure);
        changed_.notify_all();
    }
    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t items_, taken_ = 0, done_ = 0;
    std::exception_ptr failure_;
};

/// The descriptor of the file that a dataset lies in, or -1.
int descriptor_of(hid_t dataset) {
    const detail::ScopedId file(H5Iget_file_id(dataset), H5Fclose);
    void* handle = nullptr;
    const bool found = file.get() >= 0 && H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &handle) >= 0;
    return found ? *static_cast<const int*>(handle) : -1;
}

/// A file that grows goes to the disk as it does, and leaves the page cache but for its end.
///
/// Left alone, the system begins when a tenth of the memory is to be written, and until then every page is one that it
/// has to find: with 2 GB of a run in memory that took a machine from 1500 MB/s to 220. Where the system cannot be
/// asked, nothing is lost but time.
class Trickle {
public:
    /// \param cached_from the offset from which on pages may be in the cache; goes on with the file.
    Trickle(int descriptor, std::uint64_t& cached_from) : descriptor_(descriptor), cached_from_(cached_from) {}

    /// Begins to write all that the file has, and waits for what was begun some time ago. Any thread may call it.
    void flow() {
        constexpr off_t most_cached = 128 << 20, page = 4096;
        const std::lock_guard lock(mutex_);
        struct stat status {};
        if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) return;
        const auto from = static_cast<off_t>(cached_from_), old = (status.st_size - most_cached) / page * page - from;
        ::sync_file_range(descriptor_, from, 0, SYNC_FILE_RANGE_WRITE);
        if (old <= 0) return;
        ::sync_file_range(descriptor_, from, old,
                          SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
        ::posix_fadvise(descriptor_, from, old, POSIX_FADV_DONTNEED);
        cached_from_ += static_cast<std::uint64_t>(old);
    }

private:
    std::mutex mutex_;
    int descriptor_;
    std::uint64_t& cached_from_;
};

}  // namespace

std::size_t writing_threads(std::size_t chunks) {
    constexpr std::size_t most = 8;  // each makes about a GB/s ready, one thread stores a few
    return std::min({chunks, most, static_cast<std::size_t>(omp_get_max_threads())});
}

std::int64_t writing_bytes(std::int64_t bytes, std::int64_t largest) {
    const std::int64_t chunks = std::max<std::int64_t>(1, bytes / largest + (bytes % largest > 0 ? 1 : 0));
    const auto threads = static_cast<std::int64_t>(writing_threads(static_cast<std::size_t>(chunks)));
    return (threads + 1) * (bytes / chunks);
}

/// Small boxes are left to HDF5, which stores them more densely beside its metadata.
bool Dataset::goes_in_whole_chunks(const Extents& first, const Extents& count, Element element) const {
    constexpr std::size_t least_bytes = 64 << 10;
    const bool as_in_file = element == element_ && std::endian::native == std::endian::little;
    if (!as_in_file || chunk_.empty() || product(count) * element_bytes_ < least_bytes) return false;
    return is_of_whole_chunks(first, count, chunk_, extents_);
}

void Dataset::write_chunks(const Extents& first, const Extents& count, const void* values) {
    const ChunkedBox chunks(first, count, chunk_, element_bytes_);
    const std::size_t some = std::max<std::size_t>(1, kWrittenTogether / chunks.chunk_bytes());
    Trickle disk(descriptor_of(id_), file_->cached_from);
    InTurn turns(chunks.size());
    const Turn::Pause filters_need_no_library;
    run_together(writing_threads(chunks.size()), [&] {
        try {
            std::vector<std::byte> copy, filtered;
            while (const auto i = turns.take()) {
                const Extents place = chunks.first(*i);
                filter_chunk(bytes_of_chunk(chunks, place, static_cast<const std::byte*>(values), copy), filtered);
                turns.wait_for(*i, [&] {
                    const Turn turn;
                    detail::prepare_library();
                    check(H5Dwrite_chunk(id_, H5P_DEFAULT, 0, place.data(), filtered.size(), filtered.data()), *this,
                          "write its values");
                });
                if ((*i + 1) % some == 0) disk.flow();
            }
        } catch (...) {
            turns.fail(std::current_exception());
        }
    });
    turns.rethrow();
}

std::optional<StoredChunk> Dataset::stored_chunk(const Extents& first) const {
    unsigned skipped = 0;
    haddr_t at = HADDR_UNDEF;
    hsize_t bytes = 0;
    const bool found = H5Dget_chunk_info_by_coord(id_, first.data(), &skipped, &at, &bytes) >= 0;
    if (!found || skipped != 0 || at == HADDR_UNDEF || bytes == 0) return {};
    return StoredChunk{at, bytes};
}

}  // namespace onda::hdf5
