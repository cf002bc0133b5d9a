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

// Geometry ---------------------------------------------------------------------------------------------------------

std::vector<RecordedShot> shots_of(const std::vector<RecordedTrace>& traces) {
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
    facts.shots = shots_of(traces);
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

constexpr double kMostBins = 4e6;    // a wrong coordinate must not fill the memory
constexpr double kNarrow = 0.02;     // a line is no wider than this part of its length
constexpr double kAlongAxis = 1e-6;  // a line that is turned by less lies along an axis
constexpr double kOnEdge = 1e-6;     // of a bin: midpoints so near to the edge of one are rounded alike

double default_bin_m(const std::vector<RecordedTrace>& traces, const std::vector<RecordedShot>& shots) {
    std::vector<double> distances;
    for (const RecordedShot& shot : shots)
        for (std::size_t i = 1; i < shot.traces.size(); ++i) {
            const Position &a = traces[shot.traces[i - 1]].receiver_m, &b = traces[shot.traces[i]].receiver_m;
            if (const double distance = std::hypot(a[0] - b[0], a[1] - b[1]); distance > 0.)
                distances.push_back(distance);
        }
    const double median = spread_of(std::move(distances))[1];
    return median > 0. ? 0.5 * median : 1.;
}

using Place = std::array<double, 2>;

/// The direction along which places vary most.
Place main_direction(const std::vector<Place>& places) {
    Place mean{};
    for (const Place& place : places) mean = {mean[0] + place[0], mean[1] + place[1]};
    for (double& m : mean) m /= static_cast<double>(places.size());
    double xx = 0., xy = 0., yy = 0.;
    for (const Place& place : places) {
        const double x = place[0] - mean[0], y = place[1] - mean[1];
        xx += x * x, xy += x * y, yy += y * y;
    }
    const double angle = 0.5 * std::atan2(2. * xy, xx - yy);
    Place direction{std::cos(angle), std::sin(angle)};
    if (std::abs(direction[1]) < kAlongAxis) direction = {1., 0.};
    if (std::abs(direction[0]) < kAlongAxis) direction = {0., 1.};
    return direction;
}

struct Extremes {
    double low = 0., high = 0.;
};

Extremes extremes_along(const std::vector<Place>& places, const Place& direction) {
    const auto along = [&](const Place& p) { return p[0] * direction[0] + p[1] * direction[1]; };
    Extremes extremes{along(places.front()), along(places.front())};
    for (const Place& place : places)
        extremes = {std::min(extremes.low, along(place)), std::max(extremes.high, along(place))};
    return extremes;
}

Fold fold_of(const std::vector<Place>& midpoints, double bin_m) {
    Fold fold;
    fold.bin_m = bin_m;
    if (midpoints.empty()) return fold;
    fold.along = main_direction(midpoints);
    Extremes along = extremes_along(midpoints, fold.along);
    Extremes across = extremes_along(midpoints, {-fold.along[1], fold.along[0]});
    fold.is_line = across.high - across.low <= std::max(bin_m, kNarrow * (along.high - along.low));
    if (!fold.is_line) {
        fold.along = {1., 0.};
        along = extremes_along(midpoints, {1., 0.});
        across = extremes_along(midpoints, {0., 1.});
    }
    const auto bins = [&](const Extremes& of) { return std::floor((of.high - of.low) / fold.bin_m + 0.5) + 1.; };
    while (bins(along) * (fold.is_line ? 1. : bins(across)) > kMostBins) fold.bin_m *= 2.;
    fold.columns = static_cast<std::int64_t>(bins(along));
    fold.rows = fold.is_line ? 1 : static_cast<std::int64_t>(bins(across));
    const double middle = fold.is_line ? 0.5 * (across.low + across.high) : across.low;
    const Place normal{-fold.along[1], fold.along[0]};
    fold.origin_m = {along.low * fold.along[0] + middle * normal[0], along.low * fold.along[1] + middle * normal[1],
                     0.};
    fold.traces.assign(static_cast<std::size_t>(fold.columns * fold.rows), 0.f);
    const auto index = [&](double distance, std::int64_t count) {
        return std::clamp<std::int64_t>(std::llround(distance / fold.bin_m - kOnEdge), 0, count - 1);
    };
    for (const Place& place : midpoints) {
        const double x = place[0] - fold.origin_m[0], y = place[1] - fold.origin_m[1];
        const std::int64_t column = index(x * fold.along[0] + y * fold.along[1], fold.columns);
        const std::int64_t row = fold.is_line ? 0 : index(y, fold.rows);
        ++fold.traces[static_cast<std::size_t>(row * fold.columns + column)];
    }
    return fold;
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

std::size_t Fold::fullest() const {
    return static_cast<std::size_t>(std::ranges::max_element(traces) - traces.begin());
}

std::array<double, 2> Fold::place_m(std::size_t bin) const {
    const auto index = static_cast<std::int64_t>(bin);
    const double column = bin_m * static_cast<double>(index % columns),
                 row = bin_m * static_cast<double>(index / columns);
    return {origin_m[0] + column * along[0] - row * along[1], origin_m[1] + column * along[1] + row * along[0]};
}

RecordedFacts facts_of(const RecordedData& data, double bin_m) {
    const std::vector<RecordedTrace>& traces = data.traces();
    RecordedFacts facts;
    survey_geometry(traces, facts);
    std::vector<Place> midpoints;
    for (const RecordedTrace& trace : traces)
        if (!trace.is_dead)
            midpoints.push_back(
                {0.5 * (trace.source_m[0] + trace.receiver_m[0]), 0.5 * (trace.source_m[1] + trace.receiver_m[1])});
    facts.fold = fold_of(midpoints, bin_m > 0. ? bin_m : default_bin_m(traces, facts.shots));
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
