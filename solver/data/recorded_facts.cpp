#include "solver/data/recorded_facts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "io/files/interruption.hpp"
#include "solver/data/data_weights.hpp"
#include "solver/signal/for_traces.hpp"

namespace onda {
namespace {

constexpr std::size_t kTracesOfBlock = 64, kBlocksAtATime = 64;
constexpr double kBandLevel = 0.1;  // 20 dB below the peak

/// Least, median and largest of values; zeros of none.
std::array<double, 3> spread_of(std::vector<double> values) {
    if (values.empty()) return {};
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::ranges::nth_element(values, middle);
    const auto [least, largest] = std::ranges::minmax(values);
    return {least, *middle, largest};
}

}  // namespace

// Geometry ---------------------------------------------------------------------------------------------------------

std::vector<RecordedShot> recorded_shots(const std::vector<RecordedTrace>& traces) {
    std::vector<RecordedShot> shots;
    std::map<Position, std::size_t> known;
    for (std::size_t i = 0; i < traces.size(); ++i) {
        const auto [at, is_new] = known.try_emplace(traces[i].source_m, shots.size());
        if (is_new) shots.push_back({traces[i].record, traces[i].source_m, {}});
        shots[at->second].traces.push_back(i);
    }
    std::set<std::int64_t> records;
    bool are_numbers = true;
    for (const RecordedShot& shot : shots) {
        const auto is_of_record = [&](std::size_t i) { return traces[i].record == shot.number; };
        are_numbers &= records.insert(shot.number).second && std::ranges::all_of(shot.traces, is_of_record);
    }
    if (!are_numbers)
        for (std::size_t i = 0; i < shots.size(); ++i) shots[i].number = static_cast<std::int64_t>(i) + 1;
    return shots;
}

namespace {

void find_duplicates(const std::vector<RecordedTrace>& traces, RecordedFacts& facts) {
    for (const RecordedShot& shot : facts.shots) {
        std::map<Position, std::size_t> known;
        for (const std::size_t i : shot.traces) {
            if (traces[i].is_dead) continue;
            const auto [at, is_new] = known.try_emplace(traces[i].receiver_m, i);
            if (!is_new) facts.duplicates.emplace_back(i, at->second);
        }
    }
    std::ranges::sort(facts.duplicates);
}

void survey_geometry(const std::vector<RecordedTrace>& traces, RecordedFacts& facts) {
    facts.shots = recorded_shots(traces);
    std::set<Position> receivers;
    std::vector<double> offsets;
    facts.sources_m = {traces.front().source_m, traces.front().source_m};
    facts.receivers_m = {traces.front().receiver_m, traces.front().receiver_m};
    facts.starts_s = {traces.front().start_s, traces.front().start_s};
    for (std::size_t i = 0; i < traces.size(); ++i) {
        const RecordedTrace& trace = traces[i];
        receivers.insert(trace.receiver_m);
        offsets.push_back(absolute_offset_m(trace.source_m, trace.receiver_m));
        facts.sources_m.include(trace.source_m);
        facts.receivers_m.include(trace.receiver_m);
        facts.starts_s = {std::min(facts.starts_s[0], trace.start_s), std::max(facts.starts_s[1], trace.start_s)};
        if (trace.is_dead) facts.dead.push_back(i);
    }
    facts.receivers = receivers.size();
    facts.offsets_m = spread_of(std::move(offsets));
    find_duplicates(traces, facts);
}

// Fold -------------------------------------------------------------------------------------------------------------

std::vector<double> distances_of(const std::vector<RecordedTrace>& traces, const std::vector<RecordedShot>& shots) {
    std::vector<double> distances;
    for (const RecordedShot& shot : shots)
        for (std::size_t i = 1; i < shot.traces.size(); ++i)
            distances.push_back(
                absolute_offset_m(traces[shot.traces[i - 1]].receiver_m, traces[shot.traces[i]].receiver_m));
    return distances;
}

// Samples ----------------------------------------------------------------------------------------------------------

/// Traces that are read together: of one file, and none of them dead.
struct Block {
    std::size_t first = 0, count = 0;
};

std::vector<Block> blocks_of(const RecordedData& data) {
    std::vector<Block> blocks;
    for (const RecordedData::File& file : data.files())
        for (std::size_t i = file.first; i < file.first + file.count; ++i) {
            if (data.traces()[i].is_dead) continue;
            const bool goes_on = !blocks.empty() && blocks.back().first + blocks.back().count == i && i != file.first &&
                                 blocks.back().count < kTracesOfBlock;
            if (goes_on)
                ++blocks.back().count;
            else
                blocks.push_back({i, 1});
        }
    return blocks;
}

struct BlockFacts {
    std::vector<std::size_t> zero, not_finite;
    std::vector<double> rms;  ///< of the others
    Spectrum spectrum;        ///< of the others, where there are any
};

double rms_of(std::span<const float> trace) {
    double sum = 0.;
    for (const float x : trace) sum += static_cast<double>(x) * static_cast<double>(x);
    return std::sqrt(sum / static_cast<double>(trace.size()));
}

/// \param samples of the shortest trace of all, of which the spectra are.
BlockFacts look_at(const RecordedData& data, const Block& block, std::int64_t samples) {
    const auto all = static_cast<std::size_t>(data.file_of(block.first).samples);
    const std::vector<float> values = data.read(block.first, block.count);
    BlockFacts facts;
    ShotGather gather;
    gather.dt_s = data.dt_s();
    gather.samples = samples;
    for (std::size_t i = 0; i < block.count; ++i) {
        const auto trace = std::span(values).subspan(i * all, all);
        if (!std::ranges::all_of(trace, [](float x) { return std::isfinite(x); })) {
            facts.not_finite.push_back(block.first + i);
        } else if (std::ranges::all_of(trace, [](float x) { return x == 0.f; })) {
            facts.zero.push_back(block.first + i);
        } else {
            facts.rms.push_back(rms_of(trace));
            gather.pressure.insert(gather.pressure.end(), trace.begin(), trace.begin() + samples);
        }
    }
    std::vector<std::size_t> live(facts.rms.size());
    for (std::size_t i = 0; i < live.size(); ++i) live[i] = i;
    if (!live.empty()) facts.spectrum = amplitude_spectrum(gather, live);
    return facts;
}

/// Adds up what blocks have, in their order.
class Sums {
public:
    void add(const BlockFacts& block, RecordedFacts& facts) {
        facts.zero.insert(facts.zero.end(), block.zero.begin(), block.zero.end());
        facts.not_finite.insert(facts.not_finite.end(), block.not_finite.begin(), block.not_finite.end());
        rms_.insert(rms_.end(), block.rms.begin(), block.rms.end());
        if (block.rms.empty()) return;
        step_hz_ = block.spectrum.step_hz;
        energy_.resize(block.spectrum.amplitude.size(), 0.);
        for (std::size_t k = 0; k < energy_.size(); ++k)
            energy_[k] +=
                static_cast<double>(block.rms.size()) * block.spectrum.amplitude[k] * block.spectrum.amplitude[k];
    }
    void finish(RecordedFacts& facts) {
        facts.live = rms_.size();
        facts.rms = spread_of(rms_);
        facts.spectrum.step_hz = step_hz_;
        for (const double energy : energy_)
            facts.spectrum.amplitude.push_back(std::sqrt(energy / static_cast<double>(facts.live)));
        find_band(facts);
    }

private:
    static void find_band(RecordedFacts& facts) {
        const std::vector<double>& amplitude = facts.spectrum.amplitude;
        if (amplitude.empty()) return;
        const auto peak = std::ranges::max_element(amplitude);
        const auto is_in_band = [&](double a) { return a >= kBandLevel * *peak; };
        const auto first = std::ranges::find_if(amplitude, is_in_band);
        const auto last = std::find_if(amplitude.rbegin(), amplitude.rend(), is_in_band).base() - 1;
        const auto frequency = [&](auto at) {
            return static_cast<double>(at - amplitude.begin()) * facts.spectrum.step_hz;
        };
        facts.peak_hz = frequency(peak);
        facts.band_hz = {frequency(first), frequency(last)};
    }

