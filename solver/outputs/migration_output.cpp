#include "solver/outputs/migration_output.hpp"

#include <algorithm>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/results/image_file.hpp"
#include "io/text/saturating.hpp"
#include "solver/imaging/finished_image.hpp"
#include "solver/imaging/imaging_condition.hpp"
#include "solver/outputs/migration_picture.hpp"
#include "solver/outputs/shot_sums.hpp"
#include "solver/plan/experiment.hpp"
#include "solver/program/host_memory.hpp"

namespace onda {
namespace {

/// The image, its sum, and both illuminations.
constexpr std::int64_t kImagesOfSurvey = 4, kImagesOfShot = 3;

/// Of all nodes.
std::vector<float> whole_sum(std::span<const ImagedShot> shots, const StoredImageKind& kind, const Grid& grid,
                             const RunningSum& begun) {
    std::vector<float> sum(static_cast<std::size_t>(grid.points()));
    const std::int64_t most = planes_at_a_time(nodes_of_part(grid, Window::whole(grid)).geometry);
    for (std::int64_t z = 0; z < grid.nz(); z += most) {
        const std::vector<float> planes = sum_of_shots(shots, kind, grid, z, std::min(most, grid.nz() - z), begun);
        std::ranges::copy(planes, sum.begin() + z * grid.nx() * grid.ny());
    }
    return sum;
}

class Migrations : public RunOutput {
public:
    Migrations(const Experiment& experiment, const Model& model)
        : experiment_(experiment),
          settings_(experiment.imaging->misfit.config.image),
          sum_(experiment, kImagesOfShot),
          water_(nodes_in_water(model.vp().values, settings_.water_m_s)) {
        if (experiment.config.output.pictures) picture_.emplace(experiment, model);
    }

    std::unique_ptr<ShotOutput> begin(const ShotPlace& place) override {
        if (!place.shot.receivers.empty()) return std::make_unique<ImagesOfShot>(experiment_, place, sum_);
        sum_.pass_over(place.index);
        return nullptr;
    }
    void expect(const std::function<bool(std::size_t)>& may_begin) override { sum_.expect(may_begin); }
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey& survey) const override {
        const std::vector<ImagedShot> shots = imaged_shots(survey, kMigrationFormat);
        std::vector<AtomicFile> files;
        if (shots.empty()) return files;
        files.push_back(write(survey, shots));
        files.push_back(
            stage_text_file(survey.results / kTracesTableName, traces_table(shots, "energy"), survey.overwrite));
        if (!picture_) return files;
        if (has_offset_gathers())
            files.push_back(stage_offset_gathers(survey.results / kOffsetPictureName, files.front().temporary(),
                                                 experiment_, survey.overwrite));
        const std::string title = fmt::format("Image of {} shot{}", shots.size(), shots.size() == 1 ? "" : "s");
        files.push_back(picture_->stage(survey.results / kImagePictureName, files.front().temporary(), kMigratedImage,
                                        title, survey.overwrite));
        return files;
    }

private:
    [[nodiscard]] bool has_offset_gathers() const { return !experiment_.imaging->offsets.lines.empty(); }
    [[nodiscard]] AtomicFile write(const FinishedSurvey& survey, std::span<const ImagedShot> shots) const {
        const ImageNodes nodes = nodes_of_run(experiment_);
        const FinishedImage finished = finish(shots);
        ImageWriter writer(survey.results / kImageName, nodes, survey.provenance, survey.overwrite);
        writer.write(kMigratedImage, 0, finished.image);
        writer.write(kImageStack, 0, finished.stack);
        writer.write(kSourceIllumination, 0, finished.source);
        writer.write(kReceiverIllumination, 0, finished.receiver);
        if (has_offset_gathers()) writer.write(sum_of_offset_gathers(shots));
        write_misfits(writer, survey, shots);
        return writer.finish();
    }
    [[nodiscard]] FinishedImage finish(std::span<const ImagedShot> shots) const {
        const Grid& grid = experiment_.domain.grid;
        FinishedImage finished{whole_sum(shots, kImageStack, grid, sum_),
                               whole_sum(shots, kSourceIllumination, grid, sum_),
                               whole_sum(shots, kReceiverIllumination, grid, sum_)};
        finish_image(finished, grid, settings_, water_);
        return finished;
    }

    const Experiment& experiment_;
    const ImageConfig& settings_;
    RunningSum sum_;
    std::vector<bool> water_;  ///< of every node; empty: nothing is muted for its velocity
    std::optional<MigrationPicture> picture_;
};

/// Of the gathers in so many files.
std::int64_t offset_bytes(const Experiment& experiment, std::int64_t files) {
    const std::int64_t values =
        saturating_product(experiment.imaging->offsets.sums_of_plane(), experiment.domain.grid.nz());
    return saturating_product(files, bytes_of_offset_gathers(values));
}

}  // namespace

constinit const OutputFormat kMigrationFormat{
    .column = "image",
    .shot_file = "image.h5",
    .is_result =
        [](std::string_view name) {
            return name == kImageName || name == kTracesTableName || name == kImagePictureName ||
                   name == kOffsetPictureName;
        },
    .is_wanted =
        [](const Experiment& experiment) { return experiment.imaging && experiment.imaging->condition != nullptr; },
    .make = [](const Experiment& experiment, const Model& model) -> std::unique_ptr<RunOutput> {
        return std::make_unique<Migrations>(experiment, model);
    },
    .predicted_bytes =
        [](const Experiment& experiment, const Placement&, std::int64_t provenance_bytes) {
            return saturating_sum(predicted_sum_bytes(experiment, kImagesOfSurvey, provenance_bytes),
                                  offset_bytes(experiment, 1));
        },
    .own_file_bytes = own_images_bytes,
    .shot_bytes =
        [](const Experiment& experiment) {
            return saturating_sum(bytes_of_shot_images(experiment, kImagesOfShot),
                                  offset_bytes(experiment, std::ssize(experiment.survey.shots)));
        },
    .add_memory =
        [](Allocations& list, const Experiment& experiment, const Computation& computation) {
            const FileGeometry geometry = nodes_of_run(experiment).geometry;
            const std::int64_t points = experiment.domain.grid.points(),
                               image = saturating_product(points, std::int64_t{sizeof(float)});
            // Four images, and one in double that a filter makes.
            list.add(host_row("image.h5", held::writing,
                              saturating_sum(saturating_product(points, 4 * std::int64_t{sizeof(float)} +
                                                                            std::int64_t{sizeof(double)}),
                                             std::max(memory_to_write_images(image), memory_to_sum(geometry))),
                              1));
            // A sum, a shot, and what is written; of a shot in progress its sums, too.
            list.add(host_row("subsurface-offset gathers", held::writing, offset_bytes(experiment, 1), 4));
            RunningSum::add_memory(list, experiment, computation, kImagesOfShot);
            if (experiment.imaging->misfit.config.image.water_m_s)
                list.add(host_row("nodes in water", held::outputs, points / 8, 1));
        },
};

}  // namespace onda
