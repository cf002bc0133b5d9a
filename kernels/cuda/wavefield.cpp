// Wavefields on one GPU: p[n] and p[n-1] of some shots on a medium. Everything of a time step runs on the device.
#include "kernels/wavefield.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kernels/cuda/buffers.hpp"
#include "kernels/cuda/downloads.hpp"
#include "kernels/cuda/field_operations.hpp"
#include "kernels/cuda/fused/fused_steps.hpp"
#include "kernels/cuda/graphs/step_graphs.hpp"
#include "kernels/cuda/hash/plane_hash.hpp"
#include "kernels/cuda/leap/shell_steps.hpp"
#include "kernels/cuda/links/nccl.hpp"
#include "kernels/cuda/medium.hpp"
#include "kernels/cuda/memory.hpp"
#include "kernels/cuda/strips/cpml.hpp"
#include "kernels/cuda/strips/strip.hpp"
#include "kernels/cuda/traces.hpp"
#include "kernels/grid/halo.hpp"
#include "kernels/plan/planes_inside.hpp"
#include "kernels/plan/shell.hpp"
#include "kernels/plan/state_parts.hpp"
#include "kernels/shot/leap_sources.hpp"
#include "kernels/shot/source_entries.hpp"

namespace onda::cuda {
namespace {

/// The layout of a model that all shots of a batch read: see batched().
Layout shared_by_shots(Layout model, const Grid& grid) {
    if (grid.dimensions == 2) model.pitch = 0;
    return model;
}

/// What updates add of a signal: of leaps samples 0, 2, 4, …
Sources samples_of_updates(Sources sources, std::int64_t stride) {
    const auto every = static_cast<std::size_t>(stride);
    for (std::vector<double>& signal : sources.signal) {
        for (std::size_t n = 0; every * n < signal.size(); ++n) signal[n] = signal[every * n];
        signal.resize((signal.size() + every - 1) / every);
    }
    return sources;
}

/// Planes [begin, end) of the fields, as a grid of their own whose halo lies in the others.
template <typename T>
Fields<T> planes_of(Fields<T> fields, std::int64_t begin, std::int64_t end) {
    fields.grid.n[2] = end - begin;
    for (Layout* layout : {&fields.field, &fields.model, &fields.density}) layout->n[2] = end - begin;
    for (T*& level : fields.p) level += begin * fields.field.plane;
    const std::int64_t of_k = begin * fields.model.plane;
    if (fields.k != nullptr) fields.k += of_k;
    if (fields.half_rho != nullptr) fields.half_rho += begin * fields.density.plane;
    if (fields.coded_k.storage == Storage::codes)
        fields.coded_k.at = static_cast<const std::uint16_t*>(fields.coded_k.at) + of_k;
    if (fields.coded_k.storage == Storage::table)
        fields.coded_k.at = static_cast<const std::uint8_t*>(fields.coded_k.at) + of_k;
    return fields;
}

class PinnedPlanes final : public PlaneBuffer {
public:
    PinnedPlanes(std::int64_t planes, std::int64_t bytes)
        : PlaneBuffer(planes), memory_(pinned("planes between slabs", Owner::wavefield, bytes, 1)) {}
    std::span<std::byte> bytes() override { return {memory_.data(), static_cast<std::size_t>(memory_.size())}; }

private:
    PinnedBuffer<std::byte> memory_;
};

template <typename T>
class CudaWavefield final : public Wavefield, public GraphPart {
public:
    CudaWavefield(std::shared_ptr<CudaMedium<T>> medium, int shots)
        : medium_(std::move(medium)),
          setup_(medium_->setup()),
          shots_(shots),
          scope_(setup_.ordinal),
          grid_(batched(setup_.grid, shots)),
          field_(field_layout(setup_, grid_, layout_rules(setup_))),
          volumes_(volumes_of(setup_.grid, shots)),
          shot_step_(grid_.dimensions == 3 ? volume_step(field_) : field_.pitch),
          planned_(allocations(setup_, shots)),
          memory_(planned_.of("time levels")),
          odd_memory_(has_odd_level(setup_) ? DeviceBuffer<T>(planned_.of("p_odd")) : DeviceBuffer<T>()),
          staging_(planned_.of("staging")),
          counter_(planned_.of("counter")),
          largest_(planned_.of("largest")),
          hashes_(planned_.of("plane hashes")),
          downloads_(std::make_shared<Downloads>()),
          sources_of_(static_cast<std::size_t>(shots)),
          receivers_of_(static_cast<std::size_t>(shots)) {
        for (int i = 0; i < 2; ++i) p_[i] = memory_.data() + i * array_elements(field_, volumes_) + field_.origin;
        for (int axis = 0; axis < 3; ++axis) {
            std::vector<LayerCopy> copies;
            for (const HaloCopy& copy : halo_copies_of(setup_, grid_, axis))
                copies.push_back({static_cast<int>(copy.to), static_cast<int>(copy.from), copy.sign});
            copies_[axis] = upload_vector(planned_.of(halo_copies_row(axis)), copies);
        }
        Fields<T> fields{grid_, field_, shared_by_shots(medium_->layout(0), setup_.grid),
                         shared_by_shots(medium_->layout(medium_->arrays() - 1), setup_.grid),
                         make_stencil<T>(setup_.scheme, grid_.spacing_m, grid_.dimensions)};
        fields.p[0] = p_[0];
        fields.p[1] = p_[1];
        fields.k = medium_->at_origin(0);
        fields.coded_k = medium_->coded_k();
        fields.half_rho = medium_->arrays() > 1 ? medium_->at_origin(1) : nullptr;
        fields.volumes = volumes_;
        fields.volume_step = volume_step(field_);
        fields.leap = box_of_volume(shell_.leap, grid_);
        fields.weights = leap_weights<T>(setup_);
        clear_levels();
        const Instance<T>& instance = medium_->instance();
        for (int volume = 0; volume < volumes_; ++volume)
            steppers_.push_back(instance.make(instance, fields.volume(volume)));
        make_parts(fields);
        const bool whole_steps = takes_whole_steps<T>(setup_, shots);
        if (has_odd_level(setup_))
            shell_steps_ = std::make_unique<ShellSteps<T>>(fields, box_of_volume(shell_.no_odd, grid_));
        for (const StripTurn turn : kTurns)
            strips(turn) = make_strips<T>({{setup_, grid_, volumes_, whole_steps, turn}, planned_, fields});
        if (whole_steps)
            fused_ = std::make_unique<FusedSteps<T>>(instance.parameters[0], setup_.scheme.radius(), planned_, fields,
                                                     halo_copies_of(setup_, grid_, 2), layers());
        own_steps_ = make_graphs({this}, [this](std::int64_t first, std::int64_t count) { queue_steps(first, count); });
        CudaWavefield::reset();
    }
    ~CudaWavefield() override { scope_.enter(); }

