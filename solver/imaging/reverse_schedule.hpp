/// \file
/// The order in which segments of a run are computed anew where they are needed from the last to the first.
///
/// Griewank and Walther (2000), ACM Trans. Math. Softw. 26(1), 19-45 (Revolve): with c states kept, a run of l segments
/// is reversed with the fewest segments computed if the next state is kept after m of them, m the minimiser of
///     t(l, c) = min over m of m + t(l - m, c - 1) + t(m, c),   t(1, c) = 1,   t(l, 0) = l (l + 1) / 2.
#pragma once

#include <cstdint>

namespace onda {

/// What a reversal is made of. States are named by the segment that they are the start of; that of segment 0 is always
/// there.
class Reversal {
public:
    virtual ~Reversal() = default;
    /// Computes the segments before `to` from the state that the run has.
    virtual void advance(std::int64_t to) = 0;
    virtual void save(std::int64_t segment) = 0;
    virtual void restore(std::int64_t segment) = 0;
    virtual void discard(std::int64_t segment) = 0;
    /// Computes a segment from the state that the run has, and then uses it. The last comes first.
    virtual void reverse(std::int64_t segment) = 0;
};

/// The most segments of a reversal: the search for the best order takes a moment.
inline constexpr std::int64_t kMostSegments = 512;

/// Reverses segments 0 … segments - 1, with so many states kept at the same time beside that of segment 0.
void reverse_segments(std::int64_t segments, std::int64_t checkpoints, Reversal& reversal);
/// How many segments that computes, those that are reversed included.
std::int64_t segments_computed(std::int64_t segments, std::int64_t checkpoints);

}  // namespace onda
