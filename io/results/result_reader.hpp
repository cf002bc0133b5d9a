/// \file
/// Results as pictures and reports read them: seismograms.h5, snapshots.h5 and gradient.h5 from wherever they come,
/// which is why they are read in a process of their own (guarded_hdf5.hpp). Formats: docs/outputs.md.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/models/geometry.hpp"
#include "io/results/image_file.hpp"
#include "io/results/seismograms.hpp"

namespace onda {

/// What an HDF5 file of ours, or a model from elsewhere, holds.
enum class FileKind { seismograms, snapshots, gradient, model, other };
/// What a file holds, by its attribute `format` or the dataset /vp. \throws Error(missing_input | bad_data) for what is
/// no HDF5 file.
FileKind kind_of_file(const std::filesystem::path& file);

/// What a file tells of how its results came about.
struct ResultOrigin {
    std::string version;               ///< of Onda; empty where it does not say
    std::string title;                 ///< of the configuration; empty where there is none
    std::optional<FileGeometry> grid;  ///< of the configuration
};

/// A gather whose traces are read when they are asked for.
struct OpenGather {
    ShotGather header;  ///< without samples, also of the wavelets
    /// Traces of the header's quantity, of the receivers [first, first + count), which the shot has.
    /// \throws Error(bad_data).
    std::function<std::vector<float>(std::size_t first, std::size_t count)> read;
};

/// Something of a file with shots, opened for reading.
class ResultReader {
public:
    /// Shot numbers, ascending; one at least.
    [[nodiscard]] const std::vector<std::int64_t>& shots() const;
    [[nodiscard]] bool has(std::int64_t shot) const;
    /// `title` of the configuration that the file carries; empty where there is none.
    [[nodiscard]] const std::string& title() const;
    [[nodiscard]] ResultOrigin origin() const;

protected:
    struct Impl;
    ResultReader(const std::filesystem::path& file, std::string_view format);
    ~ResultReader();
    ResultReader(ResultReader&&) noexcept;
    ResultReader& operator=(ResultReader&&) noexcept;

    std::unique_ptr<Impl> impl_;
};

/// seismograms.h5, or the file of a shot.
class SeismogramReader : public ResultReader {
public:
    /// \param quantity that is read wherever pressure is spoken of. \throws Error(missing_input | bad_data), naming
    /// file and what is wrong; of shots without the quantity when they are asked for.
    explicit SeismogramReader(const std::filesystem::path& file, const GatherQuantity& quantity = kPressure);
    [[nodiscard]] const GatherQuantity& quantity() const { return *quantity_; }

    /// Positions, dt_s and samples of a shot that is there, without `pressure`, what tables of receivers carry, and
    /// wavelets. \throws Error(bad_data).
    [[nodiscard]] ShotGather header(std::int64_t shot) const;
    /// The header of a shot with the traces of the receivers [first, first + count): `receivers_m` and `pressure` are
    /// theirs. \throws Error(bad_data); Error(internal) for receivers that the shot does not have.
    [[nodiscard]] ShotGather read(std::int64_t shot, std::size_t first, std::size_t count) const;
    [[nodiscard]] ShotGather read(std::int64_t shot) const;
    /// A shot that is there, with everything that traces of other programs tell of it. \throws Error(bad_data).
    [[nodiscard]] OpenGather open(std::int64_t shot) const;

private:
    const GatherQuantity* quantity_;
};

/// The snapshots of one shot.
class ShotSnapshots {
public:
    ~ShotSnapshots();
    ShotSnapshots(ShotSnapshots&&) noexcept;
    ShotSnapshots& operator=(ShotSnapshots&&) noexcept;

    [[nodiscard]] std::int64_t shot() const;
    [[nodiscard]] const std::vector<double>& times_s() const;
    /// The index of the frame nearest to a time; none before the first frame or after the last by more than half of
    /// what lies between two.
    [[nodiscard]] std::optional<std::size_t> frame_at(double time_s) const;
    [[nodiscard]] const FileGeometry& geometry() const;
    /// Pressure [Pa] of the box [first, first + count) (x, y, z) of frame `index`, [z][y][x]. \throws Error(bad_data);
    /// Error(internal) for a box or frame that is not there.
    [[nodiscard]] std::vector<float> read(std::size_t index, const std::array<std::int64_t, 3>& first,
                                          const std::array<std::int64_t, 3>& count) const;

private:
    friend class SnapshotReader;
    struct Impl;
    explicit ShotSnapshots(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// snapshots.h5, or the file of a shot.
class SnapshotReader : public ResultReader {
public:
    /// \throws Error(missing_input | bad_data), naming file and what is wrong.
    explicit SnapshotReader(const std::filesystem::path& file);
    /// The snapshots of a shot that is there. Where they lie in files of parts, these must be there too.
    /// \throws Error(missing_input | bad_data), naming the file.
    [[nodiscard]] ShotSnapshots open(std::int64_t shot) const;
};

/// gradient.h5, or the file of a shot.
class ImageReader : public ResultReader {
public:
    /// \throws Error(missing_input | bad_data), naming file and what is wrong.
    explicit ImageReader(const std::filesystem::path& file);

    using ResultReader::has;
    [[nodiscard]] bool has(const StoredImageKind& kind) const;
    /// The nodes of the first image in the file. \throws Error(bad_data) for a file without any.
    [[nodiscard]] ImageNodes nodes() const;
    /// [z][y][x] of the box [first, first + count) (x, y, z) of an image that is there. \throws Error(bad_data);
    /// Error(internal) for a box that is not there.
    [[nodiscard]] std::vector<float> read(const StoredImageKind& kind, const std::array<std::int64_t, 3>& first,
                                          const std::array<std::int64_t, 3>& count) const;
};

}  // namespace onda