    const Medium& medium() const override { return *medium_; }
    int shots() const override { return shots_; }
    std::int64_t allocated_bytes() const override {
        std::int64_t bytes = memory_.bytes() + odd_memory_.bytes() + staging_.bytes() + counter_.bytes() +
                             largest_.bytes() + hashes_.bytes() + sources_.bytes() + odd_sources_.bytes() +
                             traces_.device_bytes() + downloads_->device_bytes();
        for (const auto& copies : copies_) bytes += copies.bytes();
        for (const auto& of_turn : strips_)
            for (const auto& strip : of_turn) bytes += strip->bytes();
        return bytes + (fused_ ? fused_->bytes() : 0);
    }

    void reset() override;
    void set_sources(int shot, const Sources& sources) override;
    void set_receivers(int shot, const NodeWeights& receivers, std::int64_t samples) override;

    void update(std::int64_t n) override;
    void fill_halos() override { fill_halos_of(p(), 2); }
    void fill_halos_of(T* level, int last_axis) {
        scope_.enter();
        for (int volume = 0; volume < volumes_; ++volume)
            for (int axis = 0; axis <= last_axis; ++axis)
                fill_halo(level + volume * volume_step(field_), shape_of(field_), axis, copies_[axis].data(),
                          static_cast<int>(copies_[axis].size()), compute_.get());
    }
    void step() override {
        scope_.enter();
        for (const auto& stepper : steppers_) stepper->step(now_, compute_.get());
    }
    void step_inside() override {
        scope_.enter();
        for (const auto& stepper : inside_) stepper->step(now_, compute_.get());
    }
    void step_beside_cuts() override {
        if (inside_.empty() && beside_cuts_.empty()) return step();  // nothing is cut
        scope_.enter();
        for (const auto& stepper : beside_cuts_) stepper->step(now_, compute_.get());
    }
    void absorb() override {
        scope_.enter();
        for (const auto& strip : strips(StripTurn::after_step)) apply(*strip, {p(), q(), now_});
    }
    void inject(std::int64_t n) override {
        prepare_shots();
        add_sources(q(), sources_.nodes(), counter_.data(), offset_of(n), compute_.get());
    }
    void swap() override { now_ = 1 - now_; }
    void record(std::int64_t n) override {
        prepare_shots();
        if (capturing_ ? graph_records_ : traces_.records(n))
            traces_.record(p(), counter_.data(), offset_of(n), compute_.get());
        if (!capturing_) traces_.flush(n, compute_, copy_);
    }
    void enqueue(std::int64_t first, std::int64_t count) override { own_steps_->enqueue(first, count); }
    std::unique_ptr<StepQueue> make_step_queue(const std::vector<Wavefield*>& slabs, QueueSteps queue) override;
    void wait() override { compute_.wait(); }

    std::vector<Extremum> extrema() const override;
    void download(const Window& window, std::span<float> values, int shot) const override {
        copy_out(p(), rows_of(window, shot), values);
    }
    void download(const Window& window, std::span<double> values, int shot) const override {
        copy_out(p(), rows_of(window, shot), values);
    }
    void download_previous(const Window& window, std::span<double> values, int shot) const override {
        copy_out(q(), rows_of(window, shot), values);
    }
    void hash_planes(const Window& window, std::span<std::uint64_t> hashes, int shot) const override;
    std::unique_ptr<Download> start_download(const Window& window, int shot) override {
        scope_.enter();
        return downloads_->start(p(), rows_of(window, shot), compute_, copy_);
    }
    void upload(std::span<const double> p, std::span<const double> p_previous, int shot) override;
    void download_traces(std::span<float> values, int shot) const override { copy_traces(values, shot); }
    void download_traces(std::span<double> values, int shot) const override { copy_traces(values, shot); }

    void sample(std::span<const std::int64_t> nodes, std::span<double> values, int shot) const override;
    void copy_planes(const Wavefield& other, std::int64_t from_plane, std::int64_t to_plane,
                     std::int64_t count) override;
    void await_planes() override;
    std::unique_ptr<PlaneBuffer> make_plane_buffer(std::int64_t planes) const override {
        return std::make_unique<PinnedPlanes>(planes, plane_buffer_bytes(problem(), planes, shots_));
    }
    bool copy_out(std::int64_t from_plane, PlaneBuffer& planes) const override {
        pack(from_plane, planes.planes(), planes.bytes().data(), cudaMemcpyDeviceToHost);
        return false;
    }
    void await_copies_out() const override {
        scope_.enter();
        incoming_.wait();
    }
    void copy_in(std::int64_t to_plane, const PlaneBuffer& planes) override {
        unpack(to_plane, planes.planes(), planes.bytes().data(), cudaMemcpyHostToDevice);
    }
    std::unique_ptr<PlanePort> make_plane_port(std::int64_t planes, std::int64_t from_plane,
                                               std::int64_t to_plane) override;
    std::vector<StatePart> state_parts() const override;
    void read_state(int shot, const StatePart& part, const StateVisitor& take) const override;
    void write_state(int shot, const StatePart& part, const StateVisitor& fill) override;

