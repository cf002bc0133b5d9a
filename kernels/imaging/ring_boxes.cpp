#include "kernels/imaging/ring_boxes.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "kernels/boundaries/cpml.hpp"
#include "kernels/boundaries/sponge.hpp"

namespace onda {
namespace {

/// The nodes beside a face that a sponge damps. A slab of which it leaves nothing lies at one of its faces: at that to
/// which the taper falls.
std::int64_t damped_nodes(const Problem& problem, std::size_t face) {
    const Sponge& sponge = problem.strips.get<Sponge>();
    const std::vector<double>& taper = sponge.taper[face / 2];
    const std::int64_t damped = sponge.reach(problem, static_cast<int>(face));
    if (taper.empty() || damped < std::ssize(taper)) return damped;
    return (taper.front() <= taper.back()) == (face % 2 == 0) ? damped : 0;
}

/// The nodes inside a face that strips change.
std::int64_t changed_nodes(const Problem& problem, std::size_t face) {
    const std::int64_t width = problem.strips.get<Cpml>().face[face].width();
    const std::int64_t of_layer = width == 0 ? 0 : width - factor_reach(problem.scheme).first + 1;
    return std::max(of_layer, damped_nodes(problem, face));
}

Box inner_box(const Problem& problem) {
    std::array<std::int64_t, 6> widths{};
    for (std::size_t face = 0; face < 6; ++face) widths[face] = changed_nodes(problem, face);
    return Box{{}, problem.grid.n}.without(widths);
}

/// The inner box and the ring around it.
Box ringed_box(const Problem& problem, const Box& inner) {
    const std::int64_t reach = problem.scheme.halo();
    Box box = inner;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        box.low[axis] = std::max<std::int64_t>(inner.low[axis] - reach, 0);
        box.high[axis] = std::min(inner.high[axis] + reach, problem.grid.n[axis]);
        if (!problem.grid.has_axis(static_cast<int>(axis))) {
            box.low[axis] = inner.low[axis];
            box.high[axis] = inner.high[axis];
        }
    }
    return box;
}

/// What is in one box and not in another within it: planes near z faces whole, then rows near y faces between them,
/// then the ends of the rows between those.
NodeFrame frame_between(const Box& outer, const Box& inner) {
    NodeFrame frame;
    Box rest = outer;
    const auto add = [&frame](const Box& nodes) {
        if (nodes.empty()) return;
        frame.parts.push_back({nodes, frame.nodes});
        frame.nodes += nodes.points();
    };
    for (const std::size_t axis : {2U, 1U, 0U}) {
        Box low = rest, high = rest;
        low.high[axis] = rest.low[axis] = inner.low[axis];
        high.low[axis] = rest.high[axis] = inner.high[axis];
        add(low);
        add(high);
    }
    return frame;
}

}  // namespace

std::string ring_objection(const Problem& problem) {
    if (problem.scheme.time_order == 4) return "steps of order 4 in time";
    if (problem.stepping == Stepping::leap) return "leaps";
    if (problem.scheme.equation->fields.size() > 1) return "further fields beside it";
    if (problem.absorbs()) return "attenuation (waves would grow backward)";
    for (const auto& strip : problem.strips)
        if (!strip->empty() && dynamic_cast<const Cpml*>(strip.get()) == nullptr &&
            dynamic_cast<const Sponge*>(strip.get()) == nullptr)
            return "strips of the kind " + std::string(strip->name());
    if (inner_box(problem).empty()) return "no node between its absorbing layers";
    return {};
}

void check_ring(const Problem& problem) {
    if (const std::string objection = ring_objection(problem); !objection.empty())
        throw std::invalid_argument("no ring rebuilds a field with " + objection);
}

RingBoxes ring_boxes(const Problem& problem) {
    const Box grid{{}, problem.grid.n};
    RingBoxes boxes;
    boxes.inner = inner_box(problem);
    boxes.ring = frame_between(ringed_box(problem, boxes.inner), boxes.inner);
    boxes.edges = frame_between(grid, boxes.inner);
    return boxes;
}

}  // namespace onda
