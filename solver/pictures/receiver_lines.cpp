#include "solver/pictures/receiver_lines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <spdlog/fmt/fmt.h>

#include "io/text/number_text.hpp"

namespace onda {
namespace {

using Place = std::array<double, 3>;

/// Whether from b to c it is as far, and in the same direction, as from a to b.
bool goes_on(const Place& a, const Place& b, const Place& c) {
    double step = 0., deviation = 0.;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        step = std::hypot(step, b[axis] - a[axis]);
        deviation = std::hypot(deviation, c[axis] - 2. * b[axis] + a[axis]);
    }
    return step > 0. && deviation <= 0.01 * step;
}

ReceiverLine make_line(std::span<const Place> receivers, std::size_t first, std::size_t count) {
    std::size_t along = 0;
    const auto change = [&](std::size_t axis) {
        return std::abs(receivers[first + count - 1][axis] - receivers[first][axis]);
    };
    for (const std::size_t axis : {std::size_t{1}, std::size_t{2}})
        if (change(axis) > change(along)) along = axis;
    // In one place, or all but: nothing but numbers tells them apart.
    if (!(change(along) > 0.)) {
        ReceiverLine line = all_receivers(count);
        line.first = first;
        return line;
    }
    ReceiverLine line{first, count, {}, {}};
    for (const Place& receiver : receivers.subspan(first, count)) line.places.push_back(receiver[along]);
    line.axis = {line.places.front(), line.places.back(), std::string("Receiver ") + "xyz"[along] + " [m]"};
    return line;
}

std::string place_of_line(std::span<const Place> of_line) {
    for (const std::size_t axis : {std::size_t{1}, std::size_t{0}}) {
        const double at_m = of_line.front()[axis];
        if (std::ranges::all_of(of_line, [&](const Place& place) { return std::abs(place[axis] - at_m) < 0.01; }))
            return fmt::format("{} = {} m", "xyz"[axis], shortest(std::round(at_m * 100.) / 100.));
    }
    return "";
}

}  // namespace

ReceiverLine all_receivers(std::size_t count) {
    ReceiverLine line{0, count, {1., static_cast<double>(std::max<std::size_t>(count, 2)), "receiver"}, {}};
    for (std::size_t i = 0; i < count; ++i) line.places.push_back(static_cast<double>(i + 1));
    return line;
}

std::vector<ReceiverLine> receiver_lines(std::span<const Place> receivers_m) {
    constexpr std::size_t shortest = 3, convincing = 8;
    std::vector<ReceiverLine> lines;
    std::size_t longest = 0;
    for (std::size_t first = 0, last = 0; first + 1 < receivers_m.size(); first = last + 1) {
        for (last = first + 1;
             last + 1 < receivers_m.size() && goes_on(receivers_m[last - 1], receivers_m[last], receivers_m[last + 1]);)
            ++last;
        const std::size_t count = last - first + 1;
        longest = std::max(longest, count);
        if (count >= std::min(shortest, receivers_m.size())) lines.push_back(make_line(receivers_m, first, count));
        // Two that belong to no line: the second may begin one.
        if (count == 2) --last;
    }
    if (longest < std::min(convincing, receivers_m.size()) || longest < 2) return {all_receivers(receivers_m.size())};
    if (lines.size() > 1)
        for (ReceiverLine& line : lines) line.at = place_of_line(receivers_m.subspan(line.first, line.count));
    return lines;
}

std::size_t shown_line(std::span<const ReceiverLine> lines, std::span<const Place> receivers_m,
                       std::span<const Place> sources_m) {
    const std::size_t longest = std::ranges::max_element(lines, {}, &ReceiverLine::count)->count;
    const Place source = sources_m.empty() ? Place{} : sources_m.front();
    const auto distance = [&](const ReceiverLine& line) {
        // Of a line that is much shorter than others little is seen.
        if (2 * line.count < longest) return std::numeric_limits<double>::infinity();
        if (sources_m.empty()) return -static_cast<double>(line.count);
        double nearest = std::numeric_limits<double>::infinity();
        for (const Place& at : receivers_m.subspan(line.first, line.count))
            nearest = std::min(nearest, std::hypot(at[0] - source[0], at[1] - source[1]));
        return nearest;
    };
    return static_cast<std::size_t>(std::ranges::min_element(lines, {}, distance) - lines.begin());
}

ReceiverLine line_to_show(std::span<const Place> receivers_m, std::span<const Place> sources_m) {
    const std::vector<ReceiverLine> lines = receiver_lines(receivers_m);
    return lines[shown_line(lines, receivers_m, sources_m)];
}

std::string place_of(const ReceiverLine& line) {
    return line.at.empty() ? "" : ", " + line.at;
}

std::string title_of(const ReceiverLine& line, std::size_t all, std::size_t every) {
    return fmt::format("{}, receivers {} to {} of {}{}", place_of(line), line.first + 1, line.first + line.count, all,
                       every > 1 ? fmt::format(", every {} trace", ordinal_text(every)) : "");
}

}  // namespace onda
