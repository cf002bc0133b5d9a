// Wavefields on one GPU: the fields of some shots on a medium. Everything of a time step runs on the device.
#include "kernels/wavefield.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include "kernels/cuda/buffers.hpp"
#include "kernels/cuda/field_operations.hpp"
#include "kernels/cuda/fields/cuda_fields.hpp"
#include "kernels/cuda/fused/fused_steps.hpp"
#include "kernels/cuda/graphs/step_graphs.hpp"
#include "kernels/cuda/leap/shell_steps.hpp"
#include "kernels/cuda/medium.hpp"
#include "kernels/cuda/memory.hpp"
#include "kernels/cuda/shots/device_sources.hpp"
#include "kernels/cuda/shots/traces.hpp"
#include "kernels/cuda/strips/cpml.hpp"
#include "kernels/cuda/strips/strip.hpp"
#include "kernels/equations/tti/first_derivative.hpp"
#include "kernels/plan/planes_inside.hpp"
#include "kernels/plan/shell.hpp"
#include "kernels/plan/state_parts.hpp"
#include "kernels/shot/leap_sources.hpp"

namespace onda::cuda {
namespace {

/// The layout of a model that all shots of a batch read: see batched().
Layout shared_by_shots(Layout model, const Grid& grid) {
    if (grid.dimensions == 2) model.pitch = 0;
    return model;
}

template <typename T>
class CudaWavefield final : public Wavefield, public GraphPart {
public:
    CudaWavefield(std::shared_ptr<CudaMedium<T>> medium, Setup setup, int shots)
        : medium_(std::move(medium)),
          setup_(std::move(setup)),
          scope_(setup_.ordinal),
          planned_(allocations(setup_, shots)),
          fields_(setup_, shots, planned_),
          counter_(planned_.of("counter")),
          sources_of_(static_cast<std::size_t>(shots)),
          receivers_of_(static_cast<std::size_t>(shots)) {
        const Fields<T> fields = described_fields();
        const Instance<T>& instance = choose<T>(setup_);
        for (int volume = 0; volume < fields.volumes; ++volume)
            steppers_.push_back(instance.make(instance, fields.volume(volume)));
        make_parts(fields);
        const bool whole_steps = takes_whole_steps<T>(setup_, shots);
        if (has_odd_level(setup_))
            shell_steps_ = std::make_unique<ShellSteps<T>>(fields, box_of_volume(shell_.no_odd, fields.grid));
        for (const StripTurn turn : kTurns)
            strips(turn) = make_strips<T>({{setup_, fields.grid, fields.volumes, whole_steps, turn}, planned_, fields});
        if (whole_steps)
            fused_ = std::make_unique<FusedSteps<T>>(instance.parameters[0], setup_.scheme.radius(), planned_, fields,
                                                     halo_copies_of(setup_, fields.grid, 2), layers());
        own_steps_ = make_graphs({this}, [this](std::int64_t first, std::int64_t count) { queue_steps(first, count); });
        CudaWavefield::reset();
    }
    ~CudaWavefield() override { scope_.enter_to_free(); }

    const Medium& medium() const override { return *medium_; }
    const FieldSet& fields() const override { return fields_; }
    int shots() const override { return fields_.shots(); }
    std::int64_t allocated_bytes() const override {
        std::int64_t bytes =
            fields_.bytes() + counter_.bytes() + sources_.bytes() + odd_sources_.bytes() + traces_.device_bytes();
        for (const auto& of_turn : strips_)
            for (const auto& strip : of_turn) bytes += strip->bytes();
        return bytes + (fused_ ? fused_->bytes() : 0);
    }

    void reset() override;
    void set_sources(int shot, Sources sources) override;
    void set_receivers(int shot, const NodeWeights& receivers, std::int64_t samples) override;

    void perform(Operation operation, std::int64_t index) override;
    void enqueue(std::int64_t first, std::int64_t count) override { own_steps_->enqueue(first, count); }
    void enqueue_pieces(std::int64_t first, std::span<const std::int64_t> pieces,
                        const RepeatedWork& between) override {
        if (!own_steps_->repeat(first, pieces, between)) Wavefield::enqueue_pieces(first, pieces, between);
    }
    std::unique_ptr<StepQueue> make_step_queue(const std::vector<Wavefield*>& slabs, QueueSteps queue) override;
    void wait() override { compute().wait(); }

    void upload(std::span<const double> p, std::span<const double> p_previous, int shot) override;
    void download_traces(std::span<float> values, int shot) const override { copy_traces(values, shot); }
    void download_traces(std::span<double> values, int shot) const override { copy_traces(values, shot); }

