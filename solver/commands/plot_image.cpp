// onda plot gradient: pictures of what adjoint runs have made.
#include <algorithm>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/plot.hpp"
#include "solver/pictures/image_picture.hpp"

namespace onda::plot {
namespace {

/// The kind of image of this name; without one the first that a file has.
const StoredImageKind& kind_of(const std::string& name, const ImageReader& reader, const std::filesystem::path& file) {
    for (const StoredImageKind* kind : kStoredImageKinds)
        if (name.empty() ? reader.has(*kind) : name == kind->option) return *kind;
    throw Error(ExitCode::bad_data, shown(file) + ": has no image");
}

std::vector<std::string> names_of_kinds() {
    std::vector<std::string> names;
    for (const StoredImageKind* kind : kStoredImageKinds) names.emplace_back(kind->option);
    return names;
}

/// That of gradients has two colours; images are grey, as sections of seismic data are.
const ColourMap& map_of_kind(const StoredImageKind& kind) {
    return &kind == &kMigratedImage || &kind == &kImageStack || &kind == &kVelocityChange ? kGrey : kBlueRed;
}

int plot_image(const Options& options, const std::string& name) {
    const std::filesystem::path file = input_of(options.files.front(), FileKind::gradient);
    const ImageReader reader(file);
    const StoredImageKind& kind = kind_of(name, reader, file);
    if (!reader.has(kind))
        throw Error(ExitCode::usage, fmt::format("--image {}: {} has no /{}", name, shown(file), kind.path()));
    if (!kind.both_signs && !options.map.empty())
        throw Error(ExitCode::usage,
                    "--map is of gradients and images; illuminations are drawn with " + std::string(kViridis.name));
    const Grid grid = grid_of(reader.nodes().geometry);
    const SectionPlane& plane = *std::ranges::find(section_planes(), options.plane, &SectionPlane::name);
    const double middle_m =
        grid.origin_m[plane.normal] + static_cast<double>(grid.n[plane.normal] / 2) * grid.spacing_m[plane.normal];
    const Section section = section_of(grid, options, middle_m);
    const std::vector<float> values = reader.read(kind, section.window.first, section.window.count);
    const std::span<const float> frame(values);
    const double clip = common_clip({&frame, 1}, options.percentile > 0. ? options.percentile / 100. : kImageClip);
    Picture picture;
    picture.panels.push_back(
        image_panel(section, kind, values, clip, kind.both_signs ? map_of(options, map_of_kind(kind)) : kViridis));
    finish(std::move(picture), options, reader.title(), fmt::format("_{}_{}", kind.option, section.plane.name));
    return 0;
}

Command add_images(CLI::App& plot, const char* name, const char* summary, const char* examples) {
    CLI::App* const command = add_command(plot, name, summary, examples);
    const auto options = std::make_shared<Options>();
    const auto image = std::make_shared<std::string>();
    add_common(*command, *options, "gradient.h5 or image.h5, or the folder of a run", false);
    add_section(*command, *options);
    add_map(*command, *options, kBlueRed);
    command
        ->add_option("--clip-percentile", options->percentile,
                     "Clip the scale at this percentile of all |values| (default: 98)")
        ->type_name("P")
        ->check(CLI::Range(1., 100.));
    command
        ->add_option("--image", *image,
                     "change: that of velocity which fits the data; migrated: the image; stack: the sum that it is "
                     "made of; gradient: that of vp; rho, q, epsilon, delta: those of these parameters; "
                     "source, receiver: illumination by the forward or the adjoint field (default: the first of these "
                     "that the file has)")
        ->check(CLI::IsMember(names_of_kinds()));
    return [options, image] { return plot_image(*options, *image); };
}

}  // namespace

Command add_gradient(CLI::App& plot) {
    return add_images(plot, "gradient", "A section of a gradient, or of an illumination",
                      "onda plot gradient results/gradient\n"
                      "onda plot gradient gradient.h5 --image source --plane xy --at 400");
}

Command add_image(CLI::App& plot) {
    return add_images(plot, "image", "A section of an image of the subsurface, or of an illumination",
                      "onda plot image results/line-rtm\n"
                      "onda plot image image.h5 --plane yz --at 1200 --map blue-red --clip-percentile 99");
}

}  // namespace onda::plot
