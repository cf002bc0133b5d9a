/// \file
/// What pictures of sections show: model and survey, and wavefields over the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/pictures/picture.hpp"
#include "kernels/grid/grid.hpp"
#include "solver/discretisation/boundary.hpp"
#include "solver/discretisation/grid.hpp"
#include "solver/model/model.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

inline constexpr const char* kVelocityLabel = "vp [m/s]";
inline constexpr const char* kDensityLabel = "Density [kg/m\xc2\xb3]";

/// A direction of sections: its axes, 0, 1, 2 for x, y, z.
struct SectionPlane {
    std::string_view name;  ///< "xz"
    std::size_t horizontal, vertical, normal;
};
/// xz, yz, xy; those that a grid has are the first of them in 2-D.
std::span<const SectionPlane> section_planes();

/// A plane of nodes of a grid, thinned to what a picture can show.
struct Section {
    SectionPlane plane;
    Window window;
    PictureAxis horizontal, vertical;  ///< from its first node to its last
    std::string place;                 ///< "y = 1000 m"; empty in 2-D
};
/// \param node of the plane along its normal; \param most_samples along a side.
Section make_section(const Grid& grid, const SectionPlane& plane, std::int64_t node, std::int64_t most_samples);
/// All sections of a grid through the node nearest to a position.
std::vector<Section> sections_through(const Grid& grid, const Position& position_m, std::int64_t most_samples);

/// A section of a model.
struct ModelSection {
    Section section;
    std::vector<float> vp;
    std::vector<float> rho;  ///< empty: there is none, or one value everywhere
    struct Further {
        std::string label;
        std::vector<float> values;
    };
    std::vector<Further> further = {};  ///< parameters beside vp and rho that are not one value everywhere
};
/// \param first node of the model's grid that the section counts from.
ModelSection cut_model(Section section, const Model& model, const std::array<std::int64_t, 3>& first = {});

/// The raster of a section's values.
Raster raster_of(const Section& section, std::span<const float> values);
/// Axes in metres of one length, and nothing on them.
Panel empty_panel(const Section& section);
/// What stands beside the colours of a parameter other than vp and rho: "Q".
std::string label_of(const MediumParameter& parameter);
/// Calls use(values, label) for each parameter of a section that is drawn.
template <typename Use>
void for_each_parameter(const ModelSection& model, const Use& use) {
    use(model.vp, std::string(kVelocityLabel));
    if (!model.rho.empty()) use(model.rho, std::string(kDensityLabel));
    for (const ModelSection::Further& further : model.further) use(further.values, further.label);
}
/// The velocity, or another quantity, of a section.
PictureField model_field(const Section& section, std::span<const float> values, std::string label,
                         const ColourMap& map = kViridis);
/// What wavefields are drawn over, in pale grey: the velocity, or where that is one value the density, if it is not.
PictureField backdrop_field(const ModelSection& model);
/// Values of both signs, in colours with zero in their middle.
PictureField signed_field(const Section& section, std::span<const float> values, double clip, std::string label,
                          const ColourMap& map);
/// Pressure: as signed_field(), or over a model that is in the panel already.
PictureField pressure_field(const Section& section, std::span<const float> values, double clip, bool over_model,
                            const ColourMap& map);

/// Model and survey of a shot: a panel for the velocity, and one for each parameter that varies. Absorbing layers
/// are outlined, those beyond the grid as a margin. \param grid of the shot's part, with its faces. The panels refer to
/// `model`.
std::vector<Panel> survey_panels(const Grid& grid, const Faces& faces, const ModelSection& model, const Shot& shot);
/// Source and receivers on a panel; of many receivers some.
void mark_survey(Panel& panel, const SectionPlane& plane, const Shot& shot);
/// The interior of absorbing layers that lie in the grid, on a panel of a section.
void outline_layers(Panel& panel, const SectionPlane& plane, const Grid& grid, const Faces& faces);

/// |p| at which frames that are shown on one scale get their full colour: the share `fraction` of all their |values|
/// lies below, but no less than `least`, or 0.2 % of the largest, which lies at the
/// source.
double common_clip(std::span<const std::span<const float>> frames, double fraction, double least = 0.);

}  // namespace onda
