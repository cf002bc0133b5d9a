#include "solver/pictures/section_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <spdlog/fmt/fmt.h>

#include "io/pictures/raster.hpp"
#include "io/pictures/thinned_marks.hpp"
#include "io/text/number_text.hpp"

namespace onda {
namespace {

constexpr std::array<SectionPlane, 3> kPlanes{{{"xz", 0, 2, 1}, {"yz", 1, 2, 0}, {"xy", 0, 1, 2}}};
constexpr std::string_view kAxes = "xyz";
constexpr double kMostMarks = 150.;             ///< side by side
constexpr std::size_t kMostLookedAt = 100'000;  ///< receivers; of more, every second, third, … is

std::vector<float> values_at(const Window& window, const Grid& grid, const std::array<std::int64_t, 3>& first,
                             std::span<const float> volume) {
    std::vector<float> values;
    values.reserve(static_cast<std::size_t>(window.points()));
    for (std::int64_t z = 0; z < window.count[2]; ++z)
        for (std::int64_t y = 0; y < window.count[1]; ++y)
            for (std::int64_t x = 0; x < window.count[0]; ++x)
                values.push_back(volume[static_cast<std::size_t>(grid.at(
                    first[0] + window.first[0] + x * window.step[0], first[1] + window.first[1] + y * window.step[1],
                    first[2] + window.first[2] + z * window.step[2]))]);
    return values;
}

PictureAxis axis_of(const Window& window, std::size_t axis, const Grid& grid) {
    const auto at = [&](std::int64_t i) {
        return grid.origin_m[axis] +
               static_cast<double>(window.first[axis] + i * window.step[axis]) * grid.spacing_m[axis];
    };
    return {at(0), at(window.count[axis] - 1), axis == 2 ? "Depth [m]" : fmt::format("{} [m]", kAxes[axis])};
}

/// Lengths of the layers at the low and the high end of an axis.
struct Layers {
    double low_inside = 0., high_inside = 0., low_beyond = 0., high_beyond = 0.;
    [[nodiscard]] bool any_inside() const { return low_inside > 0. || high_inside > 0.; }
    [[nodiscard]] bool any_beyond() const { return low_beyond > 0. || high_beyond > 0.; }
};

Layers layers_along(const Grid& grid, const Faces& faces, std::size_t axis) {
    const auto length = [&](std::int64_t nodes) { return static_cast<double>(nodes) * grid.spacing_m[axis]; };
    return {length(faces.nodes_inside[2 * axis]), length(faces.nodes_inside[2 * axis + 1]),
            length(faces.nodes_beyond[2 * axis]), length(faces.nodes_beyond[2 * axis + 1])};
}

/// Widens the axes of a panel by the layers beyond the grid.
void add_margins(Panel& panel, const SectionPlane& plane, const Grid& grid, const Faces& faces) {
    const Layers across = layers_along(grid, faces, plane.horizontal), down = layers_along(grid, faces, plane.vertical);
    if (!across.any_beyond() && !down.any_beyond()) return;
    panel.interior = Extent{panel.horizontal.first, panel.horizontal.last, panel.vertical.first, panel.vertical.last};
    for (PictureField& field : panel.fields) field.extent = panel.interior;
    panel.horizontal.first -= across.low_beyond;
    panel.horizontal.last += across.high_beyond;
    const bool upwards = panel.vertical.first > panel.vertical.last;
    (upwards ? panel.vertical.last : panel.vertical.first) -= down.low_beyond;
    (upwards ? panel.vertical.first : panel.vertical.last) += down.high_beyond;
}

}  // namespace

std::span<const SectionPlane> section_planes() {
    return kPlanes;
}

Section make_section(const Grid& grid, const SectionPlane& plane, std::int64_t node, std::int64_t most_samples) {
    Section section{plane, {}, {}, {}, {}};
    section.window.first[plane.normal] = node;
    for (const std::size_t axis : {plane.horizontal, plane.vertical}) {
        section.window.step[axis] = (grid.n[axis] + most_samples - 1) / most_samples;
        section.window.count[axis] = (grid.n[axis] - 1) / section.window.step[axis] + 1;
    }
    section.horizontal = axis_of(section.window, plane.horizontal, grid);
    section.vertical = axis_of(section.window, plane.vertical, grid);
    const double at_m = grid.origin_m[plane.normal] + static_cast<double>(node) * grid.spacing_m[plane.normal];
    if (grid.has_axis(static_cast<int>(plane.normal)))
        section.place = fmt::format("{} = {} m", kAxes[plane.normal], shortest(std::round(at_m * 1e6) * 1e-6));
    return section;
}

std::vector<Section> sections_through(const Grid& grid, const Position& position_m, std::int64_t most_samples) {
    const auto node = nearest_node(grid, position_m);
    std::vector<Section> sections;
    for (const SectionPlane& plane : kPlanes)
        if (grid.has_axis(static_cast<int>(plane.horizontal)) && grid.has_axis(static_cast<int>(plane.vertical)))
            sections.push_back(make_section(grid, plane, node[plane.normal], most_samples));
    return sections;
}

ModelSection cut_model(Section section, const Model& model, const std::array<std::int64_t, 3>& first) {
    ModelSection cut{std::move(section), {}, {}};
    cut.vp = values_at(cut.section.window, model.grid, first, model.vp().values);
    if (const ParameterValues* const rho = model.find("rho"); rho != nullptr && rho->max > rho->min)
        cut.rho = values_at(cut.section.window, model.grid, first, rho->values);
    for (std::size_t i = 1; i < model.parameters.size(); ++i)
        if (const ParameterValues& given = model.parameters[i];
            model.equation->parameters[i].name != "rho" && given.max > given.min)
            cut.further.push_back({label_of(model.equation->parameters[i]),
                                   values_at(cut.section.window, model.grid, first, given.values)});
    return cut;
}

std::string label_of(const MediumParameter& parameter) {
    return std::string(parameter.quantity) + (parameter.unit.empty() ? "" : fmt::format(" [{}]", parameter.unit));
}

Raster raster_of(const Section& section, std::span<const float> values) {
    return {section.window.count[section.plane.vertical], section.window.count[section.plane.horizontal], values};
}

Panel empty_panel(const Section& section) {
    Panel panel;
    panel.horizontal = section.horizontal;
    panel.vertical = section.vertical;
    // Maps have north, where y grows, on top.
    if (section.plane.vertical == 1) std::swap(panel.vertical.first, panel.vertical.last);
    panel.equal_aspect = true;
    panel.title = section.place;
    return panel;
}

PictureField model_field(const Section& section, std::span<const float> values, std::string label,
                         const ColourMap& map) {
    PictureField field{raster_of(section, values)};
    field.map = &map;
    field.label = std::move(label);
    field.upwards = section.plane.vertical == 1;
    return field;
}

PictureField backdrop_field(const ModelSection& model) {
    const auto varies = [](const std::vector<float>& values) {
        return std::ranges::adjacent_find(values, std::not_equal_to<>()) != values.end();
    };
    if (!varies(model.vp) && varies(model.rho)) return model_field(model.section, model.rho, kDensityLabel, kPaleGrey);
    return model_field(model.section, model.vp, kVelocityLabel, kPaleGrey);
}

PictureField signed_field(const Section& section, std::span<const float> values, double clip, std::string label,
                          const ColourMap& map) {
    PictureField field = model_field(section, values, std::move(label), map);
    field.range = ValueRange{-clip, clip};
    field.shrink = Shrink::peak;
    return field;
}

PictureField pressure_field(const Section& section, std::span<const float> values, double clip, bool over_model,
                            const ColourMap& map) {
    PictureField field = signed_field(section, values, clip, "Pressure [Pa]", map);
    field.tint = over_model;
    return field;
}

std::vector<Panel> survey_panels(const Grid& grid, const Faces& faces, const ModelSection& model, const Shot& shot) {
    std::vector<Panel> panels;
    for_each_parameter(model, [&](const std::vector<float>& values, const std::string& label) {
        Panel panel = empty_panel(model.section);
        panel.fields.push_back(model_field(model.section, values, label));
        outline_layers(panel, model.section.plane, grid, faces);
        add_margins(panel, model.section.plane, grid, faces);
        mark_survey(panel, model.section.plane, shot);
        panels.push_back(std::move(panel));
    });
    return panels;
}

void mark_survey(Panel& panel, const SectionPlane& plane, const Shot& shot) {
    const auto mark = [&](const Position& position, PictureMark::Kind kind) {
        panel.marks.push_back({position[plane.horizontal], position[plane.vertical], kind});
    };
    std::vector<std::array<double, 2>> places;
    const std::size_t every = std::max<std::size_t>(1, shot.receivers.size() / kMostLookedAt);
    for (std::size_t i = 0; i < shot.receivers.size(); i += every) {
        const Position position = shot.receivers[i];
        places.push_back({position[plane.horizontal], position[plane.vertical]});
    }
    const double across = std::abs(panel.horizontal.last - panel.horizontal.first),
                 down = std::abs(panel.vertical.last - panel.vertical.first);
    for (const std::size_t i : evenly_thinned(places, std::max(across, down) / kMostMarks))
        panel.marks.push_back({places[i][0], places[i][1], PictureMark::Kind::receiver});
    for (const SourcePoint& source : shot.sources) mark(source.position_m, PictureMark::Kind::source);
}

void outline_layers(Panel& panel, const SectionPlane& plane, const Grid& grid, const Faces& faces) {
    const Layers across = layers_along(grid, faces, plane.horizontal), down = layers_along(grid, faces, plane.vertical);
    if (!across.any_inside() && !down.any_inside()) return;
    // The sides of the interior follow from the whole grid, of which the panel may show a part.
    const auto inner = [&](std::size_t axis, const Layers& layers, const PictureAxis& shown) {
        const double last = last_m(grid, static_cast<int>(axis));
        const auto [low, high] = std::minmax({shown.first, shown.last});
        return std::pair(std::clamp(grid.origin_m[axis] + layers.low_inside, low, high),
                         std::clamp(last - layers.high_inside, low, high));
    };
    const auto [left, right] = inner(plane.horizontal, across, panel.horizontal);
    const auto [top, bottom] = inner(plane.vertical, down, panel.vertical);
    panel.interior = Extent{left, right, top, bottom};
}

double common_clip(std::span<const std::span<const float>> frames, double fraction, double least) {
    constexpr std::size_t most = 4'000'000;
    std::size_t all = 0;
    for (const auto& frame : frames) all += frame.size();
    const std::size_t stride = all / most + 1;
    std::vector<float> sample;
    double peak = 0.;
    for (const auto& frame : frames) {
        for (std::size_t i = 0; i < frame.size(); i += stride) sample.push_back(frame[i]);
        peak = std::max(peak, magnitude_quantile(frame, 1.));
    }
    const double clip = std::max({magnitude_quantile(sample, fraction), 0.002 * peak, least});
    return clip > 0. ? clip : 1.;
}

}  // namespace onda