    int ordinal() const override { return setup_.ordinal; }
    void enter() const override { scope_.enter(); }
    std::int64_t prepare_steps() override {
        prepare_shots();
        return prepared_;
    }
    const Stream& stream() const override { return compute_; }
    int level() const override { return now_; }
    bool records(std::int64_t sample) const override { return traces_.records(sample); }
    std::int64_t samples_until_flush(std::int64_t sample) const override { return traces_.samples_until_flush(sample); }
    void begin_capture(bool records) override {
        before_capture_ = {counted_, now_};
        counted_ = 0;
        capturing_ = true;
        graph_records_ = records;
    }
    void end_capture() override {
        std::tie(counted_, now_) = before_capture_;
        capturing_ = false;
        under_way_.clear();  // of a capture that failed
    }
    void begin_launch(std::int64_t first) override {
        scope_.enter();
        set_base(first);
    }
    void end_launch(std::int64_t first, std::int64_t count) override {
        now_ = static_cast<int>((now_ + count) % 2);
        scope_.enter();
        traces_.flush(first + count, compute_, copy_);
    }

private:
    class Port;

    /// Sources on the device; kept as long as they are used.
    struct DeviceSources {
        DeviceBuffer<std::int64_t> element, first, samples;
        DeviceBuffer<std::int32_t> row;
        DeviceBuffer<T> amplitude, signal;
        [[nodiscard]] std::int64_t bytes() const {
            return element.bytes() + first.bytes() + samples.bytes() + row.bytes() + amplitude.bytes() + signal.bytes();
        }
        [[nodiscard]] SourceNodes<T> nodes() const {
            return {element.data(),
                    first.data(),
                    row.data(),
                    amplitude.data(),
                    signal.data(),
                    samples.data(),
                    static_cast<int>(element.size())};
        }
    };

    /// Calls body(plane with its halos, bytes before it in a PlaneBuffer, bytes of a row, rows).
    template <typename Body>
    void for_planes(std::int64_t first_plane, std::int64_t planes, const Body& body) const;
    /// Queues copies of planes of p[n] to memory like that of a PlaneBuffer, and from there.
    void pack(std::int64_t from_plane, std::int64_t planes, std::byte* to, cudaMemcpyKind kind) const;
    void unpack(std::int64_t to_plane, std::int64_t planes, const std::byte* from, cudaMemcpyKind kind);
    [[nodiscard]] T* p() const { return p_[now_]; }
    [[nodiscard]] T* q() const { return p_[1 - now_]; }
    /// Of a node (Grid::at index) of one shot, from node (0, 0, 0) of the field.
    [[nodiscard]] std::int64_t relative_element(std::int64_t node, int shot) const {
        const auto [x, y, z] = setup_.grid.node(node);
        return field_.at(x, y, z) - field_.origin + shot * shot_step_;
    }
    [[nodiscard]] int offset_of(std::int64_t n) const { return static_cast<int>(n - counted_); }
    void set_base(std::int64_t n) {
        set_counter(counter_.data(), n, compute_.get());
        counted_ = n;
    }
    [[nodiscard]] WindowRows rows_of(const Window& w, int shot) const {
        return {field_.at(w.first[0], w.first[1], w.first[2]) - field_.origin + shot * shot_step_,
                w.step[0],
                w.step[1] * field_.pitch,
                w.step[2] * field_.plane,
                w.count[0],
                w.count[1],
                0,
                w.count[1] * w.count[2]};
    }
    /// Rows of `length` values that the staging memory holds, at most `all`.
    template <typename U>
    [[nodiscard]] std::int64_t rows_of_staging(std::int64_t length, std::int64_t all) const {
        return std::min(staging_.size() / (length * static_cast<std::int64_t>(sizeof(U))), all);
    }
    /// The perfectly matched layers, which the fused kernel computes too; null without.
    [[nodiscard]] const CpmlLayers<T>* layers() const {
        for (const auto& strip : strips(StripTurn::after_step))
            if (const auto* found = dynamic_cast<const CpmlLayers<T>*>(strip.get())) return found;
        return nullptr;
    }
    /// Brings sources and receivers to the device that were set since the last step.
    void prepare_shots() {
        scope_.enter();
        if (!sources_are_set_) upload_sources();
        if (!receivers_are_set_) upload_receivers();
    }
    using Strips = std::vector<std::unique_ptr<StripSteps<T>>>;
    [[nodiscard]] Strips& strips(StripTurn turn) { return strips_[static_cast<std::size_t>(turn)]; }
    [[nodiscard]] const Strips& strips(StripTurn turn) const { return strips_[static_cast<std::size_t>(turn)]; }
    void apply(const StripSteps<T>& strip, const StepLevels<T>& levels) const {
        for (int volume = 0; volume < volumes_; ++volume) strip.apply(levels, volume, compute_.get());
    }
    [[nodiscard]] T* odd() const { return odd_memory_.size() > 0 ? odd_memory_.data() + field_.origin : nullptr; }
    /// Queues zeros everywhere. In the padding, too: vectors at the end of a row read it.
    void clear_levels() {
        for (const DeviceBuffer<T>* levels : {&memory_, &odd_memory_})
            if (levels->size() > 0)
                ONDA_CUDA_TRY(cudaMemsetAsync(levels->data(), 0, static_cast<std::size_t>(levels->size()) * sizeof(T),
                                              compute_.get()));
    }
    void make_parts(const Fields<T>& fields);
    void upload_sources();
    DeviceSources upload_sources(const std::vector<Sources>& of_shots);
    void upload_receivers();
    std::unique_ptr<StepGraphs> make_graphs(std::vector<GraphPart*> parts, QueueSteps queue) const {
        return std::make_unique<StepGraphs>(std::move(parts), graph_length(setup_.stepping), setup_.stride(),
                                            std::move(queue));
    }
    void queue_steps(std::int64_t first, std::int64_t count);
    void queue_shell(std::int64_t n);
    void queue_pass(ShellPass pass, T* level, T* before, T* next, bool first);
    void queue_fused_step(std::int64_t n, bool records);
    template <typename U>
    void copy_out(const T* from, WindowRows rows, std::span<U> values) const;
    template <typename U>
    void copy_in(T* to, WindowRows rows, std::span<const U> values) const;
    template <typename U>
    void copy_traces(std::span<U> values, int shot) const;
    template <typename Body>
    void for_odd_level(int shot, const Body& body) const;
    template <typename Body>
    void for_state(int shot, const Body& body) const;

