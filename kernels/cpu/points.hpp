/// \file
/// Sources and receivers on the CPU: weighted nodes, gathered in one fixed order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/denormals.hpp"
#include "kernels/cpu/kernel.hpp"
#include "kernels/cpu/memory.hpp"
#include "kernels/cpu/receivers.hpp"
#include "kernels/cpu/threads.hpp"
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
        if (entries.empty()) return;
        fields_ = fields_of_sources(medium.setup().scheme.equation);
        allocate(sources, entries.size());
        for (std::size_t field = 0; field < fields_; ++field) {
            const std::vector<double> amplitudes = source_amplitudes(medium, sources, entries, field);
            std::ranges::transform(amplitudes, amplitude_.data() + field * entries.size(),
                                   [](double amplitude) { return static_cast<T>(amplitude); });
        }
        for (std::size_t i = 0; i < entries.size(); ++i) {
            element_[i] = element(entries[i].node);
            row_[i] = static_cast<std::int32_t>(entries[i].row);
        }
        for (std::size_t row = 0; row < sources.signal.size(); ++row) {
            const std::vector<double>& signal = sources.signal[row];
            std::ranges::transform(signal, signal_.data() + samples_[row],
                                   [](double value) { return static_cast<T>(value); });
            samples_[row + 1] = samples_[row] + std::ssize(signal);
        }
    }

    /// The fields that they act on.
    [[nodiscard]] std::size_t fields() const { return fields_; }
    /// \param p of the field.
    void add(std::int64_t n, T* p, std::size_t field = 0) const {
        const FlushDenormals<T> flush;
        const T* const amplitude = amplitude_.data() + field * element_.size();
        for (std::size_t i = 0; i < element_.size(); ++i) {
            const auto row = static_cast<std::size_t>(row_[i]);
            const std::int64_t at = samples_[row] + n;
            if (at < samples_[row + 1])
                p[element_[i]] = fused(amplitude[i], signal_[static_cast<std::size_t>(at)], p[element_[i]]);
        }
    }
    [[nodiscard]] std::int64_t bytes() const {
        return element_.bytes() + row_.bytes() + amplitude_.bytes() + samples_.bytes() + signal_.bytes();
    }

private:
    void allocate(const Sources& sources, std::size_t entries) {
        ShotSize size;
        size.source_nodes = static_cast<std::int64_t>(entries);
        size.sources = std::ssize(sources.signal);
        for (const std::vector<double>& signal : sources.signal)
            size.signal_samples = std::max(size.signal_samples, std::ssize(signal));
        Allocations planned;
        add_sources(planned, size, sizeof(T), 1, static_cast<std::int64_t>(fields_));
        element_ = Table<std::int64_t>(planned.of("sources.element"));
        row_ = Table<std::int32_t>(planned.of("sources.row"));
        amplitude_ = Table<T>(planned.of("sources.amplitude"));
        samples_ = Table<std::int64_t>(planned.of("sources.samples"));
        signal_ = Table<T>(planned.of("sources.signal"));
    }

    Table<std::int64_t> element_;
    Table<std::int32_t> row_;  ///< of the sources, for each entry
    Table<T> amplitude_;       ///< of each entry, field after field
    std::size_t fields_ = 1;
    Table<std::int64_t> samples_;  ///< row r is signal_[samples_[r]] … signal_[samples_[r + 1] - 1]
    Table<T> signal_;
};

/// Samples p at weighted nodes; the traces stay here until they are downloaded.
template <typename T>
class Recorder {
public:
    Recorder() = default;
    /// \param sample that of the instruction set.
    template <typename Element>
    Recorder(const NodeWeights& receivers, std::int64_t samples, Element element, SampleFunction<T> sample)
        : receivers_(receivers.rows()), samples_(samples), sample_(sample) {
        if (receivers_ == 0) return;
        allocate(std::ssize(receivers.node));
        std::ranges::copy(receivers.first, first_.data());
        std::ranges::transform(receivers.node, element_.data(), element);
        std::ranges::transform(receivers.weight, weight_.data(), [](double weight) { return static_cast<T>(weight); });
    }

    void record(std::int64_t n, const ObservedField<T>& observed, int threads) {
        if (n >= samples_ || receivers_ == 0) return;
        T* const samples = traces_.data() + n * receivers_;
        const ReceiverEntries<T> entries{first_.data(), element_.data(), weight_.data()};
        on_threads(receivers_ > 512 ? threads : 1, [&](int thread, int all) {
            sample_(entries, rows_of_thread(receivers_, thread, all), observed, samples);
        });
    }

    /// [receiver][sample]
    template <typename U>
    void copy(std::span<U> values) const {
        const FlushDenormals<U> flush;
        for (std::int64_t r = 0; r < receivers_; ++r)
            for (std::int64_t n = 0; n < samples_; ++n)
                values[r * samples_ + n] = static_cast<U>(traces_[n * receivers_ + r]);
    }
    [[nodiscard]] std::int64_t bytes() const {
        return first_.bytes() + element_.bytes() + weight_.bytes() + traces_.bytes();
    }

private:
    void allocate(std::int64_t nodes) {
        ShotSize size;
        size.receivers = receivers_;
        size.receiver_nodes = nodes;
        size.trace_samples = samples_;
        Allocations planned;
        add_receivers(planned, size, sizeof(T));
        first_ = Table<std::int64_t>(planned.of("receivers.first"));
        element_ = Table<std::int64_t>(planned.of("receivers.element"));
        weight_ = Table<T>(planned.of("receivers.weight"));
        traces_ = Table<T>(planned.of("traces"));
    }

    std::int64_t receivers_ = 0, samples_ = 0;
    SampleFunction<T> sample_ = nullptr;
    Table<std::int64_t> first_, element_;
    Table<T> weight_;
    Table<T> traces_;  ///< [sample][receiver], as it is written
};

}  // namespace onda::cpu