    std::vector<StatePart> state_parts() const override;
    void read_state(int shot, const StatePart& part, const StateVisitor& take) const override;
    void write_state(int shot, const StatePart& part, const StateVisitor& fill) override;

    int ordinal() const override { return setup_.ordinal; }
    void enter() const override { scope_.enter(); }
    std::int64_t prepare_steps() override {
        prepare_shots();
        return prepared_;
    }
    const Stream& stream() const override { return compute(); }
    int level() const override { return fields_.level(); }
    bool records(std::int64_t sample) const override { return traces_.records(sample); }
    std::int64_t samples_until_flush(std::int64_t sample) const override { return traces_.samples_until_flush(sample); }
    void begin_capture(bool records) override {
        before_capture_ = {counted_, fields_.level()};
        counted_ = 0;
        capturing_ = true;
        graph_records_ = records;
    }
    void end_capture() override {
        counted_ = before_capture_.first;
        fields_.set_level(before_capture_.second);
        capturing_ = false;
        fields_.forget_planes();
    }
    void begin_launch(std::int64_t first) override {
        scope_.enter();
        set_base(first);
    }
    void end_launch(std::int64_t first, std::int64_t count) override {
        fields_.set_level(static_cast<int>((fields_.level() + count) % 2));
        scope_.enter();
        traces_.flush(first + count, compute(), fields_.copy());
    }

private:
    using Steppers = std::vector<std::unique_ptr<Stepper>>;
    using Strips = std::vector<std::unique_ptr<StripSteps<T>>>;

