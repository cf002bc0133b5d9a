#include "kernels/cuda/shots/device_sources.hpp"

#include <algorithm>

#include "kernels/cuda/memory.hpp"
#include "kernels/shot/source_entries.hpp"
#include "kernels/unset_vector.hpp"

namespace onda::cuda {

template <typename T>
DeviceSources<T>::DeviceSources(const Medium& medium, const CudaFields<T>& fields, const std::vector<Sources>& of_shots,
                                FusedSteps<T>* fused) {
    struct Node {
        unsigned block;  ///< of the fused kernel, which adds it
        std::int64_t element;
        std::size_t first, count;  ///< of its entries
    };
    std::vector<Node> nodes;
    std::vector<std::int32_t> row_of_entry;
    const std::size_t acted_on = fields_of_sources(medium.setup().scheme.equation);
    std::vector<std::vector<T>> amplitude_of_entry(acted_on);  // of each field
    std::vector<std::int64_t> samples{0};
    std::vector<const std::vector<double>*> series;
    std::size_t all_entries = 0;
    for (const Sources& sources : of_shots) all_entries += sources.nodes.node.size();
    row_of_entry.reserve(all_entries);
    for (std::vector<T>& of_field : amplitude_of_entry) of_field.reserve(all_entries);
    for (int shot = 0; shot < fields.shots(); ++shot) {
        const Sources& sources = of_shots[static_cast<std::size_t>(shot)];
        const std::vector<SourceEntry> entries = source_entries(sources.nodes);
        for (std::size_t field = 0; field < acted_on; ++field)
            for (const double amplitude : source_amplitudes(medium, sources, entries, field))
                amplitude_of_entry[field].push_back(static_cast<T>(amplitude));
        const auto rows_before = static_cast<std::int32_t>(samples.size()) - 1;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (i == 0 || entries[i].node != entries[i - 1].node) {
                const auto block = [&] { return fused->block_of(medium.setup().grid.node(entries[i].node), shot); };
                nodes.push_back(
                    {fused != nullptr ? block() : 0, fields.element(entries[i].node, shot), row_of_entry.size(), 0});
            }
            ++nodes.back().count;
            row_of_entry.push_back(rows_before + static_cast<std::int32_t>(entries[i].row));
        }
        for (const std::vector<double>& one : sources.signal) {
            series.push_back(&one);
            samples.push_back(samples.back() + std::ssize(one));
        }
    }
    // Signals of adjoint sources are as long as all seismograms together.
    UnsetVector<T> signal(static_cast<std::size_t>(samples.back()));
#pragma omp parallel for
    for (std::size_t i = 0; i < series.size(); ++i) std::ranges::copy(*series[i], signal.begin() + samples[i]);
    if (fused != nullptr) std::ranges::stable_sort(nodes, {}, &Node::block);
    std::vector<unsigned> blocks;
    std::vector<std::int64_t> element, first{0};
    std::vector<std::int32_t> row;
    std::vector<T> amplitude;
    row.reserve(all_entries);
    amplitude.reserve(acted_on * all_entries);
    for (const Node& node : nodes) {
        blocks.push_back(node.block);
        element.push_back(node.element);
        for (std::size_t entry = node.first; entry < node.first + node.count; ++entry)
            row.push_back(row_of_entry[entry]);
        first.push_back(static_cast<std::int64_t>(row.size()));
    }
    for (const std::vector<T>& of_field : amplitude_of_entry)
        for (const Node& node : nodes)
            amplitude.insert(amplitude.end(), of_field.begin() + static_cast<std::ptrdiff_t>(node.first),
                             of_field.begin() + static_cast<std::ptrdiff_t>(node.first + node.count));
    if (fused != nullptr) fused->set_sources(blocks);
    if (nodes.empty()) return;
    fields_ = acted_on;
    Allocations planned;
    add_sources(
        planned,
        {std::ssize(element), std::ssize(row), std::ssize(samples) - 1, std::ssize(signal), std::ssize(amplitude)},
        sizeof(T));
    element_ = upload_vector(planned.of("sources.element"), element);
    first_ = upload_vector(planned.of("sources.first"), first);
    samples_ = upload_vector(planned.of("sources.samples"), samples);
    row_ = upload_vector(planned.of("sources.row"), row);
    amplitude_ = upload_vector(planned.of("sources.amplitude"), amplitude);
    signal_ = upload_vector(planned.of("sources.signal"), signal);
}

template class DeviceSources<float>;
template class DeviceSources<double>;

Sources samples_of_updates(Sources sources, std::int64_t stride) {
    const auto every = static_cast<std::size_t>(stride);
    for (std::vector<double>& signal : sources.signal) {
        for (std::size_t n = 0; every * n < signal.size(); ++n) signal[n] = signal[every * n];
        signal.resize((signal.size() + every - 1) / every);
    }
    return sources;
}

}  // namespace onda::cuda
