#include "solver/outputs/iterations/wells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <spdlog/fmt/fmt.h>
#include <string_view>
#include <utility>

#include "io/models/points_file.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "solver/pictures/fold_picture.hpp"
#include "solver/pictures/section_picture.hpp"
#include "solver/report/blocks.hpp"

namespace onda {
namespace {

constexpr Rgb kStartColour{150, 150, 150}, kModelColour{31, 119, 180};
constexpr std::size_t kMostInRow = 4;

/// The samples of a log that lie within the grid, or means of as many neighbours as make them kMostDepths at most.
void keep_within(const Grid& grid, const std::filesystem::path& file, const WellLog& log, Well& well) {
    const double top = grid.origin_m[2], bottom = last_m(grid, 2);
    const auto first = std::ranges::lower_bound(log.depth_m, top), end = std::ranges::upper_bound(log.depth_m, bottom);
    const std::ptrdiff_t begin = first - log.depth_m.begin(), count = end - first;
    if (count <= 0)
        throw Error(ExitCode::bad_data, fmt::format("{}: its depths, {} to {} m, lie outside the grid, which spans {} "
                                                    "to {} m",
                                                    shown(file), shortest(log.depth_m.front()),
                                                    shortest(log.depth_m.back()), shortest(top), shortest(bottom)));
    const auto most = static_cast<std::ptrdiff_t>(kMostDepths);
    const std::ptrdiff_t together = (count + most - 1) / most;
    for (std::ptrdiff_t i = 0; i < count; i += together) {
        const std::ptrdiff_t taken = std::min(together, count - i);
        const auto mean = [&](const std::vector<double>& values) {
            const auto from = values.begin() + begin + i;
            return std::accumulate(from, from + taken, 0.) / static_cast<double>(taken);
        };
        well.depth_m.push_back(mean(log.depth_m));
        well.vp_m_s.push_back(mean(log.vp_m_s));
    }
}

/// The two nodes around a place along an axis, which may be one, and what the second counts.
struct BetweenNodes {
    std::int64_t first = 0, second = 0;
    double weight = 0.;
};

BetweenNodes between_nodes(const Grid& grid, std::size_t axis, double at_m) {
    const std::int64_t last = grid.n[axis] - 1;
    const double place = std::clamp((at_m - grid.origin_m[axis]) / grid.spacing_m[axis], 0., static_cast<double>(last));
    const std::int64_t first = std::min(static_cast<std::int64_t>(place), std::max<std::int64_t>(last - 1, 0));
    return {first, std::min(first + 1, last), place - static_cast<double>(first)};
}

/// The nodes along z of profile_depths().
std::vector<std::size_t> profile_nodes(const Grid& grid) {
    return spread_over(static_cast<std::size_t>(grid.nz()), kMostDepths);
}

std::vector<double> as_doubles(std::span<const float> values) {
    return {values.begin(), values.end()};
}

}  // namespace

std::string Well::title(const Grid& grid) const {
    std::string text = fmt::format("{}, x = {} m", name, shortest(position_m[0]));
    if (grid.dimensions == 3) text += fmt::format(", y = {} m", shortest(position_m[1]));
    return text;
}

std::vector<Well> read_wells(const std::vector<WellConfig>& wells, const Grid& grid, const ConfigOrigin& origin) {
    StageFaults faults(origin);
    std::vector<Well> read;
    const std::size_t coordinates = grid.dimensions == 3 ? 2 : 1;
    for (std::size_t i = 0; i < wells.size(); ++i) {
        const std::string key = fmt::format("inversion.wells[{}].position_m", i);
        const std::vector<double>& given = wells[i].position_m;
        Well& well = read.emplace_back();
        well.name = wells[i].name.empty() ? fmt::format("Well {}", i + 1) : wells[i].name;
        if (given.size() != coordinates) {
            faults.add_of_value(key,
                                coordinates == 2 ? "must be [x, y]: the grid is 3-D" : "must be [x]: the grid is 2-D");
            continue;
        }
        well.position_m = {given[0], coordinates == 2 ? given[1] : 0., grid.origin_m[2]};
        check_inside(grid, well.position_m, key, faults);
    }
    faults.raise_if_any();
    for (std::size_t i = 0; i < wells.size(); ++i)
        if (!wells[i].file.empty()) keep_within(grid, wells[i].file, read_well_log(wells[i].file), read[i]);
    return read;
}

std::string text_of(std::span<const Well> wells) {
    std::string text;
    for (const Well& well : wells) {
        text += fmt::format("{}\n{},{}\n", well.name, shortest(well.position_m[0]), shortest(well.position_m[1]));
        for (std::size_t i = 0; i < well.depth_m.size(); ++i)
            text += fmt::format("{},{}\n", shortest(well.depth_m[i]), shortest(well.vp_m_s[i]));
    }
    return text;
}

std::vector<double> profile_depths(const Grid& grid) {
    std::vector<double> depths;
    for (const std::size_t node : profile_nodes(grid))
        depths.push_back(grid.origin_m[2] + static_cast<double>(node) * grid.spacing_m[2]);
    return depths;
}

std::vector<std::vector<float>> profiles_at(std::span<const Well> wells, const Grid& grid, std::span<const float> vp) {
    const std::vector<std::size_t> nodes = profile_nodes(grid);
    std::vector<std::vector<float>> profiles;
    for (const Well& well : wells) {
        const BetweenNodes x = between_nodes(grid, 0, well.position_m[0]),
                           y = between_nodes(grid, 1, well.position_m[1]);
        std::vector<float>& profile = profiles.emplace_back();
        for (const std::size_t node : nodes) {
            const auto along_x = [&](std::int64_t of_y) {
                const auto value = [&](std::int64_t of_x) {
                    return static_cast<double>(
                        vp[static_cast<std::size_t>(grid.at(of_x, of_y, static_cast<std::int64_t>(node)))]);
                };
                return (1. - x.weight) * value(x.first) + x.weight * value(x.second);
            };
            profile.push_back(static_cast<float>((1. - y.weight) * along_x(y.first) + y.weight * along_x(y.second)));
        }
    }
    return profiles;
}

Picture wells_picture(const std::string& title, std::span<const Well> wells, const Grid& grid,
                      const WellProfiles& profiles) {
    const std::vector<double> depths = profile_depths(grid);
    double low = std::numeric_limits<double>::infinity(), high = -low;
    Picture picture{title, {}};
    std::set<std::string_view> named;  // in the legend of the first panel that has it
    for (std::size_t i = 0; i < wells.size(); ++i) {
        Panel& panel = picture.panels.emplace_back();
        panel.title = wells[i].title(grid);
        panel.vertical = {depths.front(), depths.back(), "Depth [m]"};
        panel.height = 1.4;
        panel.grid_lines = true;
        const auto add = [&](std::vector<double> vp, const std::vector<double>& at, Rgb colour, std::string_view name,
                             bool dashed) {
            for (const double value : vp) {
                low = std::min(low, value);
                high = std::max(high, value);
            }
            panel.lines.push_back(
                {std::move(vp), at, colour, std::string(named.insert(name).second ? name : ""), dashed});
        };
        add(as_doubles(profiles.start[i]), depths, kStartColour, "start model", false);
        if (!profiles.truth.empty()) add(as_doubles(profiles.truth[i]), depths, kInk, "true model", false);
        if (!wells[i].depth_m.empty()) add(wells[i].vp_m_s, wells[i].depth_m, kInk, "log", true);
        add(as_doubles(profiles.current[i]), depths, kModelColour, "current model", false);
    }
    for (Panel& panel : picture.panels) panel.horizontal = axis_around(low, high, kVelocityLabel);
    picture.rows = static_cast<int>((wells.size() + kMostInRow - 1) / kMostInRow);
    return picture;
}

}  // namespace onda
