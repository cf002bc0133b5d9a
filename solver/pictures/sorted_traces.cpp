#include "solver/pictures/sorted_traces.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

namespace onda {
namespace {

Midpoint middle_of(const ShotGather& header, std::size_t receiver) {
    return midpoint_of(header.sources_m.front(), header.receivers_m[receiver]);
}

/// Whether each place is nearer to its even one than to the next.
bool are_even(std::span<const SortedTrace> traces) {
    const double first = traces.front().place_m, length = traces.back().place_m - first;
    const double step = length / static_cast<double>(traces.size() - 1);
    for (std::size_t i = 0; i < traces.size(); ++i)
        if (!(std::abs(traces[i].place_m - first - static_cast<double>(i) * step) < 0.5 * step)) return false;
    return true;
}

}  // namespace

SortedTraces common_offset(std::span<const ShotGather> headers, double offset_m, double within_m) {
    std::vector<SortedTrace> traces;
    std::vector<Midpoint> middles;
    for (const ShotGather& header : headers) {
        const std::vector<double> offsets = offsets_m(header);
        const auto nearest =
            std::ranges::min_element(offsets, {}, [&](double offset) { return std::abs(offset - offset_m); });
        if (nearest == offsets.end() || !(std::abs(*nearest - offset_m) <= within_m)) continue;
        const auto receiver = static_cast<std::size_t>(nearest - offsets.begin());
        traces.push_back({header.shot, receiver, 0., std::abs(*nearest - offset_m)});
        middles.push_back(middle_of(header, receiver));
    }
    const auto range_along = [&](std::size_t axis) {
        const auto [low, high] = std::ranges::minmax(middles, {}, [axis](const Midpoint& at) { return at[axis]; });
        return high[axis] - low[axis];
    };
    const std::size_t along = !middles.empty() && range_along(1) > range_along(0) ? 1 : 0;
    for (std::size_t i = 0; i < traces.size(); ++i) traces[i].place_m = middles[i][along];
    std::ranges::stable_sort(traces, {}, &SortedTrace::place_m);
    return {std::move(traces), along == 1 ? "Midpoint y [m]" : "Midpoint x [m]"};
}

SortedTraces common_midpoint(std::span<const ShotGather> headers, const Midpoint& at_m, double within_m) {
    std::vector<SortedTrace> traces;
    for (const ShotGather& header : headers) {
        const std::vector<double> offsets = offsets_m(header);
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            const Midpoint middle = middle_of(header, i);
            const double off_m = std::hypot(middle[0] - at_m[0], middle[1] - at_m[1]);
            if (off_m <= within_m) traces.push_back({header.shot, i, offsets[i], off_m});
        }
    }
    std::ranges::stable_sort(traces, {}, &SortedTrace::place_m);
    return {std::move(traces), "Offset [m]"};
}

double usual_distance_m(std::span<const ShotGather> headers) {
    std::vector<double> distances;
    for (const ShotGather& header : headers)
        for (std::size_t i = 1; i < header.receivers_m.size(); ++i) {
            const auto &last = header.receivers_m[i - 1], &next = header.receivers_m[i];
            distances.push_back(std::hypot(next[0] - last[0], next[1] - last[1]));
        }
    return 2. * usual_bin_m(std::move(distances));
}

ReceiverLine line_of(const SortedTraces& sorted) {
    const std::vector<SortedTrace>& traces = sorted.traces;
    const std::string& title = sorted.axis;
    if (traces.size() < 2 || !are_even(traces)) {
        ReceiverLine line = all_receivers(traces.size());
        line.axis.title = "Trace, by " + title.substr(0, title.rfind(" ["));
        line.axis.title[10] = static_cast<char>(std::tolower(line.axis.title[10]));
        return line;
    }
    ReceiverLine line{0, traces.size(), {traces.front().place_m, traces.back().place_m, title}, {}};
    for (const SortedTrace& trace : traces) line.places.push_back(trace.place_m);
    return line;
}

}  // namespace onda
