/// \file
/// Wells, at which the models of an inversion are shown over depth beside what was logged there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/pictures/picture.hpp"
#include "solver/discretisation/grid.hpp"

namespace onda {

/// The most depths of a profile.
inline constexpr std::size_t kMostDepths = 300;

/// A well of a configuration.
struct Well {
    std::string name;
    Position position_m{};  ///< on the upper face of the grid
    /// What was logged within the grid, depths as z of positions [m]: at most kMostDepths, means of more; empty where
    /// nothing was.
    std::vector<double> depth_m, vp_m_s;

    /// "W 1, x = 1500 m".
    [[nodiscard]] std::string title(const Grid& grid) const;
};

/// Reads the logs of wells. \param grid of the configuration. \throws Error(config): positions that are none of the
/// grid; Error(missing_input | bad_data): logs that cannot be read, and those that have no depth within the grid.
std::vector<Well> read_wells(const std::vector<WellConfig>& wells, const Grid& grid, const ConfigOrigin& origin);

/// A text that differs where anything of the wells does.
std::string text_of(std::span<const Well> wells);

/// The depths of profiles, as z of positions [m]: those of all nodes, or evenly of kMostDepths.
std::vector<double> profile_depths(const Grid& grid);
/// A model at the place of each well, linearly between nodes, at profile_depths(). \param vp of all nodes, [z][y][x].
std::vector<std::vector<float>> profiles_at(std::span<const Well> wells, const Grid& grid, std::span<const float> vp);

/// Models at wells, vp [m/s] at profile_depths(), by well.
struct WellProfiles {
    std::vector<std::vector<float>> start, truth;  ///< truth empty: not known
    std::vector<std::vector<float>> current;
};
/// vp over depth at each well: the start model, the true one and the log, and the current model, all on one scale.
Picture wells_picture(const std::string& title, std::span<const Well> wells, const Grid& grid,
                      const WellProfiles& profiles);

}  // namespace onda
