#include "solver/outputs/gradient_output.hpp"

#include <algorithm>
#include <deque>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/files/interruption.hpp"
#include "io/results/image_file.hpp"
#include "io/text/number_text.hpp"
#include "io/text/saturating.hpp"
#include "solver/pictures/image_picture.hpp"
#include "solver/plan/experiment.hpp"
#include "solver/program/host_memory.hpp"

namespace onda {
namespace {

/// The nodes of a grid that a window without steps covers.
ImageNodes nodes_of_part(const Grid& grid, const Window& part) {
    ImageNodes nodes{{grid.dimensions, part.count, grid.spacing_m, {}}, part.first};
    for (std::size_t axis = 0; axis < 3; ++axis)
        nodes.geometry.origin_m[axis] =
            grid.origin_m[axis] + static_cast<double>(part.first[axis]) * grid.spacing_m[axis];
    return nodes;
}

ImageNodes nodes_of_run(const Experiment& experiment) {
    return nodes_of_part(experiment.domain.grid, Window::whole(experiment.domain.grid));
}

class GradientOfShot : public ShotOutput {
public:
    GradientOfShot(const Experiment& experiment, const ShotPlace& place)
        : experiment_(experiment), file_(place.file), provenance_(place.provenance) {}

    void take_images(ShotImages& images) override {
        ImageWriter writer(file_, nodes_of_part(experiment_.domain.grid, images.part), provenance_, true);
        writer.write(kVpGradient, 0, images.gradient_vp);
        if (!images.gradient_rho.empty()) writer.write(kRhoGradient, 0, images.gradient_rho);
        if (!images.illumination_source.empty()) writer.write(kSourceIllumination, 0, images.illumination_source);
        if (!images.illumination_receiver.empty()) writer.write(kReceiverIllumination, 0, images.illumination_receiver);
        writer.write({images.shot, images.misfit, images.misfit_of_trace, images.dead, images.excluded, images.dt_s,
                      images.adjoint_source});
        written_ = writer.finish();
    }
    std::optional<AtomicFile> finish() override { return std::move(written_); }

private:
    const Experiment& experiment_;
    std::filesystem::path file_;
    const Provenance& provenance_;
    std::optional<AtomicFile> written_;
};

/// The file of a shot, and which part of the grid its images cover.
struct ImagedShot {
    std::int64_t shot;
    FileRecord record;
    std::filesystem::path file;
    ImageContents contents;
};

std::vector<ImagedShot> imaged_shots(const FinishedSurvey& survey) {
    std::vector<ImagedShot> shots;
    for (const ShotRecord& shot : survey.shots) {
        const FileRecord& record = file_of(shot, kGradientFormat);
        if (record.name.empty()) continue;
        const std::filesystem::path file = survey.folder / record.name;
        shots.push_back({shot.shot, record, file, image_contents(file)});
    }
    return shots;
}

/// Adds the values of a box, [first, first + count) of a part of a grid, to planes of the grid from z = `plane` on.
void add_box(std::span<double> planes, const Grid& grid, std::int64_t plane, const Window& box,
             std::span<const float> values) {
    const auto length = static_cast<std::size_t>(box.count[0]);
    for (std::int64_t z = 0; z < box.count[2]; ++z)
        for (std::int64_t y = 0; y < box.count[1]; ++y) {
            const auto row = static_cast<std::size_t>(z * box.count[1] + y) * length;
            const auto at = static_cast<std::size_t>(
                ((box.first[2] + z - plane) * grid.ny() + box.first[1] + y) * grid.nx() + box.first[0]);
            for (std::size_t x = 0; x < length; ++x) planes[at + x] += static_cast<double>(values[row + x]);
        }
}

/// The sum over the shots, in their order, of an image on the planes [plane, plane + count).
std::vector<float> sum_of_shots(std::span<const ImagedShot> shots, const StoredImageKind& kind, const Grid& grid,
                                std::int64_t plane, std::int64_t count) {
    std::vector<double> sum(static_cast<std::size_t>(count * grid.ny() * grid.nx()));
    for (const ImagedShot& shot : shots) {
        throw_if_interrupted();
        const ImageNodes& nodes = shot.contents.nodes;
        Window box{nodes.first, nodes.geometry.shape, {1, 1, 1}};
        box.first[2] = std::max(plane, nodes.first[2]);
        box.count[2] = std::min(plane + count, nodes.first[2] + nodes.geometry.shape[2]) - box.first[2];
        if (box.count[2] <= 0) continue;
        add_box(sum, grid, plane, box, read_image(shot.file, kind, {0, 0, box.first[2] - nodes.first[2]}, box.count));
    }
    return {sum.begin(), sum.end()};
}

AtomicFile assemble_sums(const FinishedSurvey& survey, std::span<const ImagedShot> shots) {
    const Grid& grid = survey.experiment.domain.grid;
    const ImageNodes nodes = nodes_of_run(survey.experiment);
    ImageWriter writer(survey.results / kGradientName, nodes, survey.provenance, survey.overwrite);
    const std::int64_t most = planes_at_a_time(nodes.geometry);
    for (const StoredImageKind* kind : shots.front().contents.kinds)
        for (std::int64_t plane = 0; plane < grid.nz(); plane += most)
            writer.write(*kind, plane, sum_of_shots(shots, *kind, grid, plane, std::min(most, grid.nz() - plane)));
    for (const ImagedShot& shot : shots) {
        const ShotMisfit misfit = read_misfit(shot.file, shot.shot);
        if (survey.assembly == Assembly::links)
            writer.link(misfit, kept_name(shot.record));
        else
            writer.write(misfit);
    }
    return writer.finish();
}

std::string misfit_table(std::span<const ImagedShot> shots) {
    std::string text = "shot,misfit,traces,dead,excluded\n";
    for (const ImagedShot& shot : shots) {
        const ShotMisfit misfit = read_misfit(shot.file, shot.shot);
        text += fmt::format("{},{},{},{},{}\n", misfit.shot, shortest(misfit.value), misfit.of_trace.size(),
                            misfit.dead, misfit.excluded);
    }
    return text;
}

/// Adds sections of a gradient through the middle of the grid to a picture, clipped together.
void add_panels(Picture& picture, const Experiment& experiment, const std::filesystem::path& gradient,
                const StoredImageKind& kind, std::size_t shots, std::deque<std::vector<float>>& values) {
    constexpr std::int64_t unthinned = std::int64_t{1} << 40;
    const Grid& grid = experiment.domain.grid;
    const std::vector<Section> sections =
        sections_through(grid, grid.position_m(grid.nx() / 2, grid.ny() / 2, grid.nz() / 2), unthinned);
    std::vector<std::span<const float>> frames;
    for (const Section& section : sections)
        frames.emplace_back(
            values.emplace_back(read_image(gradient, kind, section.window.first, section.window.count)));
    const double clip = common_clip(frames, kImageClip);
    for (std::size_t i = 0; i < sections.size(); ++i) {
        Panel panel = image_panel(sections[i], kind, frames[i], clip, kBlueRed);
        panel.title = fmt::format("Gradient of {} shot{}{}{}", shots, shots == 1 ? "" : "s",
                                  panel.title.empty() ? "" : ", ", panel.title);
        outline_layers(panel, sections[i].plane, grid, experiment.domain.faces);
        picture.panels.push_back(std::move(panel));
    }
}

/// \param values that the picture refers to.
Picture gradient_picture(const Experiment& experiment, const std::filesystem::path& gradient, std::size_t shots,
                         std::deque<std::vector<float>>& values) {
    Picture picture{experiment.config.title, {}};
    add_panels(picture, experiment, gradient, kVpGradient, shots, values);
    if (experiment.imaging->density) add_panels(picture, experiment, gradient, kRhoGradient, shots, values);
    return picture;
}

class Gradients : public RunOutput {
public:
    explicit Gradients(const Experiment& experiment) : experiment_(experiment) {}

