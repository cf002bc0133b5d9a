/// \file
/// Sources and receivers on the CPU: weighted nodes, gathered in one fixed order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cpu/denormals.hpp"
#include "kernels/equations/star/stencil.hpp"
#include "kernels/shot/shot.hpp"
#include "kernels/shot/source_entries.hpp"

namespace onda::cpu {

/// Adds weighted signals to nodes. Each node sums its contributions in the order of the source rows, so that the result
/// depends on no schedule: the same on one thread, many, or a GPU.
template <typename T>
class Injection {
public:
    Injection() = default;
    /// \param element of a node in the padded array.
    template <typename Element>
    Injection(const Medium& medium, const Sources& sources, Element element) {
        const std::vector<SourceEntry> entries = source_entries(sources.nodes);
        for (const SourceEntry& entry : entries) {
            element_.push_back(element(entry.node));
            row_.push_back(entry.row);
        }
        for (const double amplitude : source_amplitudes(medium, sources, entries))
            amplitude_.push_back(static_cast<T>(amplitude));
        for (const std::vector<double>& signal : sources.signal) signal_.emplace_back(signal.begin(), signal.end());
    }

    void add(std::int64_t n, T* p) const {
        const FlushDenormals<T> flush;
        for (std::size_t i = 0; i < element_.size(); ++i) {
            const std::vector<T>& signal = signal_[row_[i]];
            if (n < static_cast<std::int64_t>(signal.size()))
                p[element_[i]] = fused(amplitude_[i], signal[n], p[element_[i]]);
        }
    }

private:
    std::vector<std::int64_t> element_, row_;
    std::vector<T> amplitude_;
    std::vector<std::vector<T>> signal_;
};

/// Samples p at weighted nodes; the traces stay here until they are downloaded.
template <typename T>
class Recorder {
public:
    Recorder() = default;
    template <typename Element>
    Recorder(const NodeWeights& receivers, std::int64_t samples, Element element)
        : first_(receivers.first), samples_(samples), traces_(static_cast<std::size_t>(receivers.rows() * samples)) {
        for (const std::int64_t node : receivers.node) element_.push_back(element(node));
        weight_.assign(receivers.weight.begin(), receivers.weight.end());
    }

    void record(std::int64_t n, const T* p, int threads) {
        if (n >= samples_) return;
        const std::int64_t receivers = rows();
        T* const sample = traces_.data() + n * receivers;
#pragma omp parallel num_threads(threads) if (receivers > 512)
        {
            const FlushDenormals<T> flush;
#pragma omp for schedule(static)
            for (std::int64_t r = 0; r < receivers; ++r) {
                T value = 0;
                for (std::int64_t i = first_[r]; i < first_[r + 1]; ++i)
                    value = fused(weight_[i], p[element_[i]], value);
                sample[r] = value;
            }
        }
    }

    /// [receiver][sample]
    template <typename U>
    void copy(std::span<U> values) const {
        for (std::int64_t r = 0; r < rows(); ++r)
            for (std::int64_t n = 0; n < samples_; ++n)
                values[r * samples_ + n] = static_cast<U>(traces_[n * rows() + r]);
    }

private:
    [[nodiscard]] std::int64_t rows() const {
        return static_cast<std::int64_t>(first_.size()) - 1;
    }

    std::vector<std::int64_t> first_{0}, element_;
    std::vector<T> weight_;
    std::int64_t samples_ = 0;
    std::vector<T> traces_;  ///< [sample][receiver], as it is written
};

}  // namespace onda::cpu
