/// \file
/// Rings that are thinned in time: which levels are kept, and how those between follow from them.
///
/// Time steps are short for the sake of stability: the shortest wave of a survey has ten to thirty of them in a period.
/// Levels between those that are kept are those of the polynomial in time through the nearest of them (Lagrange).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace onda {

/// A ring that is kept, and what it counts in a level.
struct WeightedSlot {
    std::int64_t slot;
    double weight;
};

/// Levels 0 … levels - 1, of which every so many-th is kept, and the last.
class RingLevels {
public:
    /// The kept levels that one between them is made of, where there are as many. Of a wave with F of its periods from
    /// one of them to the next the error in the middle is (1 3 5 7 / 2^4)^2 (2 pi F)^8 / 8! = 1.1e-3 (2 pi F)^8 of its
    /// amplitude: 2.6e-5 for F = 0.1, and 1e-7 for 0.05. Beside the ends, where the kept levels lie on one side, it is
    /// up to twelve times as large.
    static constexpr std::int64_t kTogether = 8;

    RingLevels(std::int64_t levels, std::int64_t every) : levels_(levels), every_(every) {}

    /// How many levels are kept.
    [[nodiscard]] std::int64_t slots() const { return levels_ <= 1 ? levels_ : (levels_ - 2) / every_ + 2; }
    /// How many are read together at most.
    [[nodiscard]] std::int64_t together() const {
        return every_ == 1 ? 1 : std::clamp<std::int64_t>(slots(), 1, kTogether);
    }
    [[nodiscard]] bool keeps(std::int64_t level) const { return level % every_ == 0 || level == levels_ - 1; }
    /// The slot of a level that is kept.
    [[nodiscard]] std::int64_t slot_of(std::int64_t level) const { return (level + every_ - 1) / every_; }
    /// What a level is made of: itself where it is kept. Slots ascend by one.
    [[nodiscard]] std::vector<WeightedSlot> of(std::int64_t level) const {
        if (keeps(level)) return {{slot_of(level), 1.}};
        const std::int64_t first =
            std::clamp<std::int64_t>(level / every_ + 1 - kTogether / 2, 0, slots() - together());
        std::vector<WeightedSlot> parts;
        for (std::int64_t slot = first; slot < first + together(); ++slot) {
            double weight = 1.;
            for (std::int64_t other = first; other < first + together(); ++other)
                if (other != slot)
                    weight *= static_cast<double>(level - level_of(other)) /
                              static_cast<double>(level_of(slot) - level_of(other));
            parts.push_back({slot, weight});
        }
        return parts;
    }

private:
    [[nodiscard]] std::int64_t level_of(std::int64_t slot) const { return std::min(slot * every_, levels_ - 1); }

    std::int64_t levels_, every_;
};

}  // namespace onda
