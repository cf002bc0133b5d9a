/// \file
/// Sums of the images of shots, each on its part of the grid: while they are computed, or of the files that they left.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/results/image_file.hpp"
#include "solver/outputs/in_order_of_shots.hpp"
#include "solver/outputs/output.hpp"
#include "solver/plan/experiment.hpp"

namespace onda {

/// The nodes of a grid that a window without steps covers.
ImageNodes nodes_of_part(const Grid& grid, const Window& part);
ImageNodes nodes_of_run(const Experiment& experiment);

/// What files hold of a shot beside its images, which the caller keeps; its traces are the caller's no more.
ShotMisfit take_misfit(ShotImages& images);

/// Adds the images of shots while others are computed, in the order of the shots and in double precision, so that what
/// their files hold need not be read again for that. Where that would take much memory it adds none.
class RunningSum {
public:
    /// \param images of a shot.
    RunningSum(const Experiment& experiment, std::int64_t images) : experiment_(experiment), images_(images) {}

    /// RunOutput::expect().
    void expect(const std::function<bool(std::size_t)>& may_begin);
    /// Takes the images of a shot, whose file is written. \param index in the survey. Several threads may call it.
    void add(std::size_t index, ShotImages& images);
    /// The same of a shot that leaves none.
    void pass_over(std::size_t index);
    /// How many shots from the first of these on are in it: none where they are not those that it has.
    [[nodiscard]] std::size_t leading(std::span<const std::int64_t> shots) const;
    /// The sum over those on all nodes; empty: they have no such image.
    [[nodiscard]] std::span<const double> of(const StoredImageKind& kind) const;

    /// Adds the rows of its memory.
    static void add_memory(Allocations& list, const Experiment& experiment, const Computation& computation,
                           std::int64_t images);

private:
    void take(ShotImages& images);

    const Experiment& experiment_;
    std::int64_t images_;
    std::vector<std::int64_t> shots_;  ///< their numbers, in the order in which they were added
    std::map<const StoredImageKind*, std::vector<double>> sums_;
    std::unique_ptr<InOrderOfShots<ShotImages>> in_order_;  ///< null: nothing is added
};

/// Leaves a file with the images and misfits of a shot.
class ImagesOfShot : public ShotOutput {
public:
    /// \param sum takes the images, too.
    ImagesOfShot(const Experiment& experiment, const ShotPlace& place, RunningSum& sum)
        : experiment_(experiment), file_(place.file), index_(place.index), provenance_(place.provenance), sum_(sum) {}

    void take_images(ShotImages& images) override;
    std::optional<AtomicFile> finish() override { return std::move(written_); }

private:
    const Experiment& experiment_;
    std::filesystem::path file_;
    std::size_t index_;
    const Provenance& provenance_;
    RunningSum& sum_;
    std::optional<AtomicFile> written_;
};

/// The file of a shot, and which part of the grid its images cover.
struct ImagedShot {
    std::int64_t shot;
    FileRecord record;
    std::filesystem::path file;
    ImageContents contents;  ///< with one shot

    [[nodiscard]] const ListedMisfit& misfit() const { return contents.misfits.front(); }
};
/// The shots that have a file of this format. \throws Error(missing_input | bad_data).
std::vector<ImagedShot> imaged_shots(const FinishedSurvey& survey, const OutputFormat& format);

/// The sum over the shots, in their order and in double precision, of an image on the planes [plane, plane + count).
/// \param begun of the same run. \throws Error(missing_input | bad_data); Interrupted.
std::vector<float> sum_of_shots(std::span<const ImagedShot> shots, const StoredImageKind& kind, const Grid& grid,
                                std::int64_t plane, std::int64_t count, const RunningSum& begun);
/// Adds subsurface-offset gathers on the same lines in double precision, in the order in which they come.
class OffsetGatherSum {
public:
    void add(OffsetGathers of_shot);
    /// The sum, once.
    [[nodiscard]] OffsetGathers take();

private:
    std::vector<double> values_;
    OffsetGathers latest_;  ///< whose lines and offsets are those of all
};
/// The same of their subsurface-offset gathers.
OffsetGathers sum_of_offset_gathers(std::span<const ImagedShot> shots);
/// An image on the nodes of a window, [z][y][x]. \throws Error(missing_input | bad_data).
std::vector<float> read_on(const std::filesystem::path& file, const StoredImageKind& kind, const Window& window);
/// Writes the misfits of all shots to a file of the survey, or links to them.
void write_misfits(ImageWriter& writer, const FinishedSurvey& survey, std::span<const ImagedShot> shots);

/// A table of the shots: "shot,misfit,traces,dead,excluded". \param value what the second column is called.
std::string traces_table(std::span<const ImagedShot> shots, std::string_view value);

/// Size of a file with so many images, the sums over the shots, and of its table of shots [bytes].
std::int64_t predicted_sum_bytes(const Experiment& experiment, std::int64_t images, std::int64_t provenance_bytes);
/// OutputFormat::own_file_bytes of such files: the table of misfits, of one row, measured.
std::int64_t own_images_bytes();
/// Size of so many images of all shots [bytes], each on its part of the grid.
std::int64_t bytes_of_shot_images(const Experiment& experiment, std::int64_t images);
/// Bytes of planes that are summed over the shots, those of some shots among them as they are read and stored, and of
/// the sum as it is written.
std::int64_t memory_to_sum(const FileGeometry& geometry);

}  // namespace onda
