/// \file
/// snapshots.h5: /shots/<id>/pressure [time][z][y][x], chunked by frame or, where it joins the files of parts, virtual;
/// and the .xdmf that ParaView opens.
/// Format: docs/outputs.md.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/models/geometry.hpp"
#include "io/results/provenance.hpp"

namespace onda {

/// A part of a shot's snapshots in a file of its own, of this format too, beside the one that joins the parts.
struct SnapshotPartFile {
    std::string name;
    std::int64_t bytes = 0;
    std::string hash;                              ///< of the file
    std::array<std::int64_t, 3> first{}, count{};  ///< its box of the whole: points along x, y, z
};

/// Collects the frames of one shot after the other in a temporary file; snapshots.h5 and snapshots.xdmf appear at
/// commit() and not before. Each of its calls is a turn of HDF5.
class SnapshotWriter {
public:
    /// \param geometry of the window as written: shape, spacing and origin after decimation.
    /// \throws Error(cannot_create | io_error).
    SnapshotWriter(const std::filesystem::path& file, const FileGeometry& geometry, const Provenance& provenance,
                   bool overwrite);
    ~SnapshotWriter();
    /// \param frames how many snapshots follow. \throws Error(io_error), also by the shot before.
    void begin_shot(std::int64_t shot, std::int64_t frames);
    /// \param values [z][y][x] of the window, pressure [Pa]. \throws Error(unstable) for one that is not finite.
    void write(double time_s, std::span<const float> values);
    /// The values of a snapshot of the current shot that has been written, counted from 0. \throws Error(io_error).
    [[nodiscard]] std::vector<float> read(std::int64_t frame) const;
    /// Makes a shot stand for that of another file of this format, named from the folder of this one.
    void link(std::int64_t shot, std::vector<double> times_s, const std::string& file);
    /// Writes a shot whose frames lie in other files (a virtual dataset): the only one of this file. Points that are in
    /// none of them are zero.
    void join(std::int64_t shot, std::vector<double> times_s, std::span<const SnapshotPartFile> parts);
    /// Checks every return code, reads headers and last rows back, syncs: the HDF5 file is ready for its name.
    /// \throws Error(io_error).
    AtomicFile finish_values();
    /// As finish_values(), and writes the .xdmf beside the HDF5 file.
    std::vector<AtomicFile> finish();
    void commit();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// The frames of a shot, [time][z][y][x], and their times. \throws Error(missing_input | bad_data).
struct ShotFrames {
    std::vector<double> times_s;
    std::vector<float> values;
};
ShotFrames read_frames(const std::filesystem::path& file, std::int64_t shot);
/// The files whose snapshots the only shot of a file joins; none where it has its own.
/// \throws Error(missing_input | bad_data).
std::vector<SnapshotPartFile> parts_of_snapshots(const std::filesystem::path& file);
/// The root attribute with the bytes of each of them, in the order of the sources of the dataset.
inline constexpr const char* kPartBytes = "part_bytes";

/// Size of snapshots.h5 and snapshots.xdmf together, for `onda check`.
/// \param provenance_bytes as Provenance::bytes gives them.
std::int64_t predicted_snapshot_bytes(const FileGeometry& geometry, std::int64_t shots, std::int64_t frames,
                                      std::int64_t provenance_bytes);
/// What the file of a part takes beside its values.
std::int64_t predicted_part_bytes(const FileGeometry& geometry, std::int64_t frames, std::int64_t provenance_bytes);
/// The memory that writing a frame of so many bytes takes.
std::int64_t memory_to_write_frame(std::int64_t bytes);

}  // namespace onda
