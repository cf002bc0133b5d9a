#include "solver/survey/survey.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <spdlog/fmt/fmt.h>

#include "io/text/saturating.hpp"
#include "solver/program/find_row.hpp"
#include "solver/survey/survey_entries.hpp"

namespace onda {
namespace {

/// Receivers of every shot, or the rows of a list that belong to each of some shots.
struct ReceiverPart {
    Positions positions;
    std::vector<std::int64_t> shot;   ///< ascending ids; empty: every shot records all of them
    std::vector<std::int64_t> first;  ///< row of each of `shot`, and the end

    /// Those of one shot.
    [[nodiscard]] Positions of(std::int64_t id) const {
        if (shot.empty()) return positions;
        const auto at = std::ranges::lower_bound(shot, id);
        if (at == shot.end() || *at != id) return {};
        const auto i = static_cast<std::size_t>(at - shot.begin());
        return positions.part(first[i], first[i + 1] - first[i]);
    }
};

/// Indices that put `keys` in ascending order, equal ones as they are.
std::vector<std::int64_t> ascending(const std::vector<std::int64_t>& keys) {
    std::vector<std::int64_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&keys](std::int64_t i) { return keys[static_cast<std::size_t>(i)]; });
    return order;
}

template <typename T>
void permute(std::vector<T>& values, const std::vector<std::int64_t>& order) {
    std::vector<T> permuted;
    permuted.reserve(values.size());
    for (const std::int64_t i : order) permuted.push_back(values[static_cast<std::size_t>(i)]);
    values = std::move(permuted);
}

/// Leaves every id once; returns where each began, and the end.
std::vector<std::int64_t> group(std::vector<std::int64_t>& ascending_ids) {
    std::vector<std::int64_t> first;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < ascending_ids.size(); ++i) {
        if (kept > 0 && ascending_ids[kept - 1] == ascending_ids[i]) continue;
        ascending_ids[kept++] = ascending_ids[i];
        first.push_back(static_cast<std::int64_t>(i));
    }
    first.push_back(static_cast<std::int64_t>(ascending_ids.size()));
    ascending_ids.resize(kept);
    return first;
}

}  // namespace

struct Shots::Data {
    std::vector<std::int64_t> id;            ///< ascending
    std::vector<std::int64_t> first_source;  ///< of each shot, and the end
    std::vector<SourcePoint> sources;
    std::vector<ReceiverPart> receivers;
};

Shots::Shots() : data_(std::make_shared<const Data>()) {}

std::size_t Shots::size() const {
    return data_->id.size();
}

Shot Shots::operator[](std::size_t i) const {
    Shot shot{data_->id[i],
              {data_->sources.begin() + data_->first_source[i], data_->sources.begin() + data_->first_source[i + 1]},
              {}};
    for (const ReceiverPart& part : data_->receivers) shot.receivers.append(part.of(shot.id));
    return shot;
}

namespace {

std::vector<FaceLayer> free_surfaces(const Grid& grid, const Faces& faces) {
    std::array<double, 6> depth{};
    for (int face = 0; face < 6; ++face)
        if (faces.halos[face] == Halo::mirror_negative) depth[face] = kSamePlace;
    return face_layers(grid, depth);
}

std::vector<FaceLayer> strips(const Grid& grid, const Faces& faces) {
    std::array<double, 6> depth{};
    for (int face = 0; face < 6; ++face) depth[face] = static_cast<double>(faces.strip_nodes[face]) - kSamePlace;
    return face_layers(grid, depth);
}

/// Makes wavelets, each once.
class Wavelets {
public:
    Wavelets(const WaveletConfig& common, const ConfigOrigin& origin, std::vector<Wavelet>& wavelets)
        : common_(common), origin_(origin), wavelets_(wavelets) {}

