#include "io/hdf5/chunk_reader.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "io/hdf5/chunk_filters.hpp"
#include "io/hdf5/run_together.hpp"

namespace onda::hdf5 {

namespace {

/// All bytes of a chunk as stored; false where the file has fewer.
bool read_stored(int descriptor, const StoredChunk& chunk, std::vector<std::byte>& filtered) {
    filtered.resize(chunk.bytes);
    for (std::size_t done = 0; done < filtered.size();) {
        const ssize_t some =
            ::pread(descriptor, filtered.data() + done, filtered.size() - done, static_cast<off_t>(chunk.at + done));
        if (some < 0 && errno == EINTR) continue;
        if (some <= 0) return false;
        done += static_cast<std::size_t>(some);
    }
    return true;
}

}  // namespace

ChunkReader::ChunkReader(const std::filesystem::path& file) : descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}

ChunkReader::~ChunkReader() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

bool ChunkReader::read(const ChunkedBox& box, std::span<const StoredChunk> chunks, std::span<std::byte> values,
                       std::vector<std::byte>& scratch) const {
    // Stored blocks are of 16 KiB or more, and each takes five bytes more than it holds.
    const std::size_t least = box.chunk_bytes(), most = least + least / 1024 + 1024;
    const bool plausible =
        descriptor_ >= 0 && chunks.size() == box.size() && std::ranges::all_of(chunks, [&](const StoredChunk& chunk) {
            return chunk.bytes >= least && chunk.bytes <= most && chunk.at < std::uint64_t{1} << 62;
        });
    if (!plausible) return false;
    std::atomic<std::size_t> next{0};
    std::atomic<bool> good{true};
    const std::thread::id caller = std::this_thread::get_id();
    run_together(writing_threads(chunks.size()), [&] {
        try {
            std::vector<std::byte> own, copy;
            std::vector<std::byte>& filtered = std::this_thread::get_id() == caller ? scratch : own;
            for (std::size_t i = next++; good && i < chunks.size(); i = next++) {
                const Extents first = box.first(i);
                const auto at = box.in_one_piece(first);
                if (!at) copy.resize(box.chunk_bytes());
                const std::span chunk = at ? values.subspan(*at, box.chunk_bytes()) : std::span(copy);
                if (!read_stored(descriptor_, chunks[i], filtered) || !unfilter_chunk(filtered, chunk)) good = false;
                if (good && !at)
                    box.for_each_row(first, [&](std::size_t in_box, std::size_t in_chunk, std::size_t bytes) {
                        std::memcpy(values.data() + in_box, copy.data() + in_chunk, bytes);
                    });
            }
        } catch (...) {  // no memory: HDF5 needs less
            good = false;
        }
    });
    return good;
}

}  // namespace onda::hdf5
