#include "solver/report/survey_map.hpp"

#include <algorithm>
#include <set>
#include <spdlog/fmt/fmt.h>

namespace onda {
namespace {

constexpr std::size_t kMostMarks = 1500, kMostShots = 100, kMostCollected = 6000;

using Positions = std::vector<std::array<double, 3>>;

void thin(Positions& positions) {
    const Thinning kept = thinned(positions.size(), kMostMarks);
    for (std::size_t i = 0; i < kept.count; ++i) positions[i] = positions[i * kept.step];
    positions.resize(kept.count);
}

}  // namespace

void map_survey(const Shots& shots, Report& report) {
    std::set<std::array<double, 3>> receivers;  // those of several shots are the same, or overlap
    const std::vector<std::size_t> looked_at = spread_over(shots.size(), kMostShots);
    const std::size_t of_each = std::min(kMostMarks, kMostCollected / std::max<std::size_t>(looked_at.size(), 1));
    for (const std::size_t i : looked_at) {
        const Shot shot = shots[i];
        const Thinning sources = thinned(shot.sources.size(), of_each);
        for (std::size_t s = 0; s < sources.count; ++s)
            report.sources_m.push_back(shot.sources[s * sources.step].position_m);
        const Thinning of_shot = thinned(shot.receivers.size(), of_each);
        for (std::size_t r = 0; r < of_shot.count; ++r) receivers.insert(shot.receivers[r * of_shot.step]);
    }
    report.receivers_m.assign(receivers.begin(), receivers.end());
    thin(report.sources_m);
    thin(report.receivers_m);
}

void note_choice(const ReportChoice& choice, std::size_t shots, Report& report) {
    if (choice.shots.size() < shots)
        report.notes.push_back(
            fmt::format("the gathers of {} of {} shots are shown, evenly over the survey", choice.shots.size(), shots));
    if (choice.movies.size() < shots)
        report.notes.push_back(fmt::format("the wavefields of {} of {} shots are shown", choice.movies.size(), shots));
}

}  // namespace onda
