#include "solver/outputs/gradient_output.hpp"

#include <algorithm>
#include <deque>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/results/image_file.hpp"
#include "io/text/saturating.hpp"
#include "solver/outputs/shot_sums.hpp"
#include "solver/pictures/image_picture.hpp"
#include "solver/plan/experiment.hpp"
#include "solver/program/host_memory.hpp"

namespace onda {
namespace {

AtomicFile assemble_sums(const FinishedSurvey& survey, std::span<const ImagedShot> shots, const RunningSum& begun) {
    const Grid& grid = survey.experiment.domain.grid;
    const ImageNodes nodes = nodes_of_run(survey.experiment);
    ImageWriter writer(survey.results / kGradientName, nodes, survey.provenance, survey.overwrite);
    const std::int64_t most = planes_at_a_time(nodes.geometry);
    for (const StoredImageKind* kind : shots.front().contents.kinds)
        for (std::int64_t plane = 0; plane < grid.nz(); plane += most)
            writer.write(*kind, plane,
                         sum_of_shots(shots, *kind, grid, plane, std::min(most, grid.nz() - plane), begun));
    write_misfits(writer, survey, shots);
    return writer.finish();
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
    if (experiment.imaging->sums.density) add_panels(picture, experiment, gradient, kRhoGradient, shots, values);
    if (experiment.imaging->of_q) add_panels(picture, experiment, gradient, kQGradient, shots, values);
    if (experiment.imaging->sums.anisotropy) {
        add_panels(picture, experiment, gradient, kEpsilonGradient, shots, values);
        add_panels(picture, experiment, gradient, kDeltaGradient, shots, values);
    }
    return picture;
}

std::int64_t images_of(const Experiment& experiment) {
    const ImagingPlan& imaging = *experiment.imaging;
    return 1 + (imaging.sums.density ? 1 : 0) + (imaging.of_q ? 1 : 0) + (imaging.sums.anisotropy ? 2 : 0) +
           (imaging.sums.illuminates ? 2 : 0);
}

class Gradients : public RunOutput {
public:
    explicit Gradients(const Experiment& experiment)
        : experiment_(experiment), sum_(experiment, images_of(experiment)) {}

    std::unique_ptr<ShotOutput> begin(const ShotPlace& place) override {
        if (!place.shot.receivers.empty()) return std::make_unique<ImagesOfShot>(experiment_, place, sum_);
        sum_.pass_over(place.index);
        return nullptr;
    }
    void expect(const std::function<bool(std::size_t)>& may_begin) override { sum_.expect(may_begin); }
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey& survey) const override {
        const std::vector<ImagedShot> shots = imaged_shots(survey, kGradientFormat);
        std::vector<AtomicFile> files;
        if (shots.empty()) return files;
        // The part that a single shot is computed on is not the grid.
        const bool is_whole = survey.assembly == Assembly::only_shot && !experiment_.domain.aperture;
        files.push_back(is_whole ? survey.second_name(kGradientFormat, kGradientName)
                                 : assemble_sums(survey, shots, sum_));
        files.push_back(
            stage_text_file(survey.results / kMisfitTableName, traces_table(shots, "misfit"), survey.overwrite));
        if (!experiment_.config.output.pictures) return files;
        std::deque<std::vector<float>> values;
        const Picture picture = gradient_picture(experiment_, files.front().temporary(), shots.size(), values);
        files.push_back(stage_picture(survey.results / kGradientPictureName, picture, survey.overwrite));
        return files;
    }

private:
    const Experiment& experiment_;
    RunningSum sum_;
};

}  // namespace

constinit const OutputFormat kGradientFormat{
    .column = "gradient",
    .shot_file = "gradient.h5",
    .is_result =
        [](std::string_view name) {
            return name == kGradientName || name == kMisfitTableName || name == kGradientPictureName;
        },
    .is_wanted =
        [](const Experiment& experiment) {
            return experiment.imaging && experiment.imaging->reverses && experiment.imaging->condition == nullptr;
        },
    .make = [](const Experiment& experiment, const Model&) -> std::unique_ptr<RunOutput> {
        return std::make_unique<Gradients>(experiment);
    },
    .predicted_bytes =
        [](const Experiment& experiment, const Placement&, std::int64_t provenance_bytes) {
            return predicted_sum_bytes(experiment, images_of(experiment), provenance_bytes);
        },
    .own_file_bytes = own_images_bytes,
    .shot_bytes = [](const Experiment& experiment) { return bytes_of_shot_images(experiment, images_of(experiment)); },
    .add_memory =
        [](Allocations& list, const Experiment& experiment, const Computation& computation) {
            const FileGeometry geometry = nodes_of_run(experiment).geometry;
            const std::int64_t image = saturating_product(experiment.domain.grid.points(), std::int64_t{sizeof(float)});
            list.add(host_row("gradient.h5", held::writing,
                              std::max(memory_to_write_images(image), memory_to_sum(geometry)), 1));
            RunningSum::add_memory(list, experiment, computation, images_of(experiment));
        },
};

}  // namespace onda
