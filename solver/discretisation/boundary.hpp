/// \file
/// What each of the six faces does: a table of kinds, each expressed as a halo rule, a strip, or both.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "io/config/config.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/setup.hpp"

namespace onda {

/// The six faces as a device takes them: halo rules and absorbing strips.
struct Boundary {
    FaceHalos halos{};
    StripList strips;
};

/// How strips of one kind are told by a configuration and designed: a row in boundary.cpp.
struct StripDesign;

/// One row of the table in boundary.cpp.
struct BoundaryKind {
    std::string_view name;
    std::string_view help;
    Halo halo;
    const StripDesign* strip;  ///< null: none
};
std::span<const BoundaryKind> boundary_kinds();

/// The waves that strips are designed for.
struct Waves {
    Scheme scheme;
    double vp_max_m_s = 0., dt_s = 0.;
    double frequency_hz = 0.;  ///< of the waves that layers are to absorb best, unless the configuration says
};

/// The part of the boundary that is known before dt is.
struct Faces {
    FaceHalos halos{};
    /// Nodes of the absorbing layer at each face that lie in the grid, and beyond it; 0 where there is none.
    std::array<std::int64_t, 6> nodes_inside{}, nodes_beyond{};
    bool in_operator = false;  ///< whether strips of any face are part of the operator (Strip::in_operator())
};
/// The faces that a configuration describes, of the grid that it describes. \throws Error(config) for unknown kinds and
/// placements, widths and reflections out of range.
Faces make_faces(const BoundaryConfig& config, const Grid& grid, const ConfigOrigin& origin);

/// Checks the configuration of the faces. \param grid that is computed, strips included. \throws Error(config) as
/// make_faces() does, and for strips that do not fit.
void check_boundary(const BoundaryConfig& config, const Grid& grid, const ConfigOrigin& origin);
/// The boundary of a run, with strips designed for `waves`. \param grid that is computed, strips included.
/// \throws Error(config) as check_boundary() does.
Boundary make_boundary(const BoundaryConfig& config, const Grid& grid, const Waves& waves, const ConfigOrigin& origin);

}  // namespace onda
