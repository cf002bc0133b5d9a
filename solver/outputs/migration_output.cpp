#include "solver/outputs/migration_output.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/results/image_file.hpp"
#include "io/text/saturating.hpp"
#include "solver/imaging/finished_image.hpp"
#include "solver/imaging/imaging_condition.hpp"
#include "solver/outputs/shot_sums.hpp"
#include "solver/pictures/image_picture.hpp"
#include "solver/plan/experiment.hpp"
#include "solver/program/host_memory.hpp"

namespace onda {
namespace {

constexpr std::int64_t kMostImageSamples = 1200;  ///< along one side of a picture

/// Sums over the shots, and what is made of them.
struct FinishedImage {
    std::vector<float> stack, source, receiver, image;
};

/// Of all nodes.
std::vector<float> whole_sum(std::span<const ImagedShot> shots, const StoredImageKind& kind, const Grid& grid) {
    std::vector<float> sum(static_cast<std::size_t>(grid.points()));
    const std::int64_t most = planes_at_a_time(nodes_of_part(grid, Window::whole(grid)).geometry);
    for (std::int64_t z = 0; z < grid.nz(); z += most) {
        const std::vector<float> planes = sum_of_shots(shots, kind, grid, z, std::min(most, grid.nz() - z));
        std::ranges::copy(planes, sum.begin() + z * grid.nx() * grid.ny());
    }
    return sum;
}

/// The model and the image in sections through the middle of the grid.
class ImagePictures {
public:
    ImagePictures(const Experiment& experiment, const Model& model) : experiment_(experiment) {
        const Grid& grid = experiment.domain.grid;
        for (Section& section :
             sections_through(grid, grid.position_m(grid.nx() / 2, grid.ny() / 2, grid.nz() / 2), kMostImageSamples))
            models_.push_back(cut_model(std::move(section), model));
    }

    /// \param values that the picture refers to.
    [[nodiscard]] Picture draw(const std::filesystem::path& file, std::size_t shots,
                               std::deque<std::vector<float>>& values) const {
        Picture picture{experiment_.config.title, {}};
        const auto read = [&](const StoredImageKind& kind) {
            std::vector<std::span<const float>> frames;
            for (const ModelSection& model : models_)
                frames.emplace_back(values.emplace_back(read_on(file, kind, model.section.window)));
            return frames;
        };
        const std::vector<std::span<const float>> images = read(kMigratedImage), lit = read(kSourceIllumination);
        const double clip = common_clip(images, kImageClip), brightest = common_clip(lit, kImageClip);
        for (std::size_t i = 0; i < models_.size(); ++i) {
            const Section& section = models_[i].section;
            add(picture, image_panel(section, kMigratedImage, images[i], clip, kGrey),
                fmt::format("Image of {} shot{}", shots, shots == 1 ? "" : "s"), section);
            Panel over = empty_panel(section);
            over.fields.push_back(backdrop_field(models_[i]));
            PictureField field = signed_field(section, images[i], clip, kMigratedImage.label, kBlueRed);
            field.tint = true;
            over.fields.push_back(std::move(field));
            add(picture, std::move(over), "Image over the model", section);
        }
        const Section& section = models_.front().section;
        Panel light = image_panel(section, kSourceIllumination, lit.front(), brightest, kViridis);
        light.fields.front().label = "illumination";
        add(picture, std::move(light), "Illumination by the sources", section);
        const auto length = [](const PictureAxis& axis) { return std::abs(axis.last - axis.first); };
        const bool is_wide = length(section.horizontal) > 1.5 * length(section.vertical);
        const auto panels = static_cast<int>(picture.panels.size());
        picture.rows = is_wide ? panels : models_.size() > 1 ? (panels + 1) / 2 : 1;
        return picture;
    }

private:
    void add(Picture& picture, Panel panel, const std::string& title, const Section& section) const {
        panel.title = title + (section.place.empty() ? "" : ", " + section.place);
        outline_layers(panel, section.plane, experiment_.domain.grid, experiment_.domain.faces);
        picture.panels.push_back(std::move(panel));
    }

    const Experiment& experiment_;
    std::vector<ModelSection> models_;
};

class Migrations : public RunOutput {
public:
    Migrations(const Experiment& experiment, const Model& model)
        : experiment_(experiment), settings_(experiment.imaging->misfit.config.image) {
        if (experiment.config.output.pictures) pictures_.emplace(experiment, model);
        if (!settings_.water_m_s) return;
        for (const float vp : model.vp().values) water_.push_back(vp <= static_cast<float>(*settings_.water_m_s));
    }

