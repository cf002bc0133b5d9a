#include "solver/outputs/iterations/least_squares_output.hpp"

#include <algorithm>
#include <spdlog/fmt/fmt.h>
#include <string>

#include "io/files/plain_file.hpp"
#include "io/text/number_text.hpp"
#include "solver/outputs/migration_output.hpp"
#include "solver/outputs/shot_sums.hpp"

namespace onda {
namespace {

std::string residual_table(std::span<const Residual> residuals) {
    const bool drawn_again =
        std::ranges::any_of(residuals, [](const Residual& row) { return row.crosstalk.has_value(); });
    std::string text = fmt::format("iteration,residual,misfit,step,gradient{}\n", drawn_again ? ",crosstalk" : "");
    for (const Residual& row : residuals) {
        text += fmt::format("{},{},{},{},{}", row.iteration, shortest(row.relative), shortest(row.misfit),
                            shortest(row.step), shortest(row.gradient));
        if (drawn_again) text += "," + (row.crosstalk ? shortest(*row.crosstalk) : std::string());
        text += "\n";
    }
    return text;
}

Picture residual_picture(const Experiment& experiment, std::span<const Residual> residuals) {
    Panel panel;
    panel.title = "Residual";
    panel.horizontal = {0., static_cast<double>(std::max<std::int64_t>(1, residuals.back().iteration)), "iteration"};
    panel.vertical = {1., 0., "norm of the residual, of that of the data"};
    panel.grid_lines = true;
    PictureLine line;
    PictureDots dots;
    for (const Residual& row : residuals) {
        line.x.push_back(static_cast<double>(row.iteration));
        line.y.push_back(row.relative);
    }
    dots.x = line.x;
    dots.y = line.y;
    panel.lines.push_back(std::move(line));
    panel.dots.push_back(std::move(dots));
    return {experiment.config.title, {std::move(panel)}};
}

}  // namespace

std::vector<AtomicFile> stage_least_squares(const Experiment& experiment, const std::filesystem::path& folder,
                                            const Provenance& provenance, const LeastSquaresImages& images,
                                            std::span<const ShotMisfit> shots, const MigrationPicture* picture) {
    std::vector<AtomicFile> files;
    ImageWriter writer(folder / kImageName, nodes_of_run(experiment), provenance, true);
    writer.write(kVelocityChange, 0, images.change);
    if (!images.filtered.empty()) writer.write(kMigratedImage, 0, images.filtered);
    writer.write(kSourceIllumination, 0, images.source);
    writer.write(kReceiverIllumination, 0, images.receiver);
    for (const ShotMisfit& shot : shots) writer.write(shot);
    files.push_back(writer.finish());
    files.push_back(stage_text_file(folder / kResidualTableName, residual_table(images.residuals), true));
    if (picture == nullptr) return files;
    const std::int64_t iterations = images.residuals.back().iteration;
    files.push_back(picture->stage(folder / kImagePictureName, files.front().temporary(),
                                   images.filtered.empty() ? kVelocityChange : kMigratedImage,
                                   fmt::format("Change of vp that fits {} shot{} after {} iteration{}", shots.size(),
                                               shots.size() == 1 ? "" : "s", iterations, iterations == 1 ? "" : "s"),
                                   true));
    files.push_back(stage_picture(folder / kResidualPictureName, residual_picture(experiment, images.residuals), true));
    return files;
}

constinit const OutputFormat kLeastSquaresFormat{
    .column = "",
    .shot_file = "",
    .is_result = [](std::string_view name) { return name == kResidualTableName || name == kResidualPictureName; },
    .is_wanted = [](const Experiment&) { return false; },
    .make = nullptr,
    .predicted_bytes = nullptr,
};

}  // namespace onda
