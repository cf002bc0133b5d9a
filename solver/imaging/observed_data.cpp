#include "solver/imaging/observed_data.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& fault) {
    throw Error(ExitCode::bad_data, fmt::format("{}: {}", shown(file), fault));
}

std::string text_of(const Position& position) {
    return fmt::format("({:.8g}, {:.8g}, {:.8g}) m", position[0], position[1], position[2]);
}

/// The first place of a list that is not where the survey has it; empty where all are.
std::string difference(const char* what, const std::vector<std::array<double, 3>>& there,
                       std::span<const Position> here, double tolerance_m) {
    if (there.size() != here.size())
        return fmt::format("{} {}s there, {} in the survey", there.size(), what, here.size());
    for (std::size_t i = 0; i < here.size(); ++i)
        for (std::size_t a = 0; a < 3; ++a)
            if (!(std::abs(there[i][a] - here[i][a]) <= tolerance_m))
                return fmt::format("{} {} of {} is at {} there, at {} in the survey", what, i + 1, here.size(),
                                   text_of(there[i]), text_of(here[i]));
    return {};
}

}  // namespace

ObservedData::ObservedData(const std::filesystem::path& file, const Shots& shots) : file_(file), reader_(file) {
    std::vector<std::int64_t> missing;
    for (std::size_t i = 0; i < shots.size(); ++i)
        if (!reader_.has(shots.id(i))) missing.push_back(shots.id(i));
    if (!missing.empty())
        refuse(file,
               fmt::format("has no shot {}{}; it has {} shots, {} to {}", missing.front(),
                           missing.size() > 1 ? fmt::format(" and {} more of the survey", missing.size() - 1) : "",
                           reader_.shots().size(), reader_.shots().front(), reader_.shots().back()));
}

std::vector<float> ObservedData::traces(const Shot& shot, const ObservedSampling& sampling) const {
    const ShotGather gather = reader_.read(shot.id);
    const auto refuse_shot = [&](const std::string& fault) {
        refuse(file_, fmt::format("shot {}: {}", shot.id, fault));
    };
    if (const auto fault = difference("source", gather.sources_m, shot.source_positions(), sampling.tolerance_m);
        !fault.empty())
        refuse_shot(fault);
    if (const auto fault = difference("receiver", gather.receivers_m, shot.receivers.list(), sampling.tolerance_m);
        !fault.empty())
        refuse_shot(fault);
    if (std::abs(gather.dt_s - sampling.dt_s) > 1e-9 * sampling.dt_s)
        refuse_shot(
            fmt::format("a sample every {:.9g} s there, every {:.9g} s in this run: set "
                        "output.seismograms.dt_s to {:.9g}",
                        gather.dt_s, sampling.dt_s, gather.dt_s));
    if (gather.samples < sampling.samples)
        refuse_shot(
            fmt::format("{} samples there, {} in this run: the record ends at {:.6g} s; shorten time.duration_s",
                        gather.samples, sampling.samples, static_cast<double>(gather.samples - 1) * gather.dt_s));
    std::vector<float> traces;
    traces.reserve(gather.receivers_m.size() * static_cast<std::size_t>(sampling.samples));
    for (std::size_t i = 0; i < gather.receivers_m.size(); ++i) {
        const auto first = gather.pressure.begin() + static_cast<std::ptrdiff_t>(i) * gather.samples;
        traces.insert(traces.end(), first, first + sampling.samples);
    }
    return traces;
}

}  // namespace onda
