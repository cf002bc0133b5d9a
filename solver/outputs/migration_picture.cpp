#include "solver/outputs/migration_picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <span>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "solver/data/imaged_fold.hpp"
#include "solver/imaging/finished_image.hpp"
#include "solver/outputs/shot_sums.hpp"
#include "solver/pictures/fold_picture.hpp"
#include "solver/pictures/image_picture.hpp"

namespace onda {
namespace {

constexpr std::int64_t kMostImageSamples = 1200;  ///< along one side of a picture

double length_of(const PictureAxis& axis) {
    return std::abs(axis.last - axis.first);
}

/// A gather as it is drawn, [z][half offset].
std::vector<float> drawn_gather(const OffsetGathers& gathers, std::size_t line, const Experiment& experiment) {
    const std::size_t offsets = gathers.half_offset_m.size(), planes = gathers.z_m.size();
    std::vector<float> drawn(offsets * planes);
    for (std::size_t h = 0; h < offsets; ++h)
        for (std::size_t z = 0; z < planes; ++z)
            drawn[z * offsets + h] = gathers.values[(line * offsets + h) * planes + z];
    Grid section = experiment.domain.grid;
    section.n = {std::ssize(gathers.half_offset_m), 1, section.nz()};
    const ImageConfig& image = experiment.imaging->misfit.config.image;
    mute_top(drawn, section, image.mute_depth_m, image.mute_taper_m);
    return drawn;
}

}  // namespace

MigrationPicture::MigrationPicture(const Experiment& experiment, const Model& model) : experiment_(experiment) {
    const Grid& grid = experiment.domain.grid;
    const Position middle = grid.position_m(grid.nx() / 2, grid.ny() / 2, grid.nz() / 2);
    for (Section& section : sections_through(grid, middle, kMostImageSamples))
        models_.push_back(cut_model(std::move(section), model));
}

AtomicFile MigrationPicture::stage(const std::filesystem::path& picture_file, const std::filesystem::path& file,
                                   const StoredImageKind& kind, const std::string& title, bool overwrite) const {
    Picture picture{experiment_.config.title, {}};
    std::deque<std::vector<float>> values;
    const auto read = [&](const StoredImageKind& of) {
        std::vector<std::span<const float>> frames;
        for (const ModelSection& model : models_)
            frames.emplace_back(values.emplace_back(read_on(file, of, model.section.window)));
        return frames;
    };
    const std::vector<std::span<const float>> images = read(kind), lit = read(kSourceIllumination);
    const double clip = common_clip(images, kImageClip), brightest = common_clip(lit, kImageClip);
    for (std::size_t i = 0; i < models_.size(); ++i) {
        const Section& section = models_[i].section;
        add(picture, image_panel(section, kind, images[i], clip, kGrey), title, section);
        Panel over = empty_panel(section);
        over.fields.push_back(backdrop_field(models_[i]));
        PictureField field = signed_field(section, images[i], clip, kind.label, kBlueRed);
        field.tint = true;
        over.fields.push_back(std::move(field));
        add(picture, std::move(over), "Image over the model", section);
    }
    const Section& section = models_.front().section;
    Panel light = image_panel(section, kSourceIllumination, lit.front(), brightest, kViridis);
    light.fields.front().label = "illumination";
    add(picture, std::move(light), "Illumination by the sources", section);
    std::vector<float> squares;
    picture.panels.push_back(fold_of_image(section, squares));
    const bool is_wide = length_of(section.horizontal) > 1.5 * length_of(section.vertical);
    const auto panels = static_cast<int>(picture.panels.size());
    picture.rows = is_wide ? panels : models_.size() > 1 ? (panels + 1) / 2 : 1;
    return stage_picture(picture_file, picture, overwrite);
}

Panel MigrationPicture::fold_of_image(const Section& section, std::vector<float>& squares) const {
    const Fold fold = fold_of(experiment_.imaging->misfit.config, experiment_.survey.observed_shots());
    Panel panel = fold_panel(fold, squares);
    if (fold.is_line) panel.height = 0.4;
    if (fold.is_line && fold.along[1] == 0.) panel.horizontal = section.horizontal;
    return panel;
}

void MigrationPicture::add(Picture& picture, Panel panel, const std::string& title, const Section& section) const {
    panel.title = title + (section.place.empty() ? "" : ", " + section.place);
    outline_layers(panel, section.plane, experiment_.domain.grid, experiment_.domain.faces);
    picture.panels.push_back(std::move(panel));
}

DrawnGathers drawn_gathers(const std::filesystem::path& file, const Experiment& experiment) {
    constexpr std::size_t most = 7;
    OffsetGathers gathers = read_offset_gathers(file);
    DrawnGathers drawn{.half_offset_m = gathers.half_offset_m,
                       .z_m = gathers.z_m,
                       .half_offset = fmt::format("half offset along {}", gathers.axis)};
    const std::size_t lines = gathers.x_m.size(), shown = std::min(most, lines);
    std::vector<std::span<const float>> frames;
    for (std::size_t i = 0; i < shown; ++i) {
        const std::size_t line = (2 * i + 1) * lines / (2 * shown);
        std::string place = fmt::format("x = {:.6g} m", gathers.x_m[line]);
        if (gathers.dimensions == 3) place += fmt::format(", y = {:.6g} m", gathers.y_m[line]);
        drawn.some.push_back({std::move(place), drawn_gather(gathers, line, experiment)});
    }
    for (const DrawnGathers::Gather& gather : drawn.some) frames.emplace_back(gather.values);
    drawn.clip = common_clip(frames, kImageClip);
    return drawn;
}

AtomicFile stage_offset_gathers(const std::filesystem::path& picture_file, const std::filesystem::path& file,
                                const Experiment& experiment, bool overwrite) {
    const DrawnGathers gathers = drawn_gathers(file, experiment);
    Picture picture{experiment.config.title, {}};
    for (const DrawnGathers::Gather& gather : gathers.some) {
        Panel& panel = picture.panels.emplace_back();
        panel.title = gather.place;
        panel.horizontal = {gathers.half_offset_m.front(), gathers.half_offset_m.back(), gathers.half_offset + " [m]"};
        panel.vertical = {gathers.z_m.front(), gathers.z_m.back(), "Depth [m]"};
        panel.fields.push_back({.raster = {std::ssize(gathers.z_m), std::ssize(gathers.half_offset_m), gather.values},
                                .map = &kGrey,
                                .range = ValueRange{-gathers.clip, gathers.clip},
                                .label = "image"});
    }
    return stage_picture(picture_file, picture, overwrite);
}

}  // namespace onda
