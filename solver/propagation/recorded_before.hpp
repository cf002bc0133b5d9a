/// \file
/// Traces of a run that goes on from a step of another one, which has recorded their beginnings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace onda {

/// What receivers have recorded before.
template <typename T>
struct RecordedBefore {
    std::int64_t samples = 0;  ///< of each trace, from sample 0 on
    std::vector<T> traces{};   ///< [receiver][sample]

    /// Puts it at the beginning of traces of `all` samples each.
    void put_into(std::span<T> whole, std::int64_t all) const {
        for (std::int64_t from = 0, to = 0; from < std::ssize(traces); from += samples, to += all)
            std::copy_n(traces.begin() + from, samples, whole.begin() + to);
    }
};

/// Leaves the first `samples` of each trace. \param of_trace samples that each has.
template <typename T>
void keep_beginnings(std::vector<T>& traces, std::int64_t of_trace, std::int64_t samples) {
    auto to = traces.begin();
    for (auto from = traces.begin(); from != traces.end(); from += of_trace) to = std::copy_n(from, samples, to);
    traces.erase(to, traces.end());
}

}  // namespace onda
