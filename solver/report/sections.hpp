/// \file
/// The planes of a grid that a report shows, and what of a run lies on them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/grid/grid.hpp"
#include "solver/discretisation/boundary.hpp"
#include "solver/discretisation/grid.hpp"
#include "solver/model/model.hpp"
#include "solver/report/report.hpp"

namespace onda {

/// A plane and its nodes.
struct ReportSection {
    ReportPlane plane;
    Window window;  ///< of the grid
};

/// How many nodes are shown: more of a model than of each of the many frames of a wavefield.
enum class Fineness { model, wavefield };
/// The planes xz, yz and xy of a grid that cut it at the node nearest to `through`, as far as it has their axes. Nodes
/// are left out where there are more than a page can show, alike along all axes. The planes have no model yet.
std::vector<ReportSection> report_sections(const Grid& grid, const Position& through, Fineness fineness);

/// Says of each side of a plane what its face is and how wide its absorbing layer.
void describe_sides(ReportPlane& plane, const BoundaryConfig& config, const Faces& faces, const Grid& grid);

/// The parameters of a model on a section. \param first node of the model's grid that the window counts from.
std::vector<ReportParameter> parameters_on(const ReportSection& section, const Model& model,
                                           const std::array<std::int64_t, 3>& first);

/// Frames of the wavefield that a report keeps of a shot.
inline constexpr std::int64_t kFewestReportFrames = 8, kMostReportFrames = 96;
/// How many frames of the wavefield on these sections a report keeps.
std::int64_t frames_of(std::span<const ReportSection> sections, const ReportChoice& choice);

/// The nodes of all sections of a grid together, wherever they cut it.
std::int64_t section_points(const Grid& grid, Fineness fineness);

}  // namespace onda
