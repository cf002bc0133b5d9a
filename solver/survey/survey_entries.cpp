#include "solver/survey/survey_entries.hpp"

#include <spdlog/fmt/fmt.h>

#include "io/models/points_file.hpp"
#include "io/text/printable.hpp"
#include "solver/program/find_row.hpp"
#include "solver/survey/survey.hpp"

namespace onda {
namespace {

constexpr double kRounding = 1e-6;  // of a spacing: how far outside a position may lie by rounding

std::string extent(const Grid& grid) {
    std::string text;
    for (int a = 0; a < 3; ++a)
        if (grid.has_axis(a))
            text += fmt::format("{}{} {:.8g} to {:.8g} m", text.empty() ? "" : ", ", "xyz"[a], grid.origin_m[a],
                                grid.origin_m[a] + static_cast<double>(grid.n[a] - 1) * grid.spacing_m[a]);
    return text;
}

Position make_position(const Config& config, const Grid& grid, const std::string& key,
                       const std::vector<double>& values) {
    if (static_cast<int>(values.size()) != grid.dimensions)
        throw_config_fault(config, key,
                           fmt::format("has {} numbers: a {}-D grid needs {}", values.size(), grid.dimensions,
                                       grid.dimensions == 2 ? "two, [x, z]" : "three, [x, y, z]"));
    return grid.dimensions == 2 ? Position{values[0], 0., values[1]} : Position{values[0], values[1], values[2]};
}

/// Inside the grid; what lies outside by rounding is brought to the face.
void check_inside(const Config& config, const Grid& grid, Places& places) {
    Position low{}, high{}, lowest{}, highest{};  // of the grid, and of what rounding allows
    for (std::size_t a = 0; a < 3; ++a) {
        if (!grid.has_axis(static_cast<int>(a))) continue;
        const double slack = kRounding * grid.spacing_m[a];
        low[a] = grid.origin_m[a];
        high[a] = low[a] + static_cast<double>(grid.n[a] - 1) * grid.spacing_m[a];
        lowest[a] = low[a] - slack;
        highest[a] = high[a] + slack;
    }
    if (const auto outside = places.positions.first_outside(lowest, highest)) {
        const std::string name = places.name.empty() ? "" : places.name + std::to_string(*outside + 1) + ": ";
        const Position p = places.positions[*outside];
        const bool off_plane = grid.dimensions == 2 && p[1] != 0. && p[0] >= lowest[0] && p[0] <= highest[0];
        throw_config_fault(config, places.key,
                           off_plane
                               ? fmt::format("{}y = {:.8g} m in a 2-D run: must be 0 or absent", name, p[1])
                               : fmt::format("{}{} lies outside the grid: {}", name, describe(grid, p), extent(grid)));
    }
    places.positions.clamp_to(low, high);
}

std::int64_t check_count(const Config& config, const std::string& key, std::int64_t count) {
    if (count < 1) throw_config_fault(config, key, fmt::format("{}: must be at least 1", count));
    return count;
}

// ---- sources -------------------------------------------------------------------------------------------------------

struct SourceType {
    std::string_view name;
    SourceGroup (*read)(const Config&, const Grid&, const SourceConfig&, const std::string& key);
};

Positions point_at(const Config& config, const Grid& grid, const std::string& key, const std::vector<double>& at) {
    return Positions(std::vector{make_position(config, grid, key, at)});
}

SourceGroup read_point(const Config& config, const Grid& grid, const SourceConfig& source, const std::string& key) {
    return {{key + ".position_m", "", point_at(config, grid, key + ".position_m", source.position_m)},
            {source.shot.value_or(1)},
            {source.amplitude}};
}

SourceGroup read_line(const Config& config, const Grid& grid, const SourceConfig& source, const std::string& key) {
    const Position first = make_position(config, grid, key + ".first_m", source.first_m);
    const Position last = make_position(config, grid, key + ".last_m", source.last_m);
    const std::int64_t count = check_count(config, key + ".count", source.count);
    return {{key + ".first_m", "shot ", Positions::line(first, last, count)}, {}, {source.amplitude}};
}

SourceGroup read_file(const Config&, const Grid&, const SourceConfig& source, const std::string& key) {
    SourceTable table = read_sources(source.file);
    for (double& amplitude : table.amplitude) amplitude *= source.amplitude;
    return {{key + ".file", shown(source.file) + ", position ", Positions(std::move(table.position_m))},
            std::move(table.shot),
            std::move(table.amplitude)};
}

constexpr std::array<SourceType, 3> kSourceTypes{{{"point", read_point}, {"line", read_line}, {"file", read_file}}};

// ---- receivers -----------------------------------------------------------------------------------------------------

struct ReceiverType {
    std::string_view name;
    ReceiverGroup (*read)(const Config&, const Grid&, const ReceiverConfig&, const std::string& key);
};

ReceiverGroup read_point(const Config& config, const Grid& grid, const ReceiverConfig& receiver,
                         const std::string& key) {
    return {{key + ".position_m", "", point_at(config, grid, key + ".position_m", receiver.position_m)}, {}, {}};
}

ReceiverGroup read_line(const Config& config, const Grid& grid, const ReceiverConfig& receiver,
                        const std::string& key) {
    if (receiver.count.size() != 1) throw_config_fault(config, key + ".count", "must be one number for a line");
    const Position first = make_position(config, grid, key + ".first_m", receiver.first_m);
    const Position last = make_position(config, grid, key + ".last_m", receiver.last_m);
    const std::int64_t count = check_count(config, key + ".count", receiver.count[0]);
    return {{key + ".first_m", "receiver ", Positions::line(first, last, count)}, {}, {}};
}

ReceiverGroup read_grid(const Config& config, const Grid& grid, const ReceiverConfig& receiver,
                        const std::string& key) {
    if (static_cast<int>(receiver.count.size()) != grid.dimensions)
        throw_config_fault(config, key + ".count",
                           fmt::format("has {} numbers: a grid of receivers needs {}, one per axis",
                                       receiver.count.size(), grid.dimensions));
    const Position first = make_position(config, grid, key + ".first_m", receiver.first_m);
    const Position last = make_position(config, grid, key + ".last_m", receiver.last_m);
    std::array<std::int64_t, 3> count{1, 1, 1};
    for (int a = 0, i = 0; a < 3; ++a)
        if (grid.has_axis(a)) count[a] = check_count(config, key + ".count", receiver.count[i++]);
    return {{key + ".first_m", "receiver ", Positions::grid(first, last, count)}, {}, {}};
}

ReceiverGroup read_file(const Config&, const Grid&, const ReceiverConfig& receiver, const std::string& key) {
    ReceiverTable table = read_receivers(receiver.file);
    return {{key + ".file", shown(receiver.file) + ", position ", Positions(std::move(table.position_m))},
            std::move(table.shot),
            key + ".file"};
}

constexpr std::array<ReceiverType, 4> kReceiverTypes{
    {{"point", read_point}, {"line", read_line}, {"grid", read_grid}, {"file", read_file}}};

}  // namespace

std::string describe(const Grid& grid, const Position& p) {
    return grid.dimensions == 2 ? fmt::format("({:.8g}, {:.8g}) m", p[0], p[2])
                                : fmt::format("({:.8g}, {:.8g}, {:.8g}) m", p[0], p[1], p[2]);
}

SourceGroup read_source_entry(const Config& config, const Grid& grid, std::size_t index, std::int64_t room) {
    const SourceConfig& source = config.sources[index];
    const std::string key = fmt::format("sources[{}]", index);
    const auto& type = find_row(config, key + ".type", std::span<const SourceType>(kSourceTypes), source.type);
    SourceGroup entry = type.read(config, grid, source, key);
    if (const std::int64_t count = entry.places.positions.size(); count > room)
        throw_config_fault(config, source.type == "line" ? key + ".count" : entry.places.key,
                           fmt::format("{} sources{}: a run takes {} at most; make several runs of it", count,
                                       room < kMostSources ? fmt::format(" beside {} others", kMostSources - room) : "",
                                       kMostSources));
    check_inside(config, grid, entry.places);
    return entry;
}

ReceiverGroup read_receiver_entry(const Config& config, const Grid& grid, std::size_t index) {
    const ReceiverConfig& receiver = config.receivers[index];
    const std::string key = fmt::format("receivers[{}]", index);
    const auto& type = find_row(config, key + ".type", std::span<const ReceiverType>(kReceiverTypes), receiver.type);
    ReceiverGroup entry = type.read(config, grid, receiver, key);
    check_inside(config, grid, entry.places);
    if (receiver.shot && !entry.shot.empty())
        throw_config_fault(config, key + ".shot", "the file names the shots itself: use one or the other");
    if (receiver.shot) {
        entry.shot = {*receiver.shot};
        entry.shot_key = key + ".shot";
    }
    return entry;
}

}  // namespace onda