    /// The index of the wavelet of a source entry.
    std::size_t of(const SourceConfig& source, std::size_t entry) {
        const WaveletConfig& wanted = source.wavelet ? *source.wavelet : common_;
        const auto made = std::ranges::find_if(made_, [&](const WaveletConfig* other) { return *other == wanted; });
        if (made != made_.end()) return static_cast<std::size_t>(made - made_.begin());
        const std::string key = source.wavelet ? fmt::format("sources[{}].wavelet", entry) : "wavelet";
        wavelets_.push_back(make_wavelet(wanted, key, origin_));
        made_.push_back(&wanted);
        if (wanted.type == "ormsby") check_length(key);
        return made_.size() - 1;
    }

private:
    /// The spectrum of an Ormsby wavelet is measured: thousands of long ones would take minutes.
    void check_length(const std::string& key) {
        constexpr double most = 1e5;
        const Wavelet& wavelet = wavelets_.back();
        periods_ += wavelet.duration_s * wavelet.highest_frequency_hz;
        if (periods_ > most)
            origin_.fault(key, fmt::format("the Ormsby wavelets up to this one have {:.4g} periods of their highest "
                                           "frequencies in all; the most is {:.0e}: put them into files",
                                           periods_, most));
    }

    const WaveletConfig& common_;
    const ConfigOrigin& origin_;
    std::vector<Wavelet>& wavelets_;
    std::vector<const WaveletConfig*> made_;
    double periods_ = 0.;
};

std::vector<SourceGroup> read_source_entries(const std::vector<SourceConfig>& sources, const EntryReading& reading,
                                             const Faces& faces) {
    const auto surfaces = free_surfaces(reading.grid, faces);
    std::vector<SourceGroup> entries;
    std::int64_t room = kMostSources;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        entries.push_back(read_source_entry(reading, sources[i], i, room, surfaces));
        room -= entries.back().places.positions.size();
    }
    return entries;
}

std::vector<ReceiverGroup> read_receiver_entries(const std::vector<ReceiverConfig>& receivers,
                                                 const EntryReading& reading) {
    std::vector<ReceiverGroup> entries;
    for (std::size_t i = 0; i < receivers.size(); ++i) entries.push_back(read_receiver_entry(reading, receivers[i], i));
    return entries;
}

void add_sources(const std::vector<SourceGroup>& entries, const SurveySections& sections, const ConfigOrigin& origin,
                 Survey& survey, Shots::Data& data) {
    Wavelets wavelets(sections.wavelet, origin, survey.wavelets);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const SourceGroup& entry = entries[i];
        const std::size_t wavelet = wavelets.of(sections.sources[i], i);
        const Positions& positions = entry.places.positions;
        if (positions.size() > 1) {
            data.id.reserve(data.id.size() + positions.size());
            data.sources.reserve(data.sources.size() + positions.size());
        }
        for (std::int64_t k = 0; k < positions.size(); ++k) {
            const std::int64_t shot = entry.shot.empty() ? k + 1 : entry.shot[k];
            if (shot < 0)
                origin.fault(fmt::format("sources[{}]", i), fmt::format("shot {}: must not be negative", shot));
            data.id.push_back(shot);
            data.sources.push_back(
                {positions[k], entry.amplitude.size() == 1 ? entry.amplitude[0] : entry.amplitude[k], wavelet});
        }
    }
    if (data.id.empty()) origin.fault("sources", "there is no source: a run needs at least one");
    if (!std::ranges::is_sorted(data.id)) {
        const auto order = ascending(data.id);
        permute(data.id, order);
        permute(data.sources, order);
    }
    data.first_source = group(data.id);
}

/// Collects the receivers of the entries in their order; single points that follow one another become one list.
class ReceiverParts {
public:
    ReceiverParts(Shots::Data& data, StageFaults& faults) : data_(data), faults_(faults) {}

