#include "solver/survey.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <spdlog/fmt/fmt.h>

#include "io/printable.hpp"
#include "solver/find_row.hpp"

namespace onda {
namespace {

constexpr double kRounding = 1e-6;  // of a spacing: how far outside a position may lie by rounding

std::string describe(const Grid& grid, const Position& p) {
    return grid.dimensions == 2 ? fmt::format("({:.8g}, {:.8g}) m", p[0], p[2])
                                : fmt::format("({:.8g}, {:.8g}, {:.8g}) m", p[0], p[1], p[2]);
}

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

/// Positions of one entry of the config, with the words a fault needs.
struct Places {
    std::string key;   ///< where in the config, e.g. "sources[2].file"
    std::string name;  ///< what precedes the number of a position, e.g. "shots.csv, position "; empty: none
    std::vector<Position> position_m;
};

/// Inside the grid; what lies outside by rounding is brought to the face.
void check_inside(const Config& config, const Grid& grid, Places& places) {
    for (std::size_t i = 0; i < places.position_m.size(); ++i) {
        Position& p = places.position_m[i];
        for (int a = 0; a < 3; ++a) {
            const double low = grid.origin_m[a], h = grid.spacing_m[a];
            const double high = low + static_cast<double>(grid.n[a] - 1) * h, slack = kRounding * h;
            const bool inside = grid.has_axis(a) ? p[a] >= low - slack && p[a] <= high + slack : p[a] == 0.;
            if (!inside) {
                const std::string name = places.name.empty() ? "" : places.name + std::to_string(i + 1) + ": ";
                throw_config_fault(
                    config, places.key,
                    grid.has_axis(a)
                        ? fmt::format("{}{} lies outside the grid: {}", name, describe(grid, p), extent(grid))
                        : fmt::format("{}y = {:.8g} m in a 2-D run: must be 0 or absent", name, p[1]));
            }
            p[a] = grid.has_axis(a) ? std::clamp(p[a], low, high) : 0.;
        }
    }
}

/// `count` positions from first to last, both included.
std::vector<Position> on_line(const Position& first, const Position& last, std::int64_t count) {
    std::vector<Position> positions;
    for (std::int64_t i = 0; i < count; ++i) {
        const double t = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0.;
        Position& p = positions.emplace_back();
        for (int a = 0; a < 3; ++a) p[a] = (1. - t) * first[a] + t * last[a];
    }
    return positions;
}

std::int64_t check_count(const Config& config, const std::string& key, std::int64_t count) {
    if (count < 1) throw_config_fault(config, key, fmt::format("{}: must be at least 1", count));
    return count;
}

// ---- sources -------------------------------------------------------------------------------------------------------

/// The sources of one entry: where, in which shot, how strong.
struct SourceEntry {
    Places places;
    std::vector<std::int64_t> shot;
    std::vector<double> amplitude;
};

struct SourceType {
    std::string_view name;
    SourceEntry (*read)(const Config&, const Grid&, const SourceConfig&, const std::string& key);
};

SourceEntry read_point(const Config& config, const Grid& grid, const SourceConfig& source, const std::string& key) {
    return {{key + ".position_m", "", {make_position(config, grid, key + ".position_m", source.position_m)}},
            {source.shot.value_or(1)},
            {source.amplitude}};
}

SourceEntry read_line(const Config& config, const Grid& grid, const SourceConfig& source, const std::string& key) {
    const Position first = make_position(config, grid, key + ".first_m", source.first_m);
    const Position last = make_position(config, grid, key + ".last_m", source.last_m);
    SourceEntry entry{
        {key + ".first_m", "shot ", on_line(first, last, check_count(config, key + ".count", source.count))},
        {},
        std::vector<double>(source.count, source.amplitude)};
    for (std::int64_t i = 0; i < source.count; ++i) entry.shot.push_back(i + 1);
    return entry;
}

SourceEntry read_file(const Config&, const Grid&, const SourceConfig& source, const std::string& key) {
    SourceTable table = read_sources(source.file);
    for (double& amplitude : table.amplitude) amplitude *= source.amplitude;
    return {{key + ".file", shown(source.file) + ", position ", table.position_m}, table.shot, table.amplitude};
}

constexpr std::array<SourceType, 3> kSourceTypes{{{"point", read_point}, {"line", read_line}, {"file", read_file}}};

// ---- receivers -----------------------------------------------------------------------------------------------------

/// The receivers of one entry; `shot` as in ReceiverTable.
struct ReceiverEntry {
    Places places;
    std::vector<std::int64_t> shot;
};

struct ReceiverType {
    std::string_view name;
    ReceiverEntry (*read)(const Config&, const Grid&, const ReceiverConfig&, const std::string& key);
};

ReceiverEntry read_point(const Config& config, const Grid& grid, const ReceiverConfig& receiver,
                         const std::string& key) {
    return {{key + ".position_m", "", {make_position(config, grid, key + ".position_m", receiver.position_m)}}, {}};
}

ReceiverEntry read_line(const Config& config, const Grid& grid, const ReceiverConfig& receiver,
                        const std::string& key) {
    if (receiver.count.size() != 1) throw_config_fault(config, key + ".count", "must be one number for a line");
    const Position first = make_position(config, grid, key + ".first_m", receiver.first_m);
    const Position last = make_position(config, grid, key + ".last_m", receiver.last_m);
    const std::int64_t count = check_count(config, key + ".count", receiver.count[0]);
    return {{key + ".first_m", "receiver ", on_line(first, last, count)}, {}};
}

/// x fastest, then y, then z.
ReceiverEntry read_grid(const Config& config, const Grid& grid, const ReceiverConfig& receiver,
                        const std::string& key) {
    if (static_cast<int>(receiver.count.size()) != grid.dimensions)
        throw_config_fault(config, key + ".count",
                           fmt::format("has {} numbers: a grid of receivers needs {}, one per axis",
                                       receiver.count.size(), grid.dimensions));
    const Position first = make_position(config, grid, key + ".first_m", receiver.first_m);
    const Position last = make_position(config, grid, key + ".last_m", receiver.last_m);
    std::array<std::vector<Position>, 3> axis;
    for (int a = 0, i = 0; a < 3; ++a)
        axis[a] = on_line(first, last, grid.has_axis(a) ? check_count(config, key + ".count", receiver.count[i++]) : 1);
    ReceiverEntry entry{{key + ".first_m", "receiver ", {}}, {}};
    for (const Position& z : axis[2])
        for (const Position& y : axis[1])
            for (const Position& x : axis[0]) entry.places.position_m.push_back({x[0], y[1], z[2]});
    return entry;
}

ReceiverEntry read_file(const Config&, const Grid&, const ReceiverConfig& receiver, const std::string& key) {
    ReceiverTable table = read_receivers(receiver.file);
    return {{key + ".file", shown(receiver.file) + ", position ", table.position_m}, table.shot};
}

constexpr std::array<ReceiverType, 4> kReceiverTypes{
    {{"point", read_point}, {"line", read_line}, {"grid", read_grid}, {"file", read_file}}};

// ---- the survey ----------------------------------------------------------------------------------------------------

using Shots = std::map<std::int64_t, Shot>;

/// True on a plane where the pressure is zero.
bool on_free_surface(const Grid& grid, const FaceHalos& halos, const Position& p) {
    for (int face = 0; face < 6; ++face) {
        const int a = face / 2;
        if (halos[face] != Halo::mirror_negative) continue;
        const double plane = face % 2 == 0 ? 0. : static_cast<double>(grid.n[a] - 1);
        if (std::abs((p[a] - grid.origin_m[a]) / grid.spacing_m[a] - plane) <= kRounding) return true;
    }
    return false;
}

bool in_strip(const Grid& grid, const std::array<std::int64_t, 6>& widths, const Position& p) {
    for (int face = 0; face < 6; ++face) {
        if (widths[face] == 0) continue;
        const int a = face / 2;
        const double index = (p[a] - grid.origin_m[a]) / grid.spacing_m[a];
        const double from_face = face % 2 == 0 ? index : static_cast<double>(grid.n[a] - 1) - index;
        if (from_face < static_cast<double>(widths[face]) - kRounding) return true;
    }
    return false;
}

/// The index of the wavelet of a source entry; the top-level one is made when the first source needs it.
std::size_t wavelet_of(const Config& config, const SourceConfig& source, const std::string& key, Survey& survey,
                       std::optional<std::size_t>& top_level) {
    if (!source.wavelet && top_level) return *top_level;
    const std::size_t index = survey.wavelets.size();
    survey.wavelets.push_back(source.wavelet ? make_wavelet(config, *source.wavelet, key + ".wavelet")
                                             : make_wavelet(config, config.wavelet, "wavelet"));
    if (!source.wavelet) top_level = index;
    return index;
}

Shots make_shots(const Config& config, const Grid& grid, Survey& survey) {
    const FaceHalos halos = make_halos(config, grid);
    Shots shots;
    std::optional<std::size_t> top_level;
    for (std::size_t i = 0; i < config.sources.size(); ++i) {
        const SourceConfig& source = config.sources[i];
        const std::string key = fmt::format("sources[{}]", i);
        const auto& type = find_row(config, key + ".type", std::span<const SourceType>(kSourceTypes), source.type);
        SourceEntry entry = type.read(config, grid, source, key);
        check_inside(config, grid, entry.places);
        const std::size_t wavelet = wavelet_of(config, source, key, survey, top_level);
        for (std::size_t k = 0; k < entry.shot.size(); ++k) {
            const Position& p = entry.places.position_m[k];
            if (entry.shot[k] < 0)
                throw_config_fault(config, key, fmt::format("shot {}: must not be negative", entry.shot[k]));
            if (on_free_surface(grid, halos, p))
                throw_config_fault(config, entry.places.key,
                                   fmt::format("{} lies on the free surface, where the pressure is zero: it would "
                                               "radiate nothing; place the source below it",
                                               describe(grid, p)));
            Shot& shot = shots[entry.shot[k]];
            shot.id = entry.shot[k];
            shot.sources.push_back({p, entry.amplitude[k], wavelet});
        }
    }
    if (shots.empty()) throw_config_fault(config, "sources", "there is no source: a run needs at least one");
    return shots;
}

Shot& find_shot(const Config& config, Shots& shots, std::int64_t id, const std::string& key) {
    const auto shot = shots.find(id);
    if (shot == shots.end())
        throw_config_fault(config, key,
                           fmt::format("there is no shot {}: the sources make {} from {} to {}", id,
                                       shots.size() == 1 ? "one shot," : fmt::format("{} shots,", shots.size()),
                                       shots.begin()->first, shots.rbegin()->first));
    return shot->second;
}

void add_receivers(const Config& config, const Grid& grid, Shots& shots) {
    for (std::size_t i = 0; i < config.receivers.size(); ++i) {
        const ReceiverConfig& receiver = config.receivers[i];
        const std::string key = fmt::format("receivers[{}]", i);
        const auto& type =
            find_row(config, key + ".type", std::span<const ReceiverType>(kReceiverTypes), receiver.type);
        ReceiverEntry entry = type.read(config, grid, receiver, key);
        check_inside(config, grid, entry.places);
        const auto& positions = entry.places.position_m;
        if (receiver.shot && !entry.shot.empty())
            throw_config_fault(config, key + ".shot", "the file names the shots itself: use one or the other");
        if (receiver.shot) entry.shot.assign(positions.size(), *receiver.shot);
        const std::string shot_key = receiver.shot ? key + ".shot" : entry.places.key;
        for (std::size_t k = 0; k < entry.shot.size(); ++k)
            find_shot(config, shots, entry.shot[k], shot_key).receivers.push_back(positions[k]);
        if (!entry.shot.empty()) continue;
        for (auto& [id, shot] : shots) shot.receivers.insert(shot.receivers.end(), positions.begin(), positions.end());
    }
    if (config.output.snapshots.enabled()) return;
    for (const auto& [id, shot] : shots)
        if (shot.receivers.empty())
            throw_config_fault(
                config, "receivers",
                fmt::format("shot {} has no receivers and no snapshots are asked for: the run would leave nothing",
                            id));
}

/// What runs, but probably not as meant.
void add_warnings(const Config& config, const Grid& grid, Survey& survey) {
    const FaceHalos halos = make_halos(config, grid);
    const auto widths = strip_widths(config, grid);
    std::size_t sources = 0, receivers = 0, source_count = 0, receiver_count = 0, silent = 0;
    for (const Shot& shot : survey.shots) {
        source_count += shot.sources.size();
        receiver_count += shot.receivers.size();
        for (const SourcePoint& source : shot.sources) sources += in_strip(grid, widths, source.position_m);
        for (const Position& p : shot.receivers) {
            receivers += in_strip(grid, widths, p);
            silent += on_free_surface(grid, halos, p);
        }
    }
    const auto warn = [&](std::size_t count, std::size_t of, std::string_view what) {
        if (count > 0) survey.warnings.push_back(fmt::format("{} of {} {}", count, of, what));
    };
    warn(sources, source_count, "sources lie in an absorbing strip, which damps what they radiate");
    warn(receivers, receiver_count, "receivers lie in an absorbing strip, which damps what they record");
    warn(silent, receiver_count, "receivers lie on the free surface, where the pressure is zero: they record nothing");
    for (const Wavelet& wavelet : survey.wavelets) {
        survey.warnings.insert(survey.warnings.end(), wavelet.warnings.begin(), wavelet.warnings.end());
        if (wavelet.t0_s >= config.time.duration_s)
            survey.warnings.push_back(fmt::format("{}: its centre comes after the end of the run at {:.6g} s",
                                                  wavelet.description, config.time.duration_s));
    }
    const auto& dt_s = config.output.seismograms.dt_s;
    if (dt_s && 0.5 / *dt_s < survey.highest_frequency_hz())
        survey.warnings.push_back(
            fmt::format("output.seismograms.dt_s = {:.6g} s holds frequencies up to {:.4g} Hz only, the wavelet has up "
                        "to {:.4g} Hz: what lies above is removed",
                        *dt_s, 0.5 / *dt_s, survey.highest_frequency_hz()));
}

}  // namespace

double Survey::highest_frequency_hz() const {
    double highest = 0.;
    for (const Wavelet& wavelet : wavelets) highest = std::max(highest, wavelet.highest_frequency_hz);
    return highest;
}

double Survey::lowest_peak_frequency_hz() const {
    double lowest = 0.;
    for (const Wavelet& wavelet : wavelets) {
        // A Gaussian has its peak at 0: there, the frequency of which it has as much as a Ricker wavelet of its peak.
        constexpr double band_edge_over_peak = 2.7;
        const double peak = wavelet.peak_frequency_hz > 0. ? wavelet.peak_frequency_hz
                                                           : wavelet.highest_frequency_hz / band_edge_over_peak;
        lowest = lowest == 0. ? peak : std::min(lowest, peak);
    }
    return lowest;
}

Survey make_survey(const Config& config, const Grid& grid) {
    Survey survey;
    Shots shots = make_shots(config, grid, survey);
    add_receivers(config, grid, shots);
    for (auto& [id, shot] : shots) survey.shots.push_back(std::move(shot));
    add_warnings(config, grid, survey);
    return survey;
}

}  // namespace onda