    std::unique_ptr<ShotOutput> begin(const ShotPlace& place) override {
        if (place.shot.receivers.empty()) return nullptr;
        return std::make_unique<ImagesOfShot>(experiment_, place);
    }
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey& survey) const override {
        const std::vector<ImagedShot> shots = imaged_shots(survey, kMigrationFormat);
        std::vector<AtomicFile> files;
        if (shots.empty()) return files;
        files.push_back(write(survey, shots));
        files.push_back(
            stage_text_file(survey.results / kTracesTableName, traces_table(shots, "energy"), survey.overwrite));
        if (!pictures_) return files;
        std::deque<std::vector<float>> values;
        const Picture picture = pictures_->draw(files.front().temporary(), shots.size(), values);
        files.push_back(stage_picture(survey.results / kImagePictureName, picture, survey.overwrite));
        return files;
    }

private:
    [[nodiscard]] AtomicFile write(const FinishedSurvey& survey, std::span<const ImagedShot> shots) const {
        const ImageNodes nodes = nodes_of_run(experiment_);
        const FinishedImage finished = finish(shots);
        ImageWriter writer(survey.results / kImageName, nodes, survey.provenance, survey.overwrite);
        writer.write(kMigratedImage, 0, finished.image);
        writer.write(kImageStack, 0, finished.stack);
        writer.write(kSourceIllumination, 0, finished.source);
        writer.write(kReceiverIllumination, 0, finished.receiver);
        write_misfits(writer, survey, shots);
        return writer.finish();
    }
    [[nodiscard]] FinishedImage finish(std::span<const ImagedShot> shots) const {
        const Grid& grid = experiment_.domain.grid;
        FinishedImage all{whole_sum(shots, kImageStack, grid),
                          whole_sum(shots, kSourceIllumination, grid),
                          whole_sum(shots, kReceiverIllumination, grid),
                          {}};
        all.image = all.stack;
        divide_by_illumination(all.image, all.source, all.receiver, settings_.normalise, settings_.floor);
        for (std::size_t i = 0; i < water_.size(); ++i)
            if (water_[i]) all.image[i] = 0.F;
        if (settings_.longest_wavelength_m) remove_long_waves(all.image, grid, *settings_.longest_wavelength_m);
        if (settings_.laplacian) apply_minus_laplacian(all.image, grid);
        for (std::size_t i = 0; i < water_.size(); ++i)
            if (water_[i]) all.image[i] = 0.F;  // what filters have brought there
        mute_top(all.image, grid, settings_.mute_depth_m, settings_.mute_taper_m);
        return all;
    }

    const Experiment& experiment_;
    const ImageConfig& settings_;
    std::optional<ImagePictures> pictures_;
    std::vector<bool> water_;  ///< of every node; empty: nothing is muted for its velocity
};

/// The image, its sum, and both illuminations.
constexpr std::int64_t kImagesOfSurvey = 4, kImagesOfShot = 3;

std::int64_t predicted_migration_bytes(const Experiment& experiment, const Placement&, std::int64_t provenance_bytes) {
    constexpr std::int64_t line = 40;  // of traces.csv
    return saturating_sum(
        predicted_image_bytes(
            nodes_of_run(experiment).geometry, kImagesOfSurvey, experiment.survey.size.shots_of_receivers,
            experiment.imaging->adjoint_sources ? experiment.time.output_samples : 0, provenance_bytes),
        saturating_product(std::int64_t{std::ssize(experiment.survey.shots)}, line));
}

}  // namespace

constinit const OutputFormat kMigrationFormat{
    .column = "image",
    .shot_file = "image.h5",
    .is_result =
        [](std::string_view name) {
            return name == kImageName || name == kTracesTableName || name == kImagePictureName;
        },
    .is_wanted =
        [](const Experiment& experiment) { return experiment.imaging && experiment.imaging->condition != nullptr; },
    .make = [](const Experiment& experiment, const Model& model) -> std::unique_ptr<RunOutput> {
        return std::make_unique<Migrations>(experiment, model);
    },
    .predicted_bytes = predicted_migration_bytes,
    .own_file_bytes = [] { return linked_file_bytes() + 3400; },
    .shot_bytes = [](const Experiment& experiment) { return bytes_of_shot_images(experiment, kImagesOfShot); },
    .add_memory =
        [](Allocations& list, const Experiment& experiment, const Computation&) {
            const FileGeometry geometry = nodes_of_run(experiment).geometry;
            const std::int64_t points = experiment.domain.grid.points(),
                               image = saturating_product(points, std::int64_t{sizeof(float)});
            // Four images, and one in double that a filter makes.
            list.add(host_row("image.h5", held::writing,
                              saturating_sum(saturating_product(points, 4 * std::int64_t{sizeof(float)} +
                                                                            std::int64_t{sizeof(double)}),
                                             std::max(memory_to_write_images(image), memory_to_sum(geometry))),
                              1));
            if (experiment.imaging->misfit.config.image.water_m_s)
                list.add(host_row("nodes in water", held::outputs, points / 8, 1));
        },
};

}  // namespace onda