    void add(const ReceiverGroup& entry) {
        if (!shots_exist(entry)) return;
        const Positions& positions = entry.places.positions;
        if (positions.size() != 1) {
            flush();
            add_part(positions, entry.shot);
            return;
        }
        if (entry.shot.empty() != shot_.empty()) flush();
        points_.push_back(positions[0]);
        shot_.insert(shot_.end(), entry.shot.begin(), entry.shot.end());
    }
    void flush() {
        if (!points_.empty()) add_part(Positions(std::exchange(points_, {})), std::exchange(shot_, {}));
    }

private:
    /// Whether all shots that an entry names are fired; a fault has been added if not.
    bool shots_exist(const ReceiverGroup& entry) {
        const auto fired = [this](std::int64_t id) { return std::ranges::binary_search(data_.id, id); };
        const auto missing = std::ranges::find_if_not(entry.shot, fired);
        if (missing == entry.shot.end()) return true;
        const std::size_t shots = data_.id.size();
        if (entry.shot_is_written)
            faults_.add_of_value(entry.shot_key, "no source fires in this shot");
        else
            faults_.add(entry.shot_key, fmt::format("there is no shot {}: the sources make {} from {} to {}", *missing,
                                                    shots == 1 ? "one shot," : fmt::format("{} shots,", shots),
                                                    data_.id.front(), data_.id.back()));
        return false;
    }

    void add_part(Positions positions, std::vector<std::int64_t> shot) {
        if (shot.size() == 1) return data_.receivers.push_back({positions, shot, {0, positions.size()}});
        if (!std::ranges::is_sorted(shot)) {
            const auto order = ascending(shot);
            std::vector<Position> sorted;
            for (const std::int64_t i : order) sorted.push_back(positions[i]);
            positions = Positions(std::move(sorted));
            permute(shot, order);
        }
        auto first = shot.empty() ? std::vector<std::int64_t>{} : group(shot);
        data_.receivers.push_back({std::move(positions), std::move(shot), std::move(first)});
    }

    Shots::Data& data_;
    StageFaults& faults_;
    std::vector<Position> points_;
    std::vector<std::int64_t> shot_;
};

/// The receivers of each shot, as positions and as weighted nodes.
struct ReceiverCounts {
    std::int64_t common = 0, common_nodes = 0;  ///< of every shot
    std::vector<std::int64_t> own, own_nodes;   ///< of each; empty: none has any

    [[nodiscard]] std::int64_t of(std::size_t shot) const {
        return own.empty() ? common : saturating_sum(common, own[shot]);
    }
    [[nodiscard]] std::int64_t nodes_of(std::size_t shot) const {
        return own.empty() ? common_nodes : saturating_sum(common_nodes, own_nodes[shot]);
    }
};

ReceiverCounts count_receivers(const Grid& grid, const Shots::Data& data) {
    constexpr std::int64_t walked_in_all = 1 << 20, walked_at_least = 64;
    const auto parts = static_cast<std::int64_t>(data.receivers.size());
    const std::int64_t walked = std::max(walked_at_least, walked_in_all / std::max<std::int64_t>(1, parts));
    ReceiverCounts counts;
    for (const ReceiverPart& part : data.receivers) {
        if (part.shot.empty()) {
            counts.common = saturating_sum(counts.common, part.positions.size());
            counts.common_nodes = saturating_sum(counts.common_nodes, part.positions.weighted_nodes(grid, walked));
            continue;
        }
        counts.own.resize(data.id.size());
        counts.own_nodes.resize(data.id.size());
        for (const std::int64_t id : part.shot) {
            const auto shot = std::ranges::lower_bound(data.id, id) - data.id.begin();
            const Positions positions = part.of(id);
            counts.own[shot] = saturating_sum(counts.own[shot], positions.size());
            counts.own_nodes[shot] = saturating_sum(counts.own_nodes[shot], positions.weighted_nodes(grid, walked));
        }
    }
    return counts;
}

SurveySize size_of(const Grid& grid, const Shots::Data& data, const ReceiverCounts& receivers) {
    SurveySize size;
    size.sources = static_cast<std::int64_t>(data.sources.size());
    for (std::size_t shot = 0; shot < data.id.size(); ++shot) {
        std::int64_t nodes = 0;
        for (std::int64_t s = data.first_source[shot]; s < data.first_source[shot + 1]; ++s)
            nodes += weighted_nodes(grid, data.sources[s].position_m);
        size.most_source_nodes = std::max(size.most_source_nodes, nodes);
        size.most_sources = std::max(size.most_sources, data.first_source[shot + 1] - data.first_source[shot]);
        size.most_receivers = std::max(size.most_receivers, receivers.of(shot));
        size.most_receiver_nodes = std::max(size.most_receiver_nodes, receivers.nodes_of(shot));
        size.receivers = saturating_sum(size.receivers, receivers.of(shot));
        if (!receivers.own.empty()) ++size.shots_of_receivers[receivers.of(shot)];
    }
    if (receivers.own.empty()) size.shots_of_receivers[receivers.common] = static_cast<std::int64_t>(data.id.size());
    return size;
}

