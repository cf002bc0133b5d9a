/// \file
/// The receivers of shots whose grid is cut into slabs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/cpu/denormals.hpp"
#include "kernels/cpu/receivers.hpp"
#include "kernels/shot/shot.hpp"
#include "kernels/slabs/slab_map.hpp"
#include "kernels/wavefield.hpp"

namespace onda {

/// Appends a row of `all` to `share`. \param first_node of the slab that it is for.
inline void append_row(NodeWeights& share, const NodeWeights& all, std::size_t row, std::int64_t first_node) {
    for (auto i = static_cast<std::size_t>(all.first[row]); i < static_cast<std::size_t>(all.first[row + 1]); ++i) {
        share.node.push_back(all.node[i] - first_node);
        share.weight.push_back(all.weight[i]);
    }
    share.first.push_back(std::ssize(share.node));
}

/// Receivers whose nodes lie in several slabs: node values are brought together and summed here, in the one order.
class CutReceivers {
public:
    CutReceivers() = default;
    CutReceivers(const SlabMap& map, const Problem& problem, NodeWeights receivers, std::int64_t samples)
        : receivers_(std::move(receivers)),
          samples_(samples),
          is_float_(problem.precision == Precision::float32),
          nodes_(map.count()),
          entries_(map.count()),
          values_(receivers_.node.size()),
          traces_(static_cast<std::size_t>(receivers_.rows() * samples)) {
        for (std::size_t i = 0; i < receivers_.node.size(); ++i) {
            const std::size_t slab = map.slab_of(receivers_.node[i]);
            nodes_[slab].push_back(receivers_.node[i] - map.first_node(slab));
            entries_[slab].push_back(i);
        }
    }

    [[nodiscard]] bool empty() const { return receivers_.rows() == 0; }
    void record(std::int64_t n, std::span<const std::unique_ptr<Wavefield>> slabs, int shot) {
        if (n >= samples_ || empty()) return;
        std::vector<double> of_slab;
        for (std::size_t s = 0; s < slabs.size(); ++s) {
            if (nodes_[s].empty()) continue;
            of_slab.resize(nodes_[s].size());
            slabs[s]->fields().sample(nodes_[s], of_slab, shot);
            for (std::size_t i = 0; i < of_slab.size(); ++i) values_[entries_[s][i]] = of_slab[i];
        }
        is_float_ ? sum_all<float>(n) : sum_all<double>(n);
    }
    /// The trace of one of them.
    [[nodiscard]] std::span<const double> trace(std::int64_t receiver) const {
        return std::span(traces_).subspan(static_cast<std::size_t>(receiver * samples_),
                                          static_cast<std::size_t>(samples_));
    }

private:
    template <typename T>
    void sum_all(std::int64_t n) {
        const cpu::FlushDenormals<T> flush;
        const auto entry = [](const std::vector<double>& of_entries) {
            return [&](std::int64_t i) { return static_cast<T>(of_entries[static_cast<std::size_t>(i)]); };
        };
        for (std::size_t r = 0; r + 1 < receivers_.first.size(); ++r)
            traces_[r * static_cast<std::size_t>(samples_) + static_cast<std::size_t>(n)] =
                static_cast<double>(receiver_sum(flush, receivers_.first[r], receivers_.first[r + 1],
                                                 entry(receivers_.weight), entry(values_)));
    }

    NodeWeights receivers_;
    std::int64_t samples_ = 0;
    bool is_float_ = true;
    std::vector<std::vector<std::int64_t>> nodes_;   ///< of each slab, in its own numbers
    std::vector<std::vector<std::size_t>> entries_;  ///< which entries of the receivers they are
    std::vector<double> values_;                     ///< of p at each entry
    std::vector<double> traces_;                     ///< [receiver][sample]
};

/// Receivers of a shot: those with all their nodes in one slab are recorded there, on its device.
class SlabRecorder {
public:
    SlabRecorder() = default;
    SlabRecorder(const SlabMap& map, const Problem& problem, const NodeWeights& receivers, std::int64_t samples)
        : samples_(samples), of_slab_(map.count()) {
        std::vector<NodeWeights> shares(of_slab_.size());
        NodeWeights cut;
        for (std::size_t row = 0; row + 1 < receivers.first.size(); ++row) {
            const auto begin = receivers.node.begin() + receivers.first[row],
                       end = receivers.node.begin() + receivers.first[row + 1];
            const std::size_t slab = begin == end ? 0 : map.slab_of(*begin);
            const bool whole = std::all_of(begin, end, [&](std::int64_t node) { return map.slab_of(node) == slab; });
            append_row(whole ? shares[slab] : cut, receivers, row, whole ? map.first_node(slab) : 0);
            (whole ? of_slab_[slab] : of_cut_).push_back(row);
        }
        shares_ = std::move(shares);
        cut_ = CutReceivers(map, problem, std::move(cut), samples);
    }

    /// Hands each slab its receivers.
    void begin(std::span<const std::unique_ptr<Wavefield>> slabs, int shot) {
        for (std::size_t s = 0; s < slabs.size(); ++s) slabs[s]->set_receivers(shot, shares_[s], samples_);
        shares_.clear();
    }
    /// Whether a slab has every receiver to itself.
    [[nodiscard]] bool is_whole() const { return cut_.empty(); }
    /// Takes the sample of the receivers that no slab has to itself.
    void record(std::int64_t n, std::span<const std::unique_ptr<Wavefield>> slabs, int shot) {
        cut_.record(n, slabs, shot);
    }
    template <typename U>
    void copy(std::span<const std::unique_ptr<Wavefield>> slabs, int shot, std::span<U> values) const {
        std::vector<U> of_slab;
        for (std::size_t s = 0; s < of_slab_.size(); ++s) {
            if (of_slab_[s].empty()) continue;
            of_slab.resize(of_slab_[s].size() * static_cast<std::size_t>(samples_));
            slabs[s]->download_traces(std::span<U>(of_slab), shot);
            for (std::size_t i = 0; i < of_slab_[s].size(); ++i)
                put(std::span<const U>(of_slab).subspan(i * static_cast<std::size_t>(samples_)), of_slab_[s][i],
                    values);
        }
        for (std::size_t i = 0; i < of_cut_.size(); ++i)
            put(cut_.trace(static_cast<std::int64_t>(i)), of_cut_[i], values);
    }

private:
    template <typename V, typename U>
    void put(std::span<const V> trace, std::size_t row, std::span<U> values) const {
        const cpu::FlushDenormals<U> flush;
        const auto samples = static_cast<std::size_t>(samples_);
        for (std::size_t n = 0; n < samples; ++n) values[row * samples + n] = static_cast<U>(trace[n]);
    }

    std::int64_t samples_ = 0;
    std::vector<NodeWeights> shares_;                ///< until the slabs have them
    std::vector<std::vector<std::size_t>> of_slab_;  ///< rows of the receivers, slab by slab
    std::vector<std::size_t> of_cut_;                ///< rows of the others
    CutReceivers cut_;
};

}  // namespace onda
