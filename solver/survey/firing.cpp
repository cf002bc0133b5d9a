#include "solver/survey/firing.hpp"

#include <algorithm>
#include <numeric>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>
#include <tuple>

namespace onda {
namespace {

constexpr std::size_t kMostNamed = 4;  // shots or entries that a line names

/// "" or " and 3 more shots".
std::string and_more(std::size_t all, std::size_t named, const char* what) {
    if (all <= named) return "";
    return fmt::format(" and {} more {}{}", all - named, what, all - named == 1 ? "" : "s");
}

/// "sources[0], 3 of sources[2]": the entries of the sources of one shot.
std::string entries_of(std::span<const std::int32_t> entry) {
    std::vector<std::string> names;
    std::size_t entries = 0;
    for (std::size_t first = 0, end; first < entry.size(); first = end, ++entries) {
        end = first + 1;
        while (end < entry.size() && entry[end] == entry[first]) ++end;
        if (entries < kMostNamed)
            names.push_back(end - first == 1 ? fmt::format("sources[{}]", entry[first])
                                             : fmt::format("{} of sources[{}]", end - first, entry[first]));
    }
    return fmt::format("{}{}", fmt::join(names, ", "), entries > kMostNamed ? ", ..." : "");
}

bool is_silent(std::span<const SourcePoint> sources) {
    return std::ranges::all_of(sources, [](const SourcePoint& source) { return source.amplitude == 0.; });
}

std::span<const SourcePoint> sources_of(const Shots::Data& data, std::size_t shot) {
    return std::span(data.sources)
        .subspan(data.first_source[shot], data.first_source[shot + 1] - data.first_source[shot]);
}

bool same_place_and_wavelet(const SourcePoint& a, const SourcePoint& b) {
    return a.position_m == b.position_m && a.wavelet == b.wavelet;
}

/// The indices of the sources in an order in which those of the same place, wavelet and amplitude are neighbours.
std::vector<std::int64_t> by_place(std::span<const SourcePoint> sources) {
    std::vector<std::int64_t> order(sources.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](std::int64_t i) {
        return std::tie(sources[i].position_m, sources[i].wavelet, sources[i].amplitude);
    };
    if (!std::ranges::is_sorted(order, {}, key)) std::ranges::stable_sort(order, {}, key);  // most lines are sorted
    return order;
}

void warn_of_silence(const Shots::Data& data, std::vector<std::string>& warnings) {
    std::vector<std::int64_t> silent;
    for (std::size_t shot = 0; shot < data.id.size(); ++shot)
        if (is_silent(sources_of(data, shot))) silent.push_back(data.id[shot]);
    if (!silent.empty())
        warnings.push_back(fmt::format("shot {}{}: every source has an amplitude of 0, nothing will be radiated",
                                       silent.front(), and_more(silent.size(), 1, "shot")));
}

void warn_of_doubled(const Grid& grid, const Shots::Data& data, std::vector<std::string>& warnings) {
    std::size_t shots = 0;
    std::string first;
    for (std::size_t shot = 0; shot < data.id.size(); ++shot) {
        const auto sources = sources_of(data, shot);
        if (sources.size() == 1) continue;
        const auto order = by_place(sources);
        const auto same = std::ranges::adjacent_find(
            order, [&](std::int64_t a, std::int64_t b) { return same_place_and_wavelet(sources[a], sources[b]); });
        if (same == order.end()) continue;
        if (shots++ == 0)
            first = fmt::format("shot {} has the same source twice, at {}", data.id[shot],
                                describe(grid, sources[*same].position_m));
    }
    if (shots > 0)
        warnings.push_back(fmt::format("{}{}: their amplitudes add up", first,
                                       shots > 1 ? fmt::format(", {}", and_more(shots, 1, "shot").substr(1)) : ""));
}

/// Shots of one source each, with the same receivers.
void warn_of_repeated(const Grid& grid, const Shots::Data& data, std::vector<std::string>& warnings) {
    const bool same_receivers =
        std::ranges::all_of(data.receivers, [](const ReceiverPart& part) { return part.shot.empty(); });
    if (!same_receivers || data.sources.size() != data.id.size()) return;
    const auto order = by_place(data.sources);
    std::size_t repeated = 0;
    std::string first;
    for (std::size_t i = 1; i < order.size(); ++i) {
        const SourcePoint &a = data.sources[order[i - 1]], &b = data.sources[order[i]];
        if (!same_place_and_wavelet(a, b) || a.amplitude != b.amplitude) continue;
        if (repeated++ == 0)
            first = fmt::format("shots {} and {} have the same source, at {}", data.id[order[i - 1]], data.id[order[i]],
                                describe(grid, a.position_m));
    }
    if (repeated > 0)
        warnings.push_back(fmt::format("{}, and the same receivers: {} computed again", first,
                                       repeated == 1 ? "one is" : fmt::format("{} shots are", repeated)));
}

}  // namespace

FreeShotNumbers::FreeShotNumbers(std::span<const SourceGroup> entries) {
    for (const SourceGroup& entry : entries) given_.insert(given_.end(), entry.shot.begin(), entry.shot.end());
    std::ranges::sort(given_);
}

std::int64_t FreeShotNumbers::next() {
    ++last_;
    for (; passed_ < given_.size() && given_[passed_] <= last_; ++passed_)
        if (given_[passed_] == last_) ++last_;
    return last_;
}

std::string describe_firing(std::span<const SourceGroup> entries, const Shots::Data& data,
                            std::span<const std::int32_t> entry) {
    std::vector<std::string> shots;
    std::size_t together = 0;
    for (std::size_t shot = 0; shot < data.id.size(); ++shot) {
        const std::int64_t first = data.first_source[shot], count = data.first_source[shot + 1] - first;
        if (count > 1 && together++ < kMostNamed)
            shots.push_back(fmt::format("{} in shot {}", entries_of(entry.subspan(first, count)), data.id[shot]));
    }
    if (together > 0)
        return fmt::format("fire together: {}{}", fmt::join(shots, "; "), and_more(together, kMostNamed, "shot"));
    const bool has_unnumbered_point = std::ranges::any_of(
        entries, [](const SourceGroup& group) { return group.shot.empty() && group.places.positions.size() == 1; });
    if (!has_unnumbered_point || data.sources.size() == 1) return "";
    return "every source is a separate shot; sources with the same `shot` would fire together";
}

std::vector<std::string> doubts_of_sources(const Grid& grid, const Shots::Data& data) {
    std::vector<std::string> warnings;
    warn_of_silence(data, warnings);
    warn_of_doubled(grid, data, warnings);
    warn_of_repeated(grid, data, warnings);
    return warnings;
}

}  // namespace onda
