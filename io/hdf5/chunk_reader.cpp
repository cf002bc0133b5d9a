#include "io/hdf5/chunk_reader.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "io/hdf5/chunk_filters.hpp"
#include "io/hdf5/run_together.hpp"
#include "io/hdf5/tiles.hpp"

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

/// Where a chunk lies in one piece among the values of a box; nothing where it does not.
std::byte* place_in_one_piece(const ChunkedBox& box, const Extents& at, const Extents& part, std::byte* values) {
    if (part != box.chunk) return nullptr;
    // Of the axes after the first with more than one plane, the box has no more than the chunk.
    std::size_t cut = 0;
    while (cut < part.size() && part[cut] == 1) ++cut;
    Extent offset = 0;
    for (std::size_t axis = 0; axis < part.size(); ++axis) {
        if (axis > cut && part[axis] != box.count[axis]) return nullptr;
        offset = offset * box.count[axis] + (at[axis] - box.first[axis]);
    }
    return values + offset * box.element_bytes;
}

/// Copies what a chunk has of a box to its places there. \param at where the chunk begins. \param part of it.
void put_rows(const ChunkedBox& box, const Extents& at, const Extents& part, const std::byte* chunk,
              std::byte* values) {
    const std::size_t bytes = part.back() * box.element_bytes;
    Extents row(part.size(), 1);
    row.back() = part.back();
    for_each_tile(Extents(part.size(), 0), part, row, [&](const Extents& start, const Extents&) {
        Extent from = 0, to = 0;
        for (std::size_t axis = 0; axis < part.size(); ++axis) {
            from = from * box.chunk[axis] + start[axis];
            to = to * box.count[axis] + (at[axis] - box.first[axis]) + start[axis];
        }
        std::memcpy(values + to * box.element_bytes, chunk + from * box.element_bytes, bytes);
    });
}

}  // namespace

ChunkReader::ChunkReader(const std::filesystem::path& file) : descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}

ChunkReader::~ChunkReader() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

bool ChunkReader::read(const ChunkedBox& box, std::span<const StoredChunk> chunks, std::span<std::byte> values) const {
    const std::size_t bytes = product(box.chunk) * box.element_bytes;
    // Stored blocks are of 16 KiB or more, and each takes five bytes more than it holds.
    const std::size_t least = bytes, most = bytes + bytes / 1024 + 1024;
    const bool plausible = descriptor_ >= 0 && std::ranges::all_of(chunks, [&](const StoredChunk& chunk) {
                               return chunk.bytes >= least && chunk.bytes <= most && chunk.at < std::uint64_t{1} << 62;
                           });
    if (!plausible) return false;
    std::vector<std::pair<Extents, Extents>> parts;
    for_each_tile(box.first, sum(box.first, box.count), box.chunk,
                  [&](const Extents& at, const Extents& part) { parts.emplace_back(at, part); });
    if (parts.size() != chunks.size()) return false;
    std::atomic<std::size_t> next{0};
    std::atomic<bool> good{true};
    run_together(writing_threads(chunks.size()), [&] {
        try {
            std::vector<std::byte> filtered, chunk;
            for (std::size_t i = next++; good && i < chunks.size(); i = next++) {
                const auto& [at, part] = parts[i];
                std::byte* const place = place_in_one_piece(box, at, part, values.data());
                if (place == nullptr) chunk.resize(bytes);
                const std::span to = place == nullptr ? std::span(chunk) : std::span(place, bytes);
                if (!read_stored(descriptor_, chunks[i], filtered) || !unfilter_chunk(filtered, to)) good = false;
                if (good && place == nullptr) put_rows(box, at, part, chunk.data(), values.data());
            }
        } catch (...) {  // no memory: HDF5 needs less
            good = false;
        }
    });
    return good;
}

}  // namespace onda::hdf5
