#include "solver/report/survey_map.hpp"

#include <set>
#include <spdlog/fmt/fmt.h>

namespace onda {
namespace {

constexpr std::size_t kMostMarks = 1500, kMostShots = 150, kMostOfShot = 150;

using Positions = std::vector<std::array<double, 3>>;

void thin(Positions& positions) {
    const Thinning kept = thinned(positions.size(), kMostMarks);
    for (std::size_t i = 0; i < kept.count; ++i) positions[i] = positions[i * kept.step];
    positions.resize(kept.count);
}

}  // namespace

void map_survey(const Shots& shots, Report& report) {
    std::set<std::array<double, 3>> receivers;  // those of several shots are the same, or overlap
    for (const std::size_t i : spread_over(shots.size(), kMostShots)) {
        const Shot shot = shots[i];
        const Thinning sources = thinned(shot.sources.size(), kMostOfShot);
        for (std::size_t s = 0; s < sources.count; ++s)
            report.sources_m.push_back(shot.sources[s * sources.step].position_m);
        const Thinning of_shot = thinned(shot.receivers.size(), kMostOfShot);
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