    std::unique_ptr<ShotOutput> begin(const ShotPlace& place) override {
        if (place.shot.receivers.empty()) return nullptr;
        return std::make_unique<GradientOfShot>(experiment_, place);
    }
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey& survey) const override {
        const std::vector<ImagedShot> shots = imaged_shots(survey);
        std::vector<AtomicFile> files;
        if (shots.empty()) return files;
        // The part that a single shot is computed on is not the grid.
        const bool is_whole = survey.assembly == Assembly::only_shot && !experiment_.domain.aperture;
        files.push_back(is_whole ? survey.second_name(kGradientFormat, kGradientName) : assemble_sums(survey, shots));
        files.push_back(stage_text_file(survey.results / kMisfitTableName, misfit_table(shots), survey.overwrite));
        if (!experiment_.config.output.pictures) return files;
        std::deque<std::vector<float>> values;
        const Picture picture = gradient_picture(experiment_, files.front().temporary(), shots.size(), values);
        files.push_back(stage_picture(survey.results / kGradientPictureName, picture, survey.overwrite));
        return files;
    }

private:
    const Experiment& experiment_;
};

std::int64_t images_of(const Experiment& experiment) {
    return 1 + (experiment.imaging->density ? 1 : 0) + (experiment.imaging->illuminations ? 2 : 0);
}

std::int64_t predicted_gradient_bytes(const Experiment& experiment, const Placement&, std::int64_t provenance_bytes) {
    constexpr std::int64_t line = 40;  // of misfit.csv
    return saturating_sum(
        predicted_image_bytes(
            nodes_of_run(experiment).geometry, images_of(experiment), experiment.survey.size.shots_of_receivers,
            experiment.imaging->adjoint_sources ? experiment.time.output_samples : 0, provenance_bytes),
        saturating_product(std::int64_t{std::ssize(experiment.survey.shots)}, line));
}

/// Size of the images of all shots [bytes], each on its part of the grid.
std::int64_t bytes_of_shot_images(const Experiment& experiment) {
    const Window largest = experiment.domain.computed.inner();
    const std::int64_t shots = std::ssize(experiment.survey.shots), images = images_of(experiment);
    const std::int64_t of_largest = saturating_product(
        shots, bytes_of_images(nodes_of_part(experiment.domain.grid, {{}, largest.count, {1, 1, 1}}).geometry, images));
    const std::int64_t less = saturating_product(shots, largest.points()) - experiment.domain.inner_nodes_of_shots;
    return of_largest - saturating_product(less, images, std::int64_t{sizeof(float)});
}

/// Planes that are summed over the shots, a shot's among them, and the sum as it is written.
std::int64_t memory_to_sum(const FileGeometry& geometry) {
    const std::int64_t nodes = geometry.shape[0] * geometry.shape[1] * planes_at_a_time(geometry);
    const std::int64_t written = saturating_product(nodes, std::int64_t{sizeof(float)});
    return saturating_sum(saturating_product(nodes, std::int64_t{sizeof(double)}), written,
                          memory_to_write_images(written));
}

}  // namespace

constinit const OutputFormat kGradientFormat{
    .column = "gradient",
    .shot_file = "gradient.h5",
    .is_result =
        [](std::string_view name) {
            return name == kGradientName || name == kMisfitTableName || name == kGradientPictureName;
        },
    .is_wanted = [](const Experiment& experiment) { return experiment.imaging.has_value(); },
    .make = [](const Experiment& experiment, const Model&) -> std::unique_ptr<RunOutput> {
        return std::make_unique<Gradients>(experiment);
    },
    .predicted_bytes = predicted_gradient_bytes,
    // The table of misfits, of one row: measured.
    .own_file_bytes = [] { return linked_file_bytes() + 3400; },
    .shot_bytes = bytes_of_shot_images,
    .add_memory =
        [](Allocations& list, const Experiment& experiment, const Computation&) {
            const FileGeometry geometry = nodes_of_run(experiment).geometry;
            const std::int64_t image = saturating_product(experiment.domain.grid.points(), std::int64_t{sizeof(float)});
            list.add(host_row("gradient.h5", held::writing,
                              std::max(memory_to_write_images(image), memory_to_sum(geometry)), 1));
        },
};

}  // namespace onda