void check_something_is_left(const SurveySections& sections, const Shots::Data& data, const ReceiverCounts& receivers,
                             const ConfigOrigin& origin) {
    if (sections.output.snapshots.enabled()) return;
    if (sections.receivers.empty()) origin.fault("", "nothing would be recorded: give receivers or output.snapshots");
    for (std::size_t shot = 0; shot < data.id.size(); ++shot)
        if (receivers.of(shot) == 0)
            origin.fault("receivers", fmt::format("shot {} has no receivers and no snapshots are asked for: the run "
                                                  "would leave nothing",
                                                  data.id[shot]));
}

std::int64_t count_receivers_in(const Shots::Data& data, std::span<const FaceLayer> layers) {
    std::int64_t count = 0;
    if (layers.empty()) return count;
    for (const ReceiverPart& part : data.receivers) {
        const std::int64_t shots = part.shot.empty() ? static_cast<std::int64_t>(data.id.size()) : 1;
        count = saturating_sum(count, saturating_product(shots, part.positions.count_in_any(layers)));
    }
    return count;
}

/// What runs, but probably not as meant.
void add_warnings(const SurveySections& sections, const Grid& grid, const Faces& faces, const Shots::Data& data,
                  Survey& survey) {
    const auto absorbing = strips(grid, faces);
    const std::int64_t sources = std::ranges::count_if(
        data.sources, [&](const SourcePoint& source) { return layer_with(absorbing, source.position_m) != nullptr; });
    const auto warn = [&](std::int64_t count, std::int64_t of, std::string_view what) {
        if (count > 0) survey.warnings.push_back(fmt::format("{} of {} {}", count, of, what));
    };
    warn(sources, survey.size.sources, "sources lie in an absorbing strip, which damps what they radiate");
    warn(count_receivers_in(data, absorbing), survey.size.receivers,
         "receivers lie in an absorbing strip, which damps what they record");
    warn(count_receivers_in(data, free_surfaces(grid, faces)), survey.size.receivers,
         "receivers lie on the free surface, where the pressure is zero: they record nothing");
    for (const Wavelet& wavelet : survey.wavelets) {
        survey.warnings.insert(survey.warnings.end(), wavelet.warnings.begin(), wavelet.warnings.end());
        if (wavelet.t0_s >= sections.time.duration_s)
            survey.warnings.push_back(fmt::format("{}: its centre comes after the end of the run at {:.6g} s",
                                                  wavelet.description, sections.time.duration_s));
    }
    const auto& dt_s = sections.output.seismograms.dt_s;
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

Survey make_survey(const SurveySections& sections, const Grid& grid, const Faces& faces, const ConfigOrigin& origin) {
    StageFaults faults(origin);
    const EntryReading reading{grid, origin, faults};
    const auto sources = read_source_entries(sections.sources, reading, faces);
    const auto receivers = read_receiver_entries(sections.receivers, reading);
    faults.raise_if_any();

    Survey survey;
    Shots::Data data;
    add_sources(sources, sections, origin, survey, data);
    ReceiverParts parts(data, faults);
    for (const ReceiverGroup& entry : receivers) parts.add(entry);
    parts.flush();
    faults.raise_if_any();
    const ReceiverCounts counts = count_receivers(grid, data);
    check_something_is_left(sections, data, counts, origin);
    survey.size = size_of(grid, data, counts);
    add_warnings(sections, grid, faces, data, survey);
    survey.shots = Shots(std::make_shared<const Shots::Data>(std::move(data)));
    return survey;
}

}  // namespace onda