    std::vector<double> rms_, energy_;
    double step_hz_ = 0.;
};

void look_at_samples(const RecordedData& data, RecordedFacts& facts) {
    const std::vector<Block> blocks = blocks_of(data);
    const std::int64_t samples = data.least_samples();
    Sums sums;
    for (std::size_t first = 0; first < blocks.size(); first += kBlocksAtATime) {
        throw_if_interrupted();
        std::vector<BlockFacts> found(std::min(kBlocksAtATime, blocks.size() - first));
        for_traces(std::ssize(found), [&](std::int64_t i) {
            const auto at = static_cast<std::size_t>(i);
            found[at] = look_at(data, blocks[first + at], samples);
        });
        for (const BlockFacts& block : found) sums.add(block, facts);
    }
    sums.finish(facts);
}

}  // namespace

RecordedFacts facts_of(const RecordedData& data, double bin_m) {
    const std::vector<RecordedTrace>& traces = data.traces();
    RecordedFacts facts;
    survey_geometry(traces, facts);
    const Midpoints midpoints = [&](const std::function<void(const Midpoint&)>& take) {
        for (const RecordedTrace& trace : traces)
            if (!trace.is_dead) take(midpoint_of(trace.source_m, trace.receiver_m));
    };
    facts.fold = fold_of(midpoints, bin_m > 0. ? bin_m : usual_bin_m(distances_of(traces, facts.shots)));
    look_at_samples(data, facts);
    return facts;
}

ShotGather gather_of(const RecordedData& data, const RecordedShot& shot) {
    ShotGather gather;
    gather.shot = shot.number;
    gather.sources_m = {shot.source_m};
    gather.dt_s = data.dt_s();
    gather.samples = data.most_samples();
    for (const std::size_t trace : shot.traces) {
        gather.receivers_m.push_back(data.traces()[trace].receiver_m);
        std::vector<float> values = data.read(trace, 1);
        const bool is_finite = std::ranges::all_of(values, [](float x) { return std::isfinite(x); });
        if (data.traces()[trace].is_dead || !is_finite) std::ranges::fill(values, 0.f);
        values.resize(static_cast<std::size_t>(gather.samples));
        gather.pressure.insert(gather.pressure.end(), values.begin(), values.end());
    }
    return gather;
}

}  // namespace onda
