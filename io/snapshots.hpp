/// \file
/// snapshots.h5: /shots/<id>/pressure [time][z][y][x], chunked by frame, and the .xdmf that ParaView opens.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "io/geometry.hpp"
#include "io/provenance.hpp"

namespace onda {

class SnapshotWriter {
public:
    /// \param geometry of the window as written: shape, spacing and origin after decimation.
    SnapshotWriter(const std::filesystem::path& file, const FileGeometry& geometry, const Provenance& provenance,
                   bool overwrite);
    ~SnapshotWriter();
    void begin_shot(std::int64_t shot, std::int64_t frames);
    /// \param values [z][y][x] of the window.
    void write(double time_s, std::span<const float> values);
    /// Commits snapshots.h5, then writes snapshots.xdmf beside it.
    void commit();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

std::int64_t predicted_snapshot_bytes(const FileGeometry& geometry, std::int64_t shots, std::int64_t frames);

}  // namespace onda
