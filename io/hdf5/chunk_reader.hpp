/// \file
/// Chunks that filter_chunk() made, read by several threads at a time without HDF5: it inflates and checks one after
/// the other.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "io/hdf5/chunked_box.hpp"
#include "io/hdf5/hdf5.hpp"

namespace onda::hdf5 {

/// Reads chunks from a file that nobody vouches for: where they are said to lie is checked, and nothing of them is
/// understood but what unfilter_chunk() understands.
class ChunkReader {
public:
    /// A file that cannot be opened has no chunks.
    explicit ChunkReader(const std::filesystem::path& file);
    ~ChunkReader();
    ChunkReader(const ChunkReader&) = delete;
    ChunkReader& operator=(const ChunkReader&) = delete;

    /// \param chunks in the order of the box. \param values of the box in the order of the file.
    /// \param scratch memory of the caller's for chunks as they are stored, used again from call to call.
    /// \return whether all are whole and undamaged; where not, the values are undefined, and HDF5 may know better.
    [[nodiscard]] bool read(const ChunkedBox& box, std::span<const StoredChunk> chunks, std::span<std::byte> values,
                            std::vector<std::byte>& scratch) const;
    [[nodiscard]] bool read(const ChunkedBox& box, std::span<const StoredChunk> chunks,
                            std::span<std::byte> values) const {
        std::vector<std::byte> scratch;
        return read(box, chunks, values, scratch);
    }

private:
    int descriptor_;
};

}  // namespace onda::hdf5
