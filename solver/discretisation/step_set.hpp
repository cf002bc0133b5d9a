/// \file
/// The steps of a run at which something is due, however many: told, not listed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace onda {

/// Steps at equal intervals of any length: stride round(n interval), n = 1 … count.
struct RegularSteps {
    double interval = 1.;     ///< in strides, at least 1: no two fall on the same step
    std::int64_t stride = 1;  ///< in steps
    std::int64_t count = 0;

    [[nodiscard]] std::int64_t operator[](std::int64_t n) const {
        return stride * std::llround(static_cast<double>(n) * interval);
    }
    /// The least n, from 1 to count + 1, whose step is later than `step`, as if there were more.
    [[nodiscard]] std::int64_t after(std::int64_t step) const {
        const double near = static_cast<double>(step) / static_cast<double>(stride) / interval;
        auto n = static_cast<std::int64_t>(std::clamp(near, 1., static_cast<double>(count) + 1.));
        while (n > 1 && (*this)[n - 1] > step) --n;
        while (n <= count && (*this)[n] <= step) ++n;
        return n;
    }
};

/// A set of steps: those of an interval up to a last step, and single steps beside.
class StepSet {
public:
    StepSet() = default;
    /// \param interval 0: none but the single ones. \param single from 0 to `last`, in any order.
    StepSet(std::int64_t interval, std::int64_t last, std::vector<std::int64_t> single)
        : StepSet(RegularSteps{static_cast<double>(std::max<std::int64_t>(interval, 1)), 1,
                               interval > 0 ? last / interval : 0},
                  std::move(single)) {}
    StepSet(RegularSteps regular, std::vector<std::int64_t> single) : regular_(regular), single_(std::move(single)) {
        std::erase_if(single_, [this](std::int64_t step) { return is_multiple(step); });
        std::ranges::sort(single_);
        single_.erase(std::unique(single_.begin(), single_.end()), single_.end());
    }

    [[nodiscard]] std::int64_t size() const { return regular_.count + static_cast<std::int64_t>(single_.size()); }
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] bool contains(std::int64_t step) const {
        return is_multiple(step) || std::ranges::binary_search(single_, step);
    }
    /// The first step of the set later than `step`.
    [[nodiscard]] std::optional<std::int64_t> after(std::int64_t step) const {
        std::optional<std::int64_t> next;
        if (const std::int64_t n = regular_.after(step); n <= regular_.count) next = regular_[n];
        const auto single = std::ranges::upper_bound(single_, step);
        if (single != single_.end() && (!next || *single < *next)) next = *single;
        return next;
    }
    /// The last step of the set earlier than `step`.
    [[nodiscard]] std::optional<std::int64_t> before(std::int64_t step) const {
        std::optional<std::int64_t> previous;
        if (const std::int64_t n = regular_.after(step - 1) - 1; n > 0) previous = regular_[n];
        const auto single = std::ranges::lower_bound(single_, step);
        if (single != single_.begin() && (!previous || *(single - 1) > *previous)) previous = *(single - 1);
        return previous;
    }
    /// `count` steps of the set, or all, ascending: each the last of an equal share of them.
    [[nodiscard]] std::vector<std::int64_t> spread(std::size_t count) const {
        const auto all = static_cast<std::size_t>(size());
        const std::size_t taken = std::min(count, all);
        std::vector<std::int64_t> steps;
        auto step = before(std::numeric_limits<std::int64_t>::max());
        for (std::size_t i = all; step && i > 0; --i, step = before(*step))
            if (i == ((taken - steps.size()) * all + taken - 1) / taken) steps.push_back(*step);
        std::ranges::reverse(steps);
        return steps;
    }

private:
    /// Step 0 is no multiple: it is due where it is asked for by itself.
    [[nodiscard]] bool is_multiple(std::int64_t step) const {
        const std::int64_t n = regular_.after(step - 1);
        return n <= regular_.count && regular_[n] == step;
    }

    RegularSteps regular_;
    std::vector<std::int64_t> single_;  ///< ascending, no multiples
};

}  // namespace onda
