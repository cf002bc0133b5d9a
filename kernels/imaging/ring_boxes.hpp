/// \file
/// The nodes of a grid where a forward field can be computed backward in time, and those beside them.
///
/// Without strips a step can be reversed: p[n-1] = 2 p[n] - p[n+1] + k L p[n] + f[n] is the same step with the levels
/// exchanged. Strips cannot: inverting their memory lets it grow. So inside the nodes that strips change the field is
/// rebuilt from its last two levels, with a ring of p[n] around it, as wide as the operator reaches, from the forward
/// run. Faces without strips need no ring, for their halos are images of what is inside, nor do cuts, beyond which the
/// neighbouring slabs rebuild theirs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/plan/shell.hpp"
#include "kernels/setup.hpp"

namespace onda {

/// Nodes between two boxes, as disjoint boxes whose nodes are numbered one after the other, x fastest.
struct NodeFrame {
    struct Part {
        Box nodes;
        std::int64_t first = 0;  ///< nodes of the parts before it
    };
    std::vector<Part> parts;  ///< at most 6, none of them empty
    std::int64_t nodes = 0;   ///< of all parts
};

/// A grid by what is known of a forward field on its way back.
struct RingBoxes {
    Box inner;        ///< is rebuilt
    NodeFrame ring;   ///< around it: what the operator reads of p[n]
    NodeFrame edges;  ///< all that is not rebuilt; the ring is part of it
};

/// What keeps the field of a problem from being rebuilt, in words that follow "a field with"; empty: nothing.
std::string ring_objection(const Problem& problem);

/// \throws std::invalid_argument with the objection where there is one.
void check_ring(const Problem& problem);

/// Of a problem without objections, but that nothing may be left between its layers.
RingBoxes ring_boxes(const Problem& problem);

}  // namespace onda
