/// \file
/// The steps of a run at which something is due, however many: told, not listed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace onda {

/// A set of steps: every multiple of an interval up to a last step, and single steps beside.
class StepSet {
public:
    StepSet() = default;
    /// \param interval 0: none but the single ones. \param single from 0 to `last`, in any order.
    StepSet(std::int64_t interval, std::int64_t last, std::vector<std::int64_t> single)
        : interval_(interval), multiples_(interval > 0 ? last / interval : 0), single_(std::move(single)) {
        std::erase_if(single_, [this](std::int64_t step) { return is_multiple(step); });
        std::ranges::sort(single_);
        single_.erase(std::unique(single_.begin(), single_.end()), single_.end());
    }

    [[nodiscard]] std::int64_t size() const { return multiples_ + static_cast<std::int64_t>(single_.size()); }
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] bool contains(std::int64_t step) const {
        return is_multiple(step) || std::ranges::binary_search(single_, step);
    }
    /// The first step of the set later than `step`.
    [[nodiscard]] std::optional<std::int64_t> after(std::int64_t step) const {
        std::optional<std::int64_t> next;
        const std::int64_t n = step < 0 ? 1 : (interval_ > 0 ? step / interval_ : multiples_) + 1;
        if (n <= multiples_) next = n * interval_;
        const auto single = std::ranges::upper_bound(single_, step);
        if (single != single_.end() && (!next || *single < *next)) next = *single;
        return next;
    }
    /// The last step of the set earlier than `step`.
    [[nodiscard]] std::optional<std::int64_t> before(std::int64_t step) const {
        std::optional<std::int64_t> previous;
        if (interval_ > 0 && step > 0)
            if (const std::int64_t n = std::min(multiples_, (step - 1) / interval_); n > 0) previous = n * interval_;
        const auto single = std::ranges::lower_bound(single_, step);
        if (single != single_.begin() && (!previous || *(single - 1) > *previous)) previous = *(single - 1);
        return previous;
    }
    /// The last `count` steps of the set, or all, ascending.
    [[nodiscard]] std::vector<std::int64_t> last(std::size_t count) const {
        std::vector<std::int64_t> steps;
        for (auto step = before(std::numeric_limits<std::int64_t>::max()); step && steps.size() < count;
             step = before(*step))
            steps.push_back(*step);
        std::ranges::reverse(steps);
        return steps;
    }

private:
    /// Step 0 is no multiple: it is due where it is asked for by itself.
    [[nodiscard]] bool is_multiple(std::int64_t step) const {
        return interval_ > 0 && step > 0 && step % interval_ == 0 && step / interval_ <= multiples_;
    }

    std::int64_t interval_ = 0, multiples_ = 0;
    std::vector<std::int64_t> single_;  ///< ascending, no multiples
};

}  // namespace onda