    [[nodiscard]] Fields<T> described_fields() const;
    [[nodiscard]] const Stream& compute() const { return fields_.compute(); }
    [[nodiscard]] T* p() const { return fields_.now(); }
    [[nodiscard]] T* q() const { return fields_.before(); }
    [[nodiscard]] int offset_of(std::int64_t n) const { return static_cast<int>(n - counted_); }
    void set_base(std::int64_t n) {
        set_counter(counter_.data(), n, compute().get());
        counted_ = n;
    }
    /// \param fused whether the fused kernel has applied the strips that it can.
    void absorb(bool fused) const {
        std::array<StepLevels<T>, kMaxFields> levels{};
        for (std::size_t field = 0; field < fields_.count(); ++field)
            levels[field] = {fields_.now(field), fields_.before(field), fields_.level()};
        for (const auto& strip : strips(StripTurn::after_step))
            if (!fused || !strip->in_whole_steps()) apply(*strip, std::span(levels).first(fields_.count()));
    }
    void inject(std::int64_t n) {
        prepare_shots();
        for (std::size_t field = 0; field < sources_.fields(); ++field)
            add_sources(fields_.before(field), sources_.nodes(field), counter_.data(), offset_of(n), compute().get());
    }
    void record_sample(std::int64_t n) {
        prepare_shots();
        if (capturing_ ? graph_records_ : traces_.records(n))
            traces_.record(fields_.observed(), counter_.data(), offset_of(n), compute().get());
        if (!capturing_) traces_.flush(n, compute(), fields_.copy());
    }
    void take_step(const Steppers& steppers) const {
        for (const auto& stepper : steppers) stepper->step(fields_.level(), compute().get());
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
    [[nodiscard]] Strips& strips(StripTurn turn) { return strips_[static_cast<std::size_t>(turn)]; }
    [[nodiscard]] const Strips& strips(StripTurn turn) const { return strips_[static_cast<std::size_t>(turn)]; }
    void apply(const StripSteps<T>& strip, std::span<const StepLevels<T>> levels) const {
        for (int volume = 0; volume < fields_.volumes(); ++volume) strip.apply(levels, volume, compute().get());
    }
    [[nodiscard]] T* odd() const { return fields_.odd(); }
    [[nodiscard]] bool leaps() const { return setup_.stepping == Stepping::leap; }
    void make_parts(const Fields<T>& fields);
    void upload_sources();
    void upload_receivers();
    std::unique_ptr<StepGraphs> make_graphs(std::vector<GraphPart*> parts, QueueSteps queue) const {
        return std::make_unique<StepGraphs>(std::move(parts), graph_length(setup_.stepping), setup_.stride(),
                                            std::move(queue));
    }
    void queue_steps(std::int64_t first, std::int64_t count);
    void queue_odd(std::int64_t n);
    void queue_shell();
    void queue_pass(ShellPass pass, T* level, T* before, T* next, bool first);
    void perform_fused(Operation operation, std::int64_t n, bool records);
    template <typename U>
    void copy_traces(std::span<U> values, int shot) const;
    template <typename Body>
    void for_odd_level(int shot, const Body& body) const;
    template <typename Body>
    void for_state(int shot, const Body& body) const;

    std::shared_ptr<CudaMedium<T>> medium_;
    Setup setup_;
    DeviceScope scope_;
    Allocations planned_;
    Shell shell_ = shell_of(setup_);  ///< used where k L is applied twice
    CudaFields<T> fields_;
    DeviceBuffer<std::int64_t> counter_;          ///< the step that offsets of sources and receivers count from
    Steppers steppers_;                           ///< of each volume
    Steppers inside_, beside_cuts_;               ///< of parts of each volume: see Operation::step_inside
    std::array<Strips, 3> strips_;                ///< of each turn, in the order of a step
    std::unique_ptr<ShellSteps<T>> shell_steps_;  ///< null without the odd level
    std::unique_ptr<FusedSteps<T>> fused_;        ///< null where a step takes several launches
    std::vector<Sources> sources_of_;             ///< of each shot
    std::vector<NodeWeights> receivers_of_;       ///< of each shot
    std::int64_t samples_ = 0;
    bool sources_are_set_ = true, receivers_are_set_ = true;
    DeviceSources<T> sources_, odd_sources_;  ///< of the level that is computed; of the odd level, or u
    mutable TraceRecorder<T> traces_;         ///< asking for traces collects what is still on the device
    // What follows counts updates: steps, or leaps.
    std::int64_t counted_ = 0;  ///< value of counter_ at this place of the stream
    bool capturing_ = false;
    bool graph_records_ = false;                   ///< whether captured steps record samples
    std::pair<std::int64_t, int> before_capture_;  ///< counted_ and the level of the fields
    std::int64_t prepared_ = 0;                    ///< see prepare_steps()
    std::unique_ptr<StepGraphs> own_steps_;
};

/// All that kernels work on, in arrays that stay where they are.
template <typename T>
Fields<T> CudaWavefield<T>::described_fields() const {
    Fields<T> fields;
    fields_.describe(fields);
    for (std::size_t array = 0; array < medium_->arrays(); ++array)
        fields.medium[array] = {medium_->at_origin(array), shared_by_shots(medium_->layout(array), setup_.grid)};
    fields.coded_k = medium_->coded_k();
    fields.of_class = medium_->of_class();
    set_first_derivatives(setup_, fields.first);
    fields.stencil = make_stencil<T>(setup_.scheme, fields.grid.spacing_m, fields.grid.dimensions);
    fields.leap = box_of_volume(shell_.leap, fields.grid);
    fields.weights = leap_weights<T>(setup_);
    return fields;
}

template <typename T>
void CudaWavefield<T>::reset() {
    scope_.enter();
    fields_.copy().wait();
    fields_.clear();
    for (const auto& of_turn : strips_)
        for (const auto& strip : of_turn) strip->reset(compute().get());
    ++prepared_;
    for (Sources& sources : sources_of_) sources = {};
    for (NodeWeights& receivers : receivers_of_) receivers = {};
    sources_are_set_ = receivers_are_set_ = true;
    sources_ = {};
    odd_sources_ = {};
    traces_.clear();
    set_base(0);
    compute().wait();
}

template <typename T>
void CudaWavefield<T>::set_sources(int shot, Sources sources) {
    sources_of_.at(static_cast<std::size_t>(shot)) = std::move(sources);
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
    compute().wait();
    ++prepared_;
    sources_ = {};
    odd_sources_ = {};
    sources_are_set_ = true;
    if (setup_.applications() == Applications::once) {
        sources_ = DeviceSources<T>(*medium_, fields_, sources_of_, fused_.get());
        return;
    }
    std::vector<Sources> odd, even;
    for (const Sources& sources : sources_of_) {
        LeapSources shares = leap_sources(*medium_, sources, shell_);
        odd.push_back(samples_of_updates(std::move(shares.odd), setup_.stride()));
        even.push_back(samples_of_updates(std::move(shares.even), setup_.stride()));
    }
    odd_sources_ = DeviceSources<T>(*medium_, fields_, odd, nullptr);
    sources_ = DeviceSources<T>(*medium_, fields_, even, nullptr);
}

template <typename T>
void CudaWavefield<T>::upload_receivers() {
    NodeWeights all;
    std::vector<std::int64_t> element;
    for (int shot = 0; shot < shots(); ++shot) {
        const NodeWeights& receivers = receivers_of_[static_cast<std::size_t>(shot)];
        for (std::size_t i = 1; i < receivers.first.size(); ++i)
            all.first.push_back(static_cast<std::int64_t>(element.size()) + receivers.first[i]);
        for (const std::int64_t node : receivers.node) element.push_back(fields_.element(node, shot));
        all.weight.insert(all.weight.end(), receivers.weight.begin(), receivers.weight.end());
    }
    compute().wait();
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
    traces_.copy(values, before, receivers_of_.at(static_cast<std::size_t>(shot)).rows(), compute());
}

/// Performs an operation of kFusedStep in step n. \param records whether sample n is still to be taken.
template <typename T>
void CudaWavefield<T>::perform_fused(Operation operation, std::int64_t n, bool records) {
    const bool absorbs_later =
        std::ranges::any_of(strips(StripTurn::after_step), [](const auto& strip) { return !strip->in_whole_steps(); });
    switch (operation) {
        case Operation::fill_halos: return fields_.fill_halos(1);  // those beyond the faces of z are the kernel's
        case Operation::record: return;                            // a part of the launch
        case Operation::step_beside_cuts:
            fused_->step(fields_.level(),
                         {records && (capturing_ ? graph_records_ : traces_.records(n)), !absorbs_later,
                          traces_.nodes(), sources_.nodes(), counter_.data(), offset_of(n)},
                         compute().get());
            if (records && !capturing_) traces_.flush(n, compute(), fields_.copy());
            return;
        case Operation::absorb: return absorb(true);
        case Operation::inject:
            if (absorbs_later) inject(n);
            return;
        default: return perform(operation, n);
    }
}

/// One pass over the shell, and the strips that follow it. \param first whether it makes the odd level, or u.
template <typename T>
void CudaWavefield<T>::queue_pass(ShellPass pass, T* level, T* before, T* next, bool first) {
    for (int volume = 0; volume < fields_.volumes(); ++volume) {
        const std::int64_t at = volume * fields_.volume_step();
        if (first)
            shell_steps_->to_odd(pass, level + at, next + at, compute().get());
        else
            shell_steps_->to_next(pass, level + at, before + at, next + at, compute().get());
    }
    const std::array levels{StepLevels<T>{level, next, fields_.level()}};
    for (const auto& strip : strips(turn_of(pass))) apply(*strip, levels);
}

/// What update n (from 0 on) makes of the nodes that it leaves to the shell: in leaps p[2n+1] from p[2n], of order 4 in
/// time u = A p.
template <typename T>
void CudaWavefield<T>::queue_odd(std::int64_t n) {
    queue_pass(leaps() ? ShellPass::step : ShellPass::inner, p(), odd(), odd(), true);
    add_sources(odd(), odd_sources_.nodes(), counter_.data(), offset_of(n), compute().get());
}

/// The next level of the shell from that.
template <typename T>
void CudaWavefield<T>::queue_shell() {
    fields_.fill_halos_of(odd(), 2);
    queue_pass(leaps() ? ShellPass::step : ShellPass::outer, odd(), p(), q(), false);
}

// Slabs whose cuts leave nothing inside, and what is not cut, take the step in one.
template <typename T>
void CudaWavefield<T>::perform(Operation operation, std::int64_t index) {
    scope_.enter();
    switch (operation) {
        case Operation::fill_halos: return fields_.fill_halos();
        case Operation::step_inside: return take_step(inside_);
        case Operation::step_beside_cuts:
            return take_step(inside_.empty() && beside_cuts_.empty() ? steppers_ : beside_cuts_);
        case Operation::step_twice:
            prepare_shots();
            take_step(steppers_);
            if (shell_steps_) queue_odd(index);
            return;
        case Operation::step_shell:
            if (shell_steps_) queue_shell();
            return;
        case Operation::absorb: return absorb(false);
        case Operation::inject: return inject(index);
        case Operation::swap: return fields_.swap();
        case Operation::record: return record_sample(index);
        case Operation::send_planes:
        case Operation::await_planes: return;
    }
}

/// Queues steps whose samples are of one batch. The last sample of fused steps takes a launch of its own.
template <typename T>
void CudaWavefield<T>::queue_steps(std::int64_t first, std::int64_t count) {
    if (!fused_) return Wavefield::enqueue(first, count);
    for (std::int64_t n = first; n < first + count; ++n)
        for (const Operation operation : kFusedStep) perform_fused(operation, n, n > first);
    record_sample(first + count);
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
void CudaWavefield<T>::upload(std::span<const double> p_now, std::span<const double> p_previous, int shot) {
    const WindowRows rows = fields_.rows_of(Window::whole(setup_.grid), shot);
    fields_.copy_in(p(), rows, p_now);
    fields_.copy_in(q(), rows, p_previous);
    const auto forget = [&](const StatePart& part, T* memory, WindowRows plane) {
        const std::vector<T> silence(static_cast<std::size_t>(part.extents[0] * part.extents[1]));
        for (std::int64_t z = 0; z < part.extents[2]; ++z, plane.element += plane.step_z)
            fields_.copy_in(memory, plane, std::span<const T>(silence));
    };
    fields_.for_memory(shot, forget);
    for_odd_level(shot, forget);
    for (const auto& of_turn : strips_)
        for (const auto& strip : of_turn) strip->for_state(shot, fields_.level(), forget);
}

/// Calls body(part, array, rows of a plane) for the parts of the odd level that anybody needs.
template <typename T>
template <typename Body>
void CudaWavefield<T>::for_odd_level(int shot, const Body& body) const {
    if (odd() == nullptr || !leaps()) return;
    const std::array<Box, 6> boxes = odd_boxes(shell_);
    for (int face = 0; face < 6; ++face) {
        const Box& box = boxes[static_cast<std::size_t>(face)];
        if (box.empty()) continue;
        const StatePart part = odd_state(face, box, sizeof(T));
        body(part, odd(), fields_.rows_of({box.low, {part.extents[0], part.extents[1], 1}, {1, 1, 1}}, shot));
    }
}

/// Calls body(part, array, rows of a plane) for every array of a shot's state.
template <typename T>
template <typename Body>
void CudaWavefield<T>::for_state(int shot, const Body& body) const {
    fields_.for_state(shot, body);
    for_odd_level(shot, body);
    for (const StripTurn turn : kTurns)
        for (const auto& strip : strips(turn))
            strip->for_state(shot, fields_.level(), [&](StatePart part, T* array, const WindowRows& rows) {
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
    for_state(shot, [&](const StatePart& part, const T* array, const WindowRows& plane) {
        if (part != wanted) return;
        fields_.show_planes(array, plane, part.extents[2], [&](std::int64_t z, std::span<T> values) {
            take(part, z, std::as_writable_bytes(values));
        });
    });
}

template <typename T>
void CudaWavefield<T>::write_state(int shot, const StatePart& wanted, const StateVisitor& fill) {
    for_state(shot, [&](const StatePart& part, T* array, WindowRows plane) {
        if (part != wanted) return;
        std::vector<T> values(static_cast<std::size_t>(part.extents[0] * part.extents[1]));
        for (std::int64_t z = 0; z < part.extents[2]; ++z, plane.element += plane.step_z) {
            fill(part, z, std::as_writable_bytes(std::span<T>(values)));
            fields_.copy_in(array, plane, std::span<const T>(values));
        }
    });
}

/// Steppers of the planes that read none beyond a cut, and of the others.
template <typename T>
void CudaWavefield<T>::make_parts(const Fields<T>& fields) {
    const Instance<T>& instance = choose<T>(setup_);
    const PlaneRange inside = planes_inside(setup_);
    if (inside.begin == 0 && inside.end == fields.grid.nz()) return;
    const auto add = [&](auto& list, std::int64_t begin, std::int64_t end) {
        for (int volume = 0; begin < end && volume < fields.volumes; ++volume)
            list.push_back(instance.make(instance, fields.volume(volume).planes(begin, end)));
    };
    add(inside_, inside.begin, inside.end);
    add(beside_cuts_, 0, inside.begin);
    add(beside_cuts_, inside.end, fields.grid.nz());
}

}  // namespace

template <typename T>
std::unique_ptr<Wavefield> CudaMedium<T>::make_wavefield(int shots, const StripList& strips) {
    Setup with_strips = setup_with(strips);
    if (shots < 1 || shots > most_shots(with_strips))
        throw std::invalid_argument("a wavefield of " + std::to_string(shots) + " shots: at most " +
                                    std::to_string(most_shots(with_strips)) + " fit one launch");
    return std::make_unique<CudaWavefield<T>>(std::static_pointer_cast<CudaMedium>(Medium::shared_from_this()),
                                              std::move(with_strips), shots);
}
template std::unique_ptr<Wavefield> CudaMedium<float>::make_wavefield(int, const StripList&);
template std::unique_ptr<Wavefield> CudaMedium<double>::make_wavefield(int, const StripList&);

int most_shots(const Setup& setup) {
    constexpr int most = 1024;
    if (setup.grid.dimensions == 2) return most;
    return setup.precision == Precision::float32 ? (takes_whole_steps<float>(setup, 1) ? most : 1)
                                                 : (takes_whole_steps<double>(setup, 1) ? most : 1);
}

}  // namespace onda::cuda