    std::shared_ptr<CudaMedium<T>> medium_;
    const Setup& setup_;
    int shots_;
    DeviceScope scope_;
    Grid grid_;  ///< of a volume: see batched()
    Layout field_;
    int volumes_;
    std::int64_t shot_step_;  ///< elements from node (0, 0, 0) of a shot to that of the next
    Allocations planned_;
    Shell shell_ = shell_of(setup_);  ///< used where k L is applied twice
    DeviceBuffer<T> memory_;          ///< of both levels, one allocation
    DeviceBuffer<T> odd_memory_;      ///< where there is a shell: of p[n-1] of leaps, else of u; else nothing
    T* p_[2] = {nullptr, nullptr};    ///< at node (0, 0, 0)
    DeviceBuffer<LayerCopy> copies_[3];
    DeviceBuffer<std::byte> staging_;     ///< for rows on their way
    DeviceBuffer<std::int64_t> counter_;  ///< the step that offsets of sources and receivers count from
    DeviceBuffer<Largest> largest_;
    DeviceBuffer<std::uint64_t> hashes_;  ///< of the planes of one shot
    Stream compute_, copy_;
    std::vector<std::unique_ptr<Stepper>> steppers_;              ///< of each volume
    std::vector<std::unique_ptr<Stepper>> inside_, beside_cuts_;  ///< of parts of each volume: see step_inside()
    Stream incoming_ = Stream::urgent();                          ///< of planes from and to other slabs
    Event complete_, arrived_;                     ///< p[n] may be copied; the planes of other slabs have been
    mutable std::vector<const Event*> under_way_;  ///< copies to and from this wavefield
    std::array<Strips, 3> strips_;                 ///< of each turn, in the order of a step
    std::unique_ptr<ShellSteps<T>> shell_steps_;   ///< null without the odd level
    std::unique_ptr<FusedSteps<T>> fused_;         ///< null where a step takes several launches
    std::shared_ptr<Downloads> downloads_;
    std::vector<Sources> sources_of_;        ///< of each shot
    std::vector<NodeWeights> receivers_of_;  ///< of each shot
    std::int64_t samples_ = 0;
    bool sources_are_set_ = true, receivers_are_set_ = true;
    DeviceSources sources_, odd_sources_;  ///< of the level that is computed; of the odd level, or u
    mutable TraceRecorder<T> traces_;      ///< asking for traces collects what is still on the device
    int now_ = 0;
    // What follows counts updates: steps, or leaps.
    std::int64_t counted_ = 0;  ///< value of counter_ at this place of the stream
    bool capturing_ = false;
    bool graph_records_ = false;                   ///< whether captured steps record samples
    std::pair<std::int64_t, int> before_capture_;  ///< counted_ and now_
    std::int64_t prepared_ = 0;                    ///< see prepare_steps()
    std::unique_ptr<StepGraphs> own_steps_;
};

template <typename T>
void CudaWavefield<T>::reset() {
    scope_.enter();
    copy_.wait();
    clear_levels();
    for (const auto& of_turn : strips_)
        for (const auto& strip : of_turn) strip->reset(compute_.get());
    ++prepared_;
    for (Sources& sources : sources_of_) sources = {};
    for (NodeWeights& receivers : receivers_of_) receivers = {};
    sources_are_set_ = receivers_are_set_ = true;
    sources_ = {};
    odd_sources_ = {};
    traces_.clear();
    set_base(0);
    compute_.wait();
}

template <typename T>
void CudaWavefield<T>::set_sources(int shot, const Sources& sources) {
    sources_of_.at(static_cast<std::size_t>(shot)) = sources;
    sources_are_set_ = false;
}

template <typename T>
void CudaWavefield<T>::set_receivers(int shot, const NodeWeights& receivers, std::int64_t samples) {
    receivers_of_.at(static_cast<std::size_t>(shot)) = receivers;
    samples_ = samples;
    receivers_are_set_ = false;
}

template <typename T>
void CudaWavefield<T>::upload_sources() {
    compute_.wait();
    ++prepared_;
    sources_ = {};
    odd_sources_ = {};
    sources_are_set_ = true;
    if (setup_.applications() == Applications::once) {
        sources_ = upload_sources(sources_of_);
        return;
    }
    std::vector<Sources> odd, even;
    for (const Sources& sources : sources_of_) {
        LeapSources shares = leap_sources(*medium_, sources, shell_);
        odd.push_back(samples_of_updates(std::move(shares.odd), setup_.stride()));
        even.push_back(samples_of_updates(std::move(shares.even), setup_.stride()));
    }
    odd_sources_ = upload_sources(odd);
    sources_ = upload_sources(even);
}

template <typename T>
typename CudaWavefield<T>::DeviceSources CudaWavefield<T>::upload_sources(const std::vector<Sources>& of_shots) {
    struct Node {
        unsigned block;  ///< of the fused kernel, which adds it
        std::int64_t element;
        std::vector<std::int32_t> row;
        std::vector<T> amplitude;
    };
    std::vector<Node> nodes;
    std::vector<std::int64_t> samples{0};
    std::vector<T> signal;
    for (int shot = 0; shot < shots_; ++shot) {
        const Sources& sources = of_shots[static_cast<std::size_t>(shot)];
        const std::vector<SourceEntry> entries = source_entries(sources.nodes);
        const std::vector<double> amplitudes = source_amplitudes(*medium_, sources, entries);
        const auto rows_before = static_cast<std::int32_t>(samples.size()) - 1;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (i == 0 || entries[i].node != entries[i - 1].node) {
                const std::array<std::int64_t, 3> node = setup_.grid.node(entries[i].node);
                nodes.push_back(
                    {fused_ ? fused_->block_of(node, shot) : 0, relative_element(entries[i].node, shot), {}, {}});
            }
            nodes.back().row.push_back(rows_before + static_cast<std::int32_t>(entries[i].row));
            nodes.back().amplitude.push_back(static_cast<T>(amplitudes[i]));
        }
        for (const std::vector<double>& series : sources.signal) {
            signal.insert(signal.end(), series.begin(), series.end());
            samples.push_back(static_cast<std::int64_t>(signal.size()));
        }
    }
    std::ranges::stable_sort(nodes, {}, &Node::block);
    std::vector<unsigned> blocks;
    std::vector<std::int64_t> element, first{0};
    std::vector<std::int32_t> row;
    std::vector<T> amplitude;
    for (const Node& node : nodes) {
        blocks.push_back(node.block);
        element.push_back(node.element);
        row.insert(row.end(), node.row.begin(), node.row.end());
        amplitude.insert(amplitude.end(), node.amplitude.begin(), node.amplitude.end());
        first.push_back(static_cast<std::int64_t>(row.size()));
    }
    if (fused_) fused_->set_sources(blocks);
    if (nodes.empty()) return {};
    Allocations planned;
    add_sources(planned, {std::ssize(element), std::ssize(row), std::ssize(samples) - 1, std::ssize(signal)},
                sizeof(T));
    return {
        upload_vector(planned.of("sources.element"), element),     upload_vector(planned.of("sources.first"), first),
        upload_vector(planned.of("sources.samples"), samples),     upload_vector(planned.of("sources.row"), row),
        upload_vector(planned.of("sources.amplitude"), amplitude), upload_vector(planned.of("sources.signal"), signal)};
}

template <typename T>
void CudaWavefield<T>::upload_receivers() {
    NodeWeights all;
    std::vector<std::int64_t> element;
    for (int shot = 0; shot < shots_; ++shot) {
        const NodeWeights& receivers = receivers_of_[static_cast<std::size_t>(shot)];
        for (std::size_t i = 1; i < receivers.first.size(); ++i)
            all.first.push_back(static_cast<std::int64_t>(element.size()) + receivers.first[i]);
        for (const std::int64_t node : receivers.node) element.push_back(relative_element(node, shot));
        all.weight.insert(all.weight.end(), receivers.weight.begin(), receivers.weight.end());
    }
    compute_.wait();
    ++prepared_;
    traces_.begin(all, element, samples_);
    receivers_are_set_ = true;
}

template <typename T>
template <typename U>
void CudaWavefield<T>::copy_traces(std::span<U> values, int shot) const {
    scope_.enter();
    std::int64_t before = 0;
    for (int other = 0; other < shot; ++other) before += receivers_of_[static_cast<std::size_t>(other)].rows();
    traces_.copy(values, before, receivers_of_.at(static_cast<std::size_t>(shot)).rows(), compute_);
}

/// Step n, after which p[n+1] is complete. \param records whether sample n is still to be taken.
template <typename T>
void CudaWavefield<T>::queue_fused_step(std::int64_t n, bool records) {
    fill_halos_of(p(), 1);
    const Strips& all = strips(StripTurn::after_step);
    const bool absorbs_later = std::ranges::any_of(all, [](const auto& strip) { return !strip->in_whole_steps(); });
    fused_->step(now_,
                 {records && (capturing_ ? graph_records_ : traces_.records(n)), !absorbs_later, traces_.nodes(),
                  sources_.nodes(), counter_.data(), offset_of(n)},
                 compute_.get());
    if (records && !capturing_) traces_.flush(n, compute_, copy_);
    if (!absorbs_later) return;
    for (const auto& strip : all)
        if (!strip->in_whole_steps()) apply(*strip, {p(), q(), now_});
    inject(n);
}

/// One pass over the shell, and the strips that follow it. \param first whether it makes the odd level, or u.
template <typename T>
void CudaWavefield<T>::queue_pass(ShellPass pass, T* level, T* before, T* next, bool first) {
    for (int volume = 0; volume < volumes_; ++volume) {
        const std::int64_t at = volume * volume_step(field_);
        if (first)
            shell_steps_->to_odd(pass, level + at, next + at, compute_.get());
        else
            shell_steps_->to_next(pass, level + at, before + at, next + at, compute_.get());
    }
    for (const auto& strip : strips(turn_of(pass))) apply(*strip, {level, next, now_});
}

/// The nodes that update n (from 0 on) leaves to the shell: in leaps two single steps, from p[2n] to p[2n+1] and on to
/// p[2n+2]; of order 4 in time u = A p, and p[n+1] from it.
template <typename T>
void CudaWavefield<T>::queue_shell(std::int64_t n) {
    const bool leaps = setup_.stepping == Stepping::leap;
    queue_pass(leaps ? ShellPass::step : ShellPass::inner, p(), odd(), odd(), true);
    add_sources(odd(), odd_sources_.nodes(), counter_.data(), offset_of(n), compute_.get());
    fill_halos_of(odd(), 2);
    queue_pass(leaps ? ShellPass::step : ShellPass::outer, odd(), p(), q(), false);
}

template <typename T>
void CudaWavefield<T>::update(std::int64_t n) {
    prepare_shots();
    fill_halos();
    step();
    if (shell_steps_) queue_shell(n / setup_.stride());
    if (setup_.stepping == Stepping::single) absorb();
    inject(n / setup_.stride());
}

/// Queues steps whose samples are of one batch. A fused step records the sample of its own beginning; only the last one
/// needs a launch of its own.
template <typename T>
void CudaWavefield<T>::queue_steps(std::int64_t first, std::int64_t count) {
    if (!fused_) return Wavefield::enqueue(first, count);
    for (std::int64_t n = first; n < first + count; ++n) {
        queue_fused_step(n, n > first);
        swap();
    }
    record(first + count);
}

// Graphs copy from GPU to GPU only where these reach each other's memory, which asking for it enables.
template <typename T>
std::unique_ptr<StepQueue> CudaWavefield<T>::make_step_queue(const std::vector<Wavefield*>& slabs, QueueSteps queue) {
    std::vector<GraphPart*> parts;
    int before = setup_.ordinal;
    for (Wavefield* slab : slabs) {
        auto* const part = dynamic_cast<CudaWavefield*>(slab);
        if (part == nullptr || !connect_gpus(before, part->setup_.ordinal)) return nullptr;
        before = part->setup_.ordinal;
        parts.push_back(part);
    }
    return make_graphs(std::move(parts), std::move(queue));
}

template <typename T>
std::vector<Extremum> CudaWavefield<T>::extrema() const {
    scope_.enter();
    FieldShape shape = shape_of(field_);
    if (grid_.dimensions == 2) shape.ny = 1;
    find_largest(p(), shape, shots_, shot_step_, largest_.data(), compute_.get());
    std::vector<Largest> results(static_cast<std::size_t>(largest_.size()));
    compute_.wait();
    ONDA_CUDA_TRY(
        cudaMemcpy(results.data(), largest_.data(), results.size() * sizeof results[0], cudaMemcpyDeviceToHost));
    const auto before = [](const Largest& a, const Largest& b) {
        return a.bits > b.bits || (a.bits == b.bits && a.node < b.node);
    };
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    std::vector<Extremum> found;
    const std::span<const Largest> all(results);
    const std::size_t of_shot = all.size() / static_cast<std::size_t>(shots_);
    for (std::size_t shot = 0; shot < static_cast<std::size_t>(shots_); ++shot) {
        const Largest largest = *std::ranges::min_element(all.subspan(shot * of_shot, of_shot), before);
        const auto value = static_cast<double>(std::bit_cast<T>(static_cast<Bits>(largest.bits)));
        found.push_back({value, largest.node, std::isfinite(value)});
    }
    return found;
}

template <typename T>
void CudaWavefield<T>::hash_planes(const Window& window, std::span<std::uint64_t> hashes, int shot) const {
    if (!can_hash_planes(window.count[0] * window.count[1] * static_cast<std::int64_t>(sizeof(T))))
        return Wavefield::hash_planes(window, hashes, shot);
    scope_.enter();
    cuda::hash_planes(p(), rows_of(window, shot), hashes_.data(), compute_.get());
    compute_.wait();
    ONDA_CUDA_TRY(cudaMemcpy(hashes.data(), hashes_.data(), hashes.size_bytes(), cudaMemcpyDeviceToHost));
}

template <typename T>
template <typename U>
void CudaWavefield<T>::copy_out(const T* from, WindowRows rows, std::span<U> values) const {
    scope_.enter();
    const std::int64_t all = rows.rows, most = rows_of_staging<U>(rows.count_x, all);
    auto* const piece = reinterpret_cast<U*>(staging_.data());
    for (rows.first_row = 0; rows.first_row < all; rows.first_row += most) {
        rows.rows = std::min(most, all - rows.first_row);
        gather(from, rows, piece, compute_.get());
        compute_.wait();
        ONDA_CUDA_TRY(cudaMemcpy(values.data() + rows.first_row * rows.count_x, piece,
                                 static_cast<std::size_t>(rows.rows * rows.count_x) * sizeof(U),
                                 cudaMemcpyDeviceToHost));
    }
}

template <typename T>
template <typename U>
void CudaWavefield<T>::copy_in(T* to, WindowRows rows, std::span<const U> values) const {
    scope_.enter();
    const std::int64_t all = rows.rows, most = rows_of_staging<U>(rows.count_x, all);
    auto* const piece = reinterpret_cast<U*>(staging_.data());
    for (rows.first_row = 0; rows.first_row < all; rows.first_row += most) {
        rows.rows = std::min(most, all - rows.first_row);
        compute_.wait();
        copy_to_device(piece, values.data() + rows.first_row * rows.count_x, rows.rows * rows.count_x);
        scatter(to, rows, piece, compute_.get());
    }
    compute_.wait();
}

template <typename T>
void CudaWavefield<T>::upload(std::span<const double> p_now, std::span<const double> p_previous, int shot) {
    const WindowRows rows = rows_of(Window::whole(setup_.grid), shot);
    copy_in(p(), rows, p_now);
    copy_in(q(), rows, p_previous);
    const auto forget = [&](const StatePart& part, T* memory, WindowRows plane) {
        const std::vector<T> silence(static_cast<std::size_t>(part.extents[0] * part.extents[1]));
        for (std::int64_t z = 0; z < part.extents[2]; ++z, plane.element += plane.step_z)
            copy_in(memory, plane, std::span<const T>(silence));
    };
    for_odd_level(shot, forget);
    for (const auto& of_turn : strips_)
        for (const auto& strip : of_turn) strip->for_state(shot, now_, forget);
}

/// Calls body(part, array, rows of a plane) for the parts of the odd level that anybody needs.
template <typename T>
template <typename Body>
void CudaWavefield<T>::for_odd_level(int shot, const Body& body) const {
    if (odd_memory_.size() == 0 || setup_.stepping == Stepping::single) return;
    const std::array<Box, 6> boxes = odd_boxes(shell_);
    for (int face = 0; face < 6; ++face) {
        const Box& box = boxes[static_cast<std::size_t>(face)];
        if (box.empty()) continue;
        const StatePart part = odd_state(face, box, sizeof(T));
        body(part, odd(), rows_of({box.low, {part.extents[0], part.extents[1], 1}, {1, 1, 1}}, shot));
    }
}

/// Calls body(part, array, rows of a plane) for every array of a shot's state.
template <typename T>
template <typename Body>
void CudaWavefield<T>::for_state(int shot, const Body& body) const {
    const auto& n = setup_.grid.n;
    const WindowRows plane = rows_of({{0, 0, 0}, {n[0], n[1], 1}, {1, 1, 1}}, shot);
    body(StatePart{"p", n, sizeof(T)}, p(), plane);
    body(StatePart{"p_previous", n, sizeof(T)}, q(), plane);
    for_odd_level(shot, body);
    for (const StripTurn turn : kTurns)
        for (const auto& strip : strips(turn))
            strip->for_state(shot, now_, [&](StatePart part, T* array, const WindowRows& rows) {
                part.name = name_in(turn, part.name);
                body(part, array, rows);
            });
}

template <typename T>
std::vector<StatePart> CudaWavefield<T>::state_parts() const {
    std::vector<StatePart> parts;
    for_state(0, [&](const StatePart& part, const T*, const WindowRows&) { parts.push_back(part); });
    return parts;
}

template <typename T>
void CudaWavefield<T>::read_state(int shot, const StatePart& wanted, const StateVisitor& take) const {
    for_state(shot, [&](const StatePart& part, const T* array, WindowRows plane) {
        if (part != wanted) return;
        std::vector<T> values(static_cast<std::size_t>(part.extents[0] * part.extents[1]));
        for (std::int64_t z = 0; z < part.extents[2]; ++z, plane.element += plane.step_z) {
            copy_out(array, plane, std::span<T>(values));
            take(part, z, std::as_writable_bytes(std::span<T>(values)));
        }
    });
}

template <typename T>
void CudaWavefield<T>::write_state(int shot, const StatePart& wanted, const StateVisitor& fill) {
    for_state(shot, [&](const StatePart& part, T* array, WindowRows plane) {
        if (part != wanted) return;
        std::vector<T> values(static_cast<std::size_t>(part.extents[0] * part.extents[1]));
        for (std::int64_t z = 0; z < part.extents[2]; ++z, plane.element += plane.step_z) {
            fill(part, z, std::as_writable_bytes(std::span<T>(values)));
            copy_in(array, plane, std::span<const T>(values));
        }
    });
}

template <typename T>
void CudaWavefield<T>::sample(std::span<const std::int64_t> nodes, std::span<double> values, int shot) const {
    std::vector<std::int64_t> element;
    for (const std::int64_t node : nodes) element.push_back(relative_element(node, shot));
    scope_.enter();
    sample_elements(p(), element, values, compute_);
}

/// Steppers of the planes that read none beyond a cut, and of the others.
template <typename T>
void CudaWavefield<T>::make_parts(const Fields<T>& fields) {
    const Instance<T>& instance = medium_->instance();
    const PlaneRange inside = planes_inside(setup_);
    if (inside.begin == 0 && inside.end == grid_.nz()) return;
    const auto add = [&](auto& list, std::int64_t begin, std::int64_t end) {
        for (int volume = 0; begin < end && volume < volumes_; ++volume)
            list.push_back(instance.make(instance, planes_of(fields.volume(volume), begin, end)));
    };
    add(inside_, inside.begin, inside.end);
    add(beside_cuts_, 0, inside.begin);
    add(beside_cuts_, inside.end, grid_.nz());
}

// The copy begins when both wavefields have got here, and nothing waits for it but its own stream: what reads these
// planes, or overwrites the ones that are read, comes after await_planes(). The addresses tell the GPUs: a copy that
// names them cannot be captured into a graph.
template <typename T>
void CudaWavefield<T>::copy_planes(const Wavefield& other, std::int64_t from_plane, std::int64_t to_plane,
                                   std::int64_t count) {
    const auto& from = dynamic_cast<const CudaWavefield&>(other);
    const std::int64_t before = field_.halo[0] + field_.halo[1] * field_.pitch;
    const std::int64_t elements = (count - 1) * field_.plane + (field_.n[1] + 2 * field_.halo[1]) * field_.pitch;
    for (const CudaWavefield* side : {&from, static_cast<const CudaWavefield*>(this)}) {
        side->scope_.enter();
        side->complete_.record(side->compute_);
    }
    from.complete_.hold(incoming_);
    complete_.hold(incoming_);
    for (int volume = 0; volume < volumes_; ++volume)
        ONDA_CUDA_TRY(cudaMemcpyAsync(p() + volume * volume_step(field_) + to_plane * field_.plane - before,
                                      from.p() + volume * volume_step(from.field_) + from_plane * field_.plane - before,
                                      static_cast<std::size_t>(elements) * sizeof(T), cudaMemcpyDefault,
                                      incoming_.get()));
    arrived_.record(incoming_);
    for (const CudaWavefield* side : {&from, static_cast<const CudaWavefield*>(this)})
        side->under_way_.push_back(&arrived_);
}

// A volume is a shot: slabs are of three dimensions.
template <typename T>
template <typename Body>
void CudaWavefield<T>::for_planes(std::int64_t first_plane, std::int64_t planes, const Body& body) const {
    const std::int64_t halo = problem().scheme.halo();  // those of the arrays are wider along x, for their vectors
    const std::size_t row = static_cast<std::size_t>(field_.n[0] + 2 * halo) * sizeof(T);
    const auto rows = static_cast<std::size_t>(field_.n[1] + 2 * halo);
    const std::int64_t before = halo + halo * field_.pitch;
    std::size_t at = 0;
    for (int volume = 0; volume < volumes_; ++volume)
        for (std::int64_t z = first_plane; z < first_plane + planes; ++z, at += row * rows)
            body(p() + volume * volume_step(field_) + z * field_.plane - before, at, row, rows);
}

template <typename T>
void CudaWavefield<T>::pack(std::int64_t from_plane, std::int64_t planes, std::byte* to, cudaMemcpyKind kind) const {
    scope_.enter();
    complete_.record(compute_);
    complete_.hold(incoming_);
    const std::size_t pitch = static_cast<std::size_t>(field_.pitch) * sizeof(T);
    for_planes(from_plane, planes, [&](const T* plane, std::size_t at, std::size_t row, std::size_t rows) {
        ONDA_CUDA_TRY(cudaMemcpy2DAsync(to + at, row, plane, pitch, row, rows, kind, incoming_.get()));
    });
}

// Comes after a copy out of the same step, and so after what read the planes that it overwrites.
template <typename T>
void CudaWavefield<T>::unpack(std::int64_t to_plane, std::int64_t planes, const std::byte* from, cudaMemcpyKind kind) {
    scope_.enter();
    const std::size_t pitch = static_cast<std::size_t>(field_.pitch) * sizeof(T);
    for_planes(to_plane, planes, [&](T* plane, std::size_t at, std::size_t row, std::size_t rows) {
        ONDA_CUDA_TRY(cudaMemcpy2DAsync(plane, pitch, from + at, row, row, rows, kind, incoming_.get()));
    });
    arrived_.record(incoming_);
    under_way_.push_back(&arrived_);
}

/// An end of a cut: planes are packed, so that devices whose rows have another pitch understand them.
template <typename T>
class CudaWavefield<T>::Port final : public PlanePort {
public:
    Port(CudaWavefield& wavefield, std::int64_t planes, std::int64_t from_plane, std::int64_t to_plane)
        : wavefield_(wavefield), planes_(planes), from_plane_(from_plane), to_plane_(to_plane) {
        wavefield_.scope_.enter();
        const std::int64_t bytes = plane_buffer_bytes(wavefield_.problem(), planes_, wavefield_.shots_);
        for (DeviceBuffer<std::byte>* buffer : {&out_, &in_})
            *buffer = DeviceBuffer<std::byte>(on_device("planes for other processes", Owner::wavefield, bytes, 1));
    }

