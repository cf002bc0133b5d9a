#include "solver/imaging/reverse_schedule.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

namespace onda {
namespace {

/// t(l, c) and its m, for all l and c up to those asked for.
class Costs {
public:
    Costs(std::int64_t segments, std::int64_t checkpoints)
        : checkpoints_(std::min(checkpoints, segments)), rows_(static_cast<std::size_t>(checkpoints_ + 1)) {
        if (segments > kMostSegments) throw std::invalid_argument("too many segments to reverse");
        for (std::int64_t c = 0; c <= checkpoints_; ++c) {
            auto& row = rows_[static_cast<std::size_t>(c)];
            row.resize(static_cast<std::size_t>(segments + 1));
            for (std::int64_t l = 1; l <= segments; ++l) row[static_cast<std::size_t>(l)] = best(l, c);
        }
    }
    struct Entry {
        std::int64_t cost = 0, first = 0;  ///< segments to go before the next state is kept
    };
    [[nodiscard]] const Entry& of(std::int64_t l, std::int64_t c) const {
        return rows_[static_cast<std::size_t>(std::min(c, checkpoints_))][static_cast<std::size_t>(l)];
    }

private:
    [[nodiscard]] Entry best(std::int64_t l, std::int64_t c) const {
        if (l == 1) return {1, 0};
        if (c == 0) return {l * (l + 1) / 2, 0};
        Entry best{std::numeric_limits<std::int64_t>::max(), 0};
        for (std::int64_t m = 1; m < l; ++m)
            if (const std::int64_t cost = m + of(l - m, c - 1).cost + of(m, c).cost; cost < best.cost) best = {cost, m};
        return best;
    }

    std::int64_t checkpoints_;
    std::vector<std::vector<Entry>> rows_;
};

/// Reverses segments begin … end - 1 from the state of `begin`, which the run has and which can be restored.
void reverse(std::int64_t begin, std::int64_t end, std::int64_t checkpoints, const Costs& costs, Reversal& reversal) {
    const std::int64_t l = end - begin;
    if (l == 1) return reversal.reverse(begin);
    if (checkpoints == 0) {
        for (std::int64_t segment = end - 1; segment >= begin; --segment) {
            if (segment > begin) reversal.advance(segment);
            reversal.reverse(segment);
            if (segment > begin) reversal.restore(begin);
        }
        return;
    }
    const std::int64_t middle = begin + costs.of(l, checkpoints).first;
    reversal.advance(middle);
    reversal.save(middle);
    reverse(middle, end, checkpoints - 1, costs, reversal);
    reversal.discard(middle);
    reversal.restore(begin);
    reverse(begin, middle, checkpoints, costs, reversal);
}

}  // namespace

void reverse_segments(std::int64_t segments, std::int64_t checkpoints, Reversal& reversal) {
    reverse(0, segments, std::min(checkpoints, segments), Costs(segments, checkpoints), reversal);
}

std::int64_t segments_computed(std::int64_t segments, std::int64_t checkpoints) {
    return Costs(segments, checkpoints).of(segments, checkpoints).cost;
}

}  // namespace onda