    std::string place() const override {
        return link_place(platform().gpus.at(static_cast<std::size_t>(wavefield_.setup_.ordinal)).bus_id);
    }
    std::vector<std::byte> make_link_id() const override { return make_nccl_id(); }
    std::shared_ptr<PlaneLink> connect(std::span<const std::byte> id, int end) const override {
        wavefield_.scope_.enter();
        return std::make_shared<NcclLink>(id, end);
    }
    void exchange(PlaneLink& link) override {
        wavefield_.pack(from_plane_, planes_, out_.data(), cudaMemcpyDeviceToDevice);
        const auto bytes = static_cast<std::size_t>(out_.size());
        dynamic_cast<NcclLink&>(link).exchange({out_.data(), bytes}, {in_.data(), bytes}, wavefield_.incoming_.get());
        wavefield_.unpack(to_plane_, planes_, in_.data(), cudaMemcpyDeviceToDevice);
    }

private:
    CudaWavefield& wavefield_;
    std::int64_t planes_, from_plane_, to_plane_;
    DeviceBuffer<std::byte> out_, in_;
};

template <typename T>
std::unique_ptr<PlanePort> CudaWavefield<T>::make_plane_port(std::int64_t planes, std::int64_t from_plane,
                                                             std::int64_t to_plane) {
    if (link_library().name.empty()) return nullptr;
    return std::make_unique<Port>(*this, planes, from_plane, to_plane);
}

template <typename T>
void CudaWavefield<T>::await_planes() {
    scope_.enter();
    for (const Event* arrived : under_way_) arrived->hold(compute_);
    under_way_.clear();
}

}  // namespace

template <typename T>
std::unique_ptr<Wavefield> CudaMedium<T>::make_wavefield(int shots) {
    if (shots < 1 || shots > most_shots(setup()))
        throw std::invalid_argument("a wavefield of " + std::to_string(shots) + " shots: at most " +
                                    std::to_string(most_shots(setup())) + " fit one launch");
    return std::make_unique<CudaWavefield<T>>(std::static_pointer_cast<CudaMedium>(Medium::shared_from_this()), shots);
}
template std::unique_ptr<Wavefield> CudaMedium<float>::make_wavefield(int);
template std::unique_ptr<Wavefield> CudaMedium<double>::make_wavefield(int);

int most_shots(const Setup& setup) {
    constexpr int most = 1024;
    if (setup.grid.dimensions == 2) return most;
    return setup.precision == Precision::float32 ? (takes_whole_steps<float>(setup, 1) ? most : 1)
                                                 : (takes_whole_steps<double>(setup, 1) ? most : 1);
}

}  // namespace onda::cuda
